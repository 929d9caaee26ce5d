// links: tests/unit/load/scripted.c
/* The engine in open loop: due times, lateness, what was never started. */
#include "common/load/arrivals.h"
#include "common/load/load.h"

#include "tests/unit/harness.h"
#include "tests/unit/load/scripted.h"

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)

/* 1000 operations due per second for 10 ms. */
static struct strata_load thousand_per_s(unsigned jobs, unsigned depth)
{
    return (struct strata_load){.phase = "read",
                                .jobs = jobs,
                                .depth = depth,
                                .mix = {{STRATA_OPERATION_READ, 1}},
                                .mix_count = 1,
                                .order = STRATA_ORDER_RANDOM,
                                .bytes = 512,
                                .seed = 1,
                                .rate_per_s = 1000,
                                .duration_ns = 10 * MS,
                                .drain_ns = 50 * MS,
                                .clock = &scripted_clock};
}

static void run(struct scripted *scripted, const struct strata_load *load,
                struct strata_load_result *result)
{
    struct strata_error error = {.text = ""};
    if (strata_load_run(&scripted->target, load, result, &error) != STRATA_OK) {
        CU_FAIL(error.text);
    }
    CU_ASSERT_TRUE(strata_recorder_consistent(&result->recorder));
    CU_ASSERT_TRUE(strata_recorder_consistent(&result->warmup));
}

static void done(struct scripted *scripted, struct strata_load_result *result)
{
    strata_load_result_done(result);
    scripted_done(scripted);
}

static void arrivals_are_even_and_do_not_drift(void)
{
    struct strata_arrivals third = {.start_ns = 100, .rate_per_s = 3, .job = 0, .jobs = 1};
    CU_ASSERT_EQUAL(strata_arrivals_due_ns(&third, 0), 100);
    CU_ASSERT_EQUAL(strata_arrivals_due_ns(&third, 1), 100 + 333333333);
    CU_ASSERT_EQUAL(strata_arrivals_due_ns(&third, 3), 100 + UINT64_C(1000000000));
    CU_ASSERT_EQUAL(strata_arrivals_due_ns(&third, 3 * UINT64_C(86400)),
                    100 + UINT64_C(86400000000000));
    CU_ASSERT_EQUAL(strata_arrivals_before(&third, 100), 0);
    CU_ASSERT_EQUAL(strata_arrivals_before(&third, 101), 1);
    CU_ASSERT_EQUAL(strata_arrivals_before(&third, 100 + UINT64_C(1000000000)), 3);
    CU_ASSERT_EQUAL(strata_arrivals_before(&third, 101 + UINT64_C(1000000000)), 4);

    struct strata_arrivals last = {.start_ns = 0, .rate_per_s = 1000, .job = 3, .jobs = 4};
    CU_ASSERT_EQUAL(strata_arrivals_due_ns(&last, 0), 3 * MS);
    CU_ASSERT_EQUAL(strata_arrivals_due_ns(&last, 1), 7 * MS);
    CU_ASSERT_EQUAL(strata_arrivals_before(&last, 3 * MS), 0);
    CU_ASSERT_EQUAL(strata_arrivals_before(&last, 1000 * MS), 250);
}

static void a_fast_target_keeps_the_schedule(void)
{
    struct scripted scripted = {.items = {1000}, .latency_ns = {100 * US}};
    scripted_init(&scripted, 0);
    struct strata_load load = thousand_per_s(1, 4);
    struct strata_load_result result;
    run(&scripted, &load, &result);
    const struct strata_record *record = result.recorder.records[STRATA_OPERATION_READ];
    CU_ASSERT_EQUAL(record->tally.due, 10);
    CU_ASSERT_EQUAL(record->tally.started, 10);
    CU_ASSERT_EQUAL(record->tally.skipped, 0);
    CU_ASSERT_EQUAL(record->tally.window_ok, 10);
    CU_ASSERT_EQUAL(record->response.sum_ns, 1000 * US);
    CU_ASSERT_EQUAL(record->response.max_ns, 100 * US);
    CU_ASSERT_EQUAL(record->service.sum_ns, 1000 * US);
    CU_ASSERT_EQUAL(result.window_ns, 10 * MS);
    CU_ASSERT_DOUBLE_EQUAL(result.mean_in_flight, 0.1, 1e-9);
    CU_ASSERT_EQUAL_FATAL(scripted.logs[0].count, 10);
    for (uint64_t n = 0; n < 10; n++) {
        CU_ASSERT_EQUAL(scripted.logs[0].events[n].due_ns, result.recorder.begin_ns + n * MS);
        CU_ASSERT_EQUAL(scripted.logs[0].events[n].start_ns, result.recorder.begin_ns + n * MS);
    }
    done(&scripted, &result);
}

