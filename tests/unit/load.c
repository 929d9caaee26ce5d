// links: tests/unit/load/scripted.c
/* The engine in closed loop, on a clock that moves only by waiting: every count and time exact. */
#include "common/load/load.h"

#include "tests/unit/harness.h"
#include "tests/unit/load/scripted.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)

static struct strata_load reads(unsigned jobs, unsigned depth)
{
    return (struct strata_load){.phase = "read",
                                .jobs = jobs,
                                .depth = depth,
                                .mix = {{STRATA_OPERATION_READ, 1}},
                                .mix_count = 1,
                                .order = STRATA_ORDER_SEQUENTIAL,
                                .bytes = 512,
                                .seed = 1,
                                .drain_ns = 50 * MS,
                                .clock = &scripted_clock};
}

static const struct strata_record *record_of(const struct strata_load_result *result,
                                             enum strata_operation_kind kind)
{
    return result->recorder.records[kind];
}

static const struct strata_tally *tally_of(const struct strata_load_result *result)
{
    return &record_of(result, STRATA_OPERATION_READ)->tally;
}

static void run(struct scripted *scripted, const struct strata_load *load,
                struct strata_load_result *result)
{
    struct strata_error error = {.text = ""};
    enum strata_status status = strata_load_run(&scripted->target, load, result, &error);
    if (status != STRATA_OK) {
        CU_FAIL(error.text);
    }
    CU_ASSERT_EQUAL(atomic_load(&scripted->opened), load->jobs);
    CU_ASSERT_EQUAL(atomic_load(&scripted->closed), load->jobs);
    CU_ASSERT_TRUE(strata_recorder_consistent(&result->recorder));
    CU_ASSERT_TRUE(strata_recorder_consistent(&result->warmup));
}

static void done(struct scripted *scripted, struct strata_load_result *result)
{
    strata_load_result_done(result);
    scripted_done(scripted);
}

/* 1 ms of operations that take 10 us each. */
static void depth_one_for_a_duration(void)
{
    struct scripted scripted = {.items = {1000}, .latency_ns = {10 * US}};
    scripted_init(&scripted, 0);
    struct strata_load load = reads(1, 1);
    load.duration_ns = 1 * MS;
    struct strata_load_result result;
    run(&scripted, &load, &result);
    const struct strata_record *record = record_of(&result, STRATA_OPERATION_READ);
    CU_ASSERT_EQUAL(record->tally.due, 100);
    CU_ASSERT_EQUAL(record->tally.started, 100);
    CU_ASSERT_EQUAL(record->tally.ok, 100);
    CU_ASSERT_EQUAL(record->tally.bytes, 51200);
    CU_ASSERT_EQUAL(record->tally.window_ok, 100);
    CU_ASSERT_EQUAL(result.window_ns, 1 * MS);
    CU_ASSERT_EQUAL(result.elapsed_ns, 1 * MS);
    CU_ASSERT_EQUAL(record->response.count, 100);
    CU_ASSERT_EQUAL(record->response.sum_ns, 1 * MS);
    CU_ASSERT_EQUAL(record->response.min_ns, 10 * US);
    CU_ASSERT_EQUAL(record->response.max_ns, 10 * US);
    CU_ASSERT_EQUAL(record->service.count, 0);
    CU_ASSERT_DOUBLE_EQUAL(result.mean_in_flight, 1, 1e-9);
    CU_ASSERT_EQUAL(result.recorder.window_end_ns - result.recorder.begin_ns, 1 * MS);
    CU_ASSERT_FALSE(result.interrupted);
    done(&scripted, &result);
}

/* 200 in flight, more than a batch: 1 ms / 10 us * 200; Little's law holds exactly. */
static void a_depth_above_one_batch(void)
{
    struct scripted scripted = {.items = {1000}, .latency_ns = {10 * US}};
    scripted_init(&scripted, 0);
    struct strata_load load = reads(1, 200);
    load.duration_ns = 1 * MS;
    struct strata_load_result result;
    run(&scripted, &load, &result);
    const struct strata_record *record = record_of(&result, STRATA_OPERATION_READ);
    CU_ASSERT_EQUAL(record->tally.ok, 20000);
    CU_ASSERT_DOUBLE_EQUAL(result.mean_in_flight, 200, 1e-9);
    double rate = (double)record->tally.window_ok / (double)result.window_ns;
    double latency = (double)record->response.sum_ns / (double)record->response.count;
    CU_ASSERT_DOUBLE_EQUAL(rate * latency / result.mean_in_flight, 1, 1e-9);
    done(&scripted, &result);
}

