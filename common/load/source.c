/* Items in their order and kinds in their mix, reproducible from the seed and the job's number.
 *
 * Must always hold: sequential jobs on a shared space never meet; one pass asks for each item once,
 * in any order; a mix is exact over each deck. No memory grows with the number of items. */
#include "common/load/source.h"

#include "common/base/memory.h"
#include "common/base/share.h"

#include <stdlib.h>

#define GOLDEN UINT64_C(0x9e3779b97f4a7c15) /* 2^64 / golden ratio: spreads the jobs' seeds */

static uint64_t fewest_items(const struct strata_load *load, const struct strata_target *target,
                             unsigned job)
{
    uint64_t fewest = UINT64_MAX;
    for (unsigned m = 0; m < load->mix_count; m++) {
        uint64_t items = target->type->items(target, job, load->jobs, load->mix[m].kind);
        fewest = items < fewest ? items : fewest;
    }
    return fewest;
}

static unsigned shares(const struct strata_load *load, unsigned m)
{
    return load->mix_count == 1 ? 1 : load->mix[m].weight;
}

static void init_deck(struct strata_source *source, const struct strata_load *load)
{
    for (unsigned m = 0; m < load->mix_count; m++) {
        source->deck_size += shares(load, m);
    }
    source->deck = strata_memory_new_aligned(source->deck_size * sizeof(*source->deck));
    source->deck_next = source->deck_size;
    unsigned card = 0;
    for (unsigned m = 0; m < load->mix_count; m++) {
        for (unsigned share = shares(load, m); share > 0; share--) {
            source->deck[card++] = (uint8_t)load->mix[m].kind;
        }
    }
}

static void init_permutation(struct strata_source *source)
{
    while (source->half_bits < 32 && source->count > UINT64_C(1) << 2 * source->half_bits) {
        source->half_bits++;
    }
    for (unsigned round = 0; round < 4; round++) {
        source->keys[round] = strata_random_next(&source->random);
    }
}

void strata_source_init(struct strata_source *source, const struct strata_load *load,
                        const struct strata_target *target, unsigned job)
{
    *source = (struct strata_source){.sequential = load->order == STRATA_ORDER_SEQUENTIAL};
    source->permuted = load->one_pass && !source->sequential;
    strata_random_seed(&source->random, load->seed + job * GOLDEN);

    uint64_t items = fewest_items(load, target, job);
    bool shared = (target->type->capabilities & STRATA_TARGET_SHARED_SPACE) != 0;
    if (shared && (source->sequential || load->one_pass)) {
        source->first = strata_share_begin(items, job, load->jobs);
        source->count = strata_share_count(items, job, load->jobs);
    } else {
        source->count = items;
    }
    init_permutation(source);
    init_deck(source, load);
}

void strata_source_done(struct strata_source *source)
{
    free(source->deck);
    source->deck = NULL;
}

static uint64_t scramble(uint64_t value)
{
    value = (value ^ (value >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    return value ^ (value >> 32);
}

/* The index-th item of a random order in which each comes up once: a Feistel network is a bijection
 * of [0, 4^half_bits); what falls outside [0, count) is put through again until it falls inside,
 * which keeps it a bijection. Source: Black and Rogaway, "Ciphers with arbitrary finite domains",
 * 2002 (cycle walking). */
static uint64_t permute(const struct strata_source *source, uint64_t index)
{
    uint64_t mask = (UINT64_C(1) << source->half_bits) - 1;
    do {
        uint64_t left = index >> source->half_bits;
        uint64_t right = index & mask;
        for (unsigned round = 0; round < 4; round++) {
            uint64_t mixed = left ^ (scramble(right + source->keys[round]) & mask);
            left = right;
            right = mixed;
        }
        index = left << source->half_bits | right;
    } while (index >= source->count);
    return index;
}

static uint64_t next_item(struct strata_source *source)
{
    if (!source->sequential && !source->permuted) {
        return source->first + strata_random_below(&source->random, source->count);
    }
    uint64_t index = source->next;
    source->next = index + 1 == source->count ? 0 : index + 1;
    return source->first + (source->permuted ? permute(source, index) : index);
}

/* Source: Fisher and Yates, as in Knuth, The Art of Computer Programming 2, 3.4.2, algorithm P. */
static void shuffle(struct strata_source *source)
{
    for (unsigned i = source->deck_size - 1; i > 0; i--) {
        unsigned other = (unsigned)strata_random_below(&source->random, i + 1);
        uint8_t card = source->deck[i];
        source->deck[i] = source->deck[other];
        source->deck[other] = card;
    }
    source->deck_next = 0;
}

static uint8_t next_kind(struct strata_source *source)
{
    if (source->deck_size == 1) {
        return source->deck[0];
    }
    if (source->deck_next == source->deck_size) {
        shuffle(source);
    }
    return source->deck[source->deck_next++];
}

void strata_source_fill(struct strata_source *source, struct strata_operation *const *operations,
                        unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        operations[i]->kind = next_kind(source);
        operations[i]->item = next_item(source);
    }
}

void strata_source_skip(struct strata_source *source, uint64_t count,
                        uint64_t kinds[STRATA_OPERATION_KINDS])
{
    uint64_t decks = count / source->deck_size;
    for (unsigned card = 0; card < source->deck_size; card++) {
        kinds[source->deck[card]] += decks;
    }
    for (uint64_t rest = count % source->deck_size; rest > 0; rest--) {
        kinds[next_kind(source)]++;
    }
}
