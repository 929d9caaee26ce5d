/* Whether one run holds two rates, so that its mean is neither.
 *
 * Always: only whole seconds count, since the last one is cut; linear in the seconds. Naming the
 * step a fault of the run is left to judge.c. */
#include "common/campaign/step.h"

#include "common/base/memory.h"

#include <math.h>
#include <stdlib.h>

enum { SECONDS_LEAST = 3 }; /* of each side */
#define MEANS_APART   1.5
#define SECONDS_APART 1.25

/* What lies on one side of a place. */
struct side {
    double least, most, sum;
};

static void take(struct side *side, double rate)
{
    side->least = fmin(side->least, rate);
    side->most = fmax(side->most, rate);
    side->sum += rate;
}

static double successes(const struct strata_recorder *recorder, size_t second)
{
    uint64_t ok = 0;
    for (int k = 0; k < STRATA_OPERATION_KINDS; k++) {
        const struct strata_record *record = recorder->records[k];
        ok += record != NULL && second < record->sample_count ? record->samples[second].ok : 0;
    }
    return (double)ok;
}

/* How many times as fast the faster side is; 0 when the sides overlap. */
static double change(const struct side *left, const struct side *right, double left_mean,
                     double right_mean)
{
    if (left->least >= SECONDS_APART * right->most) {
        return left_mean / right_mean;
    }
    return right->least >= SECONDS_APART * left->most ? right_mean / left_mean : 0;
}

bool strata_step_find(const struct strata_recorder *recorder, uint64_t window_ns,
                      struct strata_step *ret_step)
{
    uint64_t whole = window_ns / UINT64_C(1000000000);
    size_t seconds = whole < STRATA_SERIES_SECONDS ? (size_t)whole : STRATA_SERIES_SECONDS - 1;
    if (seconds < 2 * SECONDS_LEAST) {
        return false;
    }
    const struct side none = {.least = INFINITY};
    struct side *rest = strata_memory_new(seconds + 1, sizeof(*rest)); /* from a second on */
    rest[seconds] = none;
    for (size_t s = seconds; s-- > 0;) {
        rest[s] = rest[s + 1];
        take(&rest[s], successes(recorder, s));
    }
    double largest = 0;
    struct side left = none;
    for (size_t s = 0; s + SECONDS_LEAST <= seconds; s++) {
        double before = s > 0 ? left.sum / (double)s : 0;
        double after = rest[s].sum / (double)(seconds - s);
        double found = s < SECONDS_LEAST ? 0 : change(&left, &rest[s], before, after);
        if (found >= MEANS_APART && found > largest) {
            largest = found;
            *ret_step = (struct strata_step){.before_s = s,
                                             .after_s = seconds - s,
                                             .before_per_s = before,
                                             .after_per_s = after};
        }
        take(&left, successes(recorder, s));
    }
    free(rest);
    return largest > 0;
}