/* Ends at 300, 600, 900 us, and 1200 us after the deadline of 1 ms. */
static void what_ends_after_the_window_counts_only_in_the_totals(void)
{
    struct scripted scripted = {.items = {1000}, .latency_ns = {300 * US}};
    scripted_init(&scripted, 0);
    struct strata_load load = reads(1, 1);
    load.duration_ns = 1 * MS;
    struct strata_load_result result;
    run(&scripted, &load, &result);
    CU_ASSERT_EQUAL(tally_of(&result)->ok, 4);
    CU_ASSERT_EQUAL(tally_of(&result)->window_ok, 3);
    CU_ASSERT_EQUAL(tally_of(&result)->window_bytes, 3 * 512);
    CU_ASSERT_EQUAL(result.window_ns, 1 * MS);
    CU_ASSERT_EQUAL(result.elapsed_ns, 1200 * US);
    CU_ASSERT_DOUBLE_EQUAL(result.mean_in_flight, 1, 1e-9);
    done(&scripted, &result);
}

/* Warm-up of 1 ms: ends at 300, 600, 900 us are warm-up; the one in flight at 1 ms is measured. */
static void warmup_is_counted_apart(void)
{
    struct scripted scripted = {.items = {1000}, .latency_ns = {300 * US}};
    scripted_init(&scripted, 0);
    struct strata_load load = reads(1, 1);
    load.warmup_ns = 1 * MS;
    load.duration_ns = 1 * MS;
    struct strata_load_result result;
    run(&scripted, &load, &result);
    const struct strata_tally *warm = &result.warmup.records[STRATA_OPERATION_READ]->tally;
    CU_ASSERT_EQUAL(warm->due, 3);
    CU_ASSERT_EQUAL(warm->started, 3);
    CU_ASSERT_EQUAL(warm->ok, 3);
    CU_ASSERT_EQUAL(tally_of(&result)->started, 4); /* ends at 1200, 1500, 1800, 2100 us */
    CU_ASSERT_EQUAL(tally_of(&result)->ok, 4);
    CU_ASSERT_EQUAL(tally_of(&result)->window_ok, 3);
    CU_ASSERT_EQUAL(result.window_ns, 1 * MS);
    CU_ASSERT_EQUAL(result.elapsed_ns, 1100 * US);
    CU_ASSERT_EQUAL(result.recorder.begin_ns, result.warmup.begin_ns + 1 * MS);
    CU_ASSERT_EQUAL(record_of(&result, STRATA_OPERATION_READ)->response.sum_ns, 1200 * US);
    CU_ASSERT_DOUBLE_EQUAL(result.mean_in_flight, 1, 1e-9);
    done(&scripted, &result);
}

static void without_warmup_its_records_are_empty(void)
{
    struct scripted scripted = {.items = {4}, .latency_ns = {1 * US}};
    scripted_init(&scripted, 0);
    struct strata_load load = reads(1, 1);
    load.one_pass = true;
    struct strata_load_result result;
    run(&scripted, &load, &result);
    CU_ASSERT_PTR_NOT_NULL_FATAL(result.warmup.records[STRATA_OPERATION_READ]);
    CU_ASSERT_EQUAL(result.warmup.records[STRATA_OPERATION_READ]->tally.started, 0);
    done(&scripted, &result);
}

static void a_single_operation_ends_the_window(void)
{
    struct scripted scripted = {.items = {1}, .latency_ns = {70 * US}};
    scripted_init(&scripted, 0);
    struct strata_load load = reads(1, 32);
    load.one_pass = true;
    load.duration_ns = 1 * MS;
    struct strata_load_result result;
    run(&scripted, &load, &result);
    CU_ASSERT_EQUAL(tally_of(&result)->window_ok, 1);
    CU_ASSERT_EQUAL(result.window_ns, 70 * US);
    CU_ASSERT_EQUAL(result.elapsed_ns, 70 * US);
    done(&scripted, &result);
}

