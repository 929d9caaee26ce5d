/* Results of other tools, brought in beside our own: a file is read into a set of runs, and the set
 * stored as a campaign. Reading touches no results database. */
#ifndef STRATA_IMPORT_IMPORT_H
#define STRATA_IMPORT_IMPORT_H

#include "common/base/error.h"
#include "common/base/text.h"
#include "common/store/database.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All texts are owned by the set, but for those marked static. */
struct strata_import_backend {
    char *name;
    char *location;   /* or NULL */
    char *encryption; /* NULL: plain */
    size_t twin;      /* of an encrypted one: index of the plain one; STRATA_IMPORT_NO_TWIN */
};
#define STRATA_IMPORT_NO_TWIN SIZE_MAX

struct strata_import_bin {
    uint64_t lower_ns, upper_ns; /* both belong to the bin */
    uint64_t count;
};

/* One kind of operation of a run: "read" or "write". */
struct strata_import_result {
    const char *operation; /* static */
    uint64_t ok;
    uint64_t failed;
    uint64_t bytes;     /* of the successes */
    int32_t error_code; /* of the failed ones, an errno; the first where there were several */
    uint64_t latencies; /* 0: none were recorded, and the three below mean nothing */
    uint64_t sum_ns, min_ns, max_ns;
    struct strata_import_bin *bins; /* none: the distribution is not known */
    size_t bin_count;
};

struct strata_import_run {
    size_t backend; /* index */
    char *workload; /* its name */
    char *operation;
    uint64_t block_bytes;
    unsigned concurrency; /* 0: not known */
    char *parameters;     /* JSON */
    char *source;         /* tool and file */
    char *reason;         /* why it is invalid; NULL: it is ok */
    int64_t began_us, ended_us;
    uint64_t elapsed_ns;
    struct strata_import_result results[2];
    size_t result_count;
};

/* Zero-initialised is an empty set. */
struct strata_import_set {
    struct strata_import_backend *backends;
    size_t backend_count, backend_capacity;
    struct strata_import_run *runs;
    size_t run_count, run_capacity;
    struct strata_text notes; /* what a user should know of the reading, a line each */
};

/* Append. The pointer is valid until the next call. */
struct strata_import_run *strata_import_add_run(struct strata_import_set *set);

/* The back end of that name, made where it is missing. `encryption` NULL: a plain one. */
size_t strata_import_backend(struct strata_import_set *set, const char *name, const char *location,
                             const char *encryption);
void strata_import_note(struct strata_import_set *set, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void strata_import_set_done(struct strata_import_set *set);

/* Add what fio 3.x wrote with --output-format=json or json+ . `backend` names the back end instead
 * of the file or directory that fio worked on; `encryption` NULL: it is plain. Errors: STRATA_USAGE
 * naming file and fault; then the set is good for nothing but strata_import_set_done. */
enum strata_status strata_import_read_fio(const char *path, const char *backend,
                                          const char *encryption, struct strata_import_set *set,
                                          struct strata_error *error);

/* Pair back ends: the n-th encrypted one is the twin of the n-th plain one. Errors: STRATA_USAGE
 * when there is not one for each. */
enum strata_status strata_import_pair(struct strata_import_set *set, struct strata_error *error);

/* Add a table of published rates, comma-separated, under a line of headings (doc/results.md).
 * Errors: STRATA_USAGE naming file, line and fault. */
enum strata_status strata_import_read_table(const char *path, struct strata_import_set *set,
                                            struct strata_error *error);

struct strata_import_campaign {
    const char *uuid;          /* of an earlier import to add to, or a new one */
    bool added;                /* to an earlier import; the rest does not count then */
    const char *name;          /* of a new one */
    const char *configuration; /* the command line */
};

/* Store the set, in one transaction. Errors: STRATA_USAGE when the campaign to add to is none, or
 * holds runs that Strata measured; STRATA_ENVIRONMENT as elsewhere. */
enum strata_status strata_import_store(struct strata_store *store,
                                       const struct strata_import_campaign *campaign,
                                       const struct strata_import_set *set,
                                       struct strata_error *error);

#endif
