/* Handing over what a synchronous target has done already.
 *
 * Always holds: a worker has at most one operation, finished but not yet handed over. What is done
 * in `submit`, and what the operation's times are, is left to each target. */
#include "common/target/synchronous.h"

int strata_synchronous_reap(struct strata_worker *worker, struct strata_operation **operations,
                            unsigned max, uint64_t deadline_ns)
{
    struct strata_synchronous_worker *synchronous = (struct strata_synchronous_worker *)worker;
    (void)deadline_ns;
    if (max == 0 || synchronous->finished == NULL) {
        return 0;
    }
    operations[0] = synchronous->finished;
    synchronous->finished = NULL;
    return 1;
}
