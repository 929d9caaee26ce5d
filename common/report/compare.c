/* Two campaigns or two back ends, the base first: change, bounds, verdict, geometric mean.
 *
 * Runs with the same number are paired. Where they were not interleaved (two campaigns) the pairing
 * cancels no drift, but the test stays valid: differences of independent runs are symmetric too. */
#include "common/analysis/statistics.h"
#include "common/base/embedded.h"
#include "common/base/memory.h"
#include "common/base/units.h"
#include "common/report/contestants.h"
#include "common/report/escape.h"
#include "common/report/report.h"
#include "common/report/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BASE, OTHER, SIDES };

struct series {
    double *values;
    size_t count;
    size_t capacity;
};

static void add_value(struct series *series, double value)
{
    void *values = series->values;
    strata_memory_grow(&values, &series->capacity, series->count + 1, sizeof(double));
    series->values = values;
    series->values[series->count++] = value;
}

/* The rows of one workload and phase. */
struct cell {
    char *key; /* "layer\nbackends\nworkload\nphase" */
    bool by_bytes;
    struct series rates[SIDES];
    int64_t workload_ids[SIDES]; /* where there are rates */
    struct series log_ratios;
};

struct comparison {
    struct strata_store *store;
    double margin;
    struct strata_table table;
    struct series estimates; /* of the cells that have pairs */
    size_t verdicts[3];
    size_t not_comparable; /* cells without a valid run of both */
};

static const struct strata_column columns[] = {
    {"layer", false, STRATA_COLUMN_ABOVE},    {"back end", false, STRATA_COLUMN_ABOVE},
    {"workload", false, STRATA_COLUMN_ABOVE}, {"phase", false, STRATA_COLUMN_BESIDE},
    {"base", true, STRATA_COLUMN_BESIDE},     {"new", true, STRATA_COLUMN_BESIDE},
    {"change", true, STRATA_COLUMN_BESIDE},   {"bounds", true, STRATA_COLUMN_BESIDE},
    {"n", true, STRATA_COLUMN_BESIDE},        {"verdict", false, STRATA_COLUMN_BESIDE},
    {"why", false, STRATA_COLUMN_BELOW},
};

/* In what two workloads of the same name differ. ?1 and ?2: their ids. */
static const char difference_sql[] =
    "WITH side AS (SELECT id = ?2 AS new, * FROM workload WHERE id IN (?1, ?2)),"
    " fact AS (SELECT new, json_each.key AS name, json_each.value AS value"
    "            FROM side JOIN json_each(side.parameters)"
    "          UNION ALL SELECT new, 'element', element FROM side"
    "          UNION ALL SELECT new, 'block_bytes', block_bytes FROM side"
    "          UNION ALL SELECT new, 'rate_per_s', rate_per_s FROM side),"
    " pair AS (SELECT name, max(value) FILTER (WHERE NOT new) AS base,"
    "                 max(value) FILTER (WHERE new) AS other FROM fact GROUP BY name)"
    " SELECT group_concat(name || ' ' || coalesce(base, 'not set') || ' against '"
    "   || coalesce(other, 'not set'), ', ') FROM pair WHERE base IS NOT other";

static void add_rate(struct comparison *comparison, const struct cell *cell, int side)
{
    char buffer[32] = "-";
    const struct series *rates = &cell->rates[side];
    if (rates->count > 0) {
        double median = strata_statistics_median(rates->values, rates->count);
        if (cell->by_bytes) {
            strata_units_format_byte_rate(median, buffer, sizeof(buffer));
        } else {
            strata_units_format_operation_rate(median, buffer, sizeof(buffer));
        }
    }
    strata_table_add(&comparison->table, buffer);
}

/* "~" where no difference is shown: both one-sided bounds must be on the same side of 0. */
static void add_change(struct comparison *comparison, const struct strata_loss *loss)
{
    if (loss->pairs == 0) {
        strata_table_add(&comparison->table, "");
        strata_table_add(&comparison->table, "");
        return;
    }
    bool bounded = isfinite(loss->optimistic);
    bool shown = bounded && (loss->optimistic > 0 || loss->pessimistic < 0);
    strata_table_format(&comparison->table, "%s%+.1f %%", bounded && !shown ? "~ " : "",
                        -100 * loss->estimate);
    if (bounded) {
        strata_table_format(&comparison->table, "%+.1f to %+.1f %%", -100 * loss->pessimistic,
                            -100 * loss->optimistic);
    } else {
        strata_table_add(&comparison->table, "");
    }
}

