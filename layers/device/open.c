/* Opening a back end for one run: the block target, and Strata's cipher over it where asked.
 *
 * Always holds: what is opened for writing has passed the guard again at this very moment; keys are
 * wiped after use and stand in no message. */
#include "layers/device/device.h"

#include "common/base/random.h"
#include "common/host/guard.h"
#include "common/target/crypt.h"
#include "common/target/null.h"
#include "layers/device/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NULL_SPACE_BYTES (UINT64_C(1) << 40) /* what engine null pretends to address */

enum { UNWRITTEN_ONE_IN = 20 }; /* more never-written blocks than this share make a run invalid */

bool strata_device_has_filter(const struct strata_backend *backend)
{
    return strncmp(backend->encryption, "aes-xts-", 8) == 0;
}

enum strata_status strata_device_guard(const struct strata_backend *backend, bool writes,
                                       struct strata_error *error)
{
    const struct strata_permissions *allowed = backend->permissions;
    const struct strata_guard_permissions permissions = {
        .overwrite = allowed->overwrite,
        .overwrite_count = allowed->overwrite_count,
        .overwrite_signature = allowed->overwrite_signature};
    return strata_guard_device(strata_element_text(backend->element, "path"), &permissions, writes,
                               error);
}

enum strata_status strata_device_open_block(const struct strata_backend *backend,
                                            struct strata_block_options options,
                                            struct strata_target **ret_target,
                                            struct strata_error *error)
{
    options.offset_bytes = strata_element_number(backend->element, "offset");
    options.size_bytes = strata_element_number(backend->element, "size");
    return strata_block_open(&options, ret_target, error);
}

/* Exactly `key_bytes` bytes from the file, which must hold no more. */
static enum strata_status read_key(const char *path, uint8_t *key, size_t key_bytes,
                                   struct strata_error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        return strata_error_set(error, STRATA_ENVIRONMENT, "key-file %s: %s", path,
                                strerror(errno));
    }
    uint8_t beyond;
    bool exact = read(fd, key, key_bytes) == (ssize_t)key_bytes && read(fd, &beyond, 1) == 0;
    close(fd);
    if (!exact) {
        return strata_error_set(error, STRATA_USAGE, "key-file %s: expected exactly %zu raw bytes",
                                path, key_bytes);
    }
    return STRATA_OK;
}

enum strata_status strata_device_add_filter(const struct strata_backend *backend,
                                            struct strata_target *inner,
                                            struct strata_target **ret_target,
                                            struct strata_error *error)
{
    uint8_t key[64];
    const struct strata_crypt_options options = {
        .key = key,
        .key_bytes = strcmp(backend->encryption, "aes-xts-128") == 0 ? 32 : 64,
        .sector_size = strata_element_number(backend->element, "sector-size")};
    const char *key_file = strata_element_text(backend->element, "key-file");
    enum strata_status status = STRATA_OK;
    if (key_file != NULL) {
        status = read_key(key_file, key, options.key_bytes, error);
    } else {
        strata_random_secret(key, options.key_bytes);
    }
    if (status == STRATA_OK) {
        status = strata_crypt_open(inner, &options, ret_target, error);
    }
    explicit_bzero(key, sizeof(key));
    if (status != STRATA_OK) {
        inner->type->close(inner);
    }
    return status;
}

/* The engine of the workload's element; a rung of the ladder has none and takes aio. */
static const char *engine_of(const struct strata_workload *workload)
{
    return workload->source->type->role == STRATA_ROLE_LADDER
               ? "aio"
               : strata_element_text(workload->source, "engine");
}

static bool is_null(const struct strata_workload *workload)
{
    return strcmp(engine_of(workload), "null") == 0;
}

static bool is_polled(const struct strata_workload *workload)
{
    return workload->source->type->role != STRATA_ROLE_LADDER &&
           strcmp(strata_element_text(workload->source, "polled"), "yes") == 0;
}

