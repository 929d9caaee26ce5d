/* One table, three ways to write it: what a reader sees is the same everywhere. */
#include "common/report/table.h"

#include "common/base/memory.h"
#include "common/report/escape.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_owned(struct strata_table *table, char *text)
{
    void *cells = table->cells;
    strata_memory_grow(&cells, &table->capacity, table->cell_count + 1, sizeof(table->cells[0]));
    table->cells = cells;
    table->cells[table->cell_count++] = text;
}

void strata_table_add(struct strata_table *table, const char *text)
{
    add_owned(table, strata_text_duplicate(text));
}

void strata_table_format(struct strata_table *table, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    strata_table_add(table, text);
}

void strata_table_done(struct strata_table *table)
{
    for (size_t i = 0; i < table->cell_count; i++) {
        free(table->cells[i]);
    }
    free(table->cells);
    table->cells = NULL;
    table->cell_count = table->capacity = 0;
}

/* Characters, not bytes: continuation bytes of UTF-8 take no room. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (const char *at = text; *at != '\0'; at++) {
        width += ((unsigned char)*at & 0xc0) != 0x80;
    }
    return width;
}

static bool is_empty(const struct strata_table *table, size_t column)
{
    for (size_t i = column; i < table->cell_count; i += table->column_count) {
        if (table->cells[i][0] != '\0') {
            return false;
        }
    }
    return true;
}

static size_t column_width(const struct strata_table *table, size_t column)
{
    size_t widest = width_of(table->columns[column].heading);
    for (size_t i = column; i < table->cell_count; i += table->column_count) {
        size_t width = width_of(table->cells[i]);
        widest = width > widest ? width : widest;
    }
    return is_empty(table, column) ? 0 : widest;
}

static void write_padded(const char *text, size_t width, bool right, struct strata_text *out)
{
    int gap = (int)(width - width_of(text));
    strata_text_format(out, "%*s", right ? gap : 0, "");
    strata_escape_terminal(out, text);
    strata_text_format(out, "%*s", right ? 0 : gap, "");
}

static void trim(struct strata_text *out)
{
    while (out->length > 0 && out->bytes[out->length - 1] == ' ') {
        out->bytes[--out->length] = '\0';
    }
    strata_text_append(out, "\n");
}

/* Whether the cell, and all that are left of it, say what the row above says. */
static bool repeats(const struct strata_table *table, size_t cell)
{
    size_t columns = table->column_count;
    size_t first = cell - cell % columns;
    if (first == 0 || !table->columns[cell % columns].once) {
        return false;
    }
    for (size_t i = first; i <= cell; i++) {
        if (strcmp(table->cells[i], table->cells[i - columns]) != 0) {
            return false;
        }
    }
    return true;
}

void strata_table_write_text(const struct strata_table *table, unsigned indent,
                             struct strata_text *out)
{
    if (table->cell_count == 0) {
        return;
    }
    size_t *widths = strata_memory_new(table->column_count, sizeof(widths[0]));
    for (size_t c = 0; c < table->column_count; c++) {
        widths[c] = column_width(table, c);
    }
    strata_text_format(out, "%*s", (int)indent, "");
    for (size_t i = 0; i < table->column_count + table->cell_count; i++) {
        size_t c = i % table->column_count;
        size_t cell = i - table->column_count; /* of the body */
        const char *text = i < table->column_count ? table->columns[c].heading
                           : repeats(table, cell)  ? ""
                                                   : table->cells[cell];
        if (widths[c] > 0) {
            write_padded(text, widths[c], table->columns[c].number, out);
            strata_text_append(out, "  ");
        }
        if (c + 1 == table->column_count) {
            trim(out);
            strata_text_format(
                out, "%*s", i + 1 < table->column_count + table->cell_count ? (int)indent : 0, "");
        }
    }
    free(widths);
}

void strata_table_write_markdown(const struct strata_table *table, struct strata_text *out)
{
    if (table->cell_count == 0) {
        return;
    }
    for (size_t c = 0; c < table->column_count; c++) {
        strata_text_format(out, "| %s ", table->columns[c].heading);
    }
    strata_text_append(out, "|\n");
    for (size_t c = 0; c < table->column_count; c++) {
        strata_text_append(out, table->columns[c].number ? "|---:" : "|---");
    }
    strata_text_append(out, "|\n");
    for (size_t i = 0; i < table->cell_count; i++) {
        strata_text_append(out, "| ");
        strata_escape_markdown(out, table->cells[i]);
        strata_text_append(out, (i + 1) % table->column_count == 0 ? " |\n" : " ");
    }
    strata_text_append(out, "\n");
}

/* A verdict is coloured besides being spelt out. */
static const char *class_of(const char *text, bool number)
{
    static const char *const verdicts[] = {"pass", "fail", "inconclusive"};
    for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++) {
        if (strcmp(text, verdicts[i]) == 0) {
            return verdicts[i];
        }
    }
    return number ? "number" : width_of(text) > 60 ? "word long" : "word";
}

void strata_table_write_html(const struct strata_table *table, struct strata_text *out)
{
    if (table->cell_count == 0) {
        return;
    }
    strata_text_append(out, "<div class=\"wide\"><table>\n<thead><tr>");
    for (size_t c = 0; c < table->column_count; c++) {
        if (!is_empty(table, c)) {
            strata_text_format(out, "<th scope=\"col\" class=\"%s\">",
                               table->columns[c].number ? "number" : "word");
            strata_escape_html(out, table->columns[c].heading);
            strata_text_append(out, "</th>");
        }
    }
    strata_text_append(out, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < table->cell_count; i++) {
        size_t c = i % table->column_count;
        strata_text_append(out, c == 0 ? "<tr>" : "");
        if (!is_empty(table, c)) {
            strata_text_format(out, "<td class=\"%s\">",
                               class_of(table->cells[i], table->columns[c].number));
            strata_escape_html(out, table->cells[i]);
            strata_text_append(out, "</td>");
        }
        strata_text_append(out, c + 1 == table->column_count ? "</tr>\n" : "");
    }
    strata_text_append(out, "</tbody></table></div>\n");
}
