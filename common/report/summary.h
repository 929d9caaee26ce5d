/* What many comparisons say together, in sentences. */
#ifndef STRATA_REPORT_SUMMARY_H
#define STRATA_REPORT_SUMMARY_H

#include "common/report/model.h"

/* A layer's finding, without the full stop: "in 3 of 4 comparisons encryption costs more than the
 * margin of 10 % (most: 62.9 % of throughput, …), in 1 it does not; estimated losses 2.0 % to
 * 62.9 %". */
void strata_report_summary(const struct strata_report *report, const char *layer,
                           struct strata_text *out);

/* What to say of a layer without a row in its table: "no run", "no valid run", or what else ran
 * there. */
const char *strata_report_nothing(const struct strata_report *report, const char *layer);

/* Whether anything was compared with an encrypted twin. */
bool strata_report_compares(const struct strata_report *report);

/* The two answers, each without the full stop: which layer is the bottleneck of how many ladders
 * (nothing without a ladder of two layers), and how often encryption costs more than the margin,
 * and where most (nothing without a comparison). */
void strata_report_answer_bottleneck(const struct strata_report *report, struct strata_text *out);
void strata_report_answer_encryption(const struct strata_report *report, struct strata_text *out);

#endif
