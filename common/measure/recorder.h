/* What a worker writes down while it measures, and what is merged from the workers afterwards.
 * No lock, no allocation and no I/O in strata_recorder_add. */
#ifndef STRATA_MEASURE_RECORDER_H
#define STRATA_MEASURE_RECORDER_H

#include "common/measure/histogram.h"
#include "common/measure/operation.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Accounting identities, asserted by the engine after every phase:
 *   due = skipped + started
 *   started = ok + failed + timed_out + abandoned */
struct strata_tally {
    uint64_t due;
    uint64_t skipped; /* due in the window but never started (open loop that could not keep up) */
    uint64_t started;
    uint64_t ok;
    uint64_t failed;
    uint64_t timed_out; /* finished by the target with STRATA_RESULT_TIMED_OUT */
    uint64_t abandoned; /* still in flight when the drain gave up */
    uint64_t bytes;     /* payload of the successes */
    uint64_t window_ok; /* successes that ended inside the window in which every worker worked */
    uint64_t window_bytes;
    uint64_t stage_count[STRATA_STAGES];
    uint64_t stage_ns[STRATA_STAGES];
};

/* One second of one kind of operation; second 0 begins when measuring begins. An operation belongs
 * to the second in which it ended. The sum over the seconds equals the tally. */
struct strata_sample {
    uint64_t ok;
    uint64_t failed; /* failed and timed out */
    uint64_t bytes;
    uint64_t sum_ns; /* response times of the successes */
    uint64_t max_ns;
};

enum { STRATA_SERIES_SECONDS = 86400 }; /* what comes later is added to the last second */

enum { STRATA_RECORDER_CODES = 32 }; /* distinct results kept; further ones are counted as code 0 */

struct strata_failure {
    int32_t code;
    uint64_t count;
};

/* One kind of operation. Latencies hold the successes only. */
struct strata_record {
    struct strata_tally tally;
    struct strata_histogram response; /* end - due */
    struct strata_histogram service;  /* end - start; filled in open loop only (else equal) */
    struct strata_sample *samples;    /* STRATA_SERIES_SECONDS, untouched pages cost nothing */
    size_t sample_count;              /* seconds used */
    struct strata_failure failures[STRATA_RECORDER_CODES];
    size_t failure_count;
};

/* A worker's recorder; also the merged one. Only kinds in use have a record. */
struct strata_recorder {
    struct strata_record *records[STRATA_OPERATION_KINDS];
    uint64_t begin_ns;      /* measuring began */
    uint64_t window_end_ns; /* successes ending later count in the totals, not in the window */
    bool open_loop;
};

/* Allocate the records for the kinds in the bit set `kinds`. Owns: released by _done. */
void strata_recorder_init(struct strata_recorder *recorder, unsigned kinds, bool open_loop);
void strata_recorder_done(struct strata_recorder *recorder);

/* Count a finished operation (ok, failed or timed out; bytes, latency, second, stages, code).
 * `due` and `started` are the engine's to count. */
void strata_recorder_add(struct strata_recorder *recorder,
                         const struct strata_operation *operation);

/* Add a worker's content to the merged recorder, which has the same kinds. */
void strata_recorder_merge(struct strata_recorder *into, const struct strata_recorder *from);

/* Whether the two identities hold for each kind. */
bool strata_recorder_consistent(const struct strata_recorder *recorder);

#endif
