/* The rows that runs refer to, and the begin of a run.
 *
 * Always: a row that is there already is found, not doubled, also when several programs write into
 * one campaign at once; each function is one short transaction. What a run measured is stored by
 * write_run.c. */
#include "common/base/clock.h"
#include "common/store/internal.h"
#include "common/store/query.h"
#include "common/store/store.h"

#include <stddef.h>

/* Step the statement, which returns one id, and close it. */
static enum strata_status take_id(struct strata_query *query, int64_t *ret_id,
                                  struct strata_error *error)
{
    *ret_id = strata_query_next(query) ? strata_query_integer(query, 0) : 0;
    enum strata_status status = strata_query_status(query, error);
    strata_query_close(query);
    return status;
}

/* As a 64-bit number of SQLite, which has no unsigned ones. */
static int64_t as_signed(uint64_t value)
{
    return (int64_t)value;
}

static void bind_id(struct strata_query *query, int number, int64_t id)
{
    if (id == 0) {
        strata_query_bind_text(query, number, NULL);
    } else {
        strata_query_bind_integer(query, number, id);
    }
}

enum strata_status strata_store_campaign(struct strata_store *store,
                                         const struct strata_store_campaign *campaign,
                                         int64_t *ret_id, struct strata_error *error)
{
    struct strata_query *query;
    enum strata_status status =
        strata_query_open(store,
                          "INSERT INTO campaign (uuid, name, configuration, seed,"
                          " loss_margin_fraction, planned_pairs, created_at_us, strata_version,"
                          " time_scale) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
                          " ON CONFLICT (uuid) DO UPDATE SET uuid = uuid"
                          " WHERE name = excluded.name AND configuration = excluded.configuration"
                          " AND seed = excluded.seed"
                          " AND loss_margin_fraction = excluded.loss_margin_fraction"
                          " AND planned_pairs = excluded.planned_pairs"
                          " AND time_scale = excluded.time_scale RETURNING id",
                          &query, error);
    if (status != STRATA_OK) {
        return status;
    }
    strata_query_bind_text(query, 1, campaign->uuid);
    strata_query_bind_text(query, 2, campaign->name);
    strata_query_bind_text(query, 3, campaign->configuration);
    strata_query_bind_integer(query, 4, as_signed(campaign->seed));
    strata_query_bind_decimal(query, 5, campaign->loss_margin);
    strata_query_bind_integer(query, 6, campaign->planned_pairs);
    strata_query_bind_integer(query, 7, strata_clock_wall_us());
    strata_query_bind_text(query, 8, STRATA_VERSION);
    strata_query_bind_decimal(query, 9, campaign->time_scale);
    status = take_id(query, ret_id, error);
    if (status == STRATA_OK && *ret_id == 0) {
        status = strata_error_set(error, STRATA_USAGE,
                                  "campaign %s: is there with another configuration, name, seed, "
                                  "margin or number of pairs; expected the same or a new UUID",
                                  campaign->uuid);
    }
    return status;
}

static enum strata_status store_host(struct strata_store *store, const char *host_id,
                                     int64_t *ret_id, struct strata_error *error)
{
    struct strata_query *query;
    enum strata_status status =
        strata_query_open(store,
                          "INSERT INTO host (machine_hash) VALUES (?1)"
                          " ON CONFLICT DO UPDATE SET machine_hash = machine_hash RETURNING id",
                          &query, error);
    if (status != STRATA_OK) {
        return status;
    }
    strata_query_bind_text(query, 1, host_id);
    return take_id(query, ret_id, error);
}

enum strata_status strata_store_environment(struct strata_store *store, const char *host_id,
                                            const char *facts_json, int64_t *ret_id,
                                            struct strata_error *error)
{
    int64_t host = 0;
    enum strata_status status = store_host(store, host_id, &host, error);
    if (status != STRATA_OK) {
        return status;
    }
    char hash[17];
    strata_store_hash(facts_json, hash);
    struct strata_query *query;
    status = strata_query_open(store,
                               "INSERT INTO environment (host_id, facts_hash, facts)"
                               " VALUES (?1, ?2, ?3)"
                               " ON CONFLICT DO UPDATE SET facts = facts RETURNING id",
                               &query, error);
    if (status != STRATA_OK) {
        return status;
    }
    strata_query_bind_integer(query, 1, host);
    strata_query_bind_text(query, 2, hash);
    strata_query_bind_text(query, 3, facts_json);
    return take_id(query, ret_id, error);
}

