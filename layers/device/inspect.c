/* Is the back end there, allowed, and encrypted as it says? Asked before anything is measured.
 *
 * Always holds: a level of proof is stored only for what was seen here. A path that claims dm-crypt
 * where the kernel shows none is refused, since its comparison would say that encryption is free.
 */
#include "layers/device/device.h"

#include "common/base/entropy.h"
#include "common/base/memory.h"
#include "common/target/crypt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBE_BYTES = 4096 };

static void set_proof(struct strata_backend *backend, enum strata_proof_level level,
                      const char *evidence)
{
    backend->proof.level = level;
    (void)snprintf(backend->proof.evidence, sizeof(backend->proof.evidence), "%s", evidence);
}

/* One operation on one block, start to end. */
static enum strata_status do_block(struct strata_target *target, enum strata_operation_kind kind,
                                   uint64_t item, void *buffer, struct strata_error *error)
{
    const struct strata_worker_setup setup = {
        .jobs = 1, .depth = 1, .bytes = PROBE_BYTES, .kinds = 1U << kind};
    struct strata_worker *worker;
    enum strata_status status = target->type->worker_open(target, &setup, &worker, error);
    if (status != STRATA_OK) {
        return status;
    }
    struct strata_operation operation = {
        .item = item, .bytes = PROBE_BYTES, .buffer = buffer, .kind = (uint8_t)kind};
    struct strata_operation *one = &operation;
    struct strata_operation *back;
    bool done = target->type->submit(worker, &one, 1) == 1 &&
                target->type->reap(worker, &back, 1, UINT64_MAX) == 1;
    target->type->worker_close(worker);
    if (!done || operation.result != STRATA_RESULT_OK) {
        char text[128];
        return strata_error_set(
            error, STRATA_ENVIRONMENT, "trial %s of its last block: %s",
            strata_operation_name(kind),
            strata_result_describe(done ? operation.result : EIO, text, sizeof(text)));
    }
    return STRATA_OK;
}

/* Three blocks of memory for the functional proof. */
struct trial {
    uint8_t pattern[PROBE_BYTES]; /* written, known, of low entropy */
    uint8_t below[PROBE_BYTES];   /* what stands on the device then */
    uint8_t back[PROBE_BYTES];    /* what the filter reads back */
};

static enum strata_status judge_trial(struct strata_backend *backend, const struct trial *trial,
                                      struct strata_error *error)
{
    double bits = strata_entropy_bits(trial->below, PROBE_BYTES);
    if (memcmp(trial->back, trial->pattern, PROBE_BYTES) != 0) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "what was written through the cipher does not read back equal");
    }
    if (memcmp(trial->below, trial->pattern, PROBE_BYTES) == 0 || bits < 7.8) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "what was written through the cipher stands on the device in plain "
                                "(%.2f bits of entropy a byte)",
                                bits);
    }
    char evidence[256];
    (void)snprintf(evidence, sizeof(evidence),
                   "a pattern written through Strata's AES-XTS filter stands on the device as "
                   "%.2f bits of entropy a byte and reads back equal",
                   bits);
    set_proof(backend, STRATA_PROOF_FUNCTIONAL, evidence);
    return STRATA_OK;
}

/* Write a pattern through the cipher into the last block, look at it below, read it back. */
static enum strata_status prove_by_writing(struct strata_backend *backend,
                                           struct strata_error *error)
{
    struct strata_target *target = NULL;
    enum strata_status status =
        strata_device_open_block(backend, STRATA_BLOCK_SYNC, true, PROBE_BYTES, &target, error);
    if (status == STRATA_OK) {
        status = strata_device_add_filter(backend, target, &target, error);
    }
    if (status != STRATA_OK) {
        return status;
    }
    struct strata_target *inner = strata_crypt_inner(target);
    uint64_t last = target->type->items(target, 0, 1, STRATA_OPERATION_WRITE) - 1;
    struct trial *trial = strata_memory_new_aligned(sizeof(*trial));
    memset(trial->pattern, 'S', PROBE_BYTES);
    status = do_block(target, STRATA_OPERATION_WRITE, last, trial->pattern, error);
    if (status == STRATA_OK) {
        status = do_block(inner, STRATA_OPERATION_READ, last, trial->below, error);
    }
    if (status == STRATA_OK) {
        status = do_block(target, STRATA_OPERATION_READ, last, trial->back, error);
    }
    if (status == STRATA_OK) {
        status = judge_trial(backend, trial, error);
    }
    free(trial);
    target->type->close(target);
    return status;
}

/* Strata's own filter. Where nothing may be written, the cipher is compared with the standard. */
static enum strata_status prove_filter(struct strata_backend *backend, bool writes,
                                       struct strata_error *error)
{
    enum strata_status status = strata_crypt_self_test(error);
    if (status != STRATA_OK) {
        return status;
    }
    if (writes) {
        return prove_by_writing(backend, error);
    }
    set_proof(backend, STRATA_PROOF_STRUCTURE,
              "Strata's AES-XTS filter stands before the device; its cipher agreed with IEEE "
              "1619-2007 just now; nothing may be written to see more");
    return STRATA_OK;
}

/* The path is encrypted itself: the kernel shows it, or somebody says so. */
static enum strata_status prove_path(struct strata_backend *backend, struct strata_error *error)
{
    const char *path = strata_element_text(backend->element, "path");
    const char *evidence = strata_element_text(backend->element, "evidence");
    strata_proof_device(path, &backend->proof);
    if (backend->proof.level != STRATA_PROOF_NONE || !backend->encrypted) {
        return STRATA_OK;
    }
    if (strcmp(backend->encryption, "dm-crypt") == 0 && evidence == NULL) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "%s: no dm-crypt device stands there or below it, so that it would "
                                "be compared as if it were encrypted; give evidence, or the kind "
                                "of encryption that it has",
                                path);
    }
    set_proof(backend, STRATA_PROOF_ASSERTED,
              evidence != NULL ? evidence : "declared in the configuration; cannot be seen here");
    return STRATA_OK;
}

/* Open and close the region with its cipher, so that an offset, a size or a key that is wrong is
 * told before any run. */
static enum strata_status check_region(const struct strata_backend *backend,
                                       struct strata_error *error)
{
    struct strata_target *target = NULL;
    enum strata_status status =
        strata_device_open_block(backend, STRATA_BLOCK_SYNC, false, 0, &target, error);
    if (status == STRATA_OK && strata_device_has_filter(backend)) {
        status = strata_device_add_filter(backend, target, &target, error);
    }
    if (status == STRATA_OK) {
        target->type->close(target);
    }
    return status;
}

enum strata_status strata_device_inspect(struct strata_backend *backend, bool writes,
                                         struct strata_error *error)
{
    enum strata_status status = strata_device_guard(backend, writes, error);
    if (status == STRATA_OK) {
        status = check_region(backend, error);
    }
    if (status == STRATA_OK) {
        status = strata_device_has_filter(backend) ? prove_filter(backend, writes, error)
                                                   : prove_path(backend, error);
    }
    return status;
}
