/* One run as a story: open, prepare, measure, clean up, judge.
 *
 * Always: cleanup and close follow every open, whatever happened; nothing is stored or printed in
 * here. Looks at the kernel's counters are taken from the calling thread, never from a worker. */
#include "common/campaign/run.h"

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/stop.h"
#include "common/campaign/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRAIN_SECONDS = 30 };

/* State of the run that the engine's ticks need. */
struct run {
    const struct strata_run_order *order;
    struct strata_run_outcome *outcome;
    struct strata_run_context context;
    struct strata_counter_disks disks;
    const char *phase;
    uint64_t started_ns;
};

static void conclude(struct run *run, const char *status, enum strata_status cause,
                     const char *reason)
{
    run->outcome->status = status;
    run->outcome->cause = cause;
    snprintf(run->outcome->reason, sizeof(run->outcome->reason), "%s", reason);
}

/* What came to light after a run was judged stands beside the reason that there is. */
static void add_reason(struct run *run, const char *status, enum strata_status cause,
                       const char *reason)
{
    struct strata_run_outcome *outcome = run->outcome;
    if (strcmp(outcome->status, "ok") == 0) {
        conclude(run, status, cause, reason);
        return;
    }
    size_t length = strlen(outcome->reason);
    snprintf(outcome->reason + length, sizeof(outcome->reason) - length, "; %s", reason);
}

/* A target that says "unsupported" was asked for what it cannot do; anything else is a failure. */
static bool is_unsupported(const struct strata_error *error)
{
    return strstr(error->text, STRATA_RUN_UNSUPPORTED) != NULL;
}

static void conclude_error(struct run *run, const struct strata_error *error)
{
    bool unsupported = is_unsupported(error);
    conclude(run, unsupported ? "invalid" : "failed", unsupported ? STRATA_OK : error->status,
             error->text);
}

/* What `open` made stands above the back end's own devices, so it goes first. */
static void find_disks(struct run *run)
{
    if (run->context.place[0] != '\0') {
        run->disks = (struct strata_counter_disks){0};
        strata_counters_find_disks(run->context.place, &run->disks);
    }
}

static void look(void *context, uint64_t elapsed_ns, uint64_t operations_done)
{
    struct run *run = context;
    struct strata_run_outcome *outcome = run->outcome;
    (void)elapsed_ns;
    (void)operations_done;
    strata_memory_grow((void **)&outcome->looks, &outcome->look_capacity, outcome->look_count + 1,
                       sizeof(*outcome->looks));
    struct strata_store_look *look = &outcome->looks[outcome->look_count++];
    look->phase = run->phase;
    strata_counters_read(&run->disks, &look->counters);
    if (run->order->tick != NULL) {
        run->order->tick(run->order->tick_context, strata_clock_monotonic_ns() - run->started_ns);
    }
}

/* Whether the kernel must have counted the phase's bytes at a device: direct I/O, and the content
 * of files, which the target has dropped from the caches before it is read. Writes to files may
 * stay in memory until they are synced. */
static bool reaches_device(const struct strata_backend *backend, const struct strata_load *load)
{
    bool device = backend->layer == STRATA_LAYER_DEVICE && backend->element->type->place != NULL;
    return device || (backend->layer == STRATA_LAYER_FILESYSTEM && load->mix_count == 1 &&
                      load->mix[0].kind == STRATA_OPERATION_READ);
}

/* Judge the phase that ended last by itself: its reason, if any, stands beside it, so that the
 * run's other phases keep their worth. */
static void judge(struct run *run, const struct strata_target *target,
                  const struct strata_load *load, size_t first_look)
{
    struct strata_run_outcome *outcome = run->outcome;
    size_t last = outcome->phase_count - 1;
    struct strata_phase_evidence evidence = {
        .load = load, .result = &outcome->results[last], .target = target->type};
    if (outcome->look_count > first_look + 1) {
        evidence.before = &outcome->looks[first_look].counters;
        evidence.after = &outcome->looks[outcome->look_count - 1].counters;
    }
    char *reason = outcome->phase_reasons[last];
    size_t size = sizeof(outcome->phase_reasons[last]);
    bool all_failed = strata_judge_all_failed(evidence.result);
    if (all_failed) {
        snprintf(reason, size, "every operation failed");
    }
    if (all_failed ||
        strata_judge_errors(evidence.result, run->order->error_budget, reason, size)) {
        char text[640];
        snprintf(text, sizeof(text), "%s: %s", load->phase, reason);
        conclude(run, all_failed ? "failed" : "invalid",
                 all_failed ? STRATA_CRITERION_FAILED : STRATA_OK, text);
    } else {
        strata_judge_phase(&evidence, reaches_device(run->order->backend, load), reason, size);
    }
}

