/* What dm-crypt costs is measured on a mapping made for the purpose, so that cipher, key size,
 * sector size and flags are those that were asked.
 *
 * Always holds: a mapping has a fresh random key, which is wiped as soon as the kernel has it; a
 * header is overwritten only when it was made here; what fails half-way leaves neither a mapping
 * nor a header. Whether the device may lose its content is the guard's to say
 * (common/host/guard.h). Source: libcryptsetup.h. */
#include "common/host/dmcrypt.h"

#include "strata_features.h"

#include <stddef.h>

#ifndef STRATA_FEATURE_LIBCRYPTSETUP

enum strata_status strata_dmcrypt_open(const struct strata_dmcrypt_options *options,
                                       struct strata_dmcrypt **ret_mapping,
                                       struct strata_error *error)
{
    *ret_mapping = NULL;
    return strata_error_set(
        error, STRATA_ENVIRONMENT,
        "%s: no mapping can be made: libcryptsetup was " STRATA_FEATURE_LIBCRYPTSETUP_STATE
        "; install it and build again",
        options->device);
}

/* Without an open one there is none to ask about. */
const char *strata_dmcrypt_path(const struct strata_dmcrypt *mapping)
{
    (void)mapping;
    return "";
}

uint64_t strata_dmcrypt_data_offset(const struct strata_dmcrypt *mapping)
{
    (void)mapping;
    return 0;
}

enum strata_status strata_dmcrypt_close(struct strata_dmcrypt *mapping, struct strata_error *error)
{
    (void)mapping, (void)error;
    return STRATA_OK;
}

#else

#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/host/dm.h"

#include <libcryptsetup.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MOST_KEY_BYTES = 128,
    SECTOR_BYTES = 512,
    WIPE_BLOCK_BYTES = 4096,
    FEWEST_ITERATIONS = 1000,
    METADATA_BYTES = 16 << 10, /* of each of the two copies of a LUKS2 header */
    KEYSLOTS_BYTES = 256 << 10 /* no key slot is made: small, so that formatting is quick */
};

struct strata_dmcrypt {
    struct crypt_device *device;
    char name[24];
    char path[48];
    uint64_t data_offset_bytes;
    bool has_header; /* a LUKS2 header of ours stands on the device, or a part of one */
    char log[256];   /* the last error that the library told */
};

static void keep_log(int level, const char *message, void *context)
{
    struct strata_dmcrypt *mapping = context;
    if (level == CRYPT_LOG_ERROR) {
        (void)snprintf(mapping->log, sizeof(mapping->log), "%.*s", (int)strcspn(message, "\n"),
                       message);
    }
}

/* `code` is what the library returned, a negative errno. */
static enum strata_status library_error(const struct strata_dmcrypt *mapping, const char *what,
                                        int code, struct strata_error *error)
{
    return strata_error_set(error, STRATA_ENVIRONMENT, "%s: %s%s%s", what, strerror(-code),
                            mapping->log[0] != '\0' ? ": " : "", mapping->log);
}

static enum strata_status check_host(const char *device, struct strata_error *error)
{
    struct stat found;
    if (geteuid() != 0) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "%s: no mapping can be made: that needs root", device);
    }
    int code = strata_dm_available();
    if (code != 0) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "%s: no mapping can be made: this kernel has no device mapper "
                                "(/dev/mapper/control: %s)",
                                device, strerror(code));
    }
    if (stat(device, &found) != 0 || !S_ISBLK(found.st_mode)) {
        return strata_error_set(error, STRATA_USAGE,
                                "%s: no mapping can be made: expected a block device", device);
    }
    return STRATA_OK;
}

/* "aes-xts-plain64" is cipher "aes" in mode "xts-plain64". */
static enum strata_status split_cipher(const struct strata_dmcrypt_options *options,
                                       char ret_cipher[32], const char **ret_mode,
                                       struct strata_error *error)
{
    size_t length = strcspn(options->cipher, "-");
    if (length == 0 || length >= 32 || options->cipher[length] == '\0') {
        return strata_error_set(error, STRATA_USAGE,
                                "cipher: \"%s\" is not CIPHER-MODE as in aes-xts-plain64",
                                options->cipher);
    }
    (void)snprintf(ret_cipher, 32, "%.*s", (int)length, options->cipher);
    *ret_mode = options->cipher + length + 1;
    return STRATA_OK;
}

static size_t key_bytes(const struct strata_dmcrypt_options *options, const char *mode)
{
    unsigned usual_bits = strncmp(mode, "xts", 3) == 0 ? 512 : 256;
    return (options->key_bits != 0 ? options->key_bits : usual_bits) / 8;
}

/* Give the handle its cipher; for LUKS2 the header goes onto the device. Returns as the library. */
static int format(struct strata_dmcrypt *mapping, const struct strata_dmcrypt_options *options,
                  const char *cipher, const char *mode, const char *key, size_t bytes)
{
    if (!options->luks2) {
        struct crypt_params_plain plain = {.sector_size = options->sector_bytes};
        return crypt_format(mapping->device, CRYPT_PLAIN, cipher, mode, NULL, NULL, bytes, &plain);
    }
    struct crypt_params_luks2 luks2 = {.sector_size = options->sector_bytes,
                                       .label = STRATA_DMCRYPT_PREFIX "scratch"};
    /* The key is random and forgotten: a slow derivation of it would protect nothing. */
    const struct crypt_pbkdf_type quick = {.type = CRYPT_KDF_PBKDF2,
                                           .hash = "sha256",
                                           .iterations = FEWEST_ITERATIONS,
                                           .flags = CRYPT_PBKDF_NO_BENCHMARK};
    int code = crypt_set_metadata_size(mapping->device, METADATA_BYTES, KEYSLOTS_BYTES);
    if (code >= 0) {
        code = crypt_set_pbkdf_type(mapping->device, &quick);
    }
    if (code < 0) {
        return code;
    }
    mapping->has_header = true;
    return crypt_format(mapping->device, CRYPT_LUKS2, cipher, mode, NULL, key, bytes, &luks2);
}

