/* What a run measured, stored at once.
 *
 * Always: one transaction holds all of it and the run's final status, so that whoever is killed in
 * the middle leaves the run as `running` and nothing of its data. Bins and seconds are stored as
 * they were counted; what can be computed from them is a view. */
#include "common/store/internal.h"
#include "common/store/query.h"
#include "common/store/store.h"

#include "common/base/clock.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>

enum statement {
    PHASE,
    RESULT,
    STAGE,
    HISTOGRAM,
    BIN,
    SAMPLE,
    FAILURE,
    MEMBER,
    COUNTER,
    STEADY,
    FINISH,
    STATEMENTS
};

static const char *const statements[STATEMENTS] = {
    [PHASE] = "INSERT INTO phase (run_id, phase_no, name, open_loop, bytes_per_operation,"
              " started_at_us, elapsed_ns, window_ns, mean_in_flight, generator_busy_fraction,"
              " interrupted, warmup_ns, reason, region_bytes, step_at_ns, step_before_per_s,"
              " step_after_per_s) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13,"
              " ?14, ?15, ?16, ?17) RETURNING id",
    [RESULT] = "INSERT INTO operation_result (phase_id, operation, due, skipped, started, ok,"
               " failed, timed_out, abandoned, bytes, window_ok, window_bytes, warmup_ok,"
               " warmup_failed, warmup_bytes) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11,"
               " ?12, ?13, ?14, ?15) RETURNING id",
    [STAGE] = "INSERT INTO stage VALUES (?1, ?2, ?3, ?4)",
    [HISTOGRAM] = "INSERT INTO histogram (operation_result_id, kind, count, sum_ns, min_ns, max_ns)"
                  " VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING id",
    [BIN] = "INSERT INTO histogram_bin VALUES (?1, ?2, ?3, ?4)",
    [SAMPLE] = "INSERT INTO sample VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    [FAILURE] = "INSERT INTO error VALUES (?1, ?2, ?3, ?4)",
    [MEMBER] = "INSERT INTO member_result VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,"
               " ?11)",
    [COUNTER] = "INSERT INTO counter VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    [STEADY] = "INSERT INTO steady_state VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    [FINISH] = "UPDATE run SET status = ?2, reason = coalesce(?3, ''), ended_at_us = ?4"
               " WHERE id = ?1 AND status = 'running' RETURNING id",
};

/* One storing in progress. After the first failure `status` says so and nothing more is written. */
struct writer {
    struct strata_query *queries[STATEMENTS];
    int64_t run_id;
    enum strata_status status;
    struct strata_error *error;
};

/* Values of a row, in the order of the statement's parameters. */
struct row {
    struct writer *writer;
    struct strata_query *query;
    int count;
};

static struct row begin_row(struct writer *writer, enum statement statement)
{
    return (struct row){.writer = writer, .query = writer->queries[statement]};
}

