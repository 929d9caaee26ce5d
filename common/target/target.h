/* What a load runs against: a table of functions, and filters that stand on another target.
 *
 * Asynchronous first: a synchronous target finishes inside `submit` and hands the operation over at
 * the next `reap`. Batches first: `submit` and `reap` take arrays.
 *
 * Order of the calls, for each run:
 *   (open) prepare { worker_open submit/reap… worker_close }… cleanup close
 * with one group in braces for each job of each phase. `open` is each target's own public function,
 * since each takes options of its own. */
#ifndef STRATA_TARGET_TARGET_H
#define STRATA_TARGET_TARGET_H

#include "common/base/error.h"
#include "common/measure/operation.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

enum strata_target_capability {
    STRATA_TARGET_NEEDS_BUFFER = 1 << 0, /* operations carry a buffer of the job's (4096-aligned) */
    STRATA_TARGET_SHARED_SPACE = 1 << 1, /* all jobs address one space of items (a device) */
    STRATA_TARGET_SYNCHRONOUS = 1 << 2,  /* depth 1 only */
    STRATA_TARGET_INSTANT = 1 << 3,      /* completes at once: what is measured is the engine */
    STRATA_TARGET_COPIES_WRITES = 1 << 4 /* has a second buffer for each write of the job's */
};

struct strata_target;

/* What a job's worker needs to know; borrowed for the time of the call. */
struct strata_worker_setup {
    unsigned job; /* 0 to jobs - 1 */
    unsigned jobs;
    unsigned depth; /* most operations in flight; slots are 0 to depth - 1 */
    unsigned
        batch; /* finished operations that `reap` waits for, if so many are in flight; 0 is 1 */
    uint64_t bytes; /* payload of each operation; 0 for metadata */
    unsigned kinds; /* bit set of the kinds that will be asked */
    /* Memory in which the buffers of reads and of writes lie, for targets that tell the kernel of
     * it beforehand; empty where there is none. It outlives the worker. A filter that brings
     * buffers of its own says so to the target below. */
    struct iovec reads;
    struct iovec writes;
};

/* A worker's own state; a target embeds it first in its own struct. */
struct strata_worker {
    struct strata_target *target;
};

struct strata_target_type {
    const char *name; /* "aio" */
    const char *help; /* one line for `strata doctor` */
    unsigned capabilities;

    /* Untimed: fill, make the tree, upload. `kinds`: what the coming phases will ask. May be NULL.
     */
    enum strata_status (*prepare)(struct strata_target *target, unsigned kinds,
                                  struct strata_error *error);

    /* How many items the job may address with this kind: for a shared space the whole space, else
     * the job's own: planned ones for what makes items, those really made for what uses them. */
    uint64_t (*items)(const struct strata_target *target, unsigned job, unsigned jobs,
                      enum strata_operation_kind kind);

    enum strata_status (*worker_open)(struct strata_target *target,
                                      const struct strata_worker_setup *setup,
                                      struct strata_worker **ret_worker,
                                      struct strata_error *error);
    /* Called also with operations in flight, when the drain gave up: afterwards the target touches
     * no operation, but the kernel may still write into their buffers, which are never freed. */
    void (*worker_close)(struct strata_worker *worker);

    /* Take up to `count` operations; the taken ones belong to the target until `reap` returns them.
     * Returns how many were taken, in order (0: queue full, reap first), or a negative errno when
     * the worker cannot go on. A failed operation is taken and comes back with its result. */
    int (*submit)(struct strata_worker *worker, struct strata_operation *const *operations,
                  unsigned count);

    /* Hand over up to `max` finished operations, in any order. Waits until at least one is finished
     * (a target that can wait for more in one go: the worker's batch, or all that are in flight) or
     * the monotonic clock passes `deadline_ns` (0: does not wait). A target that knows better than
     * the engine when an operation ended sets end_ns, else leaves it 0. Returns how many, fewer or
     * 0 at the deadline, or a negative errno. */
    int (*reap)(struct strata_worker *worker, struct strata_operation **operations, unsigned max,
                uint64_t deadline_ns);

    /* Remove what this run made, and only that; called also after failures. May be NULL. */
    enum strata_status (*cleanup)(struct strata_target *target, struct strata_error *error);

    void (*close)(struct strata_target *target);
};

/* A target embeds it first in its own struct. */
struct strata_target {
    const struct strata_target_type *type;
    unsigned members; /* from 2: job k works on member k mod `members` alone, and the engine counts
                         each member's operations by themselves too */
};

/* Its `prepare` and `cleanup`, where it has them. */
static inline enum strata_status strata_target_prepare(struct strata_target *target, unsigned kinds,
                                                       struct strata_error *error)
{
    return target->type->prepare != NULL ? target->type->prepare(target, kinds, error) : STRATA_OK;
}

static inline enum strata_status strata_target_cleanup(struct strata_target *target,
                                                       struct strata_error *error)
{
    return target->type->cleanup != NULL ? target->type->cleanup(target, error) : STRATA_OK;
}

#endif
