/* A bit for each item and a running count for each 512 of them: a run over millions of files keeps
 * account of every one in two bits and can still address the i-th.
 *
 * Always holds: bits at and above `size` are 0. What the items are is left to the target. */
#include "common/target/item_set.h"

#include "common/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_BITS = 64, GROUP_WORDS = 8, GROUP_BITS = WORD_BITS * GROUP_WORDS };

static uint64_t word_count(const struct strata_item_set *set)
{
    return (set->size + WORD_BITS - 1) / WORD_BITS;
}

static uint64_t group_count(const struct strata_item_set *set)
{
    return (set->size + GROUP_BITS - 1) / GROUP_BITS;
}

static uint64_t bits_of(uint64_t word)
{
    return (uint64_t)__builtin_popcountll(word);
}

void strata_item_set_init(struct strata_item_set *set, uint64_t size)
{
    *set = (struct strata_item_set){.size = size};
    set->words = strata_memory_new(word_count(set), sizeof(*set->words));
    set->ranks = strata_memory_new(group_count(set), sizeof(*set->ranks));
}

void strata_item_set_done(struct strata_item_set *set)
{
    free(set->words);
    free(set->ranks);
    *set = (struct strata_item_set){0};
}

void strata_item_set_add(struct strata_item_set *changes, uint64_t item)
{
    changes->words[item / WORD_BITS] |= UINT64_C(1) << (item % WORD_BITS);
}

bool strata_item_set_contains(const struct strata_item_set *set, uint64_t item)
{
    return (set->words[item / WORD_BITS] >> (item % WORD_BITS) & 1U) != 0;
}

static void recount(struct strata_item_set *set)
{
    uint64_t words = word_count(set);
    set->count = 0;
    for (uint64_t w = 0; w < words; w++) {
        if (w % GROUP_WORDS == 0) {
            set->ranks[w / GROUP_WORDS] = set->count;
        }
        set->count += bits_of(set->words[w]);
    }
}

/* Words without a change are not written, so that an untouched part of a large set costs no memory.
 */
void strata_item_set_insert_all(struct strata_item_set *set, const struct strata_item_set *changes)
{
    for (uint64_t w = 0; w < word_count(set); w++) {
        if (changes->words[w] != 0) {
            set->words[w] |= changes->words[w];
        }
    }
    recount(set);
}

void strata_item_set_remove_all(struct strata_item_set *set, const struct strata_item_set *changes)
{
    for (uint64_t w = 0; w < word_count(set); w++) {
        if (changes->words[w] != 0) {
            set->words[w] &= ~changes->words[w];
        }
    }
    recount(set);
}

void strata_item_set_toggle_all(struct strata_item_set *set, const struct strata_item_set *changes)
{
    for (uint64_t w = 0; w < word_count(set); w++) {
        if (changes->words[w] != 0) {
            set->words[w] ^= changes->words[w];
        }
    }
    recount(set);
}

void strata_item_set_clear(struct strata_item_set *set)
{
    memset(set->words, 0, word_count(set) * sizeof(*set->words));
    recount(set);
}

/* The last group whose rank is not above `rank`. */
static uint64_t find_group(const struct strata_item_set *set, uint64_t rank)
{
    uint64_t low = 0;
    uint64_t high = group_count(set);
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (set->ranks[middle] <= rank) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

uint64_t strata_item_set_select(const struct strata_item_set *set, uint64_t rank)
{
    if (set->count == set->size) {
        return rank;
    }
    uint64_t group = find_group(set, rank);
    uint64_t left = rank - set->ranks[group];
    uint64_t w = group * GROUP_WORDS;
    while (left >= bits_of(set->words[w])) {
        left -= bits_of(set->words[w]);
        w++;
    }
    uint64_t word = set->words[w];
    for (; left > 0; left--) {
        word &= word - 1; /* drops the lowest bit that is set */
    }
    return w * WORD_BITS + (uint64_t)__builtin_ctzll(word);
}

/* How many items of the set stand before `item`, item <= size. */
static uint64_t count_before(const struct strata_item_set *set, uint64_t item)
{
    if (item == set->size) {
        return set->count;
    }
    uint64_t count = set->ranks[item / GROUP_BITS];
    uint64_t w = item / GROUP_BITS * GROUP_WORDS;
    for (; w < item / WORD_BITS; w++) {
        count += bits_of(set->words[w]);
    }
    return count + bits_of(set->words[w] & ((UINT64_C(1) << (item % WORD_BITS)) - 1));
}

uint64_t strata_item_set_count_range(const struct strata_item_set *set, uint64_t from, uint64_t to)
{
    return count_before(set, to) - count_before(set, from);
}
