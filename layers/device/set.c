/* The devices of a back end: one, several as one, or several side by side.
 *
 * Always holds: each member passes the guard and every check of a single device by itself, and is
 * named where it does not; no device stands in a set twice. */
#include "layers/device/device.h"

#include "common/base/memory.h"
#include "common/host/guard.h"
#include "common/target/side_by_side.h"
#include "common/target/stripe.h"

#include <stdlib.h>
#include <string.h>

bool strata_device_is_striped(const struct strata_backend *backend)
{
    return backend->place_count > 1 &&
           strcmp(strata_element_text(backend->element, "arrangement"), "striped") == 0;
}

unsigned strata_device_stacks(const struct strata_backend *backend)
{
    return strata_device_is_striped(backend) ? 1 : (unsigned)backend->place_count;
}

static bool same(const struct stat *a, const struct stat *b)
{
    return S_ISBLK(a->st_mode) ? S_ISBLK(b->st_mode) && a->st_rdev == b->st_rdev
                               : a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Two names of one device would halve it and call that a set. */
static enum strata_status check_distinct(const struct strata_backend *backend,
                                         struct strata_error *error)
{
    struct stat *found = strata_memory_new(backend->place_count, sizeof(*found));
    enum strata_status status = STRATA_OK;
    for (size_t n = 0; n < backend->place_count && status == STRATA_OK; n++) {
        status = strata_guard_identify(backend->places[n], &found[n], error);
        for (size_t other = 0; other < n && status == STRATA_OK; other++) {
            if (same(&found[n], &found[other])) {
                status = strata_error_set(error, STRATA_USAGE,
                                          "%s and %s are the same device; expected different "
                                          "ones in a set",
                                          backend->places[other], backend->places[n]);
            }
        }
    }
    free(found);
    return status;
}

enum strata_status strata_device_guard(const struct strata_backend *backend, bool writes,
                                       struct strata_error *error)
{
    const struct strata_permissions *allowed = backend->permissions;
    const struct strata_guard_permissions permissions = {
        .overwrite = allowed->overwrite,
        .overwrite_count = allowed->overwrite_count,
        .overwrite_signature = allowed->overwrite_signature};
    enum strata_status status = check_distinct(backend, error);
    for (size_t n = 0; n < backend->place_count && status == STRATA_OK; n++) {
        status = strata_guard_device(backend->places[n], &permissions, writes,
                                     strata_element_number(backend->element, "give-up"), error);
    }
    return status;
}

static enum strata_status open_striped(const struct strata_backend *backend,
                                       struct strata_block_options options,
                                       struct strata_target **ret_target,
                                       struct strata_error *error)
{
    uint64_t chunk_bytes = strata_element_number(backend->element, "chunk");
    const struct strata_stripe_options stripe = {
        .members = (unsigned)backend->place_count,
        .chunk_bytes = chunk_bytes,
        .block_bytes = options.block_bytes != 0 ? options.block_bytes : chunk_bytes};
    options.block_bytes = strata_stripe_unit(chunk_bytes, stripe.block_bytes);
    struct strata_target **members =
        strata_memory_new(stripe.members, sizeof(struct strata_target *));
    unsigned opened = 0;
    enum strata_status status = STRATA_OK;
    while (opened < stripe.members && status == STRATA_OK) {
        options.path = backend->places[opened];
        status = strata_device_open_block(backend, options, &members[opened], error);
        opened += status == STRATA_OK;
    }
    if (status == STRATA_OK) {
        members[0] = strata_block_join(members, stripe.members);
        opened = 1;
        status = strata_stripe_open(members[0], &stripe, ret_target, error);
    }
    for (unsigned n = 0; n < opened && status != STRATA_OK; n++) {
        members[n]->type->close(members[n]);
    }
    free(members);
    return status;
}

enum strata_status strata_device_open_stack(const struct strata_backend *backend, unsigned stack,
                                            struct strata_block_options options,
                                            struct strata_target **ret_target,
                                            struct strata_error *error)
{
    if (strata_device_is_striped(backend)) {
        return open_striped(backend, options, ret_target, error);
    }
    options.path = backend->places[stack];
    return strata_device_open_block(backend, options, ret_target, error);
}
