/* proof.h below another root than this machine's, for tests. */
#ifndef STRATA_HOST_PROOF_BELOW_H
#define STRATA_HOST_PROOF_BELOW_H

#include "common/host/proof.h"

/* As strata_proof_device, for the kernel's name of a device ("dm-0") in the sysfs of `root`. */
void strata_proof_device_below(const char *root, const char *name, struct strata_proof *ret_proof);

#endif
