/* What fio measured, as runs of ours.
 *
 * Always holds: what fio does not tell (a block size that is no single one, bins that were not
 * written) is not made up: the job is left out with a note, or the percentiles stay unknown. A file
 * that is damaged adds nothing. What a job asked is read by fio_job.c, its figures by
 * fio_figures.c. */
#include "common/import/fio.h"

#include "common/base/clock.h"
#include "common/base/embedded.h"
#include "common/base/file.h"
#include "common/measure/operation.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES      ((size_t)64 << 20)
#define MOST_RUNTIME_MS INT64_C(1000000000000) /* 31 years; as ns it is below 2^63 */

const char *strata_fio_text(const struct strata_fio_reading *reading, enum strata_fio_column column)
{
    const char *text = strata_query_text(reading->rows, (int)column);
    return text != NULL ? text : "";
}

int64_t strata_fio_number(const struct strata_fio_reading *reading, enum strata_fio_column column)
{
    return strata_query_integer(reading->rows, (int)column);
}

enum strata_status strata_fio_refuse(const struct strata_fio_reading *reading, const char *format,
                                     ...)
{
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof(what), format, arguments);
    va_end(arguments);
    return strata_error_set(reading->error, STRATA_USAGE, "%s: job '%.80s': %s", reading->path,
                            strata_fio_text(reading, NAME), what);
}

void strata_fio_leave_out(const struct strata_fio_reading *reading, const char *format, ...)
{
    char why[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof(why), format, arguments);
    va_end(arguments);
    strata_import_note(reading->set, "%s: job '%.80s': left out: %s", reading->path,
                       strata_fio_text(reading, NAME), why);
}

/* --- one run --- */

/* What the rows of one job add up to. */
struct gathered {
    struct strata_import_result results[2];
    size_t count;
    uint64_t elapsed_ns;
    uint64_t block_bytes; /* of every result */
    bool uneven;          /* there is no such size */
    char measure[8];      /* "lat", "clat"; "" where fio recorded none */
};

static enum strata_status gather(const struct strata_fio_reading *reading,
                                 struct gathered *gathered)
{
    const char *direction = strata_fio_text(reading, DIRECTION);
    const char *wrong = strata_fio_text(reading, WRONG);
    int64_t runtime_ms = strata_fio_number(reading, RUNTIME_MS);
    if (wrong[0] != '\0' || runtime_ms > MOST_RUNTIME_MS) {
        return strata_fio_refuse(reading, "%s: %s is missing, or no whole number that it can be",
                                 direction, wrong[0] != '\0' ? wrong : "runtime");
    }
    if (strata_fio_number(reading, TOTAL_IOS) == 0) {
        return STRATA_OK;
    }
    if (strcmp(direction, "trim") == 0) {
        strata_import_note(reading->set, "%s: job '%.80s': its trims are left out", reading->path,
                           strata_fio_text(reading, NAME));
        return STRATA_OK;
    }
    struct strata_import_result *result = &gathered->results[gathered->count++];
    result->operation = strcmp(direction, "read") == 0 ? "read" : "write";
    enum strata_status status = strata_fio_read_latency(reading, result);
    if (status != STRATA_OK) {
        return status;
    }
    uint64_t elapsed_ns = (uint64_t)runtime_ms * 1000000;
    gathered->elapsed_ns = elapsed_ns > gathered->elapsed_ns ? elapsed_ns : gathered->elapsed_ns;
    snprintf(gathered->measure, sizeof(gathered->measure), "%s", strata_fio_text(reading, MEASURE));
    gathered->uneven = !strata_fio_count(reading, result) || gathered->uneven;
    uint64_t block_bytes = result->ok > 0 ? result->bytes / result->ok : gathered->block_bytes;
    gathered->uneven =
        gathered->uneven || (gathered->block_bytes > 0 && gathered->block_bytes != block_bytes);
    gathered->block_bytes = block_bytes;
    return STRATA_OK;
}

static void gathered_done(struct gathered *gathered)
{
    for (size_t i = 0; i < gathered->count; i++) {
        free(gathered->results[i].bins);
    }
    *gathered = (struct gathered){0};
}

