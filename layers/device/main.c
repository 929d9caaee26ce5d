/* strata-device: raw block devices, and files that stand for them, plain and encrypted. */
#include "common/cli/main.h"
#include "layers/device/device.h"
#include "layers/device/volumes.h"

#include <stddef.h>

/* What a device is measured by when nothing is asked: operations per second at 512 bytes and bytes
 * per second at 256 KiB; written only when overwriting something was permitted. */
static enum strata_status default_workloads(struct strata_plan *plan,
                                            const struct strata_permissions *permissions,
                                            struct strata_error *error)
{
    static const char *const elements[] = {"iops", "transfer"};
    const char *operations = permissions->overwrite_count > 0 ? "read write" : "read";
    for (size_t i = 0; i < sizeof(elements) / sizeof(elements[0]); i++) {
        struct strata_element *element = strata_plan_add(
            plan, strata_element_type_find(STRATA_ROLE_WORKLOAD, STRATA_LAYER_DEVICE, elements[i]));
        enum strata_status status = strata_element_set(element, "operations", operations, error);
        if (status != STRATA_OK) {
            return status;
        }
    }
    return STRATA_OK;
}

/* The layer has two kinds of back ends: what is measured by its blocks or in memory, and what makes
 * volumes. */

static enum strata_status expand(const struct strata_element *element,
                                 const struct strata_backend *plain,
                                 const struct strata_backend *encrypted, struct strata_cells *cells,
                                 struct strata_error *error)
{
    return strata_device_is_volumes(plain)
               ? strata_device_volumes_expand(element, plain, encrypted, cells, error)
               : strata_device_expand(element, plain, encrypted, cells, error);
}

static enum strata_status inspect(struct strata_backend *backend, bool writes,
                                  struct strata_error *error)
{
    return strata_device_is_volumes(backend) ? strata_device_volumes_inspect(backend, error)
                                             : strata_device_inspect(backend, writes, error);
}

static enum strata_status open_target(struct strata_run_context *context,
                                      struct strata_target **ret_target, struct strata_error *error)
{
    return strata_device_is_volumes(context->backend)
               ? strata_device_volumes_open(context, ret_target, error)
               : strata_device_open(context, ret_target, error);
}

static void find(struct strata_target *target, struct strata_run_context *context)
{
    if (strata_device_is_volumes(context->backend)) {
        strata_device_volumes_findings(target, context);
    } else {
        strata_device_findings(target, context);
    }
}

static const struct strata_layer layer = {
    .id = STRATA_LAYER_DEVICE,
    .program = "strata-device",
    .summary = "measure block devices, plain and encrypted, with direct I/O",
    .examples = "  strata-device --plain /dev/nvme1n1 --op randread --depth 1,32\n"
                "  strata-device --plain FILE --encrypt aes-xts-256 --op read --pairs 10\n"
                "  strata-device --plain /dev/sda --versus /dev/sdb --op randread --pairs 10\n"
                "  strata-device --plain /dev/sda,/dev/sdb --arrangement side-by-side --jobs 2\n"
                "  strata-device --scenario cipher --ciphers aes-xts-256,aes-xts-512 --jobs 1,2\n"
                "  strata-device --scenario key-derivation\n"
                "  strata-device --scenario volumes --plain DIR --encrypt luks --count 20\n",
    .backend_element = "device",
    .workload_element = "workload",
    .encrypted_default = "dm-crypt",
    .may_hang = true,
    .default_workloads = default_workloads,
    .expand = expand,
    .inspect = inspect,
    .open = open_target,
    .findings = find,
    .release = strata_device_release,
};

int main(int argc, char **argv)
{
    return strata_cli_main(&layer, argc, argv);
}
