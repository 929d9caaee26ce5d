/* CUnit's basic interface returns success when nothing ran; this main does not. */
#include "tests/unit/harness.h"

#include <CUnit/Basic.h>
#include <stdio.h>

static unsigned skipped;

void harness_skip(const char *reason)
{
    skipped++;
    printf(" skipped: %s ", reason);
}

int harness_main(const char *suite, const struct harness_test *tests, unsigned count)
{
    if (CU_initialize_registry() != CUE_SUCCESS) {
        return 1;
    }
    CU_pSuite registered = CU_add_suite(suite, NULL, NULL);
    for (unsigned i = 0; registered != NULL && i < count; i++) {
        if (CU_add_test(registered, tests[i].name, tests[i].run) == NULL) {
            registered = NULL;
        }
    }
    if (registered == NULL) {
        fprintf(stderr, "%s: cannot register the tests\n", suite);
        return 1;
    }
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_ErrorCode outcome = CU_basic_run_tests();
    unsigned run = CU_get_number_of_tests_run();
    unsigned failed = CU_get_number_of_tests_failed();
    unsigned failures = CU_get_number_of_failures();
    CU_cleanup_registry();
    printf("%s: %u passed, %u failed, %u skipped\n", suite, run - failed - skipped, failed,
           skipped);
    return outcome != CUE_SUCCESS || run == 0 || run != count || failed > 0 || failures > 0;
}
