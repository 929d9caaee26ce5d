/* One operation by itself, outside of a load. */
#ifndef STRATA_TARGET_SINGLE_H
#define STRATA_TARGET_SINGLE_H

#include "common/target/target.h"

#include <string.h>

/* Do the operation of `kind` on `item` from start to end. `buffer` (of `bytes`) is for targets that
 * need one.
 * Returns its result in *ret_result (common/measure/operation.h); STRATA_OK also when that is a
 * failure. Errors: STRATA_ENVIRONMENT, "<place> does not answer: …", when it has not come back
 * after `give_up_ns`; STRATA_INTERRUPTED when a signal asked the program to stop. After these two
 * the worker is good for nothing but to be closed, and the buffer must not be freed. */
enum strata_status strata_single(struct strata_worker *worker, enum strata_operation_kind kind,
                                 uint64_t item, void *buffer, uint64_t bytes, const char *place,
                                 uint64_t give_up_ns, int32_t *ret_result,
                                 struct strata_error *error);

/* Whether after this error the kernel may still write to the buffer. */
static inline bool strata_single_holds(enum strata_status status, const struct strata_error *error)
{
    return status == STRATA_INTERRUPTED ||
           (status != STRATA_OK && strstr(error->text, STRATA_NO_ANSWER) != NULL);
}

#endif
