/* The ciphers, a sector at a time, as an encrypted device's sectors ask for them: OpenSSL's
 * AES-XTS, AES-CBC and ChaCha20.
 *
 * Always holds: the key schedule is made once for a context, and for a sector only the
 * initialisation vector changes; each cipher has a standard's answer to be compared with. Who
 * encrypts what, and when, is left to crypt.c and cipher.c. */
#include "common/target/sector_cipher.h"

#include <endian.h>
#include <openssl/evp.h>
#include <string.h>

enum { ANSWER_BYTES = 32 };

/* A cipher, and the beginning of a standard's vector for it. */
struct entry {
    struct strata_cipher cipher;
    const EVP_CIPHER *(*evp)(void);
    unsigned number_at; /* byte of the initialisation vector at which a sector's number stands */
    const char *standard;
    uint8_t key[STRATA_CIPHER_KEY_BYTES_MAX];
    uint8_t iv[STRATA_CIPHER_IV_BYTES];
    uint8_t plaintext[ANSWER_BYTES];
    uint8_t ciphertext[ANSWER_BYTES];
};

#define COUNTING                                                                                   \
    {                                                                                              \
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,  \
            25, 26, 27, 28, 29, 30, 31                                                             \
    }
#define SP_800_38A                                                                                 \
    {                                                                                              \
        0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f, 0x96, 0xe9, 0x3d, 0x7e, 0x11, 0x73, 0x93, 0x17,  \
            0x2a, 0xae, 0x2d, 0x8a, 0x57, 0x1e, 0x03, 0xac, 0x9c, 0x9e, 0xb7, 0x6f, 0xac, 0x45,    \
            0xaf, 0x8e, 0x51                                                                       \
    }

static const struct entry entries[] = {
    {.cipher = {"aes-xts-256", "xts(aes)", 256, 128},
     .evp = EVP_aes_128_xts,
     .standard = "IEEE 1619-2007",
     .key = {0x27, 0x18, 0x28, 0x18, 0x28, 0x45, 0x90, 0x45, 0x23, 0x53, 0x60,
             0x28, 0x74, 0x71, 0x35, 0x26, 0x31, 0x41, 0x59, 0x26, 0x53, 0x58,
             0x97, 0x93, 0x23, 0x84, 0x62, 0x64, 0x33, 0x83, 0x27, 0x95},
     .plaintext = COUNTING,
     .ciphertext = {0x27, 0xa7, 0x47, 0x9b, 0xef, 0xa1, 0xd4, 0x76, 0x48, 0x9f, 0x30,
                    0x8c, 0xd4, 0xcf, 0xa6, 0xe2, 0xa9, 0x6e, 0x4b, 0xbe, 0x32, 0x08,
                    0xff, 0x25, 0x28, 0x7d, 0xd3, 0x81, 0x96, 0x16, 0xe8, 0x9c}},
    {.cipher = {"aes-xts-512", "xts(aes)", 512, 256},
     .evp = EVP_aes_256_xts,
     .standard = "IEEE 1619-2007",
     .key = {0x27, 0x18, 0x28, 0x18, 0x28, 0x45, 0x90, 0x45, 0x23, 0x53, 0x60, 0x28, 0x74,
             0x71, 0x35, 0x26, 0x62, 0x49, 0x77, 0x57, 0x24, 0x70, 0x93, 0x69, 0x99, 0x59,
             0x57, 0x49, 0x66, 0x96, 0x76, 0x27, 0x31, 0x41, 0x59, 0x26, 0x53, 0x58, 0x97,
             0x93, 0x23, 0x84, 0x62, 0x64, 0x33, 0x83, 0x27, 0x95, 0x02, 0x88, 0x41, 0x97,
             0x16, 0x93, 0x99, 0x37, 0x51, 0x05, 0x82, 0x09, 0x74, 0x94, 0x45, 0x92},
     .iv = {0xff},
     .plaintext = COUNTING,
     .ciphertext = {0x1c, 0x3b, 0x3a, 0x10, 0x2f, 0x77, 0x03, 0x86, 0xe4, 0x83, 0x6c,
                    0x99, 0xe3, 0x70, 0xcf, 0x9b, 0xea, 0x00, 0x80, 0x3f, 0x5e, 0x48,
                    0x23, 0x57, 0xa4, 0xae, 0x12, 0xd4, 0x14, 0xa3, 0xe6, 0x3b}},
    {.cipher = {"aes-cbc-128", "cbc(aes)", 128, 128},
     .evp = EVP_aes_128_cbc,
     .standard = "NIST SP 800-38A",
     .key = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf,
             0x4f, 0x3c},
     .iv = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
     .plaintext = SP_800_38A,
     .ciphertext = {0x76, 0x49, 0xab, 0xac, 0x81, 0x19, 0xb2, 0x46, 0xce, 0xe9, 0x8e,
                    0x9b, 0x12, 0xe9, 0x19, 0x7d, 0x50, 0x86, 0xcb, 0x9b, 0x50, 0x72,
                    0x19, 0xee, 0x95, 0xdb, 0x11, 0x3a, 0x91, 0x76, 0x78, 0xb2}},
    {.cipher = {"aes-cbc-256", "cbc(aes)", 256, 256},
     .evp = EVP_aes_256_cbc,
     .standard = "NIST SP 800-38A",
     .key = {0x60, 0x3d, 0xeb, 0x10, 0x15, 0xca, 0x71, 0xbe, 0x2b, 0x73, 0xae,
             0xf0, 0x85, 0x7d, 0x77, 0x81, 0x1f, 0x35, 0x2c, 0x07, 0x3b, 0x61,
             0x08, 0xd7, 0x2d, 0x98, 0x10, 0xa3, 0x09, 0x14, 0xdf, 0xf4},
     .iv = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
     .plaintext = SP_800_38A,
     .ciphertext = {0xf5, 0x8c, 0x4c, 0x04, 0xd6, 0xe5, 0xf1, 0xba, 0x77, 0x9e, 0xab,
                    0xfb, 0x5f, 0x7b, 0xfb, 0xd6, 0x9c, 0xfc, 0x4e, 0x96, 0x7e, 0xdb,
                    0x80, 0x8d, 0x67, 0x9f, 0x77, 0x7b, 0xc6, 0x70, 0x2c, 0x7d}},
    {.cipher = {"chacha20", "chacha20", 256, 256},
     .evp = EVP_chacha20,
     .number_at = 4, /* after the block counter */
     .standard = "RFC 8439",
     .key = COUNTING,
     .iv = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x4a},
     .plaintext = "Ladies and Gentlemen of the clas",
     .ciphertext = {0x6e, 0x2e, 0x35, 0x9a, 0x25, 0x68, 0xf9, 0x80, 0x41, 0xba, 0x07,
                    0x28, 0xdd, 0x0d, 0x69, 0x81, 0xe9, 0x7e, 0x7a, 0xec, 0x1d, 0x43,
                    0x60, 0xc2, 0x0a, 0x27, 0xaf, 0xcc, 0xfd, 0x9f, 0xae, 0x0b}},
};

