/* Strings that grow, for messages, documents and reports.
 *
 * Always holds: `bytes` is NULL or terminated at `length`. Memory that runs out ends the process
 * (memory.h), so that no caller handles half a document. */
#include "common/base/text.h"

#include "common/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for `more` bytes and the terminator. */
static void reserve(struct strata_text *text, size_t more)
{
    void *bytes = text->bytes;
    strata_memory_grow(&bytes, &text->capacity, text->length + more + 1, 1);
    text->bytes = bytes;
}

void strata_text_append_bytes(struct strata_text *text, const char *bytes, size_t length)
{
    reserve(text, length);
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

void strata_text_append(struct strata_text *text, const char *bytes)
{
    strata_text_append_bytes(text, bytes, strlen(bytes));
}

static void append_format(struct strata_text *text, const char *format, va_list arguments)
{
    va_list measured;
    va_copy(measured, arguments);
    int length = vsnprintf(NULL, 0, format, measured);
    va_end(measured);
    if (length < 0) {
        return; /* only an invalid wide character can do this, and no caller has one */
    }
    reserve(text, (size_t)length);
    (void)vsnprintf(text->bytes + text->length, (size_t)length + 1, format, arguments);
    text->length += (size_t)length;
}

void strata_text_format(struct strata_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    append_format(text, format, arguments);
    va_end(arguments);
}

const char *strata_text_string(const struct strata_text *text)
{
    return text->bytes != NULL ? text->bytes : "";
}

void strata_text_done(struct strata_text *text)
{
    free(text->bytes);
    *text = (struct strata_text){0};
}

char *strata_text_duplicate(const char *string)
{
    size_t bytes = strlen(string) + 1;
    return memcpy(strata_memory_new(bytes, 1), string, bytes);
}

char *strata_text_duplicate_format(const char *format, ...)
{
    struct strata_text text = {0};
    reserve(&text, 0); /* so that an empty result is a string as well */
    va_list arguments;
    va_start(arguments, format);
    append_format(&text, format, arguments);
    va_end(arguments);
    return text.bytes;
}
