/* Latencies of any size in fixed memory, with a known relative error.
 *
 * Values below 2^8 have a bin each. Above, every power of two is divided into 128 bins: a value v
 * with 2^e <= v < 2^(e+1) lies in a bin that is 2^(e-7) wide, so the width is at most 1/128 of the
 * bin's lower edge. Bin numbers are continuous: bin = (e - 7) * 128 + (v >> (e - 7)), where the
 * leading one of the shifted value is what steps from one power of two to the next.
 *
 * Must always hold: count = sum of the bins. */
#include "common/measure/histogram.h"

#include <float.h>

enum { SUB_BINS = 1 << STRATA_HISTOGRAM_SUB_BITS };

unsigned strata_histogram_bin(uint64_t value_ns)
{
    if (value_ns < SUB_BINS) {
        return (unsigned)value_ns;
    }
    if (value_ns >> STRATA_HISTOGRAM_MAX_BITS != 0) {
        return STRATA_HISTOGRAM_BINS - 1;
    }
    unsigned exponent = 63U - (unsigned)__builtin_clzll(value_ns);
    unsigned shift = exponent - STRATA_HISTOGRAM_SUB_BITS;
    return (shift << STRATA_HISTOGRAM_SUB_BITS) + (unsigned)(value_ns >> shift);
}

uint64_t strata_histogram_lower_ns(unsigned bin)
{
    if (bin < 2 * SUB_BINS) {
        return bin;
    }
    unsigned shift = (bin >> STRATA_HISTOGRAM_SUB_BITS) - 1;
    return (uint64_t)(SUB_BINS + (bin & (SUB_BINS - 1))) << shift;
}

uint64_t strata_histogram_upper_ns(unsigned bin)
{
    if (bin >= STRATA_HISTOGRAM_BINS - 1) {
        return UINT64_MAX;
    }
    return strata_histogram_lower_ns(bin + 1) - 1;
}

void strata_histogram_add(struct strata_histogram *histogram, uint64_t value_ns)
{
    if (histogram->count == 0 || value_ns < histogram->min_ns) {
        histogram->min_ns = value_ns;
    }
    if (value_ns > histogram->max_ns) {
        histogram->max_ns = value_ns;
    }
    histogram->count++;
    histogram->sum_ns += value_ns;
    histogram->bins[strata_histogram_bin(value_ns)]++;
}

void strata_histogram_merge(struct strata_histogram *into, const struct strata_histogram *from)
{
    if (from->count == 0) {
        return;
    }
    if (into->count == 0 || from->min_ns < into->min_ns) {
        into->min_ns = from->min_ns;
    }
    if (from->max_ns > into->max_ns) {
        into->max_ns = from->max_ns;
    }
    into->count += from->count;
    into->sum_ns += from->sum_ns;
    for (unsigned bin = 0; bin < STRATA_HISTOGRAM_BINS; bin++) {
        into->bins[bin] += from->bins[bin];
    }
}

/* ceil(q n) for 0 < q <= 1, from 1 to n; rounding of the product does not make ceil(0.07 * 100),
 * which is 7.000000000000001 in binary, an 8. */
static uint64_t rank_of(double q, uint64_t n)
{
    double product = q * (double)n;
    uint64_t rank = (uint64_t)product;
    if (product - (double)rank > 2 * DBL_EPSILON * product) {
        rank++;
    }
    if (rank < 1) {
        return 1;
    }
    return rank > n ? n : rank;
}

uint64_t strata_histogram_quantile_ns(const struct strata_histogram *histogram, double q)
{
    if (histogram->count == 0) {
        return 0;
    }
    uint64_t rank = rank_of(q, histogram->count);
    uint64_t seen = 0;
    unsigned bin = 0;
    while (seen + histogram->bins[bin] < rank) {
        seen += histogram->bins[bin];
        bin++;
    }
    uint64_t value_ns = strata_histogram_upper_ns(bin);
    if (value_ns > histogram->max_ns) {
        return histogram->max_ns;
    }
    return value_ns < histogram->min_ns ? histogram->min_ns : value_ns;
}
