/* From the model to cells of text: which columns there are and how each number is written. */
#include "common/report/tables.h"

#include "common/base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

const struct strata_report_layer strata_report_layers[4] = {
    {"device", "Device layer"},
    {"filesystem", "File-system layer"},
    {"service", "Service layer"},
    {"user", "User layer"},
};

/* Rounded to what is shown, and never "-0.0". */
static double percent_of(double fraction)
{
    return round(1000 * fraction) / 10 + 0.0;
}

void strata_report_percent(double fraction, char *buffer, size_t size)
{
    if (!isfinite(fraction)) {
        buffer[0] = '\0';
        return;
    }
    (void)snprintf(buffer, size, "%.1f %%", percent_of(fraction));
}

static void format_rate(double ops_per_s, double bytes_per_s, bool by_bytes, char *buffer,
                        size_t size)
{
    buffer[0] = '\0';
    if (by_bytes && !isnan(bytes_per_s)) {
        strata_units_format_byte_rate(bytes_per_s, buffer, size);
    } else if (!isnan(ops_per_s)) {
        strata_units_format_operation_rate(ops_per_s, buffer, size);
    }
}

void strata_report_rate(const struct strata_report_cell *cell, bool encrypted, char *buffer,
                        size_t size)
{
    format_rate(encrypted ? cell->encrypted_ops_per_s : cell->plain_ops_per_s,
                encrypted ? cell->encrypted_bytes_per_s : cell->plain_bytes_per_s, cell->by_bytes,
                buffer, size);
}

/* "12 us / 31 us": plain and encrypted; one alone where there is no twin; nothing when unknown. */
static void add_durations(struct strata_table *table, const struct strata_report_cell *cell,
                          double plain_ns, double encrypted_ns)
{
    const double values_ns[] = {plain_ns, encrypted_ns};
    const char *const names[] = {cell->plain, cell->encrypted};
    struct strata_text text = {0};
    for (size_t i = 0; i < 2 && !(isnan(plain_ns) && isnan(encrypted_ns)); i++) {
        char duration[32] = "-";
        if (!isnan(values_ns[i])) {
            strata_units_format_duration((uint64_t)values_ns[i], duration, sizeof(duration));
        }
        if (names[i] != NULL) {
            strata_text_format(&text, "%s%s", text.length > 0 ? " / " : "", duration);
        }
    }
    strata_table_add(table, strata_text_string(&text));
    strata_text_done(&text);
}

static void add_loss(struct strata_table *table, const struct strata_report_cell *cell)
{
    char loss[32];
    strata_report_percent(cell->loss_fraction, loss, sizeof(loss));
    strata_table_add(table, loss);
    if (isfinite(cell->loss_optimistic_fraction)) {
        strata_table_format(table, "%.1f to %.1f", percent_of(cell->loss_optimistic_fraction),
                            percent_of(cell->loss_pessimistic_fraction));
    } else {
        strata_table_add(table, "");
    }
}

static void add_runs(struct strata_table *table, const struct strata_report_cell *cell)
{
    bool twins = cell->plain != NULL && cell->encrypted != NULL;
    strata_table_format(table, "%ld",
                        twins ? cell->pairs : cell->plain_runs + cell->encrypted_runs);
    if (isnan(cell->cpu_per_byte_ratio)) {
        strata_table_add(table, "");
    } else {
        strata_table_format(table, "x %.2f", cell->cpu_per_byte_ratio);
    }
    if (cell->bad_runs > 0) {
        strata_table_format(table, "%ld", cell->bad_runs);
    } else {
        strata_table_add(table, "");
    }
}

/* "disk / disk-luks (proof: functional)": how it is known that one of the two is encrypted. */
static void add_backends(struct strata_table *table, const struct strata_report_cell *cell)
{
    bool known = cell->encrypted != NULL && cell->proof[0] != '\0';
    strata_table_format(table, "%s%s%s%s%s%s", cell->plain != NULL ? cell->plain : "",
                        cell->plain != NULL && cell->encrypted != NULL ? " / " : "",
                        cell->encrypted != NULL ? cell->encrypted : "", known ? " (proof: " : "",
                        known ? cell->proof : "", known ? ")" : "");
}

