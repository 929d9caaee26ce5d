/* The loop that keeps a target at work and notes what comes back.
 *
 *   until the end:  stage what is due -> hand it over -> collect what finished -> record it
 *
 * Must always hold: each operation is in one of three places (ready, staged, in flight); an
 * operation is recorded once, as warm-up when it ended before measuring began, else as measured;
 * the clock is read once when a batch is handed over and once when one came back; nothing in the
 * loop locks or allocates. The worker is closed before the memory of its operations is freed, and
 * buffers of abandoned operations are never freed. Left to others: what to ask (source), when
 * (arrivals), with which bytes (payload), and the tallies of what did not end as asked (account).
 */
#include "common/load/job.h"

#include "common/base/memory.h"
#include "common/base/share.h"
#include "common/base/stop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

static uint64_t earlier(uint64_t a_ns, uint64_t b_ns)
{
    return a_ns < b_ns ? a_ns : b_ns;
}

static uint64_t later(uint64_t a_ns, uint64_t b_ns)
{
    return a_ns > b_ns ? a_ns : b_ns;
}

void strata_job_init(struct strata_job *job)
{
    const struct strata_load *load = job->load;
    strata_source_init(&job->source, load, job->target, job->number);
    job->remaining = UINT64_MAX;
    if (load->one_pass || job->source.count == 0) {
        job->remaining = job->source.count;
    } else if (load->operations > 0) {
        job->remaining = strata_share_count(load->operations, job->number, load->jobs);
    }
    job->had_work = job->remaining > 0;
    strata_recorder_init(&job->measured, job->kinds, strata_job_open_loop(job));
    strata_recorder_init(&job->warmup, job->kinds, strata_job_open_loop(job));
    job->operations = strata_memory_new_aligned(load->depth * sizeof(*job->operations));
    job->ready = strata_memory_new_aligned(load->depth * sizeof(*job->ready));
    for (unsigned slot = 0; slot < load->depth; slot++) {
        job->operations[slot].slot = (uint16_t)slot;
        job->ready[slot] = &job->operations[slot];
    }
    job->ready_count = load->depth;
}

void strata_job_done(struct strata_job *job)
{
    strata_source_done(&job->source);
    strata_recorder_done(&job->measured);
    strata_recorder_done(&job->warmup);
    free(job->operations);
    free(job->ready);
}

/* This thread's processor time in user mode. */
static int64_t user_time_ns(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return (int64_t)usage.ru_utime.tv_sec * 1000000000 + (int64_t)usage.ru_utime.tv_usec * 1000;
}

/* What every reading of the clock brings with it: the window's end as far as it is known, and the
 * operations in flight since the last reading. */
static void note_time(struct strata_job *job, uint64_t now_ns)
{
    uint64_t window_end_ns = strata_gate_window_end_ns(job->gate);
    job->measured.window_end_ns = window_end_ns;
    uint64_t from_ns = later(job->looked_ns, job->gate->begin_ns);
    uint64_t to_ns = earlier(now_ns, window_end_ns);
    if (to_ns > from_ns) {
        job->in_flight_ns += job->in_flight * (to_ns - from_ns);
    }
    job->looked_ns = now_ns;
    if (job->busy_from_ns == 0 && now_ns >= job->gate->begin_ns) {
        job->busy_from_ns = now_ns;
        job->user_ns = -user_time_ns();
    }
}

static uint64_t look(struct strata_job *job)
{
    uint64_t now_ns = job->load->clock->now_ns(job->load->clock->context);
    note_time(job, now_ns);
    return now_ns;
}

/* The job cannot go on: it says why (the first cause), and the others end in order. */
static void fail(struct strata_job *job, enum strata_status status, const char *what, int code)
{
    if (job->status != STRATA_OK) {
        return;
    }
    char text[128];
    job->status =
        strata_error_set(&job->error, status, "%s: job %u: %s: %s", job->target->type->name,
                         job->number, what, strata_result_describe(code, text, sizeof(text)));
    atomic_store(&job->gate->give_up, true);
}

static bool has_work(const struct strata_job *job)
{
    return job->remaining > 0 || job->staged_count > 0;
}

/* Whether nothing more may be started. */
static bool over(struct strata_job *job, uint64_t now_ns)
{
    if (job->load->stop != NULL && __atomic_load_n(job->load->stop, __ATOMIC_RELAXED) != 0) {
        job->interrupted = true;
    }
    return job->interrupted || now_ns >= job->gate->deadline_ns ||
           atomic_load_explicit(&job->gate->give_up, memory_order_relaxed);
}

static uint64_t next_due_ns(const struct strata_job *job)
{
    return strata_arrivals_due_ns(&job->arrivals, job->arrivals.taken);
}

/* How many operations to stage now; in open loop those that are due, which get their due time. */
static unsigned wanted(struct strata_job *job, uint64_t now_ns)
{
    unsigned most = STRATA_JOB_BATCH - job->staged_count;
    most = most < job->ready_count ? most : job->ready_count;
    most = most < job->remaining ? most : (unsigned)job->remaining;
    if (!strata_job_open_loop(job)) {
        return most;
    }
    unsigned count = 0;
    for (; count < most; count++) {
        uint64_t due_ns = next_due_ns(job);
        if (due_ns > now_ns) {
            break;
        }
        job->ready[job->ready_count - 1 - count]->due_ns = due_ns;
        job->arrivals.taken++;
    }
    return count;
}

