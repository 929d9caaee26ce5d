/* The statistics against published tables, brute force, and numbers computed by an independent
 * program (Python's sorted Walsh averages). */
#include "common/analysis/statistics.h"

#include "tests/unit/harness.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static void near(double got, double want)
{
    CU_ASSERT_DOUBLE_EQUAL(got, want, 1e-12);
}

static void median_of_odd_and_even(void)
{
    double one[] = {4};
    double odd[] = {9, -1, 3};
    double even[] = {8, 1, 2, 4};
    near(strata_statistics_median(one, 1), 4);
    near(strata_statistics_median(odd, 3), 3);
    near(strata_statistics_median(even, 4), 3);
}

/* Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, table of the signed-rank
 * statistic. */
static void signed_rank_as_published(void)
{
    static const long published[] = {0, 2, 3, 5, 8, 10, 13, 17, 21, 25, 30, 35, 41, 47, 53, 60};
    for (size_t n = 5; n <= 20; n++) {
        CU_ASSERT_EQUAL(strata_statistics_signed_rank(n), published[n - 5]);
    }
    for (size_t n = 0; n < 5; n++) {
        CU_ASSERT_EQUAL(strata_statistics_signed_rank(n), -1);
    }
}

/* By listing all 2^n assignments of signs. */
static long rank_by_listing(unsigned n)
{
    uint64_t ways[16 * 17 / 2 + 1] = {0};
    for (uint32_t signs = 0; signs < UINT32_C(1) << n; signs++) {
        unsigned sum = 0;
        for (unsigned i = 0; i < n; i++) {
            sum += signs >> i & 1 ? i + 1 : 0;
        }
        ways[sum]++;
    }
    long k = -1;
    for (uint64_t cumulated = ways[0]; cumulated * 20 <= UINT64_C(1) << n;
         cumulated += ways[k + 1]) {
        k++;
    }
    return k;
}

static void signed_rank_as_listed(void)
{
    for (unsigned n = 5; n <= 16; n++) {
        CU_ASSERT_EQUAL(strata_statistics_signed_rank(n), rank_by_listing(n));
    }
}

/* Exact values from an independent program with big integers; beyond 50 pairs the approximation may
 * be off by one rank. */
static void signed_rank_of_many(void)
{
    CU_ASSERT_EQUAL(strata_statistics_signed_rank(25), 100);
    CU_ASSERT_EQUAL(strata_statistics_signed_rank(30), 151);
    CU_ASSERT_EQUAL(strata_statistics_signed_rank(40), 286);
    CU_ASSERT_EQUAL(strata_statistics_signed_rank(50), 466);
    CU_ASSERT_TRUE(labs(strata_statistics_signed_rank(51) - 486) <= 1);
    CU_ASSERT_TRUE(labs(strata_statistics_signed_rank(60) - 690) <= 1);
    CU_ASSERT_TRUE(labs(strata_statistics_signed_rank(100) - 2045) <= 1);
}

/* By hand: the 15 averages of five differences in hundredths are, sorted, -20 -18.5 -18 -17.5 -17
 * -17 -16.5 -16 -16 -15.5 ... -14; k = 0, so the bounds are the ends; the eighth is -16. */
static void hodges_lehmann_of_five(void)
{
    const double differences[] = {-0.16, -0.14, -0.20, -0.15, -0.17};
    double estimate;
    double lower;
    double upper;
    CU_ASSERT_TRUE(strata_statistics_hodges_lehmann(differences, 5, &estimate, &lower, &upper));
    near(estimate, -0.16);
    near(lower, -0.20);
    near(upper, -0.14);
}