static void a_clock_that_stands_still_gives_a_window_all_the_same(void)
{
    struct scripted scripted = {.items = {5}};
    scripted_init(&scripted, 0);
    struct strata_load load = reads(1, 1);
    load.one_pass = true;
    struct strata_load_result result;
    run(&scripted, &load, &result);
    CU_ASSERT_EQUAL(tally_of(&result)->window_ok, 5);
    CU_ASSERT_EQUAL(result.window_ns, 1);
    CU_ASSERT_EQUAL(result.elapsed_ns, 1);
    done(&scripted, &result);
}

static int32_t every_other_fails(uint64_t n)
{
    return n % 2 == 1 ? EIO : 0;
}

/* D8, S7: half of 100 operations fail. */
static void failures_are_in_no_rate(void)
{
    struct scripted scripted = {
        .items = {1000}, .latency_ns = {10 * US}, .result = every_other_fails};
    scripted_init(&scripted, 0);
    struct strata_load load = reads(1, 1);
    load.duration_ns = 1 * MS;
    struct strata_load_result result;
    run(&scripted, &load, &result);
    const struct strata_record *record = record_of(&result, STRATA_OPERATION_READ);
    CU_ASSERT_EQUAL(record->tally.started, 100);
    CU_ASSERT_EQUAL(record->tally.ok, 50);
    CU_ASSERT_EQUAL(record->tally.failed, 50);
    CU_ASSERT_EQUAL(record->tally.window_ok, 50);
    CU_ASSERT_EQUAL(record->tally.bytes, 50 * 512);
    CU_ASSERT_EQUAL(record->response.count, 50);
    CU_ASSERT_EQUAL(record->failure_count, 1);
    CU_ASSERT_EQUAL(record->failures[0].code, EIO);
    CU_ASSERT_EQUAL(record->failures[0].count, 50);
    done(&scripted, &result);
}

static int32_t all_time_out(uint64_t n)
{
    (void)n;
    return STRATA_RESULT_TIMED_OUT;
}

/* R7. */
static void nothing_but_failures_gives_no_success(void)
{
    struct scripted scripted = {.items = {10}, .latency_ns = {10 * US}, .result = all_time_out};
    scripted_init(&scripted, 0);
    struct strata_load load = reads(1, 1);
    load.one_pass = true;
    struct strata_load_result result;
    run(&scripted, &load, &result);
    CU_ASSERT_EQUAL(tally_of(&result)->started, 10);
    CU_ASSERT_EQUAL(tally_of(&result)->timed_out, 10);
    CU_ASSERT_EQUAL(tally_of(&result)->ok, 0);
    CU_ASSERT_EQUAL(tally_of(&result)->window_ok, 0);
    CU_ASSERT_EQUAL(result.window_ns, 100 * US);
    done(&scripted, &result);
}

/* A target that takes three at a time: nothing is lost or asked twice. */
static void a_full_queue_loses_nothing(void)
{
    struct scripted scripted = {.items = {100}, .latency_ns = {10 * US}, .most_taken = 3};
    scripted_init(&scripted, 0);
    struct strata_load load = reads(1, 8);
    load.one_pass = true;
    struct strata_load_result result;
    run(&scripted, &load, &result);
    CU_ASSERT_EQUAL(tally_of(&result)->ok, 100);
    CU_ASSERT_EQUAL_FATAL(scripted.logs[0].count, 100);
    for (uint64_t n = 0; n < 100; n++) {
        CU_ASSERT_EQUAL(scripted.logs[0].events[n].item, n);
    }
    done(&scripted, &result);
}

/* Staged but not taken when the time is over: in closed loop that operation was never due. */
static void what_was_not_taken_was_not_due(void)
{
    struct scripted scripted = {.items = {100}, .latency_ns = {400 * US}, .most_taken = 1};
    scripted_init(&scripted, 0);
    struct strata_load load = reads(1, 8);
    load.duration_ns = 1 * MS;
    struct strata_load_result result;
    run(&scripted, &load, &result);
    CU_ASSERT_EQUAL(tally_of(&result)->started, 3); /* at 0, 400 and 800 us */
    CU_ASSERT_EQUAL(tally_of(&result)->due, 3);
    CU_ASSERT_EQUAL(tally_of(&result)->skipped, 0);
    done(&scripted, &result);
}

