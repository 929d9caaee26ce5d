/* Escaping for each format that a report is written in.
 *
 * Always holds: whatever bytes come in, what goes out is one cell, one field, one label, one piece
 * of text. Invalid UTF-8 passes through; browsers and terminals replace it themselves. */
#include "common/report/escape.h"

#include <string.h>

static int is_control(char byte)
{
    unsigned char value = (unsigned char)byte;
    return value < 0x20 || value == 0x7f;
}

/* U+0080 to U+009F, which some terminals obey, are C2 80 to C2 9F in UTF-8. */
static int is_upper_control(const char *at)
{
    return (unsigned char)at[0] == 0xc2 && (unsigned char)at[1] >= 0x80 &&
           (unsigned char)at[1] <= 0x9f;
}

void strata_escape_terminal(struct strata_text *out, const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        if (is_upper_control(at)) {
            strata_text_append(out, "?");
            at++;
        } else if (is_control(*at)) {
            strata_text_append(out, "?");
        } else {
            strata_text_append_bytes(out, at, 1);
        }
    }
}

void strata_escape_html(struct strata_text *out, const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        switch (*at) {
        case '&':
            strata_text_append(out, "&amp;");
            break;
        case '<':
            strata_text_append(out, "&lt;");
            break;
        case '>':
            strata_text_append(out, "&gt;");
            break;
        case '"':
            strata_text_append(out, "&quot;");
            break;
        case '\'':
            strata_text_append(out, "&#39;");
            break;
        default:
            if (is_control(*at) && *at != '\n' && *at != '\t') {
                strata_text_append(out, "\xef\xbf\xbd"); /* U+FFFD */
            } else {
                strata_text_append_bytes(out, at, 1);
            }
        }
    }
}

void strata_escape_markdown(struct strata_text *out, const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        if (is_control(*at)) {
            strata_text_append(out, " ");
        } else if (*at == '<' || *at == '&') {
            strata_text_append(out, *at == '<' ? "&lt;" : "&amp;");
        } else {
            if (strchr("\\`*_[]|~#", *at) != NULL) {
                strata_text_append(out, "\\");
            }
            strata_text_append_bytes(out, at, 1);
        }
    }
}

void strata_escape_csv(struct strata_text *out, const char *text)
{
    int formula = text[0] != '\0' && strchr("=+-@\t\r", text[0]) != NULL;
    int quoted = formula || strpbrk(text, "\",\r\n") != NULL;
    strata_text_append(out, quoted ? "\"" : "");
    strata_text_append(out, formula ? "'" : "");
    for (const char *at = text; *at != '\0'; at++) {
        strata_text_append(out, *at == '"' ? "\"" : "");
        strata_text_append_bytes(out, at, 1);
    }
    strata_text_append(out, quoted ? "\"" : "");
}

void strata_escape_label(struct strata_text *out, const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '\n') {
            strata_text_append(out, "\\n");
        } else {
            strata_text_append(out, *at == '"' || *at == '\\' ? "\\" : "");
            strata_text_append_bytes(out, at, 1);
        }
    }
}
