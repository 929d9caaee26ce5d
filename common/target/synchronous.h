/* What synchronous targets share: an operation is done inside `submit`, one at a time, and handed
 * over by the next `reap`. */
#ifndef STRATA_TARGET_SYNCHRONOUS_H
#define STRATA_TARGET_SYNCHRONOUS_H

#include "common/target/target.h"

/* A worker of such a target embeds it first. */
struct strata_synchronous_worker {
    struct strata_worker worker;
    struct strata_operation *finished; /* set by `submit`, waits for `reap`; or NULL */
};

/* Whether `submit` has one to do, and the last one was handed over. */
static inline bool strata_synchronous_may_start(const struct strata_synchronous_worker *worker,
                                                unsigned count)
{
    return count > 0 && worker->finished == NULL;
}

/* The table's `reap`. There is nothing to wait for. */
int strata_synchronous_reap(struct strata_worker *worker, struct strata_operation **operations,
                            unsigned max, uint64_t deadline_ns);

#endif