/* The campaign's name for a place is unique; what an inspection found last is what stands. */
enum strata_status strata_store_backend(struct strata_store *store, int64_t campaign_id,
                                        const struct strata_store_backend *backend, int64_t *ret_id,
                                        struct strata_error *error)
{
    struct strata_query *query;
    enum strata_status status =
        strata_query_open(store,
                          "INSERT INTO backend (campaign_id, name, layer, location, encrypted,"
                          " encryption, proof, evidence, twin_id, storage, stands_on, versus_id)"
                          " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"
                          " ON CONFLICT DO UPDATE SET proof = excluded.proof,"
                          " evidence = excluded.evidence, storage = excluded.storage,"
                          " stands_on = excluded.stands_on RETURNING id",
                          &query, error);
    if (status != STRATA_OK) {
        return status;
    }
    strata_query_bind_integer(query, 1, campaign_id);
    strata_query_bind_text(query, 2, backend->name);
    strata_query_bind_text(query, 3, backend->layer);
    strata_query_bind_text(query, 4, backend->location);
    strata_query_bind_integer(query, 5, backend->encrypted);
    strata_query_bind_text(query, 6, backend->encryption);
    strata_query_bind_text(query, 7, backend->proof);
    strata_query_bind_text(query, 8, backend->evidence);
    bind_id(query, 9, backend->twin_id);
    strata_query_bind_text(query, 10, backend->storage);
    strata_query_bind_text(query, 11, backend->stands_on);
    bind_id(query, 12, backend->versus_id);
    return take_id(query, ret_id, error);
}

/* An empty category or match key means that there is none. */
enum strata_status strata_store_workload(struct strata_store *store,
                                         const struct strata_store_workload *workload,
                                         int64_t *ret_id, struct strata_error *error)
{
    struct strata_query *query;
    enum strata_status status = strata_query_open(
        store,
        "INSERT INTO workload (layer, name, element, operation, object_bytes, block_bytes,"
        " concurrency, category, arrival, rate_per_s, match_key, parameters)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, nullif(?8, ''), ?9, ?10, nullif(?11, ''), ?12)"
        " ON CONFLICT DO UPDATE SET name = name RETURNING id",
        &query, error);
    if (status != STRATA_OK) {
        return status;
    }
    strata_query_bind_text(query, 1, workload->layer);
    strata_query_bind_text(query, 2, workload->name);
    strata_query_bind_text(query, 3, workload->element);
    strata_query_bind_text(query, 4, workload->operation);
    strata_query_bind_integer(query, 5, as_signed(workload->object_bytes));
    strata_query_bind_integer(query, 6, as_signed(workload->block_bytes));
    strata_query_bind_integer(query, 7, workload->concurrency);
    strata_query_bind_text(query, 8, workload->category);
    strata_query_bind_text(query, 9, workload->arrival);
    strata_query_bind_decimal(query, 10, workload->rate_per_s);
    strata_query_bind_text(query, 11, workload->match_key);
    strata_query_bind_text(query, 12, workload->parameters);
    return take_id(query, ret_id, error);
}

enum strata_status strata_store_run_begin(struct strata_store *store,
                                          const struct strata_store_run *run, int64_t *ret_id,
                                          struct strata_error *error)
{
    struct strata_query *query;
    enum strata_status status = strata_query_open(
        store,
        "INSERT INTO run (uuid, campaign_id, environment_id, backend_id, workload_id, cell,"
        " twin_backend_id, pair_no, slot, seed, status, began_at_us, process_id,"
        " process_start_ticks, process_namespace, boot_id)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 'running', ?11, ?12, ?13, ?14, ?15)"
        " RETURNING id",
        &query, error);
    if (status != STRATA_OK) {
        return status;
    }
    struct strata_process self;
    strata_process_self(&self);
    strata_query_bind_text(query, 1, run->uuid);
    strata_query_bind_integer(query, 2, run->campaign_id);
    bind_id(query, 3, run->environment_id);
    strata_query_bind_integer(query, 4, run->backend_id);
    strata_query_bind_integer(query, 5, run->workload_id);
    strata_query_bind_text(query, 6, run->cell);
    bind_id(query, 7, run->twin_backend_id);
    strata_query_bind_integer(query, 8, run->pair_no);
    strata_query_bind_integer(query, 9, run->slot);
    strata_query_bind_integer(query, 10, as_signed(run->seed));
    strata_query_bind_integer(query, 11, strata_clock_wall_us());
    strata_query_bind_integer(query, 12, self.id);
    strata_query_bind_integer(query, 13, self.start_ticks);
    strata_query_bind_integer(query, 14, self.name_space);
    strata_query_bind_text(query, 15, self.boot_id);
    return take_id(query, ret_id, error);
}
