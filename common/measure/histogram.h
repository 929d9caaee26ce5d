/* Latency histogram: log-linear, nanoseconds, buckets at most 1/128 wide, mergeable. */
#ifndef STRATA_MEASURE_HISTOGRAM_H
#define STRATA_MEASURE_HISTOGRAM_H

#include <stdint.h>

enum {
    STRATA_HISTOGRAM_SUB_BITS = 7, /* 128 buckets a power of two: relative width <= 0.79 % */
    STRATA_HISTOGRAM_MAX_BITS =
        43, /* values below 2^43 ns = 2 h 26 min; larger ones go to the last */
    STRATA_HISTOGRAM_BINS = (STRATA_HISTOGRAM_MAX_BITS - STRATA_HISTOGRAM_SUB_BITS + 1)
                            << STRATA_HISTOGRAM_SUB_BITS
};

/* Zero-initialised is empty. Invariant: count = sum of bins. */
struct strata_histogram {
    uint64_t count;
    uint64_t sum_ns;
    uint64_t min_ns; /* exact; 0 while empty */
    uint64_t max_ns; /* exact */
    uint64_t bins[STRATA_HISTOGRAM_BINS];
};

/* Bin of a value; monotonic. Bin b holds [lower(b), upper(b)], both inclusive, and
 * upper(b) + 1 = lower(b + 1). */
unsigned strata_histogram_bin(uint64_t value_ns);
uint64_t strata_histogram_lower_ns(unsigned bin);
uint64_t strata_histogram_upper_ns(unsigned bin);

void strata_histogram_add(struct strata_histogram *histogram, uint64_t value_ns);

/* Add `from`'s content to `into`: equal to having pooled the samples. */
void strata_histogram_merge(struct strata_histogram *into, const struct strata_histogram *from);

/* The q-quantile (0 < q <= 1): the upper edge of the bin that holds the ceil(q n)-th smallest
 * value, never above the exact maximum nor below the exact minimum. 0 while empty. */
uint64_t strata_histogram_quantile_ns(const struct strata_histogram *histogram, double q);

#endif
