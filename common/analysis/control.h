/* The A/A cells: plain against plain. A difference there is one that the machine makes by itself.
 */
#ifndef STRATA_ANALYSIS_CONTROL_H
#define STRATA_ANALYSIS_CONTROL_H

#include "common/analysis/campaign_row.h"
#include "common/analysis/statistics.h"

/* Of log ratios of like against like: FAIL when a difference is shown (both one-sided 5 % bounds on
 * the same side of 0) whose estimate is larger than `negligible`; PASS when both bounds lie within
 * the margin, so that a loss as large as the margin would be seen; else INCONCLUSIVE. */
enum strata_verdict strata_control_verdict(const double *log_ratios, size_t n, double margin,
                                           double negligible);

/* Judge the campaign's A/A cells together and store its control_verdict and control_reason, in the
 * caller's transaction. Each pair of each cell counts once, with the mean of its phases' log
 * ratios. FAIL when all pairs together show a difference above a fifth of the margin, or one
 * layer's cell alone one above the whole margin. */
enum strata_status strata_control_store(struct strata_store *store,
                                        const struct strata_campaign_row *campaign,
                                        struct strata_error *error);

#endif
