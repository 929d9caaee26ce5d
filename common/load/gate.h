/* What the jobs of a phase share: a common start, and the moment that ends the window for all. Part
 * of the engine. */
#ifndef STRATA_LOAD_GATE_H
#define STRATA_LOAD_GATE_H

#include "common/base/clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum strata_gate_state { STRATA_GATE_CLOSED, STRATA_GATE_OPEN, STRATA_GATE_CANCELLED };

struct strata_gate {
    /* Given. */
    unsigned jobs;
    const struct strata_clock *clock;
    uint64_t warmup_ns;
    uint64_t duration_ns; /* 0: no deadline */

    /* Under the lock: */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum strata_gate_state state;
    unsigned arrived;  /* jobs that are ready, or failed to become so */
    unsigned finished; /* jobs that ended */

    /* Written by the last job that wakes up, before `running`; only read afterwards: */
    uint64_t start_ns;    /* load begins */
    uint64_t begin_ns;    /* measuring begins */
    uint64_t deadline_ns; /* nothing is started from here on; UINT64_MAX: no such limit */
    atomic_uint awake;
    atomic_bool running;

    atomic_bool give_up; /* a job failed: the others end in order */
    atomic_bool ending;  /* a job is about to end the window: do not count before ended_ns is set */
    _Atomic uint64_t ended_ns; /* UINT64_MAX until then */
};

void strata_gate_init(struct strata_gate *gate, unsigned jobs, const struct strata_clock *clock,
                      uint64_t warmup_ns, uint64_t duration_ns);
void strata_gate_done(struct strata_gate *gate);

/* For a job: it is ready (or not, then the gate need not open). Waits for the others; returns
 * whether the load begins, which is now. */
bool strata_gate_pass(struct strata_gate *gate, bool ready);

/* For a job: it ended. */
void strata_gate_leave(struct strata_gate *gate);

/* End the window now, unless it was ended before. Returns the time. A time that another job read
 * before, and found strata_gate_window_end_ns unset after, is not later than the end. */
uint64_t strata_gate_end_window(struct strata_gate *gate);

/* When the window ended, as far as it has: else the deadline. */
static inline uint64_t strata_gate_window_end_ns(struct strata_gate *gate)
{
    if (!atomic_load_explicit(&gate->ending, memory_order_acquire)) {
        return gate->deadline_ns;
    }
    uint64_t ended_ns;
    do {
        ended_ns = atomic_load_explicit(&gate->ended_ns, memory_order_acquire);
    } while (ended_ns == UINT64_MAX);
    return ended_ns < gate->deadline_ns ? ended_ns : gate->deadline_ns;
}

/* For the thread that runs the phase: wait until `count` jobs arrived; let them begin, which
 * returns when they do, or send them away; wait for `count` jobs to finish, at most until the
 * machine's monotonic clock reads `until_ns`, and return whether they did. */
void strata_gate_wait_arrived(struct strata_gate *gate, unsigned count);
void strata_gate_open(struct strata_gate *gate);
void strata_gate_cancel(struct strata_gate *gate);
bool strata_gate_wait_finished(struct strata_gate *gate, unsigned count, uint64_t until_ns);

#endif
