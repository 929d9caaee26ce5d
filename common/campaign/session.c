/* The loop over cells and slots: what users call a campaign.
 *
 * Always: one transaction marks a run as running, one stores all of it, none while it is measured;
 * a back end of a cell that cannot even be opened is given up for the cell, so that a dead server
 * costs one timeout and not a hundred; the other one still says what it does. What a run is stands
 * in run.c, the order of plain and encrypted in load/pairs.c.
 */
#include "common/campaign/session.h"

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/base/stop.h"
#include "common/base/text.h"
#include "common/campaign/describe.h"
#include "common/campaign/run.h"
#include "common/host/facts.h"
#include "common/load/pairs.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void say(const struct strata_session_observer *observer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(const struct strata_session_observer *observer, const char *format, ...)
{
    char line[1400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    observer->message(observer->context, line);
}

/* --- inspection --- */

static bool is_used(const struct strata_cells *cells, const struct strata_backend *backend,
                    bool *ret_writes)
{
    bool used = false;
    *ret_writes = false;
    for (size_t i = 0; i < cells->count; i++) {
        if (cells->items[i].plain == backend || cells->items[i].encrypted == backend) {
            used = true;
            *ret_writes = *ret_writes || strata_workload_writes(&cells->items[i].workload);
        }
    }
    return used;
}

enum strata_status strata_session_inspect(struct strata_backends *backends,
                                          const struct strata_layer *layer,
                                          const struct strata_cells *cells,
                                          const struct strata_session_observer *observer,
                                          struct strata_error *error)
{
    for (size_t i = 0; i < backends->count; i++) {
        struct strata_backend *backend = &backends->items[i];
        bool writes;
        if (backend->name == NULL || !is_used(cells, backend, &writes)) {
            continue;
        }
        if (layer->inspect(backend, writes, error) == STRATA_OK) {
            continue;
        }
        if (error->status == STRATA_INTERRUPTED) {
            return error->status;
        }
        strata_error_prefix(error, "%s", backend->name);
        const char *missing = strata_element_find_text(backend->element, "when-missing");
        bool skip = missing != NULL && strcmp(missing, "skip") == 0;
        if (!skip || error->status != STRATA_ENVIRONMENT) {
            return error->status;
        }
        say(observer, "left out, as its when-missing allows: %s", error->text);
        strata_backends_remove(backends, backend);
    }
    return STRATA_OK;
}

/* --- rows that runs refer to --- */

struct ids {
    int64_t campaign;
    int64_t environment;
};

static enum strata_status store_campaign(const struct strata_session *session, struct ids *ids,
                                         struct strata_error *error)
{
    const struct strata_element *campaign = &session->plan->campaign;
    struct strata_store_campaign row = {
        .uuid = session->campaign_uuid,
        .name = strata_element_text(campaign, "name"),
        .configuration = session->plan->text,
        .seed = strata_element_number(campaign, "seed"),
        .loss_margin = strata_element_decimal(campaign, "loss-margin"),
        .planned_pairs = (unsigned)strata_element_number(campaign, "pairs"),
        .time_scale = strata_element_decimal(campaign, "time-scale"),
    };
    enum strata_status status = strata_store_campaign(session->store, &row, &ids->campaign, error);
    if (status == STRATA_OK) {
        char host[33];
        struct strata_text facts = {0};
        strata_facts_host_id(host);
        strata_facts_environment(&facts);
        status = strata_store_environment(session->store, host, strata_text_string(&facts),
                                          &ids->environment, error);
        strata_text_done(&facts);
    }
    return status;
}

/* An encrypted twin lies where its plain one does, unless it says so itself. */
static const char *stands_on(const struct strata_backend *backend)
{
    const char *own = strata_element_find_text(backend->element, "stands-on");
    return own == NULL && backend->twin != NULL
               ? strata_element_find_text(backend->twin->element, "stands-on")
               : own;
}

/* Its row, after those of the back ends that it refers to. A campaign where one of them was left
 * out refers to none. */
static enum strata_status store_backend(const struct strata_session *session, int64_t campaign_id,
                                        const struct strata_backend *backend, int64_t *ret_id,
                                        struct strata_error *error)
{
    *ret_id = 0;
    if (backend == NULL || backend->name == NULL) {
        return STRATA_OK;
    }
    int64_t twin_id = 0;
    int64_t versus_id = 0;
    enum strata_status status = store_backend(session, campaign_id, backend->twin, &twin_id, error);
    if (status == STRATA_OK) {
        status = store_backend(session, campaign_id, backend->versus, &versus_id, error);
    }
    if (status != STRATA_OK) {
        return status;
    }
    struct strata_text storage = {0};
    strata_describe_storage(backend, &storage);
    struct strata_store_backend row = {
        .name = backend->name,
        .layer = strata_layer_name(backend->layer),
        .location = backend->location,
        .encrypted = backend->encrypted,
        .encryption = backend->encryption,
        .proof = strata_proof_name(backend->proof.level),
        .evidence = backend->proof.evidence,
        .twin_id = twin_id,
        .storage = strata_text_string(&storage),
        .stands_on = stands_on(backend),
        .versus_id = versus_id,
    };
    status = strata_store_backend(session->store, campaign_id, &row, ret_id, error);
    strata_text_done(&storage);
    return status;
}

static enum strata_status store_workload(const struct strata_session *session,
                                         const struct strata_workload *workload, int64_t *ret_id,
                                         struct strata_error *error)
{
    char operation[256] = "";
    size_t length = 0;
    for (size_t p = 0; p < workload->phase_count && length < sizeof(operation); p++) {
        length += (size_t)snprintf(operation + length, sizeof(operation) - length, "%s%s",
                                   p > 0 ? " " : "", workload->phases[p].phase);
    }
    double rate_per_s = workload->phases[0].rate_per_s;
    struct strata_store_workload row = {
        .layer = strata_layer_name(workload->layer),
        .name = workload->name,
        .element = workload->element,
        .operation = operation,
        .object_bytes = workload->object_bytes,
        .block_bytes = workload->block_bytes,
        .concurrency = workload->concurrency,
        .category = workload->category,
        .arrival = rate_per_s > 0 ? "open" : "closed",
        .rate_per_s = rate_per_s,
        .match_key = workload->match_key,
        .parameters = workload->parameters,
    };
    return strata_store_workload(session->store, &row, ret_id, error);
}

/* --- one cell --- */

struct cell_run {
    const struct strata_session *session;
    const struct strata_cell *cell;
    struct ids ids;
    int64_t workload_id;
    int64_t backend_ids[2]; /* plain, encrypted */
    struct strata_counter_disks disks[2];
    struct strata_session_summary *summary;
};

static void find_disks(const struct strata_backend *backend, struct strata_counter_disks *disks)
{
    strata_counters_find_disks((const char *const *)backend->places, backend->place_count, disks);
}

static enum strata_status begin_cell(struct cell_run *run, struct strata_error *error)
{
    const struct strata_cell *cell = run->cell;
    enum strata_status status =
        store_workload(run->session, &cell->workload, &run->workload_id, error);
    if (status == STRATA_OK) {
        status = store_backend(run->session, run->ids.campaign, cell->plain, &run->backend_ids[0],
                               error);
        find_disks(cell->plain, &run->disks[0]);
    }
    if (status == STRATA_OK && cell->encrypted != NULL) {
        status = store_backend(run->session, run->ids.campaign, cell->encrypted,
                               &run->backend_ids[1], error);
        find_disks(cell->encrypted, &run->disks[1]);
    }
    return status;
}

static void describe(const struct strata_cell *cell, const struct strata_backend *backend,
                     unsigned repetition, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s, %s, %s%u of %u", cell->workload.name,
             cell->control ? "A/A control" : backend->name,
             cell->encrypted != NULL ? "pair " : "run ", repetition, cell->repetitions);
}

