/* The order of plain and encrypted runs. */
#include "common/load/pairs.h"

#include "tests/unit/harness.h"

#include <string.h>

/* "ABBA BAAB" without the space: A is plain. */
static void spell(uint64_t seed, unsigned pairs, char *text)
{
    bool encrypted[64];
    strata_pairs_order(seed, pairs, encrypted);
    for (unsigned slot = 0; slot < 2 * pairs; slot++) {
        text[slot] = encrypted[slot] ? 'B' : 'A';
    }
    text[2 * pairs] = '\0';
}

static void blocks_are_abba_or_baab(void)
{
    unsigned abba = 0;
    unsigned baab = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        char text[65];
        spell(seed, 10, text);
        for (unsigned block = 0; block < 5; block++) {
            abba += strncmp(text + 4 * block, "ABBA", 4) == 0;
            baab += strncmp(text + 4 * block, "BAAB", 4) == 0;
        }
    }
    CU_ASSERT_EQUAL(abba + baab, 1000);
    /* A fair coin 1000 times: 4 standard deviations are 63. */
    CU_ASSERT(abba > 437 && abba < 563);
}

static void an_odd_last_pair_is_ab_or_ba(void)
{
    bool seen[2] = {false, false};
    for (uint64_t seed = 0; seed < 50; seed++) {
        char text[65];
        spell(seed, 5, text);
        CU_ASSERT_EQUAL(strlen(text), 10);
        CU_ASSERT(strcmp(text + 8, "AB") == 0 || strcmp(text + 8, "BA") == 0);
        seen[text[8] == 'B'] = true;
    }
    CU_ASSERT(seen[0] && seen[1]);
}

static void one_pair_has_both(void)
{
    char text[65];
    spell(3, 1, text);
    CU_ASSERT(strcmp(text, "AB") == 0 || strcmp(text, "BA") == 0);
}

static void no_pairs_write_nothing(void)
{
    bool untouched = true;
    strata_pairs_order(1, 0, &untouched);
    CU_ASSERT_TRUE(untouched);
}

static void the_seed_decides(void)
{
    char first[65];
    char again[65];
    char other[65];
    spell(7, 20, first);
    spell(7, 20, again);
    spell(8, 20, other);
    CU_ASSERT_STRING_EQUAL(first, again);
    CU_ASSERT_STRING_NOT_EQUAL(first, other);
}

static const struct harness_test tests[] = {
    {"blocks are ABBA or BAAB, each half of the time", blocks_are_abba_or_baab},
    {"an odd last pair is AB or BA", an_odd_last_pair_is_ab_or_ba},
    {"one pair has both", one_pair_has_both},
    {"no pairs write nothing", no_pairs_write_nothing},
    {"the seed decides the order", the_seed_decides},
};
HARNESS_MAIN("pairs", tests)
