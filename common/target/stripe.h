/* Several devices as one address space in the order of RAID 0, made in user space. */
#ifndef STRATA_TARGET_STRIPE_H
#define STRATA_TARGET_STRIPE_H

#include "common/target/target.h"

#include <stdint.h>

/* Bytes of the largest piece that every operation of `block_bytes` is made of, on chunks of
 * `chunk_bytes`: the block size that the members must be opened with. */
uint64_t strata_stripe_unit(uint64_t chunk_bytes, uint64_t block_bytes);

struct strata_stripe_options {
    unsigned members;
    uint64_t chunk_bytes; /* that lie on one member before the next one's turn */
    uint64_t block_bytes; /* of each operation */
};

/* Stripe over `inner`, which is of strata_block_join, its members opened with the unit above: chunk
 * c lies on member c mod n, as its chunk c / n, as Linux's md lays out RAID 0 over equal members.
 * What does not fill a whole chunk of the smallest member is left alone. An operation that reaches
 * over chunks is handed down in pieces at once and ends with the last of them; its result is that
 * of the first piece that failed.
 * Errors: STRATA_USAGE when the set does not hold a block.
 * Owns: on success the stripe owns `inner` and closes it; on failure the caller still does. */
enum strata_status strata_stripe_open(struct strata_target *inner,
                                      const struct strata_stripe_options *options,
                                      struct strata_target **ret_target,
                                      struct strata_error *error);

/* The target below. */
struct strata_target *strata_stripe_inner(const struct strata_target *target);

/* On which member the byte at `position` of the set lies, and at which byte of what the member
 * gives to the set. */
unsigned strata_stripe_locate(const struct strata_target *target, uint64_t position,
                              uint64_t *ret_offset);

#endif
