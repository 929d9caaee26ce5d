/* What is stored, and what the views make of it, against values computed by hand, by the sqlite3
 * program, and by the histogram that the percentiles were taken from. */
#include "tests/unit/harness.h"
#include "tests/unit/store_fixture.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

#define SECOND_NS UINT64_C(1000000000)

/* A result with one read record: measuring began at 10 s; the window is 2 s long. */
static void begin_result(struct strata_load_result *result)
{
    *result = (struct strata_load_result){.started_at_us = 1700000000000000,
                                          .elapsed_ns = 2500000000,
                                          .window_ns = 2 * SECOND_NS,
                                          .mean_in_flight = 31.5,
                                          .generator_busy_fraction = 0.25};
    strata_recorder_init(&result->recorder, 1U << STRATA_OPERATION_READ, false);
    result->recorder.begin_ns = 10 * SECOND_NS;
    result->recorder.window_end_ns = 12 * SECOND_NS;
}

static void add(struct strata_load_result *result, uint64_t end_ns, uint64_t took_ns, int32_t code)
{
    struct strata_operation operation = {.kind = STRATA_OPERATION_READ,
                                         .bytes = 512,
                                         .due_ns = end_ns - took_ns,
                                         .start_ns = end_ns - took_ns,
                                         .end_ns = end_ns,
                                         .result = code};
    strata_operation_stage(&operation, STRATA_STAGE_CIPHER, took_ns / 4);
    strata_recorder_add(&result->recorder, &operation);
    struct strata_tally *tally = &result->recorder.records[STRATA_OPERATION_READ]->tally;
    tally->due++;
    tally->started++;
}

static void finish(struct fixture *fixture, int64_t run_id, struct strata_load_result *result,
                   const char *status, const char *reason)
{
    struct strata_store_phase phase = {
        .name = "read", .result = result, .bytes_per_operation = 512};
    struct strata_store_outcome outcome = {
        .status = status, .reason = reason, .phases = &phase, .phase_count = 1};
    OK(strata_store_run_finish(fixture->store, run_id, &outcome, &fixture->error));
    strata_recorder_done(&result->recorder);
    strata_recorder_done(&result->warmup);
}

/* `count` successes evenly over the window of 2 s, each of 1 ms. */
static void store_steady_run(struct fixture *fixture, bool encrypted, unsigned pair_no,
                             unsigned slot, unsigned count, const char *status)
{
    struct strata_load_result result;
    int64_t id = fixture_begin(fixture, encrypted, pair_no, slot);
    begin_result(&result);
    for (unsigned i = 0; i < count; i++) {
        add(&result, 10 * SECOND_NS + (i + 1) * (2 * SECOND_NS / count), 1000000, 0);
    }
    finish(fixture, id, &result, status, strcmp(status, "ok") == 0 ? "" : "reason");
}

static void expect(struct fixture *fixture, const char *sql, const char *want)
{
    const char *got = fixture_text(fixture, sql);
    if (strcmp(got, want) != 0) {
        printf("\n    %s\n    got %s, want %s\n", sql, got, want);
        CU_FAIL("another value than expected");
    }
    CU_ASSERT_STRING_EQUAL(fixture_shell(fixture, sql), want);
}