/* 3 ms each, one at a time. Due at 0, 1, 2, 3 ms; started at 0, 3, 6, 9; ended at 3, 6, 9, 12: the
 * responses are 3, 5, 7, 9 ms. Due at 4 to 9 ms: never started. */
static void a_slow_target_is_late_and_skips(void)
{
    struct scripted scripted = {.items = {1000}, .latency_ns = {3 * MS}};
    scripted_init(&scripted, 0);
    struct strata_load load = thousand_per_s(1, 1);
    struct strata_load_result result;
    run(&scripted, &load, &result);
    const struct strata_record *record = result.recorder.records[STRATA_OPERATION_READ];
    CU_ASSERT_EQUAL(record->tally.due, 10);
    CU_ASSERT_EQUAL(record->tally.started, 4);
    CU_ASSERT_EQUAL(record->tally.skipped, 6);
    CU_ASSERT_EQUAL(record->tally.ok, 4);
    CU_ASSERT_EQUAL(record->tally.window_ok, 3);
    CU_ASSERT_EQUAL(record->response.sum_ns, 24 * MS);
    CU_ASSERT_EQUAL(record->response.min_ns, 3 * MS);
    CU_ASSERT_EQUAL(record->response.max_ns, 9 * MS);
    CU_ASSERT_EQUAL(record->service.sum_ns, 12 * MS);
    CU_ASSERT_EQUAL(record->service.max_ns, 3 * MS);
    CU_ASSERT_EQUAL(result.elapsed_ns, 12 * MS);
    done(&scripted, &result);
}

/* With 20 ms each, both slots are full from 1 ms on. */
static void what_found_no_slot_is_skipped(void)
{
    struct scripted scripted = {.items = {1000}, .latency_ns = {20 * MS}};
    scripted_init(&scripted, 0);
    struct strata_load load = thousand_per_s(1, 2);
    struct strata_load_result result;
    run(&scripted, &load, &result);
    const struct strata_tally *tally = &result.recorder.records[STRATA_OPERATION_READ]->tally;
    CU_ASSERT_EQUAL(tally->due, 10);
    CU_ASSERT_EQUAL(tally->started, 2);
    CU_ASSERT_EQUAL(tally->skipped, 8);
    CU_ASSERT_EQUAL(tally->window_ok, 0);
    done(&scripted, &result);
}

/* Two jobs share the schedule in turn: even milliseconds and odd ones. */
static void jobs_take_turns(void)
{
    struct scripted scripted = {.items = {1000, 1000}, .latency_ns = {100 * US, 100 * US}};
    scripted_init(&scripted, 0);
    struct strata_load load = thousand_per_s(2, 1);
    struct strata_load_result result;
    run(&scripted, &load, &result);
    CU_ASSERT_EQUAL(result.recorder.records[STRATA_OPERATION_READ]->tally.due, 10);
    for (unsigned job = 0; job < 2; job++) {
        CU_ASSERT_EQUAL_FATAL(scripted.logs[job].count, 5);
        for (uint64_t n = 0; n < 5; n++) {
            CU_ASSERT_EQUAL(scripted.logs[job].events[n].due_ns,
                            result.recorder.begin_ns + (2 * n + job) * MS);
        }
    }
    done(&scripted, &result);
}

