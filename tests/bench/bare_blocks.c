/* The least that a program can do to read random blocks: no mix, no rate, no record. What a target
 * reaches beside it is what measuring costs, and what it reaches beside fio no program can pass.
 *
 *   bare_blocks LOOP FILE BLOCK-BYTES DEPTH MILLISECONDS
 *
 *   pread         one read after the other
 *   pread-quiet   as it, but the file keeps no time of last access (O_NOATIME), as for Strata
 *   pread-timed   as pread-quiet, and reads the clock before and after each
 *   aio           libaio, the whole depth there and back (quiet, too)
 *   uring         io_uring, all that a ring can be told beforehand, a fourth of the depth for each
 *                 wait (quiet, too)
 *
 * Prints operations per second and nanoseconds of processor time for each of them. */
#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/random.h"

#include "strata_features.h"

#include <fcntl.h>
#include <libaio.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef STRATA_FEATURE_LIBURING
#include <liburing.h>
#endif

enum { MOST = 1024, TURNS_BETWEEN_CLOCKS = 64 };

struct loop {
    int fd;
    struct strata_random random;
    uint64_t items;
    unsigned bytes;
    unsigned depth;
    bool timed;
    uint8_t *memory;
    uint64_t latency_ns; /* so that no compiler leaves the clock out */
    io_context_t context;
    struct iocb blocks[MOST];
    struct iocb *batch[MOST];
    struct io_event events[MOST];
    unsigned idle[MOST]; /* io_uring: slots that wait for their next read */
    unsigned idle_count;
#ifdef STRATA_FEATURE_LIBURING
    struct io_uring ring;
#endif
};

/* One turn of a loop. Returns how many reads came back with all their bytes; 0: one did not. */
typedef unsigned turn(struct loop *loop);

static off_t next_position(struct loop *loop)
{
    return (off_t)(strata_random_below(&loop->random, loop->items) * loop->bytes);
}

static unsigned turn_pread(struct loop *loop)
{
    uint64_t begin_ns = loop->timed ? strata_clock_monotonic_ns() : 0;
    ssize_t moved = pread(loop->fd, loop->memory, loop->bytes, next_position(loop));
    loop->latency_ns += loop->timed ? strata_clock_monotonic_ns() - begin_ns : 0;
    return moved == (ssize_t)loop->bytes;
}

static bool open_aio(struct loop *loop)
{
    for (unsigned i = 0; i < loop->depth; i++) {
        io_prep_pread(&loop->blocks[i], loop->fd, loop->memory + (size_t)i * loop->bytes,
                      loop->bytes, 0);
        loop->batch[i] = &loop->blocks[i];
    }
    return io_setup((int)loop->depth, &loop->context) == 0;
}

static unsigned turn_aio(struct loop *loop)
{
    long depth = (long)loop->depth;
    for (unsigned i = 0; i < loop->depth; i++) {
        loop->blocks[i].u.c.offset = next_position(loop);
    }
    if (io_submit(loop->context, depth, loop->batch) != depth ||
        io_getevents(loop->context, depth, depth, loop->events, NULL) != depth) {
        return 0;
    }
    for (unsigned i = 0; i < loop->depth; i++) {
        if (loop->events[i].res != loop->bytes) {
            return 0;
        }
    }
    return loop->depth;
}

#ifdef STRATA_FEATURE_LIBURING

static bool open_uring(struct loop *loop)
{
    const struct iovec all = {loop->memory, (size_t)loop->depth * loop->bytes};
    for (unsigned i = 0; i < loop->depth; i++) {
        loop->idle[loop->idle_count++] = i;
    }
    return io_uring_queue_init(loop->depth, &loop->ring,
                               IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN) == 0 &&
           io_uring_register_files(&loop->ring, &loop->fd, 1) == 0 &&
           io_uring_register_buffers(&loop->ring, &all, 1) == 0 &&
           io_uring_register_ring_fd(&loop->ring) == 1;
}

