/* The document of --json. SQLite writes it: its numbers have a point in every locale, its strings
 * are escaped, and what is NULL is null.
 *
 * Always holds: one valid JSON document, or an error and nothing. The rates of runs that are not ok
 * are there, beside their status; whoever averages must look at it, as the comparisons do. */
#include "common/analysis/campaign_row.h"
#include "common/base/embedded.h"
#include "common/report/escape.h"
#include "common/report/report.h"

#include <stdlib.h>

static const char runs_sql[] =
    "SELECT json_object('run_id', run_id, 'run_uuid', run_uuid, 'layer', layer,"
    " 'workload', workload, 'phase', phase, 'operation', operation, 'backend', backend,"
    " 'encrypted', json(iif(encrypted, 'true', 'false')), 'encryption', encryption,"
    " 'proof', proof, 'cell', cell, 'pair', pair_no, 'status', status, 'reason', reason,"
    " 'began_at', began_at_utc, 'source', source, 'operations', operations, 'failed', failed, "
    "'bytes', bytes,"
    " 'warmup_operations', warmup_operations, 'seconds', seconds, 'ops_per_s', ops_per_s,"
    " 'bytes_per_s', bytes_per_s, 'latency_ns', json_object('min', min_ns, 'mean', mean_ns,"
    " 'p50', p50_ns, 'p90', p90_ns, 'p99', p99_ns, 'p99_9', p99_9_ns, 'max', max_ns),"
    " 'cpu_ns_per_operation', cpu_ns_per_operation) FROM (%s)";

static const char comparisons_sql[] =
    "SELECT json_object('layer', layer, 'workload', workload, 'phase', phase,"
    " 'operation', operation, 'cell', cell, 'plain_backend', plain_backend,"
    " 'encrypted_backend', encrypted_backend, 'encryption', encryption, 'proof', proof,"
    " 'metric', metric, 'method', method, 'pairs', pairs,"
    " 'log_ratio', json_object('estimate', log_ratio_estimate, 'lower', log_ratio_lower_bound,"
    " 'upper', log_ratio_upper_bound),"
    " 'loss_fraction', json_object('estimate', loss_fraction, 'optimistic',"
    " loss_optimistic_fraction, 'pessimistic', loss_pessimistic_fraction),"
    " 'margin_fraction', margin_fraction,"
    " 'verdict', iif(margin_fraction IS NULL, NULL, verdict))" /* none without a criterion */
    " FROM v_penalty WHERE campaign_id = ?1 AND (?2 IS NULL OR layer = ?2)";

static const char versus_sql[] =
    "SELECT json_object('layer', layer, 'workload', workload, 'phase', phase,"
    " 'operation', operation, 'backend', backend, 'against_backend', against_backend,"
    " 'encryption', encryption, 'metric', metric, 'method', method, 'pairs', pairs,"
    " 'change_fraction', json_object('estimate', change_fraction, 'lower',"
    " change_lower_fraction, 'upper', change_upper_fraction),"
    " 'verdict', iif(metric LIKE 'cpu%', NULL, verdict))"
    " FROM v_versus WHERE campaign_id = ?1 AND (?2 IS NULL OR layer = ?2)";

static const char campaign_sql[] =
    "SELECT json_object('name', name, 'started_at', strftime('%Y-%m-%dT%H:%M:%SZ',"
    " created_at_us / 1000000, 'unixepoch'), 'strata_version', strata_version,"
    " 'planned_pairs', planned_pairs, 'margin_fraction', loss_margin_fraction,"
    " 'time_scale', time_scale,"
    " 'control', json_object('verdict', control_verdict, 'reason', control_reason))"
    " FROM campaign WHERE id = ?1 AND (?2 IS NULL OR 1)";

/* The single column of each row, separated by commas. */
static enum strata_status append_rows(struct strata_store *store, const char *sql,
                                      int64_t campaign_id, const char *layer,
                                      struct strata_text *out, struct strata_error *error)
{
    struct strata_query *query = NULL;
    enum strata_status status = strata_query_open(store, sql, &query, error);
    if (status != STRATA_OK) {
        return status;
    }
    strata_query_bind_integer(query, 1, campaign_id);
    strata_query_bind_text(query, 2, layer);
    for (size_t rows = 0; strata_query_next(query); rows++) {
        strata_text_append(out, rows > 0 ? ",\n    " : "\n    ");
        strata_escape_json(out, strata_query_text(query, 0));
    }
    status = strata_query_status(query, error);
    strata_query_close(query);
    return status;
}

static enum strata_status write_document(struct strata_store *store,
                                         const struct strata_campaign_row *campaign,
                                         const char *layer, struct strata_text *out,
                                         struct strata_error *error)
{
    strata_text_format(out, "{\"schema\": 1, \"campaign\": \"%s\", \"about\":", campaign->uuid);
    enum strata_status status = append_rows(store, campaign_sql, campaign->id, NULL, out, error);
    if (status == STRATA_OK) {
        char *sql =
            strata_text_duplicate_format(runs_sql, strata_embedded_find("common/report/runs.sql"));
        strata_text_append(out, ",\n  \"runs\": [");
        status = append_rows(store, sql, campaign->id, layer, out, error);
        free(sql);
    }
    if (status == STRATA_OK) {
        strata_text_append(out, "],\n  \"comparisons\": [");
        status = append_rows(store, comparisons_sql, campaign->id, layer, out, error);
    }
    if (status == STRATA_OK) {
        strata_text_append(out, "],\n  \"versus\": [");
        status = append_rows(store, versus_sql, campaign->id, layer, out, error);
        strata_text_append(out, "]}\n");
    }
    return status;
}

enum strata_status strata_report_json(struct strata_store *store, const char *campaign,
                                      const char *layer, struct strata_text *out,
                                      struct strata_error *error)
{
    struct strata_campaign_row row;
    struct strata_text document = {0};
    enum strata_status status = strata_campaign_row_find(store, campaign, &row, error);
    if (status == STRATA_OK) {
        status = write_document(store, &row, layer, &document, error);
    }
    if (status == STRATA_OK) {
        strata_text_append(out, strata_text_string(&document));
    }
    strata_text_done(&document);
    return status;
}
