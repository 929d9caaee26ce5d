/* Where a step is found and where none: series of seconds made by hand and by a seeded generator.
 */
#include "common/campaign/step.h"

#include "tests/unit/harness.h"

#include "common/base/random.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_SECONDS = 4000 };

struct series {
    double ok[MOST_SECONDS];
    size_t count;
};

/* The step in the series, of which a part of one second more was measured, at a rate of nothing. */
static struct strata_step find(const struct series *series)
{
    struct strata_recorder recorder;
    strata_recorder_init(&recorder, 1U << STRATA_OPERATION_READ, false);
    struct strata_record *record = recorder.records[STRATA_OPERATION_READ];
    for (size_t s = 0; s < series->count; s++) {
        record->samples[s].ok = (uint64_t)fmax(0, series->ok[s]);
    }
    record->sample_count = series->count + 1;
    struct strata_step step;
    bool found =
        strata_step_find(&recorder, series->count * UINT64_C(1000000000) + 400000000, &step);
    CU_ASSERT_EQUAL(found, step.at_ns > 0);
    strata_recorder_done(&recorder);
    return step;
}

static struct strata_step find_seconds(const double *ok, size_t count)
{
    struct series series = {.count = count};
    for (size_t s = 0; s < count; s++) {
        series.ok[s] = ok[s];
    }
    return find(&series);
}
#define FIND(...)                                                                                  \
    find_seconds((const double[]){__VA_ARGS__},                                                    \
                 sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static void check(struct strata_step step, double at_s, double before, double after)
{
    CU_ASSERT_DOUBLE_EQUAL((double)step.at_ns / 1e9, at_s, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(step.before_per_s, before, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(step.after_per_s, after, 1e-6);
}

/* D15 */
static void a_step_has_both_rates(void)
{
    check(FIND(3000, 3000, 3000, 3000, 3000, 1000, 1000, 1000, 1000, 1000), 5, 3000, 1000);
    check(FIND(1000, 1000, 1000, 1000, 2500, 2500, 2500), 4, 1000, 2500);
    check(FIND(1000, 1000, 1000, 0, 0, 0), 3, 1000, 0);
    CU_ASSERT_EQUAL(FIND(1490, 1490, 1490, 1000, 1000, 1000).at_ns, 0);
    CU_ASSERT_EQUAL(FIND(1500, 1500, 1500, 1000, 1000, 1000).at_ns, UINT64_C(3000000000));
}

/* 200 in a second are half a second of 300 and half a second of 100. */
static void the_second_of_the_step_belongs_to_neither_side(void)
{
    check(FIND(300, 300, 300, 200, 100, 100, 100), 3.5, 300, 100);
    check(FIND(300, 300, 300, 250, 100, 100, 100), 3.75, 300, 100);
}

static void what_is_no_step(void)
{
    CU_ASSERT_EQUAL(FIND(1000, 1000, 1000, 1000, 1000, 1000).at_ns, 0);
    CU_ASSERT_EQUAL(FIND(0, 0, 0, 0, 0, 0).at_ns, 0);
    CU_ASSERT_EQUAL(FIND(3000, 3000, 1000, 1000, 1000).at_ns, 0);             /* too short */
    CU_ASSERT_EQUAL(FIND(3000, 900, 3000, 1000, 3000, 1000).at_ns, 0);        /* to and fro */
    CU_ASSERT_EQUAL(FIND(3000, 3000, 3000, 50, 3000, 3000).at_ns, 0);         /* one stall */
    CU_ASSERT_EQUAL(FIND(3000, 1000, 1000, 1000, 1000, 1000, 1000).at_ns, 0); /* one second */
    CU_ASSERT_EQUAL(FIND(2000, 1800, 1600, 1450, 1300, 1170).at_ns, 0);       /* a slope */
    CU_ASSERT_EQUAL(FIND(4, 3, 4, 5, 3, 1, 2, 1, 2, 1).at_ns, 0);             /* too few to tell */
}

/* Roughly normal, mean 0 and standard deviation 1: a sum of 12 uniform ones. */
static double noise(struct strata_random *random)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        sum += (double)strata_random_below(random, 1000000) / 1e6;
    }
    return sum;
}

/* `before` up to `at`, `after` from `at` + `ramp` on, a line between, all with relative noise. */
static struct series make(struct strata_random *random, size_t count, size_t at, size_t ramp,
                          double before, double after, double deviation)
{
    struct series series = {.count = count};
    for (size_t s = 0; s < count; s++) {
        double share = s < at ? 0 : s >= at + ramp ? 1 : (double)(s - at) / (double)ramp;
        double rate = before + share * (after - before);
        series.ok[s] = rate * (1 + deviation * noise(random));
    }
    return series;
}

/* A burst of 60 s in 5 min, with noise of 15 % and seconds that stall altogether. */
static void a_burst_is_found_in_noise_and_beside_stalls(void)
{
    struct strata_random random;
    strata_random_seed(&random, 1);
    for (int trial = 0; trial < 200; trial++) {
        struct series series = make(&random, 300, 60, 0, 3000, 1000, 0.15);
        series.ok[17] = series.ok[48] = 0;
        series.ok[120] = series.ok[200] = 2900;
        struct strata_step step = find(&series);
        CU_ASSERT_DOUBLE_EQUAL((double)step.at_ns / 1e9, 60, 1.01);
        CU_ASSERT_DOUBLE_EQUAL(step.before_per_s, 3000, 300);
        CU_ASSERT_DOUBLE_EQUAL(step.after_per_s, 1000, 60);
    }
}

static void a_step_is_found_late_and_when_it_takes_its_time(void)
{
    struct strata_random random;
    strata_random_seed(&random, 2);
    for (int trial = 0; trial < 200; trial++) {
        struct series late = make(&random, 60, 54, 0, 2000, 1000, 0.1);
        CU_ASSERT_DOUBLE_EQUAL((double)find(&late).at_ns / 1e9, 54, 1.01);
        struct series slow = make(&random, 120, 60, 8, 3000, 1000, 0.1);
        struct strata_step step = find(&slow);
        CU_ASSERT_DOUBLE_EQUAL((double)step.at_ns / 1e9, 64, 3);
        CU_ASSERT_DOUBLE_EQUAL(step.before_per_s, 3000, 250);
        CU_ASSERT_DOUBLE_EQUAL(step.after_per_s, 1000, 100);
    }
}

/* At most one in a thousand of steady series, whatever their length and noise. */
static void noise_is_no_step(void)
{
    static const double deviations[] = {0.05, 0.15, 0.3, 0.6};
    static const size_t lengths[] = {6, 10, 30, 300};
    struct strata_random random;
    strata_random_seed(&random, 3);
    unsigned found = 0;
    unsigned trials = 0;
    for (size_t d = 0; d < 4; d++) {
        for (size_t l = 0; l < 4; l++) {
            for (int trial = 0; trial < 500; trial++, trials++) {
                struct series series =
                    make(&random, lengths[l], lengths[l], 0, 1000, 1000, deviations[d]);
                found += find(&series).at_ns > 0;
            }
        }
    }
    CU_ASSERT_EQUAL(trials, 8000);
    CU_ASSERT(found <= 8);
}

static void a_trend_is_no_step(void)
{
    struct strata_random random;
    strata_random_seed(&random, 4);
    for (int trial = 0; trial < 200; trial++) {
        struct series series = make(&random, 300, 0, 300, 3000, 1000, 0.05);
        CU_ASSERT_EQUAL(find(&series).at_ns, 0);
    }
}

/* An hour and more: the sums stay exact enough. */
static void a_long_series_is_no_harder(void)
{
    struct strata_random random;
    strata_random_seed(&random, 5);
    struct series series = make(&random, MOST_SECONDS, 1800, 0, 3000000, 1000000, 0.05);
    struct strata_step step = find(&series);
    CU_ASSERT_DOUBLE_EQUAL((double)step.at_ns / 1e9, 1800, 1.01);
    CU_ASSERT_DOUBLE_EQUAL(step.after_per_s, 1000000, 10000);
}

static const struct harness_test tests[] = {
    {"a step has both rates (D15)", a_step_has_both_rates},
    {"the second of the step belongs to neither side",
     the_second_of_the_step_belongs_to_neither_side},
    {"what is no step", what_is_no_step},
    {"a burst is found in noise and beside stalls", a_burst_is_found_in_noise_and_beside_stalls},
    {"a step is found late and when it takes its time",
     a_step_is_found_late_and_when_it_takes_its_time},
    {"noise is no step", noise_is_no_step},
    {"a trend is no step", a_trend_is_no_step},
    {"a long series is no harder", a_long_series_is_no_harder},
};

HARNESS_MAIN("step", tests)
