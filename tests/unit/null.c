/* The null target: what goes in comes out at once, and the engine does for it what it does for a
 * device. */
#include "common/target/null.h"

#include "common/load/load.h"
#include "tests/unit/harness.h"

#include <string.h>

static struct strata_target *opened(uint64_t items, uint64_t bytes)
{
    const struct strata_null_options options = {.items = items, .bytes = bytes};
    struct strata_target *target = NULL;
    struct strata_error error = {.text = ""};
    if (strata_null_open(&options, &target, &error) != STRATA_OK) {
        CU_FAIL_FATAL(error.text);
    }
    return target;
}

static void operations_come_back_once_and_in_order(void)
{
    struct strata_target *target = opened(100, 512);
    const struct strata_worker_setup setup = {.jobs = 1, .depth = 5, .bytes = 512};
    struct strata_worker *worker;
    struct strata_error error;
    CU_ASSERT_EQUAL_FATAL(target->type->worker_open(target, &setup, &worker, &error), STRATA_OK);
    struct strata_operation operations[5] = {{.item = 0}};
    struct strata_operation *in[5];
    struct strata_operation *out[5];
    for (unsigned i = 0; i < 5; i++) {
        in[i] = &operations[i];
    }
    CU_ASSERT_EQUAL(target->type->submit(worker, in, 3), 3);
    CU_ASSERT_EQUAL(target->type->reap(worker, out, 2, 0), 2);
    CU_ASSERT_PTR_EQUAL(out[0], &operations[0]);
    CU_ASSERT_PTR_EQUAL(out[1], &operations[1]);
    CU_ASSERT_EQUAL(target->type->submit(worker, in + 3, 2), 2);
    CU_ASSERT_EQUAL(target->type->reap(worker, out, 5, 0), 3);
    CU_ASSERT_PTR_EQUAL(out[0], &operations[2]);
    CU_ASSERT_PTR_EQUAL(out[2], &operations[4]);
    CU_ASSERT_EQUAL(target->type->reap(worker, out, 5, 0), 0);
    CU_ASSERT_EQUAL(operations[4].result, STRATA_RESULT_OK);
    CU_ASSERT_EQUAL(operations[4].end_ns, 0); /* the engine's to say */
    target->type->worker_close(worker);
    target->type->close(target);
}

static void wrong_sizes_are_refused(void)
{
    struct strata_target *target = opened(100, 512);
    const struct strata_worker_setup setup = {.jobs = 1, .depth = 1, .bytes = 4096};
    struct strata_worker *worker = NULL;
    struct strata_error error;
    CU_ASSERT_EQUAL(target->type->worker_open(target, &setup, &worker, &error), STRATA_INTERNAL);
    CU_ASSERT_STRING_EQUAL(error.text, "null: operations of 4096 bytes, opened for 512");
    target->type->close(target);

    const struct strata_null_options nothing = {.items = 0, .bytes = 512};
    CU_ASSERT_EQUAL(strata_null_open(&nothing, &target, &error), STRATA_USAGE);
}

/* Two jobs, a mix, on the machine's clock: the counts add up, and the bytes are those counted. */
static void the_engine_counts_every_operation(void)
{
    struct strata_target *target = opened(UINT64_C(1) << 34, 4096);
    struct strata_load load = {.phase = "randrw",
                               .jobs = 2,
                               .depth = 32,
                               .mix = {{STRATA_OPERATION_READ, 7}, {STRATA_OPERATION_WRITE, 3}},
                               .mix_count = 2,
                               .order = STRATA_ORDER_RANDOM,
                               .bytes = 4096,
                               .seed = 3,
                               .operations = 1000000,
                               .clock = &strata_clock_machine};
    struct strata_load_result result;
    struct strata_error error = {.text = ""};
    if (strata_load_run(target, &load, &result, &error) != STRATA_OK) {
        CU_FAIL(error.text);
    }
    const struct strata_record *reads = result.recorder.records[STRATA_OPERATION_READ];
    const struct strata_record *writes = result.recorder.records[STRATA_OPERATION_WRITE];
    CU_ASSERT_EQUAL(reads->tally.ok, 700000);
    CU_ASSERT_EQUAL(writes->tally.ok, 300000);
    CU_ASSERT_EQUAL(writes->tally.bytes, UINT64_C(300000) * 4096);
    CU_ASSERT_EQUAL(reads->response.count, 700000);
    CU_ASSERT(result.mean_in_flight > 0 && result.mean_in_flight <= 64);
    CU_ASSERT(result.window_ns > 0 && result.window_ns < UINT64_C(60000000000));
    strata_load_result_done(&result);
    target->type->close(target);
}

static const struct harness_test tests[] = {
    {"operations come back once and in order", operations_come_back_once_and_in_order},
    {"wrong sizes are refused", wrong_sizes_are_refused},
    {"the engine counts every operation", the_engine_counts_every_operation},
};
HARNESS_MAIN("null", tests)
