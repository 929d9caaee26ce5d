/* Is the back end there, allowed, and encrypted as it says? Asked before anything is measured.
 *
 * Always holds: a level of proof is stored only for what was seen here. A path that claims dm-crypt
 * where the kernel shows none is refused, since its comparison would say that encryption is free.
 */
#include "layers/device/device.h"

#include "common/host/opal.h"
#include "common/target/crypt.h"

#include <stdio.h>
#include <string.h>

static void set_proof(struct strata_backend *backend, enum strata_proof_level level,
                      const char *evidence)
{
    backend->proof.level = level;
    (void)snprintf(backend->proof.evidence, sizeof(backend->proof.evidence), "%s", evidence);
}

/* Write through the filter into the last block, and look at it below. */
static enum strata_status prove_by_writing(struct strata_backend *backend, unsigned stack,
                                           struct strata_error *error)
{
    struct strata_target *target = NULL;
    const struct strata_block_options options = {
        .engine = STRATA_BLOCK_AIO, .writable = true, .block_bytes = STRATA_DEVICE_TRIAL_BYTES};
    enum strata_status status = strata_device_open_stack(backend, stack, options, &target, error);
    if (status == STRATA_OK) {
        status = strata_device_add_filter(backend, target, &target, error);
    }
    if (status == STRATA_OK) {
        status = strata_device_trial(backend, target, strata_crypt_inner(target),
                                     "Strata's AES-XTS filter", error);
        target->type->close(target);
    }
    return status;
}

/* Strata's own filter. Where nothing may be written, the cipher is compared with the standard. */
static enum strata_status prove_filter(struct strata_backend *backend, unsigned stack, bool writes,
                                       struct strata_error *error)
{
    enum strata_status status = strata_crypt_self_test(error);
    if (status != STRATA_OK) {
        return status;
    }
    strata_device_filter_cipher(backend, &backend->proof.cipher);
    if (writes) {
        return prove_by_writing(backend, stack, error);
    }
    set_proof(backend, STRATA_PROOF_STRUCTURE,
              "Strata's AES-XTS filter stands before the device; its cipher agreed with IEEE "
              "1619-2007 just now; nothing may be written to see more");
    return STRATA_OK;
}

/* A dm-crypt device that may be written shows what it does. */
static enum strata_status prove_own_mapping(struct strata_backend *backend, const char *path,
                                            struct strata_error *error)
{
    char device[64];
    struct strata_device_under under = {.path = device};
    return strata_proof_device_under(path, device, sizeof(device), &under.offset_bytes)
               ? strata_device_prove_mapping(backend, path, &under, error)
               : STRATA_OK;
}

/* Somebody says so; a drive that locks by OPAL says a little more. */
static void assert_encrypted(struct strata_backend *backend, const char *path)
{
    const char *evidence = strata_element_text(backend->element, "evidence");
    char text[sizeof(backend->proof.evidence)];
    (void)snprintf(
        text, sizeof(text), "%s%s", strata_opal_locks(path) ? "OPAL locking enabled; " : "",
        evidence != NULL ? evidence : "declared in the configuration; cannot be seen here");
    set_proof(backend, STRATA_PROOF_ASSERTED, text);
}

/* The path is encrypted itself: the kernel shows it, or somebody says so. */
static enum strata_status prove_path(struct strata_backend *backend, const char *path, bool writes,
                                     struct strata_error *error)
{
    strata_proof_device(path, &backend->proof);
    if (!backend->encrypted) {
        return STRATA_OK;
    }
    if (backend->proof.level != STRATA_PROOF_NONE) {
        return writes ? prove_own_mapping(backend, path, error) : STRATA_OK;
    }
    if (strcmp(backend->encryption, "dm-crypt") == 0 &&
        strata_element_text(backend->element, "evidence") == NULL) {
        return strata_error_set(
            error, STRATA_ENVIRONMENT,
            "%s: is not seen to be encrypted (%s), so that it would be compared as if it were; "
            "give evidence, or the kind of encryption that it has",
            path, backend->proof.evidence);
    }
    assert_encrypted(backend, path);
    return STRATA_OK;
}

/* A set is as well known as the member that is known least. */
static enum strata_status prove_paths(struct strata_backend *backend, bool writes,
                                      struct strata_error *error)
{
    struct strata_proof least = {.level = STRATA_PROOF_NONE};
    enum strata_status status = STRATA_OK;
    for (size_t n = 0; n < backend->place_count && status == STRATA_OK; n++) {
        status = prove_path(backend, backend->places[n], writes, error);
        least = n == 0 || backend->proof.level < least.level ? backend->proof : least;
    }
    backend->proof = least;
    return status;
}

/* Open and close the region with its cipher, so that an offset, a size or a key that is wrong is
 * told before any run. */
static enum strata_status check_region(const struct strata_backend *backend, unsigned stack,
                                       struct strata_error *error)
{
    struct strata_target *target = NULL;
    const struct strata_block_options options = {.engine = STRATA_BLOCK_SYNC};
    enum strata_status status = strata_device_open_stack(backend, stack, options, &target, error);
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
    if (backend->element->type->place == NULL) {
        return STRATA_OK; /* memory: nothing there to guard or to prove */
    }
    if (strata_device_provisions(backend)) {
        return strata_device_inspect_provisioned(backend, error);
    }
    enum strata_status status = strata_device_check_unprovisioned(backend, error);
    if (status == STRATA_OK) {
        status = strata_device_guard(backend, writes, error);
    }
    for (unsigned n = 0; n < strata_device_stacks(backend) && status == STRATA_OK; n++) {
        status = check_region(backend, n, error);
        if (status == STRATA_OK && strata_device_has_filter(backend)) {
            status = prove_filter(backend, n, writes, error);
        }
    }
    if (status == STRATA_OK && !strata_device_has_filter(backend)) {
        status = prove_paths(backend, writes, error);
    }
    return status;
}
