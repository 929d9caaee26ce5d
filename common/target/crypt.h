/* The encrypting filter: AES-XTS over a block target, byte for byte what dm-crypt's
 * aes-xts-plain64 makes. */
#ifndef STRATA_TARGET_CRYPT_H
#define STRATA_TARGET_CRYPT_H

#include "common/target/target.h"

#include <stddef.h>
#include <stdint.h>

struct strata_crypt_options {
    const uint8_t *key;   /* borrowed for the call; two halves of equal length, which differ */
    size_t key_bytes;     /* 32: AES-128, 64: AES-256 */
    uint64_t sector_size; /* bytes under one tweak: 512, 1024, 2048 or 4096 */
};

/* Encrypt what is written to `inner` and decrypt what is read from it. The tweak of a sector is its
 * number as a 64-bit little-endian integer, filled up with zeros (plain64). The number counts from
 * the first byte of the region that `inner` uses, in units of 512 bytes whatever the sector size:
 * dm-crypt does so too without its flag iv_large_sectors, as in LUKS2 and in cryptsetup's plain
 * mode by default. So `cryptsetup open --type plain --cipher aes-xts-plain64` with the same key,
 * key size and sector size (and the region's offset as --offset) reads the same plaintext. The
 * caller's buffer stays plain: writes go through a buffer of the filter's own. Each operation gets
 * STRATA_STAGE_CIPHER, the time that the cipher alone took. Source: IEEE Std 1619-2007; Linux,
 * Documentation/admin-guide/device-mapper/dm-crypt.rst. Errors: STRATA_USAGE for a key or sector
 * size that is not one of those; STRATA_INTERNAL when OpenSSL fails. Owns: on success the filter
 * owns `inner` and closes it; on failure the caller still does. */
enum strata_status strata_crypt_open(struct strata_target *inner,
                                     const struct strata_crypt_options *options,
                                     struct strata_target **ret_target, struct strata_error *error);

/* The target below the filter. */
struct strata_target *strata_crypt_inner(const struct strata_target *target);

/* Encrypt the first two cipher blocks of IEEE 1619-2007's vectors 4 (AES-128) and 10 (AES-256) and
 * compare. Errors: STRATA_INTERNAL when this machine's OpenSSL gives something else. */
enum strata_status strata_crypt_self_test(struct strata_error *error);

#endif