static void hodges_lehmann_of_even_and_ten(void)
{
    const double six[] = {0.02, -0.01, 0.03, 0.00, -0.04, 0.01};
    const double ten[] = {-0.31, -0.05, -0.11, -0.16, -0.24, -0.08, -0.13, -0.19, -0.02, -0.27};
    double estimate;
    double lower;
    double upper;
    CU_ASSERT_TRUE(strata_statistics_hodges_lehmann(six, 6, &estimate, &lower, &upper));
    near(estimate, 0.005);
    near(lower, -0.02);
    near(upper, 0.02);
    CU_ASSERT_TRUE(strata_statistics_hodges_lehmann(ten, 10, &estimate, &lower, &upper));
    near(estimate, -0.16);
    near(lower, -0.215);
    near(upper, -0.09);
}

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The counting search must find the very averages that listing and sorting finds, ties, signs and
 * zeros included. */
static void hodges_lehmann_as_listed(void)
{
    uint32_t state = 1;
    for (size_t round = 0; round < 400; round++) {
        size_t n = 5 + round % 26;
        double differences[30];
        double averages[30 * 31 / 2];
        size_t count = 0;
        for (size_t i = 0; i < n; i++) {
            state = state * 1664525U + 1013904223U;
            differences[i] = round % 2 ? (double)(state >> 29) - 3 : state / 4294967296.0 - 0.7;
        }
        for (size_t i = 0; i < n; i++) {
            for (size_t j = i; j < n; j++) {
                averages[count++] = (differences[i] + differences[j]) / 2;
            }
        }
        qsort(averages, count, sizeof(averages[0]), ascending);
        size_t k = (size_t)strata_statistics_signed_rank(n);
        double estimate;
        double lower;
        double upper;
        CU_ASSERT_TRUE(strata_statistics_hodges_lehmann(differences, n, &estimate, &lower, &upper));
        CU_ASSERT_EQUAL(estimate, averages[(count - 1) / 2] / 2 + averages[count / 2] / 2);
        CU_ASSERT_EQUAL(lower, averages[k]);
        CU_ASSERT_EQUAL(upper, averages[count - k - 1]);
    }
}

static void a_hundred_thousand_pairs(void)
{
    enum { MANY = 100000 };
    double *differences = malloc(MANY * sizeof(differences[0]));
    CU_ASSERT_PTR_NOT_NULL_FATAL(differences);
    for (int i = 0; i < MANY; i++) {
        differences[i] = (i - (MANY - 1) / 2.0) / MANY; /* symmetric around 0, width 1 */
    }
    double estimate;
    double lower;
    double upper;
    CU_ASSERT_TRUE(strata_statistics_hodges_lehmann(differences, MANY, &estimate, &lower, &upper));
    CU_ASSERT_DOUBLE_EQUAL(estimate, 0, 1e-9);
    /* 1.645 * standard error of the mean of a uniform variable: 1 / sqrt(12 n). */
    CU_ASSERT_DOUBLE_EQUAL(upper, 1.6449 / sqrt(12.0 * MANY), 2e-5);
    CU_ASSERT_DOUBLE_EQUAL(lower, -upper, 1e-9);
    free(differences);
}

static void loss_and_verdict(void)
{
    const double clear[] = {-0.16, -0.14, -0.20, -0.15, -0.17};
    struct strata_loss loss;
    strata_statistics_loss(clear, 5, 0.10, &loss);
    near(loss.estimate, 0.14785621103378865);
    near(loss.optimistic, 0.13064176460119414);
    near(loss.pessimistic, 0.18126924692201818);
    CU_ASSERT_EQUAL(loss.verdict, STRATA_VERDICT_FAIL);
    strata_statistics_loss(clear, 5, 0.19, &loss);
    CU_ASSERT_EQUAL(loss.verdict, STRATA_VERDICT_PASS);
    strata_statistics_loss(clear, 5, 0.15, &loss);
    CU_ASSERT_EQUAL(loss.verdict, STRATA_VERDICT_INCONCLUSIVE);
}

static void a_gain_is_a_negative_loss(void)
{
    const double five_times_faster[] = {log(5), log(5), log(5), log(5), log(5)};
    struct strata_loss loss;
    strata_statistics_loss(five_times_faster, 5, 0.10, &loss);
    near(loss.estimate, -4);
    near(loss.pessimistic, -4);
    CU_ASSERT_EQUAL(loss.verdict, STRATA_VERDICT_PASS);
}

