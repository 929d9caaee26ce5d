/* A table of texts, filled once and written as plain text, Markdown or HTML. */
#ifndef STRATA_REPORT_TABLE_H
#define STRATA_REPORT_TABLE_H

#include "common/base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* Where plain text puts a column; Markdown and HTML have all of them side by side. */
enum strata_column_place {
    STRATA_COLUMN_BESIDE, /* in the row */
    STRATA_COLUMN_SPARE,  /* in the row, if that leaves it narrow enough */
    STRATA_COLUMN_ABOVE,  /* on a line above the rows that share it, after those left of it */
    STRATA_COLUMN_BELOW   /* a paragraph below the row */
};

struct strata_column {
    const char *heading;
    bool number; /* set right */
    enum strata_column_place place;
};

/* Zero-initialised with columns set is empty. */
struct strata_table {
    const struct strata_column *columns; /* borrowed */
    size_t column_count;
    char **cells; /* row by row; owned */
    size_t cell_count;
    size_t capacity;
};

/* Append a row's next cell; rows fill from the left. The text is copied. */
void strata_table_add(struct strata_table *table, const char *text);
void strata_table_format(struct strata_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void strata_table_done(struct strata_table *table);

/* Columns as wide as their widest cell (characters of UTF-8), two blanks between them, `indent`
 * blanks in front; empty columns are left out; nothing is written for a table without rows. Rows
 * wider than `width` columns lose their spare ones from the right (0: never). Returns whether one
 * was lost. */
bool strata_table_write_text(const struct strata_table *table, unsigned indent, unsigned width,
                             struct strata_text *out);
void strata_table_write_markdown(const struct strata_table *table, struct strata_text *out);
void strata_table_write_html(const struct strata_table *table, struct strata_text *out);

#endif
