/* Opening a back end for one run: the block target, and Strata's cipher over it where asked.
 *
 * Always holds: what is opened for writing has passed the guard again at this very moment; keys are
 * wiped after use and stand in no message. */
#include "layers/device/device.h"

#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/target/crypt.h"
#include "common/target/null.h"
#include "common/target/side_by_side.h"
#include "common/target/stripe.h"
#include "common/target/verify.h"
#include "layers/device/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NULL_SPACE_BYTES (UINT64_C(1) << 40) /* what engine null pretends to address */

enum { UNWRITTEN_ONE_IN = 20 }; /* more never-written blocks than this share make a run invalid */

bool strata_device_has_filter(const struct strata_backend *backend)
{
    return strncmp(backend->encryption, "aes-xts-", 8) == 0;
}

void strata_device_filter_cipher(const struct strata_backend *backend,
                                 struct strata_dm_crypt *ret_cipher)
{
    bool aes_128 = strcmp(backend->encryption, "aes-xts-128") == 0;
    *ret_cipher = (struct strata_dm_crypt){
        .cipher = "aes-xts-plain64",
        .key_bits = aes_128 ? 256 : 512, /* two keys */
        .sector_bytes = (unsigned)strata_element_number(backend->element, "sector-size")};
}

enum strata_status strata_device_open_block(const struct strata_backend *backend,
                                            struct strata_block_options options,
                                            struct strata_target **ret_target,
                                            struct strata_error *error)
{
    options.offset_bytes = strata_element_number(backend->element, "offset");
    options.size_bytes = strata_element_number(backend->element, "size");
    options.give_up_ns = strata_element_number(backend->element, "give-up");
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
    struct strata_dm_crypt cipher;
    strata_device_filter_cipher(backend, &cipher);
    const struct strata_crypt_options options = {
        .key = key, .key_bytes = cipher.key_bits / 8, .sector_size = cipher.sector_bytes};
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

/* Whether the run may have its devices: the guard lets them pass again, or a mapping that it has
 * let pass too is made for this run. */
static enum strata_status provide(struct strata_run_context *context, struct strata_error *error)
{
    const struct strata_backend *backend = context->backend;
    if (!strata_device_provisions(backend)) {
        return strata_device_guard(backend, strata_workload_writes(context->workload), error);
    }
    struct strata_device_mapping *mapping;
    enum strata_status status = strata_device_map(backend, &mapping, error);
    if (status == STRATA_OK) {
        context->provision = mapping;
        (void)snprintf(context->place, sizeof(context->place), "%s",
                       strata_device_mapping_path(mapping));
    }
    return status;
}

/* The devices of an address space, below what makes one of several. */
static struct strata_target *block_of(const struct strata_backend *backend,
                                      struct strata_target *stack)
{
    return strata_device_is_striped(backend) ? strata_stripe_inner(stack) : stack;
}

/* On failure the target is closed. */
static enum strata_status begin_rounds(struct strata_run_context *context,
                                       struct strata_target *stack, struct strata_error *error)
{
    enum strata_status status =
        strata_device_begin_rounds(context, block_of(context->backend, stack), error);
    if (status != STRATA_OK) {
        stack->type->close(stack);
    }
    return status;
}

/* The mapping that was made for the run, after a look for blocks that were never written below. */
static enum strata_status open_mapping(struct strata_run_context *context,
                                       struct strata_block_options options,
                                       struct strata_target **ret_target,
                                       struct strata_error *error)
{
    options.path = context->place;
    enum strata_status status =
        strata_device_open_block(context->backend, options, ret_target, error);
    if (status != STRATA_OK) {
        return status;
    }
    status = strata_device_sample_below(context->backend, context->provision, options.block_bytes,
                                        error);
    if (status != STRATA_OK) {
        (*ret_target)->type->close(*ret_target);
    }
    if (status == STRATA_OK && context->workload->rounds > 0) {
        status = begin_rounds(context, *ret_target, error);
    }
    return status == STRATA_OK ? strata_device_add_verify(context, 0, ret_target, error) : status;
}

/* The n-th address space with its filters. */
static enum strata_status open_filtered(struct strata_run_context *context, unsigned stack,
                                        struct strata_block_options options,
                                        struct strata_target **ret_target,
                                        struct strata_error *error)
{
    enum strata_status status =
        strata_device_open_stack(context->backend, stack, options, ret_target, error);
    if (status == STRATA_OK && context->workload->rounds > 0) {
        status = begin_rounds(context, *ret_target, error);
    }
    if (status == STRATA_OK && strata_device_has_filter(context->backend)) {
        status = strata_device_add_filter(context->backend, *ret_target, ret_target, error);
    }
    return status == STRATA_OK ? strata_device_add_verify(context, stack, ret_target, error)
                               : status;
}

static enum strata_status open_side_by_side(struct strata_run_context *context,
                                            struct strata_block_options options,
                                            struct strata_target **ret_target,
                                            struct strata_error *error)
{
    if (context->workload->rounds > 0) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                STRATA_UNSUPPORTED "rounds until devices side by side are "
                                                   "steady; expected one, or a striped set");
    }
    unsigned count = strata_device_stacks(context->backend);
    struct strata_target **members = strata_memory_new(count, sizeof(struct strata_target *));
    unsigned opened = 0;
    enum strata_status status = STRATA_OK;
    while (opened < count && status == STRATA_OK) {
        status = open_filtered(context, opened, options, &members[opened], error);
        opened += status == STRATA_OK;
    }
    if (status == STRATA_OK) {
        *ret_target = strata_side_by_side_open(members, count);
    }
    for (unsigned n = 0; n < opened && status != STRATA_OK; n++) {
        members[n]->type->close(members[n]);
    }
    free(members);
    return status;
}

