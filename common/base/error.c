/* One line for the user per failed call.
 *
 * Always holds: the text is terminated, one line, UTF-8 and free of control characters, whatever a
 * configuration, a file name or a server put into it; what is too long is cut. Printing is left to
 * the programs' main. */
#include "common/base/error.h"

#include "common/base/text.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static void store(struct strata_error *error, const char *line)
{
    size_t length = strnlen(line, sizeof error->text - 1);
    memcpy(error->text, line, length);
    error->text[length] = '\0';
    for (size_t i = 0; i < length;) {
        unsigned char byte = (unsigned char)error->text[i];
        size_t bytes = strata_text_character(error->text + i, length - i);
        if (byte < 0x20U || byte == 0x7FU) {
            error->text[i] = ' ';
        } else if (bytes == 0) {
            error->text[i] = '?';
        }
        i += bytes > 0 ? bytes : 1;
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
    store(error, length < 0 ? format : line);
    return status;
}

enum strata_status strata_error_prefix(struct strata_error *error, const char *format, ...)
{
    char prefix[sizeof error->text / 2];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(prefix, sizeof prefix, format, arguments);
    va_end(arguments);
    char line[sizeof error->text + sizeof prefix + 2];
    (void)snprintf(line, sizeof line, "%s: %s", prefix, error->text);
    store(error, line);
    return error->status;
}
