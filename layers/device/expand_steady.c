/* Rounds until steady, on a device: what comes before them, and what of the standard's procedure a
 * run leaves out.
 *
 * Always holds: preconditioning and purge change content, so that a workload with either counts as
 * one that writes and the guard is asked; only a whole physical device can follow the standard.
 * What steady means is common/campaign/steady.c's. */
#include "layers/device/device.h"

#include "common/base/memory.h"
#include "common/base/text.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Of the preconditioning: 128 KiB as the standard asks; so many in flight keep a device busy. */
enum { PRECONDITION_BLOCK_BYTES = 131072, PRECONDITION_DEPTH = 32 };

static bool purges(const struct strata_element *element)
{
    return strcmp(strata_element_text(element, "purge"), "discard") == 0;
}

enum strata_status strata_device_check_rounds(const struct strata_element *element,
                                              struct strata_error *error)
{
    if (purges(element) && strata_element_number(element, "precondition") == 0) {
        return strata_error_set(error, STRATA_USAGE,
                                "purge: discard needs a precondition of 1 or more: else the rounds "
                                "work on blocks that were never written");
    }
    if (strcmp(strata_element_text(element, "engine"), "null") == 0) {
        return strata_error_set(
            error, STRATA_USAGE,
            "engine: null touches no device, so that nothing can become steady");
    }
    return STRATA_OK;
}

static struct strata_load precondition(const struct strata_element *element)
{
    bool one = strcmp(strata_element_text(element, "engine"), "sync") == 0;
    return (struct strata_load){.phase = "precondition",
                                .jobs = 1,
                                .depth = one ? 1 : PRECONDITION_DEPTH,
                                .bytes = PRECONDITION_BLOCK_BYTES,
                                .mix = {{.kind = STRATA_OPERATION_WRITE, .weight = 100}},
                                .mix_count = 1,
                                .order = STRATA_ORDER_SEQUENTIAL};
}

void strata_device_add_rounds(struct strata_workload *workload)
{
    const struct strata_element *element = workload->source;
    struct strata_load round = workload->phases[0];
    round.phase = "round";
    workload->rounds = (unsigned)strata_element_number(element, "rounds");
    workload->precondition_passes = (unsigned)strata_element_number(element, "precondition");
    workload->expected_ns *= workload->rounds;
    free(workload->phases);
    workload->phases = strata_memory_new(2, sizeof(*workload->phases));
    workload->phase_count = 0;
    if (workload->precondition_passes > 0) {
        workload->phases[workload->phase_count++] = precondition(element);
    }
    workload->phases[workload->phase_count++] = round;

    struct strata_text json = {0};
    strata_text_append_bytes(&json, workload->parameters, strlen(workload->parameters) - 1);
    strata_text_format(&json, ",\"rounds\":%u,\"precondition\":%u,\"purge\":\"%s\"}",
                       workload->rounds, workload->precondition_passes,
                       strata_element_text(element, "purge"));
    free(workload->parameters);
    workload->parameters = json.bytes;
}

/* A disk of its own, by sysfs: a partition is a part of one; loop, device mapper, md and zram lie
 * below /sys/devices/virtual/block. */
static bool is_physical(const char *path)
{
    struct stat found;
    char link[64];
    char device[PATH_MAX];
    if (stat(path, &found) != 0) {
        return false;
    }
    (void)snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", major(found.st_rdev),
                   minor(found.st_rdev));
    return realpath(link, device) != NULL && strstr(device, "/virtual/block/") == NULL;
}

static bool is_partition(const char *path)
{
    struct stat found;
    char name[80];
    if (stat(path, &found) != 0) {
        return false;
    }
    (void)snprintf(name, sizeof(name), "/sys/dev/block/%u:%u/partition", major(found.st_rdev),
                   minor(found.st_rdev));
    return access(name, F_OK) == 0;
}

static void list_left_out(struct strata_run_context *context, const struct strata_target *target)
{
    const char *path = context->place[0] != '\0'
                           ? context->place
                           : strata_element_text(context->backend->element, "path");
    bool set = context->backend->place_count > 1;
    bool whole = strata_block_is_whole_device(target) && !is_partition(path);
    (void)snprintf(context->left_out, sizeof(context->left_out), "%s%s%s%s",
                   purges(context->workload->source) ? "" : "purge; ",
                   whole ? "" : "the whole of a device; ",
                   is_physical(path) ? "" : "a physical device; ", set ? "one device; " : "");
    size_t length = strlen(context->left_out);
    context->left_out[length > 1 ? length - 2 : 0] = '\0';
}

enum strata_status strata_device_begin_rounds(struct strata_run_context *context,
                                              struct strata_target *target,
                                              struct strata_error *error)
{
    const struct strata_workload *workload = context->workload;
    enum strata_status status = STRATA_OK;
    list_left_out(context, target);
    if (purges(workload->source) && context->first_phase == workload->phases) {
        status = strata_block_discard(target, error);
    }
    return status;
}
