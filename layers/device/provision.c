/* A scratch device over which Strata makes its own dm-crypt mapping: for the inspection once, and
 * then for each run, since the plain twin on the same device cannot be opened while it stands.
 *
 * Always holds: the mapping is made only after the guard allowed that exactly this device loses its
 * content, also where the runs only read; every mapping that is made is removed. That the cipher
 * works is seen on the device, not believed: only cipher_null, which encrypts nothing, may go on
 * without. */
#include "layers/device/device.h"

#include "common/base/memory.h"
#include "common/host/dmcrypt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct strata_device_mapping {
    struct strata_dmcrypt *crypt;
    unsigned sampled;   /* blocks of the device below that were looked at before reading */
    unsigned unwritten; /* of those, how many were never written */
};

bool strata_device_provisions(const struct strata_backend *backend)
{
    return strcmp(strata_element_text(backend->element, "provision"), "none") != 0;
}

const char *strata_device_mapping_path(const struct strata_device_mapping *mapping)
{
    return strata_dmcrypt_path(mapping->crypt);
}

/* Options that say nothing without the other are refused rather than ignored. */
static enum strata_status check_options(const struct strata_backend *backend,
                                        struct strata_error *error)
{
    if (strcmp(backend->encryption, "dm-crypt") != 0) {
        return strata_error_set(error, STRATA_USAGE,
                                "provision: is for encryption dm-crypt, not for %s",
                                backend->encryption);
    }
    if (strata_element_number(backend->element, "key-size") % 8 != 0) {
        return strata_error_set(error, STRATA_USAGE, "key-size: %s is not a multiple of 8 bits",
                                strata_element_text(backend->element, "key-size"));
    }
    if (backend->place_count > 1) {
        return strata_error_set(error, STRATA_USAGE,
                                "provision: a mapping stands over one device; expected none in "
                                "`and`");
    }
    return STRATA_OK;
}

enum strata_status strata_device_check_unprovisioned(const struct strata_backend *backend,
                                                     struct strata_error *error)
{
    static const char *const options[] = {"cipher", "key-size", "dm-flags"};
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        if (strata_element_given(backend->element, options[i])) {
            return strata_error_set(error, STRATA_USAGE,
                                    "%s: is for a mapping that Strata makes itself; expected "
                                    "provision plain or luks2 beside it",
                                    options[i]);
        }
    }
    return STRATA_OK;
}

/* Each choice of the option is the bit of its place (enum strata_dmcrypt_flag). */
static unsigned flags_of(const struct strata_element *element)
{
    const struct strata_setting *setting = strata_element_setting(element, "dm-flags");
    unsigned flags = 0;
    for (size_t i = 0; i < setting->count; i++) {
        flags |= 1U << setting->values[i].number;
    }
    return flags;
}

enum strata_status strata_device_map(const struct strata_backend *backend,
                                     struct strata_device_mapping **ret_mapping,
                                     struct strata_error *error)
{
    *ret_mapping = NULL;
    const struct strata_element *element = backend->element;
    enum strata_status status = strata_device_guard(backend, true, error);
    if (status != STRATA_OK) {
        return status;
    }
    const struct strata_dmcrypt_options options = {
        .device = strata_element_text(element, "path"),
        .luks2 = strcmp(strata_element_text(element, "provision"), "luks2") == 0,
        .cipher = strata_element_text(element, "cipher"),
        .key_bits = (unsigned)strata_element_number(element, "key-size"),
        .sector_bytes = (unsigned)strata_element_number(element, "sector-size"),
        .flags = flags_of(element)};
    struct strata_dmcrypt *crypt;
    status = strata_dmcrypt_open(&options, &crypt, error);
    if (status == STRATA_OK) {
        *ret_mapping = strata_memory_new(1, sizeof(**ret_mapping));
        (*ret_mapping)->crypt = crypt;
    }
    return status;
}

enum strata_status strata_device_unmap(struct strata_device_mapping *mapping,
                                       struct strata_error *error)
{
    enum strata_status status = strata_dmcrypt_close(mapping->crypt, error);
    free(mapping);
    return status;
}

static struct strata_device_under under(const struct strata_backend *backend,
                                        const struct strata_device_mapping *mapping)
{
    return (struct strata_device_under){.path = strata_element_text(backend->element, "path"),
                                        .offset_bytes = strata_dmcrypt_data_offset(mapping->crypt)};
}

/* What was never written reads through a cipher as noise, so it is looked for below. */
enum strata_status strata_device_sample_below(const struct strata_backend *backend,
                                              struct strata_device_mapping *mapping,
                                              uint64_t block_bytes, struct strata_error *error)
{
    struct strata_target *below;
    const struct strata_device_under device = under(backend, mapping);
    enum strata_status status =
        strata_device_open_under(backend, &device, block_bytes, &below, error);
    if (status != STRATA_OK) {
        return status;
    }
    status = strata_target_prepare(below, 1U << STRATA_OPERATION_READ, error);
    strata_block_samples(below, &mapping->sampled, &mapping->unwritten);
    below->type->close(below);
    return status;
}

void strata_device_mapping_samples(const struct strata_device_mapping *mapping,
                                   unsigned *ret_sampled, unsigned *ret_unwritten)
{
    *ret_sampled = mapping->sampled;
    *ret_unwritten = mapping->unwritten;
}

static enum strata_status prove(struct strata_backend *backend,
                                const struct strata_device_mapping *mapping,
                                struct strata_error *error)
{
    strata_proof_device(strata_device_mapping_path(mapping), &backend->proof);
    if (backend->proof.level == STRATA_PROOF_NONE) {
        bool null_cipher =
            strncmp(strata_element_text(backend->element, "cipher"), "cipher_null", 11) == 0;
        return null_cipher
                   ? STRATA_OK
                   : strata_error_set(error, STRATA_ENVIRONMENT, "%s: is not encrypted: %s",
                                      strata_device_mapping_path(mapping), backend->proof.evidence);
    }
    const struct strata_device_under device = under(backend, mapping);
    return strata_device_prove_mapping(backend, strata_device_mapping_path(mapping), &device,
                                       error);
}

enum strata_status strata_device_inspect_provisioned(struct strata_backend *backend,
                                                     struct strata_error *error)
{
    struct strata_device_mapping *mapping = NULL;
    enum strata_status status = check_options(backend, error);
    if (status == STRATA_OK) {
        status = strata_device_map(backend, &mapping, error);
    }
    if (status != STRATA_OK) {
        return status;
    }
    status = prove(backend, mapping, error);
    struct strata_error later = {0};
    enum strata_status removed = strata_device_unmap(mapping, &later);
    if (status == STRATA_OK && removed != STRATA_OK) {
        *error = later;
        status = removed;
    }
    return status;
}
