/* The penalty of encryption: for each cell and metric the log ratios of its pairs become an
 * estimate, two bounds and a verdict.
 *
 * Always holds: estimate and bounds are of ln(encrypted) - ln(plain), whatever the metric; only for
 * throughput is there a loss. A latency has the matching margin: it may grow to 1 / (1 - margin),
 * which is the same test on the negated ratios. What a metric costs in CPU is told without a
 * criterion. Leaves to others: the pairs and their ratios (views v_pair, v_pair_cost), the A/A
 * cells' verdict. */
#include "common/analysis/penalty.h"

#include "common/analysis/control.h"
#include "common/analysis/statistics.h"
#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum criterion { CRITERION_RATE, CRITERION_LATENCY, CRITERION_NONE };

#define CELL_COLUMNS                                                                               \
    "pair.workload_id, pair.phase, pair.operation, pair.plain_backend_id,"                         \
    " pair.encrypted_backend_id, pair.cell"
#define RATIOS(ratio, joins)                                                                       \
    "SELECT " CELL_COLUMNS ", " ratio " AS ratio FROM v_pair AS pair " joins                       \
    " WHERE pair.campaign_id = ?1 AND ratio IS NOT NULL ORDER BY " CELL_COLUMNS ", pair.pair_no"

/* The ratios of v_pair_cost, joined so that only the campaign's own runs are looked at. */
#define LATENCY(name, run)                                                                         \
    "JOIN v_latency AS " name " ON " name ".run_id = pair." run " AND " name                       \
    ".phase = pair.phase AND " name ".operation = pair.operation AND " name ".kind = 'response' "
#define LATENCIES LATENCY("plain", "plain_run_id") LATENCY("secret", "encrypted_run_id")
#define RESOURCE(name, run)                                                                        \
    "JOIN v_resource AS " name " ON " name ".run_id = pair." run " AND " name ".phase = "          \
    "pair.phase "
#define RESOURCES RESOURCE("plain", "plain_run_id") RESOURCE("secret", "encrypted_run_id")

static const struct metric {
    const char *name;
    enum criterion criterion;
    const char *sql;
} metrics[] = {
    {"throughput", CRITERION_RATE, RATIOS("pair.log_ratio", "")},
    {"latency_p50", CRITERION_LATENCY, RATIOS("ln(secret.p50_ns) - ln(plain.p50_ns)", LATENCIES)},
    {"latency_p99", CRITERION_LATENCY, RATIOS("ln(secret.p99_ns) - ln(plain.p99_ns)", LATENCIES)},
    {"cpu_ns_per_operation", CRITERION_NONE,
     RATIOS("ln(secret.cpu_ns_per_operation) - ln(plain.cpu_ns_per_operation)", RESOURCES)},
    {"cpu_ns_per_byte", CRITERION_NONE,
     RATIOS("ln(secret.cpu_ns_per_byte) - ln(plain.cpu_ns_per_byte)", RESOURCES)},
};

static const char insert_sql[] =
    "INSERT INTO comparison (campaign_id, workload_id, phase, operation, plain_backend_id,"
    " encrypted_backend_id, cell, metric, method, pairs, estimate, lower_bound, upper_bound,"
    " loss_fraction, loss_optimistic_fraction, loss_pessimistic_fraction, margin_fraction, verdict,"
    " computed_at_us)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'hodges-lehmann', ?9, ?10, ?11, ?12, ?13, ?14, ?15,"
    " ?16, ?17, ?18)";

/* As in the column `cell`. */
enum cell_kind { CELL_PAIR, CELL_CONTROL, CELL_VERSUS, CELL_KINDS };
static const char *const cell_names[CELL_KINDS] = {"pair", "control", "versus"};

/* The cell whose ratios are being gathered. */
struct cell {
    int64_t workload_id;
    char *phase;
    char *operation;
    int64_t plain_id;
    int64_t encrypted_id;
    enum cell_kind kind;
    double *ratios;
    size_t count;
    size_t capacity;
};

static bool same_cell(const struct cell *cell, struct strata_query *row)
{
    return cell->count > 0 && cell->workload_id == strata_query_integer(row, 0) &&
           strcmp(cell->phase, strata_query_text(row, 1)) == 0 &&
           strcmp(cell->operation, strata_query_text(row, 2)) == 0 &&
           cell->plain_id == strata_query_integer(row, 3) &&
           cell->encrypted_id == strata_query_integer(row, 4) &&
           strcmp(cell_names[cell->kind], strata_query_text(row, 5)) == 0;
}

static enum cell_kind find_kind(const char *name)
{
    enum cell_kind kind = CELL_PAIR;
    while (kind + 1 < CELL_KINDS && strcmp(cell_names[kind], name) != 0) {
        kind++;
    }
    return kind;
}

static void begin_cell(struct cell *cell, struct strata_query *row)
{
    free(cell->phase);
    free(cell->operation);
    cell->workload_id = strata_query_integer(row, 0);
    cell->phase = strata_text_duplicate(strata_query_text(row, 1));
    cell->operation = strata_text_duplicate(strata_query_text(row, 2));
    cell->plain_id = strata_query_integer(row, 3);
    cell->encrypted_id = strata_query_integer(row, 4);
    cell->kind = find_kind(strata_query_text(row, 5));
    cell->count = 0;
}

static void add_ratio(struct cell *cell, double ratio)
{
    void *ratios = cell->ratios;
    strata_memory_grow(&ratios, &cell->capacity, cell->count + 1, sizeof(cell->ratios[0]));
    cell->ratios = ratios;
    cell->ratios[cell->count++] = ratio;
}

