/* Sets of devices on files: a stripe's bytes against RAID 0 worked out by hand, with each engine
 * and blocks smaller than, larger than and out of step with the chunk; devices side by side. */
#include "common/target/side_by_side.h"
#include "common/target/stripe.h"

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/target/block.h"
#include "tests/unit/harness.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MEMBERS = 3, CHUNK = 4096, MEMBER_BYTES = 20 * CHUNK, DEPTH = 4, MOST_BLOCK = 4 * CHUNK };

/* The second member is the smallest: 16 chunks and a half. */
static const size_t member_bytes[MEMBERS] = {MEMBER_BYTES, 16 * CHUNK + CHUNK / 2, 18 * CHUNK};
enum { SET_BYTES = MEMBERS * 16 * CHUNK };

static char folder[64];
static char paths[MEMBERS][80];

/* Byte `i` of member `m` at the start of a test. */
static uint8_t content_at(unsigned m, size_t i)
{
    return (uint8_t)(i * 31 + i / 512 + m * 7);
}

/* Where byte `i` of the set lies, by RAID 0's rule: chunks go round the members. */
static void place_by_hand(size_t i, unsigned *ret_member, size_t *ret_offset)
{
    *ret_member = (unsigned)(i / CHUNK % MEMBERS);
    *ret_offset = i / CHUNK / MEMBERS * CHUNK + i % CHUNK;
}

static bool make_members(void)
{
    (void)snprintf(folder, sizeof(folder), "/dev/shm/strata-set-XXXXXX");
    CU_ASSERT_FATAL(mkdtemp(folder) != NULL);
    for (unsigned m = 0; m < MEMBERS; m++) {
        (void)snprintf(paths[m], sizeof(paths[m]), "%s/member %u", folder, m);
        uint8_t *all = strata_memory_new(member_bytes[m], 1);
        for (size_t i = 0; i < member_bytes[m]; i++) {
            all[i] = content_at(m, i);
        }
        FILE *file = fopen(paths[m], "w");
        CU_ASSERT_FATAL(file != NULL);
        CU_ASSERT(fwrite(all, 1, member_bytes[m], file) == member_bytes[m]);
        (void)fclose(file);
        free(all);
    }
    int direct = open(paths[0], O_RDONLY | O_DIRECT);
    if (direct < 0) {
        harness_skip("no direct I/O on /dev/shm");
        return false;
    }
    close(direct);
    return true;
}

static void remove_members(void)
{
    for (unsigned m = 0; m < MEMBERS; m++) {
        unlink(paths[m]);
    }
    rmdir(folder);
}

static struct strata_target *open_member(unsigned m, enum strata_block_engine engine,
                                         uint64_t block_bytes)
{
    const struct strata_block_options options = {
        .path = paths[m], .engine = engine, .writable = true, .block_bytes = block_bytes};
    struct strata_target *target = NULL;
    struct strata_error error = {0};
    CU_ASSERT_FATAL(strata_block_open(&options, &target, &error) == STRATA_OK);
    return target;
}

static struct strata_target *open_stripe(enum strata_block_engine engine, uint64_t block_bytes)
{
    struct strata_target *members[MEMBERS];
    for (unsigned m = 0; m < MEMBERS; m++) {
        members[m] = open_member(m, engine, strata_stripe_unit(CHUNK, block_bytes));
    }
    const struct strata_stripe_options options = {
        .members = MEMBERS, .chunk_bytes = CHUNK, .block_bytes = block_bytes};
    struct strata_target *target = NULL;
    struct strata_error error = {0};
    CU_ASSERT_FATAL(strata_stripe_open(strata_block_join(members, MEMBERS), &options, &target,
                                       &error) == STRATA_OK);
    return target;
}

/* A worker with its operations. */
struct fixture {
    struct strata_target *target;
    struct strata_worker *worker;
    struct strata_operation operations[DEPTH];
    uint8_t *buffers;
};

