/* A growing string for cold paths. */
#ifndef STRATA_BASE_TEXT_H
#define STRATA_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Zero-initialised is an empty text. `bytes` is NULL while empty, else terminated. */
struct strata_text {
    char *bytes;
    size_t length;
    size_t capacity;
};

/* Append; memory that runs out ends the process, as nothing sensible is left (memory.h). */
void strata_text_append(struct strata_text *text, const char *bytes);
void strata_text_append_bytes(struct strata_text *text, const char *bytes, size_t length);
void strata_text_format(struct strata_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The terminated string, "" while empty. Owns: stays the text's. */
const char *strata_text_string(const struct strata_text *text);

/* Free what it holds and make it empty again. */
void strata_text_done(struct strata_text *text);

/* Heap copies whose failure ends the process; the caller frees. */
char *strata_text_duplicate(const char *string);
char *strata_text_duplicate_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Bytes of the UTF-8 character that begins at `bytes`; 0 when it is malformed or does not end
 * within `available` > 0 bytes. Source: RFC 3629, 4 (no overlong forms, no surrogates, nothing past
 * U+10FFFF). */
size_t strata_text_character(const char *bytes, size_t available);

/* Characters of UTF-8, not bytes: the columns that a text takes on a terminal. */
size_t strata_text_columns(const char *text);

/* Whether a control character begins at this place of a terminated string: U+0000 to U+001F,
 * U+007F, or U+0080 to U+009F, which some terminals obey as well. */
bool strata_text_is_control(const char *at);

/* Whether the bytes are well-formed UTF-8. */
bool strata_text_is_utf8(const char *bytes, size_t length);

#endif