void strata_report_table_cells(const struct strata_report *report, const char *layer,
                               struct strata_table *table)
{
    static const struct strata_column columns[] = {
        {"back ends", false, STRATA_COLUMN_ABOVE}, {"workload", false, STRATA_COLUMN_ABOVE},
        {"phase", false, STRATA_COLUMN_BESIDE},    {"plain", true, STRATA_COLUMN_BESIDE},
        {"encrypted", true, STRATA_COLUMN_BESIDE}, {"loss", true, STRATA_COLUMN_BESIDE},
        {"bounds, %", true, STRATA_COLUMN_BESIDE}, {"verdict", false, STRATA_COLUMN_BESIDE},
        {"n", true, STRATA_COLUMN_BESIDE},         {"CPU per byte", true, STRATA_COLUMN_SPARE},
        {"bad", true, STRATA_COLUMN_SPARE},        {"p50", true, STRATA_COLUMN_SPARE},
        {"p99", true, STRATA_COLUMN_SPARE},        {"CPU per op", true, STRATA_COLUMN_SPARE},
    };
    table->columns = columns;
    table->column_count = COUNT_OF(columns);
    for (size_t i = 0; i < report->cell_count; i++) {
        const struct strata_report_cell *cell = &report->cells[i];
        char rate[32];
        if (strcmp(cell->layer, layer) != 0) {
            continue;
        }
        add_backends(table, cell);
        strata_table_add(table, cell->workload);
        strata_table_add(table, cell->title);
        strata_report_rate(cell, false, rate, sizeof(rate));
        strata_table_add(table, rate);
        strata_report_rate(cell, true, rate, sizeof(rate));
        strata_table_add(table, rate);
        add_loss(table, cell);
        strata_table_add(table, cell->verdict);
        add_runs(table, cell);
        add_durations(table, cell, cell->plain_p50_ns, cell->encrypted_p50_ns);
        add_durations(table, cell, cell->plain_p99_ns, cell->encrypted_p99_ns);
        add_durations(table, cell, cell->plain_cpu_ns, cell->encrypted_cpu_ns);
    }
}

static void add_whole_percent(struct strata_table *table, double fraction, const char *after)
{
    if (isnan(fraction)) {
        strata_table_add(table, "");
    } else {
        strata_table_format(table, "%.0f %%%s", 100 * fraction, after);
    }
}

static void add_notes(struct strata_table *table, const struct strata_ladder *ladder,
                      const struct strata_rung *rung)
{
    bool bottleneck = rung == strata_ladder_bottleneck(ladder);
    strata_table_add(table, rung->contradicted ? "<- contradiction"
                            : bottleneck       ? "<- bottleneck"
                                               : "");
    strata_table_add(table, rung->assumed ? "assumed" : "");
}

static const struct strata_column ladder_columns[] = {
    {"ladder", false, STRATA_COLUMN_ABOVE}, /* only where several are one table */
    {"layer", false, STRATA_COLUMN_BESIDE},
    {"back end", false, STRATA_COLUMN_BESIDE},
    {"rate", true, STRATA_COLUMN_BESIDE},
    {"efficiency", true, STRATA_COLUMN_BESIDE},
    {"share", true, STRATA_COLUMN_SPARE},
    {"loss", true, STRATA_COLUMN_BESIDE},
    {"CPU busy", true, STRATA_COLUMN_SPARE},
    {"busiest disk", true, STRATA_COLUMN_SPARE},
    {"amplification", true, STRATA_COLUMN_SPARE},
    {"n", true, STRATA_COLUMN_SPARE},
    {"", false, STRATA_COLUMN_BESIDE},
    {"stands on it", false, STRATA_COLUMN_SPARE},
};

static void add_rung(struct strata_table *table, const struct strata_ladder *ladder,
                     const struct strata_rung *rung)
{
    char text[64];
    strata_table_add(table, rung->layer);
    strata_table_add(table, rung->backend);
    format_rate(rung->ops_per_s, rung->bytes_per_s, true, text, sizeof(text));
    strata_table_add(table, text);
    add_whole_percent(table, rung->efficiency, "");
    add_whole_percent(table, rung->share, "");
    strata_report_percent(rung->loss_fraction, text, sizeof(text));
    strata_table_add(table, text);
    add_whole_percent(table, rung->cpu_busy_fraction, "");
    (void)snprintf(text, sizeof(text), " %s", rung->disk);
    add_whole_percent(table, rung->disk_busy_fraction, text);
    if (isnan(rung->amplification)) {
        strata_table_add(table, "");
    } else {
        strata_table_format(table, "%.2f", rung->amplification);
    }
    strata_table_format(table, "%ld", rung->runs);
    add_notes(table, ladder, rung);
}

void strata_report_table_ladder(const struct strata_ladder *ladder, struct strata_table *table)
{
    table->columns = ladder_columns + 1;
    table->column_count = COUNT_OF(ladder_columns) - 1;
    for (size_t i = 0; i < ladder->rung_count; i++) {
        add_rung(table, ladder, &ladder->rungs[i]);
    }
}

void strata_report_table_ladders(const struct strata_ladders *ladders, struct strata_table *table)
{
    table->columns = ladder_columns;
    table->column_count = COUNT_OF(ladder_columns);
    for (size_t l = 0; l < ladders->count; l++) {
        struct strata_text title = {0};
        strata_report_ladder_title(&ladders->items[l], &title);
        for (size_t i = 0; i < ladders->items[l].rung_count; i++) {
            strata_table_add(table, strata_text_string(&title));
            add_rung(table, &ladders->items[l], &ladders->items[l].rungs[i]);
        }
        strata_text_done(&title);
    }
}

