/* The account of millions of items against a plain array of booleans. */
#include "common/target/item_set.h"

#include "common/base/random.h"
#include "tests/unit/harness.h"

#include <string.h>

enum { MOST = 5000 };

struct model {
    bool in[MOST];
    uint64_t size;
};

static void check_against(const struct strata_item_set *set, const struct model *model)
{
    uint64_t rank = 0;
    bool right = true;
    for (uint64_t item = 0; item < model->size; item++) {
        right = right && strata_item_set_contains(set, item) == model->in[item];
        right = right && strata_item_set_count_range(set, 0, item) == rank;
        if (model->in[item]) {
            right = right && strata_item_set_select(set, rank) == item;
            rank++;
        }
    }
    CU_ASSERT_TRUE(right);
    CU_ASSERT_EQUAL(set->count, rank);
    CU_ASSERT_EQUAL(strata_item_set_count_range(set, 0, model->size), rank);
}

static void change(struct strata_item_set *changes, const struct model *model)
{
    strata_item_set_init(changes, model->size);
    for (uint64_t item = 0; item < model->size; item++) {
        if (model->in[item]) {
            strata_item_set_add(changes, item);
        }
    }
}

static void fill(struct model *model, struct strata_random *random, uint64_t one_in)
{
    for (uint64_t item = 0; item < model->size; item++) {
        model->in[item] = strata_random_below(random, one_in) == 0;
    }
}

static void test_sizes(uint64_t size)
{
    struct strata_random random;
    strata_random_seed(&random, size);
    static struct model held;
    static struct model asked;
    held.size = asked.size = size;
    struct strata_item_set set;
    struct strata_item_set changes;
    strata_item_set_init(&set, size);
    memset(held.in, 0, sizeof(held.in));
    check_against(&set, &held);
    for (uint64_t round = 0; round < 9; round++) {
        fill(&asked, &random, round == 0 ? 1 : 1 + round * round);
        change(&changes, &asked);
        for (uint64_t item = 0; item < size; item++) {
            held.in[item] = round % 3 == 0   ? held.in[item] || asked.in[item]
                            : round % 3 == 1 ? held.in[item] && !asked.in[item]
                                             : held.in[item] != asked.in[item];
        }
        if (round % 3 == 0) {
            strata_item_set_insert_all(&set, &changes);
        } else if (round % 3 == 1) {
            strata_item_set_remove_all(&set, &changes);
        } else {
            strata_item_set_toggle_all(&set, &changes);
        }
        check_against(&set, &held);
        strata_item_set_done(&changes);
    }
    strata_item_set_clear(&set);
    memset(held.in, 0, sizeof(held.in));
    check_against(&set, &held);
    strata_item_set_done(&set);
}

static void agrees_with_booleans(void)
{
    static const uint64_t sizes[] = {1, 63, 64, 65, 511, 512, 513, 1024, 4999, MOST};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        test_sizes(sizes[i]);
    }
}

static void holds_nothing(void)
{
    struct strata_item_set set;
    strata_item_set_init(&set, 0);
    CU_ASSERT_EQUAL(set.count, 0);
    CU_ASSERT_EQUAL(strata_item_set_count_range(&set, 0, 0), 0);
    strata_item_set_clear(&set);
    strata_item_set_done(&set);
}

/* 2^33 items are the most that the target takes; only what is touched costs memory. */
static void counts_past_32_bits(void)
{
    struct strata_item_set set;
    struct strata_item_set changes;
    uint64_t size = (UINT64_C(1) << 32) + 130;
    strata_item_set_init(&set, size);
    strata_item_set_init(&changes, size);
    strata_item_set_add(&changes, 5);
    strata_item_set_add(&changes, (UINT64_C(1) << 32) + 129);
    strata_item_set_insert_all(&set, &changes);
    CU_ASSERT_EQUAL(set.count, 2);
    CU_ASSERT_EQUAL(strata_item_set_select(&set, 0), 5);
    CU_ASSERT_EQUAL(strata_item_set_select(&set, 1), UINT64_C(4294967425));
    CU_ASSERT_EQUAL(strata_item_set_count_range(&set, 6, size), 1);
    strata_item_set_done(&changes);
    strata_item_set_done(&set);
}

static const struct harness_test tests[] = {
    {"agrees with an array of booleans, at every size and density", agrees_with_booleans},
    {"can hold nothing", holds_nothing},
    {"counts items past 2^32", counts_past_32_bits},
};

HARNESS_MAIN("item_set", tests)
