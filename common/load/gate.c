/* Jobs start together and agree on the window's end without a lock in their loops.
 *
 * A thread that sleeps wakes up some 50 us late, which a short phase would count as its target's
 * time. So the jobs are woken first, and the last one to be awake says when the load begins; the
 * others, awake, wait for that in turns (sched_yield).
 *
 * The window ends when the first job runs out of work, which the others learn a little later. They
 * must not count an operation that ended after it. So the ending job first raises `ending`, then
 * reads the clock, then publishes the time; the others read the clock, then look at `ending`: when
 * they find it down, their time came before; when it is up, they wait for the published time. */
#include "common/load/gate.h"

#include <sched.h>
#include <time.h>

void strata_gate_init(struct strata_gate *gate, unsigned jobs, const struct strata_clock *clock,
                      uint64_t warmup_ns, uint64_t duration_ns)
{
    *gate = (struct strata_gate){.jobs = jobs,
                                 .clock = clock,
                                 .warmup_ns = warmup_ns,
                                 .duration_ns = duration_ns,
                                 .ended_ns = UINT64_MAX};
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&gate->lock, NULL);
    pthread_cond_init(&gate->changed, &attributes);
    pthread_condattr_destroy(&attributes);
}

void strata_gate_done(struct strata_gate *gate)
{
    pthread_cond_destroy(&gate->changed);
    pthread_mutex_destroy(&gate->lock);
}

static void wait_running(struct strata_gate *gate)
{
    while (!atomic_load_explicit(&gate->running, memory_order_acquire)) {
        sched_yield();
    }
}

static void begin(struct strata_gate *gate)
{
    gate->start_ns = gate->clock->now_ns(gate->clock->context);
    gate->begin_ns = gate->start_ns + gate->warmup_ns;
    gate->deadline_ns = gate->duration_ns > 0 ? gate->begin_ns + gate->duration_ns : UINT64_MAX;
    atomic_store_explicit(&gate->running, true, memory_order_release);
}

bool strata_gate_pass(struct strata_gate *gate, bool ready)
{
    pthread_mutex_lock(&gate->lock);
    gate->arrived++;
    pthread_cond_broadcast(&gate->changed);
    while (ready && gate->state == STRATA_GATE_CLOSED) {
        pthread_cond_wait(&gate->changed, &gate->lock);
    }
    bool open = ready && gate->state == STRATA_GATE_OPEN;
    pthread_mutex_unlock(&gate->lock);
    if (!open) {
        return false;
    }
    if (atomic_fetch_add(&gate->awake, 1) + 1 == gate->jobs) {
        begin(gate);
    } else {
        wait_running(gate);
    }
    return true;
}

void strata_gate_leave(struct strata_gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->finished++;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}

uint64_t strata_gate_end_window(struct strata_gate *gate)
{
    bool was_ending = atomic_exchange(&gate->ending, true);
    uint64_t now_ns = gate->clock->now_ns(gate->clock->context);
    if (!was_ending) {
        atomic_store_explicit(&gate->ended_ns, now_ns, memory_order_release);
    }
    return now_ns;
}

void strata_gate_wait_arrived(struct strata_gate *gate, unsigned count)
{
    pthread_mutex_lock(&gate->lock);
    while (gate->arrived < count) {
        pthread_cond_wait(&gate->changed, &gate->lock);
    }
    pthread_mutex_unlock(&gate->lock);
}

static void set_state(struct strata_gate *gate, enum strata_gate_state state)
{
    pthread_mutex_lock(&gate->lock);
    gate->state = state;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}

void strata_gate_open(struct strata_gate *gate)
{
    set_state(gate, STRATA_GATE_OPEN);
    wait_running(gate);
}

void strata_gate_cancel(struct strata_gate *gate)
{
    set_state(gate, STRATA_GATE_CANCELLED);
}

bool strata_gate_wait_finished(struct strata_gate *gate, unsigned count, uint64_t until_ns)
{
    const struct timespec until = {.tv_sec = (time_t)(until_ns / 1000000000),
                                   .tv_nsec = (long)(until_ns % 1000000000)};
    pthread_mutex_lock(&gate->lock);
    int waited = 0;
    while (gate->finished < count && waited == 0) {
        waited = pthread_cond_timedwait(&gate->changed, &gate->lock, &until);
    }
    bool all = gate->finished >= count;
    pthread_mutex_unlock(&gate->lock);
    return all;
}