/* The third operation and later ones hang; depth 2: two end, two are abandoned after the drain. */
static void hanging_operations_are_abandoned(void)
{
    struct scripted scripted = {.items = {100}, .latency_ns = {10 * US}, .hang_from = 3};
    scripted_init(&scripted, STRATA_TARGET_NEEDS_BUFFER);
    struct strata_load load = reads(1, 2);
    load.duration_ns = 1 * MS;
    load.drain_ns = 5 * MS;
    struct strata_load_result result;
    run(&scripted, &load, &result);
    CU_ASSERT_EQUAL(tally_of(&result)->started, 4);
    CU_ASSERT_EQUAL(tally_of(&result)->ok, 2);
    CU_ASSERT_EQUAL(tally_of(&result)->abandoned, 2);
    CU_ASSERT_EQUAL(result.window_ns, 1 * MS);
    CU_ASSERT_EQUAL(result.elapsed_ns, 10 * US);
    CU_ASSERT_DOUBLE_EQUAL(result.mean_in_flight, 2, 1e-9);
    CU_ASSERT_PTR_NOT_NULL_FATAL(scripted.held);
    memset(scripted.held, 1, 512); /* as a device does that wakes up late: still allocated */
    done(&scripted, &result);
}

/* The stop flag rises while the fifth operation is in flight: it is the last one. */
static void a_stop_ends_the_phase_in_order(void)
{
    volatile sig_atomic_t stop = 0;
    struct scripted scripted = {
        .items = {1000}, .latency_ns = {10 * US}, .stop_at = 5, .stop = &stop};
    scripted_init(&scripted, 0);
    struct strata_load load = reads(1, 1);
    load.duration_ns = 1 * MS;
    load.stop = &stop;
    struct strata_load_result result;
    run(&scripted, &load, &result);
    CU_ASSERT_TRUE(result.interrupted);
    CU_ASSERT_EQUAL(tally_of(&result)->ok, 5);
    CU_ASSERT_EQUAL(tally_of(&result)->abandoned, 0);
    CU_ASSERT_EQUAL(result.window_ns, 50 * US);
    done(&scripted, &result);
}

static void a_stop_during_warmup_measures_nothing(void)
{
    volatile sig_atomic_t stop = 0;
    struct scripted scripted = {
        .items = {1000}, .latency_ns = {10 * US}, .stop_at = 5, .stop = &stop};
    scripted_init(&scripted, 0);
    struct strata_load load = reads(1, 1);
    load.warmup_ns = 1 * MS;
    load.duration_ns = 1 * MS;
    load.stop = &stop;
    struct strata_load_result result;
    run(&scripted, &load, &result);
    CU_ASSERT_TRUE(result.interrupted);
    CU_ASSERT_EQUAL(tally_of(&result)->started, 0);
    CU_ASSERT_EQUAL(result.window_ns, 0);
    CU_ASSERT_EQUAL(result.elapsed_ns, 0);
    CU_ASSERT_EQUAL(result.warmup.records[STRATA_OPERATION_READ]->tally.ok, 5);
    done(&scripted, &result);
}

/* 10 operations over 3 jobs: 4, 3 and 3. */
static void a_limit_is_divided_among_the_jobs(void)
{
    struct scripted scripted = {.items = {50, 50, 50}, .latency_ns = {10 * US, 10 * US, 10 * US}};
    scripted_init(&scripted, 0);
    struct strata_load load = reads(3, 2);
    load.operations = 10;
    struct strata_load_result result;
    run(&scripted, &load, &result);
    CU_ASSERT_EQUAL(tally_of(&result)->ok, 10);
    CU_ASSERT_EQUAL(scripted.logs[0].count, 4);
    CU_ASSERT_EQUAL(scripted.logs[1].count, 3);
    CU_ASSERT_EQUAL(scripted.logs[2].count, 3);
    done(&scripted, &result);
}