static void open_worker(struct fixture *fixture, struct strata_target *target, unsigned job,
                        unsigned jobs, unsigned depth, uint64_t block_bytes)
{
    const struct strata_worker_setup setup = {.job = job,
                                              .jobs = jobs,
                                              .depth = depth,
                                              .bytes = block_bytes,
                                              .kinds = 1U << STRATA_OPERATION_READ |
                                                       1U << STRATA_OPERATION_WRITE};
    struct strata_error error = {0};
    *fixture = (struct fixture){.target = target};
    CU_ASSERT_FATAL(target->type->worker_open(target, &setup, &fixture->worker, &error) ==
                    STRATA_OK);
    fixture->buffers = strata_memory_new_aligned(DEPTH * MOST_BLOCK);
}

static void close_worker(struct fixture *fixture)
{
    fixture->target->type->worker_close(fixture->worker);
    free(fixture->buffers);
}

/* `count` operations from item `first` on, in slots of their own, until all are back. */
static void run(struct fixture *fixture, enum strata_operation_kind kind, uint64_t first,
                unsigned count, uint64_t block_bytes)
{
    struct strata_operation *list[DEPTH] = {NULL};
    for (unsigned i = 0; i < count; i++) {
        fixture->operations[i] =
            (struct strata_operation){.item = first + i,
                                      .bytes = block_bytes,
                                      .buffer = fixture->buffers + i * MOST_BLOCK,
                                      .slot = (uint16_t)i,
                                      .kind = (uint8_t)kind};
        list[i] = &fixture->operations[i];
    }
    const struct strata_target_type *type = fixture->target->type;
    CU_ASSERT_FATAL(type->submit(fixture->worker, list, count) == (int)count);
    for (unsigned back = 0; back < count;) {
        struct strata_operation *done[DEPTH];
        int got = type->reap(fixture->worker, done, count - back,
                             strata_clock_monotonic_ns() + UINT64_C(5000000000));
        CU_ASSERT_FATAL(got > 0);
        for (int i = 0; i < got; i++) {
            CU_ASSERT(done[i]->result == STRATA_RESULT_OK);
            CU_ASSERT(done[i]->bytes == block_bytes);
            CU_ASSERT(done[i]->item == first + done[i]->slot);
        }
        back += (unsigned)got;
    }
}

static void stripe_reads_in_order(enum strata_block_engine engine, uint64_t block_bytes)
{
    struct strata_target *target = open_stripe(engine, block_bytes);
    uint64_t items = target->type->items(target, 0, 1, STRATA_OPERATION_READ);
    CU_ASSERT(items == SET_BYTES / block_bytes);
    unsigned depth = engine == STRATA_BLOCK_SYNC ? 1 : DEPTH;
    struct fixture fixture;
    open_worker(&fixture, target, 0, 1, depth, block_bytes);
    size_t wrong = 0;
    for (uint64_t item = 0; item + depth <= items; item += depth) {
        run(&fixture, STRATA_OPERATION_READ, item, depth, block_bytes);
        for (unsigned i = 0; i < depth; i++) {
            for (size_t b = 0; b < block_bytes; b++) {
                unsigned member;
                size_t offset;
                place_by_hand((item + i) * block_bytes + b, &member, &offset);
                wrong += fixture.buffers[i * MOST_BLOCK + b] != content_at(member, offset);
            }
        }
    }
    CU_ASSERT(wrong == 0);
    close_worker(&fixture);
    target->type->close(target);
}

