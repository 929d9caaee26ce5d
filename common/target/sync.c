/* The synchronous engine of a block target: one pread or pwrite inside `submit`.
 *
 * Always holds: a call that a signal cut short is made again, so that only the device's own answer
 * counts. Handing over is left to synchronous.c. */
#include "common/base/memory.h"
#include "common/target/block_engine.h"
#include "common/target/synchronous.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

static enum strata_status sync_worker_open(struct strata_target *target,
                                           const struct strata_worker_setup *setup,
                                           struct strata_worker **ret_worker,
                                           struct strata_error *error)
{
    if (setup->depth != 1) {
        return strata_error_set(error, STRATA_USAGE,
                                "depth: %u is above 1, the most that engine sync has in flight",
                                setup->depth);
    }
    struct strata_synchronous_worker *sync = strata_memory_new(1, sizeof(*sync));
    sync->worker.target = target;
    /* A thread with a table of open files of its own need not count its use of one: that count is
     * a twelfth of a read from memory, and a cache line that all jobs would share. */
    (void)unshare(CLONE_FILES);
    *ret_worker = &sync->worker;
    return STRATA_OK;
}

static void sync_worker_close(struct strata_worker *worker)
{
    free(worker);
}

static int sync_submit(struct strata_worker *worker, struct strata_operation *const *operations,
                       unsigned count)
{
    struct strata_synchronous_worker *sync = (struct strata_synchronous_worker *)worker;
    const struct strata_block *block = (const struct strata_block *)worker->target;
    if (!strata_synchronous_may_start(sync, count)) {
        return 0;
    }
    struct strata_operation *operation = operations[0];
    off_t position;
    int fd = block->parts[strata_block_place(block, operation, &position)].fd;
    ssize_t moved;
    do {
        moved = operation->kind == STRATA_OPERATION_WRITE
                    ? pwrite(fd, operation->buffer, operation->bytes, position)
                    : pread(fd, operation->buffer, operation->bytes, position);
    } while (moved < 0 && errno == EINTR);
    strata_block_finish(operation, moved < 0 ? -errno : moved);
    sync->finished = operation;
    return 1;
}

const struct strata_target_type strata_block_sync_type = {
    .name = "sync",
    .help = "block device or file, pread and pwrite, direct I/O",
    .capabilities =
        STRATA_TARGET_NEEDS_BUFFER | STRATA_TARGET_SHARED_SPACE | STRATA_TARGET_SYNCHRONOUS,
    .prepare = strata_block_prepare,
    .items = strata_block_items,
    .worker_open = sync_worker_open,
    .worker_close = sync_worker_close,
    .submit = sync_submit,
    .reap = strata_synchronous_reap,
    .close = strata_block_close,
};