/* Infinite bounds are no numbers: NULL. */
static void bind_finite(struct strata_query *query, int number, double value)
{
    if (isfinite(value)) {
        strata_query_bind_decimal(query, number, value);
    } else {
        strata_query_bind_text(query, number, NULL);
    }
}

/* Encryption may cost as much as the margin; of two back ends of a kind, what is shown is said. */
static const char *judge(const struct metric *metric, const struct cell *cell, double margin)
{
    if (cell->kind == CELL_CONTROL) {
        return strata_verdict_name(
            strata_control_verdict(cell->ratios, cell->count, margin, margin / 5));
    }
    if (metric->criterion == CRITERION_NONE) {
        return strata_verdict_name(STRATA_VERDICT_INCONCLUSIVE);
    }
    struct strata_loss loss;
    double *ratios = strata_memory_new(cell->count, sizeof(ratios[0]));
    for (size_t i = 0; i < cell->count; i++) {
        ratios[i] = metric->criterion == CRITERION_LATENCY ? -cell->ratios[i] : cell->ratios[i];
    }
    strata_statistics_loss(ratios, cell->count, margin, &loss);
    free(ratios);
    return cell->kind == CELL_VERSUS ? strata_statistics_change(&loss)
                                     : strata_verdict_name(loss.verdict);
}

static enum strata_status store_cell(struct strata_query *insert,
                                     const struct strata_campaign_row *campaign,
                                     const struct metric *metric, const struct cell *cell,
                                     struct strata_error *error)
{
    double estimate;
    double lower;
    double upper;
    strata_statistics_hodges_lehmann(cell->ratios, cell->count, &estimate, &lower, &upper);
    struct strata_loss loss = {.estimate = NAN, .optimistic = NAN, .pessimistic = NAN};
    bool versus = cell->kind == CELL_VERSUS;
    if (metric->criterion == CRITERION_RATE && !versus) {
        strata_statistics_loss(cell->ratios, cell->count, campaign->margin, &loss);
    }
    bool bounded = isfinite(lower);
    strata_query_reset(insert);
    strata_query_bind_integer(insert, 1, campaign->id);
    strata_query_bind_integer(insert, 2, cell->workload_id);
    strata_query_bind_text(insert, 3, cell->phase);
    strata_query_bind_text(insert, 4, cell->operation);
    strata_query_bind_integer(insert, 5, cell->plain_id);
    strata_query_bind_integer(insert, 6, cell->encrypted_id);
    strata_query_bind_text(insert, 7, cell_names[cell->kind]);
    strata_query_bind_text(insert, 8, metric->name);
    strata_query_bind_integer(insert, 9, (int64_t)cell->count);
    strata_query_bind_decimal(insert, 10, estimate);
    bind_finite(insert, 11, lower);
    bind_finite(insert, 12, upper);
    bind_finite(insert, 13, loss.estimate);
    bind_finite(insert, 14, bounded ? loss.optimistic : NAN);
    bind_finite(insert, 15, bounded ? loss.pessimistic : NAN);
    bind_finite(insert, 16, metric->criterion == CRITERION_NONE || versus ? NAN : campaign->margin);
    strata_query_bind_text(insert, 17, judge(metric, cell, campaign->margin));
    strata_query_bind_integer(insert, 18, strata_clock_wall_us());
    (void)strata_query_next(insert);
    return strata_query_status(insert, error);
}

static enum strata_status store_metric(struct strata_store *store, struct strata_query *insert,
                                       const struct strata_campaign_row *campaign,
                                       const struct metric *metric, struct strata_error *error)
{
    struct strata_query *rows = NULL;
    enum strata_status status = strata_query_open(store, metric->sql, &rows, error);
    if (status != STRATA_OK) {
        return status;
    }
    strata_query_bind_integer(rows, 1, campaign->id);
    struct cell cell = {0};
    while (status == STRATA_OK && strata_query_next(rows)) {
        if (!same_cell(&cell, rows)) {
            status =
                cell.count > 0 ? store_cell(insert, campaign, metric, &cell, error) : STRATA_OK;
            begin_cell(&cell, rows);
        }
        add_ratio(&cell, strata_query_decimal(rows, 6));
    }
    if (status == STRATA_OK) {
        status = strata_query_status(rows, error);
    }
    if (status == STRATA_OK && cell.count > 0) {
        status = store_cell(insert, campaign, metric, &cell, error);
    }
    free(cell.phase);
    free(cell.operation);
    free(cell.ratios);
    strata_query_close(rows);
    return status;
}

static enum strata_status remove_old(struct strata_store *store, int64_t campaign_id,
                                     struct strata_error *error)
{
    struct strata_query *query = NULL;
    enum strata_status status =
        strata_query_open(store, "DELETE FROM comparison WHERE campaign_id = ?1", &query, error);
    if (status == STRATA_OK) {
        strata_query_bind_integer(query, 1, campaign_id);
        (void)strata_query_next(query);
        status = strata_query_status(query, error);
        strata_query_close(query);
    }
    return status;
}

enum strata_status strata_penalty_store(struct strata_store *store,
                                        const struct strata_campaign_row *campaign,
                                        struct strata_error *error)
{
    struct strata_query *insert = NULL;
    enum strata_status status = remove_old(store, campaign->id, error);
    if (status == STRATA_OK) {
        status = strata_query_open(store, insert_sql, &insert, error);
    }
    for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]) && status == STRATA_OK; i++) {
        status = store_metric(store, insert, campaign, &metrics[i], error);
    }
    strata_query_close(insert);
    return status;
}
