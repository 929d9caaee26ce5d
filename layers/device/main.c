/* strata-device: raw block devices, and files that stand for them, plain and encrypted. */
#include "common/cli/main.h"
#include "layers/device/device.h"

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

static const struct strata_layer layer = {
    .id = STRATA_LAYER_DEVICE,
    .program = "strata-device",
    .summary = "measure block devices, plain and encrypted, with direct I/O",
    .examples = "  strata-device --plain /dev/nvme1n1 --op randread --depth 1,32\n"
                "  strata-device --plain FILE --encrypt aes-xts-256 --op read --pairs 10\n"
                "  strata-device --scenario cipher --ciphers aes-xts-256,aes-xts-512 --jobs 1,2\n"
                "  strata-device --scenario key-derivation\n",
    .backend_element = "device",
    .workload_element = "workload",
    .encrypted_default = "dm-crypt",
    .may_hang = true,
    .default_workloads = default_workloads,
    .expand = strata_device_expand,
    .inspect = strata_device_inspect,
    .open = strata_device_open,
    .findings = strata_device_findings,
    .release = strata_device_release,
};

int main(int argc, char **argv)
{
    return strata_cli_main(&layer, argc, argv);
}
