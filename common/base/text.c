/* Strings that grow, for messages, documents and reports.
 *
 * Always holds: `bytes` is NULL or terminated at `length`. Memory that runs out ends the process
 * (memory.h), so that no caller handles half a document. */
#include "common/base/text.h"

#include "common/base/memory.h"

#include <stdarg.h>
#include <stdint.h>
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

size_t strata_text_character(const char *bytes, size_t available)
{
    unsigned char lead = (unsigned char)bytes[0];
    if (lead < 0x80U) {
        return 1;
    }
    size_t length = lead >= 0xF0U ? 4 : lead >= 0xE0U ? 3 : 2;
    if (lead < 0xC2U || lead > 0xF4U || available < length) {
        return 0;
    }
    uint32_t character = lead & (0x7FU >> length);
    for (size_t i = 1; i < length; i++) {
        unsigned char next = (unsigned char)bytes[i];
        if ((next & 0xC0U) != 0x80U) {
            return 0;
        }
        character = character << 6 | (next & 0x3FU);
    }
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    bool surrogate = character >= 0xD800 && character <= 0xDFFF;
    return character >= smallest[length] && character <= 0x10FFFF && !surrogate ? length : 0;
}

size_t strata_text_columns(const char *text)
{
    size_t columns = 0;
    for (const char *at = text; *at != '\0'; at++) {
        columns += ((unsigned char)*at & 0xc0) != 0x80; /* no continuation byte */
    }
    return columns;
}

bool strata_text_is_control(const char *at)
{
    unsigned char first = (unsigned char)at[0];
    unsigned char second = first == 0xC2U ? (unsigned char)at[1] : 0;
    return first < 0x20U || first == 0x7FU || (second >= 0x80U && second <= 0x9FU);
}

bool strata_text_is_utf8(const char *bytes, size_t length)
{
    for (size_t i = 0; i < length;) {
        size_t step = strata_text_character(bytes + i, length - i);
        if (step == 0) {
            return false;
        }
        i += step;
    }
    return true;
}
