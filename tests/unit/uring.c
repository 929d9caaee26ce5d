/* The io_uring engine's own: registered buffers, several completions for one wait, polled I/O; and
 * what the aio engine shares of it. Its bytes are compared in block.c. */
#include "common/target/block.h"

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "tests/unit/harness.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCKS = 256, BLOCK = 4096, DEPTH = 16 };

#define PATIENCE_NS UINT64_C(5000000000)

/* A target with one worker, and the memory of its operations. */
struct fixture {
    char path[64];
    struct strata_target *target;
    struct strata_worker *worker;
    struct strata_operation operations[DEPTH];
    struct strata_operation *list[DEPTH];
    uint8_t *reads;
    uint8_t *writes;
};

static bool uring_is_here(void)
{
    char reason[160];
    if (strata_block_engine_resolve(STRATA_BLOCK_URING, reason, sizeof(reason)) ==
        STRATA_BLOCK_URING) {
        return true;
    }
    harness_skip(reason);
    return false;
}

/* A file in which block i is full of byte i; in memory where direct I/O works there (Linux 6.6). */
static void make_file(struct fixture *fixture)
{
    static const char *const directories[] = {"/dev/shm", "/var/tmp"};
    int direct = -1;
    for (size_t i = 0; direct < 0 && i < sizeof(directories) / sizeof(directories[0]); i++) {
        (void)snprintf(fixture->path, sizeof(fixture->path), "%s/strata-uring-XXXXXX",
                       directories[i]);
        int fd = mkstemp(fixture->path);
        CU_ASSERT_FATAL(fd >= 0);
        for (unsigned block = 0; block < BLOCKS; block++) {
            uint8_t content[BLOCK];
            memset(content, (int)block, BLOCK);
            CU_ASSERT_FATAL(pwrite(fd, content, BLOCK, (off_t)block * BLOCK) == BLOCK);
        }
        close(fd);
        direct = open(fixture->path, O_RDONLY | O_DIRECT);
        if (direct < 0) {
            unlink(fixture->path);
        }
    }
    CU_ASSERT_FATAL(direct >= 0);
    close(direct);
}

static void set_up(struct fixture *fixture, enum strata_block_engine engine, unsigned batch,
                   bool registered)
{
    memset(fixture, 0, sizeof(*fixture));
    make_file(fixture);
    fixture->reads = strata_memory_new_aligned(DEPTH * BLOCK);
    fixture->writes = strata_memory_new_aligned(DEPTH * BLOCK);
    const struct strata_block_options options = {
        .path = fixture->path, .engine = engine, .writable = true, .block_bytes = BLOCK};
    struct strata_error error = {0};
    CU_ASSERT_FATAL(strata_block_open(&options, &fixture->target, &error) == STRATA_OK);
    struct strata_worker_setup setup = {.jobs = 1, .depth = DEPTH, .batch = batch, .bytes = BLOCK};
    if (registered) {
        setup.reads = (struct iovec){fixture->reads, DEPTH * BLOCK};
        setup.writes = (struct iovec){fixture->writes, DEPTH * BLOCK};
    }
    CU_ASSERT_FATAL(fixture->target->type->worker_open(fixture->target, &setup, &fixture->worker,
                                                       &error) == STRATA_OK);
    for (unsigned i = 0; i < DEPTH; i++) {
        fixture->operations[i] = (struct strata_operation){.item = i,
                                                           .bytes = BLOCK,
                                                           .buffer = fixture->reads + i * BLOCK,
                                                           .slot = (uint16_t)i,
                                                           .result = -1};
        fixture->list[i] = &fixture->operations[i];
    }
}

static void tear_down(struct fixture *fixture)
{
    fixture->target->type->worker_close(fixture->worker);
    fixture->target->type->close(fixture->target);
    free(fixture->reads);
    free(fixture->writes);
    unlink(fixture->path);
}

static int reap(struct fixture *fixture, uint64_t patience_ns)
{
    struct strata_operation *finished[DEPTH];
    return fixture->target->type->reap(fixture->worker, finished, DEPTH,
                                       strata_clock_monotonic_ns() + patience_ns);
}

static int submit(struct fixture *fixture, unsigned count)
{
    return fixture->target->type->submit(fixture->worker, fixture->list, count);
}

static bool all_are(const uint8_t *bytes, uint8_t value)
{
    return bytes[0] == value && memcmp(bytes, bytes + 1, BLOCK - 1) == 0;
}

/* How many buffers the rings of this process have registered, by the kernel's own account. */
static unsigned registered_buffers(void)
{
    unsigned total = 0;
    DIR *directory = opendir("/proc/self/fdinfo");
    CU_ASSERT_FATAL(directory != NULL);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        char name[300];
        char line[256];
        (void)snprintf(name, sizeof(name), "/proc/self/fdinfo/%s", entry->d_name);
        FILE *file = fopen(name, "re");
        unsigned count;
        while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
            total += sscanf(line, "UserBufs: %u", &count) == 1 ? count : 0;
        }
        if (file != NULL) {
            (void)fclose(file);
        }
    }
    closedir(directory);
    return total;
}

