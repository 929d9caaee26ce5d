/* A target that does exactly what a test says, on a clock that moves only when the test waits. */
#ifndef STRATA_TESTS_UNIT_LOAD_SCRIPTED_H
#define STRATA_TESTS_UNIT_LOAD_SCRIPTED_H

#include "common/base/clock.h"
#include "common/target/target.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SCRIPTED_JOBS = 8 };

/* When every thread's fake clock begins. */
#define SCRIPTED_EPOCH_NS UINT64_C(5000000000)

/* Each thread has a time of its own, which begins at the epoch and moves by waiting alone. */
extern const struct strata_clock scripted_clock;

/* What happened to one operation, as the target saw it. */
struct scripted_event {
    uint64_t item;
    uint64_t due_ns;
    uint64_t start_ns;
    uint64_t end_ns; /* UINT64_MAX: never */
    uint8_t kind;
    uint8_t head[16]; /* of its buffer, where it has one */
};

struct scripted_log {
    struct scripted_event *events;
    size_t count;
    size_t capacity;
};

struct scripted {
    struct strata_target target;
    struct strata_target_type type;

    /* The script; zero is the plain case. */
    const struct strata_clock *clock;   /* what the target waits on: the load's own */
    uint64_t items[SCRIPTED_JOBS];      /* of each job; [0] counts where the space is shared */
    uint64_t latency_ns[SCRIPTED_JOBS]; /* of each job's operations */
    int32_t (*result)(uint64_t n);      /* of the job's n-th operation; NULL: success */
    unsigned most_taken;                /* at one submit; 0: all */
    unsigned room;                      /* most in flight, if less than the depth; 0: the depth */
    uint64_t hang_from;                 /* the n-th and later never finish; 0: none */
    uint64_t stop_at;                   /* raise *stop at the n-th (from 1); 0: never */
    volatile sig_atomic_t *stop;
    bool stamps_end;           /* sets end_ns itself */
    unsigned open_fails_job;   /* from 1; 0: none */
    unsigned submit_fails_job; /* at its first operation, from 1; 0: none */
    unsigned reap_fails_job;

    struct scripted_log logs[SCRIPTED_JOBS];
    void *held; /* lowest buffer in flight when a worker was closed: where they were allocated */
    atomic_uint opened;
    atomic_uint closed;
};

/* Fill in the table of functions; keeps what the test has set. */
void scripted_init(struct scripted *scripted, unsigned capabilities);
void scripted_done(struct scripted *scripted);

#endif
