/* A phase as a whole: start the jobs together, keep the caller informed, add up what they counted.
 *
 * Must always hold: no job waits for ever because another one failed; the accounting identities are
 * checked after every phase; nothing is merged before every job has ended or was given up. What one
 * job does stands in job.c, what they share while they run in gate.c. */
#include "common/load/load.h"

#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/load/job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND_NS UINT64_C(1000000000)

struct phase {
    const struct strata_load *load;
    struct strata_target *target;
    struct strata_gate gate;
    unsigned kinds;
    struct strata_job **jobs;
    pthread_t *threads;
    unsigned thread_count; /* threads that were started */
    unsigned lost_count;   /* of those, given up inside the target */
    int64_t begin_wall_us;
};

static enum strata_status check(const struct strata_load *load, const struct strata_target *target,
                                struct strata_error *error)
{
    unsigned weight = 0;
    for (unsigned m = 0; m < load->mix_count && m < STRATA_LOAD_MIX; m++) {
        weight += load->mix[m].weight;
    }
    if (load->jobs == 0 || load->depth == 0 || load->depth > UINT16_MAX || load->mix_count == 0 ||
        load->mix_count > STRATA_LOAD_MIX || (load->mix_count > 1 && weight == 0) ||
        load->clock == NULL) {
        return strata_error_set(error, STRATA_INTERNAL,
                                "%s: %u jobs, depth %u, %u kinds of weight %u%s: no such load",
                                load->phase, load->jobs, load->depth, load->mix_count, weight,
                                load->clock == NULL ? ", no clock" : "");
    }
    if (!load->one_pass && load->operations == 0 && load->duration_ns == 0) {
        return strata_error_set(error, STRATA_INTERNAL,
                                "%s: expected an end: one pass, operations or a duration",
                                load->phase);
    }
    if ((target->type->capabilities & STRATA_TARGET_SYNCHRONOUS) != 0 && load->depth > 1) {
        return strata_error_set(error, STRATA_USAGE,
                                "depth %u: %s is synchronous and can have only 1 in flight",
                                load->depth, target->type->name);
    }
    return STRATA_OK;
}

static void make_jobs(struct phase *phase)
{
    uint64_t identity;
    strata_random_secret(&identity, sizeof(identity));
    phase->jobs = strata_memory_new(phase->load->jobs, sizeof(*phase->jobs));
    phase->threads = strata_memory_new(phase->load->jobs, sizeof(*phase->threads));
    for (unsigned j = 0; j < phase->load->jobs; j++) {
        struct strata_job *job = strata_memory_new_aligned(sizeof(*job));
        job->load = phase->load;
        job->target = phase->target;
        job->gate = &phase->gate;
        job->number = j;
        job->kinds = phase->kinds;
        job->identity = identity + j;
        strata_job_init(job);
        phase->jobs[j] = job;
    }
}

/* Signals are for the calling thread; in a job they would only interrupt an operation. */
static enum strata_status start_threads(struct phase *phase, struct strata_error *error)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = 0;
    while (code == 0 && phase->thread_count < phase->load->jobs) {
        unsigned j = phase->thread_count;
        code = pthread_create(&phase->threads[j], NULL, strata_job_run, phase->jobs[j]);
        phase->thread_count += code == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (code != 0) {
        return strata_error_set(error, STRATA_ENVIRONMENT, "%s: cannot start thread %u of %u: %s",
                                phase->load->phase, phase->thread_count + 1, phase->load->jobs,
                                strerrordesc_np(code));
    }
    return STRATA_OK;
}

/* The first job that failed, in the order of their numbers. */
static enum strata_status first_failure(const struct phase *phase, struct strata_error *error)
{
    for (unsigned j = 0; j < phase->thread_count; j++) {
        if (phase->jobs[j]->status != STRATA_OK) {
            *error = phase->jobs[j]->error;
            return strata_error_prefix(error, "%s", phase->load->phase);
        }
    }
    return STRATA_OK;
}

static uint64_t now_ns(const struct phase *phase)
{
    return phase->load->clock->now_ns(phase->load->clock->context);
}

static void open_gate(struct phase *phase)
{
    strata_gate_open(&phase->gate);
    int64_t until_begin_ns = (int64_t)(phase->gate.begin_ns - now_ns(phase));
    phase->begin_wall_us = strata_clock_wall_us() + until_begin_ns / 1000;
}

