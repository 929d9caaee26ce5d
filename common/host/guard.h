/* Whether a device or a file may be measured, and above all whether it may be overwritten. */
#ifndef STRATA_HOST_GUARD_H
#define STRATA_HOST_GUARD_H

#include "common/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* What the user allowed; see struct strata_permissions of the campaign. */
struct strata_guard_permissions {
    const char *const *overwrite; /* paths that may lose their content */
    size_t overwrite_count;
    bool overwrite_signature; /* even when they carry a file system or the like */
};

/* What stands at `path`, symbolic links followed: only a block device or a regular file passes.
 * Errors: STRATA_USAGE for another kind or an empty path, STRATA_ENVIRONMENT when it is missing. */
enum strata_status strata_guard_identify(const char *path, struct stat *ret_stat,
                                         struct strata_error *error);

/* Pass when `path` may be read (`writes` false) or overwritten. Reading asks for the right kind
 * only. Overwriting asks that one of permissions->overwrite is the same device or file (by its
 * number, whatever its name), that nothing uses it or a part of it, and that it carries no file
 * system, partition table, LUKS header or other signature, unless permitted. Writes nothing. Takes
 * `give_up_ns` at most.
 * Errors: STRATA_ENVIRONMENT for what is in use, cannot be opened or does not answer in time;
 * STRATA_USAGE for what is not allowed; each names what was found. */
enum strata_status strata_guard_device(const char *path,
                                       const struct strata_guard_permissions *permissions,
                                       bool writes, uint64_t give_up_ns,
                                       struct strata_error *error);

#endif
