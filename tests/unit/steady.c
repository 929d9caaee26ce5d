/* When rounds are steady and what may carry the standard's name: values by hand, both edges. */
#include "common/campaign/steady.h"

#include "tests/unit/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define JUDGE(...)                                                                                 \
    strata_steady_judge((const double[]){__VA_ARGS__},                                             \
                        sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

/* 95, 97.5, … 105: mean 100, slope 2.5 a round, so that the line moves 10 over the window. */
static void a_slope_of_exactly_10_percent_is_steady(void)
{
    struct strata_steady_window window = JUDGE(950, 975, 1000, 1025, 1050);
    CU_ASSERT_TRUE(window.steady);
    CU_ASSERT_EQUAL(window.mean_per_s, 1000);
    CU_ASSERT_DOUBLE_EQUAL(window.slope_fraction, 0.1, 1e-15);
    CU_ASSERT_DOUBLE_EQUAL(window.range_fraction, 0.1, 1e-15);
    CU_ASSERT_TRUE(JUDGE(1050, 1025, 1000, 975, 950).steady);
    CU_ASSERT_DOUBLE_EQUAL(JUDGE(1050, 1025, 1000, 975, 950).slope_fraction, -0.1, 1e-15);
    /* One operation more at the end: sum 5001, the line moves 4 (2·101 + 50) / 10 = 100.8. */
    CU_ASSERT_FALSE(JUDGE(950, 975, 1000, 1025, 1051).steady);
    CU_ASSERT_TRUE(JUDGE(950, 975, 1000, 1025, 1049).steady);
}

/* 90, 110 and three of 100: the range is 20 % of the mean; the line moves 4·2·(100 − 100) = 0. */
static void a_range_of_exactly_20_percent_is_steady(void)
{
    struct strata_steady_window window = JUDGE(1000, 900, 1000, 1100, 1000);
    CU_ASSERT_DOUBLE_EQUAL(window.range_fraction, 0.2, 1e-15);
    CU_ASSERT_DOUBLE_EQUAL(window.slope_fraction, 0.08, 1e-15); /* 4 · (110 − 90) / 10 = 8 */
    CU_ASSERT_TRUE(window.steady);
    CU_ASSERT_FALSE(JUDGE(1000, 899, 1000, 1100, 1001).steady); /* sum 5000, range 201 */
    CU_ASSERT_FALSE(JUDGE(1000, 899, 1000, 1100, 1000).steady);
    CU_ASSERT_TRUE(JUDGE(1000, 901, 1000, 1100, 1000).steady);
}

/* Both edges hold at any scale where the numbers are whole, as counts over whole seconds are. */
static void edges_do_not_depend_on_the_scale(void)
{
    for (double scale = 1; scale < 1e12; scale *= 7) {
        CU_ASSERT_TRUE(JUDGE(38 * scale, 39 * scale, 40 * scale, 41 * scale, 42 * scale).steady);
        CU_ASSERT_FALSE(
            JUDGE(38 * scale, 39 * scale, 40 * scale, 41 * scale, 42 * scale + 1).steady);
        CU_ASSERT_TRUE(JUDGE(10 * scale, 9 * scale, 10 * scale, 11 * scale, 10 * scale).steady);
        CU_ASSERT_FALSE(
            JUDGE(10 * scale, 9 * scale, 10 * scale, 11 * scale + 1, 10 * scale).steady);
    }
}

static void nothing_and_the_unknown_are_not_steady(void)
{
    CU_ASSERT_FALSE(JUDGE(0, 0, 0, 0, 0).steady);
    CU_ASSERT_FALSE(JUDGE(1000, 1000, NAN, 1000, 1000).steady);
    CU_ASSERT_TRUE(isnan(JUDGE(1000, 1000, NAN, 1000, 1000).mean_per_s));
    CU_ASSERT_TRUE(JUDGE(1000, 1000, 1000, 1000, 1000).steady);
    CU_ASSERT_EQUAL(JUDGE(1000, 1000, 1000, 1000, 1000).range_fraction, 0);
}

/* D9: more than 1024 values, a straight line whose ends are exactly 10 % of the mean apart. With
 * 2001 values from 19000 to 21000 the mean is 20000 and the line moves 2000. */
static void more_than_1024_values_are_judged_alike(void)
{
    enum { COUNT = 2001 };
    double *per_s = calloc(COUNT, sizeof(*per_s));
    CU_ASSERT_PTR_NOT_NULL_FATAL(per_s);
    for (int i = 0; i < COUNT; i++) {
        per_s[i] = 19000 + i;
    }
    struct strata_steady_window window = strata_steady_judge(per_s, COUNT);
    CU_ASSERT_TRUE(window.steady);
    CU_ASSERT_EQUAL(window.mean_per_s, 20000);
    CU_ASSERT_DOUBLE_EQUAL(window.slope_fraction, 0.1, 1e-12);
    per_s[COUNT - 1] += 1;
    CU_ASSERT_FALSE(strata_steady_judge(per_s, COUNT).steady);
    per_s[COUNT - 1] -= 1;
    per_s[0] -= 1;
    CU_ASSERT_FALSE(strata_steady_judge(per_s, COUNT).steady);
    free(per_s);
}

/* --- the rate of a round -------------------------------------------------------------------------
 */

struct round {
    struct strata_load_result result;
    struct strata_store_phase phase;
};

static void make_round(struct round *round, uint64_t reads, uint64_t writes)
{
    *round = (struct round){.result = {.window_ns = 2000000000, .elapsed_ns = 4000000000}};
    strata_recorder_init(&round->result.recorder,
                         1U << STRATA_OPERATION_READ | 1U << STRATA_OPERATION_WRITE, false);
    struct strata_tally *read = &round->result.recorder.records[STRATA_OPERATION_READ]->tally;
    struct strata_tally *write = &round->result.recorder.records[STRATA_OPERATION_WRITE]->tally;
    read->ok = read->window_ok = reads;
    write->ok = writes + 20; /* of which 20 after the window */
    write->window_ok = writes;
    write->bytes = write->ok * 131072;
    round->phase = (struct strata_store_phase){
        .name = "round 1", .result = &round->result, .reason = "", .bytes_per_operation = 131072};
}

static void a_round_has_the_rate_of_its_window(void)
{
    struct round round;
    make_round(&round, 700, 300);
    CU_ASSERT_EQUAL(strata_steady_rate(&round.phase, 50), 500); /* 1000 in 2 s */
    CU_ASSERT_EQUAL(strata_steady_rate(&round.phase, 51), 255); /* 1020 in 4 s: too few in it */
    round.phase.reason = "step: …";
    CU_ASSERT_TRUE(isnan(strata_steady_rate(&round.phase, 1)));
    strata_recorder_done(&round.result.recorder);
    make_round(&round, 0, 0);
    round.result.recorder.records[STRATA_OPERATION_WRITE]->tally.ok = 0;
    round.phase.reason = "";
    CU_ASSERT_TRUE(isnan(strata_steady_rate(&round.phase, 1)));
    strata_recorder_done(&round.result.recorder);
}

/* --- the standard's name -------------------------------------------------------------------------
 */

/* 980 writes in the window and 20 after it: 1000 of 128 KiB, twice a region of 500 of them. */
static struct strata_store_steady conclude(const char *left_out, uint64_t region_blocks,
                                           uint64_t round_s, const double *per_s, size_t rounds)
{
    struct strata_load phases[2] = {{.bytes = 131072},
                                    {.duration_ns = round_s * UINT64_C(1000000000)}};
    struct strata_workload workload = {
        .phases = phases, .phase_count = 2, .rounds = 25, .precondition_passes = 2};
    struct strata_run_context context = {.workload = &workload,
                                         .region_bytes = region_blocks * 131072};
    strncpy(context.left_out, left_out, sizeof(context.left_out) - 1);
    struct round precondition;
    make_round(&precondition, 0, 980);
    struct strata_store_steady steady;
    strata_steady_conclude(&context, &precondition.phase, per_s, rounds, &steady);
    strata_recorder_done(&precondition.result.recorder);
    return steady;
}

static const double falling[] = {3000, 1500, 1000, 1000, 1000, 1000, 1000};

static void the_name_is_given_when_nothing_was_left_out(void)
{
    struct strata_store_steady steady = conclude("", 500, 60, falling, 7);
    CU_ASSERT_STRING_EQUAL(steady.procedure, "SNIA PTS 2.0.2 steady state, purged by discard");
    CU_ASSERT_STRING_EQUAL(steady.missing, "");
    CU_ASSERT_TRUE(steady.reached);
    CU_ASSERT_EQUAL(steady.rounds, 7);
    CU_ASSERT_EQUAL(steady.window_first_round, 3);
    CU_ASSERT_EQUAL(steady.mean_per_s, 1000);
    CU_ASSERT_EQUAL(steady.preconditioned_bytes, 1000 * 131072);
    CU_ASSERT_EQUAL(steady.capacity_bytes, 500 * 131072);
}

static void the_name_is_not_given_when_something_was_left_out(void)
{
    struct strata_store_steady steady = conclude("purge; a physical device", 500, 60, falling, 7);
    CU_ASSERT_STRING_EQUAL(steady.procedure, "");
    CU_ASSERT_STRING_EQUAL(steady.missing, "purge; a physical device");
    CU_ASSERT_TRUE(steady.reached); /* a fact of the rounds, whatever it may be called */
    steady = conclude("", 500, 59, falling, 7);
    CU_ASSERT_STRING_EQUAL(steady.procedure, "");
    CU_ASSERT_STRING_EQUAL(steady.missing, "rounds of 60 s (59 s)");
    steady = conclude("purge", 501, 1, falling, 7);
    CU_ASSERT_STRING_EQUAL(steady.procedure, "");
    CU_ASSERT_STRING_EQUAL(steady.missing,
                           "purge; preconditioning with twice the capacity (131072000 of 131334144 "
                           "bytes); rounds of 60 s (1 s)");
}

static void not_reached_is_an_answer(void)
{
    struct strata_store_steady steady = conclude("", 500, 60, falling, 6);
    CU_ASSERT_FALSE(steady.reached);
    CU_ASSERT_EQUAL(steady.window_first_round, 2);
    CU_ASSERT_EQUAL(steady.mean_per_s, 1100);
    CU_ASSERT_DOUBLE_EQUAL(steady.range_fraction, 500.0 / 1100, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(steady.slope_fraction, -400.0 / 1100, 1e-12); /* 4 (−2·1500 + 2000)/10 */
    steady = conclude("", 500, 60, falling, 4);
    CU_ASSERT_FALSE(steady.reached);
    CU_ASSERT_EQUAL(steady.window_first_round, 0);
    CU_ASSERT_TRUE(isnan(steady.mean_per_s));
}

static const struct harness_test tests[] = {
    {"a slope of exactly 10 % is steady (D9)", a_slope_of_exactly_10_percent_is_steady},
    {"a range of exactly 20 % is steady (D9)", a_range_of_exactly_20_percent_is_steady},
    {"edges do not depend on the scale", edges_do_not_depend_on_the_scale},
    {"nothing and the unknown are not steady", nothing_and_the_unknown_are_not_steady},
    {"more than 1024 values are judged alike (D9)", more_than_1024_values_are_judged_alike},
    {"a round has the rate of its window", a_round_has_the_rate_of_its_window},
    {"the name is given when nothing was left out", the_name_is_given_when_nothing_was_left_out},
    {"the name is not given when something was left out",
     the_name_is_not_given_when_something_was_left_out},
    {"not reached is an answer", not_reached_is_an_answer},
};

HARNESS_MAIN("steady", tests)
