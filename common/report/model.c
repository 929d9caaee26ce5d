/* Reading a campaign's findings. What a number means is decided in the views and in cells.sql. */
#include "common/report/model.h"

#include "common/base/embedded.h"
#include "common/base/memory.h"

#include <math.h>
#include <stdlib.h>

static char *text_of(struct strata_query *row, int column)
{
    const char *text = strata_query_text(row, column);
    return text != NULL ? strata_text_duplicate(text) : NULL;
}

static char *text_or_empty(struct strata_query *row, int column)
{
    const char *text = strata_query_text(row, column);
    return strata_text_duplicate(text != NULL ? text : "");
}

static double decimal_of(struct strata_query *row, int column)
{
    return strata_query_is_null(row, column) ? NAN : strata_query_decimal(row, column);
}

static long count_of(struct strata_query *row, int column)
{
    return (long)strata_query_integer(row, column);
}

/* From here on bytes per second say more. */
static const int64_t large_bytes = 65536;

static void read_cell(struct strata_report *report, struct strata_query *row)
{
    void *items = report->cells;
    strata_memory_grow(&items, &report->cell_capacity, report->cell_count + 1,
                       sizeof(report->cells[0]));
    report->cells = items;
    report->cells[report->cell_count++] = (struct strata_report_cell){
        .layer = text_or_empty(row, 0),
        .workload = text_or_empty(row, 1),
        .phase = text_or_empty(row, 2),
        .operation = text_or_empty(row, 3),
        .plain = text_of(row, 5),
        .encrypted = text_of(row, 6),
        .encryption = text_or_empty(row, 7),
        .proof = text_or_empty(row, 8),
        .plain_runs = count_of(row, 9),
        .encrypted_runs = count_of(row, 10),
        .bad_runs = count_of(row, 11),
        .plain_ops_per_s = decimal_of(row, 12),
        .encrypted_ops_per_s = decimal_of(row, 13),
        .plain_bytes_per_s = decimal_of(row, 14),
        .encrypted_bytes_per_s = decimal_of(row, 15),
        .plain_p50_ns = decimal_of(row, 16),
        .encrypted_p50_ns = decimal_of(row, 17),
        .plain_p99_ns = decimal_of(row, 18),
        .encrypted_p99_ns = decimal_of(row, 19),
        .plain_cpu_ns = decimal_of(row, 20),
        .encrypted_cpu_ns = decimal_of(row, 21),
        .pairs = count_of(row, 22),
        .loss_fraction = decimal_of(row, 23),
        .loss_optimistic_fraction = decimal_of(row, 24),
        .loss_pessimistic_fraction = decimal_of(row, 25),
        .verdict = text_or_empty(row, 26),
        .cpu_per_byte_ratio = decimal_of(row, 27),
        .by_bytes = strata_query_integer(row, 4) >= large_bytes &&
                    !(strata_query_is_null(row, 14) && strata_query_is_null(row, 15)),
        .title = text_or_empty(row, 28),
    };
}

static void read_trouble(struct strata_report *report, struct strata_query *row)
{
    void *items = report->troubles;
    strata_memory_grow(&items, &report->trouble_capacity, report->trouble_count + 1,
                       sizeof(report->troubles[0]));
    report->troubles = items;
    report->troubles[report->trouble_count++] = (struct strata_report_trouble){
        .layer = text_or_empty(row, 0),
        .workload = text_or_empty(row, 1),
        .backend = text_or_empty(row, 2),
        .status = text_or_empty(row, 3),
        .reason = text_or_empty(row, 4),
        .runs = count_of(row, 5),
    };
}

static void read_steady(struct strata_report *report, struct strata_query *row)
{
    void *items = report->steadies;
    strata_memory_grow(&items, &report->steady_capacity, report->steady_count + 1,
                       sizeof(report->steadies[0]));
    report->steadies = items;
    report->steadies[report->steady_count++] = (struct strata_report_steady){
        .workload = text_or_empty(row, 0),
        .backend = text_or_empty(row, 1),
        .procedure = text_or_empty(row, 2),
        .rounds = count_of(row, 3),
        .reached = strata_query_integer(row, 4) != 0,
        .ops_per_s = decimal_of(row, 5),
        .bytes_per_s = decimal_of(row, 6),
        .range_fraction = decimal_of(row, 7),
        .slope_fraction = decimal_of(row, 8),
        .by_bytes = strata_query_integer(row, 9) >= large_bytes,
    };
}

