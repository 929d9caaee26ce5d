/* The verifying filter over a memory that lies as the test says: one wrong byte, another block's
 * content, an older one, another run's; and operations that meet on one block. */
#include "common/target/verify.h"

#include "common/target/stamp.h"
#include "tests/unit/harness.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 8, BLOCK = 2048, DEPTH = 4, KEY = 4711 };

/* A device in memory that keeps what it was given until it is told to finish. */
struct memory {
    struct strata_target target;
    uint8_t content[BLOCKS][BLOCK];
    struct strata_operation *held[2 * DEPTH]; /* taken, in order; not yet done */
    unsigned held_count;
    unsigned room;      /* most taken at once */
    int32_t write_code; /* result of the writes */
    bool reversed;      /* hands over the last first */
    bool closed;
};

static struct strata_worker memory_worker;

static uint64_t memory_items(const struct strata_target *target, unsigned job, unsigned jobs,
                             enum strata_operation_kind kind)
{
    (void)target, (void)job, (void)jobs, (void)kind;
    return BLOCKS;
}

static enum strata_status memory_worker_open(struct strata_target *target,
                                             const struct strata_worker_setup *setup,
                                             struct strata_worker **ret_worker,
                                             struct strata_error *error)
{
    (void)setup, (void)error;
    memory_worker.target = target;
    *ret_worker = &memory_worker;
    return STRATA_OK;
}

static void memory_worker_close(struct strata_worker *worker)
{
    (void)worker;
}

static int memory_submit(struct strata_worker *worker, struct strata_operation *const *operations,
                         unsigned count)
{
    struct memory *memory = (struct memory *)worker->target;
    unsigned taken = count < memory->room ? count : memory->room;
    for (unsigned i = 0; i < taken; i++) {
        memory->held[memory->held_count++] = operations[i];
    }
    return (int)taken;
}

static void do_one(struct memory *memory, struct strata_operation *operation)
{
    uint8_t *block = memory->content[operation->item];
    operation->result = STRATA_RESULT_OK;
    if (operation->kind == STRATA_OPERATION_READ) {
        memcpy(operation->buffer, block, BLOCK);
    } else if (memory->write_code == 0) {
        memcpy(block, operation->buffer, BLOCK);
    } else {
        memcpy(block, operation->buffer, BLOCK / 2); /* torn */
        operation->result = memory->write_code;
    }
}

static int memory_reap(struct strata_worker *worker, struct strata_operation **operations,
                       unsigned max, uint64_t deadline_ns)
{
    (void)deadline_ns;
    struct memory *memory = (struct memory *)worker->target;
    unsigned count = 0;
    while (count < max && memory->held_count > 0) {
        unsigned at = memory->reversed ? memory->held_count - 1 : 0;
        struct strata_operation *operation = memory->held[at];
        memmove(memory->held + at, memory->held + at + 1,
                (--memory->held_count - at) * sizeof(struct strata_operation *));
        do_one(memory, operation);
        operations[count++] = operation;
    }
    return (int)count;
}

static void memory_close(struct strata_target *target)
{
    ((struct memory *)target)->closed = true;
}

static const struct strata_target_type memory_type = {.name = "memory",
                                                      .capabilities = STRATA_TARGET_SHARED_SPACE,
                                                      .items = memory_items,
                                                      .worker_open = memory_worker_open,
                                                      .worker_close = memory_worker_close,
                                                      .submit = memory_submit,
                                                      .reap = memory_reap,
                                                      .close = memory_close};

struct fixture {
    struct memory below;
    struct strata_target *filter;
    struct strata_worker *worker;
    struct strata_operation operations[DEPTH];
    uint8_t buffers[DEPTH][BLOCK];
};

static void open_worker(struct fixture *fixture)
{
    const struct strata_worker_setup setup = {.jobs = 1, .depth = DEPTH, .bytes = BLOCK};
    struct strata_error error = {0};
    CU_ASSERT_FATAL(fixture->filter->type->worker_open(fixture->filter, &setup, &fixture->worker,
                                                       &error) == STRATA_OK);
}

