/* The cipher alone, in memory: what encryption could do if nothing else took time. The baseline
 * that an encrypted device is held against. */
#ifndef STRATA_TARGET_CIPHER_H
#define STRATA_TARGET_CIPHER_H

#include "common/target/target.h"

#include <stddef.h>
#include <stdint.h>

enum { STRATA_CIPHER_IV_BYTES = 16, STRATA_CIPHER_KEY_BYTES_MAX = 64 };

/* Named by the whole key, as cryptsetup does. AES-XTS has a key of two halves, so that aes-xts-256
 * is AES-128 and aes-xts-512 is AES-256. */
struct strata_cipher {
    const char *name;         /* "aes-xts-512" */
    const char *kernel_name;  /* the kernel's name of it in /proc/crypto: "xts(aes)" */
    unsigned key_bits;        /* of the whole key: 512 */
    unsigned cipher_key_bits; /* of the cipher inside: 256 */
};

/* The cipher with that name; NULL when there is none. */
const struct strata_cipher *strata_cipher_find(const char *name);

/* Encrypt or decrypt `bytes` under one key and initialisation vector, whose lengths are the
 * cipher's (a vector has STRATA_CIPHER_IV_BYTES; ChaCha20's begins with its block counter, 32 bits
 * little-endian). `to` may be `from`. Returns false when OpenSSL fails. */
bool strata_cipher_apply(const struct strata_cipher *cipher, bool encrypts, const uint8_t *key,
                         const uint8_t *iv, const uint8_t *from, uint8_t *to, size_t bytes);

/* Encrypt and decrypt the beginning of a standard's vector and compare. Sources: IEEE Std
 * 1619-2007, vectors 4 and 10 (XTS); NIST SP 800-38A, F.2.1 and F.2.5 (CBC); RFC 8439, 2.4.2
 * (ChaCha20). Errors: STRATA_INTERNAL when this machine's OpenSSL gives something else. */
enum strata_status strata_cipher_self_test(const struct strata_cipher *cipher,
                                           struct strata_error *error);

struct strata_cipher_options {
    const struct strata_cipher *cipher;
    uint64_t block_bytes;  /* of the memory that each job works on, again and again */
    uint64_t sector_bytes; /* under one initialisation vector; divides block_bytes */
};

/* Payload of one operation: whole blocks, 256 KiB at least, so that the engine's own time vanishes
 * beside the cipher's. */
uint64_t strata_cipher_operation_bytes(uint64_t block_bytes);

/* A target whose operations encrypt or decrypt the first block of their buffer in place, as often
 * as makes strata_cipher_operation_bytes: under a random key of the job's, and for each sector of
 * the block with a fresh initialisation vector, its number as in dm-crypt's plain64. The cipher has
 * passed its self test. Errors: STRATA_INTERNAL when it did not. Owns: the caller closes it. */
enum strata_status strata_cipher_open(const struct strata_cipher_options *options,
                                      struct strata_target **ret_target,
                                      struct strata_error *error);

#endif
