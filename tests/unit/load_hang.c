// links: tests/unit/load/scripted.c
/* The engine against targets that hang: what does not come back, and what does not return. */
#include "common/load/load.h"

#include "common/base/memory.h"
#include "common/load/job.h"
#include "tests/unit/harness.h"
#include "tests/unit/load/scripted.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MS UINT64_C(1000000)

static const struct strata_tally *tally_of(const struct strata_load_result *result)
{
    return &result->recorder.records[STRATA_OPERATION_READ]->tally;
}

/* 10 operations of 1 ms at depth 4 come back, then none: given up 50 ms later, not after 60 s. */
static void silence_ends_the_phase(void)
{
    struct scripted scripted = {.items = {1000}, .latency_ns = {MS}, .hang_from = 11};
    scripted_init(&scripted, STRATA_TARGET_NEEDS_BUFFER);
    const struct strata_load load = {.phase = "read",
                                     .jobs = 1,
                                     .depth = 4,
                                     .mix = {{STRATA_OPERATION_READ, 1}},
                                     .mix_count = 1,
                                     .bytes = 512,
                                     .duration_ns = 60000 * MS,
                                     .drain_ns = 50 * MS,
                                     .give_up_ns = 50 * MS,
                                     .clock = &scripted_clock};
    struct strata_load_result result;
    struct strata_error error;
    CU_ASSERT(strata_load_run(&scripted.target, &load, &result, &error) == STRATA_OK);
    CU_ASSERT_EQUAL(tally_of(&result)->ok, 10);
    CU_ASSERT_EQUAL(tally_of(&result)->abandoned, 4);
    CU_ASSERT_EQUAL(tally_of(&result)->started, 14);
    CU_ASSERT_EQUAL(result.lost_jobs, 0);
    CU_ASSERT(result.window_ns > 50 * MS && result.window_ns < 500 * MS);
    CU_ASSERT(strata_recorder_consistent(&result.recorder));
    strata_load_result_done(&result);
    scripted_done(&scripted);
}

/* --- a call that does not return
 * ------------------------------------------------------------------
 */

enum { GOOD = 5 };

/* Each operation ends inside `submit`; job 1's GOOD-th and later ones wait for the pipe there. */
struct sticky {
    struct strata_target target;
    int pipe[2];
};

struct sticky_worker {
    struct strata_worker worker;
    unsigned job;
    unsigned count;
    struct strata_operation *done;
};

static uint64_t sticky_items(const struct strata_target *target, unsigned job, unsigned jobs,
                             enum strata_operation_kind kind)
{
    (void)target, (void)job, (void)jobs, (void)kind;
    return 100;
}

static enum strata_status sticky_open(struct strata_target *target,
                                      const struct strata_worker_setup *setup,
                                      struct strata_worker **ret_worker, struct strata_error *error)
{
    (void)error;
    struct sticky_worker *worker = strata_memory_new(1, sizeof(*worker));
    worker->worker.target = target;
    worker->job = setup->job;
    *ret_worker = &worker->worker;
    return STRATA_OK;
}

static void sticky_close(struct strata_worker *worker)
{
    free(worker);
}

static int sticky_submit(struct strata_worker *worker, struct strata_operation *const *operations,
                         unsigned count)
{
    struct sticky_worker *sticky = (struct sticky_worker *)worker;
    if (count == 0 || sticky->done != NULL) {
        return 0;
    }
    if (sticky->job == 1 && sticky->count++ >= GOOD) {
        char byte;
        (void)!read(((struct sticky *)worker->target)->pipe[0], &byte, 1);
    }
    sticky->done = operations[0];
    return 1;
}

static int sticky_reap(struct strata_worker *worker, struct strata_operation **operations,
                       unsigned max, uint64_t deadline_ns)
{
    (void)deadline_ns;
    struct sticky_worker *sticky = (struct sticky_worker *)worker;
    if (max == 0 || sticky->done == NULL) {
        return 0;
    }
    operations[0] = sticky->done;
    sticky->done = NULL;
    return 1;
}

static const struct strata_target_type sticky_type = {
    .name = "sticky",
    .capabilities = STRATA_TARGET_SYNCHRONOUS,
    .items = sticky_items,
    .worker_open = sticky_open,
    .worker_close = sticky_close,
    .submit = sticky_submit,
    .reap = sticky_reap,
};

static void a_job_inside_a_call_is_lost_with_its_results_kept(void)
{
    static struct sticky sticky; /* the lost thread stays in there to the end of the process */
    sticky.target.type = &sticky_type;
    CU_ASSERT_FATAL(pipe(sticky.pipe) == 0);
    const struct strata_load load = {.phase = "read",
                                     .jobs = 2,
                                     .depth = 1,
                                     .mix = {{STRATA_OPERATION_READ, 1}},
                                     .mix_count = 1,
                                     .duration_ns = 60000 * MS,
                                     .drain_ns = 20 * MS,
                                     .give_up_ns = 20 * MS,
                                     .clock = &strata_clock_machine};
    struct strata_load_result result;
    struct strata_error error;
    uint64_t begin_ns = strata_clock_monotonic_ns();
    CU_ASSERT(strata_load_run(&sticky.target, &load, &result, &error) == STRATA_OK);
    CU_ASSERT(strata_clock_monotonic_ns() - begin_ns < 20000 * MS);
    CU_ASSERT_EQUAL(result.lost_jobs, 1);
    CU_ASSERT_EQUAL(tally_of(&result)->abandoned, 1);
    CU_ASSERT_EQUAL(tally_of(&result)->started, tally_of(&result)->ok + 1);
    CU_ASSERT(tally_of(&result)->ok > GOOD); /* the other job's are more */
    CU_ASSERT(strata_recorder_consistent(&result.recorder));
    strata_load_result_done(&result);
}

/* Who looks after the jobs reads the clock first; meanwhile one may have begun another call. */
static void a_call_begun_since_the_clock_was_read_is_none_too_long(void)
{
    const struct strata_load load = {.give_up_ns = 1000};
    struct strata_job *job = strata_memory_new_aligned(sizeof(*job));
    job->load = &load;
    atomic_store(&job->inside_ns, 5000);
    CU_ASSERT_FALSE(strata_job_lose(job, 4999));
    CU_ASSERT_FALSE(strata_job_lose(job, 5000));
    CU_ASSERT_FALSE(strata_job_lose(job, 6000));
    CU_ASSERT_EQUAL(atomic_load(&job->inside_ns), 5000);
    free(job);
}

static const struct harness_test tests[] = {
    {"silence ends the phase", silence_ends_the_phase},
    {"a job inside a call is lost, its results are kept",
     a_job_inside_a_call_is_lost_with_its_results_kept},
    {"a call begun since the clock was read is none too long",
     a_call_begun_since_the_clock_was_read_is_none_too_long},
};
HARNESS_MAIN("load_hang", tests)