static void set_up(struct fixture *fixture)
{
    struct strata_error error = {0};
    memset(fixture, 0, sizeof(*fixture));
    fixture->below.target.type = &memory_type;
    fixture->below.room = DEPTH;
    const struct strata_verify_options options = {.key = KEY, .block_bytes = BLOCK};
    CU_ASSERT_FATAL(strata_verify_open(&fixture->below.target, &options, &fixture->filter,
                                       &error) == STRATA_OK);
    open_worker(fixture);
}

static void tear_down(struct fixture *fixture)
{
    fixture->filter->type->worker_close(fixture->worker);
    fixture->filter->type->close(fixture->filter);
    CU_ASSERT(fixture->below.closed);
}

/* Hand over an operation in its slot. */
static int send(struct fixture *fixture, unsigned slot, enum strata_operation_kind kind,
                uint64_t item)
{
    struct strata_operation *operation = &fixture->operations[slot];
    *operation = (struct strata_operation){.item = item,
                                           .bytes = BLOCK,
                                           .buffer = fixture->buffers[slot],
                                           .slot = (uint16_t)slot,
                                           .kind = (uint8_t)kind};
    return fixture->filter->type->submit(fixture->worker, &operation, 1);
}

static unsigned reap_all(struct fixture *fixture)
{
    struct strata_operation *done[DEPTH];
    return (unsigned)fixture->filter->type->reap(fixture->worker, done, DEPTH, 0);
}

/* One operation, start to end; returns its result. */
static int32_t run(struct fixture *fixture, enum strata_operation_kind kind, uint64_t item)
{
    CU_ASSERT_FATAL(send(fixture, 0, kind, item) == 1);
    CU_ASSERT_FATAL(reap_all(fixture) == 1);
    CU_ASSERT(fixture->operations[0].item == item);
    return fixture->operations[0].result;
}

#define READ  STRATA_OPERATION_READ
#define WRITE STRATA_OPERATION_WRITE

static struct strata_verify_finding finding_of(const struct fixture *fixture)
{
    struct strata_verify_finding finding;
    strata_verify_findings(fixture->filter, &finding);
    return finding;
}

static void what_was_written_reads_right(void)
{
    struct fixture fixture;
    set_up(&fixture);
    for (unsigned generation = 0; generation < 3; generation++) {
        for (uint64_t item = 0; item < BLOCKS; item++) {
            CU_ASSERT(run(&fixture, WRITE, item) == STRATA_RESULT_OK);
        }
    }
    for (uint64_t item = 0; item < BLOCKS; item++) {
        CU_ASSERT(run(&fixture, READ, item) == STRATA_RESULT_OK);
        CU_ASSERT((fixture.operations[0].stages & 1U << STRATA_STAGE_VERIFY) != 0);
    }
    CU_ASSERT(finding_of(&fixture).wrong_blocks == 0);
    tear_down(&fixture);
}

/* Each byte in turn: none is left unchecked. */
static void every_wrong_byte_is_found_and_named(void)
{
    struct fixture fixture;
    set_up(&fixture);
    CU_ASSERT(run(&fixture, WRITE, 5) == STRATA_RESULT_OK);
    unsigned missed = 0;
    for (size_t byte = 0; byte < BLOCK; byte++) {
        fixture.below.content[5][byte] ^= 0x10;
        missed += run(&fixture, READ, 5) != STRATA_RESULT_CONTENT;
        fixture.below.content[5][byte] ^= 0x10;
    }
    CU_ASSERT(missed == 0);
    CU_ASSERT(finding_of(&fixture).wrong_blocks == BLOCK);
    tear_down(&fixture);

    set_up(&fixture);
    CU_ASSERT(run(&fixture, WRITE, 3) == STRATA_RESULT_OK);
    uint8_t right = fixture.below.content[3][1600];
    fixture.below.content[3][1600] = (uint8_t)(right ^ 0xffU);
    CU_ASSERT(run(&fixture, READ, 3) == STRATA_RESULT_CONTENT);
    struct strata_verify_finding finding = finding_of(&fixture);
    CU_ASSERT(finding.wrong_blocks == 1);
    CU_ASSERT(finding.block == 3);
    CU_ASSERT(finding.byte == 1600);
    CU_ASSERT(finding.expected == right);
    CU_ASSERT((finding.found ^ right) == 0xff);
    CU_ASSERT_STRING_EQUAL(finding.what, "garbage: 1 of the sector's 512 bytes are wrong");
    tear_down(&fixture);
}

