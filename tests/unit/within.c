/* Looks with a limit: what they return, and that they end. */
#include "common/host/within.h"

#include "common/base/clock.h"
#include "common/base/stop.h"
#include "tests/unit/harness.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MS UINT64_C(1000000)

static enum strata_status answer(void *context, struct strata_error *error)
{
    const char *text = context;
    return text == NULL ? STRATA_OK : strata_error_set(error, STRATA_USAGE, "%s", text);
}

static enum strata_status hang(void *context, struct strata_error *error)
{
    (void)error;
    int never[2];
    char byte;
    (void)!pipe(never);
    (void)!read(never[0], &byte, 1);
    return context == NULL ? STRATA_OK : STRATA_USAGE;
}

static enum strata_status die(void *context, struct strata_error *error)
{
    (void)error;
    (void)raise(SIGKILL);
    return context == NULL ? STRATA_OK : STRATA_USAGE;
}

static void what_is_found_comes_back(void)
{
    struct strata_error error = {0};
    char text[] = "carries: ext4";
    CU_ASSERT(strata_within(5000 * MS, "disk", answer, NULL, &error) == STRATA_OK);
    CU_ASSERT(strata_within(5000 * MS, "disk", answer, text, &error) == STRATA_USAGE);
    CU_ASSERT_STRING_EQUAL(error.text, "carries: ext4");
    CU_ASSERT(error.status == STRATA_USAGE);
}

static void a_look_that_hangs_ends_at_the_limit(void)
{
    struct strata_error error = {0};
    uint64_t begin_ns = strata_clock_monotonic_ns();
    CU_ASSERT(strata_within(50 * MS, "disk", hang, NULL, &error) == STRATA_ENVIRONMENT);
    uint64_t took_ns = strata_clock_monotonic_ns() - begin_ns;
    CU_ASSERT(took_ns >= 50 * MS && took_ns < 5000 * MS);
    CU_ASSERT_STRING_EQUAL(error.text,
                           "disk does not answer: looking at it did not end within 50.0 ms");
}

static void a_look_that_dies_is_no_answer(void)
{
    struct strata_error error = {0};
    CU_ASSERT(strata_within(5000 * MS, "disk", die, NULL, &error) == STRATA_INTERNAL);
    CU_ASSERT(strstr(error.text, "died") != NULL);
}

static void a_signal_ends_the_wait(void)
{
    struct strata_error error = {0};
    strata_stop_signal = SIGTERM;
    CU_ASSERT(strata_within(60000 * MS, "disk", hang, NULL, &error) == STRATA_INTERRUPTED);
    strata_stop_signal = 0;
}

static const struct harness_test tests[] = {
    {"what is found comes back", what_is_found_comes_back},
    {"a look that hangs ends at the limit", a_look_that_hangs_ends_at_the_limit},
    {"a look that dies is no answer", a_look_that_dies_is_no_answer},
    {"a signal ends the wait", a_signal_ends_the_wait},
};
HARNESS_MAIN("within", tests)
