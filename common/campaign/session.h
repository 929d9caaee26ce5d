/* A layer's part of a campaign, from the inspected back ends to the last stored run. */
#ifndef STRATA_CAMPAIGN_SESSION_H
#define STRATA_CAMPAIGN_SESSION_H

#include "common/campaign/backends.h"
#include "common/campaign/cells.h"
#include "common/store/store.h"

/* Whom the session tells what it does; no function may be NULL. */
struct strata_session_observer {
    void *context;
    /* A line for the user: what is left out or went wrong, and why. */
    void (*message)(void *context, const char *line);
    /* A run begins: "randread 512 B depth 32, disk-aes, pair 2 of 5". */
    void (*run_begins)(void *context, const char *what, uint64_t expected_ns);
    void (*run_goes_on)(void *context, uint64_t elapsed_ns);
    void (*run_ended)(void *context, uint64_t expected_ns);
};

struct strata_session {
    const struct strata_layer *layer;
    const struct strata_plan *plan;
    struct strata_backends *backends;
    const struct strata_cells *cells;
    struct strata_store *store;
    const char *campaign_uuid;
    const struct strata_session_observer *observer;
};

struct strata_session_summary {
    unsigned ok;
    unsigned invalid;
    unsigned failed;
    unsigned aborted;
    unsigned missed;                /* slots of the day that had passed */
    bool silent;                    /* a back end does not answer: the campaign ended there */
    enum strata_status first_cause; /* of the first failed run */
    char first_reason[1024];
};

/* Inspect each back end that a cell uses; one that is not there is left out with a message when its
 * `when-missing` says skip. Errors: the inspection's, prefixed with the back end's name. */
enum strata_status strata_session_inspect(struct strata_backends *backends,
                                          const struct strata_layer *layer,
                                          const struct strata_cells *cells,
                                          const struct strata_session_observer *observer,
                                          struct strata_error *error);

/* Run every cell in order. Runs that fail are counted, and the other cells go on; but
 * none after a back end that does not answer, on which every further run would wait. Errors: the
 * store's, and STRATA_INTERRUPTED after the interrupted run was stored. */
enum strata_status strata_session_run(const struct strata_session *session,
                                      struct strata_session_summary *ret_summary,
                                      struct strata_error *error);

#endif
