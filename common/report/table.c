/* One table, three ways to write it: what a reader sees is the same everywhere. */
#include "common/report/table.h"

#include "common/base/memory.h"
#include "common/report/escape.h"
#include "common/report/paragraph.h"

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
    size_t widest = strata_text_columns(table->columns[column].heading);
    for (size_t i = column; i < table->cell_count; i += table->column_count) {
        size_t width = strata_text_columns(table->cells[i]);
        widest = width > widest ? width : widest;
    }
    return is_empty(table, column) ? 0 : widest;
}

static void write_padded(const char *text, size_t width, bool right, struct strata_text *out)
{
    int gap = (int)(width - strata_text_columns(text));
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

/* Whether all that stands above this row stands above the row before, too. */
static bool repeats(const struct strata_table *table, size_t row)
{
    size_t first = row * table->column_count;
    for (size_t c = 0; c < table->column_count && row > 0; c++) {
        if (table->columns[c].place == STRATA_COLUMN_ABOVE &&
            strcmp(table->cells[first + c], table->cells[first - table->column_count + c]) != 0) {
            return false;
        }
    }
    return row > 0;
}

/* How a table is laid out as text. */
struct layout {
    size_t *widths;  /* of the columns in the row; 0: not in the row */
    unsigned indent; /* of the table */
    unsigned rows;   /* indent of the rows, deeper if lines stand above them */
    unsigned width;
    bool lost;
};

static size_t row_width(const struct strata_table *table, const struct layout *layout)
{
    size_t width = layout->rows;
    for (size_t c = 0; c < table->column_count; c++) {
        width += layout->widths[c] > 0 ? layout->widths[c] + 2 : 0;
    }
    return width - 2;
}

static void drop_spares(const struct strata_table *table, struct layout *layout)
{
    for (size_t c = table->column_count; c-- > 0 && row_width(table, layout) > layout->width;) {
        if (table->columns[c].place == STRATA_COLUMN_SPARE && layout->widths[c] > 0) {
            layout->widths[c] = 0;
            layout->lost = true;
        }
    }
}

static struct layout lay_out(const struct strata_table *table, unsigned indent, unsigned width)
{
    struct layout layout = {.widths =
                                strata_memory_new(table->column_count, sizeof(layout.widths[0])),
                            .indent = indent,
                            .rows = indent,
                            .width = width};
    for (size_t c = 0; c < table->column_count; c++) {
        enum strata_column_place place = table->columns[c].place;
        if (place == STRATA_COLUMN_ABOVE) {
            layout.rows = indent + 2;
        } else if (place != STRATA_COLUMN_BELOW) {
            layout.widths[c] = column_width(table, c);
        }
    }
    if (width > 0) {
        drop_spares(table, &layout);
    }
    return layout;
}

/* The row's cells, or the headings where `row` is NULL. */
static void write_row(const struct strata_table *table, const struct layout *layout,
                      char *const *row, struct strata_text *out)
{
    strata_text_format(out, "%*s", (int)layout->rows, "");
    for (size_t c = 0; c < table->column_count; c++) {
        if (layout->widths[c] > 0) {
            write_padded(row != NULL ? row[c] : table->columns[c].heading, layout->widths[c],
                         table->columns[c].number, out);
            strata_text_append(out, "  ");
        }
    }
    trim(out);
}

static void write_line_above(const struct strata_table *table, const struct layout *layout,
                             char *const *row, struct strata_text *out)
{
    struct strata_text line = {0};
    for (size_t c = 0; c < table->column_count; c++) {
        if (table->columns[c].place == STRATA_COLUMN_ABOVE && row[c][0] != '\0') {
            strata_text_format(&line, "%s%s", line.length > 0 ? ", " : "", row[c]);
        }
    }
    if (line.length > 0) {
        strata_paragraph_write(layout->indent, layout->indent + 4, line.bytes, layout->width, out);
    }
    strata_text_done(&line);
}

static void write_paragraphs_below(const struct strata_table *table, const struct layout *layout,
                                   char *const *row, struct strata_text *out)
{
    for (size_t c = 0; c < table->column_count; c++) {
        if (table->columns[c].place == STRATA_COLUMN_BELOW && row[c][0] != '\0') {
            strata_paragraph_write(layout->rows + 4, layout->rows + 4, row[c], layout->width, out);
        }
    }
}

bool strata_table_write_text(const struct strata_table *table, unsigned indent, unsigned width,
                             struct strata_text *out)
{
    if (table->cell_count == 0) {
        return false;
    }
    struct layout layout = lay_out(table, indent, width);
    write_row(table, &layout, NULL, out);
    for (size_t row = 0; row < table->cell_count / table->column_count; row++) {
        char *const *cells = &table->cells[row * table->column_count];
        if (!repeats(table, row)) {
            write_line_above(table, &layout, cells, out);
        }
        write_row(table, &layout, cells, out);
        write_paragraphs_below(table, &layout, cells, out);
    }
    free(layout.widths);
    return layout.lost;
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
    return number ? "number" : strata_text_columns(text) > 60 ? "word long" : "word";
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
