/* The target that does nothing: every operation succeeds at once. What the engine reaches on it is
 * the ceiling of what it can measure. */
#ifndef STRATA_TARGET_NULL_H
#define STRATA_TARGET_NULL_H

#include "common/target/target.h"

struct strata_null_options {
    uint64_t items; /* blocks of the space that the jobs share */
    uint64_t bytes; /* of one block */
};

/* Errors: STRATA_USAGE without items. A worker that is asked for operations of other than `bytes`
 * cannot open. Owns: the caller closes it. */
enum strata_status strata_null_open(const struct strata_null_options *options,
                                    struct strata_target **ret_target, struct strata_error *error);

#endif