static void read_step(struct strata_report *report, struct strata_query *row)
{
    void *items = report->steps;
    strata_memory_grow(&items, &report->step_capacity, report->step_count + 1,
                       sizeof(report->steps[0]));
    report->steps = items;
    report->steps[report->step_count++] = (struct strata_report_step){
        .workload = text_or_empty(row, 0),
        .backend = text_or_empty(row, 1),
        .phase = text_or_empty(row, 2),
        .at_s = decimal_of(row, 3),
        .before_ops_per_s = decimal_of(row, 4),
        .before_bytes_per_s = decimal_of(row, 5),
        .after_ops_per_s = decimal_of(row, 6),
        .after_bytes_per_s = decimal_of(row, 7),
        .by_bytes = strata_query_integer(row, 8) >= large_bytes,
    };
}

static void read_versus(struct strata_report *report, struct strata_query *row)
{
    void *items = report->versuses;
    strata_memory_grow(&items, &report->versus_capacity, report->versus_count + 1,
                       sizeof(report->versuses[0]));
    report->versuses = items;
    report->versuses[report->versus_count++] = (struct strata_report_versus){
        .workload = text_or_empty(row, 0),
        .phase = text_or_empty(row, 1),
        .backend = text_or_empty(row, 2),
        .against = text_or_empty(row, 3),
        .ops_per_s = decimal_of(row, 4),
        .bytes_per_s = decimal_of(row, 5),
        .against_ops_per_s = decimal_of(row, 6),
        .against_bytes_per_s = decimal_of(row, 7),
        .change_fraction = decimal_of(row, 8),
        .change_lower_fraction = decimal_of(row, 9),
        .change_upper_fraction = decimal_of(row, 10),
        .verdict = text_or_empty(row, 11),
        .pairs = count_of(row, 12),
        .by_bytes = strata_query_integer(row, 13) >= large_bytes,
        .layer = text_or_empty(row, 14),
    };
}

static void read_backend(struct strata_report *report, struct strata_query *row)
{
    void *items = report->backends;
    strata_memory_grow(&items, &report->backend_capacity, report->backend_count + 1,
                       sizeof(report->backends[0]));
    report->backends = items;
    report->backends[report->backend_count++] = (struct strata_report_backend){
        .name = text_or_empty(row, 0),
        .layer = text_or_empty(row, 1),
        .location = text_or_empty(row, 2),
        .encryption = text_or_empty(row, 3),
        .proof = text_or_empty(row, 4),
        .evidence = text_or_empty(row, 5),
        .twin = text_or_empty(row, 6),
    };
}

static void read_baseline(struct strata_report *report, struct strata_query *row)
{
    void *items = report->baselines;
    strata_memory_grow(&items, &report->baseline_capacity, report->baseline_count + 1,
                       sizeof(report->baselines[0]));
    report->baselines = items;
    report->baselines[report->baseline_count++] = (struct strata_report_baseline){
        .derivation = strata_query_integer(row, 0) != 0,
        .name = text_or_empty(row, 1),
        .direction = text_or_empty(row, 2),
        .key_bits = count_of(row, 3),
        .threads = count_of(row, 5),
        .block_bytes = decimal_of(row, 6),
        .sector_bytes = decimal_of(row, 7),
        .per_s = decimal_of(row, 8),
        .iterations_per_s = decimal_of(row, 9),
        .cpu_ns = decimal_of(row, 10),
        .runs = count_of(row, 11),
    };
}

static void read_headroom(struct strata_report *report, struct strata_query *row)
{
    void *items = report->headrooms;
    strata_memory_grow(&items, &report->headroom_capacity, report->headroom_count + 1,
                       sizeof(report->headrooms[0]));
    report->headrooms = items;
    report->headrooms[report->headroom_count++] = (struct strata_report_headroom){
        .backend = text_or_empty(row, 0),
        .workload = text_or_empty(row, 1),
        .operation = text_or_empty(row, 2),
        .cipher = text_or_empty(row, 3),
        .key_bits = count_of(row, 4),
        .direction = text_or_empty(row, 5),
        .threads = count_of(row, 6),
        .cipher_bytes_per_s = decimal_of(row, 7),
        .plain_bytes_per_s = decimal_of(row, 8),
        .encrypted_bytes_per_s = decimal_of(row, 9),
    };
}

