/* Counts over comparisons and ladders, so that a reader sees the answer before the tables.
 *
 * Always: a comparison that the runs cannot decide is counted as such, never as a pass. */
#include "common/report/summary.h"

#include "common/report/tables.h"

#include <math.h>
#include <string.h>

struct counts {
    size_t cells;
    size_t compared;
    size_t pass, fail, inconclusive, not_comparable;
    double least, most;                     /* estimates of the loss */
    double cpu_least, cpu_most;             /* times the CPU per byte; NAN where none is known */
    const struct strata_report_cell *worst; /* of those that fail */
};

static void count_cell(struct counts *counts, const struct strata_report_cell *cell)
{
    counts->cells++;
    counts->not_comparable += strcmp(cell->verdict, "not comparable") == 0;
    if (isnan(cell->loss_fraction)) {
        return;
    }
    bool first = counts->compared++ == 0;
    bool failed = strcmp(cell->verdict, "fail") == 0;
    counts->least = first ? cell->loss_fraction : fmin(counts->least, cell->loss_fraction);
    counts->most = first ? cell->loss_fraction : fmax(counts->most, cell->loss_fraction);
    counts->cpu_least = fmin(counts->cpu_least, cell->cpu_per_byte_ratio); /* not of a NAN */
    counts->cpu_most = fmax(counts->cpu_most, cell->cpu_per_byte_ratio);
    counts->pass += strcmp(cell->verdict, "pass") == 0;
    counts->fail += failed;
    counts->inconclusive += strcmp(cell->verdict, "inconclusive") == 0;
    if (failed && (counts->worst == NULL || cell->loss_fraction > counts->worst->loss_fraction)) {
        counts->worst = cell;
    }
}

/* Of one layer, or of all (NULL). */
static struct counts count_cells(const struct strata_report *report, const char *layer)
{
    struct counts counts = {.cpu_least = NAN, .cpu_most = NAN};
    for (size_t i = 0; i < report->cell_count; i++) {
        if (layer == NULL || strcmp(report->cells[i].layer, layer) == 0) {
            count_cell(&counts, &report->cells[i]);
        }
    }
    return counts;
}

static const char *layer_words(const char *layer)
{
    return strcmp(layer, "filesystem") == 0 ? "file-system" : layer;
}

static void append_not_comparable(const struct counts *counts, struct strata_text *out)
{
    if (counts->not_comparable > 0) {
        strata_text_format(out,
                           ", and %zu cannot be made, since one of the two cannot do what is asked "
                           "(not comparable)",
                           counts->not_comparable);
    }
}

static void append_counts(const struct strata_report *report, const struct counts *counts,
                          bool layer_too, struct strata_text *out)
{
    const struct strata_report_cell *worst = counts->worst;
    strata_text_format(out,
                       "in %zu of %zu comparisons encryption costs more than the margin of %.0f %%",
                       counts->fail, counts->compared, 100 * report->campaign.margin);
    if (worst != NULL) {
        char loss[32];
        strata_report_percent(worst->loss_fraction, loss, sizeof(loss));
        strata_text_format(out, " (most: %s of throughput, %s%s%s, %s, %s", loss,
                           layer_too ? layer_words(worst->layer) : "", layer_too ? " layer, " : "",
                           worst->encrypted, worst->workload, worst->title);
        if (!isnan(worst->cpu_per_byte_ratio)) {
            strata_text_format(out, ", at %.1f times the CPU per byte", worst->cpu_per_byte_ratio);
        }
        strata_text_append(out, ")");
    }
    strata_text_format(out, ", in %zu it does not", counts->pass);
    if (counts->inconclusive > 0) {
        strata_text_format(
            out, ", in %zu the runs are too few or differ too much to tell (inconclusive)",
            counts->inconclusive);
    }
    append_not_comparable(counts, out);
}

/* Whether one back end was held against another there. */
static bool is_held_against(const struct strata_report *report, const char *layer)
{
    for (size_t i = 0; i < report->versus_count; i++) {
        if (strcmp(report->versuses[i].layer, layer) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether something was tried there, and no rate came of it. */
static bool is_troubled(const struct strata_report *report, const char *layer)
{
    for (size_t i = 0; i < report->trouble_count; i++) {
        if (strcmp(report->troubles[i].layer, layer) == 0) {
            return true;
        }
    }
    return false;
}

const char *strata_report_nothing(const struct strata_report *report, const char *layer)
{
    bool memory = strcmp(layer, "device") == 0 && report->baseline_count > 0;
    if (is_held_against(report, layer)) {
        return memory ? "no run but those of one back end against another, and what ran in memory"
                      : "no run but those of one back end against another";
    }
    return memory                       ? "no run but what ran in memory"
           : is_troubled(report, layer) ? "no valid run"
                                        : "no run";
}

/* "at 1.2 to 3.1 times the CPU per byte" */
static void append_cpu(const struct counts *counts, struct strata_text *out)
{
    if (isnan(counts->cpu_most)) {
        return;
    }
    strata_text_format(out, ", at %.1f", counts->cpu_least);
    if (counts->cpu_most - counts->cpu_least > 0.05) {
        strata_text_format(out, " to %.1f", counts->cpu_most);
    }
    strata_text_append(out, " times the CPU per byte");
}

void strata_report_summary(const struct strata_report *report, const char *layer,
                           struct strata_text *out)
{
    struct counts counts = count_cells(report, layer);
    char low[32];
    char high[32];
    if (counts.compared == 0) {
        strata_text_append(out, counts.cells == 0 ? strata_report_nothing(report, layer)
                                                  : "nothing compared with an encrypted twin");
        append_not_comparable(&counts, out);
        return;
    }
    append_counts(report, &counts, false, out);
    strata_report_percent(counts.least, low, sizeof(low));
    strata_report_percent(counts.most, high, sizeof(high));
    strata_text_format(out, "; estimated losses %s to %s", low, high);
    append_cpu(&counts, out);
}

bool strata_report_compares(const struct strata_report *report)
{
    return count_cells(report, NULL).compared > 0;
}

void strata_report_answer_encryption(const struct strata_report *report, struct strata_text *out)
{
    struct counts counts = count_cells(report, NULL);
    if (counts.compared > 0) {
        append_counts(report, &counts, true, out);
    }
}

/* Ladders of at least two layers, and of those the ones that `layer` holds back (NULL: any does).
 */
static size_t count_ladders(const struct strata_report *report, const char *layer, size_t *ret_all)
{
    size_t held = 0;
    *ret_all = 0;
    for (size_t i = 0; i < report->ladders.count; i++) {
        const struct strata_ladder *ladder = &report->ladders.items[i];
        const struct strata_rung *rung = strata_ladder_bottleneck(ladder);
        *ret_all += ladder->rung_count > 1;
        held += rung != NULL && (layer == NULL || strcmp(rung->layer, layer) == 0);
    }
    return held;
}

void strata_report_answer_bottleneck(const struct strata_report *report, struct strata_text *out)
{
    size_t all = 0;
    size_t held = count_ladders(report, NULL, &all);
    for (size_t layer = 0; layer < 4; layer++) {
        const char *name = strata_report_layers[layer].name;
        size_t count = count_ladders(report, name, &all);
        if (count > 0) {
            strata_text_format(out, "%sthe %s layer on %zu of %zu ladders",
                               out->length > 0 ? ", " : "", layer_words(name), count, all);
        }
    }
    if (all > held) {
        strata_text_format(out, "%sno layer on %zu of %zu ladders", out->length > 0 ? ", " : "",
                           all - held, all);
    }
}
