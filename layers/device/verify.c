/* Verifying a run: the filter over its devices, and what it found in words.
 *
 * Always holds: a wrong byte is named by the device and the byte on it that dd would read; what
 * could not be checked is said, and never passed over. */
#include "layers/device/device.h"

#include "common/base/stop.h"
#include "common/target/crypt.h"
#include "common/target/stripe.h"
#include "common/target/verify.h"

#include <inttypes.h>
#include <stdio.h>

enum strata_status strata_device_add_verify(const struct strata_run_context *context,
                                            unsigned stack, struct strata_target **target,
                                            struct strata_error *error)
{
    if (!strata_device_verifies(context->workload)) {
        return STRATA_OK;
    }
    const struct strata_verify_options options = {.key = context->run_seed + stack,
                                                  .block_bytes = context->workload->block_bytes};
    enum strata_status status = strata_verify_open(*target, &options, target, error);
    if (status != STRATA_OK) {
        (*target)->type->close(*target);
    }
    return status;
}

/* The device, and the byte of it, of a byte of the address space. */
static const char *locate(const struct strata_run_context *context,
                          const struct strata_target *target, unsigned stack, uint64_t position,
                          uint64_t *ret_byte)
{
    const struct strata_backend *backend = context->backend;
    const char *path = context->place[0] != '\0' ? context->place : backend->places[stack];
    if (strata_device_is_striped(backend)) {
        const struct strata_target *below = strata_verify_inner(target);
        if (strata_device_has_filter(backend)) {
            below = strata_crypt_inner(below);
        }
        path = backend->places[strata_stripe_locate(below, position, &position)];
    }
    *ret_byte = strata_element_number(backend->element, "offset") + position;
    return path;
}

void strata_device_judge_verify(struct strata_run_context *context, struct strata_target *target,
                                unsigned stack)
{
    struct strata_error error = {.text = ""};
    struct strata_verify_finding finding;
    enum strata_status status = STRATA_OK;
    if (strata_stop_signal == 0) {
        status = strata_verify_read_back(target, &error);
    }
    strata_verify_findings(target, &finding);
    if (context->flags[0] != '\0') {
        return; /* what was found first stands */
    }
    if (finding.wrong_blocks > 0) {
        uint64_t byte;
        const char *path =
            locate(context, target, stack,
                   finding.block * context->workload->block_bytes + finding.byte, &byte);
        char text[512];
        (void)snprintf(text, sizeof(text),
                       "verify: block %" PRIu64 ", byte %" PRIu64
                       " of %s: expected 0x%02x, found 0x%02x; %s (wrong blocks: %" PRIu64 ")",
                       finding.block, byte, path, finding.expected, finding.found, finding.what,
                       finding.wrong_blocks);
        (void)snprintf(context->flags, sizeof(context->flags), "%.255s", text);
    } else if (status != STRATA_OK) {
        (void)snprintf(context->flags, sizeof(context->flags), "%.255s", error.text);
    }
}
