/* What one worker counts while it measures: tallies, latencies, seconds, causes of failure.
 *
 * Must always hold: successes alone enter rates and latencies; the sum over the seconds equals the
 * tally; nothing here locks, allocates or does I/O while measuring. When an operation was due or
 * started is for the engine to count; where the window ends is the engine's to say. */
#include "common/measure/recorder.h"

#include "common/base/memory.h"

#include <stdlib.h>

#define SECOND_NS UINT64_C(1000000000)

void strata_recorder_init(struct strata_recorder *recorder, unsigned kinds, bool open_loop)
{
    *recorder = (struct strata_recorder){.window_end_ns = UINT64_MAX, .open_loop = open_loop};
    for (unsigned kind = 0; kind < STRATA_OPERATION_KINDS; kind++) {
        if ((kinds & 1U << kind) != 0) {
            struct strata_record *record = strata_memory_new_aligned(sizeof(*record));
            record->samples = strata_memory_new(STRATA_SERIES_SECONDS, sizeof(*record->samples));
            recorder->records[kind] = record;
        }
    }
}

void strata_recorder_done(struct strata_recorder *recorder)
{
    for (unsigned kind = 0; kind < STRATA_OPERATION_KINDS; kind++) {
        if (recorder->records[kind] != NULL) {
            free(recorder->records[kind]->samples);
            free(recorder->records[kind]);
            recorder->records[kind] = NULL;
        }
    }
}

/* One place is kept for code 0, which stands for all codes that found no place of their own. */
static void count_failures(struct strata_record *record, int32_t code, uint64_t count)
{
    for (size_t i = 0; i < record->failure_count; i++) {
        if (record->failures[i].code == code) {
            record->failures[i].count += count;
            return;
        }
    }
    if (code != 0 && record->failure_count >= STRATA_RECORDER_CODES - 1) {
        count_failures(record, 0, count);
        return;
    }
    record->failures[record->failure_count++] = (struct strata_failure){code, count};
}

static struct strata_sample *sample_at(struct strata_record *record, uint64_t elapsed_ns)
{
    uint64_t second = elapsed_ns / SECOND_NS;
    if (second >= STRATA_SERIES_SECONDS) {
        second = STRATA_SERIES_SECONDS - 1;
    }
    if (second >= record->sample_count) {
        record->sample_count = second + 1;
    }
    return &record->samples[second];
}

static uint64_t since(uint64_t from_ns, uint64_t to_ns)
{
    return to_ns > from_ns ? to_ns - from_ns : 0;
}

static void add_failure(struct strata_record *record, struct strata_sample *sample, int32_t result)
{
    if (result == STRATA_RESULT_TIMED_OUT) {
        record->tally.timed_out++;
    } else {
        record->tally.failed++;
    }
    sample->failed++;
    count_failures(record, result, 1);
}

static void add_stages(struct strata_tally *tally, const struct strata_operation *operation)
{
    for (unsigned stage = 0; stage < STRATA_STAGES; stage++) {
        if ((operation->stages & 1U << stage) != 0) {
            tally->stage_count[stage]++;
            tally->stage_ns[stage] += operation->stage_ns[stage];
        }
    }
}

void strata_recorder_add(struct strata_recorder *recorder, const struct strata_operation *operation)
{
    struct strata_record *record = recorder->records[operation->kind];
    struct strata_sample *sample = sample_at(record, since(recorder->begin_ns, operation->end_ns));

    if (operation->stages != 0) {
        add_stages(&record->tally, operation);
    }
    if (operation->result != STRATA_RESULT_OK) {
        add_failure(record, sample, operation->result);
        return;
    }
    record->tally.ok++;
    record->tally.bytes += operation->bytes;
    if (operation->end_ns <= recorder->window_end_ns) {
        record->tally.window_ok++;
        record->tally.window_bytes += operation->bytes;
    }
    uint64_t response_ns = since(operation->due_ns, operation->end_ns);
    strata_histogram_add(&record->response, response_ns);
    if (recorder->open_loop) {
        strata_histogram_add(&record->service, since(operation->start_ns, operation->end_ns));
    }
    sample->ok++;
    sample->bytes += operation->bytes;
    sample->sum_ns += response_ns;
    if (response_ns > sample->max_ns) {
        sample->max_ns = response_ns;
    }
}

static void merge_tally(struct strata_tally *into, const struct strata_tally *from)
{
    into->due += from->due;
    into->skipped += from->skipped;
    into->started += from->started;
    into->ok += from->ok;
    into->failed += from->failed;
    into->timed_out += from->timed_out;
    into->abandoned += from->abandoned;
    into->bytes += from->bytes;
    into->window_ok += from->window_ok;
    into->window_bytes += from->window_bytes;
    for (unsigned stage = 0; stage < STRATA_STAGES; stage++) {
        into->stage_count[stage] += from->stage_count[stage];
        into->stage_ns[stage] += from->stage_ns[stage];
    }
}

static void merge_samples(struct strata_record *into, const struct strata_record *from)
{
    for (size_t second = 0; second < from->sample_count; second++) {
        struct strata_sample *sum = &into->samples[second];
        const struct strata_sample *part = &from->samples[second];
        sum->ok += part->ok;
        sum->failed += part->failed;
        sum->bytes += part->bytes;
        sum->sum_ns += part->sum_ns;
        if (part->max_ns > sum->max_ns) {
            sum->max_ns = part->max_ns;
        }
    }
    if (from->sample_count > into->sample_count) {
        into->sample_count = from->sample_count;
    }
}

void strata_recorder_merge(struct strata_recorder *into, const struct strata_recorder *from)
{
    for (unsigned kind = 0; kind < STRATA_OPERATION_KINDS; kind++) {
        struct strata_record *sum = into->records[kind];
        const struct strata_record *part = from->records[kind];
        if (sum == NULL || part == NULL) {
            continue;
        }
        merge_tally(&sum->tally, &part->tally);
        strata_histogram_merge(&sum->response, &part->response);
        strata_histogram_merge(&sum->service, &part->service);
        merge_samples(sum, part);
        for (size_t i = 0; i < part->failure_count; i++) {
            count_failures(sum, part->failures[i].code, part->failures[i].count);
        }
    }
}

bool strata_recorder_consistent(const struct strata_recorder *recorder)
{
    for (unsigned kind = 0; kind < STRATA_OPERATION_KINDS; kind++) {
        if (recorder->records[kind] == NULL) {
            continue;
        }
        const struct strata_tally *tally = &recorder->records[kind]->tally;
        if (tally->due != tally->skipped + tally->started ||
            tally->started != tally->ok + tally->failed + tally->timed_out + tally->abandoned) {
            return false;
        }
    }
    return true;
}
