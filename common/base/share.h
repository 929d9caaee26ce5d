/* Dividing a number of things into parts that differ by at most one. */
#ifndef STRATA_BASE_SHARE_H
#define STRATA_BASE_SHARE_H

#include <stdint.h>

/* Where part `part` (0 to `parts`) of `total` things begins: floor(total * part / parts) without
 * overflow. Part p is [begin(p), begin(p + 1)). */
static inline uint64_t strata_share_begin(uint64_t total, unsigned part, unsigned parts)
{
    return total / parts * part + total % parts * part / parts;
}

#endif
