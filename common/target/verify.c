/* Whether a device gives back what it was given: every byte, at the rate that checking allows.
 *
 * Always holds: a block's state says whether an operation works on it and which writing of it was
 * the last to succeed; an operation owns its block from `submit` until it comes back, so that no
 * other changes what it is checked against; one that was not taken or has come back carries its own
 * item again. A block whose writing failed may hold the old or the new content, or both, and is not
 * checked until it is written again. How stamps look is stamp.c's. */
#include "common/target/verify.h"

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/stop.h"
#include "common/target/stamp.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The state of a block. */
#define AT_WORK    UINT32_C(0x80000000) /* an operation owns it */
#define UNCERTAIN  UINT32_C(0x40000000) /* its last writing failed */
#define UNREAD     UINT32_C(0x20000000) /* not read since its last writing */
#define GENERATION UINT32_C(0x1fffffff) /* of its last writing; 0: never written by this run */

/* Of reading and writing the region outside the measured time. */
enum { SWEEP_DEPTH = 32, SWEEP_BYTES = 64 << 20 };
#define PATIENCE_NS UINT64_C(30000000000)

struct verify {
    struct strata_target target;
    struct strata_target_type type; /* the filter's functions with the inner one's capabilities */
    struct strata_target *inner;
    uint64_t key;
    uint64_t block_bytes;
    uint64_t blocks;
    _Atomic uint32_t *states;
    _Atomic uint64_t wrong_blocks;
    struct strata_verify_finding first; /* written by whoever counted the first wrong block */
};

/* What an operation is to find or to leave, by its slot. */
struct claim {
    uint64_t asked_item; /* the engine's */
    uint32_t generation;
    bool checkable;
};

struct verify_worker {
    struct strata_worker worker;
    struct strata_worker *inner;
    struct claim *claims;
};

struct strata_target *strata_verify_inner(const struct strata_target *target)
{
    return ((const struct verify *)target)->inner;
}

static uint64_t verify_items(const struct strata_target *target, unsigned job, unsigned jobs,
                             enum strata_operation_kind kind)
{
    const struct strata_target *inner = strata_verify_inner(target);
    return inner->type->items(inner, job, jobs, kind);
}

static enum strata_status verify_worker_open(struct strata_target *target,
                                             const struct strata_worker_setup *setup,
                                             struct strata_worker **ret_worker,
                                             struct strata_error *error)
{
    const struct verify *filter = (const struct verify *)target;
    uint64_t in_flight = (uint64_t)setup->jobs * setup->depth;
    if (in_flight > filter->blocks) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                STRATA_UNSUPPORTED
                                "verify: %llu operations in flight need a block each, "
                                "and there are %llu",
                                (unsigned long long)in_flight, (unsigned long long)filter->blocks);
    }
    struct verify_worker *verify = strata_memory_new(1, sizeof(*verify));
    verify->worker.target = target;
    verify->claims = strata_memory_new(setup->depth, sizeof(*verify->claims));
    enum strata_status status =
        filter->inner->type->worker_open(filter->inner, setup, &verify->inner, error);
    if (status != STRATA_OK) {
        free(verify->claims);
        free(verify);
        return status;
    }
    *ret_worker = &verify->worker;
    return STRATA_OK;
}

static void verify_worker_close(struct strata_worker *worker)
{
    struct verify_worker *verify = (struct verify_worker *)worker;
    verify->inner->target->type->worker_close(verify->inner);
    free(verify->claims);
    free(verify);
}

static struct strata_stamp stamp_of(const struct verify *filter, uint64_t item, uint32_t generation)
{
    return (struct strata_stamp){.key = filter->key,
                                 .sector = item * (filter->block_bytes / STRATA_STAMP_BYTES),
                                 .generation = generation};
}

/* Own the operation's block, or the next one that nobody owns. False when there is none. */
static bool claim(struct verify *filter, struct verify_worker *verify,
                  struct strata_operation *operation)
{
    struct claim *claim = &verify->claims[operation->slot];
    claim->asked_item = operation->item;
    for (uint64_t tried = 0; tried < filter->blocks; tried++) {
        uint32_t state = atomic_fetch_or_explicit(&filter->states[operation->item], AT_WORK,
                                                  memory_order_acquire);
        if ((state & AT_WORK) == 0) {
            claim->generation = state & GENERATION;
            claim->checkable = claim->generation != 0 && (state & UNCERTAIN) == 0;
            return true;
        }
        operation->item = operation->item + 1 == filter->blocks ? 0 : operation->item + 1;
    }
    operation->item = claim->asked_item;
    return false;
}

