/* When operations are due in open loop: evenly spaced, shared out among the jobs in turn. Part of
 * the engine. */
#ifndef STRATA_LOAD_ARRIVALS_H
#define STRATA_LOAD_ARRIVALS_H

#include <stdint.h>

struct strata_arrivals {
    uint64_t start_ns; /* the first job's first arrival */
    double rate_per_s; /* of all jobs together */
    unsigned job;
    unsigned jobs;
    uint64_t taken; /* arrivals of this job that were taken so far */
};

/* When the job's n-th arrival (from 0) is due: start + floor((n * jobs + job) / rate). */
uint64_t strata_arrivals_due_ns(const struct strata_arrivals *arrivals, uint64_t n);

/* How many of the job's arrivals are due before `time_ns`. */
uint64_t strata_arrivals_before(const struct strata_arrivals *arrivals, uint64_t time_ns);

#endif
