/* How random bytes look: what an encryption left readable shows itself here. */
#ifndef STRATA_BASE_ENTROPY_H
#define STRATA_BASE_ENTROPY_H

#include <stddef.h>
#include <stdint.h>

/* Entropy of the bytes' frequencies, in bits a byte: 0 to 8. Of n random bytes about
 * 8 - 255 / (2 n ln 2): 7.95 for 4096. Source: Shannon 1948, section 6; Miller 1955. */
double strata_entropy_bits(const uint8_t *bytes, size_t count);

#endif