static void test_values_come_back(void)
{
    struct fixture fixture;
    fixture_open(&fixture);
    struct strata_load_result result;
    int64_t id = fixture_begin(&fixture, false, 3, 5);
    begin_result(&result);
    add(&result, 10 * SECOND_NS + 100, 100, 0);
    add(&result, 11 * SECOND_NS + 1, 200, 0);
    add(&result, 11 * SECOND_NS + 2, 300, EIO);
    add(&result, 12 * SECOND_NS + 400000000, 400, 0); /* after the window */
    add(&result, 12 * SECOND_NS + 400000001, 500, STRATA_RESULT_TIMED_OUT);
    struct strata_store_look looks[2] = {{.phase = "read"}, {.phase = "read"}};
    looks[0].counters.at_ns = 10 * SECOND_NS;
    looks[1].counters.at_ns = 12 * SECOND_NS;
    looks[0].counters.cpu_user_ns = 100000000;
    looks[1].counters.cpu_user_ns = 400000000;
    looks[1].counters.cpu_system_ns = 300000000;
    looks[1].counters.cpu_idle_ns = 3000000000;
    looks[1].counters.cpu_steal_ns = 400000000;
    for (int i = 0; i < 2; i++) {
        looks[i].counters.disk_count = 1;
        snprintf(looks[i].counters.disks[0].name, sizeof(looks[i].counters.disks[0].name), "loop7");
    }
    looks[1].counters.disks[0].read_bytes = 3072;
    struct strata_store_phase phase = {
        .name = "read", .result = &result, .bytes_per_operation = 512};
    struct strata_store_outcome outcome = {.status = "invalid",
                                           .reason = "for the test",
                                           .phases = &phase,
                                           .phase_count = 1,
                                           .looks = looks,
                                           .look_count = 2};
    CU_ASSERT_EQUAL(strata_store_run_finish(fixture.store, id, &outcome, &fixture.error),
                    STRATA_OK);
    strata_recorder_done(&result.recorder);

    expect(
        &fixture,
        "SELECT status || ' ' || reason || ' ' || pair_no || ' ' || slot || ' ' || seed FROM run",
        "invalid for the test 3 5 42");
    expect(&fixture,
           "SELECT process_id > 1 AND process_start_ticks > 0 AND length(boot_id) = 36 FROM run",
           "1");
    expect(&fixture,
           "SELECT name || ' ' || open_loop || ' ' || bytes_per_operation || ' ' || started_at_us "
           "|| ' ' ||"
           " elapsed_ns || ' ' || window_ns || ' ' || mean_in_flight || ' ' ||"
           " generator_busy_fraction FROM phase",
           "read 0 512 1700000000000000 2500000000 2000000000 31.5 0.25");
    expect(
        &fixture,
        "SELECT operation || ' ' || due || ' ' || started || ' ' || ok || ' ' || failed || ' ' ||"
        " timed_out || ' ' || bytes || ' ' || window_ok || ' ' || window_bytes"
        " FROM operation_result",
        "read 5 5 3 1 1 1536 2 1024");
    expect(&fixture,
           "SELECT kind || ' ' || count || ' ' || sum_ns || ' ' || min_ns || ' ' || max_ns FROM "
           "histogram",
           "response 3 700 100 400");
    /* 400 lies in a bin two wide, since 400 has 9 bits and bins keep 8. */
    expect(&fixture,
           "SELECT group_concat(lower_ns || '-' || upper_ns || ':' || count) FROM histogram_bin",
           "100-100:1,200-200:1,400-401:1");
    expect(&fixture,
           "SELECT group_concat(second || ':' || ok || ':' || failed || ':' || sum_ns) FROM sample",
           "0:1:0:100,1:1:1:200,2:1:1:400");
    expect(&fixture, "SELECT stage || ' ' || operations || ' ' || total_ns FROM stage",
           "cipher 5 375"); /* failed ones took their time, too */
    expect(&fixture, "SELECT count || ' ' || message FROM error WHERE code = 5",
           "1 EIO: Input/output error");
    expect(&fixture, "SELECT count(*) FROM error WHERE code = 2003", "1");
    expect(&fixture,
           "SELECT value || ' ' || at_ns FROM counter WHERE metric = 'cpu_user_ns' AND look = 1",
           "400000000 12000000000");
    /* 2 operations in 2 s are too few for a rate over the window; 3 in the whole 2.5 s. */
    expect(&fixture,
           "SELECT ops_per_s || ' ' || bytes_per_s || ' ' || total_ops_per_s FROM v_throughput",
           "1.2 614.4 1.2");
    /* 300 + 300 of 4000 ms, for 3 operations of 512 bytes; 400 stolen. */
    expect(&fixture,
           "SELECT cpu_ns || ' ' || cpu_ns_per_operation || ' ' || cpu_ns_per_byte || ' ' ||"
           " cpu_busy_fraction || ' ' || steal_fraction FROM v_resource",
           "600000000 200000000.0 390625.0 0.15 0.1");
    expect(&fixture, "SELECT disk || ' ' || read_amplification FROM v_disk", "loop7 2.0");
    expect(&fixture, "SELECT reason FROM v_invalid", "for the test");
    /* The last second is half a second long, and one success ended in it. */
    expect(&fixture,
           "SELECT length_s || ' ' || ops_per_s || ' ' || whole FROM v_series WHERE second = 2",
           "0.5 2.0 0");
    fixture_close(&fixture);
}

