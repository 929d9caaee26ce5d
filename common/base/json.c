/* Strings and member names of JSON documents, whatever bytes a kernel, a server or a user wrote.
 *
 * Always holds: what is appended is valid JSON in valid UTF-8. Numbers are left to the callers, who
 * print integers only (a decimal comma of a locale cannot get in). */
#include "common/base/json.h"

#include <string.h>

void strata_json_string(struct strata_text *out, const char *string)
{
    if (string == NULL) {
        strata_text_append(out, "null");
        return;
    }
    strata_text_append(out, "\"");
    for (const char *next = string; *next != '\0';) {
        unsigned char byte = (unsigned char)*next;
        size_t count = strata_text_character(next, strnlen(next, 4));
        if (count == 0) {
            strata_text_append(out, "\xEF\xBF\xBD");
            count = 1;
        } else if (byte == '"' || byte == '\\') {
            strata_text_format(out, "\\%c", byte);
        } else if (strata_text_is_control(next)) {
            strata_text_format(out, "\\u%04x", (unsigned char)next[count - 1]); /* as in UTF-8 */
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