/* Draw operations into free slots until there are no more to draw now. */
static void stage(struct strata_job *job, uint64_t now_ns)
{
    unsigned count = wanted(job, now_ns);
    struct strata_operation **fresh = job->staged + job->staged_count;
    for (unsigned i = 0; i < count; i++) {
        fresh[i] = job->ready[--job->ready_count];
    }
    strata_source_fill(&job->source, fresh, count);
    strata_payload_fill(&job->payload, fresh, count);
    for (unsigned i = 0; i < count; i++) {
        job->due[fresh[i]->kind]++;
    }
    job->staged_count += count;
    if (job->remaining != UINT64_MAX) {
        job->remaining -= count;
    }
}

/* Leave the target's call. A job that was given up meanwhile owns nothing any more: its thread ends
 * where it is. */
static void come_out(struct strata_job *job, uint64_t entered_ns)
{
    if (!atomic_compare_exchange_strong(&job->inside_ns, &entered_ns, 0)) {
        pthread_exit(NULL);
    }
}

static int submit(struct strata_job *job, uint64_t now_ns)
{
    const struct strata_target_type *type = job->target->type;
    unsigned count = job->staged_count; /* from the store on it may be another's */
    if (job->load->give_up_ns == 0) {
        return type->submit(job->worker, job->staged, count);
    }
    atomic_store_explicit(&job->inside_ns, now_ns, memory_order_release);
    int taken = type->submit(job->worker, job->staged, count);
    come_out(job, now_ns);
    return taken;
}

bool strata_job_lose(struct strata_job *job, uint64_t now_ns)
{
    uint64_t entered_ns = atomic_load(&job->inside_ns);
    if (entered_ns == 0 || entered_ns == STRATA_JOB_LOST ||
        now_ns <= entered_ns || /* the clock was read before it went in */
        now_ns - entered_ns <= job->load->give_up_ns ||
        !atomic_compare_exchange_strong(&job->inside_ns, &entered_ns, STRATA_JOB_LOST)) {
        return false;
    }
    for (unsigned i = 0; i < job->staged_count; i++) {
        job->started[job->staged[i]->kind]++;
    }
    job->staged_count = 0; /* the target has them */
    atomic_store(&job->gate->give_up, true);
    job->ended_ns = strata_gate_end_window(job->gate);
    strata_job_account(job);
    return true;
}

/* Give the staged operations to the target. Returns whether it took them all. */
static bool hand_over(struct strata_job *job)
{
    uint64_t now_ns = look(job);
    bool closed = !strata_job_open_loop(job);
    for (unsigned i = 0; i < job->staged_count; i++) {
        struct strata_operation *operation = job->staged[i];
        operation->bytes = job->load->bytes;
        operation->due_ns = closed ? now_ns : operation->due_ns;
        operation->start_ns = now_ns;
        operation->end_ns = 0;
        operation->result = STRATA_RESULT_OK;
        operation->stages = 0;
    }
    int taken = submit(job, now_ns);
    if (taken < 0) {
        fail(job, STRATA_ENVIRONMENT, "submit", -taken);
        return false;
    }
    for (int i = 0; i < taken; i++) {
        job->started[job->staged[i]->kind]++;
    }
    job->in_flight += (unsigned)taken;
    job->staged_count -= (unsigned)taken;
    if (job->staged_count > 0) {
        memmove(job->staged, job->staged + taken, job->staged_count * sizeof(*job->staged));
        return false;
    }
    return true;
}

/* Start what is due, as far as there are free slots and the target takes it. */
static void issue(struct strata_job *job, uint64_t now_ns)
{
    do {
        stage(job, now_ns);
    } while (job->staged_count > 0 && hand_over(job));
}

/* Write down the operations that came back, which stand at the top of the ready ones. */
static void record(struct strata_job *job, unsigned count, uint64_t now_ns)
{
    uint64_t begin_ns = job->gate->begin_ns;
    unsigned measured = 0;
    for (unsigned i = 0; i < count; i++) {
        struct strata_operation *operation = job->ready[job->ready_count + i];
        if (operation->end_ns == 0) {
            operation->end_ns = now_ns;
        }
        if (operation->end_ns >= begin_ns) {
            strata_recorder_add(&job->measured, operation);
            job->last_end_ns = later(job->last_end_ns, operation->end_ns);
            measured++;
        } else {
            strata_recorder_add(&job->warmup, operation);
        }
    }
    unsigned warmed = count - measured;
    if (warmed > 0 && !job->load->one_pass && job->remaining != UINT64_MAX) {
        job->remaining += warmed; /* the limit is on measured operations */
    }
    job->ready_count += count;
    atomic_store_explicit(&job->done,
                          atomic_load_explicit(&job->done, memory_order_relaxed) + measured,
                          memory_order_relaxed);
}