static void another_blocks_content_is_called_misdirected(void)
{
    struct fixture fixture;
    set_up(&fixture);
    CU_ASSERT(run(&fixture, WRITE, 2) == STRATA_RESULT_OK);
    CU_ASSERT(run(&fixture, WRITE, 6) == STRATA_RESULT_OK);
    memcpy(fixture.below.content[6] + 512, fixture.below.content[2] + 512, 512);
    CU_ASSERT(run(&fixture, READ, 6) == STRATA_RESULT_CONTENT);
    struct strata_verify_finding finding = finding_of(&fixture);
    CU_ASSERT(finding.block == 6);
    CU_ASSERT(finding.byte == 512 + 8); /* the sector's number follows the key */
    CU_ASSERT_STRING_EQUAL(finding.what, "misdirected: the sector is of block 2");
    tear_down(&fixture);
}

static void an_older_writing_is_called_stale(void)
{
    struct fixture fixture;
    set_up(&fixture);
    CU_ASSERT(run(&fixture, WRITE, 1) == STRATA_RESULT_OK);
    uint8_t old[BLOCK];
    memcpy(old, fixture.below.content[1], BLOCK);
    CU_ASSERT(run(&fixture, WRITE, 1) == STRATA_RESULT_OK);
    CU_ASSERT(run(&fixture, WRITE, 1) == STRATA_RESULT_OK);
    memcpy(fixture.below.content[1] + 1024, old + 1024, BLOCK - 1024); /* half of it was lost */
    CU_ASSERT(run(&fixture, READ, 1) == STRATA_RESULT_CONTENT);
    struct strata_verify_finding finding = finding_of(&fixture);
    CU_ASSERT(finding.byte == 1024 + 16); /* the generation follows key and number */
    CU_ASSERT(finding.expected == 3);
    CU_ASSERT(finding.found == 1);
    CU_ASSERT_STRING_EQUAL(finding.what, "stale: as the block's writing 1 left it, written were 3");
    tear_down(&fixture);
}

static void another_runs_content_is_called_stale(void)
{
    struct fixture fixture;
    set_up(&fixture);
    CU_ASSERT(run(&fixture, WRITE, 4) == STRATA_RESULT_OK);
    const struct strata_stamp stamp = {
        .key = KEY + 1, .sector = UINT64_C(4) * BLOCK / 512, .generation = 1};
    strata_stamp_fill(stamp, fixture.below.content[4], BLOCK);
    CU_ASSERT(run(&fixture, READ, 4) == STRATA_RESULT_CONTENT);
    CU_ASSERT_STRING_EQUAL(finding_of(&fixture).what,
                           "stale: the sector is as another run left it, or of another device");
    tear_down(&fixture);
}

/* A read that meets a writing under way takes the next block; the device may finish them in any
 * order. */
static void operations_on_one_block_never_raise_a_false_alarm(void)
{
    struct fixture fixture;
    struct strata_error error = {0};
    set_up(&fixture);
    fixture.filter->type->worker_close(fixture.worker);
    CU_ASSERT(fixture.filter->type->prepare(fixture.filter, 1U << READ | 1U << WRITE, &error) ==
              STRATA_OK);
    open_worker(&fixture);
    for (unsigned round = 0; round < 40; round++) {
        fixture.below.reversed = round % 2 == 1;
        for (unsigned slot = 0; slot < DEPTH; slot++) {
            CU_ASSERT_FATAL(send(&fixture, slot, (slot + round) % 2 == 0 ? WRITE : READ, 7) == 1);
        }
        bool used[BLOCKS] = {false};
        for (unsigned i = 0; i < DEPTH; i++) {
            uint64_t item = fixture.below.held[i]->item;
            CU_ASSERT(!used[item]);
            used[item] = true;
        }
        CU_ASSERT_FATAL(reap_all(&fixture) == DEPTH);
        for (unsigned slot = 0; slot < DEPTH; slot++) {
            CU_ASSERT(fixture.operations[slot].result == STRATA_RESULT_OK);
            CU_ASSERT(fixture.operations[slot].item == 7);
        }
    }
    CU_ASSERT(finding_of(&fixture).wrong_blocks == 0);
    tear_down(&fixture);
}

