/* AES-XTS between a load and a block target, so that the cost of the cipher is measured alone and
 * on any device, without device-mapper.
 *
 * Always holds: below the filter only ciphertext, above it only plaintext; the bytes are those of
 * dm-crypt (see the header); an operation that was not taken or has come back carries its own
 * buffer again. Each worker has its own cipher contexts, whose key schedule is made once: for a
 * sector only the tweak changes. */
#include "common/target/crypt.h"

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/target/sector_cipher.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    TWEAK_UNIT = 512, /* bytes that the tweak counts in */
    /* Encrypted bytes that may wait for the end of their batch; more would leave the device idle
     * while the processor works. */
    BATCH_BYTES = 64 << 10
};

/* By the length of the whole key: AES-128 and AES-256. */
static const char *const ciphers[] = {"aes-xts-256", "aes-xts-512"};

struct crypt {
    struct strata_target target;
    struct strata_target_type type; /* the filter's functions with the inner one's capabilities */
    struct strata_target *inner;
    const struct strata_cipher *cipher;
    uint8_t key[STRATA_CIPHER_KEY_BYTES_MAX];
    uint64_t sector_size;
};

struct crypt_worker {
    struct strata_worker worker;
    struct strata_worker *inner;
    EVP_CIPHER_CTX *encrypt;
    EVP_CIPHER_CTX *decrypt;
    uint64_t bytes;      /* of one slot's ciphertext */
    uint8_t *ciphertext; /* one stretch for each slot; NULL when nothing is written */
    void **plain;        /* by slot: the caller's buffer while its operation is below */
    unsigned in_flight;
};

/* Run `bytes` through the context, sector by sector, the first being the one at `position` of the
 * region. In place where `from` equals `to`. */
static bool transform(const struct crypt *filter, EVP_CIPHER_CTX *context, uint64_t position,
                      const uint8_t *from, uint8_t *to, uint64_t bytes)
{
    for (uint64_t done = 0; done < bytes; done += filter->sector_size) {
        if (!strata_cipher_sector(context, filter->cipher, (position + done) / TWEAK_UNIT,
                                  from + done, to + done, filter->sector_size)) {
            return false;
        }
    }
    return true;
}

static enum strata_status crypt_prepare(struct strata_target *target, unsigned kinds,
                                        struct strata_error *error)
{
    return strata_target_prepare(strata_crypt_inner(target), kinds, error);
}

static uint64_t crypt_items(const struct strata_target *target, unsigned job, unsigned jobs,
                            enum strata_operation_kind kind)
{
    const struct strata_target *inner = strata_crypt_inner(target);
    return inner->type->items(inner, job, jobs, kind);
}

static void worker_free(struct crypt_worker *crypt)
{
    EVP_CIPHER_CTX_free(crypt->encrypt);
    EVP_CIPHER_CTX_free(crypt->decrypt);
    free(crypt->ciphertext);
    free(crypt->plain);
    free(crypt);
}

static enum strata_status crypt_worker_open(struct strata_target *target,
                                            const struct strata_worker_setup *setup,
                                            struct strata_worker **ret_worker,
                                            struct strata_error *error)
{
    const struct crypt *filter = (const struct crypt *)target;
    if (setup->bytes % filter->sector_size != 0) {
        return strata_error_set(
            error, STRATA_ENVIRONMENT,
            STRATA_UNSUPPORTED "block size %llu is not a multiple of the encryption "
                               "sector, %llu bytes",
            (unsigned long long)setup->bytes, (unsigned long long)filter->sector_size);
    }
    struct crypt_worker *crypt = strata_memory_new(1, sizeof(*crypt));
    crypt->worker.target = target;
    crypt->bytes = setup->bytes;
    crypt->plain = strata_memory_new(setup->depth, sizeof(void *));
    if ((setup->kinds & (1U << STRATA_OPERATION_WRITE)) != 0) {
        crypt->ciphertext = strata_memory_new_aligned(setup->depth * setup->bytes);
    }
    struct strata_worker_setup below = *setup;
    below.writes = (struct iovec){crypt->ciphertext,
                                  crypt->ciphertext == NULL ? 0 : setup->depth * setup->bytes};
    crypt->encrypt = strata_cipher_context_new(filter->cipher, true, filter->key);
    crypt->decrypt = strata_cipher_context_new(filter->cipher, false, filter->key);
    enum strata_status status =
        crypt->encrypt == NULL || crypt->decrypt == NULL
            ? strata_error_set(error, STRATA_INTERNAL, "OpenSSL refuses AES-XTS")
            : filter->inner->type->worker_open(filter->inner, &below, &crypt->inner, error);
    if (status != STRATA_OK) {
        worker_free(crypt);
        return status;
    }
    *ret_worker = &crypt->worker;
    return STRATA_OK;
}

