/* RAID 0 in user space, so that several devices can be measured as one without changing them.
 *
 * Always holds: an operation's pieces cover it once, in the order of its bytes; it comes back when
 * all of them have; a piece that the members' queue has no room for waits here and is handed over
 * before anything later. One queue serves all members (strata_block_join), so that whichever
 * answers first is seen first. */
#include "common/target/stripe.h"

#include "common/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { REAP_BATCH = 64 };

struct stripe {
    struct strata_target target;
    struct strata_target_type type; /* the stripe's functions with the inner one's capabilities */
    struct strata_target *inner;
    unsigned members;
    uint64_t chunk_bytes;
    uint64_t block_bytes;
    uint64_t unit_bytes; /* the inner target's block */
    uint64_t items;
};

/* A part of an operation that lies on one member without a gap. */
struct piece {
    struct strata_operation operation; /* first: the inner target hands it back */
    struct strata_operation *whole;
};

struct stripe_worker {
    struct strata_worker worker;
    struct strata_worker *inner;
    unsigned most_pieces;              /* of one operation */
    struct piece *pieces;              /* `most_pieces` for each slot */
    unsigned *left;                    /* by slot: pieces that have not come back */
    struct strata_operation **waiting; /* pieces that the inner target has not taken yet */
    unsigned waiting_count;
};

uint64_t strata_stripe_unit(uint64_t chunk_bytes, uint64_t block_bytes)
{
    while (block_bytes != 0) { /* Euclid's greatest common divisor */
        uint64_t rest = chunk_bytes % block_bytes;
        chunk_bytes = block_bytes;
        block_bytes = rest;
    }
    return chunk_bytes;
}

unsigned strata_stripe_locate(const struct strata_target *target, uint64_t position,
                              uint64_t *ret_offset)
{
    const struct stripe *stripe = (const struct stripe *)target;
    uint64_t chunk = position / stripe->chunk_bytes;
    *ret_offset = chunk / stripe->members * stripe->chunk_bytes + position % stripe->chunk_bytes;
    return (unsigned)(chunk % stripe->members);
}

struct strata_target *strata_stripe_inner(const struct strata_target *target)
{
    return ((const struct stripe *)target)->inner;
}

static enum strata_status stripe_prepare(struct strata_target *target, unsigned kinds,
                                         struct strata_error *error)
{
    return strata_target_prepare(strata_stripe_inner(target), kinds, error);
}

static uint64_t stripe_items(const struct strata_target *target, unsigned job, unsigned jobs,
                             enum strata_operation_kind kind)
{
    (void)job, (void)jobs, (void)kind;
    return ((const struct stripe *)target)->items;
}

/* Chunks that an operation reaches into; one that begins inside a chunk may reach into one more. */
static unsigned most_pieces(const struct stripe *stripe)
{
    uint64_t block = stripe->block_bytes;
    uint64_t chunk = stripe->chunk_bytes;
    return (unsigned)((block + chunk - stripe->unit_bytes + chunk - 1) / chunk);
}

static void worker_free(struct stripe_worker *stripe)
{
    free(stripe->pieces);
    free(stripe->left);
    free(stripe->waiting);
    free(stripe);
}

static enum strata_status stripe_worker_open(struct strata_target *target,
                                             const struct strata_worker_setup *setup,
                                             struct strata_worker **ret_worker,
                                             struct strata_error *error)
{
    const struct stripe *set = (const struct stripe *)target;
    struct strata_worker_setup inner_setup = *setup;
    uint64_t pieces = (uint64_t)setup->depth * most_pieces(set);
    if (pieces > UINT16_MAX) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                STRATA_UNSUPPORTED
                                "depth %u of %llu bytes in chunks of %llu is more "
                                "than %d requests at once",
                                setup->depth, (unsigned long long)set->block_bytes,
                                (unsigned long long)set->chunk_bytes, UINT16_MAX);
    }
    if ((set->type.capabilities & STRATA_TARGET_SYNCHRONOUS) == 0) {
        inner_setup.depth = (unsigned)pieces;
    }
    struct stripe_worker *stripe = strata_memory_new(1, sizeof(*stripe));
    stripe->worker.target = target;
    stripe->most_pieces = most_pieces(set);
    stripe->pieces = strata_memory_new(pieces, sizeof(*stripe->pieces));
    stripe->left = strata_memory_new(setup->depth, sizeof(*stripe->left));
    stripe->waiting = strata_memory_new(pieces, sizeof(struct strata_operation *));
    enum strata_status status =
        set->inner->type->worker_open(set->inner, &inner_setup, &stripe->inner, error);
    if (status != STRATA_OK) {
        worker_free(stripe);
        return status;
    }
    *ret_worker = &stripe->worker;
    return STRATA_OK;
}

static void stripe_worker_close(struct strata_worker *worker)
{
    struct stripe_worker *stripe = (struct stripe_worker *)worker;
    stripe->inner->target->type->worker_close(stripe->inner);
    worker_free(stripe);
}