/* SQLite's integers end at 2^63 - 1; the last bin's edge is the only count that lies beyond. */
static void add_count(struct row *row, uint64_t value)
{
    strata_query_bind_integer(row->query, ++row->count,
                              value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

static void add_integer(struct row *row, int64_t value)
{
    strata_query_bind_integer(row->query, ++row->count, value);
}

static void add_null(struct row *row)
{
    strata_query_bind_text(row->query, ++row->count, NULL);
}

/* SQLite has no NAN: it stores NULL. */
static void add_decimal(struct row *row, double value)
{
    strata_query_bind_decimal(row->query, ++row->count, value);
}

static void add_count_or_null(struct row *row, uint64_t value)
{
    if (value > 0) {
        add_count(row, value);
    } else {
        add_null(row);
    }
}

static void add_text(struct row *row, const char *text)
{
    strata_query_bind_text(row->query, ++row->count, text);
}

/* Write the row. Returns its id where the statement returns one, else 0. */
static int64_t end_row(struct row *row)
{
    struct writer *writer = row->writer;
    int64_t id = 0;
    if (writer->status == STRATA_OK) {
        id = strata_query_next(row->query) ? strata_query_integer(row->query, 0) : 0;
        writer->status = strata_query_status(row->query, writer->error);
    }
    strata_query_reset(row->query);
    return id;
}

static void write_histogram(struct writer *writer, int64_t result_id, const char *kind,
                            const struct strata_histogram *histogram)
{
    if (histogram->count == 0) {
        return;
    }
    struct row row = begin_row(writer, HISTOGRAM);
    add_integer(&row, result_id);
    add_text(&row, kind);
    add_count(&row, histogram->count);
    add_count(&row, histogram->sum_ns);
    add_count(&row, histogram->min_ns);
    add_count(&row, histogram->max_ns);
    int64_t id = end_row(&row);
    for (unsigned bin = 0; bin < STRATA_HISTOGRAM_BINS; bin++) {
        if (histogram->bins[bin] > 0) {
            row = begin_row(writer, BIN);
            add_integer(&row, id);
            add_count(&row, strata_histogram_lower_ns(bin));
            add_count(&row, strata_histogram_upper_ns(bin));
            add_count(&row, histogram->bins[bin]);
            end_row(&row);
        }
    }
}

static void write_samples(struct writer *writer, int64_t result_id, bool warmup,
                          const struct strata_record *record)
{
    for (size_t second = 0; second < record->sample_count; second++) {
        const struct strata_sample *sample = &record->samples[second];
        struct row row = begin_row(writer, SAMPLE);
        add_integer(&row, result_id);
        add_integer(&row, warmup);
        add_count(&row, second);
        add_count(&row, sample->ok);
        add_count(&row, sample->failed);
        add_count(&row, sample->bytes);
        add_count(&row, sample->sum_ns);
        add_count(&row, sample->max_ns);
        end_row(&row);
    }
}

static void write_stages(struct writer *writer, int64_t result_id, const struct strata_tally *tally)
{
    for (unsigned stage = 0; stage < STRATA_STAGES; stage++) {
        if (tally->stage_count[stage] > 0) {
            struct row row = begin_row(writer, STAGE);
            add_integer(&row, result_id);
            add_text(&row, strata_stage_name((enum strata_stage)stage));
            add_count(&row, tally->stage_count[stage]);
            add_count(&row, tally->stage_ns[stage]);
            end_row(&row);
        }
    }
}

static void write_failures(struct writer *writer, int64_t result_id,
                           const struct strata_record *record)
{
    for (size_t i = 0; i < record->failure_count; i++) {
        const struct strata_failure *failure = &record->failures[i];
        char text[256];
        struct row row = begin_row(writer, FAILURE);
        add_integer(&row, result_id);
        add_integer(&row, failure->code);
        add_count(&row, failure->count);
        add_text(&row, failure->code == 0
                           ? "further causes"
                           : strata_result_describe(failure->code, text, sizeof(text)));
        end_row(&row);
    }
}

static void write_record(struct writer *writer, int64_t phase_id, enum strata_operation_kind kind,
                         const struct strata_record *record, const struct strata_record *warmup)
{
    const struct strata_tally *tally = &record->tally;
    struct row row = begin_row(writer, RESULT);
    add_integer(&row, phase_id);
    add_text(&row, strata_operation_name(kind));
    add_count(&row, tally->due);
    add_count(&row, tally->skipped);
    add_count(&row, tally->started);
    add_count(&row, tally->ok);
    add_count(&row, tally->failed);
    add_count(&row, tally->timed_out);
    add_count(&row, tally->abandoned);
    add_count(&row, tally->bytes);
    add_count(&row, tally->window_ok);
    add_count(&row, tally->window_bytes);
    add_count(&row, warmup != NULL ? warmup->tally.ok : 0);
    add_count(&row, warmup != NULL ? warmup->tally.failed + warmup->tally.timed_out : 0);
    add_count(&row, warmup != NULL ? warmup->tally.bytes : 0);
    int64_t id = end_row(&row);
    write_histogram(writer, id, "response", &record->response);
    write_histogram(writer, id, "service", &record->service);
    write_samples(writer, id, false, record);
    if (warmup != NULL) {
        write_samples(writer, id, true, warmup);
    }
    write_stages(writer, id, tally);
    write_failures(writer, id, record);
}

/* Member m is number m + 1. */
static void write_member(struct writer *writer, int64_t phase_id, unsigned m, const char *path,
                         const struct strata_recorder *recorder)
{
    for (unsigned kind = 0; kind < STRATA_OPERATION_KINDS; kind++) {
        const struct strata_record *record = recorder->records[kind];
        if (record == NULL) {
            continue;
        }
        const struct strata_tally *tally = &record->tally;
        struct row row = begin_row(writer, MEMBER);
        add_integer(&row, phase_id);
        add_count(&row, m + 1);
        add_text(&row, path);
        add_text(&row, strata_operation_name((enum strata_operation_kind)kind));
        add_count(&row, tally->ok);
        add_count(&row, tally->failed + tally->timed_out + tally->abandoned);
        add_count(&row, tally->bytes);
        add_count(&row, tally->window_ok);
        add_count(&row, tally->window_bytes);
        add_count(&row, record->response.sum_ns);
        add_count(&row, record->response.max_ns);
        end_row(&row);
    }
}

/* A phase that never came to measuring has a recorder whose window never ended. */
static uint64_t warmup_ns(const struct strata_recorder *warmup)
{
    return warmup->window_end_ns == UINT64_MAX ? 0 : warmup->window_end_ns - warmup->begin_ns;
}

static void write_phase(struct writer *writer, size_t number,
                        const struct strata_store_phase *phase)
{
    const struct strata_load_result *result = phase->result;
    struct row row = begin_row(writer, PHASE);
    add_integer(&row, writer->run_id);
    add_count(&row, number);
    add_text(&row, phase->name);
    add_integer(&row, result->recorder.open_loop);
    add_count(&row, phase->bytes_per_operation);
    add_integer(&row, result->started_at_us);
    add_count(&row, result->elapsed_ns);
    add_count(&row, result->window_ns);
    add_decimal(&row, result->mean_in_flight);
    add_decimal(&row, result->generator_busy_fraction);
    add_integer(&row, result->interrupted);
    add_count(&row, warmup_ns(&result->warmup));
    add_text(&row, phase->reason != NULL ? phase->reason : "");
    add_count_or_null(&row, phase->region_bytes);
    add_count_or_null(&row, phase->step_at_ns);
    add_decimal(&row, phase->step_at_ns > 0 ? phase->step_before_per_s : NAN);
    add_decimal(&row, phase->step_at_ns > 0 ? phase->step_after_per_s : NAN);
    int64_t id = end_row(&row);
    for (unsigned kind = 0; kind < STRATA_OPERATION_KINDS; kind++) {
        if (result->recorder.records[kind] != NULL) {
            write_record(writer, id, (enum strata_operation_kind)kind,
                         result->recorder.records[kind], result->warmup.records[kind]);
        }
    }
    for (unsigned m = 0; m < result->member_count; m++) {
        write_member(writer, id, m, phase->members[m], &result->members[m]);
    }
}

/* One look at the counters, for strata_counters_each. */
struct look {
    struct writer *writer;
    const struct strata_store_look *look;
    size_t number;
};

static void write_counter(void *context, const char *metric, const char *instance, uint64_t value)
{
    const struct look *look = context;
    struct row row = begin_row(look->writer, COUNTER);
    add_integer(&row, look->writer->run_id);
    add_text(&row, look->look->phase);
    add_text(&row, metric);
    add_text(&row, instance);
    add_count(&row, look->number);
    add_count(&row, look->look->counters.at_ns);
    add_count(&row, value);
    end_row(&row);
}

static void write_steady(struct writer *writer, const struct strata_store_steady *steady)
{
    struct row row = begin_row(writer, STEADY);
    add_integer(&row, writer->run_id);
    add_text(&row, steady->procedure);
    add_text(&row, steady->missing);
    add_count(&row, steady->preconditioned_bytes);
    add_count(&row, steady->capacity_bytes);
    add_count(&row, steady->rounds);
    add_integer(&row, steady->reached);
    add_count_or_null(&row, steady->window_first_round);
    add_decimal(&row, steady->mean_per_s);
    add_decimal(&row, steady->range_fraction);
    add_decimal(&row, steady->slope_fraction);
    end_row(&row);
}

static void write_status(struct writer *writer, const struct strata_store_outcome *outcome)
{
    struct row row = begin_row(writer, FINISH);
    add_integer(&row, writer->run_id);
    add_text(&row, outcome->status);
    add_text(&row, outcome->reason);
    add_integer(&row, strata_clock_wall_us());
    if (end_row(&row) == 0 && writer->status == STRATA_OK) {
        writer->status =
            strata_error_set(writer->error, STRATA_INTERNAL,
                             "run %lld is not marked as running, so its result cannot be stored",
                             (long long)writer->run_id);
    }
}

static void write_outcome(struct writer *writer, const struct strata_store_outcome *outcome)
{
    write_status(writer, outcome);
    for (size_t i = 0; i < outcome->phase_count; i++) {
        write_phase(writer, i + 1, &outcome->phases[i]);
    }
    if (outcome->steady != NULL) {
        write_steady(writer, outcome->steady);
    }
    for (size_t i = 0; i < outcome->look_count; i++) {
        struct look look = {writer, &outcome->looks[i], i};
        strata_counters_each(&outcome->looks[i].counters, write_counter, &look);
    }
}

enum strata_status strata_store_run_finish(struct strata_store *store, int64_t run_id,
                                           const struct strata_store_outcome *outcome,
                                           struct strata_error *error)
{
    struct writer writer = {.run_id = run_id, .error = error};
    writer.status = strata_query_begin(store, error);
    if (writer.status != STRATA_OK) {
        return writer.status;
    }
    for (int i = 0; i < STATEMENTS && writer.status == STRATA_OK; i++) {
        writer.status = strata_query_open(store, statements[i], &writer.queries[i], error);
    }
    if (writer.status == STRATA_OK) {
        write_outcome(&writer, outcome);
    }
    for (int i = 0; i < STATEMENTS; i++) {
        strata_query_close(writer.queries[i]);
    }
    if (writer.status == STRATA_OK) {
        return strata_query_commit(store, error);
    }
    strata_query_rollback(store);
    return writer.status;
}
