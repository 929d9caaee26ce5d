/* The machine's clocks behind integers.
 *
 * Always holds: durations come from CLOCK_MONOTONIC alone, stamps from CLOCK_REALTIME alone. Both
 * calls cannot fail with these clocks and a valid pointer, so there is no error to report. */
#include "common/base/clock.h"

#include <time.h>

#define NS_PER_S UINT64_C(1000000000)

uint64_t strata_clock_monotonic_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

int64_t strata_clock_wall_us(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + (int64_t)now.tv_nsec / 1000;
}

void strata_clock_sleep_until_ns(uint64_t until_ns)
{
    struct timespec until = {.tv_sec = (time_t)(until_ns / NS_PER_S),
                             .tv_nsec = (long)(until_ns % NS_PER_S)};
    /* A signal ends the sleep early on purpose: the caller then looks at the stop flag. */
    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static uint64_t machine_now_ns(void *context)
{
    (void)context;
    return strata_clock_monotonic_ns();
}

static void machine_sleep_until_ns(void *context, uint64_t until_ns)
{
    (void)context;
    strata_clock_sleep_until_ns(until_ns);
}

const struct strata_clock strata_clock_machine = {
    .now_ns = machine_now_ns, .sleep_until_ns = machine_sleep_until_ns, .context = NULL};