/* Give the block up in its new state, and the operation its own item back. */
static void release(struct verify *filter, const struct claim *claim,
                    struct strata_operation *operation, uint32_t state)
{
    atomic_store_explicit(&filter->states[operation->item], state, memory_order_release);
    operation->item = claim->asked_item;
}

/* As the block was before the operation. */
static void keep_untaken(struct verify *filter, struct verify_worker *verify,
                         struct strata_operation *operation)
{
    uint32_t state = atomic_load_explicit(&filter->states[operation->item], memory_order_relaxed);
    release(filter, &verify->claims[operation->slot], operation, state & ~AT_WORK);
}

static void note_time(struct strata_operation *operation, uint64_t *now_ns)
{
    uint64_t begin_ns = *now_ns;
    *now_ns = strata_clock_monotonic_ns();
    strata_operation_stage(operation, STRATA_STAGE_VERIFY, *now_ns - begin_ns);
}

static int verify_submit(struct strata_worker *worker, struct strata_operation *const *operations,
                         unsigned count)
{
    struct verify_worker *verify = (struct verify_worker *)worker;
    struct verify *filter = (struct verify *)worker->target;
    uint64_t now_ns = strata_clock_monotonic_ns();
    unsigned claimed = 0;
    while (claimed < count && claim(filter, verify, operations[claimed])) {
        struct strata_operation *operation = operations[claimed++];
        if (operation->kind == STRATA_OPERATION_WRITE) {
            struct claim *own = &verify->claims[operation->slot];
            own->generation = own->generation == GENERATION ? 1 : own->generation + 1;
            strata_stamp_fill(stamp_of(filter, operation->item, own->generation), operation->buffer,
                              operation->bytes);
            note_time(operation, &now_ns);
        }
    }
    int taken = verify->inner->target->type->submit(verify->inner, operations, claimed);
    for (unsigned i = taken > 0 ? (unsigned)taken : 0; i < claimed; i++) {
        keep_untaken(filter, verify, operations[i]);
    }
    return taken;
}

/* Compare what was read with what was written last. */
static void check(struct verify *filter, const struct claim *claim,
                  struct strata_operation *operation)
{
    struct strata_stamp stamp = stamp_of(filter, operation->item, claim->generation);
    size_t at = strata_stamp_check(stamp, operation->buffer, operation->bytes);
    if (at == operation->bytes) {
        return;
    }
    operation->result = STRATA_RESULT_CONTENT;
    if (atomic_fetch_add(&filter->wrong_blocks, 1) == 0) {
        struct strata_verify_finding *first = &filter->first;
        first->block = operation->item;
        first->byte = at;
        first->found = ((const uint8_t *)operation->buffer)[at];
        strata_stamp_explain(stamp, operation->buffer, operation->bytes, at, &first->expected,
                             first->what, sizeof(first->what));
    }
}

static void finish(struct verify *filter, struct verify_worker *verify,
                   struct strata_operation *operation, uint64_t *now_ns)
{
    const struct claim *claim = &verify->claims[operation->slot];
    uint32_t state = atomic_load_explicit(&filter->states[operation->item], memory_order_relaxed);
    bool ok = operation->result == STRATA_RESULT_OK;
    if (operation->kind == STRATA_OPERATION_WRITE) {
        state = claim->generation | (ok ? UNREAD : UNCERTAIN);
    } else if (ok && claim->checkable) {
        check(filter, claim, operation);
        note_time(operation, now_ns);
        state &= ~UNREAD;
    }
    release(filter, claim, operation, state & ~AT_WORK);
}

/* The checking came after what the target below may have said of the end: an operation ends when it
 * is handed over. */
static int verify_reap(struct strata_worker *worker, struct strata_operation **operations,
                       unsigned max, uint64_t deadline_ns)
{
    struct verify_worker *verify = (struct verify_worker *)worker;
    struct verify *filter = (struct verify *)worker->target;
    int count = verify->inner->target->type->reap(verify->inner, operations, max, deadline_ns);
    uint64_t now_ns = count > 0 ? strata_clock_monotonic_ns() : 0;
    for (int i = 0; i < count; i++) {
        finish(filter, verify, operations[i], &now_ns);
        operations[i]->end_ns = 0;
    }
    return count;
}

