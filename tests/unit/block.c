/* Block targets on files: refusals before any I/O, and each engine's bytes against plain pread. */
#include "common/target/block.h"

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "tests/unit/harness.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCKS = 64, BLOCK = 512, DEPTH = 16 };

static char path[64];

/* Byte `i` of the file at the start of a test. */
static uint8_t content_at(size_t i)
{
    return (uint8_t)(i * 31 + i / BLOCK);
}

/* A scratch file where direct I/O works: tmpfs has it since Linux 6.6. */
static int scratch_file(void)
{
    static const char *const directories[] = {"/dev/shm", "/var/tmp", "."};
    for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++) {
        (void)snprintf(path, sizeof(path), "%s/strata-block-XXXXXX", directories[i]);
        int fd = mkstemp(path);
        int direct = open(path, O_RDONLY | O_DIRECT);
        if (direct >= 0) {
            close(direct);
            return fd;
        }
        close(fd);
        unlink(path);
    }
    return -1;
}

static void make_file(size_t bytes, bool written)
{
    int fd = scratch_file();
    CU_ASSERT_FATAL(fd >= 0);
    CU_ASSERT_FATAL(ftruncate(fd, (off_t)bytes) == 0);
    uint8_t *all = strata_memory_new(bytes + 1, 1);
    for (size_t i = 0; i < bytes; i++) {
        all[i] = content_at(i);
    }
    CU_ASSERT_FATAL(!written || pwrite(fd, all, bytes, 0) == (ssize_t)bytes);
    free(all);
    close(fd);
}

static enum strata_status try_open(const struct strata_block_options *options,
                                   struct strata_error *error)
{
    struct strata_target *target = NULL;
    enum strata_status status = strata_block_open(options, &target, error);
    if (status == STRATA_OK) {
        target->type->close(target);
    }
    return status;
}

/* Opening with these options must fail with the status and a text that holds `needle`. */
static void refused(const struct strata_block_options *options, enum strata_status expected,
                    const char *needle)
{
    struct strata_error error = {0};
    CU_ASSERT(try_open(options, &error) == expected);
    if (strstr(error.text, needle) == NULL) {
        printf(" [%s] lacks [%s] ", error.text, needle);
        CU_FAIL("text");
    }
}

static void only_devices_and_files_are_taken(void)
{
    char fifo[] = "/dev/shm/strata-fifo-XXXXXX";
    CU_ASSERT_FATAL(mkdtemp(fifo) != NULL);
    CU_ASSERT_FATAL(rmdir(fifo) == 0 && mkfifo(fifo, 0600) == 0);
    static const struct {
        const char *path, *needle;
    } wrong[] = {{"", "empty"},
                 {"/dev/", "directory"},
                 {"/tmp", "directory"},
                 {"/dev/null", "character device"},
                 {"/dev/zero", "character device"}};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        refused(&(struct strata_block_options){.path = wrong[i].path, .block_bytes = BLOCK},
                STRATA_USAGE, wrong[i].needle);
    }
    refused(&(struct strata_block_options){.path = fifo, .block_bytes = BLOCK}, STRATA_USAGE,
            "pipe");
    refused(&(struct strata_block_options){.path = "/nowhere/at/all", .block_bytes = BLOCK},
            STRATA_ENVIRONMENT, "No such file");
    unlink(fifo);
}

static void regions_must_fit(void)
{
    make_file(BLOCKS * BLOCK, true);
    struct strata_block_options good = {.path = path, .block_bytes = BLOCK};
    struct strata_block_options bad = good;
    struct strata_error error = {0};
    CU_ASSERT(try_open(&good, &error) == STRATA_OK);
    bad.offset_bytes = 100;
    refused(&bad, STRATA_USAGE, "offset 100 is not a multiple of the logical block, 512");
    bad = good;
    bad.size_bytes = 1000;
    refused(&bad, STRATA_USAGE, "size 1000 is not a multiple of the logical block, 512");
    bad.size_bytes = BLOCKS * BLOCK + 512;
    refused(&bad, STRATA_USAGE, "beyond its end at 32768 bytes");
    bad.size_bytes = UINT64_C(0xfffffffffffffe00);
    bad.offset_bytes = 512;
    refused(&bad, STRATA_USAGE, "beyond its end");
    bad = good;
    bad.offset_bytes = BLOCKS * BLOCK;
    refused(&bad, STRATA_USAGE, "do not hold a block");
    bad = good;
    bad.block_bytes = 1 << 20;
    refused(&bad, STRATA_USAGE, "do not hold a block");
    bad.block_bytes = 700;
    refused(&bad, STRATA_ENVIRONMENT, "unsupported: ");
    unlink(path);
    make_file(0, false);
    refused(&good, STRATA_USAGE, "is empty");
    unlink(path);
}

