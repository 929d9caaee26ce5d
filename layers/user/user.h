/* The parts of the user layer. */
#ifndef STRATA_USER_USER_H
#define STRATA_USER_USER_H

#include "common/campaign/campaign.h"

/* As the layer's `expand`. */
enum strata_status strata_user_expand(const struct strata_element *element,
                                      const struct strata_backend *plain,
                                      const struct strata_backend *encrypted,
                                      struct strata_cells *cells, struct strata_error *error);

/* The first wall-clock moment, in us, not before `now_us`, at which the local time of the day is
 * `minutes` after midnight, `days` days after the first such one; daylight-saving changes included.
 */
int64_t strata_user_slot_us(int64_t now_us, unsigned minutes, unsigned days);

#endif