static void test_seconds_add_up_to_the_total(void)
{
    struct fixture fixture;
    fixture_open(&fixture);
    store_steady_run(&fixture, false, 1, 1, 997, "ok");
    expect(&fixture,
           "SELECT sum(s.ok) = r.ok AND sum(s.bytes) = r.bytes AND sum(s.sum_ns) = h.sum_ns AND "
           "r.ok = 997"
           " FROM sample s JOIN operation_result r ON r.id = s.operation_result_id"
           " JOIN histogram h ON h.operation_result_id = r.id WHERE s.warmup = 0",
           "1");
    fixture_close(&fixture);
}

static void test_percentiles_are_the_histograms(void)
{
    static const unsigned counts[] = {1, 19, 20, 99, 100, 101, 999, 1000, 1003, 9999, 10000, 12345};
    static const struct {
        const char *column;
        double q;
        unsigned least; /* n (1 - q) >= 10 */
    } quantiles[] = {{"p50_ns", 0.5, 20},
                     {"p90_ns", 0.9, 100},
                     {"p99_ns", 0.99, 1000},
                     {"p99_9_ns", 0.999, 10000}};
    struct fixture fixture;
    fixture_open(&fixture);
    struct strata_random random;
    strata_random_seed(&random, 1);
    for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
        struct strata_load_result result;
        int64_t id = fixture_begin(&fixture, false, 1, 1);
        begin_result(&result);
        for (unsigned i = 0; i < counts[c]; i++) {
            /* From 1 ns to 8 s, every order of magnitude alike. */
            uint64_t took_ns = 1 + (strata_random_next(&random) >> (31 + i % 30));
            add(&result, 11 * SECOND_NS, took_ns < 10 * SECOND_NS ? took_ns : 1, 0);
        }
        struct strata_histogram pooled = result.recorder.records[STRATA_OPERATION_READ]->response;
        finish(&fixture, id, &result, "ok", "");
        for (size_t q = 0; q < 4; q++) {
            char sql[128];
            char want[32] = "NULL";
            snprintf(sql, sizeof(sql), "SELECT %s FROM v_latency WHERE run_id = %" PRId64,
                     quantiles[q].column, id);
            if (counts[c] >= quantiles[q].least) {
                snprintf(want, sizeof(want), "%" PRIu64,
                         strata_histogram_quantile_ns(&pooled, quantiles[q].q));
            }
            CU_ASSERT_STRING_EQUAL(fixture_text(&fixture, sql), want);
        }
    }
    CU_ASSERT_STRING_EQUAL(
        fixture_text(&fixture, "SELECT count(*) FROM v_latency WHERE max(coalesce(p50_ns, 0),"
                               " coalesce(p90_ns, 0), coalesce(p99_ns, 0), coalesce(p99_9_ns, 0))"
                               " > max_ns OR min_ns > coalesce(p50_ns, min_ns)"),
        "0");
    fixture_close(&fixture);
}

static void test_merged_percentiles_are_those_of_the_pooled_runs(void)
{
    struct fixture fixture;
    fixture_open(&fixture);
    struct strata_histogram *pooled = calloc(1, sizeof(*pooled));
    for (unsigned run = 0; run < 3; run++) {
        struct strata_load_result result;
        int64_t id = fixture_begin(&fixture, false, run + 1, run + 1);
        begin_result(&result);
        for (unsigned i = 0; i < 500; i++) {
            add(&result, 11 * SECOND_NS, 1000 + run * 100000 + i * i, 0);
        }
        strata_histogram_merge(pooled, &result.recorder.records[STRATA_OPERATION_READ]->response);
        finish(&fixture, id, &result, "ok", "");
    }
    char want[96];
    snprintf(want, sizeof(want), "3 1500 %" PRIu64 " %" PRIu64 " %" PRIu64 " -",
             strata_histogram_quantile_ns(pooled, 0.5), strata_histogram_quantile_ns(pooled, 0.9),
             strata_histogram_quantile_ns(pooled, 0.99));
    CU_ASSERT_STRING_EQUAL(
        fixture_text(&fixture, "SELECT runs || ' ' || count || ' ' || p50_ns || ' ' || p90_ns ||"
                               " ' ' || p99_ns || ' ' || coalesce(p99_9_ns, '-')"
                               " FROM v_latency_merged"),
        want);
    free(pooled);
    fixture_close(&fixture);
}

