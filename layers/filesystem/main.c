/* strata-filesystem: what a mounted file system delivers, plain and encrypted.
 *
 * Kernel file systems and FUSE alike are measured through system calls, by the target `posix`; the
 * layer says which trees of files and in which order they are made, used and removed. */
#include "common/cli/main.h"
#include "layers/filesystem/filesystem.h"

#include <string.h>

static enum strata_status open_target(struct strata_run_context *context,
                                      struct strata_target **ret_target, struct strata_error *error)
{
    struct strata_posix_options options = strata_filesystem_options(context->workload);
    options.path = strata_element_text(context->backend->element, "path");
    options.run_uuid = context->run_uuid;
    options.seed = context->run_seed;
    options.fscrypt = strcmp(context->backend->encryption, "fscrypt") == 0;
    return strata_posix_open(&options, ret_target, error);
}

static void find(struct strata_target *target, struct strata_run_context *context)
{
    strata_posix_findings(target, context->flags, sizeof(context->flags));
}

static const struct strata_layer filesystem_layer = {
    .id = STRATA_LAYER_FILESYSTEM,
    .program = "strata-filesystem",
    .summary = "metadata throughput and whole-file transfer of a mounted file system",
    .examples = "  strata-filesystem --plain /srv/data --files 100000 --jobs 1,8\n"
                "  strata-filesystem --plain /mnt/ext4 --encrypt fscrypt --pairs 10\n",
    .backend_element = "filesystem",
    .workload_element = "metadata",
    .encrypted_default = "provider",
    .expand = strata_filesystem_expand,
    .inspect = strata_filesystem_inspect,
    .open = open_target,
    .findings = find,
};

int main(int argc, char **argv)
{
    return strata_cli_main(&filesystem_layer, argc, argv);
}