static enum strata_status open_null(const struct strata_workload *workload,
                                    struct strata_target **ret_target, struct strata_error *error)
{
    const struct strata_null_options options = {.items = NULL_SPACE_BYTES / workload->block_bytes,
                                                .bytes = workload->block_bytes};
    return strata_null_open(&options, ret_target, error);
}

/* The path that the run uses: the back end's own, once the guard has let it pass again, or that of
 * a mapping made for this run, which the guard has let pass too. */
static enum strata_status find_place(struct strata_run_context *context, bool writes,
                                     const char **ret_path, struct strata_error *error)
{
    const struct strata_backend *backend = context->backend;
    *ret_path = strata_element_text(backend->element, "path");
    if (!strata_device_provisions(backend)) {
        return strata_device_guard(backend, writes, error);
    }
    struct strata_device_mapping *mapping;
    enum strata_status status = strata_device_map(backend, &mapping, error);
    if (status != STRATA_OK) {
        return status;
    }
    context->provision = mapping;
    *ret_path = strata_device_mapping_path(mapping);
    (void)snprintf(context->place, sizeof(context->place), "%s", *ret_path);
    return STRATA_OK;
}

static enum strata_status open_device(struct strata_run_context *context,
                                      struct strata_target **ret_target, struct strata_error *error)
{
    const struct strata_workload *workload = context->workload;
    bool writes = strata_workload_writes(workload);
    struct strata_block_options options = {.writable = writes,
                                           .block_bytes = context->first_phase->bytes,
                                           .polled = is_polled(workload)};
    enum strata_status status = find_place(context, writes, &options.path, error);
    if (status != STRATA_OK) {
        return status;
    }
    const char *name = engine_of(workload);
    char reason[160];
    enum strata_block_engine asked = strcmp(name, "sync") == 0    ? STRATA_BLOCK_SYNC
                                     : strcmp(name, "uring") == 0 ? STRATA_BLOCK_URING
                                                                  : STRATA_BLOCK_AIO;
    options.engine = strata_block_engine_resolve(asked, reason, sizeof(reason));
    status = strata_device_open_block(context->backend, options, ret_target, error);
    if (status == STRATA_OK && context->provision != NULL) {
        status = strata_device_sample_below(context->backend, context->provision,
                                            context->first_phase->bytes, error);
        if (status != STRATA_OK) {
            (*ret_target)->type->close(*ret_target);
        }
    }
    return status;
}

enum strata_status strata_device_open(struct strata_run_context *context,
                                      struct strata_target **ret_target, struct strata_error *error)
{
    if (strata_memory_takes(context->workload->source)) {
        return strata_memory_open(context->workload, ret_target, error);
    }
    struct strata_target *target = NULL;
    enum strata_status status = is_null(context->workload)
                                    ? open_null(context->workload, &target, error)
                                    : open_device(context, &target, error);
    if (status == STRATA_OK && context->workload->rounds > 0) {
        status = strata_device_begin_rounds(context, target, error);
    }
    if (status == STRATA_OK && strata_device_has_filter(context->backend)) {
        status = strata_device_add_filter(context->backend, target, &target, error);
    }
    *ret_target = target;
    return status;
}

void strata_device_findings(struct strata_target *target, struct strata_run_context *context)
{
    if (strata_memory_takes(context->workload->source) || is_null(context->workload)) {
        return;
    }
    const struct strata_target *block =
        strata_device_has_filter(context->backend) ? strata_crypt_inner(target) : target;
    unsigned sampled;
    unsigned unwritten;
    strata_block_samples(block, &sampled, &unwritten);
    if (sampled > 0 && context->provision != NULL) {
        strata_device_mapping_samples(context->provision, &sampled, &unwritten);
    }
    if (unwritten * UNWRITTEN_ONE_IN > sampled) {
        (void)snprintf(context->flags, sizeof(context->flags),
                       "unwritten blocks were read: %u of %u sampled ones were never written; "
                       "write the whole of it first",
                       unwritten, sampled);
    }
}

enum strata_status strata_device_release(struct strata_run_context *context,
                                         struct strata_error *error)
{
    return context->provision != NULL ? strata_device_unmap(context->provision, error) : STRATA_OK;
}
