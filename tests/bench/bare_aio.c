/* The least that a program can do to read random blocks with libaio: batches in, batches out, no
 * clock, no record. What the aio target reaches beside it is what measuring costs.
 *
 *   bare_aio FILE BLOCK-BYTES DEPTH SECONDS      prints operations per second */
#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/random.h"

#include <fcntl.h>
#include <libaio.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 1024, TURNS_BETWEEN_CLOCKS = 64 };

struct loop {
    io_context_t context;
    struct iocb blocks[MOST];
    struct iocb *batch[MOST];
    struct io_event events[MOST];
    struct strata_random random;
    uint64_t items;
    unsigned bytes;
    long depth;
};

/* One full batch there and back. Returns whether every read brought all its bytes. */
static int turn(struct loop *loop)
{
    for (long i = 0; i < loop->depth; i++) {
        loop->blocks[i].u.c.offset =
            (long long)(strata_random_below(&loop->random, loop->items) * loop->bytes);
    }
    if (io_submit(loop->context, loop->depth, loop->batch) != loop->depth ||
        io_getevents(loop->context, loop->depth, loop->depth, loop->events, NULL) != loop->depth) {
        return 0;
    }
    for (long i = 0; i < loop->depth; i++) {
        if (loop->events[i].res != loop->bytes) {
            return 0;
        }
    }
    return 1;
}

static int measure(struct loop *loop, uint64_t duration_ns, double *ret_per_s)
{
    uint64_t begin_ns = strata_clock_monotonic_ns();
    uint64_t now_ns = begin_ns;
    uint64_t operations = 0;
    while (now_ns - begin_ns < duration_ns) {
        for (int i = 0; i < TURNS_BETWEEN_CLOCKS; i++) {
            if (!turn(loop)) {
                return 0;
            }
            operations += (uint64_t)loop->depth;
        }
        now_ns = strata_clock_monotonic_ns();
    }
    *ret_per_s = (double)operations * 1e9 / (double)(now_ns - begin_ns);
    return 1;
}

int main(int argc, char **argv)
{
    static struct loop loop;
    struct stat status;
    int fd = argc == 5 ? open(argv[1], O_RDONLY | O_DIRECT | O_CLOEXEC) : -1;
    if (fd < 0 || fstat(fd, &status) != 0) {
        fprintf(stderr, "usage: bare_aio FILE BLOCK-BYTES DEPTH SECONDS\n");
        return 2;
    }
    loop.bytes = (unsigned)strtoul(argv[2], NULL, 10);
    loop.depth = strtol(argv[3], NULL, 10);
    uint64_t duration_ns = strtoull(argv[4], NULL, 10) * UINT64_C(1000000000);
    if (loop.bytes == 0 || loop.depth < 1 || loop.depth > MOST ||
        io_setup((int)loop.depth, &loop.context) != 0) {
        fprintf(stderr, "bare_aio: depth %ld, blocks of %u bytes: no context\n", loop.depth,
                loop.bytes);
        return 3;
    }
    loop.items = (uint64_t)status.st_size / loop.bytes;
    strata_random_seed(&loop.random, 1);
    char *memory = strata_memory_new_aligned((size_t)loop.depth * loop.bytes);
    for (long i = 0; i < loop.depth; i++) {
        io_prep_pread(&loop.blocks[i], fd, memory + (size_t)i * loop.bytes, loop.bytes, 0);
        loop.batch[i] = &loop.blocks[i];
    }
    double per_s = 0;
    int good = measure(&loop, duration_ns, &per_s);
    if (good) {
        printf("%.0f\n", per_s);
    } else {
        fprintf(stderr, "bare_aio: a read failed\n");
    }
    (void)io_destroy(loop.context);
    free(memory);
    close(fd);
    return good ? 0 : 3;
}
