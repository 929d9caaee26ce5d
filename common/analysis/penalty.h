/* Encrypted against plain, cell by cell: the rows of the table `comparison`. */
#ifndef STRATA_ANALYSIS_PENALTY_H
#define STRATA_ANALYSIS_PENALTY_H

#include "common/analysis/campaign_row.h"

/* Replace the campaign's comparisons, in the caller's transaction. */
enum strata_status strata_penalty_store(struct strata_store *store,
                                        const struct strata_campaign_row *campaign,
                                        struct strata_error *error);

#endif
