/* Entropies that follow from the definition by hand. */
#include "common/base/entropy.h"

#include "tests/unit/harness.h"

#include <string.h>

static void equals_what_the_definition_gives(void)
{
    uint8_t bytes[1024];
    memset(bytes, 'S', sizeof(bytes));
    CU_ASSERT_DOUBLE_EQUAL(strata_entropy_bits(bytes, sizeof(bytes)), 0, 1e-12);
    memset(bytes, 'T', sizeof(bytes) / 2); /* two values, each half */
    CU_ASSERT_DOUBLE_EQUAL(strata_entropy_bits(bytes, sizeof(bytes)), 1, 1e-12);
    memset(bytes, 'U', sizeof(bytes) / 4); /* 1/4, 1/4, 1/2: 2/4 + 2/4 + 1/2 */
    CU_ASSERT_DOUBLE_EQUAL(strata_entropy_bits(bytes, sizeof(bytes)), 1.5, 1e-12);
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (uint8_t)i; /* each value four times */
    }
    CU_ASSERT_DOUBLE_EQUAL(strata_entropy_bits(bytes, sizeof(bytes)), 8, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(strata_entropy_bits(bytes, 0), 0, 1e-12);
}

static const struct harness_test tests[] = {
    {"equals what the definition gives", equals_what_the_definition_gives},
};

HARNESS_MAIN("entropy", tests)