static void run_tick(void *context, uint64_t run_elapsed_ns)
{
    const struct strata_session_observer *observer = context;
    observer->run_goes_on(observer->context, run_elapsed_ns);
}

static void count(struct strata_session_summary *summary, const struct strata_run_outcome *outcome)
{
    if (strcmp(outcome->status, "ok") == 0) {
        summary->ok++;
    } else if (strcmp(outcome->status, "invalid") == 0) {
        summary->invalid++;
    } else if (strcmp(outcome->status, "aborted") == 0) {
        summary->aborted++;
    } else {
        if (summary->failed == 0) {
            summary->first_cause = outcome->cause;
            snprintf(summary->first_reason, sizeof(summary->first_reason), "%s", outcome->reason);
        }
        summary->failed++;
    }
}

/* Run slot `slot` of the cell on one of its sides. *ret_give_up: nothing of it can run there. */
static enum strata_status run_slot(struct cell_run *run, unsigned slot, bool encrypted_side,
                                   bool *ret_give_up, struct strata_error *error)
{
    const struct strata_cell *cell = run->cell;
    const struct strata_session *session = run->session;
    const struct strata_session_observer *observer = session->observer;
    const struct strata_backend *backend = encrypted_side ? cell->encrypted : cell->plain;
    unsigned repetition = cell->encrypted != NULL ? slot / 2 + 1 : slot + 1;
    char uuid[37];
    strata_random_uuid(uuid);
    uint64_t seed;
    strata_random_secret(&seed, sizeof(seed)); /* payload must differ from any other run's */
    seed &= INT64_MAX;

    struct strata_store_run row = {
        .uuid = uuid,
        .campaign_id = run->ids.campaign,
        .environment_id = run->ids.environment,
        .backend_id = run->backend_ids[encrypted_side],
        .workload_id = run->workload_id,
        .cell = cell->control             ? "control"
                : cell->encrypted != NULL ? "pair"
                                          : "single",
        .twin_backend_id = cell->encrypted != NULL ? run->backend_ids[!encrypted_side] : 0,
        .pair_no = cell->round * cell->repetitions + repetition,
        .slot = cell->round * strata_cell_runs(cell) + slot + 1,
        .seed = seed,
    };
    int64_t run_id = 0;
    enum strata_status status = strata_store_run_begin(session->store, &row, &run_id, error);
    if (status != STRATA_OK) {
        return status;
    }
    char what[256];
    describe(cell, backend, repetition, what, sizeof(what));
    observer->run_begins(observer->context, what, cell->workload.expected_ns);

    struct strata_run_order order = {
        .layer = session->layer,
        .workload = &cell->workload,
        .backend = backend,
        .seed = seed,
        .uuid = uuid,
        .error_budget = strata_element_decimal(&session->plan->campaign, "error-budget"),
        .disks = &run->disks[encrypted_side],
        .tick = run_tick,
        .tick_context = (void *)(uintptr_t)observer,
    };
    struct strata_run_outcome outcome;
    strata_run_perform(&order, &outcome);
    struct strata_store_outcome stored = {
        .status = outcome.status,
        .reason = outcome.reason,
        .phases = outcome.phases,
        .phase_count = outcome.phase_count,
        .looks = outcome.looks,
        .look_count = outcome.look_count,
        .steady = outcome.steady.capacity_bytes > 0 ? &outcome.steady : NULL};
    status = strata_store_run_finish(session->store, run_id, &stored, error);
    count(run->summary, &outcome);
    run->summary->silent = run->summary->silent || outcome.silent;
    observer->run_ended(observer->context, cell->workload.expected_ns);
    if (outcome.reason[0] != '\0' && strcmp(outcome.reason, STRATA_RUN_INTERRUPTED) != 0) {
        say(observer, "%s: %s: %s", what, outcome.status, outcome.reason);
    }
    *ret_give_up = outcome.phase_count == 0 && outcome.reason[0] != '\0';
    strata_run_outcome_done(&outcome);
    return status;
}

