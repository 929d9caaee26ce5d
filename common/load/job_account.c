/* What a job's tallies owe when its loop has ended: arrivals that were never started, operations
 * that were drawn but not taken or taken but never came back, and the line between warm-up and
 * measured.
 *
 * `due`, `started` and the ends are counted in different places (drawn, taken by the target,
 * recorded), so that the identities checked after every phase can fail. */
#include "common/load/job.h"

#include "common/base/memory.h"

#include <stdlib.h>

/* Arrivals of the window that found no free slot before it ended were due all the same. */
static void count_skipped(struct strata_job *job)
{
    uint64_t end_ns =
        job->ended_ns < job->gate->deadline_ns ? job->ended_ns : job->gate->deadline_ns;
    uint64_t due = strata_arrivals_before(&job->arrivals, end_ns);
    uint64_t warm = strata_arrivals_before(&job->arrivals, job->gate->begin_ns);
    uint64_t seen = job->arrivals.taken > warm ? job->arrivals.taken : warm;
    uint64_t missed = due > seen ? due - seen : 0;
    missed = missed < job->remaining ? missed : job->remaining;
    uint64_t kinds[STRATA_OPERATION_KINDS] = {0};
    strata_source_skip(&job->source, missed, kinds);
    for (unsigned kind = 0; kind < STRATA_OPERATION_KINDS; kind++) {
        if (kinds[kind] > 0) {
            job->due[kind] += kinds[kind];
            job->measured.records[kind]->tally.skipped += kinds[kind];
        }
    }
}

/* Operations that were drawn but that the target did not take: in open loop they were due, in
 * closed loop an operation is due when it is started. */
static void count_staged(struct strata_job *job)
{
    for (unsigned i = 0; i < job->staged_count; i++) {
        const struct strata_operation *operation = job->staged[i];
        if (strata_job_open_loop(job) && operation->due_ns >= job->gate->begin_ns) {
            job->measured.records[operation->kind]->tally.skipped++;
        } else {
            job->due[operation->kind]--;
        }
    }
}

/* Operations that are neither ready nor staged are still the target's. */
static void count_abandoned(struct strata_job *job)
{
    bool *held = strata_memory_new(job->load->depth, sizeof(*held));
    for (unsigned i = 0; i < job->ready_count; i++) {
        held[job->ready[i]->slot] = true;
    }
    for (unsigned i = 0; i < job->staged_count; i++) {
        held[job->staged[i]->slot] = true;
    }
    for (unsigned slot = 0; slot < job->load->depth; slot++) {
        if (!held[slot]) {
            job->measured.records[job->operations[slot].kind]->tally.abandoned++;
        }
    }
    free(held);
}

/* Divide what was due and started into warm-up (what ended in it) and measured (the rest). */
static void divide_tallies(struct strata_job *job)
{
    for (unsigned kind = 0; kind < STRATA_OPERATION_KINDS; kind++) {
        if (job->measured.records[kind] == NULL) {
            continue;
        }
        struct strata_tally *warm = &job->warmup.records[kind]->tally;
        struct strata_tally *measured = &job->measured.records[kind]->tally;
        warm->started = warm->ok + warm->failed + warm->timed_out;
        warm->due = warm->started;
        measured->started = job->started[kind] - warm->started;
        measured->due = job->due[kind] - warm->due;
    }
}

void strata_job_account(struct strata_job *job)
{
    if (strata_job_open_loop(job)) {
        count_skipped(job);
    }
    count_staged(job);
    count_abandoned(job);
    divide_tallies(job);
}