/* With operations still below, a hung device may yet read the ciphertext: then it stays. */
static void crypt_worker_close(struct strata_worker *worker)
{
    struct crypt_worker *crypt = (struct crypt_worker *)worker;
    crypt->inner->target->type->worker_close(crypt->inner);
    if (crypt->in_flight > 0) {
        crypt->ciphertext = NULL;
    }
    worker_free(crypt);
}

/* Note that the cipher worked on the operation; share_time says for how long. */
static void mark(struct strata_operation *operation)
{
    strata_operation_stage(operation, STRATA_STAGE_CIPHER, 0);
}

/* Divide the time since `begin_ns` among the `worked` operations that were marked in it, all of
 * them writes or none, so that it adds up. The clock is read once for them all: to do so for each
 * would take a twentieth of the time of encrypting 4 KiB. */
static void share_time(struct strata_operation *const *operations, unsigned count, bool writes,
                       unsigned worked, uint64_t begin_ns)
{
    uint64_t left_ns = worked > 0 ? strata_clock_monotonic_ns() - begin_ns : 0;
    for (unsigned i = 0; i < count && worked > 0; i++) {
        bool marked = (operations[i]->stages & 1U << STRATA_STAGE_CIPHER) != 0;
        if (marked && (operations[i]->kind == STRATA_OPERATION_WRITE) == writes) {
            uint64_t part_ns = left_ns / worked--;
            strata_operation_stage(operations[i], STRATA_STAGE_CIPHER, part_ns);
            left_ns -= part_ns;
        }
    }
}

/* Make the operation ready for the target below: encrypt a write into the slot's ciphertext. */
static bool lower(struct crypt_worker *crypt, struct strata_operation *operation)
{
    crypt->plain[operation->slot] = operation->buffer;
    if (operation->kind != STRATA_OPERATION_WRITE) {
        return true;
    }
    const struct crypt *filter = (const struct crypt *)crypt->worker.target;
    uint8_t *ciphertext = crypt->ciphertext + operation->slot * crypt->bytes;
    bool encrypted = transform(filter, crypt->encrypt, operation->item * operation->bytes,
                               operation->buffer, ciphertext, operation->bytes);
    mark(operation);
    operation->buffer = ciphertext;
    return encrypted;
}

/* Undo `lower` for an operation that the target below did not take. */
static void keep_untaken(struct crypt_worker *crypt, struct strata_operation *operation)
{
    operation->buffer = crypt->plain[operation->slot];
}

/* Encrypt and pass on in stretches, so that the device works while the next one is encrypted. */
static int crypt_submit(struct strata_worker *worker, struct strata_operation *const *operations,
                        unsigned count)
{
    struct crypt_worker *crypt = (struct crypt_worker *)worker;
    const struct strata_target_type *below = crypt->inner->target->type;
    unsigned taken = 0;
    while (taken < count) {
        unsigned end = taken;
        uint64_t encrypted_bytes = 0;
        unsigned encrypted = 0;
        uint64_t begin_ns = strata_clock_monotonic_ns();
        while (end < count && encrypted_bytes < BATCH_BYTES) {
            struct strata_operation *operation = operations[end++];
            if (!lower(crypt, operation)) {
                while (end > taken) {
                    keep_untaken(crypt, operations[--end]);
                }
                return taken > 0 ? (int)taken : -EIO;
            }
            if (operation->kind == STRATA_OPERATION_WRITE) {
                encrypted_bytes += operation->bytes;
                encrypted++;
            }
        }
        share_time(operations + taken, end - taken, true, encrypted, begin_ns);
        int result = below->submit(crypt->inner, operations + taken, end - taken);
        unsigned passed = result > 0 ? (unsigned)result : 0;
        for (unsigned i = taken + passed; i < end; i++) {
            keep_untaken(crypt, operations[i]);
        }
        crypt->in_flight += passed;
        taken += passed;
        if (taken < end) {
            return result < 0 && taken == 0 ? result : (int)taken;
        }
    }
    return (int)taken;
}