static void tick(const struct phase *phase, uint64_t elapsed_ns)
{
    if (phase->load->tick == NULL) {
        return;
    }
    uint64_t done = 0;
    for (unsigned j = 0; j < phase->load->jobs; j++) {
        done += atomic_load_explicit(&phase->jobs[j]->done, memory_order_relaxed);
    }
    phase->load->tick(phase->load->tick_context, elapsed_ns, done);
}

static uint64_t elapsed_ns(const struct phase *phase)
{
    uint64_t now = now_ns(phase);
    return now > phase->gate.begin_ns ? now - phase->gate.begin_ns : 0;
}

/* Give up the jobs that the target does not let go. */
static void lose_jobs(struct phase *phase)
{
    for (unsigned j = 0; j < phase->thread_count && phase->load->give_up_ns > 0; j++) {
        if (strata_job_lose(phase->jobs[j], now_ns(phase))) {
            pthread_detach(phase->threads[j]);
            phase->lost_count++;
        }
    }
}

static bool is_lost(const struct phase *phase, unsigned j)
{
    return atomic_load(&phase->jobs[j]->inside_ns) == STRATA_JOB_LOST;
}

/* Open the gate; tick when measuring begins, each second after, and at the end. Without a warm-up
 * the first tick comes before the jobs are let go: a look at the kernel's counters a few
 * milliseconds after them would miss a good part of a short phase. */
static void attend(struct phase *phase)
{
    bool begun = phase->load->warmup_ns == 0;
    if (begun) {
        tick(phase, 0);
    }
    open_gate(phase);
    uint64_t now = now_ns(phase);
    uint64_t first = phase->gate.begin_ns > now ? phase->gate.begin_ns - now : 0;
    uint64_t next_ns = strata_clock_monotonic_ns() + first + (begun ? SECOND_NS : 0);
    while (!strata_gate_wait_finished(&phase->gate, phase->thread_count - phase->lost_count,
                                      next_ns)) {
        lose_jobs(phase);
        tick(phase, elapsed_ns(phase));
        begun = true;
        next_ns += SECOND_NS;
    }
    if (!begun) {
        tick(phase, 0);
    }
    tick(phase, elapsed_ns(phase));
}

/* A thread whose operations hang may hang as well when it ends (io_uring's own threads do): such a
 * job is given up too. */
static void join(struct phase *phase, unsigned j)
{
    if (is_lost(phase, j)) {
        return;
    }
    if (phase->jobs[j]->in_flight == 0) {
        pthread_join(phase->threads[j], NULL);
        return;
    }
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until); /* the clock that this function has */
    until.tv_sec++;
    if (pthread_timedjoin_np(phase->threads[j], NULL, &until) != 0) {
        pthread_detach(phase->threads[j]);
        atomic_store(&phase->jobs[j]->inside_ns, STRATA_JOB_LOST);
        phase->lost_count++;
    }
}

static enum strata_status run_jobs(struct phase *phase, struct strata_error *error)
{
    enum strata_status status = start_threads(phase, error);
    strata_gate_wait_arrived(&phase->gate, phase->thread_count);
    if (status == STRATA_OK) {
        status = first_failure(phase, error);
    }
    if (status == STRATA_OK) {
        attend(phase);
    } else {
        strata_gate_cancel(&phase->gate);
    }
    for (unsigned j = 0; j < phase->thread_count; j++) {
        join(phase, j);
    }
    return status == STRATA_OK ? first_failure(phase, error) : status;
}

static bool something_finished(const struct strata_recorder *recorder)
{
    for (unsigned kind = 0; kind < STRATA_OPERATION_KINDS; kind++) {
        const struct strata_record *record = recorder->records[kind];
        if (record != NULL &&
            record->tally.ok + record->tally.failed + record->tally.timed_out > 0) {
            return true;
        }
    }
    return false;
}

/* The shortest time that is still a time, where the clock did not move. */
static uint64_t at_least_one(uint64_t duration_ns, bool needed)
{
    return needed && duration_ns == 0 ? 1 : duration_ns;
}

/* The kernel divides a thread's time into user and system mode by samples, so that over a few
 * milliseconds it may say more than there was. */
static double busy_fraction(const struct strata_job *job)
{
    if (job->busy_until_ns <= job->busy_from_ns || job->user_ns <= 0) {
        return 0;
    }
    double fraction = (double)job->user_ns / (double)(job->busy_until_ns - job->busy_from_ns);
    return fraction < 1 ? fraction : 1;
}