/* A query of one run or one campaign must not read the results of all others. */
static void test_conditions_reach_the_tables(void)
{
    static const char *const queries[][2] = {
        {"SELECT * FROM v_counter WHERE run_id = 1", "SCAN counter"},
        {"SELECT * FROM v_latency_merged WHERE campaign_id = 1", "SCAN histogram_bin"},
        {"SELECT * FROM v_latency_merged WHERE campaign_id = 1", "SCAN histogram"},
        {"SELECT * FROM v_latency_merged WHERE campaign_id = 1", "SCAN run"},
    };
    struct fixture fixture;
    fixture_open(&fixture);
    for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
        char sql[160];
        snprintf(sql, sizeof(sql), "EXPLAIN QUERY PLAN %s", queries[i][0]);
        struct strata_query *plan = NULL;
        CU_ASSERT_EQUAL_FATAL(strata_query_open(fixture.store, sql, &plan, &fixture.error),
                              STRATA_OK);
        size_t steps = 0;
        while (strata_query_next(plan)) {
            CU_ASSERT_PTR_NULL(strstr(strata_query_text(plan, 3), queries[i][1]));
            steps++;
        }
        strata_query_close(plan);
        CU_ASSERT(steps > 1);
    }
    fixture_close(&fixture);
}

static void test_nothing_succeeded_means_no_rate(void)
{
    struct fixture fixture;
    fixture_open(&fixture);
    struct strata_load_result result;
    int64_t id = fixture_begin(&fixture, false, 1, 1);
    begin_result(&result);
    for (unsigned i = 0; i < 40; i++) {
        add(&result, 11 * SECOND_NS, 1000, ENOSPC);
    }
    finish(&fixture, id, &result, "failed", "read: every operation failed");
    expect(&fixture,
           "SELECT ops_per_s IS NULL AND bytes_per_s IS NULL AND total_ops_per_s IS NULL AND"
           " failed = 40 FROM v_throughput",
           "1");
    expect(&fixture, "SELECT count(*) FROM v_latency", "0");
    expect(&fixture, "SELECT message || ' ' || count || ' ' || attempts_fraction FROM v_error",
           "ENOSPC: No space left on device 40 1.0");
    expect(
        &fixture,
        "SELECT mean_latency_ns IS NULL AND max_latency_ns IS NULL FROM v_series WHERE second = 1",
        "1");
    fixture_close(&fixture);
}

static void test_costs_below_the_kernels_ticks_are_not_told(void)
{
    struct fixture fixture;
    fixture_open(&fixture);
    struct strata_load_result result;
    int64_t id = fixture_begin(&fixture, false, 1, 1);
    begin_result(&result);
    add(&result, 11 * SECOND_NS, 1000, 0);
    /* 9 ticks of 10 ms in 90 ms; one more would be enough for each. */
    struct strata_store_look looks[2] = {{.phase = "read"}, {.phase = "read"}};
    looks[1].counters.at_ns = 90000000;
    looks[1].counters.cpu_user_ns = 90000000;
    for (int i = 0; i < 2; i++) {
        looks[i].counters.disk_count = 1;
        snprintf(looks[i].counters.disks[0].name, sizeof(looks[i].counters.disks[0].name), "loop7");
    }
    looks[1].counters.disks[0].busy_ns = 50000000;
    struct strata_store_phase phase = {
        .name = "read", .result = &result, .bytes_per_operation = 512};
    struct strata_store_outcome outcome = {.status = "ok",
                                           .reason = "",
                                           .phases = &phase,
                                           .phase_count = 1,
                                           .looks = looks,
                                           .look_count = 2};
    CU_ASSERT_EQUAL(strata_store_run_finish(fixture.store, id, &outcome, &fixture.error),
                    STRATA_OK);
    strata_recorder_done(&result.recorder);
    expect(&fixture,
           "SELECT cpu_ns || ' ' || coalesce(cpu_ns_per_operation, cpu_ns_per_byte,"
           " cpu_busy_fraction, steal_fraction, '-') FROM v_resource",
           "90000000 -");
    expect(&fixture, "SELECT coalesce(busy_fraction, '-') FROM v_disk", "-");
    fixture_shell(&fixture, "UPDATE counter SET at_ns = 100000000, value = 100000000"
                            " WHERE look = 1 AND metric = 'cpu_user_ns'");
    fixture_shell(&fixture, "UPDATE counter SET at_ns = 100000000 WHERE look = 1");
    expect(&fixture, "SELECT cpu_ns_per_operation || ' ' || cpu_busy_fraction FROM v_resource",
           "100000000.0 1.0");
    expect(&fixture, "SELECT busy_fraction FROM v_disk", "0.5");
    /* One tick more than the time that there was is rounding; more is not this phase's. */
    fixture_shell(&fixture, "UPDATE counter SET value = 110000000 WHERE look = 1"
                            " AND metric = 'disk_busy_ns'");
    expect(&fixture, "SELECT round(busy_fraction, 3) FROM v_disk", "1.0");
    fixture_shell(&fixture, "UPDATE counter SET value = 111000000 WHERE look = 1"
                            " AND metric = 'disk_busy_ns'");
    expect(&fixture, "SELECT coalesce(busy_fraction, '-') FROM v_disk", "-");
    fixture_close(&fixture);
}

