/* What a job of fio was told, in our terms.
 *
 * Always holds: a job that asks what one of our workloads asks gets that workload's name and
 * parameters, so that the two are one row; whatever else it was told stands in the parameters, too,
 * and makes it another. */
#include "common/base/json.h"
#include "common/base/units.h"
#include "common/import/fio.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST 32768 /* jobs, and depth: their product fits in 32 bits */

static bool is(const char *text, const char *other)
{
    return strcmp(text, other) == 0;
}

/* Our engine's name where fio's does the same; else fio's. */
static const char *engine_of(const char *name, bool *ret_synchronous)
{
    static const char *const synchronous[] = {"sync", "psync", "vsync", "pvsync", "pvsync2"};
    *ret_synchronous = is(name, "mmap");
    for (size_t i = 0; i < sizeof(synchronous) / sizeof(synchronous[0]); i++) {
        if (is(name, synchronous[i])) {
            *ret_synchronous = true;
            return "sync";
        }
    }
    return is(name, "libaio") ? "aio" : is(name, "io_uring") ? "uring" : name;
}

static bool is_plain_word(const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i < length; i++) {
        if (!isalnum((unsigned char)word[i]) && word[i] != '_' && word[i] != '-') {
            return false;
        }
    }
    return length > 0 && length < 25;
}

/* fio's bare number is one of seconds. */
static bool parse_time(const char *text, uint64_t *ret_ns)
{
    struct strata_error ignored;
    bool bare = text[strspn(text, "0123456789.")] == '\0';
    char *with_unit = strata_text_duplicate_format("%s%s", text, bare ? "s" : "");
    bool taken = strata_units_parse_duration(with_unit, ret_ns, &ignored) == STRATA_OK;
    free(with_unit);
    return taken;
}

static bool parse_count(const char *text, uint64_t most, uint64_t *ret_count)
{
    struct strata_error ignored;
    return strata_units_parse_count(text, ret_count, &ignored) == STRATA_OK && *ret_count <= most;
}

static bool read_operation(const struct strata_fio_reading *reading, struct strata_fio_job *job)
{
    static const struct {
        const char *fio, *ours;
    } known[] = {{"read", "read"},           {"write", "write"},   {"randread", "randread"},
                 {"randwrite", "randwrite"}, {"randrw", "randrw"}, {"rw", "rw"},
                 {"readwrite", "rw"}};
    const char *rw = strata_fio_text(reading, RW);
    size_t length = strcspn(rw, ":");
    job->modified = rw[length] != '\0';
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strlen(known[i].fio) == length && strncmp(known[i].fio, rw, length) == 0) {
            job->operation = known[i].ours;
            return true;
        }
    }
    strata_fio_leave_out(reading, "its rw is '%.40s'; read, write and mixes of them can be stored",
                         rw);
    return false;
}

/* What the job was told, or false with a note. */
bool strata_fio_read_job(const struct strata_fio_reading *reading, struct strata_fio_job *job)
{
    bool synchronous;
    job->engine = engine_of(strata_fio_text(reading, ENGINE), &synchronous);
    if (!read_operation(reading, job)) {
        return false;
    }
    uint64_t processes = (uint64_t)strata_fio_number(reading, PROCESSES);
    if (!is_plain_word(job->engine) ||
        !parse_count(strata_fio_text(reading, DEPTH), MOST, &job->depth) ||
        !parse_count(strata_fio_text(reading, NUMJOBS), MOST, &job->jobs) || job->depth == 0 ||
        processes > MOST ||
        !parse_count(strata_fio_text(reading, READ_PERCENT), 100, &job->read_percent)) {
        strata_fio_leave_out(reading,
                             "its ioengine, iodepth, numjobs or rwmixread is not understood");
        return false;
    }
    if (!parse_time(strata_fio_text(reading, WARM_UP), &job->warm_up_ns) ||
        !parse_time(strata_fio_text(reading, DURATION), &job->duration_ns)) {
        strata_fio_leave_out(reading, "its ramp_time or runtime is not understood");
        return false;
    }
    if (strata_fio_number(reading, SEVERAL_SIZES) != 0) {
        strata_fio_leave_out(reading, "its blocks are of several sizes (bssplit, bsrange)");
        return false;
    }
    job->jobs = job->jobs > processes ? job->jobs : processes;
    if (synchronous && job->depth > 1) {
        strata_import_note(reading->set,
                           "%s: job '%.80s': iodepth %" PRIu64
                           " with the synchronous %s: stored as "
                           "depth 1, the most that it keeps in flight",
                           reading->path, strata_fio_text(reading, NAME), job->depth,
                           strata_fio_text(reading, ENGINE));
        job->depth = 1;
    }
    return true;
}

