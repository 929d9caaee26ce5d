/* Which of a job's items exist: one bit each, countable and addressable by rank, so that a phase
 * can ask for "the i-th file that was really made" among millions in constant time. */
#ifndef STRATA_TARGET_ITEM_SET_H
#define STRATA_TARGET_ITEM_SET_H

#include <stdbool.h>
#include <stdint.h>

/* Zero-initialised is the empty set of no items. Invariant: `count` and `ranks` describe `words`
 * after each function but strata_item_set_add. */
struct strata_item_set {
    uint64_t size;  /* items are 0 to size - 1 */
    uint64_t count; /* of those in the set */
    uint64_t *words;
    uint64_t *ranks; /* for each group of words: how many items of the set stand before it */
};

/* An empty set for `size` items. Owns: released by _done. */
void strata_item_set_init(struct strata_item_set *set, uint64_t size);
void strata_item_set_done(struct strata_item_set *set);

/* Put one item into a set that collects changes; such a set serves only as `changes` below and for
 * _contains. Costs no more than setting the bit. */
void strata_item_set_add(struct strata_item_set *changes, uint64_t item);

bool strata_item_set_contains(const struct strata_item_set *set, uint64_t item);

/* Apply changes collected in a set of the same size: put in, take out, or turn over. */
void strata_item_set_insert_all(struct strata_item_set *set, const struct strata_item_set *changes);
void strata_item_set_remove_all(struct strata_item_set *set, const struct strata_item_set *changes);
void strata_item_set_toggle_all(struct strata_item_set *set, const struct strata_item_set *changes);

/* Take everything out. */
void strata_item_set_clear(struct strata_item_set *set);

/* The item of the set that `rank` others stand before; rank < count. */
uint64_t strata_item_set_select(const struct strata_item_set *set, uint64_t rank);

/* How many items of the set lie in [from, to), to <= size. */
uint64_t strata_item_set_count_range(const struct strata_item_set *set, uint64_t from, uint64_t to);

#endif
