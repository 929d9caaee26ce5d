/* What it costs to make a key from a passphrase: PBKDF2, scrypt and Argon2id of OpenSSL.
 *
 * Always holds: no function is measured before it gave a known answer; one that this OpenSSL does
 * not have is told as unsupported, never as a rate. A derivation runs in the job's own thread from
 * begin to end, lanes and all. */
#include "common/target/key_derivation.h"

#include "common/base/memory.h"
#include "common/target/in_memory.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <stdlib.h>
#include <string.h>

#define SCRYPT_MEMORY_MOST (UINT64_C(2) << 30) /* more than any cost that is allowed takes */

enum { PARAMETERS = 8 };

/* A function with a known answer. */
struct function {
    const char *kdf;    /* OpenSSL's name of it */
    const char *digest; /* or NULL */
    struct strata_key_derivation known;
    const char *passphrase, *salt;
    uint8_t key[STRATA_KEY_DERIVATION_BYTES];
};

static const struct function functions[] = {
    {.kdf = "PBKDF2",
     .digest = "SHA256",
     .known = {.function = "pbkdf2-sha256", .iterations = 1},
     .passphrase = "passwd",
     .salt = "salt",
     .key = {0x55, 0xac, 0x04, 0x6e, 0x56, 0xe3, 0x08, 0x9f, 0xec, 0x16, 0x91,
             0xc2, 0x25, 0x44, 0xb6, 0x05, 0xf9, 0x41, 0x85, 0x21, 0x6d, 0xde,
             0x04, 0x65, 0xe6, 0x8b, 0x9d, 0x57, 0xc2, 0x0d, 0xac, 0xbc}},
    {.kdf = "PBKDF2",
     .digest = "SHA512",
     .known = {.function = "pbkdf2-sha512", .iterations = 2},
     .passphrase = "password",
     .salt = "salt",
     .key = {0xe1, 0xd9, 0xc1, 0x6a, 0xa6, 0x81, 0x70, 0x8a, 0x45, 0xf5, 0xc7,
             0xc4, 0xe2, 0x15, 0xce, 0xb6, 0x6e, 0x01, 0x1a, 0x2e, 0x9f, 0x00,
             0x40, 0x71, 0x3f, 0x18, 0xae, 0xfd, 0xb8, 0x66, 0xd5, 0x3c}},
    {.kdf = "SCRYPT",
     .known = {.function = "scrypt", .scrypt_n = 16, .scrypt_r = 1, .scrypt_p = 1},
     .passphrase = "",
     .salt = "",
     .key = {0x77, 0xd6, 0x57, 0x62, 0x38, 0x65, 0x7b, 0x20, 0x3b, 0x19, 0xca,
             0x42, 0xc1, 0x8a, 0x04, 0x97, 0xf1, 0x6b, 0x48, 0x44, 0xe3, 0x07,
             0x4a, 0xe8, 0xdf, 0xdf, 0xfa, 0x3f, 0xed, 0xe2, 0x14, 0x42}},
    {.kdf = "ARGON2ID",
     .known =
         {.function = "argon2id", .argon2_memory_kib = 256, .argon2_passes = 2, .argon2_lanes = 1},
     .passphrase = "password",
     .salt = "somesalt",
     .key = {0x9d, 0xfe, 0xb9, 0x10, 0xe8, 0x0b, 0xad, 0x03, 0x11, 0xfe, 0xe2,
             0x0f, 0x9c, 0x0e, 0x2b, 0x12, 0xc1, 0x79, 0x87, 0xb4, 0xca, 0xc9,
             0x0c, 0x2e, 0xf5, 0x4d, 0x5b, 0x30, 0x21, 0xc6, 0x8b, 0xfe}},
};

struct derivation_target {
    struct strata_target target;
    struct strata_key_derivation derivation;
};

struct derivation_worker {
    struct strata_in_memory_worker memory;
    EVP_KDF_CTX *context;
};

static const struct function *function_of(const struct strata_key_derivation *derivation)
{
    const struct function *function = functions;
    while (strcmp(function->known.function, derivation->function) != 0) {
        function++; /* the names are the choices of the option */
    }
    return function;
}

/* NULL when OpenSSL does not have the function. */
static EVP_KDF_CTX *context_new(const struct function *function)
{
    EVP_KDF *kdf = EVP_KDF_fetch(NULL, function->kdf, NULL);
    EVP_KDF_CTX *context = kdf != NULL ? EVP_KDF_CTX_new(kdf) : NULL;
    EVP_KDF_free(kdf); /* the context holds it */
    ERR_clear_error();
    return context;
}

/* OpenSSL's tables of parameters take no const, and change nothing of what is passed in. */
static OSSL_PARAM octets(const char *name, const char *text)
{
    return OSSL_PARAM_construct_octet_string(name, (void *)(uintptr_t)text, strlen(text));
}