void strata_fio_write_name(const struct strata_fio_job *job, uint64_t block_bytes,
                           struct strata_text *out)
{
    char block[32];
    strata_text_format(out, "%s %s depth %" PRIu64, job->operation,
                       strata_units_format_size(block_bytes, block, sizeof(block)), job->depth);
    if (job->jobs > 1) {
        strata_text_format(out, " jobs %" PRIu64, job->jobs);
    }
    if (!is(job->engine, "aio")) {
        strata_text_format(out, " %s", job->engine);
    }
}

/* What only fio has. A job that ended by time ran over its region again and again, as ours do; one
 * that did not ended after so many bytes, which its size and loops say. */
static enum strata_status write_others(const struct strata_fio_reading *reading, bool by_time,
                                       struct strata_text *out)
{
    struct strata_query *query = NULL;
    if (strata_query_open(
            reading->scratch,
            "SELECT nullif(iif(?2, json_remove(?1, '$.runtime', '$.size'), json(?1)), '{}')",
            &query, reading->error) != STRATA_OK) {
        return reading->error->status;
    }
    strata_query_bind_text(query, 1, strata_fio_text(reading, OTHERS));
    strata_query_bind_integer(query, 2, by_time);
    if (strata_query_next(query) && !strata_query_is_null(query, 0)) {
        strata_text_format(out, ",\"fio\":%s", strata_query_text(query, 0));
    }
    enum strata_status status = strata_query_status(query, reading->error);
    strata_query_close(query);
    return status;
}

/* As the device layer writes them, so that equal workloads are one row. */
enum strata_status strata_fio_write_parameters(const struct strata_fio_reading *reading,
                                               const struct strata_fio_job *job, bool by_time,
                                               struct strata_text *out)
{
    bool random = strncmp(job->operation, "rand", 4) == 0;
    strata_text_format(
        out, "{\"engine\":\"%s\",\"order\":\"%s\",\"jobs\":%" PRIu64 ",\"depth\":%" PRIu64,
        job->engine, random ? "random" : "sequential", job->jobs, job->depth);
    if (is(job->operation, "randrw") || is(job->operation, "rw")) {
        strata_text_format(out, ",\"read_percent\":%" PRIu64, job->read_percent);
    }
    strata_text_format(out, ",\"warm_up_ns\":%" PRIu64 ",\"duration_ns\":%" PRIu64, job->warm_up_ns,
                       by_time ? job->duration_ns : 0);
    if (strata_fio_number(reading, DIRECT) == 0 && !is(job->engine, "null")) {
        strata_text_append(out, ",\"direct\":false");
    }
    if (job->modified) {
        strata_text_append(out, ",\"rw\":");
        strata_json_string(out, strata_fio_text(reading, RW));
    }
    if (strata_fio_number(reading, BESIDE) > 0) {
        strata_text_format(out, ",\"jobs_beside\":%" PRId64, strata_fio_number(reading, BESIDE));
    }
    enum strata_status status = write_others(reading, by_time, out);
    strata_text_append(out, "}");
    return status;
}
