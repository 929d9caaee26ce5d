/* Time: monotonic for durations, wall for stamps, replaceable where a test needs a fake one. */
#ifndef STRATA_BASE_CLOCK_H
#define STRATA_BASE_CLOCK_H

#include <stdint.h>

/* Nanoseconds of CLOCK_MONOTONIC; never goes backwards. Threads: any. */
uint64_t strata_clock_monotonic_ns(void);

/* Microseconds since the epoch, of the wall clock; for stamps only. Threads: any. */
int64_t strata_clock_wall_us(void);

/* Sleep until the monotonic clock reads at least `until_ns`, or a signal arrives. */
void strata_clock_sleep_until_ns(uint64_t until_ns);

/* A source of monotonic time that code under test receives instead of the machine's. */
struct strata_clock {
    uint64_t (*now_ns)(void *context);
    void (*sleep_until_ns)(void *context, uint64_t until_ns);
    void *context;
};

/* The machine's own clock. */
extern const struct strata_clock strata_clock_machine;

#endif
