/* What the cipher could do, on memory that stays in the processor's caches.
 *
 * Always holds: no cipher is measured before it gave a standard's answer; a job has a key, contexts
 * and memory of its own. How a sector is encrypted is left to sector_cipher.c. */
#include "common/target/cipher.h"

#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/target/in_memory.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#define OPERATION_BYTES_LEAST (UINT64_C(256) << 10)

struct cipher_target {
    struct strata_target target;
    struct strata_cipher_options options;
};

struct cipher_worker {
    struct strata_in_memory_worker memory;
    EVP_CIPHER_CTX *contexts[2]; /* decrypt, encrypt; NULL where it is not asked for */
};

uint64_t strata_cipher_operation_bytes(uint64_t block_bytes)
{
    return (OPERATION_BYTES_LEAST + block_bytes - 1) / block_bytes * block_bytes;
}

/* One pass over the block, sector by sector. */
static bool apply_to_block(EVP_CIPHER_CTX *context, const struct strata_cipher_options *options,
                           uint8_t *block)
{
    uint64_t sectors = options->block_bytes / options->sector_bytes;
    for (uint64_t number = 0; number < sectors; number++) {
        uint8_t *sector = block + number * options->sector_bytes;
        if (!strata_cipher_sector(context, options->cipher, number, sector, sector,
                                  options->sector_bytes)) {
            return false;
        }
    }
    return true;
}

static bool perform(struct strata_in_memory_worker *worker,
                    const struct strata_operation *operation)
{
    const struct cipher_worker *cipher = (const struct cipher_worker *)worker;
    const struct cipher_target *target = (const struct cipher_target *)worker->base.worker.target;
    EVP_CIPHER_CTX *context = cipher->contexts[operation->kind == STRATA_OPERATION_ENCRYPT];
    bool done = true;
    for (uint64_t bytes = 0; done && bytes < operation->bytes;
         bytes += target->options.block_bytes) {
        done = apply_to_block(context, &target->options, operation->buffer);
    }
    return done;
}

static void cipher_worker_close(struct strata_worker *worker)
{
    struct cipher_worker *cipher = (struct cipher_worker *)worker;
    EVP_CIPHER_CTX_free(cipher->contexts[0]);
    EVP_CIPHER_CTX_free(cipher->contexts[1]);
    free(cipher);
}

static enum strata_status cipher_worker_open(struct strata_target *target,
                                             const struct strata_worker_setup *setup,
                                             struct strata_worker **ret_worker,
                                             struct strata_error *error)
{
    const struct strata_cipher *measured = ((struct cipher_target *)target)->options.cipher;
    struct cipher_worker *cipher = strata_memory_new(1, sizeof(*cipher));
    cipher->memory = (struct strata_in_memory_worker){.base.worker = {target}, .perform = perform};
    uint8_t key[STRATA_CIPHER_KEY_BYTES_MAX];
    strata_random_secret(key, sizeof(key));
    bool made = true;
    for (int encrypts = 0; encrypts < 2; encrypts++) {
        unsigned kind = encrypts ? STRATA_OPERATION_ENCRYPT : STRATA_OPERATION_DECRYPT;
        if ((setup->kinds & 1U << kind) != 0) {
            cipher->contexts[encrypts] = strata_cipher_context_new(measured, encrypts, key);
            made = made && cipher->contexts[encrypts] != NULL;
        }
    }
    explicit_bzero(key, sizeof(key));
    if (!made) {
        cipher_worker_close(&cipher->memory.base.worker);
        return strata_error_set(error, STRATA_INTERNAL, "OpenSSL refuses %s", measured->name);
    }
    *ret_worker = &cipher->memory.base.worker;
    return STRATA_OK;
}

static void cipher_close(struct strata_target *target)
{
    free(target);
}

static const struct strata_target_type cipher_type = {
    .name = "cipher",
    .help = "the cipher alone, in memory",
    .capabilities = STRATA_TARGET_SYNCHRONOUS | STRATA_TARGET_NEEDS_BUFFER,
    .items = strata_in_memory_items,
    .worker_open = cipher_worker_open,
    .worker_close = cipher_worker_close,
    .submit = strata_in_memory_submit,
    .reap = strata_synchronous_reap,
    .close = cipher_close,
};

enum strata_status strata_cipher_open(const struct strata_cipher_options *options,
                                      struct strata_target **ret_target, struct strata_error *error)
{
    enum strata_status status = strata_cipher_self_test(options->cipher, error);
    if (status != STRATA_OK) {
        return status;
    }
    struct cipher_target *target = strata_memory_new(1, sizeof(*target));
    target->target.type = &cipher_type;
    target->options = *options;
    *ret_target = &target->target;
    return STRATA_OK;
}