static uint32_t activation_flags(unsigned flags)
{
    return (flags & STRATA_DMCRYPT_SAME_CPU_CRYPT ? CRYPT_ACTIVATE_SAME_CPU_CRYPT : 0) |
           (flags & STRATA_DMCRYPT_SUBMIT_FROM_CRYPT_CPUS ? CRYPT_ACTIVATE_SUBMIT_FROM_CRYPT_CPUS
                                                          : 0) |
           (flags & STRATA_DMCRYPT_NO_READ_WORKQUEUE ? CRYPT_ACTIVATE_NO_READ_WORKQUEUE : 0) |
           (flags & STRATA_DMCRYPT_NO_WRITE_WORKQUEUE ? CRYPT_ACTIVATE_NO_WRITE_WORKQUEUE : 0);
}

static enum strata_status activate(struct strata_dmcrypt *mapping,
                                   const struct strata_dmcrypt_options *options,
                                   struct strata_error *error)
{
    char cipher[32];
    const char *mode = "";
    char key[MOST_KEY_BYTES];
    enum strata_status status = split_cipher(options, cipher, &mode, error);
    if (status != STRATA_OK) {
        return status;
    }
    size_t bytes = key_bytes(options, mode);
    if (bytes > sizeof(key)) {
        return strata_error_set(error, STRATA_USAGE, "key-size: %zu bits are more than %zu",
                                8 * bytes, 8 * sizeof(key));
    }
    strata_random_secret(key, bytes);
    int code = format(mapping, options, cipher, mode, key, bytes);
    if (code >= 0) {
        code = crypt_activate_by_volume_key(mapping->device, mapping->name, key, bytes,
                                            activation_flags(options->flags));
    }
    explicit_bzero(key, sizeof(key));
    if (code < 0) {
        char what[512];
        (void)snprintf(what, sizeof(what),
                       "%.256s: dm-crypt does not take cipher %.64s with a key of %zu bits and "
                       "sectors of %u bytes",
                       options->device, options->cipher, 8 * bytes, options->sector_bytes);
        return library_error(mapping, what, code, error);
    }
    mapping->data_offset_bytes = crypt_get_data_offset(mapping->device) * SECTOR_BYTES;
    return STRATA_OK;
}

/* Random bytes over both copies of the header: zeros would pass for blocks never written. */
static enum strata_status wipe_header(struct strata_dmcrypt *mapping, struct strata_error *error)
{
    int code = crypt_wipe(mapping->device, NULL, CRYPT_WIPE_RANDOM, 0, 2 * METADATA_BYTES,
                          WIPE_BLOCK_BYTES, 0, NULL, NULL);
    return code >= 0
               ? STRATA_OK
               : library_error(mapping, "the LUKS2 header made for the run stays", code, error);
}

static enum strata_status leave(struct strata_dmcrypt *mapping, struct strata_error *error)
{
    enum strata_status status = STRATA_OK;
    if (mapping->has_header) {
        status = wipe_header(mapping, error);
    }
    crypt_free(mapping->device);
    free(mapping);
    return status;
}

enum strata_status strata_dmcrypt_open(const struct strata_dmcrypt_options *options,
                                       struct strata_dmcrypt **ret_mapping,
                                       struct strata_error *error)
{
    *ret_mapping = NULL;
    enum strata_status status = check_host(options->device, error);
    if (status != STRATA_OK) {
        return status;
    }
    struct strata_dmcrypt *mapping = strata_memory_new(1, sizeof(*mapping));
    char uuid[37];
    strata_random_uuid(uuid);
    (void)snprintf(mapping->name, sizeof(mapping->name), STRATA_DMCRYPT_PREFIX "%.8s", uuid);
    (void)snprintf(mapping->path, sizeof(mapping->path), "/dev/mapper/%s", mapping->name);
    int code = crypt_init(&mapping->device, options->device);
    if (code < 0) {
        status = library_error(mapping, options->device, code, error);
        free(mapping);
        return status;
    }
    crypt_set_log_callback(mapping->device, keep_log, mapping);
    status = activate(mapping, options, error);
    if (status != STRATA_OK) {
        struct strata_error beside;
        (void)leave(mapping, &beside);
        return status;
    }
    *ret_mapping = mapping;
    return STRATA_OK;
}

const char *strata_dmcrypt_path(const struct strata_dmcrypt *mapping)
{
    return mapping->path;
}

uint64_t strata_dmcrypt_data_offset(const struct strata_dmcrypt *mapping)
{
    return mapping->data_offset_bytes;
}

enum strata_status strata_dmcrypt_close(struct strata_dmcrypt *mapping, struct strata_error *error)
{
    int code = crypt_deactivate_by_name(mapping->device, mapping->name, 0);
    if (code >= 0) {
        return leave(mapping, error);
    }
    /* Somebody holds it, or operations that never end do: then writing to the device might not end
     * either, and the header is left alone. */
    (void)crypt_deactivate_by_name(mapping->device, mapping->name, CRYPT_DEACTIVATE_DEFERRED);
    char what[256];
    (void)snprintf(what, sizeof(what),
                   "%s: the mapping cannot be removed; the kernel was told to do so after its last "
                   "user%s",
                   mapping->path, mapping->has_header ? ", and its LUKS2 header stays" : "");
    mapping->has_header = false;
    enum strata_status status = library_error(mapping, what, code, error);
    (void)leave(mapping, error);
    return status;
}

#endif
