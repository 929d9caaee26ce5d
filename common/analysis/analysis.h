/* What the rows mean: the penalty of encryption for each cell, the ladder, the bottleneck. Reads
 * views, writes the table `comparison`, so that plain sqlite3 can read the result. */
#ifndef STRATA_ANALYSIS_ANALYSIS_H
#define STRATA_ANALYSIS_ANALYSIS_H

#include "common/store/query.h"

#include <stddef.h>

/* (Re)compute and store the comparisons of one campaign (by uuid, or NULL for the latest) and the
 * verdict of its A/A cell. One transaction. Errors: STRATA_USAGE when there is no such campaign. */
enum strata_status strata_analysis_campaign(struct strata_store *store, const char *campaign_uuid,
                                            struct strata_error *error);

/* How many comparisons of throughput of the campaign, in `layer`, have the verdict "fail". */
enum strata_status strata_analysis_count_failed(struct strata_store *store,
                                                const char *campaign_uuid, const char *layer,
                                                size_t *ret_failed, struct strata_error *error);

#endif
