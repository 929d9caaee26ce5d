/* The io_uring engine of a block target, where this build and this kernel have it.
 *
 * Many kernels forbid io_uring (seccomp in containers, kernel.io_uring_disabled), so whether it
 * works is found out by setting one up; what to do otherwise is the caller's
 * (strata_block_engine_resolve). What makes a ring cheap came with later kernels, and memory that a
 * user may pin is limited: each worker takes the best that it gets.
 *
 * - Single issuer, deferred work (Linux 6.1): completions are worked off when the worker waits for
 *   them, all at once, and one that it does not wait for wakes nobody.
 * - Registered file, ring, buffers: looked up and pinned once, not for each operation.
 * - Polled: the worker asks the device's queue instead of being interrupted.
 *
 * Always holds: a ring belongs to one worker, whose thread makes it; in_flight counts what was put
 * into it and has not come back, whether or not the kernel has taken it yet. */
#include "common/target/block_engine.h"

#include "strata_features.h"

#include <stdio.h>

#ifndef STRATA_FEATURE_LIBURING

bool strata_block_uring_works(char *ret_reason, size_t size)
{
    (void)snprintf(ret_reason, size, "io_uring was %s", STRATA_FEATURE_LIBURING_STATE);
    return false;
}

bool strata_block_uring_polls(const struct strata_block *block, char *ret_reason, size_t size)
{
    (void)block;
    return strata_block_uring_works(ret_reason, size);
}

/* Never opened: strata_block_open refuses the engine first. */
const struct strata_target_type strata_block_uring_type = {
    .name = "uring", .help = "io_uring: " STRATA_FEATURE_LIBURING_STATE};

#else

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/host/kernel_file.h"
#include "common/host/stack.h"

#include <errno.h>
#include <liburing.h>
#include <stdlib.h>
#include <string.h>

enum { REAP_BATCH = 64, READS = 0, WRITES = 1 };

struct uring_worker {
    struct strata_worker worker;
    struct io_uring ring;
    struct iovec buffers[2]; /* registered ones, by READS and WRITES; empty where there are none */
    unsigned depth;
    unsigned batch;
    unsigned in_flight;
};

/* Make a ring of `depth`, with `flags` and the best of what this kernel knows besides. */
static int ring_init(struct io_uring *ring, unsigned depth, unsigned flags)
{
    static const unsigned better[] = {IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
                                      IORING_SETUP_COOP_TASKRUN, 0};
    int result = -EINVAL;
    for (size_t i = 0; i < sizeof(better) / sizeof(better[0]) && result == -EINVAL; i++) {
        result = io_uring_queue_init(depth, ring, flags | better[i]);
    }
    return result;
}

bool strata_block_uring_works(char *ret_reason, size_t size)
{
    struct io_uring ring;
    int result = ring_init(&ring, 1, 0);
    if (result != 0) {
        (void)snprintf(ret_reason, size, "the kernel refuses io_uring: %s", strerror(-result));
        return false;
    }
    io_uring_queue_exit(&ring);
    return true;
}

/* One polled read of the first block. Returns the bytes that it brought or a negative errno. */
static int read_polled(const struct strata_block *block)
{
    struct io_uring ring;
    int result = ring_init(&ring, 1, IORING_SETUP_IOPOLL);
    if (result != 0) {
        return result;
    }
    void *buffer = strata_memory_new_aligned(block->block_bytes);
    struct io_uring_cqe *done;
    io_uring_prep_read(io_uring_get_sqe(&ring), block->parts[0].fd, buffer,
                       (unsigned)block->block_bytes, block->parts[0].offset_bytes);
    result = io_uring_submit(&ring);
    if (result >= 0) {
        result = io_uring_wait_cqe(&ring, &done);
    }
    if (result == 0) {
        result = done->res;
    }
    io_uring_queue_exit(&ring);
    free(buffer);
    return result;
}

/* Kernels before 6.12 take a polled read of a device without polled queues, and wait for its
 * interrupt: so ask the device, too, which for a partition is its disk. */
