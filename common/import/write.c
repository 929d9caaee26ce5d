/* Storing an import: one campaign's runs in one transaction.
 *
 * Always holds: a campaign has either imported runs or measured ones; nothing is stored that a run
 * of ours would have and an import has not (seconds, counters, what the load generator did): those
 * tables stay empty, those columns NULL. */
#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/import/import.h"
#include "common/measure/operation.h"
#include "common/store/query.h"
#include "common/store/store.h"

#include <stdlib.h>

static const double default_margin = 0.1; /* as the <campaign> element has it */

struct writer {
    struct strata_store *store;
    const struct strata_import_set *set;
    int64_t campaign_id;
    int64_t *backend_ids; /* by the set's index */
    size_t *twins;        /* of every back end, also of the plain ones */
    struct strata_error *error;
};

/* --- one statement --- */

/* A value of a row: text, a number, or NULL. */
struct value {
    enum { NOTHING, TEXT, NUMBER } kind;
    const char *text;
    int64_t number;
};

static struct value text(const char *string)
{
    return (struct value){.kind = string != NULL ? TEXT : NOTHING, .text = string};
}

static struct value count(uint64_t number)
{
    return (struct value){.kind = NUMBER, .number = (int64_t)number};
}

static struct value nothing(void)
{
    return (struct value){.kind = NOTHING};
}

/* Run a statement of one row; *ret_id, where wanted, is what it returns, or 0. */
static enum strata_status run_statement(const struct writer *writer, const char *sql,
                                        const struct value *values, size_t value_count,
                                        int64_t *ret_id)
{
    struct strata_query *query = NULL;
    enum strata_status status = strata_query_open(writer->store, sql, &query, writer->error);
    if (status != STRATA_OK) {
        return status;
    }
    for (size_t i = 0; i < value_count; i++) {
        if (values[i].kind == NUMBER) {
            strata_query_bind_integer(query, (int)i + 1, values[i].number);
        } else {
            strata_query_bind_text(query, (int)i + 1,
                                   values[i].kind == TEXT ? values[i].text : NULL);
        }
    }
    int64_t id = strata_query_next(query) ? strata_query_integer(query, 0) : 0;
    status = strata_query_status(query, writer->error);
    strata_query_close(query);
    if (ret_id != NULL) {
        *ret_id = id;
    }
    return status;
}

#define VALUES(...)                                                                                \
    (const struct value[])                                                                         \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define VALUE_COUNT(...) (sizeof(VALUES(__VA_ARGS__)) / sizeof(struct value))
#define STORE(writer, sql, ret_id, ...)                                                            \
    run_statement(writer, sql, VALUES(__VA_ARGS__), VALUE_COUNT(__VA_ARGS__), ret_id)

/* --- rows that runs refer to --- */

static enum strata_status find_campaign(struct writer *writer, const char *uuid)
{
    int64_t measured = 0;
    enum strata_status status =
        STORE(writer, "SELECT id FROM campaign WHERE uuid = ?1", &writer->campaign_id, text(uuid));
    if (status == STRATA_OK && writer->campaign_id == 0) {
        return strata_error_set(writer->error, STRATA_USAGE,
                                "--campaign: there is no campaign %.40s", uuid);
    }
    if (status == STRATA_OK) {
        status = STORE(writer,
                       "SELECT NOT EXISTS (SELECT 1 FROM run WHERE campaign_id = ?1)"
                       " OR EXISTS (SELECT 1 FROM run WHERE campaign_id = ?1 AND source = '')",
                       &measured, count((uint64_t)writer->campaign_id));
    }
    if (status == STRATA_OK && measured != 0) {
        return strata_error_set(writer->error, STRATA_USAGE,
                                "--campaign: %s is no import; what Strata measured and what others "
                                "did never stand in one campaign",
                                uuid);
    }
    return status;
}

static enum strata_status make_campaign(struct writer *writer,
                                        const struct strata_import_campaign *campaign)
{
    const struct strata_store_campaign row = {.uuid = campaign->uuid,
                                              .name = campaign->name,
                                              .configuration = campaign->configuration,
                                              .loss_margin = default_margin,
                                              .time_scale = 1};
    return strata_store_campaign(writer->store, &row, &writer->campaign_id, writer->error);
}

