/* A rate that changes for good inside a run: burst credit used up, throttling, a cache filled. */
#ifndef STRATA_CAMPAIGN_STEP_H
#define STRATA_CAMPAIGN_STEP_H

#include "common/measure/recorder.h"

struct strata_step {
    size_t before_s; /* whole seconds before the step */
    size_t after_s;
    double before_per_s; /* mean rate of each side, successes */
    double after_per_s;
};

/* Look for a step in the whole seconds of a measurement of `window_ns`, over all kinds of operation
 * together. True when there is one: at least 3 s on each side, mean rates at least half as high
 * again on one side as on the other, and every second of the faster side at least a quarter above
 * every second of the slower, so that noise and trends are none. Of several places that with the
 * largest change. */
bool strata_step_find(const struct strata_recorder *recorder, uint64_t window_ns,
                      struct strata_step *ret_step);

#endif