/* The limit is on what is measured: warm-up (100 operations) comes on top of it. */
static void a_limit_leaves_warmup_out(void)
{
    struct scripted scripted = {.items = {50}, .latency_ns = {10 * US}};
    scripted_init(&scripted, 0);
    struct strata_load load = reads(1, 1);
    load.operations = 7;
    load.warmup_ns = 995 * US;
    struct strata_load_result result;
    run(&scripted, &load, &result);
    CU_ASSERT_EQUAL(result.warmup.records[STRATA_OPERATION_READ]->tally.ok, 99);
    CU_ASSERT_EQUAL(tally_of(&result)->ok, 7);
    CU_ASSERT_EQUAL(result.window_ns, 65 * US);
    done(&scripted, &result);
}

/* F7: fewer items than jobs; those without work do not end the window. */
static void jobs_without_items_do_no_harm(void)
{
    struct scripted scripted = {.items = {0, 3, 0, 1},
                                .latency_ns = {10 * US, 10 * US, 10 * US, 10 * US}};
    scripted_init(&scripted, 0);
    struct strata_load load = reads(4, 1);
    load.one_pass = true;
    struct strata_load_result result;
    run(&scripted, &load, &result);
    CU_ASSERT_EQUAL(tally_of(&result)->ok, 4);
    CU_ASSERT(result.window_ns >= 10 * US && result.window_ns <= 30 * US);
    CU_ASSERT_EQUAL(result.elapsed_ns, 30 * US);
    done(&scripted, &result);
}

static void no_items_at_all(void)
{
    struct scripted scripted = {.items = {0}};
    scripted_init(&scripted, 0);
    struct strata_load load = reads(2, 4);
    load.duration_ns = 1 * MS;
    load.order = STRATA_ORDER_RANDOM;
    struct strata_load_result result;
    run(&scripted, &load, &result);
    CU_ASSERT_EQUAL(tally_of(&result)->due, 0);
    CU_ASSERT_EQUAL(result.window_ns, 0);
    CU_ASSERT_EQUAL(result.elapsed_ns, 0);
    CU_ASSERT_DOUBLE_EQUAL(result.mean_in_flight, 0, 0);
    done(&scripted, &result);
}

static void a_worker_that_cannot_open_ends_all(void)
{
    struct scripted scripted = {.items = {10, 10, 10, 10}, .open_fails_job = 3};
    scripted_init(&scripted, 0);
    struct strata_load load = reads(4, 1);
    load.one_pass = true;
    struct strata_load_result result;
    struct strata_error error;
    CU_ASSERT_EQUAL(strata_load_run(&scripted.target, &load, &result, &error), STRATA_ENVIRONMENT);
    CU_ASSERT_STRING_EQUAL(error.text, "read: scripted: job 2 cannot open");
    CU_ASSERT_EQUAL(atomic_load(&scripted.opened), 3);
    CU_ASSERT_EQUAL(atomic_load(&scripted.closed), 3);
    CU_ASSERT_EQUAL(tally_of(&result)->started, 0);
    done(&scripted, &result);
}

/* The other job would go on for ever. */
static void a_worker_that_cannot_go_on_ends_all(void)
{
    for (unsigned reap = 0; reap < 2; reap++) {
        struct scripted scripted = {.items = {1000, UINT64_C(1) << 40},
                                    .latency_ns = {10 * US, 10 * US},
                                    .submit_fails_job = reap == 0 ? 1 : 0,
                                    .reap_fails_job = reap == 1 ? 1 : 0};
        scripted_init(&scripted, 0);
        struct strata_load load = reads(2, 4);
        load.one_pass = true;
        struct strata_load_result result;
        struct strata_error error;
        CU_ASSERT_EQUAL(strata_load_run(&scripted.target, &load, &result, &error),
                        STRATA_ENVIRONMENT);
        CU_ASSERT_STRING_EQUAL(error.text,
                               reap == 0 ? "read: scripted: job 0: submit: ENODEV: No such device"
                                         : "read: scripted: job 0: reap: EIO: Input/output error");
        CU_ASSERT_EQUAL(atomic_load(&scripted.closed), 2);
        CU_ASSERT_TRUE(strata_recorder_consistent(&result.recorder));
        CU_ASSERT_EQUAL(tally_of(&result)->abandoned, reap == 0 ? 0 : 4);
        done(&scripted, &result);
    }
}

