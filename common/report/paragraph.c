/* Line breaking, greedy: each line takes the words that fit. */
#include "common/report/paragraph.h"

#include "common/report/escape.h"

#include <stdlib.h>
#include <string.h>

void strata_paragraph_write(unsigned first, unsigned others, const char *text, unsigned width,
                            struct strata_text *out)
{
    size_t column = first;
    size_t begin = first; /* the column at which the line began */
    strata_text_format(out, "%*s", (int)first, "");
    for (const char *at = text; *at != '\0';) {
        size_t length = strcspn(at, " ");
        if (strncmp(at + length, " %", 2) == 0) { /* stays with its number */
            length += 1 + strcspn(at + length + 1, " ");
        }
        char *word = strata_text_duplicate_format("%.*s", (int)length, at);
        size_t columns = strata_text_columns(word);
        if (width > 0 && column > begin && column + 1 + columns > width) {
            strata_text_format(out, "\n%*s", (int)others, "");
            column = begin = others;
        } else if (column > begin) {
            strata_text_append(out, " ");
            column++;
        }
        strata_escape_terminal(out, word);
        column += columns;
        free(word);
        at += length + (at[length] == ' ');
    }
    strata_text_append(out, "\n");
}
