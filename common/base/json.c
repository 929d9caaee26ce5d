/* Strings and member names of JSON documents, whatever bytes a kernel, a server or a user wrote.
 *
 * Always holds: what is appended is valid JSON in valid UTF-8. Numbers are left to the callers, who
 * print integers only (a decimal comma of a locale cannot get in). */
#include "common/base/json.h"

#include <stdint.h>
#include <string.h>

/* Bytes of the valid UTF-8 character at `bytes`, 0 when there is none: overlong forms, surrogates
 * and values past U+10FFFF are not valid. */
static size_t character_bytes(const unsigned char *bytes)
{
    static const struct {
        unsigned char first_from, first_to, second_from, second_to;
        size_t count;
    } forms[] = {
        {0x00, 0x7F, 0, 0, 1},       {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
        {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
        {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
    };
    for (size_t form = 0; form < sizeof(forms) / sizeof(forms[0]); form++) {
        if (bytes[0] < forms[form].first_from || bytes[0] > forms[form].first_to) {
            continue;
        }
        for (size_t i = 1; i < forms[form].count; i++) {
            unsigned char from = i == 1 ? forms[form].second_from : 0x80;
            unsigned char to = i == 1 ? forms[form].second_to : 0xBF;
            if (bytes[i] < from || bytes[i] > to) {
                return 0;
            }
        }
        return forms[form].count;
    }
    return 0;
}

void strata_json_string(struct strata_text *out, const char *string)
{
    if (string == NULL) {
        strata_text_append(out, "null");
        return;
    }
    strata_text_append(out, "\"");
    for (const char *next = string; *next != '\0';) {
        unsigned char byte = (unsigned char)*next;
        size_t count = character_bytes((const unsigned char *)next);
        if (count == 0) {
            strata_text_append(out, "\xEF\xBF\xBD");
            count = 1;
        } else if (byte == '"' || byte == '\\') {
            strata_text_format(out, "\\%c", byte);
        } else if (byte < 0x20 || byte == 0x7F) {
            strata_text_format(out, "\\u%04x", byte);
        } else {
            strata_text_append_bytes(out, next, count);
        }
        next += count;
    }
    strata_text_append(out, "\"");
}

void strata_json_name(struct strata_text *out, const char *name)
{
    if (out->length > 0 && out->bytes[out->length - 1] != '{') {
        strata_text_append(out, ", ");
    }
    strata_json_string(out, name);
    strata_text_append(out, ": ");
}
