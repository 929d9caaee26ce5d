/* Writing results: one transaction a run, never while measuring. Reading is in
 * common/store/query.h. */
#ifndef STRATA_STORE_STORE_H
#define STRATA_STORE_STORE_H

#include "common/base/error.h"
#include "common/host/counters.h"
#include "common/load/load.h"
#include "common/store/database.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Text arguments are borrowed; NULL stores NULL. */
struct strata_store_campaign {
    const char *uuid;
    const char *name;
    const char *configuration; /* the text of the plan */
    uint64_t seed;
    double loss_margin; /* fraction */
    unsigned planned_pairs;
    double time_scale; /* that the times of measuring were multiplied by; 1: not scaled */
};

struct strata_store_backend {
    const char *name;
    const char *layer;    /* lowest layer it serves */
    const char *location; /* path or URL; no secret */
    bool encrypted;
    const char *encryption;
    const char *proof; /* level */
    const char *evidence;
    int64_t twin_id;       /* of the plain one; 0: none */
    const char *storage;   /* JSON of strata_facts_storage */
    const char *stands_on; /* name of the back end of a lower layer; NULL: not declared */
    int64_t versus_id;     /* of the one that it is held against; 0: none */
};

struct strata_store_workload {
    const char *layer;
    const char *name;
    const char *element;
    const char *operation; /* the phases' names, "read", "create stat unlink", … */
    uint64_t object_bytes;
    uint64_t block_bytes;
    unsigned concurrency;
    const char *category;
    const char *arrival; /* "closed" | "open" */
    double rate_per_s;
    const char *match_key;
    const char *parameters; /* JSON */
};

struct strata_store_run {
    const char *uuid;
    int64_t campaign_id;
    int64_t environment_id;
    int64_t backend_id;
    int64_t workload_id;
    const char *cell;        /* "pair" | "single" | "control" */
    int64_t twin_backend_id; /* whom this run is paired with; 0: nobody */
    unsigned pair_no;        /* from 1 */
    unsigned slot;           /* order inside the cell, from 1 */
    uint64_t seed;
};

/* One look at the counters during a run. */
struct strata_store_look {
    const char *phase;
    struct strata_counters counters;
};

struct strata_store_phase {
    const char *name;
    const struct strata_load_result *result;
    uint64_t bytes_per_operation;
    const char *reason;    /* the rule that it breaks; NULL or "": valid */
    uint64_t region_bytes; /* that its operations addressed; 0 where there is no such region */
    uint64_t step_at_ns;   /* from the begin of measuring to a step in its rate; 0: none */
    double step_before_per_s;
    double step_after_per_s;
    const char *const *members; /* paths of the result's; where it has none it may be NULL */
};

/* How a run of rounds ended; NAN where there is no such number. */
struct strata_store_steady {
    char procedure[64]; /* the standard's, when nothing of it was left out; else "" */
    char missing[448];  /* what was left out */
    uint64_t preconditioned_bytes;
    uint64_t capacity_bytes;
    unsigned rounds;
    bool reached;
    unsigned window_first_round; /* of the five that were judged last; 0: there were fewer */
    double mean_per_s;
    double range_fraction;
    double slope_fraction;
};

struct strata_store_outcome {
    const char *status; /* ok | invalid | failed | aborted */
    const char *reason; /* "" when ok */
    const struct strata_store_phase *phases;
    size_t phase_count;
    const struct strata_store_look *looks;
    size_t look_count;
    const struct strata_store_steady *steady; /* NULL: the run has no rounds */
};

/* Find or make the row; *ret_id is its id. A campaign with the same uuid is joined (several
 * executables write into one); one of another configuration, name, seed, margin or number of pairs
 * is refused with STRATA_USAGE. Errors: STRATA_ENVIRONMENT. */
enum strata_status strata_store_campaign(struct strata_store *store,
                                         const struct strata_store_campaign *campaign,
                                         int64_t *ret_id, struct strata_error *error);
enum strata_status strata_store_environment(struct strata_store *store, const char *host_id,
                                            const char *facts_json, int64_t *ret_id,
                                            struct strata_error *error);
enum strata_status strata_store_backend(struct strata_store *store, int64_t campaign_id,
                                        const struct strata_store_backend *backend, int64_t *ret_id,
                                        struct strata_error *error);
enum strata_status strata_store_workload(struct strata_store *store,
                                         const struct strata_store_workload *workload,
                                         int64_t *ret_id, struct strata_error *error);

/* Mark the run as running, with this process's id and start time. One transaction. */
enum strata_status strata_store_run_begin(struct strata_store *store,
                                          const struct strata_store_run *run, int64_t *ret_id,
                                          struct strata_error *error);

/* Store all of the run and its final status. One transaction: all of it or nothing. */
enum strata_status strata_store_run_finish(struct strata_store *store, int64_t run_id,
                                           const struct strata_store_outcome *outcome,
                                           struct strata_error *error);

#endif
