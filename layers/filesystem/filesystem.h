/* The file-system layer: which workloads make sense on files and directories. */
#ifndef STRATA_LAYERS_FILESYSTEM_FILESYSTEM_H
#define STRATA_LAYERS_FILESYSTEM_FILESYSTEM_H

#include "common/campaign/campaign.h"
#include "common/target/posix.h"

/* The layer's `expand`: <metadata> and the rung of <ladder>. */
enum strata_status strata_filesystem_expand(const struct strata_element *element,
                                            const struct strata_backend *plain,
                                            const struct strata_backend *encrypted,
                                            struct strata_cells *cells, struct strata_error *error);

/* The target's options for one run of a workload that strata_filesystem_expand made; the caller
 * fills in the run's own: path, uuid, seed, encryption. */
struct strata_posix_options strata_filesystem_options(const struct strata_workload *workload);

/* The layer's `inspect`: the directory is there, this user may write in it, and it is encrypted as
 * it says. Makes and removes a directory of its own there. */
enum strata_status strata_filesystem_inspect(struct strata_backend *backend, bool writes,
                                             struct strata_error *error);

#endif