static void append_difference(struct strata_store *store, const int64_t *workload_ids,
                              struct strata_text *out)
{
    struct strata_query *query = NULL;
    struct strata_error ignored = {0}; /* the reason stays without particulars */
    if (strata_query_open(store, difference_sql, &query, &ignored) != STRATA_OK) {
        return;
    }
    strata_query_bind_integer(query, 1, workload_ids[BASE]);
    strata_query_bind_integer(query, 2, workload_ids[OTHER]);
    if (strata_query_next(query) && !strata_query_is_null(query, 0)) {
        strata_text_format(out, ": %s", strata_query_text(query, 0));
    }
    strata_query_close(query);
}

/* Why nothing of the cell can be compared. */
static void add_reason(struct comparison *comparison, const struct cell *cell)
{
    struct strata_text why = {0};
    if (cell->rates[BASE].count == 0 || cell->rates[OTHER].count == 0) {
        strata_text_format(&why, "no valid run of %s",
                           cell->rates[BASE].count == 0 ? "base" : "new");
    } else if (cell->workload_ids[BASE] == cell->workload_ids[OTHER]) {
        strata_text_append(&why, "no number that a valid run of both has");
    } else {
        strata_text_append(&why, "another workload");
        append_difference(comparison->store, cell->workload_ids, &why);
    }
    strata_table_add(&comparison->table, strata_text_string(&why));
    strata_text_done(&why);
}

static void finish_cell(struct comparison *comparison, struct cell *cell)
{
    struct strata_loss loss;
    strata_statistics_loss(cell->log_ratios.values, cell->log_ratios.count, comparison->margin,
                           &loss);
    bool comparable = loss.pairs > 0;
    if (comparable) {
        add_value(&comparison->estimates, log1p(-loss.estimate));
    }
    comparison->verdicts[loss.verdict] += comparable;
    comparison->not_comparable += !comparable;
    char *rest = cell->key;
    for (char *part; (part = strsep(&rest, "\n")) != NULL;) {
        strata_table_add(&comparison->table, part);
    }
    add_rate(comparison, cell, BASE);
    add_rate(comparison, cell, OTHER);
    add_change(comparison, &loss);
    strata_table_format(&comparison->table, "%zu", loss.pairs);
    strata_table_add(&comparison->table,
                     comparable ? strata_verdict_name(loss.verdict) : "not comparable");
    if (comparable) {
        strata_table_add(&comparison->table, "");
    } else {
        add_reason(comparison, cell);
    }
    free(cell->key);
    cell->key = NULL;
    cell->rates[BASE].count = cell->rates[OTHER].count = cell->log_ratios.count = 0;
}

/* A name with a line break in it would break the key. */
static char *key_of(struct strata_query *row)
{
    static const int parts[] = {0, 6, 7, 2, 4, 5};
    struct strata_text key = {0};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        const char *text = strata_query_text(row, parts[i]);
        bool twin = parts[i] == 7;
        bool operation = parts[i] == 5;
        if (operation && strcmp(text, strata_query_text(row, 4)) == 0) {
            continue;
        }
        strata_text_append(&key, i == 0 || (twin && text[0] == '\0') ? ""
                                 : twin                              ? " beside "
                                 : operation                         ? " "
                                                                     : "\n");
        for (const char *at = text; *at != '\0'; at++) {
            strata_text_append_bytes(&key, *at == '\n' ? " " : at, 1);
        }
    }
    char *copy = strata_text_duplicate(strata_text_string(&key));
    strata_text_done(&key);
    return copy;
}

static void add_row(struct cell *cell, struct strata_query *row)
{
    int rate_column[SIDES] = {8, 9};
    double rates[SIDES] = {0};
    cell->by_bytes = strata_query_integer(row, 3) >= 65536;
    for (int side = 0; side < SIDES; side++) {
        if (!strata_query_is_null(row, rate_column[side])) {
            rates[side] = strata_query_decimal(row, rate_column[side]);
            cell->workload_ids[side] = strata_query_integer(row, 1);
            add_value(&cell->rates[side], cell->by_bytes
                                              ? strata_query_decimal(row, rate_column[side] + 2)
                                              : rates[side]);
        }
    }
    if (rates[BASE] > 0 && rates[OTHER] > 0) {
        add_value(&cell->log_ratios, log(rates[OTHER]) - log(rates[BASE]));
    }
}