/* A pass over the region outside the measured time, by one worker. */
struct sweep {
    struct verify *filter;
    enum strata_operation_kind kind;
    struct strata_worker *worker;
    unsigned depth;
    struct strata_operation *operations;
    struct strata_operation **ready;
    unsigned ready_count;
    uint64_t next; /* block to look at */
};

/* Whether the pass is for this block: writing is for all. */
static bool is_wanted(const struct sweep *sweep, uint64_t block)
{
    return sweep->kind == STRATA_OPERATION_WRITE ||
           (atomic_load_explicit(&sweep->filter->states[block], memory_order_relaxed) & UNREAD) !=
               0;
}

/* Start what there is room for. Returns how many operations, or a negative errno. */
static int start(struct sweep *sweep)
{
    struct strata_operation *batch[SWEEP_DEPTH];
    unsigned count = 0;
    for (; count < sweep->ready_count && sweep->next < sweep->filter->blocks; sweep->next++) {
        if (is_wanted(sweep, sweep->next)) {
            struct strata_operation *operation = sweep->ready[sweep->ready_count - 1 - count];
            operation->item = sweep->next;
            operation->result = STRATA_RESULT_OK;
            operation->bytes = sweep->filter->block_bytes;
            batch[count++] = operation;
        }
    }
    int taken = verify_submit(sweep->worker, batch, count);
    if (taken >= 0) {
        sweep->ready_count -= (unsigned)taken;
        sweep->next = (unsigned)taken < count ? batch[taken]->item : sweep->next;
    }
    return taken;
}

static enum strata_status take_back(struct sweep *sweep, struct strata_error *error)
{
    struct strata_operation *done[SWEEP_DEPTH];
    int count = verify_reap(sweep->worker, done, sweep->depth - sweep->ready_count,
                            strata_clock_monotonic_ns() + PATIENCE_NS);
    if (count <= 0) {
        return strata_error_set(error, STRATA_ENVIRONMENT, "verify: no answer: %s",
                                count < 0 ? strerrordesc_np(-count) : "gave up after 30 s");
    }
    for (int i = 0; i < count; i++) {
        sweep->ready[sweep->ready_count++] = done[i];
        if (done[i]->result != STRATA_RESULT_OK && done[i]->result != STRATA_RESULT_CONTENT) {
            char text[128];
            return strata_error_set(
                error, STRATA_ENVIRONMENT, "verify: block %llu cannot be %s: %s",
                (unsigned long long)done[i]->item,
                sweep->kind == STRATA_OPERATION_WRITE ? "written before the run" : "read back",
                strata_result_describe(done[i]->result, text, sizeof(text)));
        }
    }
    return STRATA_OK;
}

static enum strata_status run_sweep(struct sweep *sweep, struct strata_error *error)
{
    enum strata_status status = STRATA_OK;
    bool more = true;
    while (status == STRATA_OK && (more || sweep->ready_count < sweep->depth)) {
        int started = more ? start(sweep) : 0;
        if (started < 0) {
            status = strata_error_set(error, STRATA_ENVIRONMENT, "verify: %s",
                                      strerrordesc_np(-started));
        } else if (sweep->ready_count < sweep->depth) {
            status = take_back(sweep, error);
        }
        more = sweep->next < sweep->filter->blocks && strata_stop_signal == 0;
    }
    return status;
}