static enum strata_status store_backend(struct writer *writer, size_t index)
{
    const struct strata_import_backend *backend = &writer->set->backends[index];
    bool encrypted = backend->encryption != NULL;
    bool paired = backend->twin != STRATA_IMPORT_NO_TWIN;
    const struct strata_store_backend row = {
        .name = backend->name,
        .layer = "device",
        .location = backend->location,
        .encrypted = encrypted,
        .encryption = encrypted ? backend->encryption : "none",
        .proof = encrypted ? "asserted" : "none",
        .evidence = encrypted ? "whoever imported the results said so" : NULL,
        .twin_id = paired ? writer->backend_ids[backend->twin] : 0,
        .storage = "{}"};
    int64_t *ret_id = &writer->backend_ids[index];
    enum strata_status status =
        strata_store_backend(writer->store, writer->campaign_id, &row, ret_id, writer->error);
    int64_t same = 0;
    if (status == STRATA_OK) { /* a name that an earlier import gave to another kind */
        status = STORE(writer,
                       "SELECT encrypted = ?2 AND encryption = ?3 AND twin_id IS nullif(?4, 0)"
                       " FROM backend WHERE id = ?1",
                       &same, count((uint64_t)*ret_id), count(encrypted), text(row.encryption),
                       count((uint64_t)row.twin_id));
    }
    if (status == STRATA_OK && same == 0) {
        return strata_error_set(
            writer->error, STRATA_USAGE,
            "%.80s: is a back end of that campaign already, encrypted in another "
            "way or paired with another",
            backend->name);
    }
    return status;
}

/* Plain ones first: their twins refer to them. */
static enum strata_status store_backends(struct writer *writer)
{
    enum strata_status status = STRATA_OK;
    for (int encrypted = 0; encrypted < 2; encrypted++) {
        for (size_t i = 0; i < writer->set->backend_count && status == STRATA_OK; i++) {
            if ((writer->set->backends[i].encryption != NULL) == (encrypted == 1)) {
                status = store_backend(writer, i);
            }
        }
    }
    return status;
}

/* --- runs --- */

static enum strata_status store_latency(const struct writer *writer, int64_t result_id,
                                        const struct strata_import_result *result)
{
    int64_t histogram_id = 0;
    enum strata_status status =
        STORE(writer,
              "INSERT INTO histogram (operation_result_id, kind, count, sum_ns, min_ns, max_ns)"
              " VALUES (?1, 'response', ?2, ?3, ?4, ?5) RETURNING id",
              &histogram_id, count((uint64_t)result_id), count(result->latencies),
              count(result->sum_ns), count(result->min_ns), count(result->max_ns));
    for (size_t i = 0; i < result->bin_count && status == STRATA_OK; i++) {
        const struct strata_import_bin *bin = &result->bins[i];
        status = STORE(writer, "INSERT INTO histogram_bin VALUES (?1, ?2, ?3, ?4)", NULL,
                       count((uint64_t)histogram_id), count(bin->lower_ns), count(bin->upper_ns),
                       count(bin->count));
    }
    return status;
}

static enum strata_status store_result(const struct writer *writer, int64_t phase_id,
                                       const struct strata_import_result *result)
{
    int64_t id = 0;
    uint64_t started = result->ok + result->failed;
    enum strata_status status = STORE(
        writer,
        "INSERT INTO operation_result (phase_id, operation, due, skipped, started, ok, failed,"
        " timed_out, abandoned, bytes, window_ok, window_bytes, warmup_ok, warmup_failed,"
        " warmup_bytes) VALUES (?1, ?2, ?3, 0, ?3, ?4, ?5, 0, 0, ?6, ?4, ?6, 0, 0, 0)"
        " RETURNING id",
        &id, count((uint64_t)phase_id), text(result->operation), count(started), count(result->ok),
        count(result->failed), count(result->bytes));
    if (status == STRATA_OK && result->failed > 0) {
        char message[200] = "";
        if (result->error_code != 0) {
            strata_result_describe(result->error_code, message, 160);
        }
        status = STORE(writer,
                       "INSERT INTO error VALUES (?1, ?2, ?3,"
                       " ?4 || iif(?3 > 1, ' (the first; the tool stores no other)', ''))",
                       NULL, count((uint64_t)id), count((uint64_t)result->error_code),
                       count(result->failed), text(message));
    }
    return status == STRATA_OK && result->latencies > 0 ? store_latency(writer, id, result)
                                                        : status;
}

static enum strata_status store_phase(const struct writer *writer, int64_t run_id,
                                      const struct strata_import_run *run)
{
    int64_t id = 0;
    enum strata_status status = STORE(
        writer,
        "INSERT INTO phase (run_id, phase_no, name, open_loop, bytes_per_operation,"
        " started_at_us, elapsed_ns, window_ns, interrupted) VALUES (?1, 1, ?2, 0, ?3, ?4, ?5,"
        " ?5, 0) RETURNING id",
        &id, count((uint64_t)run_id), text(run->operation), count(run->block_bytes),
        count((uint64_t)run->began_us), count(run->elapsed_ns));
    for (size_t i = 0; i < run->result_count && status == STRATA_OK; i++) {
        status = store_result(writer, id, &run->results[i]);
    }
    return status;
}

