/* What is asked of a target before a load runs: whether a block was written, whether a cipher is in
 * effect. The target may hang already then.
 *
 * Always holds: with an asynchronous target the caller waits for the limit at most, and less when
 * it is asked to stop. A synchronous one comes back when it does. */
#include "common/target/single.h"

#include "common/base/clock.h"
#include "common/base/stop.h"
#include "common/base/units.h"

#include <errno.h>

static enum strata_status wait_for(struct strata_worker *worker, uint64_t give_up_ns,
                                   const struct strata_operation *operation, const char *place,
                                   struct strata_error *error)
{
    uint64_t begin_ns = strata_clock_monotonic_ns();
    uint64_t now_ns = begin_ns;
    while (now_ns - begin_ns <= give_up_ns) {
        struct strata_operation *back;
        int count = worker->target->type->reap(worker, &back, 1, now_ns + STRATA_STOP_LOOK_NS);
        if (count != 0) {
            return count > 0 ? STRATA_OK
                             : strata_error_set(error, STRATA_ENVIRONMENT,
                                                "%s: cannot be waited for", place);
        }
        if (strata_stop_signal != 0) {
            return strata_error_set(error, STRATA_INTERRUPTED, "interrupted");
        }
        now_ns = strata_clock_monotonic_ns();
    }
    char limit[32];
    return strata_error_set(error, STRATA_ENVIRONMENT,
                            "%s " STRATA_NO_ANSWER "a %s of block %llu did not come back within %s",
                            place, strata_operation_name(operation->kind),
                            (unsigned long long)operation->item,
                            strata_units_format_duration(give_up_ns, limit, sizeof(limit)));
}

enum strata_status strata_single(struct strata_worker *worker, enum strata_operation_kind kind,
                                 uint64_t item, void *buffer, uint64_t bytes, const char *place,
                                 uint64_t give_up_ns, int32_t *ret_result,
                                 struct strata_error *error)
{
    struct strata_operation operation = {
        .item = item, .bytes = bytes, .buffer = buffer, .kind = (uint8_t)kind};
    struct strata_operation *one = &operation;
    enum strata_status status = STRATA_OK;
    int taken = worker->target->type->submit(worker, &one, 1);
    if (taken == 1) {
        status = wait_for(worker, give_up_ns, &operation, place, error);
    } else {
        operation.result = taken < 0 ? -taken : EAGAIN;
    }
    *ret_result = operation.result;
    return status;
}
