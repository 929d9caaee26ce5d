/* Telling ciphertext from a pattern.
 *
 * Always holds: high entropy is no proof of encryption by itself (compressed content has it too);
 * the callers write a pattern of low entropy and look what became of it. */
#include "common/base/entropy.h"

#include <math.h>

double strata_entropy_bits(const uint8_t *bytes, size_t count)
{
    size_t seen[256] = {0};
    for (size_t i = 0; i < count; i++) {
        seen[bytes[i]]++;
    }
    double bits = 0;
    for (size_t value = 0; value < 256; value++) {
        double share = (double)seen[value] / (double)(count > 0 ? count : 1);
        bits -= seen[value] > 0 ? share * log2(share) : 0;
    }
    return bits;
}