static enum strata_status open_device(struct strata_run_context *context,
                                      struct strata_target **ret_target, struct strata_error *error)
{
    context->give_up_ns = strata_element_number(context->backend->element, "give-up");
    enum strata_status status = provide(context, error);
    if (status != STRATA_OK) {
        return status;
    }
    const struct strata_workload *workload = context->workload;
    struct strata_block_options options = {.writable = strata_workload_writes(workload),
                                           .block_bytes = context->first_phase->bytes,
                                           .polled = is_polled(workload)};
    const char *name = engine_of(workload);
    char reason[160];
    enum strata_block_engine asked = strcmp(name, "sync") == 0    ? STRATA_BLOCK_SYNC
                                     : strcmp(name, "uring") == 0 ? STRATA_BLOCK_URING
                                                                  : STRATA_BLOCK_AIO;
    options.engine = strata_block_engine_resolve(asked, reason, sizeof(reason));
    if (context->provision != NULL) {
        return open_mapping(context, options, ret_target, error);
    }
    return strata_device_stacks(context->backend) > 1
               ? open_side_by_side(context, options, ret_target, error)
               : open_filtered(context, 0, options, ret_target, error);
}

enum strata_status strata_device_open(struct strata_run_context *context,
                                      struct strata_target **ret_target, struct strata_error *error)
{
    if (strata_device_in_memory(context->workload->source)) {
        return strata_device_memory_open(context->workload, ret_target, error);
    }
    if (!is_null(context->workload)) {
        return open_device(context, ret_target, error);
    }
    enum strata_status status = open_null(context->workload, ret_target, error);
    if (status == STRATA_OK && strata_device_has_filter(context->backend)) {
        status = strata_device_add_filter(context->backend, *ret_target, ret_target, error);
    }
    return status;
}

void strata_device_findings(struct strata_target *target, struct strata_run_context *context)
{
    if (strata_device_in_memory(context->workload->source) || is_null(context->workload)) {
        return;
    }
    unsigned stacks = strata_device_stacks(context->backend);
    unsigned sampled = 0;
    unsigned unwritten = 0;
    for (unsigned n = 0; n < stacks; n++) {
        struct strata_target *stack = stacks > 1 ? strata_side_by_side_member(target, n) : target;
        if (strata_device_verifies(context->workload)) {
            strata_device_judge_verify(context, stack, n);
            stack = strata_verify_inner(stack);
        }
        if (strata_device_has_filter(context->backend)) {
            stack = strata_crypt_inner(stack);
        }
        unsigned here;
        unsigned unwritten_here;
        strata_block_samples(block_of(context->backend, stack), &here, &unwritten_here);
        sampled += here;
        unwritten += unwritten_here;
    }
    if (sampled > 0 && context->provision != NULL) {
        strata_device_mapping_samples(context->provision, &sampled, &unwritten);
    }
    if (unwritten * UNWRITTEN_ONE_IN > sampled && context->flags[0] == '\0') {
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
