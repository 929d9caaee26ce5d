/* One CUnit program's main: a suite of tests that must run and must pass. */
#ifndef STRATA_TESTS_UNIT_HARNESS_H
#define STRATA_TESTS_UNIT_HARNESS_H

#include <CUnit/CUnit.h>

struct harness_test {
    const char *name; /* the behaviour, in words */
    void (*run)(void);
};

/* Run the tests with CUnit's own summary. Returns the exit code: 0 only when at least one test ran
 * and no assertion failed. Prints "suite: N passed, N failed, N skipped" for tests/run. */
int harness_main(const char *suite, const struct harness_test *tests, unsigned count);

/* Inside a test: leave the rest out with a reason, which is printed and counted; return after it.
 */
void harness_skip(const char *reason);

#define HARNESS_MAIN(suite, tests)                                                                 \
    int main(void)                                                                                 \
    {                                                                                              \
        return harness_main(suite, tests, sizeof(tests) / sizeof((tests)[0]));                     \
    }

#endif
