/* One line for the user per failed call.
 *
 * Always holds: the text is terminated and is one line without control characters, whatever a
 * configuration, a file name or a server put into it; what is too long is cut, never split inside a
 * UTF-8 character. Printing is left to the programs' main. */
#include "common/base/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* A cut in the middle of a character would make the line invalid UTF-8. */
static void drop_partial_character(char *text)
{
    size_t length = strlen(text);
    size_t start = length;
    while (start > 0 && length - start < 3 && ((unsigned char)text[start - 1] & 0xC0U) == 0x80U) {
        start--;
    }
    if (start == 0) {
        return;
    }
    unsigned char lead = (unsigned char)text[start - 1];
    size_t expected = lead >= 0xF0U ? 4 : lead >= 0xE0U ? 3 : lead >= 0xC0U ? 2 : 1;
    if (length - (start - 1) < expected) {
        text[start - 1] = '\0';
    }
}

static void store(struct strata_error *error, const char *line, bool cut)
{
    size_t length = strlen(line);
    for (size_t i = 0; i <= length; i++) {
        unsigned char byte = (unsigned char)line[i];
        bool control = (byte < 0x20U && byte != 0) || byte == 0x7FU;
        error->text[i] = control ? ' ' : line[i];
    }
    if (cut) {
        drop_partial_character(error->text);
    }
}

enum strata_status strata_error_set(struct strata_error *error, enum strata_status status,
                                    const char *format, ...)
{
    /* Formatted apart, since an argument may be the text that is being replaced. */
    char line[sizeof error->text];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    error->status = status;
    store(error, length < 0 ? format : line, length >= (int)sizeof line);
    return status;
}

enum strata_status strata_error_prefix(struct strata_error *error, const char *format, ...)
{
    char prefix[sizeof error->text / 2];
    va_list arguments;
    va_start(arguments, format);
    int prefix_length = vsnprintf(prefix, sizeof prefix, format, arguments);
    va_end(arguments);
    if (prefix_length >= (int)sizeof prefix) {
        drop_partial_character(prefix);
    }
    char line[sizeof error->text + sizeof prefix + 2];
    int length = snprintf(line, sizeof line, "%s: %s", prefix, error->text);
    bool cut = length >= (int)sizeof error->text;
    line[sizeof error->text - 1] = '\0';
    store(error, line, cut);
    return error->status;
}