static void a_block_whose_writing_failed_is_checked_again_when_it_is_rewritten(void)
{
    struct fixture fixture;
    set_up(&fixture);
    CU_ASSERT(run(&fixture, WRITE, 0) == STRATA_RESULT_OK);
    fixture.below.write_code = EIO;
    CU_ASSERT(run(&fixture, WRITE, 0) == EIO);
    fixture.below.write_code = 0;
    CU_ASSERT(run(&fixture, READ, 0) == STRATA_RESULT_OK); /* torn: it may hold both */
    CU_ASSERT(run(&fixture, WRITE, 0) == STRATA_RESULT_OK);
    CU_ASSERT(run(&fixture, READ, 0) == STRATA_RESULT_OK);
    fixture.below.content[0][0]++;
    CU_ASSERT(run(&fixture, READ, 0) == STRATA_RESULT_CONTENT);
    tear_down(&fixture);
}

static void what_was_not_taken_is_as_it_was(void)
{
    struct fixture fixture;
    set_up(&fixture);
    fixture.below.room = 0;
    CU_ASSERT(send(&fixture, 0, WRITE, 2) == 0);
    CU_ASSERT(fixture.operations[0].item == 2);
    fixture.below.room = DEPTH;
    CU_ASSERT(run(&fixture, WRITE, 2) == STRATA_RESULT_OK);
    CU_ASSERT(run(&fixture, READ, 2) == STRATA_RESULT_OK);
    tear_down(&fixture);
}

static void what_was_only_written_is_read_back(void)
{
    struct fixture fixture;
    struct strata_error error = {0};
    set_up(&fixture);
    CU_ASSERT(run(&fixture, WRITE, 1) == STRATA_RESULT_OK);
    CU_ASSERT(run(&fixture, WRITE, 6) == STRATA_RESULT_OK);
    CU_ASSERT(run(&fixture, WRITE, 4) == STRATA_RESULT_OK);
    CU_ASSERT(run(&fixture, READ, 4) == STRATA_RESULT_OK);
    fixture.below.content[4][9]++; /* read since it was written: not again */
    fixture.below.content[6][9]++;
    fixture.below.content[7][9]++; /* never written */
    fixture.filter->type->worker_close(fixture.worker);
    CU_ASSERT(strata_verify_read_back(fixture.filter, &error) == STRATA_OK);
    struct strata_verify_finding finding = finding_of(&fixture);
    CU_ASSERT(finding.wrong_blocks == 1);
    CU_ASSERT(finding.block == 6 && finding.byte == 9);
    open_worker(&fixture);
    tear_down(&fixture);
}

static void more_operations_than_blocks_are_refused(void)
{
    struct fixture fixture;
    set_up(&fixture);
    const struct strata_worker_setup setup = {.jobs = 3, .depth = DEPTH, .bytes = BLOCK};
    struct strata_worker *worker;
    struct strata_error error = {0};
    CU_ASSERT(fixture.filter->type->worker_open(fixture.filter, &setup, &worker, &error) ==
              STRATA_ENVIRONMENT);
    CU_ASSERT_STRING_EQUAL(
        error.text,
        "unsupported: verify: 12 operations in flight need a block each, and there are 8");
    tear_down(&fixture);
}

static const struct harness_test tests[] = {
    {"what was written reads right", what_was_written_reads_right},
    {"every wrong byte is found and named", every_wrong_byte_is_found_and_named},
    {"another block's content is called misdirected", another_blocks_content_is_called_misdirected},
    {"an older writing is called stale", an_older_writing_is_called_stale},
    {"another run's content is called stale", another_runs_content_is_called_stale},
    {"operations on one block never raise a false alarm",
     operations_on_one_block_never_raise_a_false_alarm},
    {"a block whose writing failed is checked again when it is rewritten",
     a_block_whose_writing_failed_is_checked_again_when_it_is_rewritten},
    {"what was not taken is as it was", what_was_not_taken_is_as_it_was},
    {"what was only written is read back", what_was_only_written_is_read_back},
    {"more operations than blocks are refused", more_operations_than_blocks_are_refused},
};
HARNESS_MAIN("verify", tests)