static bool derive(EVP_KDF_CTX *context, const struct strata_key_derivation *derivation,
                   const char *passphrase, const char *salt, uint8_t *key, size_t bytes)
{
    const struct function *function = function_of(derivation);
    struct strata_key_derivation cost = *derivation;
    uint64_t memory_most = SCRYPT_MEMORY_MOST;
    OSSL_PARAM parameters[PARAMETERS];
    OSSL_PARAM *next = parameters;
    *next++ = octets(OSSL_KDF_PARAM_PASSWORD, passphrase);
    *next++ = octets(OSSL_KDF_PARAM_SALT, salt);
    if (function->digest != NULL) {
        *next++ = OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST,
                                                   (char *)(uintptr_t)function->digest, 0);
        *next++ = OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_ITER, &cost.iterations);
    } else if (strcmp(function->kdf, "SCRYPT") == 0) {
        *next++ = OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_SCRYPT_N, &cost.scrypt_n);
        *next++ = OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_SCRYPT_R, &cost.scrypt_r);
        *next++ = OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_SCRYPT_P, &cost.scrypt_p);
        *next++ = OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_SCRYPT_MAXMEM, &memory_most);
    } else { /* names that the headers before OpenSSL 3.2 do not have */
        *next++ = OSSL_PARAM_construct_uint32("memcost", &cost.argon2_memory_kib);
        *next++ = OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_ITER, &cost.argon2_passes);
        *next++ = OSSL_PARAM_construct_uint32("lanes", &cost.argon2_lanes);
    }
    *next = OSSL_PARAM_construct_end();
    return EVP_KDF_derive(context, key, bytes, parameters) == 1;
}

bool strata_key_derivation_once(const struct strata_key_derivation *derivation,
                                const char *passphrase, const char *salt, uint8_t *key,
                                size_t bytes)
{
    EVP_KDF_CTX *context = context_new(function_of(derivation));
    bool done = context != NULL && derive(context, derivation, passphrase, salt, key, bytes);
    EVP_KDF_CTX_free(context);
    return done;
}

static enum strata_status self_test(const struct function *function, struct strata_error *error)
{
    uint8_t key[STRATA_KEY_DERIVATION_BYTES];
    EVP_KDF_CTX *context = context_new(function);
    if (context == NULL) {
        return strata_error_set(error, STRATA_ENVIRONMENT, STRATA_UNSUPPORTED "%s has no %s%s",
                                OpenSSL_version(OPENSSL_VERSION), function->known.function,
                                strcmp(function->kdf, "ARGON2ID") == 0 ? "; 3.2 is the first" : "");
    }
    EVP_KDF_CTX_free(context);
    if (!strata_key_derivation_once(&function->known, function->passphrase, function->salt, key,
                                    sizeof(key)) ||
        memcmp(key, function->key, sizeof(key)) != 0) {
        return strata_error_set(error, STRATA_INTERNAL,
                                "%s of this machine's OpenSSL does not give the known answer",
                                function->known.function);
    }
    return STRATA_OK;
}

static bool perform(struct strata_in_memory_worker *worker,
                    const struct strata_operation *operation)
{
    (void)operation;
    const struct derivation_worker *derivation = (const struct derivation_worker *)worker;
    const struct derivation_target *target =
        (const struct derivation_target *)worker->base.worker.target;
    uint8_t key[STRATA_KEY_DERIVATION_BYTES];
    return derive(derivation->context, &target->derivation, "a passphrase of 32 characters...",
                  "sixteen bytes...", key, sizeof(key));
}

static enum strata_status derivation_worker_open(struct strata_target *target,
                                                 const struct strata_worker_setup *setup,
                                                 struct strata_worker **ret_worker,
                                                 struct strata_error *error)
{
    (void)setup;
    const struct strata_key_derivation *measured =
        &((struct derivation_target *)target)->derivation;
    EVP_KDF_CTX *context = context_new(function_of(measured));
    if (context == NULL) {
        return strata_error_set(error, STRATA_INTERNAL, "OpenSSL refuses %s", measured->function);
    }
    struct derivation_worker *derivation = strata_memory_new(1, sizeof(*derivation));
    derivation->memory =
        (struct strata_in_memory_worker){.base.worker = {target}, .perform = perform};
    derivation->context = context;
    *ret_worker = &derivation->memory.base.worker;
    return STRATA_OK;
}

static void derivation_worker_close(struct strata_worker *worker)
{
    struct derivation_worker *derivation = (struct derivation_worker *)worker;
    EVP_KDF_CTX_free(derivation->context);
    free(derivation);
}

static void derivation_close(struct strata_target *target)
{
    free(target);
}

static const struct strata_target_type derivation_type = {
    .name = "key-derivation",
    .help = "a key from a passphrase, in memory",
    .capabilities = STRATA_TARGET_SYNCHRONOUS,
    .items = strata_in_memory_items,
    .worker_open = derivation_worker_open,
    .worker_close = derivation_worker_close,
    .submit = strata_in_memory_submit,
    .reap = strata_synchronous_reap,
    .close = derivation_close,
};

enum strata_status strata_key_derivation_open(const struct strata_key_derivation *derivation,
                                              struct strata_target **ret_target,
                                              struct strata_error *error)
{
    enum strata_status status = self_test(function_of(derivation), error);
    if (status != STRATA_OK) {
        return status;
    }
    struct derivation_target *target = strata_memory_new(1, sizeof(*target));
    target->target.type = &derivation_type;
    target->derivation = *derivation;
    *ret_target = &target->target;
    return STRATA_OK;
}
