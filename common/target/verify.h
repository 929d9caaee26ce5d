/* The verifying filter: each block that is written bears stamps, each that is read is checked,
 * every byte of it. */
#ifndef STRATA_TARGET_VERIFY_H
#define STRATA_TARGET_VERIFY_H

#include "common/target/target.h"

#include <stdint.h>

struct strata_verify_options {
    uint64_t key;         /* unique to the run and the device */
    uint64_t block_bytes; /* of every operation; a multiple of 512 */
};

/* Most blocks that the filter can remember the last writing of, in 4 bytes each. */
#define STRATA_VERIFY_MOST_BLOCKS (UINT64_C(1) << 28)

/* Verify what is written to and read from `inner`, which has one space for all jobs. `prepare` for
 * reading first writes every block, so that each has content that is known. A wrong byte fails its
 * operation with STRATA_RESULT_CONTENT.
 *
 * At most one operation works on a block at a time: one that asks for a block at work is given the
 * next that is not. So a read is never checked against a writing that is under way, no false alarm
 * is possible, and each check is of exactly one generation. Stamping and checking are a part of the
 * operation's time, and its stage "verify".
 * Errors: STRATA_ENVIRONMENT "unsupported: ..." for more blocks than can be remembered, and when a
 * worker is opened for fewer blocks than operations in flight.
 * Owns: on success the filter owns `inner` and closes it; on failure the caller still does. */
enum strata_status strata_verify_open(struct strata_target *inner,
                                      const struct strata_verify_options *options,
                                      struct strata_target **ret_target,
                                      struct strata_error *error);

/* The target below the filter. */
struct strata_target *strata_verify_inner(const struct strata_target *target);

/* Read every block that was written since `prepare` and not read since, and check it; no worker may
 * be open. Ends early when the program is to stop. Errors: STRATA_ENVIRONMENT naming a block that
 * cannot be read. */
enum strata_status strata_verify_read_back(struct strata_target *target,
                                           struct strata_error *error);

/* The first wrong byte that was found. */
struct strata_verify_finding {
    uint64_t wrong_blocks; /* how often a wrong block was read; 0: nothing else is set */
    uint64_t block;        /* number in the region */
    uint64_t byte;         /* inside the block */
    uint8_t expected;
    uint8_t found;
    char what[128]; /* what stands there instead */
};

/* What was found so far; no worker may be open. */
void strata_verify_findings(const struct strata_target *target,
                            struct strata_verify_finding *ret_finding);

#endif
