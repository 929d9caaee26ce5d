/* Between the parts of the reader of fio's results. Nobody else includes it. */
#ifndef STRATA_IMPORT_FIO_H
#define STRATA_IMPORT_FIO_H

#include "common/import/import.h"
#include "common/store/query.h"

/* The columns of fio.sql. */
enum strata_fio_column {
    FIRST_ENTRY,
    DIRECTION,
    NAME,
    WRONG,
    PROCESSES,
    BESIDE,
    TOTAL_IOS,
    IO_BYTES,
    RUNTIME_MS,
    MEASURE,
    LATENCIES,
    MIN_NS,
    MAX_NS,
    SUM_NS,
    BINS,
    ERRORS,
    ERROR_CODE,
    RW,
    ENGINE,
    DEPTH,
    NUMJOBS,
    READ_PERCENT,
    WARM_UP,
    DURATION,
    DIRECT,
    SEVERAL_SIZES,
    PLACE,
    OTHERS,
    VERSION,
    ENDED_MS
};

/* One file while it is read; the rows are at one job and direction. */
struct strata_fio_reading {
    const char *path;
    const char *backend;
    const char *encryption;
    struct strata_store *scratch; /* for SQLite's JSON functions */
    struct strata_query *rows;
    struct strata_import_set *set;
    struct strata_error *error;
};

/* A column of the row; "" and 0 for NULL. */
const char *strata_fio_text(const struct strata_fio_reading *reading,
                            enum strata_fio_column column);
int64_t strata_fio_number(const struct strata_fio_reading *reading, enum strata_fio_column column);

/* Fill the error with file, job and what is wrong. Returns its status, STRATA_USAGE. */
enum strata_status strata_fio_refuse(const struct strata_fio_reading *reading, const char *format,
                                     ...) __attribute__((format(printf, 2, 3)));

/* Note that the job is left out, and why. */
void strata_fio_leave_out(const struct strata_fio_reading *reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A job's workload, in our terms. */
struct strata_fio_job {
    const char *operation; /* "randread"; without what may follow a colon */
    bool modified;         /* something did */
    const char *engine;    /* our name for it where we have one */
    uint64_t depth;
    uint64_t jobs;
    uint64_t read_percent;
    uint64_t warm_up_ns;
    uint64_t duration_ns; /* 0: it was to end after its bytes */
};

/* What the job of the row was told; false with a note when we have no workload like it. */
bool strata_fio_read_job(const struct strata_fio_reading *reading, struct strata_fio_job *job);

/* The name and the parameters that the device layer gives such a workload, and what only fio has.
 * `by_time`: it ended with its time, not with its bytes. */
void strata_fio_write_name(const struct strata_fio_job *job, uint64_t block_bytes,
                           struct strata_text *out);
enum strata_status strata_fio_write_parameters(const struct strata_fio_reading *reading,
                                               const struct strata_fio_job *job, bool by_time,
                                               struct strata_text *out);

/* The latencies of the row, with their bins where fio wrote them. Errors: STRATA_USAGE when they
 * contradict each other. */
enum strata_status strata_fio_read_latency(const struct strata_fio_reading *reading,
                                           struct strata_import_result *result);

/* The operations and bytes of the row, its latencies being read; false when they are not all of one
 * size. */
bool strata_fio_count(const struct strata_fio_reading *reading,
                      struct strata_import_result *result);

#endif
