/* Reading the ladder's rungs with the evidence beside them.
 *
 * Leaves to others: the formulas (ladder.sql and the views that it reads), the sentences
 * (explain.c). */
#include "common/analysis/ladder.h"

#include "common/base/embedded.h"
#include "common/base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns of ladder.sql. */
enum {
    MATCH_KEY,
    PHASE,
    ENCRYPTED,
    CHAIN,
    LAYER,
    BACKEND,
    RUNS,
    OPS_PER_S,
    BYTES_PER_S,
    ASSUMED,
    EFFICIENCY,
    CONTRADICTED,
    SHARE,
    LOSS,
    HIDDEN,
    BOTTLENECK,
    CPU_BUSY,
    PRESSURE_IO,
    DISK,
    DISK_BUSY,
    AMPLIFICATION
};

static double decimal_or_nan(struct strata_query *row, int column)
{
    return strata_query_is_null(row, column) ? NAN : strata_query_decimal(row, column);
}

static struct strata_ladder *ladder_of(struct strata_ladders *ladders, struct strata_query *row)
{
    struct strata_ladder *last = ladders->count > 0 ? &ladders->items[ladders->count - 1] : NULL;
    if (last != NULL && strcmp(last->match_key, strata_query_text(row, MATCH_KEY)) == 0 &&
        strcmp(last->phase, strata_query_text(row, PHASE)) == 0 &&
        last->encrypted == (strata_query_integer(row, ENCRYPTED) != 0) &&
        strcmp(last->chain, strata_query_text(row, CHAIN)) == 0 &&
        last->rung_count < STRATA_RUNGS) {
        return last;
    }
    void *items = ladders->items;
    strata_memory_grow(&items, &ladders->capacity, ladders->count + 1, sizeof(ladders->items[0]));
    ladders->items = items;
    struct strata_ladder *ladder = &ladders->items[ladders->count++];
    *ladder = (struct strata_ladder){
        .match_key = strata_text_duplicate(strata_query_text(row, MATCH_KEY)),
        .phase = strata_text_duplicate(strata_query_text(row, PHASE)),
        .encrypted = strata_query_integer(row, ENCRYPTED) != 0,
        .chain = strata_text_duplicate(strata_query_text(row, CHAIN)),
    };
    return ladder;
}

static void add_rung(struct strata_ladder *ladder, struct strata_query *row)
{
    struct strata_rung *rung = &ladder->rungs[ladder->rung_count++];
    const char *disk = strata_query_text(row, DISK);
    *rung = (struct strata_rung){
        .runs = (long)strata_query_integer(row, RUNS),
        .ops_per_s = decimal_or_nan(row, OPS_PER_S),
        .bytes_per_s = decimal_or_nan(row, BYTES_PER_S),
        .assumed = strata_query_integer(row, ASSUMED) != 0,
        .efficiency = decimal_or_nan(row, EFFICIENCY),
        .contradicted = strata_query_integer(row, CONTRADICTED) != 0,
        .share = decimal_or_nan(row, SHARE),
        .loss_fraction = decimal_or_nan(row, LOSS),
        .hidden_log_ratio = decimal_or_nan(row, HIDDEN),
        .bottleneck = strata_query_integer(row, BOTTLENECK) != 0,
        .cpu_busy_fraction = decimal_or_nan(row, CPU_BUSY),
        .pressure_io_fraction = decimal_or_nan(row, PRESSURE_IO),
        .disk_busy_fraction = decimal_or_nan(row, DISK_BUSY),
        .amplification = decimal_or_nan(row, AMPLIFICATION),
    };
    (void)snprintf(rung->disk, sizeof(rung->disk), "%s", disk != NULL ? disk : "");
    (void)snprintf(rung->layer, sizeof(rung->layer), "%s", strata_query_text(row, LAYER));
    rung->backend = strata_text_duplicate(strata_query_text(row, BACKEND));
}

enum strata_status strata_ladders_read(struct strata_store *store, int64_t campaign_id,
                                       struct strata_ladders *ret_ladders,
                                       struct strata_error *error)
{
    *ret_ladders = (struct strata_ladders){0};
    struct strata_query *rows = NULL;
    enum strata_status status =
        strata_query_open(store, strata_embedded_find("common/analysis/ladder.sql"), &rows, error);
    if (status != STRATA_OK) {
        return status;
    }
    strata_query_bind_integer(rows, 1, campaign_id);
    while (strata_query_next(rows)) {
        add_rung(ladder_of(ret_ladders, rows), rows);
    }
    status = strata_query_status(rows, error);
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
