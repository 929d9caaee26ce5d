/* One job of a phase: a thread that keeps its share of operations in flight and records them. Part
 * of the engine. */
#ifndef STRATA_LOAD_JOB_H
#define STRATA_LOAD_JOB_H

#include "common/load/arrivals.h"
#include "common/load/gate.h"
#include "common/load/load.h"
#include "common/load/payload.h"
#include "common/load/source.h"

enum { STRATA_JOB_BATCH = 64 }; /* most operations handed over at once */

/* Only the job's own thread touches it between start and end, but for `done`. It and what it points
 * to is allocated by strata_memory_new_aligned, so that jobs share no cache line. */
struct strata_job {
    /* Given. */
    const struct strata_load *load;
    struct strata_target *target;
    struct strata_gate *gate;
    unsigned number;
    unsigned kinds;
    uint64_t identity; /* unique to the job and phase, for its payload */

    /* Work still to ask for. */
    struct strata_source source;
    struct strata_arrivals arrivals;
    uint64_t remaining; /* operations that may still be drawn; UINT64_MAX: no limit */
    bool had_work;

    /* Operations: each is ready (its slot is free), staged (drawn but not yet taken by the target),
     * or in flight. */
    struct strata_worker *worker;
    struct strata_payload payload;
    struct strata_operation *operations;
    struct strata_operation **ready;
    unsigned ready_count;
    struct strata_operation *staged[STRATA_JOB_BATCH];
    unsigned staged_count;
    unsigned in_flight;

    /* Counted. */
    struct strata_recorder measured;
    struct strata_recorder warmup;
    uint64_t due[STRATA_OPERATION_KINDS];     /* drawn, over warm-up and measuring */
    uint64_t started[STRATA_OPERATION_KINDS]; /* taken by the target, likewise */
    uint64_t looked_ns;                       /* when the clock was last read */
    uint64_t in_flight_ns;                    /* integral of in_flight over the window */
    uint64_t last_end_ns;                     /* of the measured operations; 0: none */
    uint64_t busy_from_ns; /* span over which `user_ns` was spent; 0: not begun */
    uint64_t busy_until_ns;
    uint64_t ended_ns; /* when it stopped asking for more */
    int64_t user_ns;
    bool interrupted;
    bool unreapable;    /* nothing more comes back: what is in flight is lost */
    uint64_t silent_ns; /* since when nothing came back; 0: something did just now */

    enum strata_status status;
    struct strata_error error;

    _Alignas(64) _Atomic uint64_t done; /* measured operations that ended; for the progress */
    _Atomic uint64_t inside_ns; /* since when it is inside a call of the target; 0: it is not */
};

/* In inside_ns: the job was given up there; all that it has belongs to whoever did so. */
#define STRATA_JOB_LOST UINT64_MAX

/* Make the job ready to start, in the calling thread. Owns: released by _done. */
void strata_job_init(struct strata_job *job);
void strata_job_done(struct strata_job *job);

static inline bool strata_job_open_loop(const struct strata_job *job)
{
    return job->load->rate_per_s > 0;
}

/* Complete the tallies, once the loop has ended. */
void strata_job_account(struct strata_job *job);

/* Give the job up when it has been inside one call of the target for longer than load->give_up_ns:
 * ends its work in its place and completes its tallies. Returns whether it did; then the job's
 * thread does nothing any more, and what the job has is never freed, as the kernel may use it.
 * Threads: another than the job's. */
bool strata_job_lose(struct strata_job *job, uint64_t now_ns);

/* The thread: open a worker, pass the gate, work, close the worker, leave the gate. */
void *strata_job_run(void *job);

#endif