static void impossible_loads_are_refused(void)
{
    struct scripted scripted = {.items = {10}};
    scripted_init(&scripted, STRATA_TARGET_SYNCHRONOUS);
    struct strata_load_result result;
    struct strata_error error;
    struct strata_load load = reads(1, 2);
    load.one_pass = true;
    CU_ASSERT_EQUAL(strata_load_run(&scripted.target, &load, &result, &error), STRATA_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "depth 2"));
    strata_load_result_done(&result);

    load = reads(1, 1);
    CU_ASSERT_EQUAL(strata_load_run(&scripted.target, &load, &result, &error), STRATA_INTERNAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "expected an end"));
    strata_load_result_done(&result);

    load = reads(0, 1);
    load.one_pass = true;
    CU_ASSERT_EQUAL(strata_load_run(&scripted.target, &load, &result, &error), STRATA_INTERNAL);
    done(&scripted, &result);
}

/* 3.5 s in steps of 10 ms: 100 operations in each full second, one of them ending on its edge. */
static void seconds_of_a_run(void)
{
    struct scripted scripted = {.items = {1000}, .latency_ns = {10 * MS}};
    scripted_init(&scripted, 0);
    struct strata_load load = reads(1, 1);
    load.duration_ns = 3500 * MS;
    struct strata_load_result result;
    run(&scripted, &load, &result);
    const struct strata_record *record = record_of(&result, STRATA_OPERATION_READ);
    CU_ASSERT_EQUAL_FATAL(record->sample_count, 4);
    CU_ASSERT_EQUAL(record->samples[0].ok, 99);
    CU_ASSERT_EQUAL(record->samples[1].ok, 100);
    CU_ASSERT_EQUAL(record->samples[2].ok, 100);
    CU_ASSERT_EQUAL(record->samples[3].ok, 51);
    CU_ASSERT_EQUAL(record->tally.ok, 350);
    done(&scripted, &result);
}

struct ticks {
    unsigned count;
    uint64_t first_elapsed_ns;
    uint64_t first_done;
    uint64_t last_done;
};

static void count_tick(void *context, uint64_t elapsed_ns, uint64_t operations_done)
{
    struct ticks *ticks = context;
    if (ticks->count == 0) {
        ticks->first_elapsed_ns = elapsed_ns;
        ticks->first_done = operations_done;
    }
    ticks->count++;
    ticks->last_done = operations_done;
}

/* Before the first operation, not a little after it: short phases would be half over. */
static void ticks_come_at_begin_and_end(void)
{
    struct scripted scripted = {.items = {1000}, .latency_ns = {10 * US}};
    scripted_init(&scripted, 0);
    struct ticks ticks = {.first_done = 1};
    struct strata_load load = reads(1, 4);
    load.one_pass = true;
    load.tick = count_tick;
    load.tick_context = &ticks;
    struct strata_load_result result;
    run(&scripted, &load, &result);
    CU_ASSERT(ticks.count >= 2);
    CU_ASSERT_EQUAL(ticks.first_elapsed_ns, 0);
    CU_ASSERT_EQUAL(ticks.first_done, 0);
    CU_ASSERT_EQUAL(ticks.last_done, 1000);
    done(&scripted, &result);
}

/* On the machine's clock, with real threads: a job that runs out of work ends the window, and not
 * one operation that ended later is counted in it, however the threads were scheduled. */
static void the_window_is_exact_with_threads(void)
{
    for (unsigned round = 0; round < 20; round++) {
        struct scripted scripted = {.clock = &strata_clock_machine,
                                    .items = {200 + round * 50, 20000, 20000},
                                    .stamps_end = true};
        scripted_init(&scripted, 0);
        struct strata_load load = reads(3, 4);
        load.one_pass = true;
        load.clock = &strata_clock_machine;
        struct strata_load_result result;
        run(&scripted, &load, &result);
        uint64_t window_end_ns = result.recorder.begin_ns + result.window_ns;
        uint64_t inside = 0;
        uint64_t last_ns = 0;
        unsigned wholly_inside = 0;
        for (unsigned job = 0; job < 3; job++) {
            for (size_t n = 0; n < scripted.logs[job].count; n++) {
                uint64_t end_ns = scripted.logs[job].events[n].end_ns;
                inside += end_ns <= window_end_ns;
                last_ns = end_ns > last_ns ? end_ns : last_ns;
            }
            wholly_inside +=
                scripted.logs[job].events[scripted.logs[job].count - 1].end_ns <= window_end_ns;
        }
        CU_ASSERT_EQUAL(tally_of(&result)->ok, 40200 + round * 50);
        CU_ASSERT_EQUAL(tally_of(&result)->window_ok, inside);
        CU_ASSERT(wholly_inside >= 1);
        CU_ASSERT_EQUAL(result.elapsed_ns, last_ns - result.recorder.begin_ns);
        done(&scripted, &result);
    }
}