/* Put the pieces of an operation among the waiting ones. */
static void split(struct stripe_worker *stripe, struct strata_operation *whole)
{
    const struct stripe *set = (const struct stripe *)stripe->worker.target;
    uint64_t position = whole->item * set->block_bytes;
    unsigned count = 0;
    for (uint64_t done = 0; done < whole->bytes;) {
        uint64_t offset;
        unsigned member = strata_stripe_locate(&set->target, position + done, &offset);
        uint64_t in_chunk = set->chunk_bytes - (position + done) % set->chunk_bytes;
        uint64_t left = whole->bytes - done;
        unsigned number = whole->slot * stripe->most_pieces + count++;
        struct piece *piece = &stripe->pieces[number];
        piece->whole = whole;
        piece->operation =
            (struct strata_operation){.item = offset / set->unit_bytes * set->members + member,
                                      .bytes = left < in_chunk ? left : in_chunk,
                                      .buffer = (uint8_t *)whole->buffer + done,
                                      .slot = (uint16_t)number,
                                      .kind = whole->kind};
        done += piece->operation.bytes;
        stripe->waiting[stripe->waiting_count++] = &piece->operation;
    }
    stripe->left[whole->slot] = count;
}

/* Hand over what waits, as far as there is room. Returns 0, or a negative errno. */
static int flush(struct stripe_worker *stripe)
{
    unsigned taken = 0;
    int result = 1;
    while (result > 0 && taken < stripe->waiting_count) {
        result = stripe->inner->target->type->submit(stripe->inner, stripe->waiting + taken,
                                                     stripe->waiting_count - taken);
        taken += result > 0 ? (unsigned)result : 0;
    }
    stripe->waiting_count -= taken;
    if (taken > 0 && stripe->waiting_count > 0) {
        memmove(stripe->waiting, stripe->waiting + taken,
                stripe->waiting_count * sizeof(struct strata_operation *));
    }
    return result < 0 ? result : 0;
}

static int stripe_submit(struct strata_worker *worker, struct strata_operation *const *operations,
                         unsigned count)
{
    struct stripe_worker *stripe = (struct stripe_worker *)worker;
    for (unsigned i = 0; i < count; i++) {
        split(stripe, operations[i]);
    }
    int result = flush(stripe);
    return result < 0 ? result : (int)count;
}

/* Take a piece back. Returns whether its operation is finished with it. */
static bool finish(struct stripe_worker *stripe, const struct piece *piece)
{
    struct strata_operation *whole = piece->whole;
    if (whole->result == STRATA_RESULT_OK) {
        whole->result = piece->operation.result;
    }
    return --stripe->left[whole->slot] == 0;
}

static int stripe_reap(struct strata_worker *worker, struct strata_operation **operations,
                       unsigned max, uint64_t deadline_ns)
{
    struct stripe_worker *stripe = (struct stripe_worker *)worker;
    struct strata_operation *done[REAP_BATCH];
    unsigned most = max < REAP_BATCH ? max : REAP_BATCH;
    int finished = 0;
    while (finished == 0) {
        int count = stripe->inner->target->type->reap(stripe->inner, done, most, deadline_ns);
        for (int i = 0; i < count; i++) {
            struct piece *piece = (struct piece *)done[i];
            if (finish(stripe, piece)) {
                operations[finished++] = piece->whole;
            }
        }
        int flushed = count > 0 ? flush(stripe) : count;
        if (flushed < 0 || count <= 0) {
            return flushed;
        }
    }
    return finished;
}

static void stripe_close(struct strata_target *target)
{
    struct strata_target *inner = strata_stripe_inner(target);
    inner->type->close(inner);
    free(target);
}

static const struct strata_target_type stripe_type = {
    .name = "stripe",
    .help = "several block targets as one, in the order of RAID 0",
    .prepare = stripe_prepare,
    .items = stripe_items,
    .worker_open = stripe_worker_open,
    .worker_close = stripe_worker_close,
    .submit = stripe_submit,
    .reap = stripe_reap,
    .close = stripe_close,
};

enum strata_status strata_stripe_open(struct strata_target *inner,
                                      const struct strata_stripe_options *options,
                                      struct strata_target **ret_target, struct strata_error *error)
{
    uint64_t unit = strata_stripe_unit(options->chunk_bytes, options->block_bytes);
    uint64_t units = inner->type->items(inner, 0, 1, STRATA_OPERATION_READ) / options->members;
    uint64_t chunks = units / (options->chunk_bytes / unit) * options->members;
    if (chunks == 0 || chunks * options->chunk_bytes < options->block_bytes) {
        return strata_error_set(error, STRATA_USAGE,
                                "the set holds %llu chunks of %llu bytes, which is less than a "
                                "block of %llu",
                                (unsigned long long)chunks,
                                (unsigned long long)options->chunk_bytes,
                                (unsigned long long)options->block_bytes);
    }
    struct stripe *stripe = strata_memory_new(1, sizeof(*stripe));
    stripe->type = stripe_type;
    stripe->type.capabilities = inner->type->capabilities;
    stripe->target.type = &stripe->type;
    stripe->inner = inner;
    stripe->members = options->members;
    stripe->chunk_bytes = options->chunk_bytes;
    stripe->block_bytes = options->block_bytes;
    stripe->unit_bytes = unit;
    stripe->items = chunks * options->chunk_bytes / options->block_bytes;
    *ret_target = &stripe->target;
    return STRATA_OK;
}