static void a_file_s_last_partial_block_is_left_out(void)
{
    make_file(3 * BLOCK + 100, true);
    const struct strata_block_options options = {
        .path = path, .block_bytes = BLOCK, .offset_bytes = BLOCK};
    struct strata_target *target;
    struct strata_error error = {0};
    CU_ASSERT_FATAL(strata_block_open(&options, &target, &error) == STRATA_OK);
    CU_ASSERT(target->type->items(target, 0, 1, STRATA_OPERATION_READ) == 2);
    target->type->close(target);
    unlink(path);
}

static bool engine_is_here(enum strata_block_engine engine)
{
    char reason[160];
    return strata_block_engine_resolve(engine, reason, sizeof(reason)) == engine;
}

/* A target with one worker and `depth` operations that have a buffer each. */
struct fixture {
    struct strata_target *target;
    struct strata_worker *worker;
    unsigned depth;
    struct strata_operation operations[DEPTH];
    struct strata_operation *list[DEPTH];
    uint8_t *buffers;
};

static void set_up(struct fixture *fixture, enum strata_block_engine engine, bool writable)
{
    *fixture = (struct fixture){.depth = engine == STRATA_BLOCK_SYNC ? 1 : DEPTH};
    const struct strata_block_options options = {
        .path = path, .engine = engine, .writable = writable, .block_bytes = BLOCK};
    struct strata_error error = {0};
    CU_ASSERT_FATAL(strata_block_open(&options, &fixture->target, &error) == STRATA_OK);
    const struct strata_worker_setup setup = {.jobs = 1,
                                              .depth = fixture->depth,
                                              .bytes = BLOCK,
                                              .kinds = 1U << STRATA_OPERATION_READ |
                                                       1U << STRATA_OPERATION_WRITE};
    CU_ASSERT_FATAL(fixture->target->type->worker_open(fixture->target, &setup, &fixture->worker,
                                                       &error) == STRATA_OK);
    fixture->buffers = strata_memory_new_aligned(DEPTH * BLOCK);
    for (unsigned i = 0; i < DEPTH; i++) {
        fixture->operations[i] = (struct strata_operation){.bytes = BLOCK,
                                                           .buffer = fixture->buffers + i * BLOCK,
                                                           .slot = (uint16_t)i,
                                                           .result = -1};
        fixture->list[i] = &fixture->operations[i];
    }
}

static void tear_down(struct fixture *fixture)
{
    fixture->target->type->worker_close(fixture->worker);
    fixture->target->type->close(fixture->target);
    free(fixture->buffers);
}

/* Submit `count` operations of the list and reap until all are back. */
static void run(struct fixture *fixture, unsigned count)
{
    const struct strata_target_type *type = fixture->target->type;
    unsigned back = 0;
    for (unsigned sent = 0; back < count;) {
        int taken = type->submit(fixture->worker, fixture->list + sent, count - sent);
        CU_ASSERT_FATAL(taken >= 0);
        sent += (unsigned)taken;
        struct strata_operation *finished[DEPTH];
        int got = type->reap(fixture->worker, finished, DEPTH,
                             strata_clock_monotonic_ns() + UINT64_C(5000000000));
        CU_ASSERT_FATAL(got > 0);
        back += (unsigned)got;
    }
    CU_ASSERT(back == count);
}

static void engine_reads_what_is_there(enum strata_block_engine engine)
{
    struct fixture fixture;
    make_file(BLOCKS * BLOCK, true);
    set_up(&fixture, engine, false);
    for (unsigned first = 0; first < BLOCKS; first += DEPTH) {
        for (unsigned i = 0; i < DEPTH; i++) {
            fixture.operations[i].item = (first + i) * 5 % BLOCKS; /* out of order */
        }
        run(&fixture, DEPTH);
        for (unsigned i = 0; i < DEPTH; i++) {
            const struct strata_operation *done = &fixture.operations[i];
            CU_ASSERT(done->result == STRATA_RESULT_OK && done->bytes == BLOCK);
            for (size_t b = 0; b < BLOCK; b++) {
                if (((uint8_t *)done->buffer)[b] != content_at(done->item * BLOCK + b)) {
                    CU_FAIL("wrong byte");
                    break;
                }
            }
        }
    }
    tear_down(&fixture);
    unlink(path);
}

