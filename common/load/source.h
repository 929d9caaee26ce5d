/* What a job asks next: which item, with which kind of operation. Part of the engine. */
#ifndef STRATA_LOAD_SOURCE_H
#define STRATA_LOAD_SOURCE_H

#include "common/base/random.h"
#include "common/load/load.h"

struct strata_source {
    struct strata_random random;
    bool sequential;
    bool permuted;      /* random, but each item once */
    uint64_t first;     /* the job's items are first to first + count - 1 */
    uint64_t count;     /* 0: nothing to ask for */
    uint64_t next;      /* sequential and permuted: how many were drawn, modulo count */
    uint64_t keys[4];   /* of the permutation */
    unsigned half_bits; /* of the permutation's domain, 4^half_bits >= count */
    uint8_t *deck;      /* the mix's kinds, one a share; one card when there is no mix */
    unsigned deck_size;
    unsigned deck_next;
};

/* The job's part of the load: for a shared space asked in sequence or in one pass its own range,
 * otherwise all the items that the target gives it. With several kinds it is limited to the items
 * that each of them may address. Owns: released by _done. */
void strata_source_init(struct strata_source *source, const struct strata_load *load,
                        const struct strata_target *target, unsigned job);
void strata_source_done(struct strata_source *source);

/* Set `item` and `kind` of `count` operations; never called when source->count is 0. */
void strata_source_fill(struct strata_source *source, struct strata_operation *const *operations,
                        unsigned count);

/* Add to kinds[] how often each kind comes up in the next `count` draws, without their items;
 * whole decks are counted, not drawn. */
void strata_source_skip(struct strata_source *source, uint64_t count,
                        uint64_t kinds[STRATA_OPERATION_KINDS]);

#endif
