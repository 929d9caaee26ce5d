/* The tables of a report, made from the model; each format only writes them. */
#ifndef STRATA_REPORT_TABLES_H
#define STRATA_REPORT_TABLES_H

#include "common/report/model.h"
#include "common/report/table.h"

/* The layers in order, as headings name them. */
extern const struct strata_report_layer {
    const char *name;    /* "filesystem" */
    const char *heading; /* "File-system layer" */
} strata_report_layers[4];

/* Loss with its sign and one decimal, "-0.3 %"; "" when unknown. */
void strata_report_percent(double fraction, char *buffer, size_t size);

/* The cell's rate on one side, in the unit that says more; "" when unknown. */
void strata_report_rate(const struct strata_report_cell *cell, bool encrypted, char *buffer,
                        size_t size);

/* Headings of the two tables below. */
#define STRATA_REPORT_STEADY_HEADING "Steady state"
#define STRATA_REPORT_STEPS_HEADING  "Rates that changed inside a run"

/* Each fills an empty table; the caller calls strata_table_done. */
void strata_report_table_cells(const struct strata_report *report, const char *layer,
                               struct strata_table *table);
void strata_report_table_ladder(const struct strata_ladder *ladder, struct strata_table *table);

/* All ladders in one table, each below its title. */
void strata_report_table_ladders(const struct strata_ladders *ladders, struct strata_table *table);
void strata_report_table_backends(const struct strata_report *report, struct strata_table *table);
void strata_report_table_steady(const struct strata_report *report, struct strata_table *table);
void strata_report_table_steps(const struct strata_report *report, struct strata_table *table);
void strata_report_table_troubles(const struct strata_report *report, struct strata_table *table);

/* "write, 256 KiB x 8, encrypted (swift-server)" */
void strata_report_ladder_title(const struct strata_ladder *ladder, struct strata_text *out);

#endif