/* A run without one valid phase is invalid, for the first phase's reason. */
static void judge_whole(struct run *run)
{
    struct strata_run_outcome *outcome = run->outcome;
    for (size_t p = 0; p < outcome->phase_count; p++) {
        if (outcome->phase_reasons[p][0] == '\0') {
            return;
        }
    }
    if (outcome->phase_count > 0 && strcmp(outcome->status, "ok") == 0) {
        char text[640];
        snprintf(text, sizeof(text), "%s: %s", outcome->phases[0].name, outcome->phase_reasons[0]);
        conclude(run, "invalid", STRATA_OK, text);
    }
}

/* Measure the phases in order until one cannot go on or the user interrupts. */
static void measure(struct run *run, struct strata_target *target)
{
    const struct strata_workload *workload = run->order->workload;
    struct strata_run_outcome *outcome = run->outcome;
    outcome->results = strata_memory_new(workload->phase_count, sizeof(*outcome->results));
    outcome->phases = strata_memory_new(workload->phase_count, sizeof(*outcome->phases));
    outcome->phase_reasons =
        strata_memory_new(workload->phase_count, sizeof(*outcome->phase_reasons));
    for (size_t p = 0; p < workload->phase_count && strata_stop_signal == 0; p++) {
        struct strata_load load = workload->phases[p];
        load.seed = run->order->seed + p;
        load.clock = &strata_clock_machine;
        load.stop = &strata_stop_signal;
        load.drain_ns = load.drain_ns > 0 ? load.drain_ns : DRAIN_SECONDS * UINT64_C(1000000000);
        load.tick = look;
        load.tick_context = run;
        run->phase = load.phase;
        size_t first_look = outcome->look_count;
        struct strata_error error = {0};
        enum strata_status status = strata_load_run(target, &load, &outcome->results[p], &error);
        outcome->phases[p] = (struct strata_store_phase){.name = load.phase,
                                                         .result = &outcome->results[p],
                                                         .bytes_per_operation = load.bytes,
                                                         .reason = outcome->phase_reasons[p]};
        outcome->phase_count = p + 1;
        if (status != STRATA_OK) {
            if (is_unsupported(&error)) { /* it never began: no phase of zeros */
                strata_load_result_done(&outcome->results[p]);
                outcome->phase_count = p;
            }
            conclude_error(run, &error);
            return;
        }
        judge(run, target, &load, first_look);
        if (outcome->cause == STRATA_CRITERION_FAILED) {
            return; /* what follows would work on nothing */
        }
    }
    judge_whole(run);
}

static unsigned kinds_of(const struct strata_workload *workload)
{
    unsigned kinds = 0;
    for (size_t p = 0; p < workload->phase_count; p++) {
        for (unsigned m = 0; m < workload->phases[p].mix_count; m++) {
            kinds |= 1U << workload->phases[p].mix[m].kind;
        }
    }
    return kinds;
}

/* From the opened target to the closed one. */
static void use(struct run *run, struct strata_target *target)
{
    const struct strata_run_order *order = run->order;
    struct strata_error error = {0};
    if (target->type->prepare != NULL &&
        target->type->prepare(target, kinds_of(order->workload), &error) != STRATA_OK) {
        conclude_error(run, &error);
    } else {
        measure(run, target);
        if (order->layer->findings != NULL) {
            order->layer->findings(target, &run->context);
        }
    }
    if (run->context.flags[0] != '\0') {
        add_reason(run, "invalid", STRATA_OK, run->context.flags);
    }
    if (strata_stop_signal != 0) {
        conclude(run, "aborted", STRATA_INTERRUPTED, "interrupted");
    }
    if (target->type->cleanup != NULL && target->type->cleanup(target, &error) != STRATA_OK) {
        strata_error_prefix(&error, "cleanup");
        add_reason(run, "failed", error.status, error.text);
    }
    target->type->close(target);
}

void strata_run_perform(const struct strata_run_order *order, struct strata_run_outcome *outcome)
{
    *outcome = (struct strata_run_outcome){.status = "ok"};
    struct run run = {.order = order,
                      .outcome = outcome,
                      .context = {.workload = order->workload,
                                  .backend = order->backend,
                                  .run_seed = order->seed,
                                  .run_uuid = order->uuid},
                      .disks = *order->disks,
                      .started_ns = strata_clock_monotonic_ns()};
    struct strata_target *target = NULL;
    struct strata_error error = {0};
    if (order->layer->open(&run.context, &target, &error) != STRATA_OK) {
        conclude_error(&run, &error);
    } else {
        find_disks(&run);
        use(&run, target);
    }
    if (order->layer->release != NULL && order->layer->release(&run.context, &error) != STRATA_OK) {
        add_reason(&run, "failed", error.status, error.text);
    }
}

void strata_run_outcome_done(struct strata_run_outcome *outcome)
{
    for (size_t p = 0; p < outcome->phase_count; p++) {
        strata_load_result_done(&outcome->results[p]);
    }
    free(outcome->results);
    free(outcome->phases);
    free(outcome->phase_reasons);
    free(outcome->looks);
    *outcome = (struct strata_run_outcome){0};
}