static void read_cells(struct comparison *comparison, struct strata_query *rows)
{
    struct cell cell = {0};
    while (strata_query_next(rows)) {
        char *key = key_of(rows);
        if (cell.key != NULL && strcmp(cell.key, key) != 0) {
            finish_cell(comparison, &cell);
        }
        if (cell.key == NULL) {
            cell.key = key;
        } else {
            free(key);
        }
        add_row(&cell, rows);
    }
    if (cell.key != NULL) {
        finish_cell(comparison, &cell);
    }
    free(cell.rates[BASE].values);
    free(cell.rates[OTHER].values);
    free(cell.log_ratios.values);
}

static void bind_contestant(struct strata_query *query, int number,
                            const struct strata_contestant *contestant)
{
    strata_query_bind_integer(query, number, contestant->campaign_id);
    if (contestant->backend_id != 0) {
        strata_query_bind_integer(query, number + 1, contestant->backend_id);
    } else {
        strata_query_bind_text(query, number + 1, NULL);
    }
}

static void write_comparison(const struct comparison *comparison,
                             const struct strata_contestants *contestants, struct strata_text *out)
{
    strata_text_append(out, "base: ");
    strata_escape_terminal(out, contestants->base.label);
    strata_text_append(out, "\nnew:  ");
    strata_escape_terminal(out, contestants->other.label);
    strata_text_append(out, "\n\n");
    (void)strata_table_write_text(&comparison->table, 0, 0, out);
    if (comparison->estimates.count > 0) {
        double sum = 0;
        for (size_t i = 0; i < comparison->estimates.count; i++) {
            sum += comparison->estimates.values[i];
        }
        strata_text_format(out, "\ngeometric mean of %zu changes: %+.1f %%\n",
                           comparison->estimates.count,
                           100 * expm1(sum / (double)comparison->estimates.count));
    }
    strata_text_format(out,
                       "%s%zu pass, %zu fail, %zu inconclusive, %zu not comparable, margin %.0f "
                       "%%; ~: no difference shown; bounds one-sided 95 %%\n",
                       comparison->estimates.count > 0 ? "" : "nothing to compare: ",
                       comparison->verdicts[STRATA_VERDICT_PASS],
                       comparison->verdicts[STRATA_VERDICT_FAIL],
                       comparison->verdicts[STRATA_VERDICT_INCONCLUSIVE],
                       comparison->not_comparable, 100 * comparison->margin);
}

static int verdict_code(const struct comparison *comparison)
{
    if (comparison->verdicts[STRATA_VERDICT_FAIL] > 0) {
        return 1;
    }
    bool undecided = comparison->verdicts[STRATA_VERDICT_INCONCLUSIVE] > 0 ||
                     comparison->not_comparable > 0 ||
                     comparison->verdicts[STRATA_VERDICT_PASS] == 0;
    return undecided ? 3 : 0;
}

enum strata_status strata_report_compare(struct strata_store *store, const char *base,
                                         const char *other, double margin, bool force,
                                         struct strata_text *out, int *ret_verdict,
                                         struct strata_error *error)
{
    struct strata_contestants contestants;
    struct strata_query *rows = NULL;
    enum strata_status status = strata_contestants_find(store, base, other, &contestants, error);
    if (status == STRATA_OK && !force) {
        status = strata_contestants_alike(store, &contestants, error);
    }
    if (status == STRATA_OK) {
        status = strata_query_open(store, strata_embedded_find("common/report/compare.sql"), &rows,
                                   error);
    }
    if (status != STRATA_OK) {
        return status;
    }
    struct comparison comparison = {
        .store = store,
        .margin = margin,
        .table = {.columns = columns, .column_count = sizeof(columns) / sizeof(columns[0])}};
    bind_contestant(rows, 1, &contestants.base);
    bind_contestant(rows, 3, &contestants.other);
    read_cells(&comparison, rows);
    status = strata_query_status(rows, error);
    strata_query_close(rows);
    if (status == STRATA_OK) {
        write_comparison(&comparison, &contestants, out);
        *ret_verdict = verdict_code(&comparison);
    }
    strata_table_done(&comparison.table);
    free(comparison.estimates.values);
    return status;
}
