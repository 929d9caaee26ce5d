/* One run: a workload on a back end, from opening the target to the judgement. */
#ifndef STRATA_CAMPAIGN_RUN_H
#define STRATA_CAMPAIGN_RUN_H

#include "common/campaign/campaign.h"
#include "common/store/store.h"

/* What is said of one phase. */
struct strata_run_text {
    char name[32];
    char reason[512]; /* the rule that it breaks, or "" */
};

/* What a run left behind, ready for the store. */
struct strata_run_outcome {
    const char *status;       /* ok | invalid | failed | aborted */
    char reason[1024];        /* "" when ok */
    enum strata_status cause; /* of a run that failed: what kind of error it was */
    bool silent; /* the back end does not answer any more: nothing else can be asked of it */
    struct strata_load_result *results; /* one for each phase that began */
    struct strata_store_phase *phases;  /* names and reasons are in `texts` */
    struct strata_run_text *texts;
    size_t phase_count;
    struct strata_store_steady steady; /* of a run of rounds: capacity_bytes is above 0 */
    struct strata_store_look *looks;
    size_t look_count;
    size_t look_capacity;
};

struct strata_run_order {
    const struct strata_layer *layer;
    const struct strata_workload *workload;
    const struct strata_backend *backend;
    uint64_t seed;
    const char *uuid;
    double error_budget;
    const struct strata_counter_disks *disks;

    /* Called about once a second while a phase is measured. */
    void (*tick)(void *context, uint64_t run_elapsed_ns);
    void *tick_context;
};

/* Open, prepare, measure each phase, clean up, close, judge. Never fails itself: what goes wrong is
 * the outcome. Owns: the caller frees with strata_run_outcome_done. */
void strata_run_perform(const struct strata_run_order *order, struct strata_run_outcome *outcome);
void strata_run_outcome_done(struct strata_run_outcome *outcome);

/* The whole reason of a run that the user interrupted and that left nothing behind. */
#define STRATA_RUN_INTERRUPTED "interrupted"

#endif