/* Nothing came back although it was waited for: from when on, and whether it is enough. */
static void note_silence(struct strata_job *job, uint64_t now_ns)
{
    if (job->silent_ns == 0) {
        job->silent_ns = now_ns;
    } else if (job->load->give_up_ns > 0 && now_ns - job->silent_ns > job->load->give_up_ns) {
        job->unreapable = true;
        atomic_store(&job->gate->give_up, true);
    }
}

/* Take what finished, waiting until `until_ns` for the first. Returns the time. */
static uint64_t collect(struct strata_job *job, uint64_t until_ns)
{
    struct strata_operation **finished = job->ready + job->ready_count;
    int count = job->target->type->reap(job->worker, finished, job->in_flight, until_ns);
    if (count < 0 || (unsigned)count > job->in_flight) {
        fail(job, count < 0 ? STRATA_ENVIRONMENT : STRATA_INTERNAL, "reap",
             count < 0 ? -count : EOVERFLOW);
        job->unreapable = true;
        return look(job);
    }
    uint64_t now_ns = look(job);
    if (count == 0) {
        note_silence(job, now_ns);
        return now_ns;
    }
    job->silent_ns = 0;
    job->in_flight -= (unsigned)count;
    record(job, (unsigned)count, now_ns);
    return now_ns;
}

/* Wait for something to happen: an operation that finishes, an arrival, the end. */
static uint64_t wait_and_collect(struct strata_job *job, uint64_t now_ns)
{
    uint64_t until_ns = earlier(now_ns + STRATA_STOP_LOOK_NS, job->gate->deadline_ns);
    bool can_start = job->ready_count > 0 && job->staged_count == 0 && job->remaining > 0;
    if (strata_job_open_loop(job) && can_start) {
        until_ns = earlier(until_ns, next_due_ns(job));
    }
    if (job->in_flight > 0) {
        return collect(job, until_ns);
    }
    if (job->staged_count > 0) {
        fail(job, STRATA_ENVIRONMENT, "it takes no operation although none is in flight", EAGAIN);
    } else {
        job->load->clock->sleep_until_ns(job->load->clock->context, until_ns);
    }
    return look(job);
}

/* Keep the target at work until there is no more to do or the time is over, which ends the window
 * for all jobs. */
static void work(struct strata_job *job)
{
    uint64_t now_ns = look(job);
    while (!over(job, now_ns) && (has_work(job) || job->in_flight > 0)) {
        issue(job, now_ns);
        if (job->status == STRATA_OK) {
            now_ns = wait_and_collect(job, now_ns);
        }
    }
    if (job->had_work) {
        note_time(job, strata_gate_end_window(job->gate));
    }
    if (job->busy_from_ns != 0) {
        job->busy_until_ns = job->looked_ns;
        job->user_ns += user_time_ns();
    }
}

/* Wait a limited time for what is still in flight. */
static void drain(struct strata_job *job)
{
    uint64_t now_ns = job->looked_ns;
    uint64_t until_ns = now_ns + job->load->drain_ns;
    bool some = true;
    while (job->in_flight > 0 && !job->unreapable && (some || now_ns < until_ns)) {
        unsigned before = job->in_flight;
        now_ns = collect(job, until_ns);
        some = job->in_flight < before;
    }
}

static void begin(struct strata_job *job)
{
    job->arrivals = (struct strata_arrivals){.start_ns = job->gate->start_ns,
                                             .rate_per_s = job->load->rate_per_s,
                                             .job = job->number,
                                             .jobs = job->load->jobs};
    job->measured.begin_ns = job->gate->begin_ns;
    job->warmup.begin_ns = job->gate->start_ns;
    if (job->load->warmup_ns == 0) {
        job->busy_from_ns = job->gate->start_ns; /* with the time read before the gate */
    }
}

void *strata_job_run(void *context)
{
    struct strata_job *job = context;
    (void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); /* or a due time is missed by 50 us */
    if ((job->target->type->capabilities & STRATA_TARGET_NEEDS_BUFFER) != 0) {
        strata_payload_init(&job->payload, job->kinds, job->load->depth, job->load->bytes,
                            job->identity);
    }
    const struct strata_worker_setup setup = {.job = job->number,
                                              .jobs = job->load->jobs,
                                              .depth = job->load->depth,
                                              .batch = job->load->batch,
                                              .bytes = job->load->bytes,
                                              .kinds = job->kinds,
                                              .reads = strata_payload_reads(&job->payload),
                                              .writes = strata_payload_writes(&job->payload)};
    job->status = job->target->type->worker_open(job->target, &setup, &job->worker, &job->error);
    job->user_ns = -user_time_ns();
    if (strata_gate_pass(job->gate, job->status == STRATA_OK)) {
        begin(job);
        work(job);
        job->ended_ns = job->looked_ns;
        drain(job);
        strata_job_account(job);
    }
    if (job->worker != NULL) {
        job->target->type->worker_close(job->worker);
    }
    if (job->in_flight == 0) { /* else the kernel may write there still: lost on purpose */
        strata_payload_done(&job->payload);
    }
    strata_gate_leave(job->gate);
    return NULL;
}
