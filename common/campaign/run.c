/* One run as a story: open, prepare, measure, clean up, judge.
 *
 * Always: cleanup and close follow every open, whatever happened; nothing is stored or printed in
 * here. Looks at the kernel's counters are taken from the calling thread, never from a worker. */
#include "common/campaign/run.h"

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/stop.h"
#include "common/base/units.h"
#include "common/campaign/buffers.h"
#include "common/campaign/judge.h"
#include "common/campaign/steady.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DRAIN_NS UINT64_C(30000000000)

/* State of the run that the engine's ticks need. */
struct run {
    const struct strata_run_order *order;
    struct strata_run_outcome *outcome;
    struct strata_run_context context;
    struct strata_counter_disks disks;
    const char *phase;
    uint64_t started_ns;
    unsigned lost_jobs; /* that are inside the target still */
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
    return strstr(error->text, STRATA_UNSUPPORTED) != NULL;
}

static void conclude_error(struct run *run, const struct strata_error *error)
{
    if (error->status == STRATA_INTERRUPTED) {
        conclude(run, "aborted", STRATA_INTERRUPTED, STRATA_RUN_INTERRUPTED);
        return;
    }
    bool unsupported = is_unsupported(error);
    run->outcome->silent = strstr(error->text, STRATA_NO_ANSWER) != NULL;
    conclude(run, unsupported ? "invalid" : "failed", unsupported ? STRATA_OK : error->status,
             error->text);
}

/* What `open` made stands above the back end's own devices, so it goes first. */
static void find_disks(struct run *run)
{
    if (run->context.place[0] != '\0') {
        const char *const place = run->context.place;
        strata_counters_find_disks(&place, 1, &run->disks);
    }
}

