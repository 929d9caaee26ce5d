/* Whether a row of rounds has become steady, and whether that may carry the name of a standard. */
#ifndef STRATA_CAMPAIGN_STEADY_H
#define STRATA_CAMPAIGN_STEADY_H

#include "common/campaign/campaign.h"
#include "common/store/store.h"

enum { STRATA_STEADY_WINDOW = 5 }; /* rounds that are judged together */

struct strata_steady_window {
    double mean_per_s;
    double range_fraction; /* (largest - smallest) / mean */
    double slope_fraction; /* how far the least-squares line moves over the window / mean, signed */
    bool steady;
};

/* Judge a window of `count` rates, 2 or more: steady when the range is at most 20 % of the mean and
 * the line moves at most 10 % of it, both edges included; never when one of them is NAN or their
 * sum is 0. The edges are exact for rates that are whole numbers. Source: SNIA Solid State Storage
 * Performance Test Specification 2.0.2, 2.1.24. */
struct strata_steady_window strata_steady_judge(const double *per_s, size_t count);

/* Whether the last STRATA_STEADY_WINDOW of the `rounds` rates are steady. */
bool strata_steady_reached(const double *per_s, size_t rounds);

/* The rate of a round: successes of all kinds, over the window where that holds 20 for each of the
 * `concurrency` in flight, else over the whole time (as v_throughput has it). NAN when the round
 * broke a rule, so that no window with it is steady. */
double strata_steady_rate(const struct strata_store_phase *round, unsigned concurrency);

/* What is stored of a run of rounds, of which `rounds` were measured at `per_s`: the last window,
 * and the name of the procedure or what of it was left out. `precondition`: the phase before the
 * rounds, NULL without one. */
void strata_steady_conclude(const struct strata_run_context *context,
                            const struct strata_store_phase *precondition, const double *per_s,
                            size_t rounds, struct strata_store_steady *ret_steady);

#endif
