/* strata-service: the object API of a cloud store. */
#ifndef STRATA_LAYERS_SERVICE_SERVICE_H
#define STRATA_LAYERS_SERVICE_SERVICE_H

#include "common/campaign/campaign.h"

/* See struct strata_layer. */
enum strata_status strata_service_expand(const struct strata_element *element,
                                         const struct strata_backend *plain,
                                         const struct strata_backend *encrypted,
                                         struct strata_cells *cells, struct strata_error *error);

/* How `concurrency` requests in flight are divided: *ret_jobs threads with *ret_depth requests
 * each, whose product it is. */
void strata_service_divide(unsigned concurrency, unsigned *ret_jobs, unsigned *ret_depth);

#endif