static void read_campaign(struct strata_report *report, struct strata_query *row)
{
    report->name = text_or_empty(row, 0);
    report->started = text_or_empty(row, 1);
    report->version = text_or_empty(row, 2);
    report->control_verdict = text_or_empty(row, 3);
    report->control_reason = text_or_empty(row, 4);
    report->planned_pairs = count_of(row, 5);
    report->ok_runs = count_of(row, 6);
    report->other_runs = count_of(row, 7);
    report->machine = text_or_empty(row, 8);
    report->notice = text_or_empty(row, 9);
}

static const char campaign_sql[] =
    "SELECT name, strftime('%Y-%m-%d %H:%M UTC', created_at_us / 1000000, 'unixepoch'),"
    " strata_version, control_verdict, control_reason, planned_pairs,"
    " (SELECT count(*) FROM v_run WHERE campaign_id = campaign.id AND status = 'ok'"
    "   AND (?2 IS NULL OR layer = ?2)),"
    " (SELECT count(*) FROM v_run WHERE campaign_id = campaign.id AND status <> 'ok'"
    "   AND (?2 IS NULL OR layer = ?2)),"
    " (SELECT group_concat(value, ', ') FROM (SELECT DISTINCT json_each.value FROM run"
    "   JOIN environment ON environment.id = run.environment_id"
    "   JOIN json_each(json_array(facts ->> 'processor', (facts ->> 'cores') || ' cores',"
    "     'Linux ' || (facts ->> 'kernel'), facts ->> 'distribution'))"
    "   WHERE run.campaign_id = campaign.id AND json_each.value IS NOT NULL)),"
    " (SELECT group_concat(part, '; ') FROM ("
    "   SELECT 'Imported, not measured by Strata: ' || group_concat(source, ', ') AS part FROM"
    "   (SELECT DISTINCT source FROM run WHERE campaign_id = campaign.id AND source <> '')"
    "   UNION ALL SELECT 'The times of measuring were scaled by ' || time_scale"
    "   WHERE time_scale <> 1) WHERE part IS NOT NULL)"
    " FROM campaign WHERE id = ?1";

static const char trouble_sql[] =
    "SELECT layer, workload, backend, status, coalesce(phase || ': ', '') || reason, count(*)"
    " FROM v_invalid WHERE campaign_id = ?1 AND (?2 IS NULL OR layer = ?2)"
    " GROUP BY layer, workload, backend, status, phase, reason ORDER BY min(run_id)";

static const char steady_sql[] =
    "SELECT workload, backend, iif(procedure <> '', 'by ' || procedure,"
    "   'by no standard, without: ' || missing), rounds, reached, steady_ops_per_s,"
    " steady_bytes_per_s, range_fraction, slope_fraction, block_bytes FROM v_steady_state"
    " WHERE campaign_id = ?1 AND (?2 IS NULL OR layer = ?2) AND status = 'ok' ORDER BY run_id";

static const char step_sql[] =
    "SELECT v_step.workload, v_step.backend, v_step.phase, at_s, before_ops_per_s,"
    " before_bytes_per_s, after_ops_per_s, after_bytes_per_s, v_run.object_bytes FROM v_step"
    " JOIN v_run USING (run_id) WHERE v_step.campaign_id = ?1"
    " AND (?2 IS NULL OR v_step.layer = ?2) AND v_step.status <> 'failed'"
    " ORDER BY v_step.run_id, v_step.phase_no";

static const char versus_sql[] =
    "SELECT workload, iif(phase = operation OR phase LIKE '%' || operation, phase,"
    "   phase || ' ' || operation), backend, against_backend, mean_ops_per_s, mean_bytes_per_s,"
    " against_mean_ops_per_s, against_mean_bytes_per_s, change_fraction, change_lower_fraction,"
    " change_upper_fraction, verdict, pairs, object_bytes, layer FROM v_versus"
    " WHERE campaign_id = ?1 AND (?2 IS NULL OR layer = ?2) AND metric = 'throughput'"
    " ORDER BY against_backend_id, backend_id, workload_id, phase, operation";

static const char backend_sql[] =
    "SELECT backend.name, backend.layer, backend.location, backend.encryption, backend.proof,"
    " backend.evidence, twin.name FROM backend"
    " LEFT JOIN backend AS twin ON twin.id = backend.twin_id"
    " WHERE backend.campaign_id = ?1 AND (?2 IS NULL OR backend.layer = ?2"
    "   OR (?2 = 'user' AND backend.layer = 'service')) ORDER BY backend.id";

