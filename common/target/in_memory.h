/* What synchronous targets share whose operations are computed in memory. */
#ifndef STRATA_TARGET_IN_MEMORY_H
#define STRATA_TARGET_IN_MEMORY_H

#include "common/target/synchronous.h"

/* A worker of such a target embeds it first. */
struct strata_in_memory_worker {
    struct strata_synchronous_worker base;
    /* Does the work of one operation; false when it failed. */
    bool (*perform)(struct strata_in_memory_worker *worker,
                    const struct strata_operation *operation);
};

/* Functions of such a target's table, beside strata_synchronous_reap. What `perform` takes is the
 * operation's stage "cipher": work that was asked for, not the tool's own. */
uint64_t strata_in_memory_items(const struct strata_target *target, unsigned job, unsigned jobs,
                                enum strata_operation_kind kind);
int strata_in_memory_submit(struct strata_worker *worker,
                            struct strata_operation *const *operations, unsigned count);

#endif
