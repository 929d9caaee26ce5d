/* Arrivals at even spaces, computed from their number, so that no error adds up over a run.
 *
 * The jobs take turns: job j gets the arrivals j, j + jobs, j + 2 jobs, … of the common schedule,
 * so that the target sees the same even spaces with any number of jobs. */
#include "common/load/arrivals.h"

uint64_t strata_arrivals_due_ns(const struct strata_arrivals *arrivals, uint64_t n)
{
    double number = (double)n * arrivals->jobs + arrivals->job;
    return arrivals->start_ns + (uint64_t)(number * 1e9 / arrivals->rate_per_s);
}

uint64_t strata_arrivals_before(const struct strata_arrivals *arrivals, uint64_t time_ns)
{
    if (time_ns <= arrivals->start_ns) {
        return 0;
    }
    double elapsed_s = (double)(time_ns - arrivals->start_ns) / 1e9;
    double number = (elapsed_s * arrivals->rate_per_s - arrivals->job) / arrivals->jobs;
    uint64_t n = number > 0 ? (uint64_t)number : 0;
    /* The estimate may be off by one through rounding; the due times decide. */
    while (strata_arrivals_due_ns(arrivals, n) < time_ns) {
        n++;
    }
    while (n > 0 && strata_arrivals_due_ns(arrivals, n - 1) >= time_ns) {
        n--;
    }
    return n;
}
