/* Horizontal comparisons in words and numbers: what is faster, never what is lost.
 *
 * Always: a difference is called one only where both bounds show it; what the runs cannot decide is
 * said to be so. */
#include "common/report/versus.h"

#include "common/base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Rounded to what is shown, and never "-0.0". */
static double percent_of(double fraction)
{
    return round(1000 * fraction) / 10 + 0.0;
}

static void add_rate(struct strata_table *table, const struct strata_report_versus *versus,
                     double ops_per_s, double bytes_per_s)
{
    char rate[32] = "";
    if (versus->by_bytes && !isnan(bytes_per_s)) {
        strata_units_format_byte_rate(bytes_per_s, rate, sizeof(rate));
    } else if (!isnan(ops_per_s)) {
        strata_units_format_operation_rate(ops_per_s, rate, sizeof(rate));
    }
    strata_table_add(table, rate);
}

static void add_bounds(struct strata_table *table, const struct strata_report_versus *versus)
{
    if (isnan(versus->change_lower_fraction)) {
        strata_table_add(table, "");
    } else {
        strata_table_format(table, "%.1f to %.1f", percent_of(versus->change_lower_fraction),
                            percent_of(versus->change_upper_fraction));
    }
}

void strata_report_table_versus(const struct strata_report *report, struct strata_table *table)
{
    static const struct strata_column columns[] = {
        {"back ends", false, STRATA_COLUMN_ABOVE}, {"workload", false, STRATA_COLUMN_ABOVE},
        {"phase", false, STRATA_COLUMN_BESIDE},    {"rate", true, STRATA_COLUMN_BESIDE},
        {"against", true, STRATA_COLUMN_BESIDE},   {"change", true, STRATA_COLUMN_BESIDE},
        {"bounds, %", true, STRATA_COLUMN_BESIDE}, {"verdict", false, STRATA_COLUMN_BESIDE},
        {"n", true, STRATA_COLUMN_BESIDE},
    };
    table->columns = columns;
    table->column_count = sizeof(columns) / sizeof(columns[0]);
    for (size_t i = 0; i < report->versus_count; i++) {
        const struct strata_report_versus *versus = &report->versuses[i];
        strata_table_format(table, "%s against %s", versus->backend, versus->against);
        strata_table_add(table, versus->workload);
        strata_table_add(table, versus->phase);
        add_rate(table, versus, versus->ops_per_s, versus->bytes_per_s);
        add_rate(table, versus, versus->against_ops_per_s, versus->against_bytes_per_s);
        strata_table_format(table, "%+.1f %%", percent_of(versus->change_fraction));
        add_bounds(table, versus);
        strata_table_add(table, versus->verdict);
        strata_table_format(table, "%ld", versus->pairs);
    }
}

static bool same_two(const struct strata_report_versus *a, const struct strata_report_versus *b)
{
    return strcmp(a->backend, b->backend) == 0 && strcmp(a->against, b->against) == 0;
}

static void append_one(const struct strata_report_versus *versus, struct strata_text *out)
{
    strata_text_format(out, "%+.1f %%", percent_of(versus->change_fraction));
    if (!isnan(versus->change_lower_fraction)) {
        strata_text_format(out, " (%.1f to %.1f)", percent_of(versus->change_lower_fraction),
                           percent_of(versus->change_upper_fraction));
    }
    strata_text_format(out, ", %s", versus->verdict);
}

static void append_counts(const struct strata_report_versus *first, size_t count,
                          struct strata_text *out)
{
    static const char *const verdicts[] = {"faster", "slower", "no difference shown",
                                           "inconclusive"};
    double least = first->change_fraction;
    double most = first->change_fraction;
    for (size_t i = 1; i < count; i++) {
        least = fmin(least, first[i].change_fraction);
        most = fmax(most, first[i].change_fraction);
    }
    const char *separator = "";
    for (size_t v = 0; v < sizeof(verdicts) / sizeof(verdicts[0]); v++) {
        size_t such = 0;
        for (size_t i = 0; i < count; i++) {
            such += strcmp(first[i].verdict, verdicts[v]) == 0;
        }
        if (such > 0) {
            strata_text_format(out, "%s%s in %zu", separator, verdicts[v], such);
            separator = ", ";
        }
    }
    strata_text_format(out, " of %zu comparisons (%+.1f %% to %+.1f %%)", count, percent_of(least),
                       percent_of(most));
}

size_t strata_report_versus_sentence(const struct strata_report *report, size_t first,
                                     struct strata_text *out)
{
    const struct strata_report_versus *versus = &report->versuses[first];
    size_t count = 1;
    while (first + count < report->versus_count && same_two(versus, versus + count)) {
        count++;
    }
    strata_text_format(out, "%s against %s: ", versus->backend, versus->against);
    if (count == 1) {
        append_one(versus, out);
    } else {
        append_counts(versus, count, out);
    }
    return first + count;
}
