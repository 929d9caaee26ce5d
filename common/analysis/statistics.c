/* The statistics that decide: exact ranks, Walsh averages, the loss and its verdict.
 *
 * Always holds: lower <= estimate <= upper; each bound is one of the Walsh averages, or infinite
 * with fewer than five pairs. Walsh averages are never held in memory: their order statistics are
 * found by counting, so a hundred thousand pairs cost no more than a sort. Leaves to others: where
 * the differences come from (analysis.c), rounding for people (report). */
#include "common/analysis/statistics.h"

#include "common/base/memory.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST_PAIRS = 5, MOST_COUNTED = 50 };

static int compare_values(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

double strata_statistics_median(double *values, size_t n)
{
    qsort(values, n, sizeof(values[0]), compare_values);
    return n % 2 == 1 ? values[n / 2] : values[n / 2 - 1] / 2 + values[n / 2] / 2;
}

/* ways[t]: in how many of the 2^n assignments of signs the positive ranks add up to t. */
static long count_signed_rank(size_t n)
{
    uint64_t ways[MOST_COUNTED * (MOST_COUNTED + 1) / 2 + 1] = {1};
    size_t highest = 0;
    for (size_t rank = 1; rank <= n; rank++) {
        highest += rank;
        for (size_t t = highest; t >= rank; t--) {
            ways[t] += ways[t - rank];
        }
    }
    uint64_t most = (UINT64_C(1) << n) / 20; /* 5 % of the assignments, rounded down */
    uint64_t cumulated = 0;
    long k = -1;
    while (cumulated + ways[k + 1] <= most) {
        cumulated += ways[++k];
    }
    return k;
}

long strata_statistics_signed_rank(size_t n)
{
    if (n < FEWEST_PAIRS) {
        return -1;
    }
    if (n <= MOST_COUNTED) {
        return count_signed_rank(n);
    }
    const double normal_quantile = 1.6448536269514722; /* of 95 % */
    double pairs = (double)n;
    double mean = pairs * (pairs + 1) / 4;
    double deviation = sqrt(pairs * (pairs + 1) * (2 * pairs + 1) / 24);
    return (long)floor(mean - normal_quantile * deviation - 0.5);
}

/* How many Walsh averages (sorted[i] + sorted[j]) / 2, i <= j, are at most `limit`. As i grows, the
 * largest j that still fits can only shrink. */
static uint64_t walsh_at_most(const double *sorted, size_t n, double limit)
{
    uint64_t count = 0;
    size_t fitting = n;
    for (size_t i = 0; i < n; i++) {
        while (fitting > i && (sorted[i] + sorted[fitting - 1]) / 2 > limit) {
            fitting--;
        }
        if (fitting <= i) {
            break;
        }
        count += fitting - i;
    }
    return count;
}

/* Doubles in their order as whole numbers in theirs: between neighbours there is no other double.
 */
static uint64_t key_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static double value_of(uint64_t key)
{
    uint64_t bits = key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* The rank-th smallest Walsh average, from 1: the smallest double that enough of them do not
 * exceed. */
static double walsh_ranked(const double *sorted, size_t n, uint64_t rank)
{
    uint64_t low = key_of(sorted[0]);
    uint64_t high = key_of(sorted[n - 1]);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (walsh_at_most(sorted, n, value_of(middle)) >= rank) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return value_of(low) + 0.0; /* no negative zero */
}

bool strata_statistics_hodges_lehmann(const double *differences, size_t n, double *ret_estimate,
                                      double *ret_lower, double *ret_upper)
{
    double *sorted = strata_memory_new(n, sizeof(sorted[0]));
    memcpy(sorted, differences, n * sizeof(sorted[0]));
    qsort(sorted, n, sizeof(sorted[0]), compare_values);

    uint64_t averages = (uint64_t)n * (n + 1) / 2;
    double below = walsh_ranked(sorted, n, (averages + 1) / 2);
    double above = walsh_ranked(sorted, n, averages / 2 + 1);
    *ret_estimate = below / 2 + above / 2;

    long k = strata_statistics_signed_rank(n);
    bool bounded = k >= 0;
    *ret_lower = bounded ? walsh_ranked(sorted, n, (uint64_t)k + 1) : -INFINITY;
    *ret_upper = bounded ? walsh_ranked(sorted, n, averages - (uint64_t)k) : INFINITY;
    free(sorted);
    return bounded;
}

const char *strata_verdict_name(enum strata_verdict verdict)
{
    static const char *const names[] = {"pass", "fail", "inconclusive"};
    return names[verdict];
}

void strata_statistics_loss(const double *log_ratios, size_t n, double margin,
                            struct strata_loss *ret_loss)
{
    double estimate = NAN;
    double lower = -INFINITY;
    double upper = INFINITY;
    bool bounded =
        n > 0 && strata_statistics_hodges_lehmann(log_ratios, n, &estimate, &lower, &upper);
    ret_loss->pairs = n;
    ret_loss->estimate = -expm1(estimate);
    ret_loss->optimistic = -expm1(upper);
    ret_loss->pessimistic = -expm1(lower);
    ret_loss->verdict = STRATA_VERDICT_INCONCLUSIVE;
    if (bounded && ret_loss->pessimistic <= margin) {
        ret_loss->verdict = STRATA_VERDICT_PASS;
    } else if (bounded && ret_loss->optimistic > margin) {
        ret_loss->verdict = STRATA_VERDICT_FAIL;
    }
}

const char *strata_statistics_change(const struct strata_loss *loss)
{
    if (!isfinite(loss->optimistic)) {
        return strata_verdict_name(STRATA_VERDICT_INCONCLUSIVE);
    }
    if (loss->pessimistic < 0) {
        return "faster";
    }
    return loss->optimistic > 0 ? "slower" : "no difference shown";
}