static void engine_writes_where_it_should(enum strata_block_engine engine)
{
    struct fixture fixture;
    make_file(BLOCKS * BLOCK, true);
    set_up(&fixture, engine, true);
    for (unsigned i = 0; i < DEPTH; i++) {
        fixture.operations[i].kind = STRATA_OPERATION_WRITE;
        fixture.operations[i].item = 3 * i + 1;
        memset(fixture.operations[i].buffer, (int)(200 + i), BLOCK);
    }
    run(&fixture, DEPTH);
    tear_down(&fixture);
    uint8_t all[BLOCKS * BLOCK + 1];
    int fd = open(path, O_RDONLY);
    CU_ASSERT(pread(fd, all, sizeof(all), 0) == BLOCKS * BLOCK); /* neither longer nor shorter */
    close(fd);
    unsigned wrong = 0;
    for (size_t i = 0; i < BLOCKS * BLOCK; i++) {
        size_t item = i / BLOCK;
        bool written = item % 3 == 1 && item / 3 < DEPTH;
        wrong += all[i] != (written ? 200 + item / 3 : content_at(i));
    }
    CU_ASSERT(wrong == 0);
    unlink(path);
}

/* Block 2^32 + 2^30 of 512 bytes lies at 2.5 TiB: no part of its way may have 32 bits only. */
static void engine_reaches_past_2_tib(enum strata_block_engine engine)
{
    const uint64_t item = (UINT64_C(5) << 30) + 3;
    const off_t position = (off_t)(item * BLOCK);
    struct fixture fixture;
    uint8_t content[BLOCK] = {0};
    make_file(BLOCK, true);
    CU_ASSERT_FATAL(truncate(path, (off_t)3 << 40) == 0);
    set_up(&fixture, engine, true);
    CU_ASSERT(fixture.target->type->items(fixture.target, 0, 1, STRATA_OPERATION_READ) ==
              UINT64_C(3) << 31);
    fixture.operations[0].kind = STRATA_OPERATION_WRITE;
    fixture.operations[0].item = item;
    memset(fixture.operations[0].buffer, 0x5a, BLOCK);
    run(&fixture, 1);
    int fd = open(path, O_RDWR);
    CU_ASSERT(lseek(fd, 4096, SEEK_DATA) == position / 4096 * 4096); /* nothing before */
    CU_ASSERT(pread(fd, content, BLOCK, position) == BLOCK);
    CU_ASSERT(memcmp(content, fixture.operations[0].buffer, BLOCK) == 0);
    memset(content, 0xa5, BLOCK);
    CU_ASSERT(pwrite(fd, content, BLOCK, position) == BLOCK);
    close(fd);
    fixture.operations[0].kind = STRATA_OPERATION_READ;
    run(&fixture, 1);
    CU_ASSERT(memcmp(content, fixture.operations[0].buffer, BLOCK) == 0);
    tear_down(&fixture);
    unlink(path);
}

static void engine_reports_failures(enum strata_block_engine engine)
{
    struct fixture fixture;
    make_file(BLOCKS * BLOCK, true);
    set_up(&fixture, engine, false);
    CU_ASSERT_FATAL(truncate(path, BLOCK + 100) == 0); /* the device shrinks behind its back */
    fixture.operations[0].item = 1;
    run(&fixture, 1);
    CU_ASSERT(fixture.operations[0].result == STRATA_RESULT_SHORT);
    CU_ASSERT(fixture.operations[0].bytes == 100);
    fixture.operations[0].kind = STRATA_OPERATION_WRITE; /* opened for reading only */
    fixture.operations[0].bytes = BLOCK;
    run(&fixture, 1);
    CU_ASSERT(fixture.operations[0].result == EBADF);
    tear_down(&fixture);
    unlink(path);
}

static void engine_keeps_to_its_depth(enum strata_block_engine engine)
{
    struct fixture fixture;
    make_file(BLOCKS * BLOCK, true);
    set_up(&fixture, engine, false);
    const struct strata_target_type *type = fixture.target->type;
    struct strata_operation *finished[DEPTH];
    struct strata_operation extra = fixture.operations[0];
    struct strata_operation *more = &extra;
    CU_ASSERT(type->reap(fixture.worker, finished, DEPTH, 0) == 0);
    CU_ASSERT(type->submit(fixture.worker, fixture.list, fixture.depth) == (int)fixture.depth);
    CU_ASSERT(type->submit(fixture.worker, &more, 1) == 0);
    int got =
        type->reap(fixture.worker, finished, 1, strata_clock_monotonic_ns() + UINT64_C(5000000000));
    CU_ASSERT(got == 1);
    CU_ASSERT(type->submit(fixture.worker, finished, 1) == 1);
    tear_down(&fixture); /* with operations in flight */
    unlink(path);
}