/* All end within the window of 2 s; the whole lasts 2.5 s. One is in flight at a time. */
static void test_rates_over_a_window_need_20_operations(void)
{
    struct fixture fixture;
    fixture_open(&fixture);
    store_steady_run(&fixture, false, 1, 1, 19, "ok");
    store_steady_run(&fixture, false, 2, 2, 20, "ok");
    expect(&fixture,
           "SELECT group_concat(ok || ':' || ops_per_s || ':' || bytes_per_s || ':' ||"
           " total_ops_per_s) FROM v_throughput ORDER BY run_id",
           "19:7.6:3891.2:7.6,20:10.0:5120.0:8.0");
    fixture_close(&fixture);
}

static void test_pairs_are_of_ok_runs_only(void)
{
    struct fixture fixture;
    fixture_open(&fixture);
    store_steady_run(&fixture, false, 1, 1, 1000, "ok");
    store_steady_run(&fixture, true, 1, 2, 800, "ok");
    store_steady_run(&fixture, true, 2, 3, 900, "ok");
    store_steady_run(&fixture, false, 2, 4, 1000, "ok");
    store_steady_run(&fixture, false, 3, 5, 1000, "invalid");
    store_steady_run(&fixture, true, 3, 6, 700, "ok");
    fixture_begin(&fixture, false, 4, 7); /* still running */
    store_steady_run(&fixture, true, 4, 8, 700, "ok");
    expect(&fixture,
           "SELECT group_concat(pair_no || ':' || plain_ops_per_s || ':' || encrypted_ops_per_s)"
           " FROM (SELECT * FROM v_pair ORDER BY pair_no)",
           "1:500.0:400.0,2:500.0:450.0");
    /* ln(0.8) and ln(0.9) */
    expect(&fixture,
           "SELECT group_concat(round(log_ratio, 12)) FROM (SELECT * FROM v_pair ORDER BY pair_no)",
           "-0.223143551314,-0.105360515658");
    expect(&fixture,
           "SELECT plain_backend || ' ' || encrypted_backend || ' ' || phase || ' ' || operation "
           "|| ' ' || cell FROM v_pair",
           "disk disk-aes read read pair");
    fixture_close(&fixture);
}

static void test_control_pairs_alternate_their_sides(void)
{
    struct fixture fixture;
    fixture_open(&fixture);
    /* A drift of 10 a run: 100, 110, 120, 130. As ABBA the sides' sums are equal. */
    for (unsigned slot = 1; slot <= 4; slot++) {
        struct strata_store_run run = {.campaign_id = fixture.campaign_id,
                                       .environment_id = fixture.environment_id,
                                       .backend_id = fixture.plain_id,
                                       .workload_id = fixture.workload_id,
                                       .cell = "control",
                                       .twin_backend_id = fixture.plain_id,
                                       .pair_no = (slot + 1) / 2,
                                       .slot = slot};
        char uuid[37];
        strata_random_uuid(uuid);
        run.uuid = uuid;
        int64_t id = 0;
        struct strata_load_result result;
        if (strata_store_run_begin(fixture.store, &run, &id, &fixture.error) != STRATA_OK) {
            CU_FAIL("run_begin");
        }
        begin_result(&result);
        for (unsigned i = 0; i < 180 + 20 * slot; i++) {
            add(&result, 11 * SECOND_NS, 1000, 0);
        }
        finish(&fixture, id, &result, "ok", "");
    }
    expect(&fixture,
           "SELECT group_concat(plain_ops_per_s || '/' || encrypted_ops_per_s)"
           " FROM (SELECT * FROM v_pair WHERE cell = 'control' ORDER BY pair_no)",
           "100.0/110.0,130.0/120.0");
    fixture_close(&fixture);
}