static int compare(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* D16: a job ten times slower than the other; quantiles over both, from the target's own log. */
static void merged_quantiles_are_those_of_all_samples(void)
{
    struct scripted scripted = {.items = {1000, 1000}, .latency_ns = {10 * US, 100 * US}};
    scripted_init(&scripted, 0);
    struct strata_load load = reads(2, 3);
    load.duration_ns = 1 * MS;
    struct strata_load_result result;
    run(&scripted, &load, &result);
    uint64_t all[400];
    size_t count = 0;
    for (unsigned job = 0; job < 2; job++) {
        for (size_t n = 0; n < scripted.logs[job].count && count < 400; n++) {
            const struct scripted_event *event = &scripted.logs[job].events[n];
            all[count++] = event->end_ns - event->start_ns;
        }
    }
    CU_ASSERT_EQUAL_FATAL(count, 330);
    qsort(all, count, sizeof(all[0]), compare);
    const struct strata_histogram *response = &record_of(&result, STRATA_OPERATION_READ)->response;
    CU_ASSERT_EQUAL(response->count, 330);
    static const double quantiles[] = {0.5, 0.9, 0.91, 0.95, 0.99};
    for (unsigned i = 0; i < 5; i++) {
        uint64_t exact = all[(size_t)ceil(quantiles[i] * 330) - 1];
        uint64_t found = strata_histogram_quantile_ns(response, quantiles[i]);
        CU_ASSERT(found >= exact && (double)found <= (double)exact * (1 + 1.0 / 128));
    }
    done(&scripted, &result);
}

static const struct harness_test tests[] = {
    {"depth one for a duration", depth_one_for_a_duration},
    {"a depth above one batch", a_depth_above_one_batch},
    {"what ends after the window counts only in the totals",
     what_ends_after_the_window_counts_only_in_the_totals},
    {"warm-up is counted apart", warmup_is_counted_apart},
    {"without warm-up its records are empty", without_warmup_its_records_are_empty},
    {"a single operation ends the window", a_single_operation_ends_the_window},
    {"a clock that stands still gives a window all the same",
     a_clock_that_stands_still_gives_a_window_all_the_same},
    {"failures are in no rate (D8, S7)", failures_are_in_no_rate},
    {"nothing but failures gives no success (R7)", nothing_but_failures_gives_no_success},
    {"a full queue loses nothing", a_full_queue_loses_nothing},
    {"what was not taken was not due", what_was_not_taken_was_not_due},
    {"hanging operations are abandoned", hanging_operations_are_abandoned},
    {"a stop ends the phase in order", a_stop_ends_the_phase_in_order},
    {"a stop during warm-up measures nothing", a_stop_during_warmup_measures_nothing},
    {"a limit is divided among the jobs", a_limit_is_divided_among_the_jobs},
    {"a limit leaves warm-up out", a_limit_leaves_warmup_out},
    {"jobs without items do no harm (F7)", jobs_without_items_do_no_harm},
    {"no items at all", no_items_at_all},
    {"a worker that cannot open ends all", a_worker_that_cannot_open_ends_all},
    {"a worker that cannot go on ends all", a_worker_that_cannot_go_on_ends_all},
    {"impossible loads are refused", impossible_loads_are_refused},
    {"seconds of a run", seconds_of_a_run},
    {"ticks come at begin and end", ticks_come_at_begin_and_end},
    {"the window is exact with threads", the_window_is_exact_with_threads},
    {"merged quantiles are those of all samples (D16)", merged_quantiles_are_those_of_all_samples},
};
HARNESS_MAIN("load", tests)
