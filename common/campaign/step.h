/* A rate that changes for good inside a run: burst credit used up, throttling, a cache filled. */
#ifndef STRATA_CAMPAIGN_STEP_H
#define STRATA_CAMPAIGN_STEP_H

#include "common/measure/recorder.h"

struct strata_step {
    uint64_t at_ns;      /* from the begin of measuring; 0: there is no step */
    double before_per_s; /* mean rate of each side, successes */
    double after_per_s;
};

/* Look for one step in the whole seconds of a measurement of `window_ns`, over all kinds of
 * operation together. Returns whether there is one, in *ret_step, which is zero otherwise.
 *
 * The model: one rate before a second, another after it, the change somewhere inside that second;
 * of all seconds that which leaves the least sum of squares. It is a step when there are at least 6
 * seconds in all and 2 on either side, one rate is at least half as high again as the other, at
 * most one second in 10 of either side lies on the wrong side of their geometric mean, the two
 * rates fit better than a straight line (a trend is no step), and their difference is at least 6 of
 * its standard errors (noise is none). Counts are taken to vary at least as those of independent
 * events do, and the deviation seen in n seconds to be 1 + 6 / (n - 3) times as large.
 *
 * Source: least-squares change point, Hinkley, "Inference about the change-point in a sequence of
 * random variables", Biometrika 57, 1970. */
bool strata_step_find(const struct strata_recorder *recorder, uint64_t window_ns,
                      struct strata_step *ret_step);

#endif
