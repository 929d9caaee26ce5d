/* Whether the machine was steady enough for its comparisons to mean anything.
 *
 * Several phases of one pair share what disturbs them, and each more test would raise more false
 * alarms; so the phases of a pair are averaged, and the cells are judged together against a fifth
 * of the margin, alone only against the whole of it. */
#include "common/analysis/control.h"

#include "common/base/memory.h"
#include "common/base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum strata_verdict strata_control_verdict(const double *log_ratios, size_t n, double margin,
                                           double negligible)
{
    double estimate;
    double lower;
    double upper;
    if (n == 0 || !strata_statistics_hodges_lehmann(log_ratios, n, &estimate, &lower, &upper)) {
        return STRATA_VERDICT_INCONCLUSIVE;
    }
    if ((lower > 0 || upper < 0) && fabs(expm1(estimate)) > negligible) {
        return STRATA_VERDICT_FAIL;
    }
    bool within = lower >= log1p(-margin) && upper <= -log1p(-margin);
    return within ? STRATA_VERDICT_PASS : STRATA_VERDICT_INCONCLUSIVE;
}

static const char pairs_sql[] =
    "SELECT layer, avg(log_ratio) FROM v_pair"
    " WHERE campaign_id = ?1 AND cell = 'control' AND log_ratio IS NOT NULL"
    " GROUP BY layer, workload_id, plain_backend_id, pair_no ORDER BY layer";

struct layer_pairs {
    char layer[16];
    size_t first;
    size_t count;
};

struct control {
    double *ratios; /* of every layer, layer after layer */
    size_t count;
    size_t capacity;
    struct layer_pairs layers[4];
    size_t layer_count;
};

static void add(struct control *control, const char *layer, double ratio)
{
    void *ratios = control->ratios;
    strata_memory_grow(&ratios, &control->capacity, control->count + 1, sizeof(double));
    control->ratios = ratios;
    struct layer_pairs *last =
        control->layer_count > 0 ? &control->layers[control->layer_count - 1] : NULL;
    if (last == NULL || strcmp(last->layer, layer) != 0) {
        last = &control->layers[control->layer_count++];
        (void)snprintf(last->layer, sizeof(last->layer), "%s", layer);
        last->first = control->count;
        last->count = 0;
    }
    last->count++;
    control->ratios[control->count++] = ratio;
}

static enum strata_status read_pairs(struct strata_store *store, int64_t campaign_id,
                                     struct control *control, struct strata_error *error)
{
    struct strata_query *query = NULL;
    enum strata_status status = strata_query_open(store, pairs_sql, &query, error);
    if (status != STRATA_OK) {
        return status;
    }
    strata_query_bind_integer(query, 1, campaign_id);
    while (strata_query_next(query)) {
        add(control, strata_query_text(query, 0), strata_query_decimal(query, 1));
    }
    status = strata_query_status(query, error);
    strata_query_close(query);
    return status;
}

/* Of a log ratio, to one decimal and never "-0.0". */
static double percent(double log_ratio)
{
    return round(1000 * expm1(log_ratio)) / 10 + 0.0;
}

/* "A/A cells: -0.4 % (-2.1 % to 1.0 %), 10 pairs" */
static void describe(const double *ratios, size_t n, const char *what, struct strata_text *out)
{
    double estimate;
    double lower;
    double upper;
    bool bounded = strata_statistics_hodges_lehmann(ratios, n, &estimate, &lower, &upper);
    strata_text_format(out, "%s: plain against plain differ by %.1f %%", what, percent(estimate));
    if (bounded) {
        strata_text_format(out, " (%.1f to %.1f %%)", percent(lower), percent(upper));
    }
    strata_text_format(out, ", %zu pairs", n);
}

static enum strata_verdict judge(const struct control *control, double margin,
                                 struct strata_text *reason)
{
    for (size_t i = 0; i < control->layer_count; i++) {
        const struct layer_pairs *layer = &control->layers[i];
        const double *ratios = control->ratios + layer->first;
        if (strata_control_verdict(ratios, layer->count, margin, margin) == STRATA_VERDICT_FAIL) {
            describe(ratios, layer->count, layer->layer, reason);
            return STRATA_VERDICT_FAIL;
        }
    }
    enum strata_verdict verdict =
        strata_control_verdict(control->ratios, control->count, margin, margin / 5);
    describe(control->ratios, control->count, "A/A cells", reason);
    if (verdict == STRATA_VERDICT_INCONCLUSIVE) {
        strata_text_append(reason, control->count < 5
                                       ? "; at least 5 are needed"
                                       : "; a loss as large as the margin could go unseen");
    }
    return verdict;
}

static enum strata_status write_verdict(struct strata_store *store, int64_t campaign_id,
                                        const char *verdict, const char *reason,
                                        struct strata_error *error)
{
    struct strata_query *query = NULL;
    enum strata_status status = strata_query_open(
        store, "UPDATE campaign SET control_verdict = ?2, control_reason = ?3 WHERE id = ?1",
        &query, error);
    if (status == STRATA_OK) {
        strata_query_bind_integer(query, 1, campaign_id);
        strata_query_bind_text(query, 2, verdict);
        strata_query_bind_text(query, 3, reason);
        (void)strata_query_next(query);
        status = strata_query_status(query, error);
        strata_query_close(query);
    }
    return status;
}

enum strata_status strata_control_store(struct strata_store *store,
                                        const struct strata_campaign_row *campaign,
                                        struct strata_error *error)
{
    struct control control = {0};
    struct strata_text reason = {0};
    enum strata_status status = read_pairs(store, campaign->id, &control, error);
    if (status == STRATA_OK && control.count == 0) {
        status = write_verdict(store, campaign->id, NULL, NULL, error);
    } else if (status == STRATA_OK) {
        const char *verdict = strata_verdict_name(judge(&control, campaign->margin, &reason));
        status = write_verdict(store, campaign->id, verdict, strata_text_string(&reason), error);
    }
    free(control.ratios);
    strata_text_done(&reason);
    return status;
}
