/* The workload <volumes> of the device layer: a cloud's control plane, on <volumes> back ends. */
#ifndef STRATA_LAYERS_DEVICE_VOLUMES_H
#define STRATA_LAYERS_DEVICE_VOLUMES_H

#include "common/campaign/campaign.h"

#include <stdbool.h>

/* Whether the back end is one of <volumes>. */
bool strata_device_is_volumes(const struct strata_backend *backend);

/* For such back ends, what the layer's functions of these names are for devices. */
enum strata_status strata_device_volumes_expand(const struct strata_element *element,
                                                const struct strata_backend *plain,
                                                const struct strata_backend *encrypted,
                                                struct strata_cells *cells,
                                                struct strata_error *error);
enum strata_status strata_device_volumes_inspect(struct strata_backend *backend,
                                                 struct strata_error *error);
enum strata_status strata_device_volumes_open(const struct strata_run_context *context,
                                              struct strata_target **ret_target,
                                              struct strata_error *error);
void strata_device_volumes_findings(const struct strata_target *target,
                                    struct strata_run_context *context);

/* Open the target for `count` volumes by `jobs` on the back end; `run_uuid` names what it makes.
 * Owns: the caller closes it. */
enum strata_status strata_device_volumes_target(const struct strata_backend *backend,
                                                unsigned count, unsigned jobs, const char *run_uuid,
                                                struct strata_target **ret_target,
                                                struct strata_error *error);

#endif