/* Warm-up of 5 ms, 3 ms each: started at 0, 3, 6, 9, 12 ms (due at 0 to 4 ms), ended at 3
 * (warm-up), 6, 9, 12, 15. In the window, 5 to 15 ms, 10 were due and none of them was started. */
static void a_backlog_from_warmup_comes_first(void)
{
    struct scripted scripted = {.items = {1000}, .latency_ns = {3 * MS}};
    scripted_init(&scripted, 0);
    struct strata_load load = thousand_per_s(1, 1);
    load.warmup_ns = 5 * MS;
    struct strata_load_result result;
    run(&scripted, &load, &result);
    const struct strata_tally *tally = &result.recorder.records[STRATA_OPERATION_READ]->tally;
    CU_ASSERT_EQUAL(result.warmup.records[STRATA_OPERATION_READ]->tally.ok, 1);
    CU_ASSERT_EQUAL(tally->started, 4);
    CU_ASSERT_EQUAL(tally->skipped, 10);
    CU_ASSERT_EQUAL(tally->due, 14);
    CU_ASSERT_EQUAL(tally->window_ok, 4);
    done(&scripted, &result);
}

/* A rate that no loop could count through: a million million operations due. */
static void an_absurd_rate_is_skipped_at_once(void)
{
    struct scripted scripted = {.items = {1000}, .latency_ns = {3 * MS}};
    scripted_init(&scripted, 0);
    struct strata_load load = thousand_per_s(1, 1);
    load.rate_per_s = 1e14;
    load.mix[0] = (__typeof__(load.mix[0])){STRATA_OPERATION_READ, 3};
    load.mix[1] = (__typeof__(load.mix[1])){STRATA_OPERATION_WRITE, 1};
    load.mix_count = 2;
    struct strata_load_result result;
    run(&scripted, &load, &result);
    const struct strata_tally *reads = &result.recorder.records[STRATA_OPERATION_READ]->tally;
    const struct strata_tally *writes = &result.recorder.records[STRATA_OPERATION_WRITE]->tally;
    CU_ASSERT_EQUAL(reads->started + writes->started, 4);
    CU_ASSERT(reads->due + writes->due >= UINT64_C(999999999000));
    CU_ASSERT(reads->due + writes->due <= UINT64_C(1000000001000));
    CU_ASSERT_DOUBLE_EQUAL((double)reads->due / (double)writes->due, 3, 1e-6);
    done(&scripted, &result);
}

/* The arrivals end with the limit; what the limit leaves out is not skipped. */
static void a_limit_ends_the_schedule(void)
{
    struct scripted scripted = {.items = {1000}, .latency_ns = {100 * US}};
    scripted_init(&scripted, 0);
    struct strata_load load = thousand_per_s(1, 1);
    load.operations = 4;
    struct strata_load_result result;
    run(&scripted, &load, &result);
    const struct strata_tally *tally = &result.recorder.records[STRATA_OPERATION_READ]->tally;
    CU_ASSERT_EQUAL(tally->due, 4);
    CU_ASSERT_EQUAL(tally->ok, 4);
    CU_ASSERT_EQUAL(result.window_ns, 3 * MS + 100 * US);
    done(&scripted, &result);
}

/* Room for one although the depth is 4: the second is drawn at 1 ms and never taken, the others are
 * not even drawn. */
static void what_the_target_did_not_take_is_skipped(void)
{
    struct scripted scripted = {.items = {1000}, .latency_ns = {20 * MS}, .room = 1};
    scripted_init(&scripted, 0);
    struct strata_load load = thousand_per_s(1, 4);
    struct strata_load_result result;
    run(&scripted, &load, &result);
    const struct strata_tally *tally = &result.recorder.records[STRATA_OPERATION_READ]->tally;
    CU_ASSERT_EQUAL(tally->due, 10);
    CU_ASSERT_EQUAL(tally->started, 1);
    CU_ASSERT_EQUAL(tally->skipped, 9);
    done(&scripted, &result);
}

