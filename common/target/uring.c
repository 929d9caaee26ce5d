/* The io_uring engine of a block target, where this build and this kernel have it.
 *
 * Many kernels forbid io_uring (seccomp in containers, kernel.io_uring_disabled), so whether it
 * works is found out by setting one up; what to do otherwise is the caller's
 * (strata_block_engine_resolve).
 *
 * Always holds: a ring belongs to one worker; in_flight counts what was put into it and has not
 * come back, whether or not the kernel has taken it yet. */
#include "common/target/block_engine.h"

#include "strata_features.h"

#include <stdio.h>

#ifndef STRATA_FEATURE_LIBURING

bool strata_block_uring_works(char *ret_reason, size_t size)
{
    (void)snprintf(ret_reason, size, "io_uring was %s", STRATA_FEATURE_LIBURING_STATE);
    return false;
}

/* Never opened: strata_block_open refuses the engine first. */
const struct strata_target_type strata_block_uring_type = {
    .name = "uring", .help = "io_uring: " STRATA_FEATURE_LIBURING_STATE};

#else

#include "common/base/clock.h"
#include "common/base/memory.h"

#include <errno.h>
#include <liburing.h>
#include <stdlib.h>
#include <string.h>

enum { REAP_BATCH = 64 };

struct uring_worker {
    struct strata_worker worker;
    struct io_uring ring;
    unsigned depth;
    unsigned in_flight;
    unsigned waiting; /* of those, put into the ring but not yet taken by the kernel */
};

bool strata_block_uring_works(char *ret_reason, size_t size)
{
    struct io_uring ring;
    int result = io_uring_queue_init(1, &ring, 0);
    if (result != 0) {
        (void)snprintf(ret_reason, size, "the kernel refuses io_uring: %s", strerror(-result));
        return false;
    }
    io_uring_queue_exit(&ring);
    return true;
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
    int result = io_uring_queue_init(setup->depth, &uring->ring, 0);
    if (result == 0) {
        result = io_uring_register_files(&uring->ring, &block->fd, 1);
        if (result != 0) {
            io_uring_queue_exit(&uring->ring);
        }
    }
    if (result != 0) {
        free(uring);
        return strata_error_set(error, STRATA_ENVIRONMENT, "%s: no io_uring of depth %u: %s",
                                block->path, setup->depth, strerror(-result));
    }
    *ret_worker = &uring->worker;
    return STRATA_OK;
}

/* Let the kernel take what waits in the ring. Returns 0 also when it has no room just now. */
static int push(struct uring_worker *uring)
{
    while (uring->waiting > 0) {
        int result = io_uring_submit(&uring->ring);
        if (result > 0) {
            uring->waiting -= (unsigned)result;
        } else if (result == -EAGAIN || result == -EBUSY || result == 0) {
            return 0;
        } else if (result != -EINTR) {
            return result;
        }
    }
    return 0;
}

static int uring_submit(struct strata_worker *worker, struct strata_operation *const *operations,
                        unsigned count)
{
    struct uring_worker *uring = (struct uring_worker *)worker;
    const struct strata_block *block = (const struct strata_block *)worker->target;
    unsigned room = uring->depth - uring->in_flight;
    unsigned taken = 0;
    while (taken < count && taken < room) {
        struct io_uring_sqe *entry = io_uring_get_sqe(&uring->ring);
        if (entry == NULL) {
            break;
        }
        struct strata_operation *operation = operations[taken++];
        uint64_t position = (uint64_t)strata_block_position(block, operation);
        if (operation->kind == STRATA_OPERATION_WRITE) {
            io_uring_prep_write(entry, 0, operation->buffer, (unsigned)operation->bytes, position);
        } else {
            io_uring_prep_read(entry, 0, operation->buffer, (unsigned)operation->bytes, position);
        }
        io_uring_sqe_set_flags(entry, IOSQE_FIXED_FILE);
        io_uring_sqe_set_data(entry, operation);
    }
    uring->in_flight += taken;
    uring->waiting += taken;
    int result = push(uring);
    return result < 0 ? result : (int)taken;
}

/* Take what has come, without a system call. */
static unsigned take(struct uring_worker *uring, struct strata_operation **operations, unsigned max)
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
    return count;
}

static int uring_reap(struct strata_worker *worker, struct strata_operation **operations,
                      unsigned max, uint64_t deadline_ns)
{
    struct uring_worker *uring = (struct uring_worker *)worker;
    for (;;) {
        unsigned count = take(uring, operations, max);
        if (count > 0 || uring->in_flight == 0 || max == 0) {
            return (int)count;
        }
        int result = push(uring);
        uint64_t now_ns = deadline_ns == 0 ? 0 : strata_clock_monotonic_ns();
        if (result < 0 || now_ns >= deadline_ns) {
            return result;
        }
        struct __kernel_timespec left = {
            .tv_sec = (long long)((deadline_ns - now_ns) / 1000000000U),
            .tv_nsec = (long long)((deadline_ns - now_ns) % 1000000000U)};
        struct io_uring_cqe *first;
        result = io_uring_wait_cqe_timeout(&uring->ring, &first, &left);
        if (result != 0 && result != -ETIME && result != -EINTR && result != -EAGAIN) {
            return result;
        }
    }
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
