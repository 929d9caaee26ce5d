/* The load generator's own ceiling: the path of a block target without the block device.
 *
 * It needs buffers and keeps operations from submit to reap like any asynchronous target, so that
 * the engine does for it all that it does for a device; it touches no buffer and makes no system
 * call. */
#include "common/target/null.h"

#include "common/base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct null_target {
    struct strata_target target;
    struct strata_null_options options;
};

struct null_worker {
    struct strata_worker worker;
    unsigned count; /* finished operations that were not reaped yet */
    struct strata_operation *finished[];
};

static uint64_t null_items(const struct strata_target *target, unsigned job, unsigned jobs,
                           enum strata_operation_kind kind)
{
    (void)job;
    (void)jobs;
    (void)kind;
    return ((const struct null_target *)target)->options.items;
}

static enum strata_status null_worker_open(struct strata_target *target,
                                           const struct strata_worker_setup *setup,
                                           struct strata_worker **ret_worker,
                                           struct strata_error *error)
{
    const struct null_target *null = (const struct null_target *)target;
    if (setup->bytes != null->options.bytes) {
        return strata_error_set(error, STRATA_INTERNAL,
                                "null: operations of %" PRIu64 " bytes, opened for %" PRIu64,
                                setup->bytes, null->options.bytes);
    }
    struct null_worker *worker =
        strata_memory_new(1, sizeof(*worker) + setup->depth * sizeof(worker->finished[0]));
    worker->worker.target = target;
    *ret_worker = &worker->worker;
    return STRATA_OK;
}

static void null_worker_close(struct strata_worker *worker)
{
    free(worker);
}

static int null_submit(struct strata_worker *worker, struct strata_operation *const *operations,
                       unsigned count)
{
    struct null_worker *null = (struct null_worker *)worker;
    memcpy(null->finished + null->count, operations, count * sizeof(*operations));
    null->count += count;
    return (int)count;
}

static int null_reap(struct strata_worker *worker, struct strata_operation **operations,
                     unsigned max, uint64_t deadline_ns)
{
    (void)deadline_ns;
    struct null_worker *null = (struct null_worker *)worker;
    unsigned count = null->count < max ? null->count : max;
    memcpy(operations, null->finished, count * sizeof(*operations));
    null->count -= count;
    memmove(null->finished, null->finished + count, null->count * sizeof(*operations));
    return (int)count;
}

static void null_close(struct strata_target *target)
{
    free(target);
}

static const struct strata_target_type null_type = {
    .name = "null",
    .help = "completes every operation at once: the load generator's own ceiling",
    .capabilities = STRATA_TARGET_NEEDS_BUFFER | STRATA_TARGET_SHARED_SPACE | STRATA_TARGET_INSTANT,
    .items = null_items,
    .worker_open = null_worker_open,
    .worker_close = null_worker_close,
    .submit = null_submit,
    .reap = null_reap,
    .close = null_close,
};

enum strata_status strata_null_open(const struct strata_null_options *options,
                                    struct strata_target **ret_target, struct strata_error *error)
{
    if (options->items == 0) {
        return strata_error_set(error, STRATA_USAGE, "null: 0 items, expected at least 1");
    }
    struct null_target *null = strata_memory_new(1, sizeof(*null));
    null->target.type = &null_type;
    null->options = *options;
    *ret_target = &null->target;
    return STRATA_OK;
}
