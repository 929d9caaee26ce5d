/* Comma-separated values, as spreadsheets and scripts write them.
 *
 * Always holds: a field points into the caller's text. What a field means is the caller's. */
#include "common/base/csv.h"

#include <string.h>

/* Take a quoted field apart: "" inside is one quote. Returns what follows it, NULL without its end.
 */
static char *end_of_quoted(char *field)
{
    char *to = field;
    for (char *from = field; *from != '\0'; from++) {
        if (*from == '"' && from[1] != '"') {
            *to = '\0';
            return from + 1;
        }
        from += *from == '"';
        *to++ = *from;
    }
    return NULL;
}

static bool split(struct strata_csv *csv, char *line, struct strata_error *error)
{
    csv->field_count = 0;
    for (char *at = line; at != NULL;) {
        if (csv->field_count == STRATA_CSV_MOST_FIELDS) {
            strata_error_set(error, STRATA_USAGE, "line %u: more than %d fields", csv->line,
                             STRATA_CSV_MOST_FIELDS);
            return false;
        }
        bool quoted = *at == '"';
        csv->fields[csv->field_count++] = quoted ? at + 1 : at;
        char *end = quoted ? end_of_quoted(at + 1) : at + strcspn(at, ",");
        if (end == NULL || (*end != ',' && *end != '\0')) {
            strata_error_set(error, STRATA_USAGE,
                             "line %u: a quoted field does not end before a comma", csv->line);
            return false;
        }
        at = *end == ',' ? end + 1 : NULL;
        *end = '\0';
    }
    return true;
}

bool strata_csv_read(struct strata_csv *csv, struct strata_error *error)
{
    static const char mark[] = "\xef\xbb\xbf";
    if (csv->line == 0 && strncmp(csv->next, mark, 3) == 0) {
        csv->next += 3;
    }
    while (*csv->next != '\0') {
        char *line = csv->next;
        size_t length = strcspn(line, "\n");
        csv->next += length + (line[length] == '\n');
        line[length] = '\0';
        csv->line++;
        if (length > 0 && line[length - 1] == '\r') {
            line[length - 1] = '\0';
        }
        if (line[0] != '\0') {
            return split(csv, line, error);
        }
    }
    return false;
}