static void fewer_than_five_pairs_decide_nothing(void)
{
    const double huge[] = {-3, -3, -3, -3};
    struct strata_loss loss;
    for (size_t n = 0; n < 5; n++) {
        strata_statistics_loss(huge, n, 0.10, &loss);
        CU_ASSERT_EQUAL(loss.verdict, STRATA_VERDICT_INCONCLUSIVE);
        CU_ASSERT_EQUAL(loss.pairs, n);
        CU_ASSERT_EQUAL(loss.pessimistic, 1);
        CU_ASSERT_EQUAL(loss.optimistic, -INFINITY);
    }
    near(loss.estimate, 1 - exp(-3));
}

/* A provider's encrypted against its plain 100 GB volume, sequential write of 64k: 5178.255373
 * against 6059.171598 IOPS; 512k write: the same to the last digit. */
static void loss_of_a_published_table(void)
{
    struct strata_loss loss;
    double write_64k = log(5178.255373) - log(6059.171598);
    strata_statistics_loss(&write_64k, 1, 0.10, &loss);
    CU_ASSERT_DOUBLE_EQUAL(loss.estimate, 0.1454, 0.00005);
    double write_512k = log(1319.587629) - log(1319.587629);
    strata_statistics_loss(&write_512k, 1, 0.10, &loss);
    CU_ASSERT_EQUAL(loss.estimate, 0);
}

/* Five differences on one side of 0 show one, as the rarest outcome has 1 / 32; with one of them on
 * the other side the bounds, the extremes, do not agree; four have no bounds. */
static void a_change_is_named_where_both_bounds_show_it(void)
{
    double up[] = {0.10, 0.12, 0.11, 0.09, 0.13};
    double down[] = {-0.10, -0.12, -0.11, -0.09, -0.13};
    double mixed[] = {0.10, -0.12, 0.11, 0.09, -0.13};
    struct strata_loss loss;
    strata_statistics_loss(up, 5, 0.10, &loss);
    CU_ASSERT_STRING_EQUAL(strata_statistics_change(&loss), "faster");
    strata_statistics_loss(down, 5, 0.10, &loss);
    CU_ASSERT_STRING_EQUAL(strata_statistics_change(&loss), "slower");
    strata_statistics_loss(mixed, 5, 0.10, &loss);
    CU_ASSERT_STRING_EQUAL(strata_statistics_change(&loss), "no difference shown");
    strata_statistics_loss(up, 4, 0.10, &loss);
    CU_ASSERT_STRING_EQUAL(strata_statistics_change(&loss), "inconclusive");
}

static const struct harness_test tests[] = {
    {"a change is named where both bounds show it", a_change_is_named_where_both_bounds_show_it},
    {"the median of odd and even counts", median_of_odd_and_even},
    {"signed ranks for 5 to 20 pairs as published", signed_rank_as_published},
    {"signed ranks equal those from listing all signs", signed_rank_as_listed},
    {"signed ranks of 25 to 100 pairs", signed_rank_of_many},
    {"Hodges-Lehmann of five pairs, by hand", hodges_lehmann_of_five},
    {"Hodges-Lehmann of six and ten pairs", hodges_lehmann_of_even_and_ten},
    {"Walsh averages found by counting equal sorted ones", hodges_lehmann_as_listed},
    {"a hundred thousand pairs need no table", a_hundred_thousand_pairs},
    {"loss, bounds and verdict", loss_and_verdict},
    {"a gain is a negative loss and passes", a_gain_is_a_negative_loss},
    {"fewer than five pairs decide nothing", fewer_than_five_pairs_decide_nothing},
    {"the loss in a provider's published table", loss_of_a_published_table},
};
HARNESS_MAIN("statistics", tests)
