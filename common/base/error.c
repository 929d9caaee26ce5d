/* One line for the user per failed call.
 *
 * Always holds: the text is terminated, one line, UTF-8 and free of control characters, whatever a
 * configuration, a file name or a server put into it; what is too long is cut in its middle.
 * Printing is left to the programs' main. */
#include "common/base/error.h"

#include "common/base/text.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 8192 }; /* before it is cut: paths and URLs of any length that works */

/* Of a line that is too long the begin and the end: what it is about, and what is wrong with it. */
static void shorten(char *text, size_t size, const char *line)
{
    static const char gap[] = " ... ";
    size_t head = size / 2;
    size_t tail = size - 1 - head - (sizeof gap - 1);
    memcpy(text, line, head);
    memcpy(text + head, gap, sizeof gap - 1);
    memcpy(text + head + sizeof gap - 1, line + strlen(line) - tail, tail + 1);
}

static void store(struct strata_error *error, const char *line)
{
    size_t length = strlen(line);
    if (length < sizeof error->text) {
        memcpy(error->text, line, length + 1);
    } else {
        length = sizeof error->text - 1;
        shorten(error->text, sizeof error->text, line);
    }
    for (size_t i = 0; i < length;) {
        size_t bytes = strata_text_character(error->text + i, length - i);
        if (strata_text_is_control(error->text + i)) {
            memset(error->text + i, ' ', bytes);
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
    char line[LONGEST];
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
    char prefix[LONGEST / 2];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(prefix, sizeof prefix, format, arguments);
    va_end(arguments);
    char line[sizeof error->text + sizeof prefix + 2];
    (void)snprintf(line, sizeof line, "%s: %s", prefix, error->text);
    store(error, line);
    return error->status;
}
