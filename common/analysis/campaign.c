/* The analysis of one campaign: comparisons and the A/A verdict, in one transaction. */
#include "common/analysis/analysis.h"
#include "common/analysis/campaign_row.h"
#include "common/analysis/control.h"
#include "common/analysis/penalty.h"

enum strata_status strata_analysis_campaign(struct strata_store *store, const char *campaign_uuid,
                                            struct strata_error *error)
{
    if (strata_query_begin(store, error) != STRATA_OK) {
        return error->status;
    }
    struct strata_campaign_row campaign;
    enum strata_status status = strata_campaign_row_find(store, campaign_uuid, &campaign, error);
    if (status == STRATA_OK) {
        status = strata_penalty_store(store, &campaign, error);
    }
    if (status == STRATA_OK) {
        status = strata_control_store(store, &campaign, error);
    }
    if (status == STRATA_OK) {
        status = strata_query_commit(store, error);
    }
    if (status != STRATA_OK) {
        strata_query_rollback(store);
    }
    return status;
}

enum strata_status strata_analysis_count_failed(struct strata_store *store,
                                                const char *campaign_uuid, const char *layer,
                                                size_t *ret_failed, struct strata_error *error)
{
    struct strata_query *query = NULL;
    enum strata_status status =
        strata_query_open(store,
                          "SELECT count(*) FROM v_penalty WHERE campaign_uuid = ?1 AND layer = ?2"
                          " AND cell = 'pair' AND metric = 'throughput' AND verdict = 'fail'",
                          &query, error);
    if (status == STRATA_OK) {
        strata_query_bind_text(query, 1, campaign_uuid);
        strata_query_bind_text(query, 2, layer);
        *ret_failed = strata_query_next(query) ? (size_t)strata_query_integer(query, 0) : 0;
        status = strata_query_status(query, error);
        strata_query_close(query);
    }
    return status;
}
