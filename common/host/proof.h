/* Whether a back end really is encrypted: a level with its evidence, never an assumption. */
#ifndef STRATA_HOST_PROOF_H
#define STRATA_HOST_PROOF_H

#include "common/host/dm.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum strata_proof_level {
    STRATA_PROOF_NONE,
    STRATA_PROOF_ASSERTED,  /* somebody says so; the host cannot see it */
    STRATA_PROOF_STRUCTURE, /* the kernel says so: dm-crypt table, fscrypt policy, FUSE type */
    STRATA_PROOF_FUNCTIONAL /* what was written is absent from what lies below, and reads back */
};

struct strata_proof {
    enum strata_proof_level level;
    char evidence[256];            /* one line */
    struct strata_dm_crypt cipher; /* where it is known: dm-crypt's, or Strata's filter's */
};

/* "none", "asserted", "structure", "functional". */
const char *strata_proof_name(enum strata_proof_level level);

/* Look at the block device `path` and walk down its slaves: dm uuid "CRYPT-<type>-…" with a type.
 * Evidence names the device and the uuid's type. Level NONE when there is none. */
void strata_proof_device(const char *path, struct strata_proof *ret_proof);

/* The device that the dm-crypt device `path` encrypts onto ("/dev/sda2"), and where on it the
 * ciphertext begins. False when `path` is none, or this user may not know. */
bool strata_proof_device_under(const char *path, char *ret_device, size_t size,
                               uint64_t *ret_offset_bytes);

/* Look at the directory `path`: fscrypt policy, FUSE file system gocryptfs, or a dm-crypt device
 * below its file system. */
void strata_proof_directory(const char *path, struct strata_proof *ret_proof);

#endif
