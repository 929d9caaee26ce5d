/* The order of plain and encrypted runs, so that drift cancels. */
#ifndef STRATA_LOAD_PAIRS_H
#define STRATA_LOAD_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

/* Fill encrypted[0 .. 2 * pairs - 1]: slot s runs the encrypted twin (true) or the plain one. Two
 * adjacent pairs form a block, ABBA or BAAB as the seed decides for each block; an odd last pair is
 * AB or BA. Pair p is slots 2p and 2p + 1. */
void strata_pairs_order(uint64_t seed, unsigned pairs, bool *encrypted);

#endif
