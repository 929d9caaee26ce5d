/* Reading the ladder's rungs with the evidence beside them.
 *
 * Leaves to others: the formulas (views v_layer, v_bottleneck, v_layer_penalty, v_resource,
 * v_disk), the sentences (explain.c). */
#include "common/analysis/ladder.h"

#include "common/base/embedded.h"
#include "common/base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNS                                                                                       \
    "run_id IN (SELECT run.id FROM run JOIN workload ON workload.id = run.workload_id"             \
    " WHERE run.campaign_id = ?1 AND run.backend_id = ?2 AND run.status = 'ok'"                    \
    " AND run.cell <> 'control' AND workload.match_key = ?3 AND workload.layer = ?4)"              \
    " AND phase = ?5"

static const char machine_sql[] =
    "SELECT avg(cpu_busy_fraction), avg(pressure_cpu_fraction), avg(pressure_io_fraction)"
    " FROM v_resource WHERE " RUNS;

static const char disk_sql[] =
    "SELECT disk, avg(busy_fraction), avg(CASE ?5 WHEN 'read' THEN read_amplification"
    " ELSE write_amplification END)"
    " FROM v_disk WHERE " RUNS " GROUP BY disk ORDER BY 2 DESC, 1 LIMIT 1";

static double decimal_or_nan(struct strata_query *row, int column)
{
    return strata_query_is_null(row, column) ? NAN : strata_query_decimal(row, column);
}

static struct strata_ladder *ladder_of(struct strata_ladders *ladders, struct strata_query *row)
{
    struct strata_ladder *last = ladders->count > 0 ? &ladders->items[ladders->count - 1] : NULL;
    if (last != NULL && strcmp(last->match_key, strata_query_text(row, 0)) == 0 &&
        strcmp(last->phase, strata_query_text(row, 1)) == 0 &&
        last->encrypted == (strata_query_integer(row, 2) != 0) &&
        strcmp(last->chain, strata_query_text(row, 3)) == 0 && last->rung_count < STRATA_RUNGS) {
        return last;
    }
    void *items = ladders->items;
    strata_memory_grow(&items, &ladders->capacity, ladders->count + 1, sizeof(ladders->items[0]));
    ladders->items = items;
    struct strata_ladder *ladder = &ladders->items[ladders->count++];
    *ladder = (struct strata_ladder){
        .match_key = strata_text_duplicate(strata_query_text(row, 0)),
        .phase = strata_text_duplicate(strata_query_text(row, 1)),
        .encrypted = strata_query_integer(row, 2) != 0,
        .chain = strata_text_duplicate(strata_query_text(row, 3)),
        .end_to_end_efficiency = decimal_or_nan(row, 14),
    };
    return ladder;
}

static struct strata_rung *add_rung(struct strata_ladder *ladder, struct strata_query *row)
{
    struct strata_rung *rung = &ladder->rungs[ladder->rung_count++];
    *rung = (struct strata_rung){
        .backend = strata_text_duplicate(strata_query_text(row, 6)),
        .runs = (long)strata_query_integer(row, 7),
        .ops_per_s = decimal_or_nan(row, 8),
        .bytes_per_s = decimal_or_nan(row, 9),
        .efficiency = decimal_or_nan(row, 10),
        .share = decimal_or_nan(row, 11),
        .loss_fraction = decimal_or_nan(row, 12),
        .hidden_log_ratio = decimal_or_nan(row, 13),
        .bottleneck = strata_query_integer(row, 15) != 0,
    };
    (void)snprintf(rung->layer, sizeof(rung->layer), "%s", strata_query_text(row, 4));
    return rung;
}

/* What the machine and the disks did in the rung's runs. */
struct evidence {
    struct strata_query *machine;
    struct strata_query *disk;
};

static void bind_rung(struct strata_query *query, int64_t campaign_id, int64_t backend_id,
                      const struct strata_ladder *ladder, const struct strata_rung *rung)
{
    strata_query_reset(query);
    strata_query_bind_integer(query, 1, campaign_id);
    strata_query_bind_integer(query, 2, backend_id);
    strata_query_bind_text(query, 3, ladder->match_key);
    strata_query_bind_text(query, 4, rung->layer);
    strata_query_bind_text(query, 5, ladder->phase);
}

static enum strata_status read_evidence(struct evidence *evidence, int64_t campaign_id,
                                        int64_t backend_id, const struct strata_ladder *ladder,
                                        struct strata_rung *rung, struct strata_error *error)
{
    rung->cpu_busy_fraction = rung->pressure_cpu_fraction = rung->pressure_io_fraction = NAN;
    rung->disk_busy_fraction = rung->amplification = NAN;
    bind_rung(evidence->machine, campaign_id, backend_id, ladder, rung);
    if (strata_query_next(evidence->machine)) {
        rung->cpu_busy_fraction = decimal_or_nan(evidence->machine, 0);
        rung->pressure_cpu_fraction = decimal_or_nan(evidence->machine, 1);
        rung->pressure_io_fraction = decimal_or_nan(evidence->machine, 2);
    }
    bind_rung(evidence->disk, campaign_id, backend_id, ladder, rung);
    if (strata_query_next(evidence->disk)) {
        (void)snprintf(rung->disk, sizeof(rung->disk), "%s", strata_query_text(evidence->disk, 0));
        rung->disk_busy_fraction = decimal_or_nan(evidence->disk, 1);
        rung->amplification = decimal_or_nan(evidence->disk, 2);
    }
    enum strata_status status = strata_query_status(evidence->machine, error);
    return status == STRATA_OK ? strata_query_status(evidence->disk, error) : status;
}

enum strata_status strata_ladders_read(struct strata_store *store, int64_t campaign_id,
                                       struct strata_ladders *ret_ladders,
                                       struct strata_error *error)
{
    *ret_ladders = (struct strata_ladders){0};
    struct strata_query *rows = NULL;
    struct evidence evidence = {0};
    enum strata_status status =
        strata_query_open(store, strata_embedded_find("common/analysis/ladder.sql"), &rows, error);
    if (status == STRATA_OK) {
        status = strata_query_open(store, machine_sql, &evidence.machine, error);
    }
    if (status == STRATA_OK) {
        status = strata_query_open(store, disk_sql, &evidence.disk, error);
    }
    if (status == STRATA_OK) {
        strata_query_bind_integer(rows, 1, campaign_id);
    }
    while (status == STRATA_OK && strata_query_next(rows)) {
        struct strata_ladder *ladder = ladder_of(ret_ladders, rows);
        struct strata_rung *rung = add_rung(ladder, rows);
        status = read_evidence(&evidence, campaign_id, strata_query_integer(rows, 5), ladder, rung,
                               error);
    }
    if (status == STRATA_OK) {
        status = strata_query_status(rows, error);
    }
    strata_query_close(evidence.disk);
    strata_query_close(evidence.machine);
    strata_query_close(rows);
    return status;
}

void strata_ladders_done(struct strata_ladders *ladders)
{
    for (size_t i = 0; i < ladders->count; i++) {
        struct strata_ladder *ladder = &ladders->items[i];
        for (size_t r = 0; r < ladder->rung_count; r++) {
            free(ladder->rungs[r].backend);
        }
        free(ladder->match_key);
        free(ladder->phase);
        free(ladder->chain);
    }
    free(ladders->items);
    *ladders = (struct strata_ladders){0};
}
