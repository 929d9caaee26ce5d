/* The functional proof: a pattern written through a cipher, looked at below it, read back.
 *
 * Always holds: the level is functional only after all three were seen; the block that is
 * overwritten is the last one of a region that may be overwritten. */
#include "layers/device/device.h"

#include "common/base/entropy.h"
#include "common/base/memory.h"
#include "common/target/single.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = STRATA_DEVICE_TRIAL_BYTES };

/* Ciphertext of this length has 7.95 bits a byte; the pattern has 0. */
#define LEAST_BITS 7.8

/* One operation on one block, start to end. */
static enum strata_status do_block(const struct strata_backend *backend,
                                   struct strata_target *target, enum strata_operation_kind kind,
                                   uint64_t item, void *buffer, struct strata_error *error)
{
    const struct strata_worker_setup setup = {
        .jobs = 1, .depth = 1, .bytes = BYTES, .kinds = 1U << kind};
    struct strata_worker *worker;
    enum strata_status status = target->type->worker_open(target, &setup, &worker, error);
    if (status != STRATA_OK) {
        return status;
    }
    int32_t result;
    status = strata_single(worker, kind, item, buffer, BYTES, backend->location,
                           strata_element_number(backend->element, "give-up"), &result, error);
    target->type->worker_close(worker);
    if (status == STRATA_OK && result != STRATA_RESULT_OK) {
        char text[128];
        return strata_error_set(error, STRATA_ENVIRONMENT, "trial %s of its last block: %s",
                                strata_operation_name(kind),
                                strata_result_describe(result, text, sizeof(text)));
    }
    return status;
}

/* Three blocks of memory for the functional proof. */
struct trial {
    uint8_t pattern[BYTES]; /* written, known, of low entropy */
    uint8_t below[BYTES];   /* what stands on the device then */
    uint8_t back[BYTES];    /* what the filter reads back */
};

static enum strata_status judge(const struct trial *trial, const char *through,
                                struct strata_proof *proof, struct strata_error *error)
{
    double bits = strata_entropy_bits(trial->below, BYTES);
    if (memcmp(trial->back, trial->pattern, BYTES) != 0) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "what was written through %s does not read back equal", through);
    }
    if (memcmp(trial->below, trial->pattern, BYTES) == 0 || bits < LEAST_BITS) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "what was written through %s stands on the device in plain (%.2f "
                                "bits of entropy a byte)",
                                through, bits);
    }
    proof->level = STRATA_PROOF_FUNCTIONAL;
    (void)snprintf(proof->evidence, sizeof(proof->evidence),
                   "a pattern written through %s stands on the device as %.2f bits of entropy a "
                   "byte and reads back equal",
                   through, bits);
    return STRATA_OK;
}

enum strata_status strata_device_trial(struct strata_backend *backend, struct strata_target *above,
                                       struct strata_target *below, const char *through,
                                       struct strata_error *error)
{
    uint64_t last = above->type->items(above, 0, 1, STRATA_OPERATION_WRITE) - 1;
    struct trial *trial = strata_memory_new_aligned(sizeof(*trial));
    memset(trial->pattern, 'S', BYTES);
    enum strata_status status =
        do_block(backend, above, STRATA_OPERATION_WRITE, last, trial->pattern, error);
    if (status == STRATA_OK) {
        status = do_block(backend, below, STRATA_OPERATION_READ, last, trial->below, error);
    }
    if (status == STRATA_OK) {
        status = do_block(backend, above, STRATA_OPERATION_READ, last, trial->back, error);
    }
    if (status == STRATA_OK) {
        status = judge(trial, through, &backend->proof, error);
    }
    if (!strata_single_holds(status, error)) {
        free(trial);
    }
    return status;
}

enum strata_status strata_device_open_under(const struct strata_backend *backend,
                                            const struct strata_device_under *under,
                                            uint64_t block_bytes, struct strata_target **ret_target,
                                            struct strata_error *error)
{
    const struct strata_block_options options = {
        .path = under->path,
        .engine = STRATA_BLOCK_AIO,
        .offset_bytes = strata_element_number(backend->element, "offset") + under->offset_bytes,
        .size_bytes = strata_element_number(backend->element, "size"),
        .block_bytes = block_bytes,
        .give_up_ns = strata_element_number(backend->element, "give-up")};
    return strata_block_open(&options, ret_target, error);
}

enum strata_status strata_device_prove_mapping(struct strata_backend *backend, const char *path,
                                               const struct strata_device_under *under,
                                               struct strata_error *error)
{
    const struct strata_block_options options = {
        .path = path, .engine = STRATA_BLOCK_AIO, .writable = true, .block_bytes = BYTES};
    struct strata_target *above = NULL;
    struct strata_target *below = NULL;
    char through[128];
    (void)snprintf(through, sizeof(through), "a mapping (%.110s)", backend->proof.evidence);
    enum strata_status status = strata_device_open_block(backend, options, &above, error);
    if (status == STRATA_OK) {
        status = strata_device_open_under(backend, under, BYTES, &below, error);
    }
    if (status == STRATA_OK) {
        status = strata_device_trial(backend, above, below, through, error);
        below->type->close(below);
    }
    if (above != NULL) {
        above->type->close(above);
    }
    return status;
}
