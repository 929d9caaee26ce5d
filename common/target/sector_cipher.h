/* Ciphers that encrypt sectors, each under an initialisation vector of its own. */
#ifndef STRATA_TARGET_SECTOR_CIPHER_H
#define STRATA_TARGET_SECTOR_CIPHER_H

#include "common/base/error.h"

#include <openssl/types.h>
#include <stdbool.h>
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

/* A context for one direction under one key of the cipher's length, which is copied. Returns NULL
 * when OpenSSL fails. Owns: the caller frees it by EVP_CIPHER_CTX_free. Threads: one at a time. */
EVP_CIPHER_CTX *strata_cipher_context_new(const struct strata_cipher *cipher, bool encrypts,
                                          const uint8_t *key);

/* Encrypt or decrypt the sector of that number: its initialisation vector is the number as a 64-bit
 * little-endian integer, filled up with zeros (dm-crypt's plain64; ChaCha20's stands behind its
 * block counter). `to` may be `from`. Returns false when OpenSSL fails. */
bool strata_cipher_sector(EVP_CIPHER_CTX *context, const struct strata_cipher *cipher,
                          uint64_t number, const uint8_t *from, uint8_t *to, size_t bytes);

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

#endif
