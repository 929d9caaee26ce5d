/* Whether the memory for a phase's buffers is there. */
#ifndef STRATA_CAMPAIGN_BUFFERS_H
#define STRATA_CAMPAIGN_BUFFERS_H

#include "common/load/load.h"

/* Hold the buffers that the load's operations in flight need against the memory that is available
 * (/proc/meminfo), those of the target's own included.
 * Errors: STRATA_ENVIRONMENT, "unsupported: …", when they are more; where nothing is known they
 * pass. */
enum strata_status strata_buffers_check(const struct strata_target *target,
                                        const struct strata_load *load, struct strata_error *error);

#endif