/* Failed operations make a run invalid, here as when Strata measures it. */
static void note_failures(const struct strata_fio_reading *reading, struct strata_import_run *run)
{
    int64_t code = strata_fio_number(reading, ERROR_CODE);
    if (strata_fio_number(reading, ERRORS) == 0 && code == 0) {
        return;
    }
    uint64_t failed = 0;
    uint64_t done = 0;
    bool known = code > 0 && code < 200;
    for (size_t i = 0; i < run->result_count; i++) {
        failed += run->results[i].failed;
        done += run->results[i].failed + run->results[i].ok;
        run->results[i].error_code = known ? (int32_t)code : 0;
    }
    char what[160] = "a code unknown here";
    if (known) {
        strata_result_describe((int32_t)code, what, sizeof(what));
    }
    run->reason = strata_text_duplicate_format("%" PRIu64 " of %" PRIu64 " operations failed: %s",
                                               failed, done, what);
}

static enum strata_status add_run(const struct strata_fio_reading *reading,
                                  const struct strata_fio_job *job, struct gathered *gathered)
{
    /* fio looks at the clock between operations, so it ends a little after its time. */
    bool by_time = job->duration_ns > 0 && gathered->elapsed_ns >= job->duration_ns / 100 * 99;
    struct strata_text name = {0};
    struct strata_text parameters = {0};
    strata_fio_write_name(job, gathered->block_bytes, &name);
    enum strata_status status = strata_fio_write_parameters(reading, job, by_time, &parameters);
    const char *place = strata_fio_text(reading, PLACE);
    int64_t ended_ms = strata_fio_number(reading, ENDED_MS);
    size_t backend =
        strata_import_backend(reading->set, reading->backend != NULL ? reading->backend : place,
                              place, reading->encryption);
    if (status == STRATA_OK && strcmp(reading->set->backends[backend].location, place) != 0) {
        status = strata_fio_refuse(
            reading, "it worked on %.80s, an earlier one on %.80s; --backend names one", place,
            reading->set->backends[backend].location);
    }
    struct strata_import_run *run = strata_import_add_run(reading->set);
    *run = (struct strata_import_run){
        .backend = backend,
        .workload = name.bytes,
        .operation = strata_text_duplicate(job->operation),
        .block_bytes = gathered->block_bytes,
        .concurrency = (unsigned)(job->jobs * job->depth),
        .parameters = parameters.bytes,
        .source = strata_text_duplicate_format(
            "%s %s%s%s", strata_fio_text(reading, VERSION), reading->path,
            gathered->measure[0] != '\0' ? "; latency is fio's " : "", gathered->measure),
        .ended_us = ended_ms > 0 ? ended_ms * 1000 : strata_clock_wall_us(),
        .elapsed_ns = gathered->elapsed_ns,
        .result_count = gathered->count,
    };
    run->began_us = run->ended_us - (int64_t)(run->elapsed_ns / 1000);
    memcpy(run->results, gathered->results, sizeof(run->results));
    gathered->count = 0; /* the bins are the run's now */
    note_failures(reading, run);
    return status;
}

static enum strata_status finish_job(const struct strata_fio_reading *reading,
                                     struct gathered *gathered)
{
    struct strata_fio_job job = {0};
    int64_t code = strata_fio_number(reading, ERROR_CODE);
    if (gathered->block_bytes == 0 && !gathered->uneven) {
        char what[160] = "";
        if (code > 0 && code < 200) {
            strata_result_describe((int32_t)code, what, sizeof(what));
        }
        strata_fio_leave_out(reading, "it neither read nor wrote a byte%s%s",
                             what[0] != '\0' ? ": " : "", what);
        return STRATA_OK;
    }
    if (gathered->uneven) {
        strata_fio_leave_out(reading, "its operations are not all of one size");
        return STRATA_OK;
    }
    return strata_fio_read_job(reading, &job) ? add_run(reading, &job, gathered) : STRATA_OK;
}

