/* Making a key from a passphrase, in memory: what unlocking an encrypted volume costs. */
#ifndef STRATA_TARGET_KEY_DERIVATION_H
#define STRATA_TARGET_KEY_DERIVATION_H

#include "common/target/target.h"

#include <stddef.h>
#include <stdint.h>

enum { STRATA_KEY_DERIVATION_BYTES = 32 }; /* of the key that an operation makes */

/* One function with what it costs; what belongs to the others is not read. */
struct strata_key_derivation {
    const char *function; /* "pbkdf2-sha256", "pbkdf2-sha512", "scrypt", "argon2id" */
    uint64_t iterations;  /* of PBKDF2 */
    uint64_t scrypt_n;    /* cost, a power of two; 128 n r bytes are needed, 1 GiB at most */
    uint32_t scrypt_r;    /* block size */
    uint32_t scrypt_p;    /* parallelisation */
    uint32_t argon2_memory_kib;
    uint32_t argon2_passes;
    uint32_t argon2_lanes;
};

/* Derive `bytes` from a passphrase and a salt. Sources: RFC 8018 (PBKDF2), RFC 7914 (scrypt), RFC
 * 9106 (Argon2). Returns false when this machine's OpenSSL cannot. */
bool strata_key_derivation_once(const struct strata_key_derivation *derivation,
                                const char *passphrase, const char *salt, uint8_t *key,
                                size_t bytes);

/* A target whose operations derive one key each, without payload. The function has given a known
 * answer just before: that of RFC 7914 (PBKDF2-SHA256, scrypt), of RFC 8018's definition
 * (PBKDF2-SHA512), of the reference implementation of RFC 9106 (Argon2id). Errors:
 * STRATA_ENVIRONMENT "unsupported: …" when OpenSSL does not have it; STRATA_INTERNAL for a wrong
 * answer. Owns: the caller closes it. */
enum strata_status strata_key_derivation_open(const struct strata_key_derivation *derivation,
                                              struct strata_target **ret_target,
                                              struct strata_error *error);

#endif