static void test_engine(enum strata_block_engine engine)
{
    if (!engine_is_here(engine)) {
        harness_skip("no io_uring here");
        return;
    }
    engine_reads_what_is_there(engine);
    engine_writes_where_it_should(engine);
    engine_reaches_past_2_tib(engine);
    engine_reports_failures(engine);
    engine_keeps_to_its_depth(engine);
}

static void sync_moves_the_right_bytes(void)
{
    test_engine(STRATA_BLOCK_SYNC);
}

static void aio_moves_the_right_bytes(void)
{
    test_engine(STRATA_BLOCK_AIO);
}

static void uring_moves_the_right_bytes(void)
{
    test_engine(STRATA_BLOCK_URING);
}

static void sync_has_no_depth(void)
{
    make_file(BLOCKS * BLOCK, true);
    const struct strata_block_options options = {
        .path = path, .engine = STRATA_BLOCK_SYNC, .block_bytes = BLOCK};
    struct strata_target *target;
    struct strata_worker *worker;
    struct strata_error error = {0};
    CU_ASSERT_FATAL(strata_block_open(&options, &target, &error) == STRATA_OK);
    const struct strata_worker_setup setup = {.jobs = 1, .depth = 32, .bytes = BLOCK};
    CU_ASSERT(target->type->worker_open(target, &setup, &worker, &error) == STRATA_USAGE);
    CU_ASSERT(strstr(error.text, "depth: 32") != NULL);
    CU_ASSERT((target->type->capabilities & STRATA_TARGET_SYNCHRONOUS) != 0);
    target->type->close(target);
    unlink(path);
}

static unsigned unwritten_of(bool written)
{
    make_file(1 << 20, written);
    const struct strata_block_options options = {
        .path = path, .engine = STRATA_BLOCK_AIO, .block_bytes = BLOCK};
    struct strata_target *target;
    struct strata_error error = {0};
    unsigned sampled = 0;
    unsigned unwritten = 0;
    CU_ASSERT_FATAL(strata_block_open(&options, &target, &error) == STRATA_OK);
    CU_ASSERT(target->type->prepare(target, 1U << STRATA_OPERATION_READ, &error) == STRATA_OK);
    strata_block_samples(target, &sampled, &unwritten);
    CU_ASSERT(sampled == 64);
    target->type->close(target);
    unlink(path);
    return unwritten;
}

static void never_written_blocks_are_noticed(void)
{
    CU_ASSERT(unwritten_of(true) == 0);
    CU_ASSERT(unwritten_of(false) == 64);
}

/* In a child in which io_uring_setup fails so, uring must fall back to aio and say why. */
static bool falls_back_when_forbidden(int code)
{
    pid_t child = fork();
    if (child == 0) {
        struct sock_filter program[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)code),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
        const struct sock_fprog filter = {.len = 4, .filter = program};
        char reason[160] = "";
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
            prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
            _exit(2);
        }
        bool right = strata_block_engine_resolve(STRATA_BLOCK_URING, reason, sizeof(reason)) ==
                         STRATA_BLOCK_AIO &&
                     (strstr(reason, strerror(code)) != NULL || strstr(reason, "was ") != NULL);
        _exit(right ? 0 : 1);
    }
    int status = 0;
    CU_ASSERT_FATAL(child > 0 && waitpid(child, &status, 0) == child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void forbidden_io_uring_falls_back_with_the_reason(void)
{
    CU_ASSERT(falls_back_when_forbidden(EPERM));
    CU_ASSERT(falls_back_when_forbidden(ENOSYS));
    char reason[160] = "left over";
    CU_ASSERT(strata_block_engine_resolve(STRATA_BLOCK_AIO, reason, sizeof(reason)) ==
              STRATA_BLOCK_AIO);
    CU_ASSERT_STRING_EQUAL(reason, "");
}

static const struct harness_test tests[] = {
    {"only devices and files are taken", only_devices_and_files_are_taken},
    {"regions must fit", regions_must_fit},
    {"a file's last partial block is left out", a_file_s_last_partial_block_is_left_out},
    {"sync moves the right bytes", sync_moves_the_right_bytes},
    {"aio moves the right bytes", aio_moves_the_right_bytes},
    {"uring moves the right bytes", uring_moves_the_right_bytes},
    {"sync has no depth (D10)", sync_has_no_depth},
    {"never-written blocks are noticed (D13)", never_written_blocks_are_noticed},
    {"forbidden io_uring falls back with the reason (D11)",
     forbidden_io_uring_falls_back_with_the_reason},
};

HARNESS_MAIN("block", tests)