/* Write the last blocks of the set; each byte of each member is as it was, or as written. */
static void stripe_writes_where_it_should(enum strata_block_engine engine, uint64_t block_bytes)
{
    struct strata_target *target = open_stripe(engine, block_bytes);
    uint64_t items = target->type->items(target, 0, 1, STRATA_OPERATION_WRITE);
    unsigned depth = engine == STRATA_BLOCK_SYNC ? 1 : DEPTH;
    struct fixture fixture;
    open_worker(&fixture, target, 0, 1, depth, block_bytes);
    for (size_t i = 0; i < DEPTH * MOST_BLOCK; i++) {
        fixture.buffers[i] = (uint8_t)(200 - i % 199);
    }
    run(&fixture, STRATA_OPERATION_WRITE, items - depth, depth, block_bytes);
    close_worker(&fixture);
    target->type->close(target);

    uint8_t *expected[MEMBERS];
    for (unsigned m = 0; m < MEMBERS; m++) {
        expected[m] = strata_memory_new(member_bytes[m], 1);
        for (size_t i = 0; i < member_bytes[m]; i++) {
            expected[m][i] = content_at(m, i);
        }
    }
    for (size_t i = 0; i < depth * block_bytes; i++) {
        unsigned member;
        size_t offset;
        place_by_hand((items - depth) * block_bytes + i, &member, &offset);
        size_t in_buffers = i / block_bytes * MOST_BLOCK + i % block_bytes;
        expected[member][offset] = (uint8_t)(200 - in_buffers % 199);
    }
    for (unsigned m = 0; m < MEMBERS; m++) {
        uint8_t *all = strata_memory_new(member_bytes[m] + 1, 1);
        int fd = open(paths[m], O_RDONLY);
        CU_ASSERT(read(fd, all, member_bytes[m] + 1) == (ssize_t)member_bytes[m]);
        close(fd);
        CU_ASSERT(memcmp(all, expected[m], member_bytes[m]) == 0);
        free(all);
        free(expected[m]);
    }
}

static void stripe_is_raid_0_with(enum strata_block_engine engine)
{
    static const uint64_t blocks[] = {512, CHUNK, 3 * CHUNK / 2, 4 * CHUNK};
    char reason[160];
    if (strata_block_engine_resolve(engine, reason, sizeof(reason)) != engine) {
        harness_skip("no io_uring here");
        return;
    }
    for (size_t b = 0; b < sizeof(blocks) / sizeof(blocks[0]); b++) {
        if (make_members()) {
            stripe_reads_in_order(engine, blocks[b]);
            stripe_writes_where_it_should(engine, blocks[b]);
        }
        remove_members();
    }
}

static void stripe_is_raid_0_by_pread(void)
{
    stripe_is_raid_0_with(STRATA_BLOCK_SYNC);
}

static void stripe_is_raid_0_by_aio(void)
{
    stripe_is_raid_0_with(STRATA_BLOCK_AIO);
}

static void stripe_is_raid_0_by_io_uring(void)
{
    stripe_is_raid_0_with(STRATA_BLOCK_URING);
}

static void a_unit_divides_chunk_and_block(void)
{
    CU_ASSERT(strata_stripe_unit(65536, 4096) == 4096);
    CU_ASSERT(strata_stripe_unit(65536, 65536 * 16) == 65536);
    CU_ASSERT(strata_stripe_unit(65536, 98304) == 32768);
    CU_ASSERT(strata_stripe_unit(65536, 512 * 3) == 512);
}

static void a_failed_piece_fails_its_operation(void)
{
    if (make_members()) {
        struct strata_target *target = open_stripe(STRATA_BLOCK_AIO, 3 * CHUNK);
        struct fixture fixture;
        open_worker(&fixture, target, 0, 1, 1, 3 * CHUNK);
        CU_ASSERT_FATAL(truncate(paths[1], CHUNK + 512) == 0); /* of the second stripe's piece */
        struct strata_operation *operation = &fixture.operations[0];
        *operation =
            (struct strata_operation){.item = 1, .bytes = 3 * CHUNK, .buffer = fixture.buffers};
        CU_ASSERT(target->type->submit(fixture.worker, &operation, 1) == 1);
        CU_ASSERT(target->type->reap(fixture.worker, &operation, 1,
                                     strata_clock_monotonic_ns() + UINT64_C(5000000000)) == 1);
        CU_ASSERT(operation->result == STRATA_RESULT_SHORT);
        close_worker(&fixture);
        target->type->close(target);
    }
    remove_members();
}