const struct strata_cipher *strata_cipher_find(const char *name)
{
    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
        if (strcmp(entries[i].cipher.name, name) == 0) {
            return &entries[i].cipher;
        }
    }
    return NULL;
}

static const struct entry *entry_of(const struct strata_cipher *cipher)
{
    return (const struct entry *)cipher;
}

/* CBC would hold a sector's last block back for its padding. The others have none, and are not told
 * so, since OpenSSL would tell them again for each new vector, a fifteenth of the time of 512 B. */
static bool leave_unpadded(EVP_CIPHER_CTX *context, const EVP_CIPHER *evp)
{
    return EVP_CIPHER_get_mode(evp) != EVP_CIPH_CBC_MODE ||
           EVP_CIPHER_CTX_set_padding(context, 0) == 1;
}

EVP_CIPHER_CTX *strata_cipher_context_new(const struct strata_cipher *cipher, bool encrypts,
                                          const uint8_t *key)
{
    const EVP_CIPHER *evp = entry_of(cipher)->evp();
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (context != NULL && EVP_CipherInit_ex(context, evp, NULL, key, NULL, encrypts) == 1 &&
        leave_unpadded(context, evp)) {
        return context;
    }
    EVP_CIPHER_CTX_free(context);
    return NULL;
}

/* Key and direction stay; only the vector is new. */
static bool apply(EVP_CIPHER_CTX *context, const uint8_t *iv, const uint8_t *from, uint8_t *to,
                  size_t bytes)
{
    int moved = 0;
    return EVP_CipherInit_ex(context, NULL, NULL, NULL, iv, -1) == 1 &&
           EVP_CipherUpdate(context, to, &moved, from, (int)bytes) == 1 && (size_t)moved == bytes;
}

bool strata_cipher_sector(EVP_CIPHER_CTX *context, const struct strata_cipher *cipher,
                          uint64_t number, const uint8_t *from, uint8_t *to, size_t bytes)
{
    uint8_t iv[STRATA_CIPHER_IV_BYTES] = {0};
    uint64_t little_endian = htole64(number);
    /* In one store: bytes stored one by one would hold up OpenSSL's load of the whole vector. */
    memcpy(iv + entry_of(cipher)->number_at, &little_endian, sizeof(little_endian));
    return apply(context, iv, from, to, bytes);
}

bool strata_cipher_apply(const struct strata_cipher *cipher, bool encrypts, const uint8_t *key,
                         const uint8_t *iv, const uint8_t *from, uint8_t *to, size_t bytes)
{
    EVP_CIPHER_CTX *context = strata_cipher_context_new(cipher, encrypts, key);
    bool done = context != NULL && apply(context, iv, from, to, bytes);
    EVP_CIPHER_CTX_free(context);
    return done;
}

enum strata_status strata_cipher_self_test(const struct strata_cipher *cipher,
                                           struct strata_error *error)
{
    const struct entry *entry = entry_of(cipher);
    uint8_t memory[ANSWER_BYTES];
    bool right =
        strata_cipher_apply(cipher, true, entry->key, entry->iv, entry->plaintext, memory,
                            sizeof(memory)) &&
        memcmp(memory, entry->ciphertext, sizeof(memory)) == 0 &&
        strata_cipher_apply(cipher, false, entry->key, entry->iv, memory, memory, sizeof(memory)) &&
        memcmp(memory, entry->plaintext, sizeof(memory)) == 0;
    return right ? STRATA_OK
                 : strata_error_set(error, STRATA_INTERNAL,
                                    "%s of this machine's OpenSSL does not give the ciphertext of "
                                    "%s",
                                    cipher->name, entry->standard);
}
