/* The statistics of doc/methods.md, on plain arrays. */
#ifndef STRATA_ANALYSIS_STATISTICS_H
#define STRATA_ANALYSIS_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

/* Median of n > 0 values; reorders them. */
double strata_statistics_median(double *values, size_t n);

/* Rank k of the one-sided 5 % bound of Wilcoxon's signed-rank statistic for n pairs: the largest k
 * with P(T+ <= k) <= 0.05, -1 when there is none (n < 5). Computed exactly by counting for n <= 50,
 * by the normal approximation above. Source: Wilcoxon 1945; Hollander, Wolfe, Chicken, 3rd ed. */
long strata_statistics_signed_rank(size_t n);

/* Hodges-Lehmann estimate of the centre of n > 0 differences and its one-sided 5 % bounds: the
 * (k+1)-th and (M-k)-th of the M = n(n+1)/2 sorted Walsh averages. Returns false, with the bounds
 * at -INFINITY and INFINITY, when n < 5. Source: Hodges and Lehmann 1963. */
bool strata_statistics_hodges_lehmann(const double *differences, size_t n, double *ret_estimate,
                                      double *ret_lower, double *ret_upper);

enum strata_verdict { STRATA_VERDICT_PASS, STRATA_VERDICT_FAIL, STRATA_VERDICT_INCONCLUSIVE };
const char *strata_verdict_name(enum strata_verdict verdict);

/* Loss of throughput in [.., 1): estimate and bounds, optimistic <= estimate <= pessimistic, from
 * d = ln(encrypted) - ln(plain). */
struct strata_loss {
    size_t pairs;
    double estimate;
    double optimistic;
    double pessimistic;
    enum strata_verdict verdict;
};
void strata_statistics_loss(const double *log_ratios, size_t n, double margin,
                            struct strata_loss *ret_loss);

/* What the bounds show of one side against the other, where no margin is asked for: "faster" or
 * "slower" when both lie on the same side of 0, "no difference shown" when they do not,
 * "inconclusive" when there are none. */
const char *strata_statistics_change(const struct strata_loss *loss);

#endif
