/* The campaign that is asked about, found once. */
#ifndef STRATA_ANALYSIS_CAMPAIGN_ROW_H
#define STRATA_ANALYSIS_CAMPAIGN_ROW_H

#include "common/store/query.h"

struct strata_campaign_row {
    int64_t id;
    char uuid[37];
    double margin;
};

/* By uuid or a prefix of it that only one has, or NULL for the latest. Errors: STRATA_USAGE when
 * there is none, or more than one. */
enum strata_status strata_campaign_row_find(struct strata_store *store, const char *uuid,
                                            struct strata_campaign_row *ret_row,
                                            struct strata_error *error);

#endif
