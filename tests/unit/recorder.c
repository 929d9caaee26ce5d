/* Tallies, seconds, causes of failure, names. */
#include "common/measure/recorder.h"

#include "tests/unit/harness.h"

#include <errno.h>
#include <string.h>

#define SECOND   UINT64_C(1000000000)
#define BEGIN_NS UINT64_C(7000000000)

static struct strata_operation ended(uint64_t due_ns, uint64_t end_ns, int32_t result)
{
    return (struct strata_operation){.kind = STRATA_OPERATION_READ,
                                     .bytes = 512,
                                     .due_ns = BEGIN_NS + due_ns,
                                     .start_ns = BEGIN_NS + due_ns + 100,
                                     .end_ns = BEGIN_NS + end_ns,
                                     .result = result};
}

static void add(struct strata_recorder *recorder, uint64_t due_ns, uint64_t end_ns, int32_t result)
{
    struct strata_operation operation = ended(due_ns, end_ns, result);
    strata_recorder_add(recorder, &operation);
}

static struct strata_recorder new_recorder(bool open_loop)
{
    struct strata_recorder recorder;
    strata_recorder_init(&recorder, 1U << STRATA_OPERATION_READ | 1U << STRATA_OPERATION_WRITE,
                         open_loop);
    recorder.begin_ns = BEGIN_NS;
    return recorder;
}

static void only_kinds_in_use_have_a_record(void)
{
    struct strata_recorder recorder = new_recorder(false);
    CU_ASSERT_PTR_NOT_NULL(recorder.records[STRATA_OPERATION_READ]);
    CU_ASSERT_PTR_NOT_NULL(recorder.records[STRATA_OPERATION_WRITE]);
    CU_ASSERT_PTR_NULL(recorder.records[STRATA_OPERATION_GET]);
    strata_recorder_done(&recorder);
}

static void successes_alone_enter_rates_and_latencies(void)
{
    struct strata_recorder recorder = new_recorder(false);
    recorder.window_end_ns = BEGIN_NS + 1000;
    add(&recorder, 0, 1000, 0);
    add(&recorder, 0, 1001, 0); /* after the window */
    add(&recorder, 0, 900, EIO);
    add(&recorder, 0, 900, STRATA_RESULT_TIMED_OUT);
    const struct strata_record *record = recorder.records[STRATA_OPERATION_READ];
    CU_ASSERT_EQUAL(record->tally.ok, 2);
    CU_ASSERT_EQUAL(record->tally.failed, 1);
    CU_ASSERT_EQUAL(record->tally.timed_out, 1);
    CU_ASSERT_EQUAL(record->tally.bytes, 1024);
    CU_ASSERT_EQUAL(record->tally.window_ok, 1);
    CU_ASSERT_EQUAL(record->tally.window_bytes, 512);
    CU_ASSERT_EQUAL(record->response.count, 2);
    CU_ASSERT_EQUAL(record->response.sum_ns, 2001);
    CU_ASSERT_EQUAL(record->service.count, 0);
    strata_recorder_done(&recorder);
}

static void open_loop_keeps_service_time_beside_response_time(void)
{
    struct strata_recorder recorder = new_recorder(true);
    add(&recorder, 50, 1050, 0);
    const struct strata_record *record = recorder.records[STRATA_OPERATION_READ];
    CU_ASSERT_EQUAL(record->response.sum_ns, 1000);
    CU_ASSERT_EQUAL(record->service.sum_ns, 900);
    strata_recorder_done(&recorder);
}

static void an_operation_belongs_to_the_second_in_which_it_ended(void)
{
    struct strata_recorder recorder = new_recorder(false);
    add(&recorder, SECOND - 10, SECOND - 1, 0);
    add(&recorder, SECOND - 10, SECOND, 0);
    add(&recorder, 2 * SECOND, 3 * SECOND + 5, ENOSPC);
    const struct strata_record *record = recorder.records[STRATA_OPERATION_READ];
    CU_ASSERT_EQUAL(record->sample_count, 4);
    CU_ASSERT_EQUAL(record->samples[0].ok, 1);
    CU_ASSERT_EQUAL(record->samples[0].max_ns, 9);
    CU_ASSERT_EQUAL(record->samples[1].ok, 1);
    CU_ASSERT_EQUAL(record->samples[1].sum_ns, 10);
    CU_ASSERT_EQUAL(record->samples[2].ok + record->samples[2].failed, 0);
    CU_ASSERT_EQUAL(record->samples[3].failed, 1);
    strata_recorder_done(&recorder);
}

static void what_is_past_the_series_goes_to_its_last_second(void)
{
    struct strata_recorder recorder = new_recorder(false);
    add(&recorder, 0, STRATA_SERIES_SECONDS * SECOND + 5 * SECOND, 0);
    const struct strata_record *record = recorder.records[STRATA_OPERATION_READ];
    CU_ASSERT_EQUAL(record->sample_count, STRATA_SERIES_SECONDS);
    CU_ASSERT_EQUAL(record->samples[STRATA_SERIES_SECONDS - 1].ok, 1);
    strata_recorder_done(&recorder);
}