/* Give the operation its own buffer back; decrypt what was read. Returns whether it did. */
static bool lift(struct crypt_worker *crypt, struct strata_operation *operation)
{
    operation->buffer = crypt->plain[operation->slot];
    if (operation->kind == STRATA_OPERATION_WRITE || operation->result != STRATA_RESULT_OK) {
        return false;
    }
    const struct crypt *filter = (const struct crypt *)crypt->worker.target;
    if (!transform(filter, crypt->decrypt, operation->item * operation->bytes, operation->buffer,
                   operation->buffer, operation->bytes)) {
        operation->result = STRATA_RESULT_CIPHER;
    }
    mark(operation);
    return true;
}

/* What the target below may have said of the end is void, as the cipher came after it: an
 * operation ends when it is handed over. */
static int crypt_reap(struct strata_worker *worker, struct strata_operation **operations,
                      unsigned max, uint64_t deadline_ns)
{
    struct crypt_worker *crypt = (struct crypt_worker *)worker;
    int count = crypt->inner->target->type->reap(crypt->inner, operations, max, deadline_ns);
    unsigned came = count > 0 ? (unsigned)count : 0;
    unsigned decrypted = 0;
    uint64_t begin_ns = came > 0 ? strata_clock_monotonic_ns() : 0;
    for (unsigned i = 0; i < came; i++) {
        decrypted += lift(crypt, operations[i]);
        operations[i]->end_ns = 0;
    }
    crypt->in_flight -= came;
    share_time(operations, came, false, decrypted, begin_ns);
    return count;
}

static enum strata_status crypt_cleanup(struct strata_target *target, struct strata_error *error)
{
    return strata_target_cleanup(strata_crypt_inner(target), error);
}

static void crypt_close(struct strata_target *target)
{
    struct crypt *filter = (struct crypt *)target;
    filter->inner->type->close(filter->inner);
    OPENSSL_cleanse(filter->key, sizeof(filter->key));
    free(filter);
}

static const struct strata_target_type crypt_type = {
    .name = "crypt",
    .help = "filter over a block target: AES-XTS as dm-crypt's aes-xts-plain64",
    .prepare = crypt_prepare,
    .items = crypt_items,
    .worker_open = crypt_worker_open,
    .worker_close = crypt_worker_close,
    .submit = crypt_submit,
    .reap = crypt_reap,
    .cleanup = crypt_cleanup,
    .close = crypt_close,
};

static enum strata_status check_options(const struct strata_crypt_options *options,
                                        struct strata_error *error)
{
    size_t half = options->key_bytes / 2;
    if (options->key_bytes != 32 && options->key_bytes != 64) {
        return strata_error_set(error, STRATA_USAGE,
                                "key: has %zu bytes; expected 32 (AES-128-XTS) or 64 (AES-256-XTS)",
                                options->key_bytes);
    }
    if (CRYPTO_memcmp(options->key, options->key + half, half) == 0) {
        return strata_error_set(error, STRATA_USAGE,
                                "key: its two halves are equal, which AES-XTS does not allow");
    }
    uint64_t sector = options->sector_size;
    if (sector != 512 && sector != 1024 && sector != 2048 && sector != 4096) {
        return strata_error_set(error, STRATA_USAGE,
                                "sector-size: %llu; expected 512, 1024, 2048 or 4096",
                                (unsigned long long)sector);
    }
    return STRATA_OK;
}

enum strata_status strata_crypt_open(struct strata_target *inner,
                                     const struct strata_crypt_options *options,
                                     struct strata_target **ret_target, struct strata_error *error)
{
    enum strata_status status = check_options(options, error);
    if (status != STRATA_OK) {
        return status;
    }
    struct crypt *filter = strata_memory_new(1, sizeof(*filter));
    filter->type = crypt_type;
    filter->type.capabilities =
        inner->type->capabilities | STRATA_TARGET_NEEDS_BUFFER | STRATA_TARGET_COPIES_WRITES;
    filter->target.type = &filter->type;
    filter->inner = inner;
    filter->cipher = strata_cipher_find(options->key_bytes == 32 ? ciphers[0] : ciphers[1]);
    filter->sector_size = options->sector_size;
    memcpy(filter->key, options->key, options->key_bytes);
    *ret_target = &filter->target;
    return STRATA_OK;
}

struct strata_target *strata_crypt_inner(const struct strata_target *target)
{
    return ((const struct crypt *)target)->inner;
}

enum strata_status strata_crypt_self_test(struct strata_error *error)
{
    enum strata_status status = STRATA_OK;
    for (size_t i = 0; i < 2 && status == STRATA_OK; i++) {
        status = strata_cipher_self_test(strata_cipher_find(ciphers[i]), error);
    }
    return status;
}
