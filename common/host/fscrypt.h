/* Encryption of a directory by the kernel (fscrypt, policy version 2), through its ioctls.
 * Source: Linux, Documentation/filesystems/fscrypt.rst. */
#ifndef STRATA_HOST_FSCRYPT_H
#define STRATA_HOST_FSCRYPT_H

#include "common/base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* A master key that stands in the kernel's keyring of one file system; the key itself is known to
 * the kernel only. */
struct strata_fscrypt_key {
    uint8_t identifier[16]; /* derived from the key by the kernel */
};

/* What the kernel says about a directory or file. */
struct strata_fscrypt_policy {
    uint8_t identifier[16]; /* of the master key; version 2 only, else zeros */
    unsigned version;
    unsigned contents_mode;  /* FSCRYPT_MODE_*: 1 is AES-256-XTS */
    unsigned filenames_mode; /* 4 is AES-256-CTS-CBC */
};

/* Make a random 64-byte key and give it to the file system that `directory` lies on. `path` is for
 * messages. Errors: STRATA_ENVIRONMENT saying what the file system lacks. */
enum strata_status strata_fscrypt_key_add(int directory, const char *path,
                                          struct strata_fscrypt_key *ret_key,
                                          struct strata_error *error);

/* Encrypt what will be made in the empty directory: contents with AES-256-XTS, names with
 * AES-256-CTS-CBC padded to 32 bytes. Errors: STRATA_ENVIRONMENT. */
enum strata_status strata_fscrypt_policy_set(int directory, const char *path,
                                             const struct strata_fscrypt_key *key,
                                             struct strata_error *error);

/* The policy of an open directory or file. Returns false when there is none, or when the file
 * system does not know of encryption. */
bool strata_fscrypt_policy_get(int descriptor, struct strata_fscrypt_policy *ret_policy);

/* Take the key out of the kernel. Errors: STRATA_ENVIRONMENT, also when files under it are still
 * open: then the key is gone, but what they have in memory stays readable. */
enum strata_status strata_fscrypt_key_remove(int directory, const char *path,
                                             const struct strata_fscrypt_key *key,
                                             struct strata_error *error);

/* "AES-256-XTS", "AES-256-CTS-CBC", …; "unknown" for one that this list lacks. */
const char *strata_fscrypt_mode_name(unsigned mode);

#endif
