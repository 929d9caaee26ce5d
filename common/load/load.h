/* The engine: jobs, each with a queue depth, in closed loop or at a given rate, recorded. */
#ifndef STRATA_LOAD_LOAD_H
#define STRATA_LOAD_LOAD_H

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/measure/recorder.h"
#include "common/target/target.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

enum strata_order {
    STRATA_ORDER_SEQUENTIAL, /* a shared space is divided into disjoint ranges, one a job */
    STRATA_ORDER_RANDOM      /* uniform over the job's items (a shared space: over all of it) */
};

enum { STRATA_LOAD_MIX = 2 };

/* One phase of a run. What it points to is borrowed. */
struct strata_load {
    const char *phase; /* "read", "create", …: names the phase in results */
    unsigned jobs;     /* threads, >= 1 */
    unsigned depth;    /* operations in flight of each job, >= 1; 1 for synchronous targets */
    unsigned batch;    /* finished operations to wait for before looking; 0 is 1 */
    struct {
        enum strata_operation_kind kind;
        unsigned weight; /* shares of a shuffled deck: exact over each deck of sum(weight) */
    } mix[STRATA_LOAD_MIX];
    unsigned mix_count;
    enum strata_order order;
    uint64_t bytes;       /* payload of each operation */
    uint64_t seed;        /* with the job's number, of the order; what is written is always new */
    bool one_pass;        /* each job asks for each of its items once, then ends */
    uint64_t operations;  /* else: end after so many in total, warm-up apart; 0 = no such limit */
    uint64_t warmup_ns;   /* before measuring begins; counted apart */
    uint64_t duration_ns; /* end after so long, measured; 0 = no such limit */
    double rate_per_s;    /* open loop: arrivals of all jobs together; 0 = closed loop */
    uint64_t drain_ns;    /* how long to wait for operations in flight at the end */
    uint64_t give_up_ns; /* a target is given up that gives nothing back for so long with operations
                            in flight, or stays inside a call for so long; 0: never */
    const struct strata_clock *clock;
    const volatile sig_atomic_t *stop; /* non-zero ends the phase in order */

    /* Called about once a second of measuring, and at its begin (second 0) and end, from the thread
     * that called strata_load_run. Without a warm-up the begin is told before any operation starts.
     * NULL if not wanted. */
    void (*tick)(void *context, uint64_t elapsed_ns, uint64_t operations_done);
    void *tick_context;
};

struct strata_load_result {
    struct strata_recorder recorder; /* merged */
    struct strata_recorder warmup;   /* merged; empty records without warm-up */
    int64_t started_at_us;           /* wall clock when measuring began */
    uint64_t elapsed_ns;             /* measuring began to the last operation finished */
    uint64_t window_ns;             /* measuring began to the first job out of work or to the end */
    double mean_in_flight;          /* time average of operations in flight over the window */
    double generator_busy_fraction; /* share of the window that the jobs' threads spent on a
                                       processor in user mode, mean over jobs with work (rusage) */
    bool interrupted;
    struct strata_recorder *members; /* what was measured on each member of the target, where its
                                        jobs work on one each (struct strata_target) */
    unsigned member_count;           /* 0: not so */
    unsigned lost_jobs; /* that were inside a call of the target when it was given up: they may be
                           there still, so the target must not be closed */
};

/* Run the phase and fill *result. Returns STRATA_OK also when operations failed (that is data), or
 * when interrupted; STRATA_ENVIRONMENT when a worker could not open or go on; STRATA_INTERNAL when
 * an accounting identity is broken. Owns: the caller calls strata_load_result_done in every case.
 */
enum strata_status strata_load_run(struct strata_target *target, const struct strata_load *load,
                                   struct strata_load_result *result, struct strata_error *error);
void strata_load_result_done(struct strata_load_result *result);

#endif