/* A cell with a time of the day waits for it. Returns false when the time has passed or the user
 * interrupts. */
static bool wait_for_slot(const struct cell_run *run)
{
    const struct strata_cell *cell = run->cell;
    const struct strata_session_observer *observer = run->session->observer;
    char what[160];
    snprintf(what, sizeof(what), "waiting for %s", cell->workload.category);
    if (cell->not_before_us > strata_clock_wall_us()) {
        observer->run_begins(observer->context, what, 0);
    }
    while (cell->not_before_us > strata_clock_wall_us() && strata_stop_signal == 0) {
        strata_clock_sleep_until_ns(strata_clock_monotonic_ns() + UINT64_C(1000000000));
        observer->run_goes_on(observer->context, 0);
    }
    return strata_stop_signal == 0 &&
           (cell->not_after_us == 0 || strata_clock_wall_us() <= cell->not_after_us);
}

/* Each of the cell's runs is stored as aborted, since nobody can run it any more. */
static enum strata_status store_missed(struct cell_run *run, struct strata_error *error)
{
    char uuid[37];
    strata_random_uuid(uuid);
    struct strata_store_run row = {
        .uuid = uuid,
        .campaign_id = run->ids.campaign,
        .environment_id = run->ids.environment,
        .backend_id = run->backend_ids[0],
        .workload_id = run->workload_id,
        .cell = "single",
        .pair_no = run->cell->round * run->cell->repetitions + 1,
        .slot = run->cell->round * strata_cell_runs(run->cell) + 1,
    };
    struct strata_store_outcome outcome = {.status = "aborted", .reason = "slot missed"};
    int64_t run_id = 0;
    enum strata_status status = strata_store_run_begin(run->session->store, &row, &run_id, error);
    if (status == STRATA_OK) {
        status = strata_store_run_finish(run->session->store, run_id, &outcome, error);
    }
    run->summary->missed++;
    say(run->session->observer, "%s: slot missed", run->cell->workload.name);
    return status;
}