static enum strata_status store_workload(const struct writer *writer,
                                         const struct strata_import_run *run, int64_t *ret_id)
{
    const struct strata_store_workload row = {.layer = "device",
                                              .name = run->workload,
                                              .element = "workload",
                                              .operation = run->operation,
                                              .object_bytes = run->block_bytes,
                                              .block_bytes = run->block_bytes,
                                              .concurrency = run->concurrency,
                                              .arrival = "closed",
                                              .parameters = run->parameters};
    return strata_store_workload(writer->store, &row, ret_id, writer->error);
}

/* The n-th run of a workload on a back end is of its n-th pair; pairs stand as plain, encrypted. */
static enum strata_status store_run(const struct writer *writer,
                                    const struct strata_import_run *run)
{
    size_t twin = writer->twins[run->backend];
    bool paired = twin != STRATA_IMPORT_NO_TWIN;
    bool encrypted = writer->set->backends[run->backend].encryption != NULL;
    int64_t workload_id = 0;
    int64_t pair_no = 0;
    int64_t run_id = 0;
    char uuid[37];
    strata_random_uuid(uuid);
    enum strata_status status = store_workload(writer, run, &workload_id);
    uint64_t backend_id = (uint64_t)writer->backend_ids[run->backend];
    if (status == STRATA_OK) {
        status = STORE(writer,
                       "SELECT 1 + count(*) FROM run WHERE campaign_id = ?1"
                       " AND workload_id = ?2 AND backend_id = ?3",
                       &pair_no, count((uint64_t)writer->campaign_id), count((uint64_t)workload_id),
                       count(backend_id));
    }
    uint64_t number = (uint64_t)pair_no;
    if (status == STRATA_OK) {
        status = STORE(
            writer,
            "INSERT INTO run (uuid, campaign_id, backend_id, workload_id, cell, twin_backend_id,"
            " pair_no, slot, seed, status, reason, began_at_us, ended_at_us, process_id,"
            " process_start_ticks, process_namespace, boot_id, source) VALUES (?1, ?2, ?3, ?4, ?5,"
            " ?6, ?7, ?8, 0, ?9, ?10, ?11, ?12, 0, 0, 0, '', ?13) RETURNING id",
            &run_id, text(uuid), count((uint64_t)writer->campaign_id), count(backend_id),
            count((uint64_t)workload_id), text(paired ? "pair" : "single"),
            paired ? count((uint64_t)writer->backend_ids[twin]) : nothing(), count(number),
            count(!paired ? number : 2 * number - !encrypted),
            text(run->reason != NULL ? "invalid" : "ok"),
            text(run->reason != NULL ? run->reason : ""), count((uint64_t)run->began_us),
            count((uint64_t)run->ended_us), text(run->source));
    }
    return status == STRATA_OK ? store_phase(writer, run_id, run) : status;
}

static enum strata_status store_all(struct writer *writer,
                                    const struct strata_import_campaign *campaign)
{
    enum strata_status status =
        campaign->added ? find_campaign(writer, campaign->uuid) : make_campaign(writer, campaign);
    if (status == STRATA_OK) {
        status = store_backends(writer);
    }
    for (size_t i = 0; i < writer->set->run_count && status == STRATA_OK; i++) {
        status = store_run(writer, &writer->set->runs[i]);
    }
    return status;
}

/* Who is paired with whom, from both sides. */
static size_t *find_twins(const struct strata_import_set *set)
{
    size_t *twins = strata_memory_new(set->backend_count, sizeof(twins[0]));
    for (size_t i = 0; i < set->backend_count; i++) {
        twins[i] = STRATA_IMPORT_NO_TWIN;
    }
    for (size_t i = 0; i < set->backend_count; i++) {
        if (set->backends[i].twin != STRATA_IMPORT_NO_TWIN) {
            twins[i] = set->backends[i].twin;
            twins[twins[i]] = i;
        }
    }
    return twins;
}

enum strata_status strata_import_store(struct strata_store *store,
                                       const struct strata_import_campaign *campaign,
                                       const struct strata_import_set *set,
                                       struct strata_error *error)
{
    struct writer writer = {.store = store,
                            .set = set,
                            .backend_ids = strata_memory_new(set->backend_count, sizeof(int64_t)),
                            .twins = find_twins(set),
                            .error = error};
    enum strata_status status = strata_query_begin(store, error);
    if (status == STRATA_OK) {
        status = store_all(&writer, campaign);
        if (status == STRATA_OK) {
            status = strata_query_commit(store, error);
        } else {
            strata_query_rollback(store);
        }
    }
    free(writer.backend_ids);
    free(writer.twins);
    return status;
}