static void add_up_times(struct phase *phase, struct strata_load_result *result)
{
    uint64_t begin_ns = phase->gate.begin_ns;
    uint64_t window_end_ns = strata_gate_window_end_ns(&phase->gate);
    uint64_t last_end_ns = begin_ns;
    uint64_t in_flight_ns = 0;
    double busy = 0;
    unsigned workers = 0;
    for (unsigned j = 0; j < phase->load->jobs; j++) {
        const struct strata_job *job = phase->jobs[j];
        last_end_ns = job->last_end_ns > last_end_ns ? job->last_end_ns : last_end_ns;
        in_flight_ns += job->in_flight_ns;
        result->interrupted = result->interrupted || job->interrupted;
        workers += job->had_work;
        busy += job->had_work ? busy_fraction(job) : 0;
    }
    bool finished = something_finished(&result->recorder);
    result->started_at_us = phase->begin_wall_us;
    result->elapsed_ns = at_least_one(last_end_ns - begin_ns, finished);
    if (workers > 0 && window_end_ns != UINT64_MAX) {
        result->window_ns =
            at_least_one(window_end_ns > begin_ns ? window_end_ns - begin_ns : 0, finished);
        result->generator_busy_fraction = busy / workers;
    }
    if (result->window_ns > 0) {
        result->mean_in_flight = (double)in_flight_ns / (double)result->window_ns;
    }
    result->lost_jobs = phase->lost_count;
    result->recorder.begin_ns = begin_ns;
    result->recorder.window_end_ns = begin_ns + result->window_ns;
    result->warmup.begin_ns = phase->gate.start_ns;
    result->warmup.window_end_ns = begin_ns;
}

/* What the jobs of each member of the target did, by itself. */
static void add_up_members(const struct phase *phase, struct strata_load_result *result)
{
    unsigned members = phase->target->members;
    if (members < 2) {
        return;
    }
    result->members = strata_memory_new(members, sizeof(*result->members));
    result->member_count = members;
    for (unsigned m = 0; m < members; m++) {
        strata_recorder_init(&result->members[m], phase->kinds, phase->load->rate_per_s > 0);
        for (unsigned j = m; j < phase->load->jobs; j += members) {
            strata_recorder_merge(&result->members[m], &phase->jobs[j]->measured);
        }
    }
}

static enum strata_status add_up(struct phase *phase, struct strata_load_result *result,
                                 struct strata_error *error)
{
    add_up_members(phase, result);
    for (unsigned j = 0; j < phase->load->jobs; j++) {
        strata_recorder_merge(&result->recorder, &phase->jobs[j]->measured);
        strata_recorder_merge(&result->warmup, &phase->jobs[j]->warmup);
    }
    if (phase->gate.state == STRATA_GATE_OPEN) {
        add_up_times(phase, result);
    }
    if (!strata_recorder_consistent(&result->recorder) ||
        !strata_recorder_consistent(&result->warmup)) {
        return strata_error_set(error, STRATA_INTERNAL,
                                "%s: the counts of operations due, started and ended do not add up",
                                phase->load->phase);
    }
    return STRATA_OK;
}

enum strata_status strata_load_run(struct strata_target *target, const struct strata_load *load,
                                   struct strata_load_result *result, struct strata_error *error)
{
    *result = (struct strata_load_result){.interrupted = false};
    enum strata_status status = check(load, target, error);
    if (status != STRATA_OK) {
        return status;
    }
    struct phase phase = {.load = load, .target = target};
    for (unsigned m = 0; m < load->mix_count; m++) {
        phase.kinds |= 1U << load->mix[m].kind;
    }
    strata_recorder_init(&result->recorder, phase.kinds, load->rate_per_s > 0);
    strata_recorder_init(&result->warmup, phase.kinds, load->rate_per_s > 0);
    strata_gate_init(&phase.gate, load->jobs, load->clock, load->warmup_ns, load->duration_ns);
    make_jobs(&phase);

    status = run_jobs(&phase, error);
    struct strata_error broken;
    enum strata_status added = add_up(&phase, result, &broken);
    if (status == STRATA_OK && added != STRATA_OK) {
        status = added;
        *error = broken;
    }

    for (unsigned j = 0; j < load->jobs; j++) {
        if (!is_lost(&phase, j)) {
            strata_job_done(phase.jobs[j]);
            free(phase.jobs[j]);
        }
    }
    free(phase.jobs);
    free(phase.threads);
    strata_gate_done(&phase.gate);
    return status;
}

void strata_load_result_done(struct strata_load_result *result)
{
    strata_recorder_done(&result->recorder);
    strata_recorder_done(&result->warmup);
    for (unsigned m = 0; m < result->member_count; m++) {
        strata_recorder_done(&result->members[m]);
    }
    free(result->members);
}