bool strata_block_uring_polls(const struct strata_block *block, char *ret_reason, size_t size)
{
    char device[STRATA_STACK_NAME];
    uint64_t polls = 1;
    if (strata_stack_device_of("", block->path, device) &&
        !strata_kernel_file_number(&polls, "/sys/class/block/%s/queue/io_poll", device)) {
        (void)strata_kernel_file_number(&polls, "/sys/class/block/%s/../queue/io_poll", device);
    }
    if (polls == 0) {
        (void)snprintf(ret_reason, size, "%s has no polled queues", device);
        return false;
    }
    int result = read_polled(block);
    if (result < 0) {
        (void)snprintf(ret_reason, size, "%s", strerror(-result));
    }
    return result >= 0;
}

/* The ring knows each part by its number. */
static int register_parts(struct io_uring *ring, const struct strata_block *block)
{
    int *files = strata_memory_new(block->part_count, sizeof(*files));
    for (unsigned part = 0; part < block->part_count; part++) {
        files[part] = block->parts[part].fd;
    }
    int result = io_uring_register_files(ring, files, block->part_count);
    free(files);
    return result;
}

/* Register what spares the kernel work with each operation. Where it does not take the ring or the
 * buffers (they count as locked memory), it works without. */
static int ring_register(struct uring_worker *uring, const struct strata_worker_setup *setup)
{
    const struct strata_block *block = (const struct strata_block *)uring->worker.target;
    int result = register_parts(&uring->ring, block);
    if (result != 0) {
        return result;
    }
    (void)io_uring_register_ring_fd(&uring->ring);
    const struct iovec all[2] = {[READS] = setup->reads, [WRITES] = setup->writes};
    if (all[READS].iov_len + all[WRITES].iov_len > 0 &&
        io_uring_register_buffers(&uring->ring, all, 2) == 0) {
        memcpy(uring->buffers, all, sizeof(all));
    }
    return 0;
}

static enum strata_status uring_worker_open(struct strata_target *target,
                                            const struct strata_worker_setup *setup,
                                            struct strata_worker **ret_worker,
                                            struct strata_error *error)
{
    const struct strata_block *block = (const struct strata_block *)target;
    struct uring_worker *uring = strata_memory_new(1, sizeof(*uring));
    uring->worker.target = target;
    uring->depth = setup->depth;
    uring->batch = setup->batch > 0 ? setup->batch : 1;
    int result = ring_init(&uring->ring, setup->depth, block->polled ? IORING_SETUP_IOPOLL : 0);
    if (result == 0) {
        result = ring_register(uring, setup);
        if (result != 0) {
            io_uring_queue_exit(&uring->ring);
        }
    }
    if (result != 0) {
        free(uring);
        return strata_error_set(error, STRATA_ENVIRONMENT, "%s: no io_uring of depth %u: %s%s",
                                block->path, setup->depth, strerror(-result),
                                result == -ENOMEM ? " (too little memory may be locked: ulimit -l)"
                                                  : "");
    }
    *ret_worker = &uring->worker;
    return STRATA_OK;
}

/* Let the kernel take what waits in the ring. Returns 0 also when it has no room just now. */
static int push(struct uring_worker *uring)
{
    while (io_uring_sq_ready(&uring->ring) > 0) {
        int result = io_uring_submit(&uring->ring);
        if (result == -EAGAIN || result == -EBUSY || result == 0) {
            return 0;
        }
        if (result < 0 && result != -EINTR) {
            return result;
        }
    }
    return 0;
}

static bool lies_in(const struct iovec *memory, const void *buffer, uint64_t bytes)
{
    uintptr_t from = (uintptr_t)buffer - (uintptr_t)memory->iov_base;
    return from < memory->iov_len && bytes <= memory->iov_len - from;
}

static void prepare_entry(const struct uring_worker *uring, struct io_uring_sqe *entry,
                          struct strata_operation *operation)
{
    const struct strata_block *block = (const struct strata_block *)uring->worker.target;
    off_t place;
    int part = (int)strata_block_place(block, operation, &place);
    uint64_t position = (uint64_t)place;
    unsigned bytes = (unsigned)operation->bytes;
    int index = operation->kind == STRATA_OPERATION_WRITE ? WRITES : READS;
    bool registered = lies_in(&uring->buffers[index], operation->buffer, bytes);
    if (index == WRITES && registered) {
        io_uring_prep_write_fixed(entry, part, operation->buffer, bytes, position, WRITES);
    } else if (index == WRITES) {
        io_uring_prep_write(entry, part, operation->buffer, bytes, position);
    } else if (registered) {
        io_uring_prep_read_fixed(entry, part, operation->buffer, bytes, position, READS);
    } else {
        io_uring_prep_read(entry, part, operation->buffer, bytes, position);
    }
    io_uring_sqe_set_flags(entry, IOSQE_FIXED_FILE);
    io_uring_sqe_set_data(entry, operation);
}