void strata_report_table_backends(const struct strata_report *report, struct strata_table *table)
{
    static const struct strata_column columns[] = {
        {"back end", false, STRATA_COLUMN_BESIDE}, {"layer", false, STRATA_COLUMN_SPARE},
        {"location", false, STRATA_COLUMN_BESIDE}, {"encryption", false, STRATA_COLUMN_BESIDE},
        {"proof", false, STRATA_COLUMN_BESIDE},    {"evidence", false, STRATA_COLUMN_BELOW},
    };
    table->columns = columns;
    table->column_count = COUNT_OF(columns);
    for (size_t i = 0; i < report->backend_count; i++) {
        const struct strata_report_backend *backend = &report->backends[i];
        strata_table_add(table, backend->name);
        strata_table_add(table, backend->layer);
        strata_table_add(table, backend->location);
        strata_table_add(table, backend->encryption);
        strata_table_add(table, backend->proof);
        strata_table_add(table, backend->evidence);
    }
}

void strata_report_table_steady(const struct strata_report *report, struct strata_table *table)
{
    static const struct strata_column columns[] = {
        {"workload", false, STRATA_COLUMN_ABOVE},  {"back end", false, STRATA_COLUMN_BESIDE},
        {"steady", false, STRATA_COLUMN_BESIDE},   {"rate", true, STRATA_COLUMN_BESIDE},
        {"range", true, STRATA_COLUMN_BESIDE},     {"slope", true, STRATA_COLUMN_BESIDE},
        {"procedure", false, STRATA_COLUMN_BELOW},
    };
    table->columns = columns;
    table->column_count = COUNT_OF(columns);
    for (size_t i = 0; i < report->steady_count; i++) {
        const struct strata_report_steady *steady = &report->steadies[i];
        char rate[32];
        format_rate(steady->ops_per_s, steady->bytes_per_s, steady->by_bytes, rate, sizeof(rate));
        strata_table_add(table, steady->workload);
        strata_table_add(table, steady->backend);
        strata_table_format(
            table, steady->reached ? "steady after round %ld" : "not reached in %ld rounds",
            steady->rounds);
        strata_table_add(table, rate);
        add_whole_percent(table, steady->range_fraction, "");
        add_whole_percent(table, steady->slope_fraction, "");
        strata_table_add(table, steady->procedure);
    }
}

void strata_report_table_steps(const struct strata_report *report, struct strata_table *table)
{
    static const struct strata_column columns[] = {
        {"workload", false, STRATA_COLUMN_ABOVE}, {"back end", false, STRATA_COLUMN_BESIDE},
        {"phase", false, STRATA_COLUMN_BESIDE},   {"at", true, STRATA_COLUMN_BESIDE},
        {"before", true, STRATA_COLUMN_BESIDE},   {"after", true, STRATA_COLUMN_BESIDE},
    };
    table->columns = columns;
    table->column_count = COUNT_OF(columns);
    for (size_t i = 0; i < report->step_count; i++) {
        const struct strata_report_step *step = &report->steps[i];
        char rate[32];
        strata_table_add(table, step->workload);
        strata_table_add(table, step->backend);
        strata_table_add(table, step->phase);
        strata_table_format(table, "%.1f s", step->at_s);
        format_rate(step->before_ops_per_s, step->before_bytes_per_s, step->by_bytes, rate,
                    sizeof(rate));
        strata_table_add(table, rate);
        format_rate(step->after_ops_per_s, step->after_bytes_per_s, step->by_bytes, rate,
                    sizeof(rate));
        strata_table_add(table, rate);
    }
}

void strata_report_table_troubles(const struct strata_report *report, struct strata_table *table)
{
    static const struct strata_column columns[] = {
        {"layer", false, STRATA_COLUMN_BESIDE},    {"workload", false, STRATA_COLUMN_ABOVE},
        {"back end", false, STRATA_COLUMN_BESIDE}, {"status", false, STRATA_COLUMN_BESIDE},
        {"runs", true, STRATA_COLUMN_BESIDE},      {"reason", false, STRATA_COLUMN_BELOW},
    };
    table->columns = columns;
    table->column_count = COUNT_OF(columns);
    for (size_t i = 0; i < report->trouble_count; i++) {
        const struct strata_report_trouble *trouble = &report->troubles[i];
        strata_table_add(table, trouble->layer);
        strata_table_add(table, trouble->workload);
        strata_table_add(table, trouble->backend);
        strata_table_add(table, trouble->status);
        strata_table_format(table, "%ld", trouble->runs);
        strata_table_add(table, trouble->reason);
    }
}

void strata_report_ladder_title(const struct strata_ladder *ladder, struct strata_text *out)
{
    char size[32];
    char *rest = NULL;
    unsigned long long bytes = strtoull(ladder->match_key, &rest, 10);
    strata_text_format(out, "%s, ", ladder->phase);
    if (rest != NULL && strncmp(rest, " B", 2) == 0) {
        strata_units_format_size(bytes, size, sizeof(size));
        strata_text_format(out, "%s%s", size, rest + 2);
    } else {
        strata_text_append(out, ladder->match_key);
    }
    strata_text_format(out, ", %s (%s)", ladder->encrypted ? "encrypted" : "plain", ladder->chain);
}