/* R5. */
static void seconds_add_up_to_the_totals(void)
{
    struct strata_recorder recorder = new_recorder(false);
    for (uint64_t n = 0; n < 1000; n++) {
        add(&recorder, n * 7000000, n * 7000000 + 1000 + n, n % 10 == 3 ? EIO : 0);
    }
    const struct strata_record *record = recorder.records[STRATA_OPERATION_READ];
    struct strata_sample sum = {0};
    for (size_t second = 0; second < record->sample_count; second++) {
        sum.ok += record->samples[second].ok;
        sum.failed += record->samples[second].failed;
        sum.bytes += record->samples[second].bytes;
        sum.sum_ns += record->samples[second].sum_ns;
    }
    CU_ASSERT_EQUAL(record->sample_count, 7);
    CU_ASSERT_EQUAL(sum.ok, 900);
    CU_ASSERT_EQUAL(record->tally.ok, 900);
    CU_ASSERT_EQUAL(sum.failed, 100);
    CU_ASSERT_EQUAL(sum.bytes, 900 * 512);
    CU_ASSERT_EQUAL(record->tally.bytes, 900 * 512);
    CU_ASSERT_EQUAL(sum.sum_ns, record->response.sum_ns);
    strata_recorder_done(&recorder);
}

static uint64_t failures_of(const struct strata_record *record, int32_t code)
{
    for (size_t i = 0; i < record->failure_count; i++) {
        if (record->failures[i].code == code) {
            return record->failures[i].count;
        }
    }
    return 0;
}

static void causes_are_counted_by_code(void)
{
    struct strata_recorder recorder = new_recorder(false);
    for (unsigned n = 0; n < 5; n++) {
        add(&recorder, 0, 1, 503);
    }
    add(&recorder, 0, 1, EIO);
    add(&recorder, 0, 1, STRATA_RESULT_TIMED_OUT);
    const struct strata_record *record = recorder.records[STRATA_OPERATION_READ];
    CU_ASSERT_EQUAL(record->failure_count, 3);
    CU_ASSERT_EQUAL(failures_of(record, 503), 5);
    CU_ASSERT_EQUAL(failures_of(record, EIO), 1);
    CU_ASSERT_EQUAL(failures_of(record, STRATA_RESULT_TIMED_OUT), 1);
    strata_recorder_done(&recorder);
}

/* 40 causes, each twice: 31 with a place of their own, 9 together as code 0; none is lost, also
 * when the overflowed list is merged first or last. */
static void too_many_causes_are_counted_together(void)
{
    struct strata_recorder many = new_recorder(false);
    for (int32_t code = 1; code <= 40; code++) {
        add(&many, 0, 1, code);
        add(&many, 0, 1, code);
    }
    struct strata_record *record = many.records[STRATA_OPERATION_READ];
    CU_ASSERT_EQUAL(record->failure_count, STRATA_RECORDER_CODES);
    CU_ASSERT_EQUAL(failures_of(record, 0), 18);
    CU_ASSERT_EQUAL(failures_of(record, 31), 2);

    struct strata_recorder others = new_recorder(false);
    for (int32_t code = 100; code < 150; code++) {
        add(&others, 0, 1, code);
    }
    struct strata_recorder merged = new_recorder(false);
    strata_recorder_merge(&merged, &many);
    strata_recorder_merge(&merged, &others);
    record = merged.records[STRATA_OPERATION_READ];
    uint64_t sum = 0;
    for (size_t i = 0; i < record->failure_count; i++) {
        sum += record->failures[i].count;
    }
    CU_ASSERT(record->failure_count <= STRATA_RECORDER_CODES);
    CU_ASSERT_EQUAL(sum, 130);
    CU_ASSERT_EQUAL(record->tally.failed, 130);
    CU_ASSERT_EQUAL(failures_of(record, 0), 68);
    strata_recorder_done(&many);
    strata_recorder_done(&others);
    strata_recorder_done(&merged);
}

static void stages_are_added_where_they_were_timed(void)
{
    struct strata_recorder recorder = new_recorder(false);
    struct strata_operation operation = ended(0, 1000, 0);
    strata_operation_stage(&operation, STRATA_STAGE_CIPHER, 300);
    strata_operation_stage(&operation, STRATA_STAGE_CIPHER, 400);
    strata_recorder_add(&recorder, &operation);
    operation.result = EIO;
    strata_recorder_add(&recorder, &operation);
    add(&recorder, 0, 1000, 0);
    const struct strata_tally *tally = &recorder.records[STRATA_OPERATION_READ]->tally;
    CU_ASSERT_EQUAL(tally->stage_count[STRATA_STAGE_CIPHER], 2);
    CU_ASSERT_EQUAL(tally->stage_ns[STRATA_STAGE_CIPHER], 800);
    CU_ASSERT_EQUAL(tally->stage_count[STRATA_STAGE_OPEN], 0);
    strata_recorder_done(&recorder);
}

