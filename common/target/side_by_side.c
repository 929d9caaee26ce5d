/* Devices that are measured at the same moment but not as one: what a shared bus, controller or
 * hypervisor takes from each shows only then.
 *
 * Always holds: an operation reaches the member of its job alone, and carries its own item again
 * when it was not taken or has come back. Whether the members stand in each other's way is what is
 * measured: nothing is shared between them in here. */
#include "common/target/side_by_side.h"

#include "common/base/memory.h"
#include "common/base/share.h"

#include <stdlib.h>
#include <string.h>

struct beside {
    struct strata_target target;
    struct strata_target_type type;
    struct strata_target **members;
};

struct beside_worker {
    struct strata_worker worker;
    struct strata_worker *inner;
    uint64_t first; /* item of the member at which the job's range begins */
};

struct strata_target *strata_side_by_side_member(const struct strata_target *target, unsigned n)
{
    return ((const struct beside *)target)->members[n];
}

static uint64_t fewest_items(const struct strata_target *target, enum strata_operation_kind kind)
{
    uint64_t fewest = UINT64_MAX;
    for (unsigned m = 0; m < target->members; m++) {
        const struct strata_target *member = strata_side_by_side_member(target, m);
        uint64_t items = member->type->items(member, 0, 1, kind);
        fewest = items < fewest ? items : fewest;
    }
    return fewest;
}

static uint64_t beside_items(const struct strata_target *target, unsigned job, unsigned jobs,
                             enum strata_operation_kind kind)
{
    uint64_t items = fewest_items(target, kind);
    unsigned share = job / target->members;
    unsigned shares = jobs < target->members ? 1 : jobs / target->members;
    return strata_share_count(items, share, shares);
}

static enum strata_status beside_prepare(struct strata_target *target, unsigned kinds,
                                         struct strata_error *error)
{
    enum strata_status status = STRATA_OK;
    for (unsigned m = 0; m < target->members && status == STRATA_OK; m++) {
        status = strata_target_prepare(strata_side_by_side_member(target, m), kinds, error);
    }
    return status;
}

static enum strata_status beside_worker_open(struct strata_target *target,
                                             const struct strata_worker_setup *setup,
                                             struct strata_worker **ret_worker,
                                             struct strata_error *error)
{
    unsigned members = target->members;
    if (setup->jobs % members != 0) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                STRATA_UNSUPPORTED
                                "jobs: %u is not a multiple of the %u devices side by side",
                                setup->jobs, members);
    }
    struct strata_worker_setup own = *setup;
    own.job = setup->job / members;
    own.jobs = setup->jobs / members;
    struct strata_target *member = strata_side_by_side_member(target, setup->job % members);
    struct beside_worker *beside = strata_memory_new(1, sizeof(*beside));
    beside->worker.target = target;
    beside->first =
        strata_share_begin(fewest_items(target, STRATA_OPERATION_READ), own.job, own.jobs);
    enum strata_status status = member->type->worker_open(member, &own, &beside->inner, error);
    if (status != STRATA_OK) {
        free(beside);
        return status;
    }
    *ret_worker = &beside->worker;
    return STRATA_OK;
}

static void beside_worker_close(struct strata_worker *worker)
{
    struct beside_worker *beside = (struct beside_worker *)worker;
    beside->inner->target->type->worker_close(beside->inner);
    free(beside);
}

static int beside_submit(struct strata_worker *worker, struct strata_operation *const *operations,
                         unsigned count)
{
    struct beside_worker *beside = (struct beside_worker *)worker;
    for (unsigned i = 0; i < count; i++) {
        operations[i]->item += beside->first;
    }
    int taken = beside->inner->target->type->submit(beside->inner, operations, count);
    for (unsigned i = taken > 0 ? (unsigned)taken : 0; i < count; i++) {
        operations[i]->item -= beside->first;
    }
    return taken;
}

static int beside_reap(struct strata_worker *worker, struct strata_operation **operations,
                       unsigned max, uint64_t deadline_ns)
{
    struct beside_worker *beside = (struct beside_worker *)worker;
    int count = beside->inner->target->type->reap(beside->inner, operations, max, deadline_ns);
    for (int i = 0; i < count; i++) {
        operations[i]->item -= beside->first;
    }
    return count;
}

static void beside_close(struct strata_target *target)
{
    struct beside *beside = (struct beside *)target;
    for (unsigned m = 0; m < target->members; m++) {
        beside->members[m]->type->close(beside->members[m]);
    }
    free(beside->members);
    free(beside);
}

static const struct strata_target_type beside_type = {
    .name = "side-by-side",
    .help = "several targets at once, each with jobs of its own",
    .prepare = beside_prepare,
    .items = beside_items,
    .worker_open = beside_worker_open,
    .worker_close = beside_worker_close,
    .submit = beside_submit,
    .reap = beside_reap,
    .close = beside_close,
};

struct strata_target *strata_side_by_side_open(struct strata_target *const *members, unsigned count)
{
    struct beside *beside = strata_memory_new(1, sizeof(*beside));
    unsigned shared = STRATA_TARGET_SHARED_SPACE; /* no longer: each job has items of its own */
    beside->type = beside_type;
    beside->type.capabilities = members[0]->type->capabilities & ~shared;
    beside->target.type = &beside->type;
    beside->target.members = count;
    beside->members = strata_memory_new(count, sizeof(struct strata_target *));
    memcpy(beside->members, members, count * sizeof(struct strata_target *));
    return &beside->target;
}