/* Each job has three rows: read, trim, write. */
static enum strata_status read_jobs(const struct strata_fio_reading *reading)
{
    enum strata_status status = STRATA_OK;
    struct gathered gathered = {0};
    while (status == STRATA_OK && strata_query_next(reading->rows)) {
        status = gather(reading, &gathered);
        if (status == STRATA_OK && strcmp(strata_fio_text(reading, DIRECTION), "write") == 0) {
            status = finish_job(reading, &gathered);
            gathered_done(&gathered);
        }
    }
    gathered_done(&gathered);
    return status == STRATA_OK ? strata_query_status(reading->rows, reading->error) : status;
}

/* --- the file --- */

/* The JSON in what fio printed: from the first line that begins with "{" to the last that begins
 * with "}". Warnings, or fio's ordinary output, may stand around it. */
static char *find_document(char *text)
{
    char *begin = text[0] == '{' ? text : strstr(text, "\n{");
    if (begin == NULL) {
        return NULL;
    }
    begin += *begin == '\n';
    for (char *end = begin + strlen(begin); end > begin; end--) {
        if (end[-1] == '}' && (end - 1 == begin || end[-2] == '\n')) {
            *end = '\0';
            break;
        }
    }
    return begin;
}

static enum strata_status check_document(struct strata_store *scratch, const char *path,
                                         const char *document, struct strata_error *error)
{
    struct strata_query *query = NULL;
    enum strata_status status = strata_query_open(
        scratch,
        "SELECT CASE WHEN NOT json_valid(?1) THEN 'its JSON is damaged, or more than one document'"
        " WHEN json_type(?1, '$.\"fio version\"') IS NOT 'text' OR json_type(?1, '$.jobs') IS NOT"
        "   'array' THEN 'expected the \"fio version\" and the \"jobs\" of --output-format=json'"
        " WHEN ?1 ->> '$.\"fio version\"' NOT GLOB 'fio-3.*' THEN 'expected fio 3, found '"
        "   || substr(?1 ->> '$.\"fio version\"', 1, 40) END",
        &query, error);
    if (status != STRATA_OK) {
        return status;
    }
    strata_query_bind_text(query, 1, document);
    if (strata_query_next(query) && !strata_query_is_null(query, 0)) {
        status = strata_error_set(error, STRATA_USAGE, "%s: is no result of fio: %s", path,
                                  strata_query_text(query, 0));
    } else {
        status = strata_query_status(query, error);
    }
    strata_query_close(query);
    return status;
}

static enum strata_status read_document(struct strata_fio_reading *reading, const char *document)
{
    enum strata_status status =
        check_document(reading->scratch, reading->path, document, reading->error);
    if (status == STRATA_OK) {
        status = strata_query_open(reading->scratch, strata_embedded_find("common/import/fio.sql"),
                                   &reading->rows, reading->error);
    }
    if (status == STRATA_OK) {
        strata_query_bind_text(reading->rows, 1, document);
        status = read_jobs(reading);
        strata_query_close(reading->rows);
    }
    /* SQLite has only the file to complain about here. */
    return status == STRATA_OK || status == STRATA_USAGE
               ? status
               : strata_error_set(reading->error, STRATA_USAGE, "%s: is no result of fio (%.200s)",
                                  reading->path, reading->error->text);
}

enum strata_status strata_import_read_fio(const char *path, const char *backend,
                                          const char *encryption, struct strata_import_set *set,
                                          struct strata_error *error)
{
    struct strata_fio_reading reading = {
        .path = path, .backend = backend, .encryption = encryption, .set = set, .error = error};
    char *text = NULL;
    size_t length = 0;
    enum strata_status status = strata_file_read(path, MOST_BYTES, &text, &length, error);
    if (status != STRATA_OK) {
        return status;
    }
    char *document = find_document(text);
    if (document == NULL) {
        status = strata_error_set(error, STRATA_USAGE,
                                  "%s: is no result of fio: holds no JSON, which fio writes with "
                                  "--output-format=json",
                                  path);
    } else {
        status = strata_store_open_scratch(&reading.scratch, error);
    }
    if (status == STRATA_OK) {
        if (document != text) {
            strata_import_note(set, "%s: passed over what stands before the JSON: %.*s", path,
                               (int)strcspn(text, "\n"), text);
        }
        status = read_document(&reading, document);
    }
    strata_store_close(reading.scratch);
    free(text);
    return status;
}
