/* What jobs write to while they run shares no cache line with what another job writes to: or each
 * would slow the others down, and the more, the faster the device is. */
#include "common/load/job.h"

#include "common/base/memory.h"
#include "common/target/null.h"
#include "tests/unit/harness.h"

#include <stdlib.h>

enum { JOBS = 8, LINE_BYTES = 64, PARTS_MOST = 16 };

struct part {
    uintptr_t first_line;
    uintptr_t last_line;
};

struct parts {
    struct part parts[PARTS_MOST];
    size_t count;
};

static void add(struct parts *parts, const void *start, size_t bytes)
{
    CU_ASSERT_FATAL(parts->count < PARTS_MOST);
    uintptr_t from = (uintptr_t)start;
    parts->parts[parts->count++] =
        (struct part){from / LINE_BYTES, (from + bytes - 1) / LINE_BYTES};
}

static void add_recorder(struct parts *parts, const struct strata_recorder *recorder)
{
    for (unsigned kind = 0; kind < STRATA_OPERATION_KINDS; kind++) {
        struct strata_record *record = recorder->records[kind];
        if (record != NULL) {
            add(parts, record, sizeof(*record));
            add(parts, record->samples, 60 * sizeof(*record->samples)); /* of the first minute */
        }
    }
}

static struct parts parts_of(const struct strata_job *job)
{
    struct parts parts = {.count = 0};
    add(&parts, job, sizeof(*job));
    add(&parts, job->operations, job->load->depth * sizeof(*job->operations));
    add(&parts, job->ready, job->load->depth * sizeof(*job->ready));
    add(&parts, job->source.deck, job->source.deck_size);
    add_recorder(&parts, &job->measured);
    add_recorder(&parts, &job->warmup);
    return parts;
}

static bool meet(const struct parts *a, const struct parts *b)
{
    for (size_t i = 0; i < a->count; i++) {
        for (size_t j = 0; j < b->count; j++) {
            if (a->parts[i].first_line <= b->parts[j].last_line &&
                b->parts[j].first_line <= a->parts[i].last_line) {
                return true;
            }
        }
    }
    return false;
}

static void check_depth(unsigned depth)
{
    const struct strata_load load = {
        .phase = "randrw",
        .jobs = JOBS,
        .depth = depth,
        .mix = {{STRATA_OPERATION_READ, 7}, {STRATA_OPERATION_WRITE, 3}},
        .mix_count = 2,
        .order = STRATA_ORDER_RANDOM,
        .bytes = 512,
        .duration_ns = 1};
    const struct strata_null_options options = {.items = 1000, .bytes = 512};
    struct strata_target *target;
    struct strata_error error;
    CU_ASSERT_FATAL(strata_null_open(&options, &target, &error) == STRATA_OK);
    struct strata_job *jobs[JOBS];
    struct parts parts[JOBS];
    for (unsigned j = 0; j < JOBS; j++) {
        jobs[j] = strata_memory_new_aligned(sizeof(*jobs[j]));
        jobs[j]->load = &load;
        jobs[j]->target = target;
        jobs[j]->number = j;
        jobs[j]->kinds = 1U << STRATA_OPERATION_READ | 1U << STRATA_OPERATION_WRITE;
        strata_job_init(jobs[j]);
        parts[j] = parts_of(jobs[j]);
    }
    for (unsigned a = 0; a < JOBS; a++) {
        for (unsigned b = a + 1; b < JOBS; b++) {
            CU_ASSERT_FALSE(meet(&parts[a], &parts[b]));
        }
    }
    for (unsigned j = 0; j < JOBS; j++) {
        strata_job_done(jobs[j]);
        free(jobs[j]);
    }
    target->type->close(target);
}

static void jobs_share_no_cache_line(void)
{
    static const unsigned depths[] = {1, 3, 32, 256};
    for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
        check_depth(depths[i]);
    }
}

static void progress_is_told_on_a_line_of_its_own(void)
{
    CU_ASSERT_EQUAL(offsetof(struct strata_job, done) % LINE_BYTES, 0);
    CU_ASSERT_EQUAL(sizeof(struct strata_job) - offsetof(struct strata_job, done), LINE_BYTES);
}

static const struct harness_test tests[] = {
    {"jobs share no cache line", jobs_share_no_cache_line},
    {"progress is told on a line of its own", progress_is_told_on_a_line_of_its_own},
};
HARNESS_MAIN("job", tests)
