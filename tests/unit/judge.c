/* Which phases are called invalid: hand-made results on both sides of each rule's edge. */
#include "common/campaign/judge.h"

#include "tests/unit/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct strata_target_type queued = {.name = "queued"};
static const struct strata_target_type synchronous = {.name = "synchronous",
                                                      .capabilities = STRATA_TARGET_SYNCHRONOUS};
static const struct strata_target_type instant = {.name = "instant",
                                                  .capabilities = STRATA_TARGET_INSTANT};

/* A closed loop of 2 jobs: `ok` operations of 1 ms each, `in_window` of them in the window. */
struct phase {
    struct strata_load load;
    struct strata_load_result result;
    struct strata_phase_evidence evidence;
    struct strata_counters before;
    struct strata_counters after;
    bool direct;
};

static struct phase *make_phase(uint64_t ok, uint64_t in_window, uint64_t window_ns,
                                double in_flight)
{
    struct phase *phase = calloc(1, sizeof(*phase));
    CU_ASSERT_PTR_NOT_NULL_FATAL(phase);
    phase->load = (struct strata_load){.jobs = 2, .depth = 1};
    strata_recorder_init(&phase->result.recorder, 1U << STRATA_OPERATION_STAT, false);
    struct strata_record *record = phase->result.recorder.records[STRATA_OPERATION_STAT];
    record->tally.started = ok;
    record->tally.ok = ok;
    record->tally.window_ok = in_window;
    record->response.count = ok;
    record->response.sum_ns = ok * 1000000;
    phase->result.window_ns = window_ns;
    phase->result.elapsed_ns = window_ns;
    phase->result.mean_in_flight = in_flight;
    phase->evidence = (struct strata_phase_evidence){
        .load = &phase->load, .result = &phase->result, .target = &queued};
    return phase;
}

/* The reason why it is invalid, "" when it is not. */
static const char *judge(struct phase *phase)
{
    static char reason[512];
    struct strata_step step;
    reason[0] = '\0';
    strata_judge_phase(&phase->evidence, phase->direct, &step, reason, sizeof(reason));
    return reason;
}

static const char *judge_errors(struct phase *phase, double budget)
{
    static char reason[512];
    reason[0] = '\0';
    strata_judge_errors(&phase->result, budget, reason, sizeof(reason));
    return reason;
}

static void done(struct phase *phase)
{
    strata_recorder_done(&phase->result.recorder);
    free(phase);
}

/* 1000 operations of 1 ms by 2 jobs take 500 ms. */
static void a_sound_phase_is_valid(void)
{
    struct phase *phase = make_phase(1000, 1000, 500000000, 2);
    CU_ASSERT_STRING_EQUAL(judge(phase), "");
    done(phase);
}

static void a_depth_not_achieved_is_named(void)
{
    struct phase *phase = make_phase(1000, 1000, 1000000000 / 179 * 100, 1.79);
    CU_ASSERT_STRING_EQUAL(judge(phase), "depth: 1.8 operations in flight on average, 2 asked");
    done(phase);
}

/* 100 operations of 1 ms by 2 jobs: 50 ms, of which a late job's start takes a good part. */
static void too_short_a_phase_is_not_judged(void)
{
    struct phase *phase = make_phase(100, 100, 99999999, 1);
    CU_ASSERT_STRING_EQUAL(judge(phase), "");
    phase->result.window_ns = 100000000;
    CU_ASSERT_STRING_EQUAL(judge(phase), "depth: 1.0 operations in flight on average, 2 asked");
    done(phase);
}

/* 1000 operations in 400 ms: 2.5 in flight by rate and latency, where 2 were seen. */
static void littles_law_is_held(void)
{
    struct phase *phase = make_phase(1000, 1000, 400000000, 2);
    CU_ASSERT_STRING_EQUAL(judge(phase),
                           "Little's law: rate x latency is 1.25 of the operations in flight");
    phase->result.window_ns = 480000000; /* 4.2 % off */
    CU_ASSERT_STRING_EQUAL(judge(phase), "");
    done(phase);
}

/* One job was slower: what it did alone, after the window, has another latency. */
static void littles_law_needs_the_window(void)
{
    struct phase *phase = make_phase(1000, 989, 400000000, 2);
    CU_ASSERT_STRING_EQUAL(judge(phase), "");
    phase->result.recorder.records[STRATA_OPERATION_STAT]->tally.window_ok = 990;
    CU_ASSERT_PTR_NOT_NULL(strstr(judge(phase), "Little's law"));
    done(phase);
}

