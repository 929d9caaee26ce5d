/* Bins, quantiles and merging of the latency histogram. */
#include "common/measure/histogram.h"

#include "common/base/memory.h"
#include "common/base/random.h"
#include "tests/unit/harness.h"

#include <math.h>
#include <stdlib.h>

static struct strata_histogram *new_histogram(void)
{
    return strata_memory_new(1, sizeof(struct strata_histogram));
}

static void bins_cover_everything_once(void)
{
    CU_ASSERT_EQUAL(strata_histogram_lower_ns(0), 0);
    for (unsigned bin = 0; bin < STRATA_HISTOGRAM_BINS; bin++) {
        uint64_t lower = strata_histogram_lower_ns(bin);
        uint64_t upper = strata_histogram_upper_ns(bin);
        CU_ASSERT_EQUAL_FATAL(strata_histogram_bin(lower), bin);
        CU_ASSERT_EQUAL_FATAL(strata_histogram_bin(upper), bin);
        if (bin + 1 < STRATA_HISTOGRAM_BINS) {
            CU_ASSERT_EQUAL_FATAL(upper + 1, strata_histogram_lower_ns(bin + 1));
        }
    }
    CU_ASSERT_EQUAL(strata_histogram_upper_ns(STRATA_HISTOGRAM_BINS - 1), UINT64_MAX);
}

/* Worked out on paper: below 256 a bin a value; 256 to 511 in twos; 1024 to 2047 in eights. */
static void known_edges(void)
{
    CU_ASSERT_EQUAL(strata_histogram_bin(255), 255);
    CU_ASSERT_EQUAL(strata_histogram_bin(256), 256);
    CU_ASSERT_EQUAL(strata_histogram_bin(257), 256);
    CU_ASSERT_EQUAL(strata_histogram_bin(258), 257);
    CU_ASSERT_EQUAL(strata_histogram_lower_ns(strata_histogram_bin(1031)), 1024);
    CU_ASSERT_EQUAL(strata_histogram_upper_ns(strata_histogram_bin(1031)), 1031);
    CU_ASSERT_EQUAL(strata_histogram_lower_ns(strata_histogram_bin(1032)), 1032);
    CU_ASSERT_EQUAL(strata_histogram_lower_ns(STRATA_HISTOGRAM_BINS - 1),
                    (UINT64_C(1) << 43) - (UINT64_C(1) << 35));
    CU_ASSERT(strata_histogram_lower_ns(STRATA_HISTOGRAM_BINS - 1) > UINT64_C(3600000000000));
}

static void width_is_at_most_a_128th(void)
{
    for (unsigned bin = 1; bin + 1 < STRATA_HISTOGRAM_BINS; bin++) {
        uint64_t lower = strata_histogram_lower_ns(bin);
        uint64_t width = strata_histogram_upper_ns(bin) - lower + 1;
        CU_ASSERT_FATAL(width == 1 || width * 128 <= lower);
    }
}

static void extreme_values_are_kept(void)
{
    struct strata_histogram *histogram = new_histogram();
    strata_histogram_add(histogram, 0);
    strata_histogram_add(histogram, UINT64_MAX);
    CU_ASSERT_EQUAL(histogram->count, 2);
    CU_ASSERT_EQUAL(histogram->min_ns, 0);
    CU_ASSERT_EQUAL(histogram->max_ns, UINT64_MAX);
    CU_ASSERT_EQUAL(histogram->bins[0], 1);
    CU_ASSERT_EQUAL(histogram->bins[STRATA_HISTOGRAM_BINS - 1], 1);
    CU_ASSERT_EQUAL(strata_histogram_quantile_ns(histogram, 0.5), 0);
    CU_ASSERT_EQUAL(strata_histogram_quantile_ns(histogram, 1.0), UINT64_MAX);
    free(histogram);
}

static void empty_has_no_quantile(void)
{
    struct strata_histogram *histogram = new_histogram();
    CU_ASSERT_EQUAL(strata_histogram_quantile_ns(histogram, 0.99), 0);
    CU_ASSERT_EQUAL(histogram->min_ns, 0);
    free(histogram);
}

/* Ten samples 10, 20, … 100 (below 256 exact): the ceil(10 q)-th smallest. */
static void quantiles_of_ten(void)
{
    struct strata_histogram *histogram = new_histogram();
    for (uint64_t value = 100; value >= 10; value -= 10) {
        strata_histogram_add(histogram, value);
    }
    CU_ASSERT_EQUAL(strata_histogram_quantile_ns(histogram, 0.001), 10);
    CU_ASSERT_EQUAL(strata_histogram_quantile_ns(histogram, 0.1), 10);
    CU_ASSERT_EQUAL(strata_histogram_quantile_ns(histogram, 0.11), 20);
    CU_ASSERT_EQUAL(strata_histogram_quantile_ns(histogram, 0.5), 50);
    CU_ASSERT_EQUAL(strata_histogram_quantile_ns(histogram, 0.7), 70);
    CU_ASSERT_EQUAL(strata_histogram_quantile_ns(histogram, 0.9), 90);
    CU_ASSERT_EQUAL(strata_histogram_quantile_ns(histogram, 0.99), 100);
    CU_ASSERT_EQUAL(histogram->sum_ns, 550);
    free(histogram);
}

