/* A dm-crypt mapping of Strata's own making: it stands for one run and is gone afterwards. */
#ifndef STRATA_HOST_DMCRYPT_H
#define STRATA_HOST_DMCRYPT_H

#include "common/base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* How every mapping of Strata's is called: "strata-" and eight hexadecimal digits. */
#define STRATA_DMCRYPT_PREFIX "strata-"

/* Bits, in the order of the option's choices. Source: Linux, Documentation/admin-guide/
 * device-mapper/dm-crypt.rst. */
enum strata_dmcrypt_flag {
    STRATA_DMCRYPT_SAME_CPU_CRYPT = 1 << 0,
    STRATA_DMCRYPT_SUBMIT_FROM_CRYPT_CPUS = 1 << 1,
    STRATA_DMCRYPT_NO_READ_WORKQUEUE = 1 << 2,
    STRATA_DMCRYPT_NO_WRITE_WORKQUEUE = 1 << 3
};

struct strata_dmcrypt_options {
    const char *device; /* the block device that it is made over; borrowed for as long as it stands
                         */
    bool luks2;         /* with a LUKS2 header before the data; else plain dm-crypt */
    const char *cipher; /* as dm-crypt spells it: "aes-xts-plain64", "cipher_null-ecb" */
    unsigned key_bits;  /* 0: 512 for a cipher in XTS mode, else 256 */
    unsigned sector_bytes;
    unsigned flags; /* enum strata_dmcrypt_flag */
};

struct strata_dmcrypt;

/* Make a mapping over the whole device with a random key that no one else ever sees. What stood on
 * the device is lost: the caller has asked the guard.
 * Errors: STRATA_ENVIRONMENT when this build has no libcryptsetup, the user is not root, the kernel
 * has no device mapper, or dm-crypt refuses; STRATA_USAGE for a cipher that is spelt wrong and what
 * is no block device; nothing is left then.
 * Owns: the caller removes it with strata_dmcrypt_close. */
enum strata_status strata_dmcrypt_open(const struct strata_dmcrypt_options *options,
                                       struct strata_dmcrypt **ret_mapping,
                                       struct strata_error *error);

/* "/dev/mapper/strata-1a2b3c4d"; valid until it is closed. */
const char *strata_dmcrypt_path(const struct strata_dmcrypt *mapping);

/* Where on the device the mapping's first byte stands, in bytes. */
uint64_t strata_dmcrypt_data_offset(const struct strata_dmcrypt *mapping);

/* Remove the mapping, and the LUKS2 header that was made for it, so that the device carries no
 * signature of ours. Errors: STRATA_ENVIRONMENT when something still holds the mapping: the kernel
 * removes it after the last holder, and the header stays; or when the header cannot be overwritten.
 * Frees `mapping` in every case. */
enum strata_status strata_dmcrypt_close(struct strata_dmcrypt *mapping, struct strata_error *error);

#endif
