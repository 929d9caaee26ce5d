/* Whether a run's numbers mean what they say. */
#ifndef STRATA_CAMPAIGN_JUDGE_H
#define STRATA_CAMPAIGN_JUDGE_H

#include "common/campaign/campaign.h"
#include "common/campaign/step.h"

/* What the machine did over one phase. */
struct strata_phase_evidence {
    const struct strata_load *load;
    const struct strata_load_result *result;
    const struct strata_target_type *target;
    const struct strata_counters *before; /* NULL when there was no look */
    const struct strata_counters *after;
};

/* The first rule of doc/methods.md ("A run is invalid") about the measurement itself that the phase
 * breaks, as a reason in `reason`; returns true when it breaks one. `reaches_device`: its bytes
 * cannot have come from a cache, so the kernel must have counted them at the devices. It concerns
 * this phase alone. *ret_step: the step in its rate, if any, whatever rule is broken first. */
bool strata_judge_phase(const struct strata_phase_evidence *evidence, bool reaches_device,
                        struct strata_step *ret_step, char *reason, size_t size);

/* Whether more than the share `budget` of the started operations failed, with the reason. It
 * concerns the whole run: what follows works on less than was asked. */
bool strata_judge_errors(const struct strata_load_result *result, double budget, char *reason,
                         size_t size);

/* Whether no operation of the phase succeeded though some were started. */
bool strata_judge_all_failed(const struct strata_load_result *result);

#endif