/* R6: with few samples a high percentile is the largest of them, not its bin's edge. */
static void percentile_is_never_above_the_maximum(void)
{
    struct strata_histogram *histogram = new_histogram();
    strata_histogram_add(histogram, 1000001);
    strata_histogram_add(histogram, 1000003);
    CU_ASSERT_EQUAL(strata_histogram_quantile_ns(histogram, 0.99), 1000003);
    CU_ASSERT_EQUAL(strata_histogram_quantile_ns(histogram, 0.01), 1000003);
    CU_ASSERT(strata_histogram_upper_ns(strata_histogram_bin(1000003)) > 1000003);
    free(histogram);
}

static int compare(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* From 2^5 to 2^40, every size as likely. */
static uint64_t any_latency(struct strata_random *random)
{
    unsigned bits = 5 + (unsigned)strata_random_below(random, 35);
    return (UINT64_C(1) << bits) + strata_random_below(random, UINT64_C(1) << bits);
}

static void quantiles_agree_with_sorted_samples(void)
{
    enum { N = 20000 };
    static uint64_t values[N];
    struct strata_histogram *histogram = new_histogram();
    struct strata_random random;
    strata_random_seed(&random, 11);
    for (unsigned i = 0; i < N; i++) {
        values[i] = any_latency(&random);
        strata_histogram_add(histogram, values[i]);
    }
    qsort(values, N, sizeof(values[0]), compare);
    static const double quantiles[] = {0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1.0};
    for (unsigned i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++) {
        uint64_t exact = values[(unsigned)ceil(quantiles[i] * N - 1e-9) - 1];
        uint64_t found = strata_histogram_quantile_ns(histogram, quantiles[i]);
        CU_ASSERT(found >= exact);
        CU_ASSERT((double)found <= (double)exact * (1 + 1.0 / 128));
    }
    CU_ASSERT_EQUAL(histogram->min_ns, values[0]);
    CU_ASSERT_EQUAL(histogram->max_ns, values[N - 1]);
    free(histogram);
}

/* D16: a fast and a slow worker, merged and pooled. */
static void merged_equals_pooled(void)
{
    struct strata_histogram *fast = new_histogram();
    struct strata_histogram *slow = new_histogram();
    struct strata_histogram *pooled = new_histogram();
    struct strata_random random;
    strata_random_seed(&random, 12);
    for (unsigned i = 0; i < 5000; i++) {
        uint64_t quick = 10000 + strata_random_below(&random, 500);
        strata_histogram_add(fast, quick);
        strata_histogram_add(pooled, quick);
        if (i % 100 == 0) {
            uint64_t long_one = 1000000 + strata_random_below(&random, 50000);
            strata_histogram_add(slow, long_one);
            strata_histogram_add(pooled, long_one);
        }
    }
    struct strata_histogram *merged = new_histogram();
    strata_histogram_merge(merged, slow);
    strata_histogram_merge(merged, fast);
    CU_ASSERT_EQUAL(merged->count, 5050);
    CU_ASSERT_EQUAL(merged->sum_ns, pooled->sum_ns);
    CU_ASSERT_EQUAL(merged->min_ns, pooled->min_ns);
    CU_ASSERT_EQUAL(merged->max_ns, pooled->max_ns);
    for (unsigned bin = 0; bin < STRATA_HISTOGRAM_BINS; bin++) {
        CU_ASSERT_EQUAL_FATAL(merged->bins[bin], pooled->bins[bin]);
    }
    /* The mean of the two p99 would be near 530,000; of the pooled samples 50 in 5050 are slow. */
    CU_ASSERT(strata_histogram_quantile_ns(merged, 0.99) < 10600);
    CU_ASSERT(strata_histogram_quantile_ns(merged, 0.995) > 1000000);
    free(fast);
    free(slow);
    free(pooled);
    free(merged);
}

static void merging_nothing_changes_nothing(void)
{
    struct strata_histogram *histogram = new_histogram();
    struct strata_histogram *empty = new_histogram();
    strata_histogram_add(histogram, 42);
    strata_histogram_merge(histogram, empty);
    CU_ASSERT_EQUAL(histogram->min_ns, 42);
    strata_histogram_merge(empty, histogram);
    CU_ASSERT_EQUAL(empty->min_ns, 42);
    CU_ASSERT_EQUAL(empty->count, 1);
    free(histogram);
    free(empty);
}

static const struct harness_test tests[] = {
    {"bins cover every value once", bins_cover_everything_once},
    {"known edges", known_edges},
    {"a bin is at most 1/128 of its lower edge wide", width_is_at_most_a_128th},
    {"extreme values are kept", extreme_values_are_kept},
    {"an empty histogram has no quantile", empty_has_no_quantile},
    {"quantiles of ten samples", quantiles_of_ten},
    {"a percentile is never above the maximum (R6)", percentile_is_never_above_the_maximum},
    {"quantiles agree with sorted samples", quantiles_agree_with_sorted_samples},
    {"merged equals pooled (D16)", merged_equals_pooled},
    {"merging nothing changes nothing", merging_nothing_changes_nothing},
};
HARNESS_MAIN("histogram", tests)
