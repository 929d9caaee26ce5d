/* The workloads of the device layer that run in memory: <cipher> and <key-derivation>. */
#ifndef STRATA_LAYERS_DEVICE_MEMORY_H
#define STRATA_LAYERS_DEVICE_MEMORY_H

#include "common/campaign/campaign.h"

/* Whether the element is one of them. */
bool strata_device_in_memory(const struct strata_element *element);

/* As the layer's functions of these names, for those elements; `memory` is the back end. */
enum strata_status strata_device_memory_expand(const struct strata_element *element,
                                               const struct strata_backend *memory,
                                               struct strata_cells *cells,
                                               struct strata_error *error);
enum strata_status strata_device_memory_open(const struct strata_workload *workload,
                                             struct strata_target **ret_target,
                                             struct strata_error *error);

#endif