static void test_segment_means(void)
{
    struct fixture fixture;
    fixture_open(&fixture);
    /* Rates 10, 20, …, 500 per second: the mean of the first n is 10 (n + 1) / 2. */
    for (unsigned run = 1; run <= 50; run++) {
        store_steady_run(&fixture, false, run, run, 20 * run, "ok");
    }
    expect(&fixture,
           "SELECT group_concat(runs || ':' || mean_ops_per_s || ':' || mean_latency_ns) FROM "
           "v_segment_mean",
           "5:30.0:1000000.0,10:55.0:1000000.0,25:130.0:1000000.0,50:255.0:1000000.0");
    fixture_close(&fixture);
}

static void test_open_loop_keeps_both_histograms(void)
{
    struct fixture fixture;
    fixture_open(&fixture);
    struct strata_load_result result;
    int64_t id = fixture_begin(&fixture, false, 1, 1);
    begin_result(&result);
    strata_recorder_done(&result.recorder);
    strata_recorder_init(&result.recorder, 1U << STRATA_OPERATION_READ, true);
    struct strata_operation late = {
        .kind = STRATA_OPERATION_READ, .bytes = 512, .due_ns = 100, .start_ns = 150, .end_ns = 200};
    strata_recorder_add(&result.recorder, &late);
    struct strata_tally *tally = &result.recorder.records[STRATA_OPERATION_READ]->tally;
    tally->started = 1;
    tally->skipped = 2;
    tally->due = 3;
    finish(&fixture, id, &result, "ok", "");
    expect(&fixture, "SELECT group_concat(kind || ':' || max_ns) FROM v_latency",
           "response:100,service:50");
    expect(&fixture, "SELECT skipped FROM v_throughput", "2");
    fixture_close(&fixture);
}

static void test_rows_are_found_again(void)
{
    struct fixture fixture;
    fixture_open(&fixture);
    struct strata_store_workload workload = {.layer = "device",
                                             .name = "iops read",
                                             .element = "iops",
                                             .operation = "read",
                                             .object_bytes = 512,
                                             .block_bytes = 512,
                                             .concurrency = 1,
                                             .category = NULL, /* as the empty one */
                                             .arrival = "closed",
                                             .parameters = "{}"};
    int64_t id = 0;
    struct strata_error error;
    CU_ASSERT_EQUAL(strata_store_workload(fixture.store, &workload, &id, &error), STRATA_OK);
    CU_ASSERT_EQUAL(id, fixture.workload_id);
    workload.concurrency = 8;
    CU_ASSERT_EQUAL(strata_store_workload(fixture.store, &workload, &id, &error), STRATA_OK);
    CU_ASSERT_NOT_EQUAL(id, fixture.workload_id);
    struct strata_store_campaign campaign = {.uuid = "11111111-1111-4111-8111-111111111111",
                                             .name = "test",
                                             .configuration = "<strata/>",
                                             .seed = 7,
                                             .loss_margin = 0.1,
                                             .planned_pairs = 5,
                                             .time_scale = 1};
    CU_ASSERT_EQUAL(strata_store_campaign(fixture.store, &campaign, &id, &error), STRATA_OK);
    CU_ASSERT_EQUAL(id, fixture.campaign_id);
    /* What a campaign says of itself must hold for all of its runs. */
    struct strata_store_campaign others[] = {campaign, campaign, campaign,
                                             campaign, campaign, campaign};
    others[0].name = "another";
    others[1].configuration = "<strata version=\"1\"/>";
    others[2].seed = 8;
    others[3].loss_margin = 0.2;
    others[4].planned_pairs = 6;
    others[5].time_scale = 0.5;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        CU_ASSERT_EQUAL(strata_store_campaign(fixture.store, &others[i], &id, &error),
                        STRATA_USAGE);
        CU_ASSERT_PTR_NOT_NULL(strstr(error.text, campaign.uuid));
    }
    CU_ASSERT_EQUAL(
        strata_store_environment(fixture.store, "machine", "{\"cores\":2}", &id, &error),
        STRATA_OK);
    CU_ASSERT_EQUAL(id, fixture.environment_id);
    CU_ASSERT_EQUAL(
        strata_store_environment(fixture.store, "machine", "{\"cores\":4}", &id, &error),
        STRATA_OK);
    CU_ASSERT_NOT_EQUAL(id, fixture.environment_id);
    struct strata_store_backend backend = {
        .name = "disk", .layer = "device", .evidence = "seen again", .stands_on = "floor"};
    CU_ASSERT_EQUAL(strata_store_backend(fixture.store, fixture.campaign_id, &backend, &id, &error),
                    STRATA_OK);
    CU_ASSERT_EQUAL(id, fixture.plain_id);
    expect(
        &fixture,
        "SELECT evidence || ' ' || stands_on || ' ' || (SELECT count(*) FROM backend) FROM backend"
        " WHERE name = 'disk'",
        "seen again floor 2");
    fixture_close(&fixture);
}