static void failures_over_the_budget_are_named(void)
{
    struct phase *phase = make_phase(980, 980, 490000000, 2);
    struct strata_tally *tally = &phase->result.recorder.records[STRATA_OPERATION_STAT]->tally;
    tally->started = 1000;
    tally->failed = 20;
    CU_ASSERT_STRING_EQUAL(judge_errors(phase, 0.019), "errors: 20 of 1000 operations failed");
    CU_ASSERT_STRING_EQUAL(judge_errors(phase, 0.02), "");
    CU_ASSERT_FALSE(strata_judge_all_failed(&phase->result));
    tally->ok = 0;
    CU_ASSERT_TRUE(strata_judge_all_failed(&phase->result));
    done(phase);
}

/* The null target is never full, and a synchronous one has one call in flight or none. */
static void depth_is_for_queues(void)
{
    struct phase *phase = make_phase(1000, 1000, 1000000000 / 179 * 100, 1.79);
    phase->evidence.target = &synchronous;
    CU_ASSERT_STRING_EQUAL(judge(phase), "");
    phase->evidence.target = &instant;
    phase->result.generator_busy_fraction = 1;
    CU_ASSERT_STRING_EQUAL(judge(phase), "");
    done(phase);
}

/* The generator at work for 95 % of 500 ms; of which the cipher took half. */
static void a_busy_generator_is_named_unless_it_encrypts(void)
{
    struct phase *phase = make_phase(1000, 1000, 500000000, 2);
    phase->result.generator_busy_fraction = 0.95;
    CU_ASSERT_STRING_EQUAL(judge(phase),
                           "tool-bound: the load generator itself was busy for 95 % of the time");
    phase->result.recorder.records[STRATA_OPERATION_STAT]->tally.stage_ns[STRATA_STAGE_CIPHER] =
        500000000; /* of the two jobs together */
    CU_ASSERT_STRING_EQUAL(judge(phase), "");
    done(phase);
}

static void look_at_counters(struct phase *phase)
{
    phase->evidence.before = &phase->before;
    phase->evidence.after = &phase->after;
    phase->before.cpu_idle_ns = 5;
    phase->after.cpu_idle_ns = 5 + 950000000;
}

/* Less two ticks of 10 ms: 51 of 1021 ms are 5.0 %, 52 of 1022 are 5.1 %; of a few ticks nothing.
 */
static void stolen_time_is_named(void)
{
    struct phase *phase = make_phase(1000, 1000, 500000000, 2);
    look_at_counters(phase);
    phase->after.cpu_steal_ns = 71000000;
    CU_ASSERT_STRING_EQUAL(judge(phase), "");
    phase->after.cpu_steal_ns = 72000000;
    CU_ASSERT_STRING_EQUAL(judge(phase),
                           "steal: the hypervisor took 7.0 % of the processors' time");
    phase->after.cpu_idle_ns = 5 + 20000000;
    phase->after.cpu_steal_ns = 20000000;
    CU_ASSERT_STRING_EQUAL(judge(phase), "");
    phase->after.cpu_steal_ns = 30000000;
    CU_ASSERT_STRING_EQUAL(judge(phase),
                           "steal: the hypervisor took 60.0 % of the processors' time");
    done(phase);
}

/* 1,000,000 bytes were read; the loop device saw them all, the disk below it half, then less. */
static void reads_from_a_cache_are_named(void)
{
    struct phase *phase = make_phase(1000, 1000, 500000000, 2);
    look_at_counters(phase);
    phase->direct = true;
    phase->result.recorder.records[STRATA_OPERATION_STAT]->tally.bytes = 1000000;
    phase->before.disk_count = phase->after.disk_count = 2;
    phase->before.top_count = phase->after.top_count = 1;
    phase->after.disks[0] = (struct strata_disk_counter){.name = "loop9", .read_bytes = 1000000};
    phase->after.disks[1] = (struct strata_disk_counter){.name = "sda", .read_bytes = 500000};
    CU_ASSERT_STRING_EQUAL(judge(phase), "");
    phase->after.disks[1].read_bytes = 499999;
    CU_ASSERT_STRING_EQUAL(judge(phase), "cached: the devices below loop9 moved 499999 bytes of "
                                         "1000000 that were asked");
    phase->after.partly_below = true; /* of a set: the other member stands on tmpfs */
    CU_ASSERT_STRING_EQUAL(judge(phase), "");
    phase->after.partly_below = false;
    phase->after.disks[1].uncounted = true;
    CU_ASSERT_STRING_EQUAL(judge(phase), "");
    phase->after.disks[0].read_bytes = 0;
    CU_ASSERT_STRING_EQUAL(judge(phase), "cached: loop9 moved 0 bytes of 1000000 that were asked");
    /* A set of two: together they must have moved half of it. */
    phase->before.top_count = phase->after.top_count = 2;
    phase->after.disks[0].read_bytes = 300000;
    phase->after.disks[1] = (struct strata_disk_counter){.name = "sda", .read_bytes = 200000};
    CU_ASSERT_STRING_EQUAL(judge(phase), "");
    phase->after.disks[1].read_bytes = 199999;
    CU_ASSERT_STRING_EQUAL(judge(phase), "cached: loop9 and the others of the set moved 499999 "
                                         "bytes of 1000000 that were asked");
    phase->direct = false;
    CU_ASSERT_STRING_EQUAL(judge(phase), "");
    done(phase);
}