static void a_worker_s_buffers_are_registered(void)
{
    if (!uring_is_here()) {
        return;
    }
    struct fixture fixture;
    set_up(&fixture, STRATA_BLOCK_URING, DEPTH, true);
    CU_ASSERT_EQUAL(registered_buffers(), 2);
    CU_ASSERT_EQUAL(submit(&fixture, DEPTH), DEPTH);
    CU_ASSERT_EQUAL(reap(&fixture, PATIENCE_NS), DEPTH);
    for (unsigned i = 0; i < DEPTH; i++) {
        CU_ASSERT(fixture.operations[i].result == STRATA_RESULT_OK &&
                  all_are(fixture.operations[i].buffer, (uint8_t)i));
        fixture.operations[i].kind = STRATA_OPERATION_WRITE;
        fixture.operations[i].item = BLOCKS - DEPTH + i;
        fixture.operations[i].buffer = fixture.writes + i * BLOCK;
        memset(fixture.operations[i].buffer, (int)(100 + i), BLOCK);
    }
    CU_ASSERT_EQUAL(submit(&fixture, DEPTH), DEPTH);
    CU_ASSERT_EQUAL(reap(&fixture, PATIENCE_NS), DEPTH);
    int fd = open(fixture.path, O_RDONLY);
    for (unsigned i = 0; i < DEPTH; i++) {
        uint8_t content[BLOCK];
        CU_ASSERT(fixture.operations[i].result == STRATA_RESULT_OK);
        CU_ASSERT(pread(fd, content, BLOCK, (off_t)(BLOCKS - DEPTH + i) * BLOCK) == BLOCK &&
                  all_are(content, (uint8_t)(100 + i)));
    }
    close(fd);
    tear_down(&fixture);
}

/* As a filter does that brings buffers of its own and does not say so. */
static void buffers_from_elsewhere_do_too(void)
{
    if (!uring_is_here()) {
        return;
    }
    struct fixture fixture;
    set_up(&fixture, STRATA_BLOCK_URING, DEPTH, true);
    uint8_t *elsewhere = strata_memory_new_aligned(2 * BLOCK);
    memset(elsewhere + BLOCK, 77, BLOCK);
    fixture.operations[0].buffer = elsewhere;
    fixture.operations[1].kind = STRATA_OPERATION_WRITE;
    fixture.operations[1].buffer = elsewhere + BLOCK;
    fixture.operations[1].item = 9;
    fixture.operations[2].buffer = fixture.writes; /* registered, but for the other kind */
    CU_ASSERT_EQUAL(submit(&fixture, 3), 3);
    CU_ASSERT_EQUAL(reap(&fixture, PATIENCE_NS), 3);
    CU_ASSERT(fixture.operations[0].result == STRATA_RESULT_OK && all_are(elsewhere, 0));
    CU_ASSERT(fixture.operations[1].result == STRATA_RESULT_OK);
    CU_ASSERT(fixture.operations[2].result == STRATA_RESULT_OK && all_are(fixture.writes, 2));
    fixture.operations[0].item = 9;
    CU_ASSERT_EQUAL(submit(&fixture, 1), 1);
    CU_ASSERT_EQUAL(reap(&fixture, PATIENCE_NS), 1);
    CU_ASSERT(all_are(elsewhere, 77));
    tear_down(&fixture);
    free(elsewhere);
}

static void check_batch(enum strata_block_engine engine)
{
    struct fixture fixture;
    set_up(&fixture, engine, DEPTH / 2, false);
    CU_ASSERT_EQUAL(reap(&fixture, PATIENCE_NS), 0); /* nothing to wait for */
    CU_ASSERT_EQUAL(submit(&fixture, 3), 3);
    CU_ASSERT_EQUAL(reap(&fixture, PATIENCE_NS), 3); /* all that are in flight */
    for (unsigned round = 0; round < 200; round++) {
        CU_ASSERT_EQUAL_FATAL(submit(&fixture, DEPTH), DEPTH);
        int first = reap(&fixture, PATIENCE_NS);
        CU_ASSERT(first >= DEPTH / 2);
        CU_ASSERT(first == DEPTH || reap(&fixture, PATIENCE_NS) == DEPTH - first);
    }
    tear_down(&fixture);
}

static void a_reap_waits_for_its_batch(void)
{
    check_batch(STRATA_BLOCK_AIO);
    if (uring_is_here()) {
        check_batch(STRATA_BLOCK_URING);
    }
}

static void polled_io_is_refused_where_there_is_none(void)
{
    struct fixture fixture = {.path = ""};
    make_file(&fixture);
    struct strata_block_options options = {
        .path = fixture.path, .engine = STRATA_BLOCK_AIO, .block_bytes = BLOCK, .polled = true};
    struct strata_error error = {0};
    CU_ASSERT(strata_block_open(&options, &fixture.target, &error) == STRATA_ENVIRONMENT);
    CU_ASSERT(strstr(error.text, "unsupported: polled I/O on ") == error.text);
    CU_ASSERT(strstr(error.text, "engine uring alone") != NULL);
    options.engine = STRATA_BLOCK_URING;
    if (strncmp(fixture.path, "/dev/shm", 8) == 0 && uring_is_here()) { /* tmpfs never polls */
        CU_ASSERT(strata_block_open(&options, &fixture.target, &error) == STRATA_ENVIRONMENT);
        CU_ASSERT(strstr(error.text, "unsupported: polled I/O on ") == error.text);
        CU_ASSERT(strstr(error.text, "Operation not supported") != NULL);
    }
    unlink(fixture.path);
}

static const struct harness_test tests[] = {
    {"a worker's buffers are registered", a_worker_s_buffers_are_registered},
    {"buffers from elsewhere do too", buffers_from_elsewhere_do_too},
    {"a reap waits for its batch", a_reap_waits_for_its_batch},
    {"polled I/O is refused where there is none", polled_io_is_refused_where_there_is_none},
};

HARNESS_MAIN("uring", tests)
