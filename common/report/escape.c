/* Escaping for each format that a report is written in.
 *
 * Always holds: whatever bytes come in, what goes out is one cell, one field, one label, one piece
 * of text. Invalid UTF-8 passes through; browsers and terminals replace it themselves. */
#include "common/report/escape.h"

#include <stdbool.h>
#include <string.h>

/* The bytes of a control character that is none of `kept`: a terminal or a spreadsheet might obey
 * it. 0 when none begins here; those above U+007F have two. */
static size_t control_bytes(const char *at, const char *kept)
{
    if (!strata_text_is_control(at) || strchr(kept, *at) != NULL) {
        return 0;
    }
    return (unsigned char)*at == 0xc2 ? 2 : 1;
}

void strata_escape_terminal(struct strata_text *out, const char *text)
{
    size_t control;
    for (const char *at = text; *at != '\0'; at += control > 0 ? control : 1) {
        control = control_bytes(at, "");
        strata_text_append_bytes(out, control > 0 ? "?" : at, 1);
    }
}

/* What stands for the byte in HTML; NULL: itself. */
static const char *entity(char byte)
{
    switch (byte) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void strata_escape_html(struct strata_text *out, const char *text)
{
    size_t control;
    for (const char *at = text; *at != '\0'; at += control > 0 ? control : 1) {
        control = control_bytes(at, "\n\t");
        if (control > 0) {
            strata_text_append(out, "\xef\xbf\xbd"); /* U+FFFD */
        } else if (entity(*at) != NULL) {
            strata_text_append(out, entity(*at));
        } else {
            strata_text_append_bytes(out, at, 1);
        }
    }
}

void strata_escape_markdown(struct strata_text *out, const char *text)
{
    size_t control;
    for (const char *at = text; *at != '\0'; at += control > 0 ? control : 1) {
        control = control_bytes(at, "");
        if (control > 0) {
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
    bool formula = text[0] != '\0' && strchr("=+-@\t\r", text[0]) != NULL;
    bool quoted = formula || strpbrk(text, "\",\r\n") != NULL;
    strata_text_append(out, quoted ? "\"" : "");
    strata_text_append(out, formula ? "'" : "");
    size_t control;
    for (const char *at = text; *at != '\0'; at += control > 0 ? control : 1) {
        control = control_bytes(at, "\t\r\n");
        strata_text_append(out, *at == '"' ? "\"" : "");
        strata_text_append_bytes(out, control > 0 ? "?" : at, 1);
    }
    strata_text_append(out, quoted ? "\"" : "");
}

void strata_escape_label(struct strata_text *out, const char *text)
{
    size_t control;
    for (const char *at = text; *at != '\0'; at += control > 0 ? control : 1) {
        control = control_bytes(at, "\n");
        if (*at == '\n') {
            strata_text_append(out, "\\n");
        } else {
            strata_text_append(out, *at == '"' || *at == '\\' ? "\\" : "");
            strata_text_append_bytes(out, control > 0 ? "?" : at, 1);
        }
    }
}

void strata_escape_json(struct strata_text *out, const char *json)
{
    size_t count;
    for (const char *at = json; *at != '\0'; at += count > 0 ? count : 1) {
        count = strata_text_character(at, strnlen(at, 4));
        if (count == 0) {
            strata_text_append(out, "\xef\xbf\xbd");
        } else if (control_bytes(at, "\t\r\n") > 0) {
            strata_text_format(out, "\\u%04x", (unsigned)(unsigned char)at[count - 1]);
        } else {
            strata_text_append_bytes(out, at, count);
        }
    }
}