static void a_set_smaller_than_a_block_is_refused(void)
{
    if (make_members()) {
        struct strata_target *members[] = {open_member(0, STRATA_BLOCK_AIO, 512),
                                           open_member(1, STRATA_BLOCK_AIO, 512)};
        struct strata_target *joined = strata_block_join(members, 2);
        const struct strata_stripe_options options = {
            .members = 2, .chunk_bytes = 1 << 20, .block_bytes = 512};
        struct strata_target *target = NULL;
        struct strata_error error = {0};
        CU_ASSERT(strata_stripe_open(joined, &options, &target, &error) == STRATA_USAGE);
        CU_ASSERT(strstr(error.text, "holds 0 chunks of 1048576 bytes") != NULL);
        joined->type->close(joined);
    }
    remove_members();
}

/* Jobs 0 and 3 on member 0, 1 and 4 on member 1, 2 and 5 on member 2, the second of each on the
 * second half of what the smallest has. */
static void jobs_side_by_side_work_on_a_member_each(void)
{
    enum { JOBS = 2 * MEMBERS, BLOCK = 512, ITEMS = (16 * CHUNK + CHUNK / 2) / BLOCK };
    if (!make_members()) {
        remove_members();
        return;
    }
    struct strata_target *members[MEMBERS];
    for (unsigned m = 0; m < MEMBERS; m++) {
        members[m] = open_member(m, STRATA_BLOCK_AIO, BLOCK);
    }
    struct strata_target *target = strata_side_by_side_open(members, MEMBERS);
    CU_ASSERT(target->members == MEMBERS);
    CU_ASSERT((target->type->capabilities & STRATA_TARGET_SHARED_SPACE) == 0);
    for (unsigned job = 0; job < JOBS; job++) {
        CU_ASSERT(target->type->items(target, job, JOBS, STRATA_OPERATION_READ) == ITEMS / 2);
        struct fixture fixture;
        open_worker(&fixture, target, job, JOBS, DEPTH, BLOCK);
        run(&fixture, STRATA_OPERATION_READ, ITEMS / 2 - DEPTH, DEPTH, BLOCK);
        size_t first = job < MEMBERS ? 0 : ITEMS / 2 * BLOCK;
        size_t wrong = 0;
        for (size_t i = 0; i < DEPTH * BLOCK; i++) {
            wrong += fixture.buffers[i / BLOCK * MOST_BLOCK + i % BLOCK] !=
                     content_at(job % MEMBERS, first + (ITEMS / 2 - DEPTH) * BLOCK + i);
        }
        CU_ASSERT(wrong == 0);
        close_worker(&fixture);
    }
    const struct strata_worker_setup uneven = {.jobs = 4, .depth = 1, .bytes = BLOCK};
    struct strata_worker *worker;
    struct strata_error error = {0};
    CU_ASSERT(target->type->worker_open(target, &uneven, &worker, &error) == STRATA_ENVIRONMENT);
    CU_ASSERT_STRING_EQUAL(error.text,
                           "unsupported: jobs: 4 is not a multiple of the 3 devices side by side");
    target->type->close(target);
    remove_members();
}

static const struct harness_test tests[] = {
    {"a unit divides chunk and block", a_unit_divides_chunk_and_block},
    {"a stripe is RAID 0, by pread and pwrite", stripe_is_raid_0_by_pread},
    {"a stripe is RAID 0, by aio", stripe_is_raid_0_by_aio},
    {"a stripe is RAID 0, by io_uring", stripe_is_raid_0_by_io_uring},
    {"a failed piece fails its operation", a_failed_piece_fails_its_operation},
    {"a set smaller than a block is refused", a_set_smaller_than_a_block_is_refused},
    {"jobs side by side work on a member each", jobs_side_by_side_work_on_a_member_each},
};
HARNESS_MAIN("device_set", tests)
