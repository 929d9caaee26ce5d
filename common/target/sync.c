/* The synchronous engine of a block target: one pread or pwrite inside `submit`.
 *
 * Always holds: a worker has at most one operation, finished but not yet handed over. */
#include "common/base/memory.h"
#include "common/target/block_engine.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

struct sync_worker {
    struct strata_worker worker;
    struct strata_operation *done; /* finished, waits for `reap`; or NULL */
};

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
    struct sync_worker *sync = strata_memory_new(1, sizeof(*sync));
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
    struct sync_worker *sync = (struct sync_worker *)worker;
    const struct strata_block *block = (const struct strata_block *)worker->target;
    if (count == 0 || sync->done != NULL) {
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
    sync->done = operation;
    return 1;
}

static int sync_reap(struct strata_worker *worker, struct strata_operation **operations,
                     unsigned max, uint64_t deadline_ns)
{
    (void)deadline_ns;
    struct sync_worker *sync = (struct sync_worker *)worker;
    if (max == 0 || sync->done == NULL) {
        return 0;
    }
    operations[0] = sync->done;
    sync->done = NULL;
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
    .reap = sync_reap,
    .close = strata_block_close,
};