static enum strata_status read_rows(struct strata_store *store, const char *sql, const char *layer,
                                    void (*read)(struct strata_report *report,
                                                 struct strata_query *row),
                                    struct strata_report *report, struct strata_error *error)
{
    struct strata_query *query = NULL;
    enum strata_status status = strata_query_open(store, sql, &query, error);
    if (status != STRATA_OK) {
        return status;
    }
    strata_query_bind_integer(query, 1, report->campaign.id);
    strata_query_bind_text(query, 2, layer);
    while (strata_query_next(query)) {
        read(report, query);
    }
    status = strata_query_status(query, error);
    strata_query_close(query);
    return status;
}

enum strata_status strata_report_read(struct strata_store *store, const char *campaign,
                                      const char *layer, struct strata_report *ret_report,
                                      struct strata_error *error)
{
    const struct {
        const char *sql;
        void (*read)(struct strata_report *report, struct strata_query *row);
    } parts[] = {
        {campaign_sql, read_campaign},
        {strata_embedded_find("common/report/cells.sql"), read_cell},
        {trouble_sql, read_trouble},
        {steady_sql, read_steady},
        {step_sql, read_step},
        {versus_sql, read_versus},
        {backend_sql, read_backend},
        {strata_embedded_find("common/report/baselines.sql"), read_baseline},
        {strata_embedded_find("common/report/headrooms.sql"), read_headroom},
    };
    *ret_report = (struct strata_report){0};
    enum strata_status status =
        strata_campaign_row_find(store, campaign, &ret_report->campaign, error);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && status == STRATA_OK; i++) {
        status = read_rows(store, parts[i].sql, layer, parts[i].read, ret_report, error);
    }
    if (status == STRATA_OK && layer == NULL) {
        status = strata_ladders_read(store, ret_report->campaign.id, &ret_report->ladders, error);
    }
    return status;
}

void strata_report_done(struct strata_report *report)
{
    for (size_t i = 0; i < report->cell_count; i++) {
        struct strata_report_cell *cell = &report->cells[i];
        char *texts[] = {cell->layer,   cell->workload,  cell->phase,      cell->operation,
                         cell->plain,   cell->encrypted, cell->encryption, cell->proof,
                         cell->verdict, cell->title};
        for (size_t t = 0; t < sizeof(texts) / sizeof(texts[0]); t++) {
            free(texts[t]);
        }
    }
    for (size_t i = 0; i < report->trouble_count; i++) {
        struct strata_report_trouble *trouble = &report->troubles[i];
        free(trouble->layer);
        free(trouble->workload);
        free(trouble->backend);
        free(trouble->status);
        free(trouble->reason);
    }
    for (size_t i = 0; i < report->steady_count; i++) {
        free(report->steadies[i].workload);
        free(report->steadies[i].backend);
        free(report->steadies[i].procedure);
    }
    for (size_t i = 0; i < report->step_count; i++) {
        free(report->steps[i].workload);
        free(report->steps[i].backend);
        free(report->steps[i].phase);
    }
    for (size_t i = 0; i < report->backend_count; i++) {
        struct strata_report_backend *backend = &report->backends[i];
        free(backend->name);
        free(backend->layer);
        free(backend->location);
        free(backend->encryption);
        free(backend->proof);
        free(backend->evidence);
        free(backend->twin);
    }
    for (size_t i = 0; i < report->baseline_count; i++) {
        free(report->baselines[i].name);
        free(report->baselines[i].direction);
    }
    for (size_t i = 0; i < report->headroom_count; i++) {
        struct strata_report_headroom *headroom = &report->headrooms[i];
        free(headroom->backend);
        free(headroom->workload);
        free(headroom->operation);
        free(headroom->cipher);
        free(headroom->direction);
    }
    free(report->baselines);
    free(report->headrooms);
    free(report->cells);
    free(report->troubles);
    free(report->steadies);
    free(report->steps);
    for (size_t i = 0; i < report->versus_count; i++) {
        struct strata_report_versus *versus = &report->versuses[i];
        free(versus->layer);
        free(versus->workload);
        free(versus->phase);
        free(versus->backend);
        free(versus->against);
        free(versus->verdict);
    }
    free(report->versuses);
    free(report->backends);
    free(report->name);
    free(report->started);
    free(report->version);
    free(report->machine);
    free(report->notice);
    free(report->control_verdict);
    free(report->control_reason);
    strata_ladders_done(&report->ladders);
    *report = (struct strata_report){0};
}