static void test_a_run_is_stored_whole_or_not_at_all(void)
{
    struct fixture fixture;
    fixture_open(&fixture);
    struct strata_load_result result;
    int64_t id = fixture_begin(&fixture, false, 1, 1);
    begin_result(&result);
    add(&result, 11 * SECOND_NS, 1000, 0);
    /* The second phase cannot be stored: a name stands once in a run. */
    struct strata_store_phase phases[2] = {{.name = "read", .result = &result},
                                           {.name = "read", .result = &result}};
    struct strata_store_outcome outcome = {
        .status = "ok", .reason = "", .phases = phases, .phase_count = 2};
    CU_ASSERT_EQUAL(strata_store_run_finish(fixture.store, id, &outcome, &fixture.error),
                    STRATA_INTERNAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(fixture.error.text, "phase.run_id, phase.name"));
    expect(&fixture,
           "SELECT status || ' ' || (SELECT count(*) FROM phase) || ' ' || (SELECT count(*) FROM "
           "sample) FROM run",
           "running 0 0");
    /* An accounting that does not add up is refused, too. */
    outcome.phase_count = 1;
    result.recorder.records[STRATA_OPERATION_READ]->tally.started = 2;
    CU_ASSERT_EQUAL(strata_store_run_finish(fixture.store, id, &outcome, &fixture.error),
                    STRATA_INTERNAL);
    result.recorder.records[STRATA_OPERATION_READ]->tally.started = 1;
    CU_ASSERT_EQUAL(strata_store_run_finish(fixture.store, id, &outcome, &fixture.error),
                    STRATA_OK);
    CU_ASSERT_EQUAL(strata_store_run_finish(fixture.store, id, &outcome, &fixture.error),
                    STRATA_INTERNAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(fixture.error.text, "not marked as running"));
    strata_recorder_done(&result.recorder);
    fixture_close(&fixture);
}

static const struct harness_test tests[] = {
    {"values come back as they were given", test_values_come_back},
    {"the seconds add up to the total", test_seconds_add_up_to_the_total},
    {"percentiles are the histogram's, or null", test_percentiles_are_the_histograms},
    {"merged percentiles are those of the pooled runs",
     test_merged_percentiles_are_those_of_the_pooled_runs},
    {"conditions reach the tables", test_conditions_reach_the_tables},
    {"nothing succeeded means no rate", test_nothing_succeeded_means_no_rate},
    {"costs below the kernel's ticks are not told",
     test_costs_below_the_kernels_ticks_are_not_told},
    {"rates over a window need 20 operations", test_rates_over_a_window_need_20_operations},
    {"pairs are of ok runs only", test_pairs_are_of_ok_runs_only},
    {"the A/A cell's sides alternate", test_control_pairs_alternate_their_sides},
    {"means of the first runs", test_segment_means},
    {"open loop keeps response and service time", test_open_loop_keeps_both_histograms},
    {"rows are found again", test_rows_are_found_again},
    {"a run is stored whole or not at all", test_a_run_is_stored_whole_or_not_at_all},
};

HARNESS_MAIN("store", tests)