/* 3 ms each, at most 6: started 4 as above, so 2 were due and skipped, not 6. */
static void a_limit_bounds_what_is_skipped(void)
{
    struct scripted scripted = {.items = {1000}, .latency_ns = {3 * MS}};
    scripted_init(&scripted, 0);
    struct strata_load load = thousand_per_s(1, 1);
    load.operations = 6;
    struct strata_load_result result;
    run(&scripted, &load, &result);
    const struct strata_tally *tally = &result.recorder.records[STRATA_OPERATION_READ]->tally;
    CU_ASSERT_EQUAL(tally->due, 6);
    CU_ASSERT_EQUAL(tally->started, 4);
    CU_ASSERT_EQUAL(tally->skipped, 2);
    done(&scripted, &result);
}

/* A stop while the third operation (6 to 9 ms) is in flight ends the schedule when it comes back.
 */
static void a_stop_ends_the_schedule(void)
{
    volatile sig_atomic_t stop = 0;
    struct scripted scripted = {
        .items = {1000}, .latency_ns = {3 * MS}, .stop_at = 3, .stop = &stop};
    scripted_init(&scripted, 0);
    struct strata_load load = thousand_per_s(1, 1);
    load.stop = &stop;
    struct strata_load_result result;
    run(&scripted, &load, &result);
    const struct strata_tally *tally = &result.recorder.records[STRATA_OPERATION_READ]->tally;
    CU_ASSERT_TRUE(result.interrupted);
    CU_ASSERT_EQUAL(tally->started, 3);
    CU_ASSERT_EQUAL(tally->ok, 3);
    CU_ASSERT_EQUAL(result.window_ns, 9 * MS); /* noticed when the third came back */
    CU_ASSERT_EQUAL(tally->skipped, 6);        /* due at 3 to 8 ms */
    done(&scripted, &result);
}

/* On the machine's clock: the waits are waits (under a tenth of the time on a processor), and the
 * schedule is kept. */
static void waiting_does_not_burn(void)
{
    struct scripted scripted = {.clock = &strata_clock_machine, .items = {1000}};
    scripted_init(&scripted, 0);
    struct strata_load load = thousand_per_s(1, 4);
    load.clock = &strata_clock_machine;
    load.rate_per_s = 200;
    load.duration_ns = 300 * MS;
    struct strata_load_result result;
    run(&scripted, &load, &result);
    CU_ASSERT_EQUAL(result.recorder.records[STRATA_OPERATION_READ]->tally.due, 60);
    CU_ASSERT(result.generator_busy_fraction < 0.1);
    for (uint64_t n = 0; n < scripted.logs[0].count; n++) {
        const struct scripted_event *event = &scripted.logs[0].events[n];
        CU_ASSERT_EQUAL(event->due_ns, result.recorder.begin_ns + n * 5 * MS);
        CU_ASSERT(event->start_ns >= event->due_ns);
    }
    done(&scripted, &result);
}

static const struct harness_test tests[] = {
    {"arrivals are even and do not drift", arrivals_are_even_and_do_not_drift},
    {"a fast target keeps the schedule", a_fast_target_keeps_the_schedule},
    {"a slow target is late and skips", a_slow_target_is_late_and_skips},
    {"what found no slot is skipped", what_found_no_slot_is_skipped},
    {"jobs take turns", jobs_take_turns},
    {"a backlog from warm-up comes first", a_backlog_from_warmup_comes_first},
    {"an absurd rate is skipped at once", an_absurd_rate_is_skipped_at_once},
    {"a limit ends the schedule", a_limit_ends_the_schedule},
    {"what the target did not take is skipped", what_the_target_did_not_take_is_skipped},
    {"a limit bounds what is skipped", a_limit_bounds_what_is_skipped},
    {"a stop ends the schedule", a_stop_ends_the_schedule},
    {"waiting does not burn", waiting_does_not_burn},
};
HARNESS_MAIN("load_open", tests)