/* What a hung device did is worth knowing also when the user lost patience. */
static void conclude_interrupted(struct run *run)
{
    char why[1024];
    snprintf(why, sizeof(why), "%s", run->outcome->reason);
    conclude(run, "aborted", STRATA_INTERRUPTED, STRATA_RUN_INTERRUPTED);
    if (run->outcome->silent) {
        add_reason(run, "aborted", STRATA_INTERRUPTED, why);
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

/* Of a short phase on a busy machine the first look may come when a part of it is over, or all:
 * what it leaves out would pass for a cache's work. Better no look than that one. */
static void drop_late_looks(struct strata_run_outcome *outcome,
                            const struct strata_load_result *result, size_t first_look)
{
    uint64_t latest_ns = result->recorder.begin_ns + result->elapsed_ns / 10;
    if (outcome->look_count > first_look && outcome->looks[first_look].counters.at_ns > latest_ns) {
        outcome->look_count = first_look;
    }
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
    char *reason = outcome->texts[last].reason;
    size_t size = sizeof(outcome->texts[last].reason);
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
        struct strata_step step;
        strata_judge_phase(&evidence, reaches_device(run->order->backend, load), &step, reason,
                           size);
        outcome->phases[last].step_at_ns = step.at_ns;
        outcome->phases[last].step_before_per_s = step.before_per_s;
        outcome->phases[last].step_after_per_s = step.after_per_s;
    }
}

/* Whether the workload's first phase only prepares the region for its rounds. */
static bool has_precondition(const struct strata_workload *workload)
{
    return workload->precondition_passes > 0;
}

/* A run without one valid phase is invalid, for the first phase's reason. */
static void judge_whole(struct run *run)
{
    struct strata_run_outcome *outcome = run->outcome;
    size_t first = has_precondition(run->order->workload) ? 1 : 0;
    for (size_t p = first; p < outcome->phase_count; p++) {
        if (outcome->phases[p].reason[0] == '\0') {
            return;
        }
    }
    if (outcome->phase_count > first && strcmp(outcome->status, "ok") == 0) {
        char text[640];
        snprintf(text, sizeof(text), "%s: %s", outcome->phases[first].name,
                 outcome->phases[first].reason);
        conclude(run, "invalid", STRATA_OK, text);
    }
}

static uint64_t region_bytes(const struct strata_target *target, const struct strata_load *load)
{
    unsigned capabilities = target->type->capabilities;
    bool shared = (capabilities & STRATA_TARGET_SHARED_SPACE) != 0 &&
                  (capabilities & STRATA_TARGET_INSTANT) == 0;
    return shared ? load->bytes * target->type->items(target, 0, 1, load->mix[0].kind) : 0;
}

/* Whether the target gave back all that it was asked, where that can be expected of it. */
static bool answers(struct run *run, const struct strata_load *load,
                    const struct strata_load_result *result)
{
    uint64_t lost = 0;
    for (int k = 0; k < STRATA_OPERATION_KINDS; k++) {
        const struct strata_record *record = result->recorder.records[k];
        lost += record != NULL ? record->tally.abandoned : 0;
    }
    if (lost == 0 || load->give_up_ns == 0) {
        return true;
    }
    char limit[32];
    char text[1024];
    snprintf(text, sizeof(text),
             "%s: %.512s " STRATA_NO_ANSWER "%" PRIu64
             " operation%s in flight did not come back within "
             "%s",
             load->phase, run->order->backend->location, lost, lost == 1 ? "" : "s",
             strata_units_format_duration(load->give_up_ns, limit, sizeof(limit)));
    conclude(run, "failed", STRATA_ENVIRONMENT, text);
    run->outcome->silent = true;
    run->lost_jobs = result->lost_jobs;
    return false;
}

/* The load as this run asks it: with a seed of the phase's own, and with the limits of the target
 * where it gave any. */
static struct strata_load load_of(struct run *run, const struct strata_load *planned, size_t number)
{
    struct strata_load load = *planned;
    load.phase = run->outcome->texts[number].name;
    load.seed = run->order->seed + number;
    load.clock = &strata_clock_machine;
    load.stop = &strata_stop_signal;
    load.give_up_ns = run->context.give_up_ns;
    if (load.give_up_ns > 0) {
        load.drain_ns = load.give_up_ns;
    } else if (load.drain_ns == 0) {
        load.drain_ns = DRAIN_NS;
    }
    load.tick = look;
    load.tick_context = run;
    return load;
}

/* Measure one phase more, called `name`. Returns whether another may follow. One that the target
 * cannot begin is not among the outcome's phases, where it would be one of zeros. */
static bool measure_phase(struct run *run, struct strata_target *target,
                          const struct strata_load *planned, const char *name)
{
    struct strata_run_outcome *outcome = run->outcome;
    size_t number = outcome->phase_count++;
    size_t first_look = outcome->look_count;
    struct strata_load_result *result = &outcome->results[number];
    struct strata_run_text *text = &outcome->texts[number];
    snprintf(text->name, sizeof(text->name), "%s", name);
    run->phase = text->name;
    struct strata_load load = load_of(run, planned, number);
    outcome->phases[number] =
        (struct strata_store_phase){.name = text->name,
                                    .result = result,
                                    .bytes_per_operation = load.bytes,
                                    .reason = text->reason,
                                    .region_bytes = region_bytes(target, &load),
                                    .members = (const char *const *)run->order->backend->places};
    struct strata_error error = {0};
    if (strata_buffers_check(target, &load, &error) != STRATA_OK ||
        strata_load_run(target, &load, result, &error) != STRATA_OK) {
        if (is_unsupported(&error)) {
            strata_load_result_done(result);
            outcome->phase_count = number;
        }
        conclude_error(run, &error);
        return false;
    }
    if (!answers(run, &load, result)) {
        return false;
    }
    drop_late_looks(outcome, result, first_look);
    judge(run, target, &load, first_look);
    /* What follows a phase without any success would work on nothing. */
    return outcome->cause != STRATA_CRITERION_FAILED && strata_stop_signal == 0;
}

/* All phases, each once, in order. */
static void measure_phases(struct run *run, struct strata_target *target)
{
    const struct strata_workload *workload = run->order->workload;
    bool go_on = true;
    for (size_t p = 0; p < workload->phase_count && go_on; p++) {
        go_on = measure_phase(run, target, &workload->phases[p], workload->phases[p].phase);
    }
}

/* Go over the whole region, in one job's sequence, so often as the workload asks. */
static void measure_precondition(struct run *run, struct strata_target *target)
{
    const struct strata_workload *workload = run->order->workload;
    struct strata_load load = workload->phases[0];
    load.operations =
        workload->precondition_passes * target->type->items(target, 0, load.jobs, load.mix[0].kind);
    measure_phase(run, target, &load, load.phase);
    /* Its rate is no result, so that no rule about rates is broken by it. */
    if (strcmp(run->outcome->status, "ok") == 0) {
        run->outcome->texts[0].reason[0] = '\0';
    }
}

/* Rounds of the last phase until five in a row are steady, so often as the workload allows. */
static void measure_rounds(struct run *run, struct strata_target *target)
{
    const struct strata_workload *workload = run->order->workload;
    struct strata_run_outcome *outcome = run->outcome;
    const struct strata_load *load = &workload->phases[workload->phase_count - 1];
    size_t before = outcome->phase_count;
    double *per_s = strata_memory_new(workload->rounds, sizeof(*per_s));
    size_t rounds = 0;
    bool steady = false;
    bool go_on = true;
    while (go_on && !steady && rounds < workload->rounds) {
        char name[32];
        snprintf(name, sizeof(name), "round %zu", rounds + 1);
        go_on = measure_phase(run, target, load, name) && strcmp(outcome->status, "ok") == 0;
        bool begun = outcome->phase_count > before + rounds;
        if (begun) {
            per_s[rounds++] = strata_steady_rate(&outcome->phases[outcome->phase_count - 1],
                                                 workload->concurrency);
            steady = strata_steady_reached(per_s, rounds);
        }
    }
    strata_steady_conclude(&run->context, before > 0 ? &outcome->phases[0] : NULL, per_s, rounds,
                           &outcome->steady);
    free(per_s);
}

static unsigned kinds_of(const struct strata_load *phases, size_t count)
{
    unsigned kinds = 0;
    for (size_t p = 0; p < count; p++) {
        for (unsigned m = 0; m < phases[p].mix_count; m++) {
            kinds |= 1U << phases[p].mix[m].kind;
        }
    }
    return kinds;
}

/* Some of the workload's phases, and what measures them. */
struct part {
    const struct strata_load *phases;
    size_t count;
    void (*measure)(struct run *run, struct strata_target *target);
};

/* From the opened target to the closed one. */
static void use(struct run *run, struct strata_target *target, const struct part *part)
{
    const struct strata_run_order *order = run->order;
    struct strata_error error = {0};
    run->context.region_bytes = region_bytes(target, part->phases);
    if (strata_target_prepare(target, kinds_of(part->phases, part->count), &error) != STRATA_OK) {
        conclude_error(run, &error);
    } else {
        part->measure(run, target);
        judge_whole(run);
        if (order->layer->findings != NULL) {
            order->layer->findings(target, &run->context);
        }
    }
    if (run->context.flags[0] != '\0') {
        add_reason(run, "invalid", STRATA_OK, run->context.flags);
    }
    if (run->context.details[0] != '\0' && strcmp(run->outcome->status, "ok") != 0) {
        add_reason(run, run->outcome->status, run->outcome->cause, run->context.details);
    }
    if (strata_stop_signal != 0) {
        conclude_interrupted(run);
    }
    if (run->lost_jobs > 0) {
        return; /* they hold the target */
    }
    if (strata_target_cleanup(target, &error) != STRATA_OK) {
        strata_error_prefix(&error, "cleanup");
        add_reason(run, "failed", error.status, error.text);
    }
    target->type->close(target);
}

/* Open the target for the part, use it, release what was made for it. */
static void perform(struct run *run, const struct part *part)
{
    const struct strata_run_order *order = run->order;
    struct strata_target *target = NULL;
    struct strata_error error = {0};
    run->context.first_phase = part->phases;
    if (order->layer->open(&run->context, &target, &error) != STRATA_OK) {
        conclude_error(run, &error);
    } else {
        find_disks(run);
        use(run, target, part);
    }
    if (run->outcome->silent && run->context.place[0] != '\0') {
        char left[128];
        snprintf(left, sizeof(left), "%s is left there", run->context.place);
        add_reason(run, "failed", STRATA_ENVIRONMENT, left);
    } else if (order->layer->release != NULL &&
               order->layer->release(&run->context, &error) != STRATA_OK) {
        add_reason(run, "failed", error.status, error.text);
    }
    run->context.provision = NULL;
    run->context.place[0] = '\0';
}

void strata_run_perform(const struct strata_run_order *order, struct strata_run_outcome *outcome)
{
    const struct strata_workload *workload = order->workload;
    size_t phases = workload->phase_count + workload->rounds;
    *outcome = (struct strata_run_outcome){
        .status = "ok",
        .results = strata_memory_new(phases, sizeof(*outcome->results)),
        .phases = strata_memory_new(phases, sizeof(*outcome->phases)),
        .texts = strata_memory_new(phases, sizeof(*outcome->texts)),
    };
    struct run run = {.order = order,
                      .outcome = outcome,
                      .context = {.workload = workload,
                                  .backend = order->backend,
                                  .run_seed = order->seed,
                                  .run_uuid = order->uuid},
                      .disks = *order->disks,
                      .started_ns = strata_clock_monotonic_ns()};
    const struct part whole = {workload->phases, workload->phase_count, measure_phases};
    const struct part precondition = {workload->phases, 1, measure_precondition};
    const struct part rounds = {&workload->phases[workload->phase_count - 1], 1, measure_rounds};
    if (workload->rounds == 0) {
        perform(&run, &whole);
        return;
    }
    if (has_precondition(workload)) {
        perform(&run, &precondition);
    }
    if (strcmp(outcome->status, "ok") == 0) {
        perform(&run, &rounds);
    }
}

void strata_run_outcome_done(struct strata_run_outcome *outcome)
{
    for (size_t p = 0; p < outcome->phase_count; p++) {
        strata_load_result_done(&outcome->results[p]);
    }
    free(outcome->results);
    free(outcome->phases);
    free(outcome->texts);
    free(outcome->looks);
    *outcome = (struct strata_run_outcome){0};
}
