/* Dividing a number of things into parts that differ by at most one. */
#ifndef STRATA_BASE_SHARE_H
#define STRATA_BASE_SHARE_H

#include <stdint.h>

/* How many of `total` things are part `part` (0 to `parts` - 1): the first parts have one more
 * where it does not come out even. */
static inline uint64_t strata_share_count(uint64_t total, unsigned part, unsigned parts)
{
    return total / parts + (part < total % parts ? 1 : 0);
}

/* Where it begins, the parts lying one behind the other. */
static inline uint64_t strata_share_begin(uint64_t total, unsigned part, unsigned parts)
{
    uint64_t more = total % parts;
    return total / parts * part + (part < more ? part : more);
}

#endif
