/* The functional proof for a directory whose files are encrypted above the block device. */
#ifndef STRATA_HOST_PROOF_PATTERN_H
#define STRATA_HOST_PROOF_PATTERN_H

#include "common/base/error.h"
#include "common/host/proof.h"

/* Write a pattern into a new file of `directory`, look at the block that it got on the device below
 * the file system, read it back, remove the file. Where the device can be looked at, *proof becomes
 * functional, with what it said before behind; else (no permission, no such device, no map of the
 * file) it stays as it is. Errors: STRATA_ENVIRONMENT when the file cannot be made, does not read
 * back equal, or stands on the device in plain. */
enum strata_status strata_proof_by_pattern(const char *directory, struct strata_proof *proof,
                                           struct strata_error *error);

#endif