static enum strata_status run_cell(struct cell_run *run, uint64_t order_seed,
                                   struct strata_error *error)
{
    const struct strata_cell *cell = run->cell;
    enum strata_status status = begin_cell(run, error);
    if (status != STRATA_OK) {
        return status;
    }
    if (cell->not_before_us != 0 && !wait_for_slot(run)) {
        return strata_stop_signal != 0 ? STRATA_OK : store_missed(run, error);
    }
    unsigned runs = strata_cell_runs(cell);
    bool *sides = strata_memory_new(runs + 1, sizeof(*sides));
    if (cell->encrypted != NULL) {
        strata_pairs_order(order_seed, cell->repetitions, sides);
    }
    bool given_up[2] = {false, false};
    for (unsigned slot = 0;
         slot < runs && status == STRATA_OK && !run->summary->silent && strata_stop_signal == 0;
         slot++) {
        if (!given_up[sides[slot]]) {
            status = run_slot(run, slot, sides[slot], &given_up[sides[slot]], error);
        }
    }
    free(sides);
    return status;
}

enum strata_status strata_session_run(const struct strata_session *session,
                                      struct strata_session_summary *ret_summary,
                                      struct strata_error *error)
{
    *ret_summary = (struct strata_session_summary){0};
    struct ids ids = {0};
    enum strata_status status = store_campaign(session, &ids, error);
    uint64_t seed = strata_element_number(&session->plan->campaign, "seed");
    for (size_t c = 0; c < session->cells->count && status == STRATA_OK && !ret_summary->silent;
         c++) {
        struct cell_run run = {.session = session,
                               .cell = &session->cells->items[c],
                               .ids = ids,
                               .summary = ret_summary};
        status = run_cell(&run, seed + c, error);
        if (status == STRATA_OK && strata_stop_signal != 0) {
            status = strata_error_set(error, STRATA_INTERRUPTED, "interrupted");
        }
    }
    return status;
}