static int uring_submit(struct strata_worker *worker, struct strata_operation *const *operations,
                        unsigned count)
{
    struct uring_worker *uring = (struct uring_worker *)worker;
    unsigned room = uring->depth - uring->in_flight;
    unsigned taken = 0;
    while (taken < count && taken < room) {
        struct io_uring_sqe *entry = io_uring_get_sqe(&uring->ring);
        if (entry == NULL) {
            break;
        }
        prepare_entry(uring, entry, operations[taken++]);
    }
    uring->in_flight += taken;
    int result = push(uring);
    return result < 0 ? result : (int)taken;
}

/* Take what has come, without a system call. */
static int take(struct uring_worker *uring, struct strata_operation **operations, unsigned max)
{
    struct io_uring_cqe *entries[REAP_BATCH];
    unsigned count =
        io_uring_peek_batch_cqe(&uring->ring, entries, max < REAP_BATCH ? max : REAP_BATCH);
    for (unsigned i = 0; i < count; i++) {
        operations[i] = io_uring_cqe_get_data(entries[i]);
        strata_block_finish(operations[i], entries[i]->res);
    }
    io_uring_cq_advance(&uring->ring, count);
    uring->in_flight -= count;
    return (int)count;
}

/* Let the kernel work off what it put off, and ask the device where it is polled; does not wait. */
static int look(struct uring_worker *uring)
{
    int result = io_uring_get_events(&uring->ring);
    return result == -EINTR || result == -EAGAIN || result == -EBUSY ? 0 : result;
}

/* Sleep until `want` operations have finished or for `left_ns`. */
static int wait_for(struct uring_worker *uring, unsigned want, uint64_t left_ns)
{
    struct __kernel_timespec left = {.tv_sec = (long long)(left_ns / 1000000000U),
                                     .tv_nsec = (long long)(left_ns % 1000000000U)};
    struct io_uring_cqe *first;
    int result = io_uring_wait_cqes(&uring->ring, &first, want, &left, NULL);
    return result == -ETIME || result == -EINTR || result == -EAGAIN ? 0 : result;
}

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static int uring_reap(struct strata_worker *worker, struct strata_operation **operations,
                      unsigned max, uint64_t deadline_ns)
{
    struct uring_worker *uring = (struct uring_worker *)worker;
    const struct strata_block *block = (const struct strata_block *)worker->target;
    unsigned want = smaller(uring->batch, smaller(uring->in_flight, max));
    while (io_uring_cq_ready(&uring->ring) < want) {
        int result = push(uring);
        uint64_t now_ns = deadline_ns == 0 ? 0 : strata_clock_monotonic_ns();
        bool late = now_ns >= deadline_ns;
        if (result == 0) {
            result =
                late || block->polled ? look(uring) : wait_for(uring, want, deadline_ns - now_ns);
        }
        if (result < 0) {
            return result;
        }
        if (late) {
            break;
        }
    }
    return take(uring, operations, max);
}

/* Closing the ring does not wait for the device; the kernel cancels or finishes what is left by
 * itself. Wait first, so that ordinarily nothing is. */
static void uring_worker_close(struct strata_worker *worker)
{
    struct uring_worker *uring = (struct uring_worker *)worker;
    struct strata_operation *ignored[REAP_BATCH];
    uint64_t deadline_ns = strata_clock_monotonic_ns() + STRATA_BLOCK_CLOSE_NS;
    while (uring->in_flight > 0 && uring_reap(worker, ignored, REAP_BATCH, deadline_ns) > 0) {
    }
    io_uring_queue_exit(&uring->ring);
    free(uring);
}

const struct strata_target_type strata_block_uring_type = {
    .name = "uring",
    .help = "block device or file, io_uring, direct I/O",
    .capabilities = STRATA_TARGET_NEEDS_BUFFER | STRATA_TARGET_SHARED_SPACE,
    .prepare = strata_block_prepare,
    .items = strata_block_items,
    .worker_open = uring_worker_open,
    .worker_close = uring_worker_close,
    .submit = uring_submit,
    .reap = uring_reap,
    .close = strata_block_close,
};

#endif