static unsigned turn_uring(struct loop *loop)
{
    while (loop->idle_count > 0) {
        unsigned slot = loop->idle[--loop->idle_count];
        struct io_uring_sqe *entry = io_uring_get_sqe(&loop->ring);
        io_uring_prep_read_fixed(entry, 0, loop->memory + (size_t)slot * loop->bytes, loop->bytes,
                                 (uint64_t)next_position(loop), 0);
        io_uring_sqe_set_flags(entry, IOSQE_FIXED_FILE);
        io_uring_sqe_set_data64(entry, slot);
    }
    if (io_uring_submit_and_wait(&loop->ring, (loop->depth + 3) / 4) < 0) {
        return 0;
    }
    struct io_uring_cqe *entries[MOST];
    unsigned count = io_uring_peek_batch_cqe(&loop->ring, entries, loop->depth);
    for (unsigned i = 0; i < count; i++) {
        if (entries[i]->res != (int)loop->bytes) {
            return 0;
        }
        loop->idle[loop->idle_count++] = (unsigned)io_uring_cqe_get_data64(entries[i]);
    }
    io_uring_cq_advance(&loop->ring, count);
    return count;
}

#endif

static uint64_t cpu_ns(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * UINT64_C(1000000000) +
           (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000;
}

static bool measure(struct loop *loop, turn *turn_once, uint64_t duration_ns)
{
    uint64_t begin_cpu_ns = cpu_ns();
    uint64_t begin_ns = strata_clock_monotonic_ns();
    uint64_t now_ns = begin_ns;
    uint64_t operations = 0;
    while (now_ns - begin_ns < duration_ns) {
        for (int i = 0; i < TURNS_BETWEEN_CLOCKS; i++) {
            unsigned done = turn_once(loop);
            if (done == 0) {
                return false;
            }
            operations += done;
        }
        now_ns = strata_clock_monotonic_ns();
    }
    printf("%.0f %.1f\n", (double)operations * 1e9 / (double)(now_ns - begin_ns),
           (double)(cpu_ns() - begin_cpu_ns) / (double)operations);
    return true;
}

static turn *prepare(struct loop *loop, const char *name)
{
    if (strncmp(name, "pread", 5) == 0) {
        loop->timed = strcmp(name, "pread-timed") == 0;
        return turn_pread;
    }
    if (strcmp(name, "aio") == 0 && open_aio(loop)) {
        return turn_aio;
    }
#ifdef STRATA_FEATURE_LIBURING
    if (strcmp(name, "uring") == 0 && open_uring(loop)) {
        return turn_uring;
    }
#endif
    return NULL;
}

int main(int argc, char **argv)
{
    static struct loop loop;
    if (argc != 6) {
        fprintf(stderr, "usage: bare_blocks LOOP FILE BLOCK-BYTES DEPTH MILLISECONDS\n");
        return 2;
    }
    bool quiet = strcmp(argv[1], "pread") != 0;
    loop.fd = open(argv[2], O_RDONLY | O_DIRECT | O_CLOEXEC | (quiet ? O_NOATIME : 0));
    off_t size = loop.fd < 0 ? 0 : lseek(loop.fd, 0, SEEK_END);
    loop.bytes = (unsigned)strtoul(argv[3], NULL, 10);
    loop.depth = (unsigned)strtoul(argv[4], NULL, 10);
    uint64_t duration_ns = strtoull(argv[5], NULL, 10) * UINT64_C(1000000);
    if (loop.bytes == 0 || size < (off_t)loop.bytes || loop.depth < 1 || loop.depth > MOST) {
        fprintf(stderr, "bare_blocks: cannot read %s in blocks of %u at depth %u\n", argv[2],
                loop.bytes, loop.depth);
        return 3;
    }
    loop.items = (uint64_t)size / loop.bytes;
    strata_random_seed(&loop.random, 1);
    loop.memory = strata_memory_new_aligned((size_t)loop.depth * loop.bytes);
    turn *turn_once = prepare(&loop, argv[1]);
    if (turn_once == NULL || !measure(&loop, turn_once, duration_ns)) {
        fprintf(stderr, "bare_blocks: %s: not here, or a read failed\n", argv[1]);
        return 3;
    }
    return 0; /* what is open goes with the process */
}
