/* Static charts as inline SVG: no script, no external request, colours from the page's style sheet.
 * Each draws with no item, one item, zeros, and equal values. */
#ifndef STRATA_REPORT_CHARTS_H
#define STRATA_REPORT_CHARTS_H

#include "common/base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* An estimate between two bounds, as fractions; bounds that are not finite are drawn open. */
struct strata_interval {
    char *label; /* owned by the caller, as all texts here */
    double estimate;
    double low;
    double high;
    const char *verdict; /* CSS class: "pass", "fail", "inconclusive" */
};

/* One row an interval, a line at 0 and a dashed one at `margin`. */
void strata_chart_intervals(const struct strata_interval *items, size_t count, double margin,
                            struct strata_text *out);

/* Two bars; values in any unit, at least 0; NAN is no bar. */
struct strata_bar_pair {
    char *label;
    double first;
    double second;
    char first_text[48];
    char second_text[48];
};

/* Bars of each pair relative to its own first value, so that unlike units stand together. */
void strata_chart_pairs(const struct strata_bar_pair *items, size_t count, struct strata_text *out);

/* One step of a waterfall: what is left, and what was there before (NAN: the first step). */
struct strata_step {
    char *label;
    double value;
    double before;
    bool marked;
};

/* Bars from 0; what each step lost in a lighter colour up to the value before. */
void strata_chart_steps(const struct strata_step *items, size_t count, struct strata_text *out);

#endif