/* A phase of as many seconds as there are numbers, one success each millisecond but for the rate.
 */
static const char *judge_seconds(const uint64_t *ok, size_t seconds)
{
    uint64_t all = 0;
    for (size_t i = 0; i < seconds; i++) {
        all += ok[i];
    }
    uint64_t window_ns = seconds * UINT64_C(1000000000) + 400000000; /* and a part of one */
    struct phase *phase = make_phase(all, all, window_ns, 2);
    struct strata_record *record = phase->result.recorder.records[STRATA_OPERATION_STAT];
    record->response.sum_ns = 2 * window_ns; /* so that Little's law holds */
    for (size_t i = 0; i < seconds; i++) {
        record->samples[i].ok = ok[i];
    }
    record->samples[seconds].ok = 1; /* the part: must not count as a slow second */
    record->sample_count = seconds + 1;
    static char reason[512];
    snprintf(reason, sizeof(reason), "%s", judge(phase));
    done(phase);
    return reason;
}
#define JUDGE_SECONDS(...)                                                                         \
    judge_seconds((const uint64_t[]){__VA_ARGS__},                                                 \
                  sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static void a_step_is_named_with_both_rates(void)
{
    CU_ASSERT_STRING_EQUAL(
        JUDGE_SECONDS(3000, 3000, 3000, 3000, 3000, 1000, 1000, 1000, 1000, 1000),
        "step: 3000.0/s in the first 5.0 s, 1000.0/s in the 5.4 s after");
    CU_ASSERT_STRING_EQUAL(JUDGE_SECONDS(1000, 1000, 1000, 1000, 1000, 1000), "");
}

/* The depth was not achieved either: that is the reason, and the step is known all the same. */
static void a_step_is_kept_beside_another_rule(void)
{
    struct phase *phase = make_phase(24000, 24000, 12000000000, 1);
    struct strata_record *record = phase->result.recorder.records[STRATA_OPERATION_STAT];
    for (size_t i = 0; i < 12; i++) {
        record->samples[i].ok = i < 6 ? 3000 : 1000;
    }
    record->sample_count = 12;
    struct strata_step step;
    char reason[128] = "";
    strata_judge_phase(&phase->evidence, false, &step, reason, sizeof(reason));
    CU_ASSERT_STRING_EQUAL(reason, "depth: 1.0 operations in flight on average, 2 asked");
    CU_ASSERT_EQUAL(step.at_ns, 6000000000);
    CU_ASSERT_EQUAL(step.before_per_s, 3000);
    CU_ASSERT_EQUAL(step.after_per_s, 1000);
    phase->result.interrupted = true; /* averages mean nothing then */
    strata_judge_phase(&phase->evidence, false, &step, reason, sizeof(reason));
    CU_ASSERT_EQUAL(step.at_ns, 0);
    done(phase);
}

static const struct harness_test tests[] = {
    {"a sound phase is valid", a_sound_phase_is_valid},
    {"a depth that was not achieved is named", a_depth_not_achieved_is_named},
    {"too short a phase is not judged by averages", too_short_a_phase_is_not_judged},
    {"Little's law is held within 5 %", littles_law_is_held},
    {"Little's law needs nearly all operations in the window", littles_law_needs_the_window},
    {"failures over the budget are named", failures_over_the_budget_are_named},
    {"depth is for queues", depth_is_for_queues},
    {"a busy generator is named unless it encrypts", a_busy_generator_is_named_unless_it_encrypts},
    {"stolen time is named", stolen_time_is_named},
    {"reads from a cache are named (D14)", reads_from_a_cache_are_named},
    {"a step is named with both rates (D15)", a_step_is_named_with_both_rates},
    {"a step is kept beside another rule", a_step_is_kept_beside_another_rule},
};

HARNESS_MAIN("judge", tests)
