/* The path of an operation that needs no device.
 *
 * Always holds: the clock is read once for an operation, when its work is done, which began when
 * the engine handed it over; its end is the engine's to say, so that what is in flight and how long
 * it took agree. */
#include "common/target/in_memory.h"

#include "common/base/clock.h"

uint64_t strata_in_memory_items(const struct strata_target *target, unsigned job, unsigned jobs,
                                enum strata_operation_kind kind)
{
    (void)target;
    (void)job;
    (void)jobs;
    (void)kind;
    return 1;
}

int strata_in_memory_submit(struct strata_worker *worker,
                            struct strata_operation *const *operations, unsigned count)
{
    struct strata_in_memory_worker *memory = (struct strata_in_memory_worker *)worker;
    if (!strata_synchronous_may_start(&memory->base, count)) {
        return 0;
    }
    struct strata_operation *operation = operations[0];
    operation->result =
        memory->perform(memory, operation) ? STRATA_RESULT_OK : STRATA_RESULT_CIPHER;
    strata_operation_stage(operation, STRATA_STAGE_CIPHER,
                           strata_clock_monotonic_ns() - operation->start_ns);
    memory->base.finished = operation;
    return 1;
}
