/* Interleaving of plain and encrypted runs.
 *
 * In ABBA and in BAAB both kinds have the same mean position, so a drift that is linear over the
 * block cancels; choosing between the two by the seed keeps a periodic disturbance from meeting the
 * same kind always. */
#include "common/load/pairs.h"

#include "common/base/random.h"

#include <stddef.h>

void strata_pairs_order(uint64_t seed, unsigned pairs, bool *encrypted)
{
    struct strata_random random;
    strata_random_seed(&random, seed);
    bool first = false;
    for (unsigned pair = 0; pair < pairs; pair++) {
        if (pair % 2 == 0) {
            first = strata_random_below(&random, 2) == 1;
        } else {
            first = !first;
        }
        encrypted[2 * (size_t)pair] = first;
        encrypted[2 * (size_t)pair + 1] = !first;
    }
}