static enum strata_status pass_over(struct verify *filter, enum strata_operation_kind kind,
                                    struct strata_error *error)
{
    uint64_t depth = SWEEP_BYTES / filter->block_bytes;
    depth = depth > SWEEP_DEPTH ? SWEEP_DEPTH : depth;
    depth = depth > filter->blocks ? filter->blocks : depth;
    bool one = depth == 0 || (filter->type.capabilities & STRATA_TARGET_SYNCHRONOUS) != 0;
    struct sweep sweep = {.filter = filter, .kind = kind, .depth = one ? 1 : (unsigned)depth};
    const struct strata_worker_setup setup = {
        .jobs = 1, .depth = sweep.depth, .bytes = filter->block_bytes, .kinds = 1U << kind};
    enum strata_status status = verify_worker_open(&filter->target, &setup, &sweep.worker, error);
    if (status != STRATA_OK) {
        return status;
    }
    uint8_t *buffers = strata_memory_new_aligned(sweep.depth * filter->block_bytes);
    sweep.operations = strata_memory_new(sweep.depth, sizeof(*sweep.operations));
    sweep.ready = strata_memory_new(sweep.depth, sizeof(struct strata_operation *));
    for (; sweep.ready_count < sweep.depth; sweep.ready_count++) {
        struct strata_operation *operation = &sweep.operations[sweep.ready_count];
        operation->slot = (uint16_t)sweep.ready_count;
        operation->kind = (uint8_t)kind;
        operation->buffer = buffers + sweep.ready_count * filter->block_bytes;
        sweep.ready[sweep.ready_count] = operation;
    }
    status = run_sweep(&sweep, error);
    verify_worker_close(sweep.worker);
    if (sweep.ready_count == sweep.depth) { /* else the kernel may write there still */
        free(buffers);
    }
    free(sweep.operations);
    free(sweep.ready);
    return status;
}

/* What is to be read is written first; only what the load writes afterwards is read back. */
static enum strata_status verify_prepare(struct strata_target *target, unsigned kinds,
                                         struct strata_error *error)
{
    struct verify *filter = (struct verify *)target;
    enum strata_status status = STRATA_OK;
    if ((kinds & 1U << STRATA_OPERATION_READ) != 0) {
        status = pass_over(filter, STRATA_OPERATION_WRITE, error);
        for (uint64_t block = 0; block < filter->blocks; block++) {
            atomic_fetch_and_explicit(&filter->states[block], ~UNREAD, memory_order_relaxed);
        }
    }
    return status == STRATA_OK ? strata_target_prepare(filter->inner, kinds, error) : status;
}

static enum strata_status verify_cleanup(struct strata_target *target, struct strata_error *error)
{
    return strata_target_cleanup(strata_verify_inner(target), error);
}

static void verify_close(struct strata_target *target)
{
    struct verify *filter = (struct verify *)target;
    filter->inner->type->close(filter->inner);
    free((void *)filter->states);
    free(filter);
}

static const struct strata_target_type verify_type = {
    .name = "verify",
    .help = "filter over a block target: stamps what is written, checks what is read",
    .prepare = verify_prepare,
    .items = verify_items,
    .worker_open = verify_worker_open,
    .worker_close = verify_worker_close,
    .submit = verify_submit,
    .reap = verify_reap,
    .cleanup = verify_cleanup,
    .close = verify_close,
};

enum strata_status strata_verify_open(struct strata_target *inner,
                                      const struct strata_verify_options *options,
                                      struct strata_target **ret_target, struct strata_error *error)
{
    uint64_t blocks = inner->type->items(inner, 0, 1, STRATA_OPERATION_WRITE);
    if (blocks > STRATA_VERIFY_MOST_BLOCKS) {
        return strata_error_set(
            error, STRATA_ENVIRONMENT,
            STRATA_UNSUPPORTED "verify: %llu blocks are more than the %llu whose "
                               "last writing can be remembered; use larger blocks or a smaller "
                               "size",
            (unsigned long long)blocks, (unsigned long long)STRATA_VERIFY_MOST_BLOCKS);
    }
    struct verify *filter = strata_memory_new(1, sizeof(*filter));
    filter->type = verify_type;
    filter->type.capabilities = inner->type->capabilities | STRATA_TARGET_NEEDS_BUFFER;
    filter->target.type = &filter->type;
    filter->inner = inner;
    filter->key = options->key;
    filter->block_bytes = options->block_bytes;
    filter->blocks = blocks;
    filter->states = strata_memory_new(blocks, sizeof(*filter->states));
    *ret_target = &filter->target;
    return STRATA_OK;
}

enum strata_status strata_verify_read_back(struct strata_target *target, struct strata_error *error)
{
    return pass_over((struct verify *)target, STRATA_OPERATION_READ, error);
}

void strata_verify_findings(const struct strata_target *target,
                            struct strata_verify_finding *ret_finding)
{
    const struct verify *filter = (const struct verify *)target;
    *ret_finding = filter->first;
    ret_finding->wrong_blocks = atomic_load(&filter->wrong_blocks);
}