static void merging_adds_everything(void)
{
    struct strata_recorder one = new_recorder(true);
    struct strata_recorder two = new_recorder(true);
    struct strata_recorder merged = new_recorder(true);
    add(&one, 0, 500, 0);
    add(&two, 0, SECOND + 700, 0);
    add(&two, 0, SECOND + 800, ETIMEDOUT);
    struct strata_tally *tally = &one.records[STRATA_OPERATION_READ]->tally;
    tally->due = 3;
    tally->skipped = 1;
    tally->started = 2;
    tally->abandoned = 1;
    strata_recorder_merge(&merged, &one);
    strata_recorder_merge(&merged, &two);
    const struct strata_record *record = merged.records[STRATA_OPERATION_READ];
    CU_ASSERT_EQUAL(record->tally.due, 3);
    CU_ASSERT_EQUAL(record->tally.skipped, 1);
    CU_ASSERT_EQUAL(record->tally.started, 2);
    CU_ASSERT_EQUAL(record->tally.abandoned, 1);
    CU_ASSERT_EQUAL(record->tally.ok, 2);
    CU_ASSERT_EQUAL(record->tally.window_ok, 2);
    CU_ASSERT_EQUAL(record->tally.failed, 1);
    CU_ASSERT_EQUAL(record->sample_count, 2);
    CU_ASSERT_EQUAL(record->samples[1].max_ns, SECOND + 700);
    CU_ASSERT_EQUAL(record->response.count, 2);
    CU_ASSERT_EQUAL(record->service.count, 2);
    strata_recorder_done(&one);
    strata_recorder_done(&two);
    strata_recorder_done(&merged);
}

static void broken_identities_are_found(void)
{
    struct strata_recorder recorder = new_recorder(false);
    struct strata_tally *tally = &recorder.records[STRATA_OPERATION_WRITE]->tally;
    *tally = (struct strata_tally){.due = 10,
                                   .skipped = 1,
                                   .started = 9,
                                   .ok = 4,
                                   .failed = 3,
                                   .timed_out = 1,
                                   .abandoned = 1};
    CU_ASSERT_TRUE(strata_recorder_consistent(&recorder));
    tally->due = 11;
    CU_ASSERT_FALSE(strata_recorder_consistent(&recorder));
    tally->due = 10;
    tally->ok = 5;
    CU_ASSERT_FALSE(strata_recorder_consistent(&recorder));
    strata_recorder_done(&recorder);
}

static void names_are_found_again(void)
{
    for (int kind = 0; kind < STRATA_OPERATION_KINDS; kind++) {
        CU_ASSERT_EQUAL(strata_operation_find(strata_operation_name((unsigned)kind)), kind);
    }
    CU_ASSERT_EQUAL(strata_operation_find("readv"), -1);
    CU_ASSERT_STRING_EQUAL(strata_operation_name(STRATA_OPERATION_UNLINK), "unlink");
    for (int stage = 0; stage < STRATA_STAGES; stage++) {
        CU_ASSERT_PTR_NOT_NULL(strata_stage_name((unsigned)stage));
    }
}

static void results_are_described(void)
{
    char text[128];
    CU_ASSERT_STRING_EQUAL(strata_result_describe(ENOSPC, text, sizeof(text)),
                           "ENOSPC: No space left on device");
    CU_ASSERT_STRING_EQUAL(strata_result_describe(507, text, sizeof(text)),
                           "HTTP 507 Insufficient Storage");
    CU_ASSERT_STRING_EQUAL(strata_result_describe(599, text, sizeof(text)), "HTTP 599");
    CU_ASSERT_STRING_EQUAL(strata_result_describe(1007, text, sizeof(text)),
                           "no HTTP answer: could not connect (curl 7)");
    CU_ASSERT_STRING_EQUAL(strata_result_describe(190, text, sizeof(text)), "errno 190");
    CU_ASSERT_STRING_EQUAL(strata_result_describe(STRATA_RESULT_SHORT, text, sizeof(text)),
                           "fewer bytes than asked");
    CU_ASSERT_STRING_EQUAL(strata_result_describe(-5, text, sizeof(text)), "unknown result");
    CU_ASSERT_STRING_EQUAL(strata_result_describe(ENOSPC, text, 7), "ENOSPC");
}

static const struct harness_test tests[] = {
    {"only kinds in use have a record", only_kinds_in_use_have_a_record},
    {"successes alone enter rates and latencies", successes_alone_enter_rates_and_latencies},
    {"open loop keeps service time beside response time",
     open_loop_keeps_service_time_beside_response_time},
    {"an operation belongs to the second in which it ended",
     an_operation_belongs_to_the_second_in_which_it_ended},
    {"what is past the series goes to its last second",
     what_is_past_the_series_goes_to_its_last_second},
    {"seconds add up to the totals (R5)", seconds_add_up_to_the_totals},
    {"causes are counted by code", causes_are_counted_by_code},
    {"too many causes are counted together", too_many_causes_are_counted_together},
    {"stages are added where they were timed", stages_are_added_where_they_were_timed},
    {"merging adds everything", merging_adds_everything},
    {"broken identities are found", broken_identities_are_found},
    {"names are found again", names_are_found_again},
    {"results are described", results_are_described},
};
HARNESS_MAIN("recorder", tests)
