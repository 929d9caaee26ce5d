// links: tests/unit/load/scripted.c
/* Which items the engine asks for, in which mix, and with which bytes. */
#include "common/load/load.h"
#include "common/load/payload.h"
#include "common/load/source.h"

#include "common/base/memory.h"
#include "tests/unit/harness.h"
#include "tests/unit/load/scripted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)

static struct strata_load reads(unsigned jobs, enum strata_order order)
{
    return (struct strata_load){.phase = "read",
                                .jobs = jobs,
                                .depth = 4,
                                .mix = {{STRATA_OPERATION_READ, 1}},
                                .mix_count = 1,
                                .order = order,
                                .bytes = 4096,
                                .seed = 1,
                                .drain_ns = 50 * MS,
                                .clock = &scripted_clock};
}

static void run(struct scripted *scripted, const struct strata_load *load)
{
    for (unsigned job = 0; job < SCRIPTED_JOBS; job++) {
        scripted->latency_ns[job] = 10 * US;
    }
    struct strata_load_result result;
    struct strata_error error = {.text = ""};
    if (strata_load_run(&scripted->target, load, &result, &error) != STRATA_OK) {
        CU_FAIL(error.text);
    }
    CU_ASSERT_TRUE(strata_recorder_consistent(&result.recorder));
    strata_load_result_done(&result);
}

/* How often each item was asked for, by all jobs together or by one. */
static void count_items(const struct scripted *scripted, unsigned from, unsigned to,
                        unsigned *counts, uint64_t items)
{
    memset(counts, 0, items * sizeof(*counts));
    for (unsigned job = from; job < to; job++) {
        for (size_t n = 0; n < scripted->logs[job].count; n++) {
            uint64_t item = scripted->logs[job].events[n].item;
            CU_ASSERT_FATAL(item < items);
            counts[item]++;
        }
    }
}

static void one_pass_asks_once_for_each_item(void)
{
    static const enum strata_order orders[] = {STRATA_ORDER_SEQUENTIAL, STRATA_ORDER_RANDOM};
    static const uint64_t sizes[] = {1, 2, 3, 4, 5, 63, 64, 65, 1000, 1024, 1025};
    unsigned counts[1025];
    for (unsigned o = 0; o < 2; o++) {
        for (unsigned s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
            struct scripted scripted = {.items = {sizes[s]}};
            scripted_init(&scripted, STRATA_TARGET_SHARED_SPACE);
            struct strata_load load = reads(3, orders[o]);
            load.one_pass = true;
            run(&scripted, &load);
            count_items(&scripted, 0, 3, counts, sizes[s]);
            for (uint64_t item = 0; item < sizes[s]; item++) {
                CU_ASSERT_EQUAL(counts[item], 1);
            }
            scripted_done(&scripted);
        }
    }
}

/* Not a shared space: each job has items of its own, numbered from 0. */
static void one_pass_over_items_of_their_own(void)
{
    unsigned counts[100];
    struct scripted scripted = {.items = {100, 40, 0}};
    scripted_init(&scripted, 0);
    struct strata_load load = reads(3, STRATA_ORDER_RANDOM);
    load.one_pass = true;
    run(&scripted, &load);
    for (unsigned job = 0; job < 3; job++) {
        count_items(&scripted, job, job + 1, counts, 100);
        for (uint64_t item = 0; item < 100; item++) {
            CU_ASSERT_EQUAL(counts[item], item < scripted.items[job]);
        }
    }
    scripted_done(&scripted);
}

static void a_random_pass_is_not_in_sequence(void)
{
    struct scripted scripted = {.items = {1000}};
    scripted_init(&scripted, 0);
    struct strata_load load = reads(1, STRATA_ORDER_RANDOM);
    load.one_pass = true;
    run(&scripted, &load);
    unsigned steps = 0;
    double sum = 0;
    for (size_t n = 0; n + 1 < 1000; n++) {
        uint64_t item = scripted.logs[0].events[n].item;
        uint64_t next = scripted.logs[0].events[n + 1].item;
        steps += next == item + 1;
        sum += fabs((double)next - (double)item);
    }
    CU_ASSERT(steps < 10); /* expected: 1 */
    /* Mean distance of two of 1000 random items: 333; its standard error over 999: 7.5. */
    CU_ASSERT_DOUBLE_EQUAL(sum / 999, 333, 38);
    scripted_done(&scripted);
}

/* D12: 10 items over 4 jobs: 0-2, 3-5, 6-7, 8-9, each job going round in its own. */
static void sequential_jobs_have_disjoint_ranges(void)
{
    static const uint64_t first[] = {0, 3, 6, 8};
    static const uint64_t count[] = {3, 3, 2, 2};
    struct scripted scripted = {.items = {10}};
    scripted_init(&scripted, STRATA_TARGET_SHARED_SPACE);
    struct strata_load load = reads(4, STRATA_ORDER_SEQUENTIAL);
    load.duration_ns = 1 * MS;
    run(&scripted, &load);
    for (unsigned job = 0; job < 4; job++) {
        CU_ASSERT_EQUAL_FATAL(scripted.logs[job].count, 400);
        for (uint64_t n = 0; n < 400; n++) {
            CU_ASSERT_EQUAL(scripted.logs[job].events[n].item, first[job] + n % count[job]);
        }
    }
    scripted_done(&scripted);
}

/* Jobs 0 and 2 are of member 0, jobs 1 and 3 of member 1, which is ten times as slow. */
static void members_are_counted_by_themselves(void)
{
    struct scripted scripted = {.items = {10, 10, 10, 10},
                                .latency_ns = {10000, 100000, 10000, 100000}};
    scripted_init(&scripted, 0);
    scripted.target.members = 2;
    struct strata_load load = reads(4, STRATA_ORDER_RANDOM);
    load.duration_ns = 1 * MS;
    struct strata_load_result result;
    struct strata_error error;
    CU_ASSERT_EQUAL(strata_load_run(&scripted.target, &load, &result, &error), STRATA_OK);
    CU_ASSERT_EQUAL_FATAL(result.member_count, 2);
    uint64_t total = 0;
    for (unsigned m = 0; m < 2; m++) {
        const struct strata_record *record = result.members[m].records[STRATA_OPERATION_READ];
        uint64_t logged = scripted.logs[m].count + scripted.logs[m + 2].count;
        CU_ASSERT_EQUAL(record->tally.ok, logged);
        CU_ASSERT_EQUAL(record->response.sum_ns, logged * (m == 0 ? 10000U : 100000U));
        total += record->tally.ok;
    }
    CU_ASSERT_EQUAL(total, result.recorder.records[STRATA_OPERATION_READ]->tally.ok);
    CU_ASSERT_TRUE(result.members[0].records[STRATA_OPERATION_READ]->tally.ok >
                   5 * result.members[1].records[STRATA_OPERATION_READ]->tally.ok);
    strata_load_result_done(&result);
    scripted_done(&scripted);
}

static void ranges_of_a_huge_space_do_not_overflow(void)
{
    struct scripted scripted = {.items = {UINT64_MAX}};
    scripted_init(&scripted, STRATA_TARGET_SHARED_SPACE);
    struct strata_load load = reads(8, STRATA_ORDER_SEQUENTIAL);
    uint64_t end = 0;
    for (unsigned job = 0; job < 8; job++) {
        struct strata_source source;
        strata_source_init(&source, &load, &scripted.target, job);
        CU_ASSERT_EQUAL(source.first, end);
        CU_ASSERT(source.count >= UINT64_MAX / 8);
        end = source.first + source.count;
        strata_source_done(&source);
    }
    CU_ASSERT_EQUAL(end, UINT64_MAX);
}

/* Every job over the whole space, beyond 2^32 items: mean and both halves of the bits. */
static void random_covers_a_large_space(void)
{
    enum { N = 4000 };
    uint64_t items = UINT64_C(1) << 40;
    struct scripted scripted = {.items = {items}};
    scripted_init(&scripted, STRATA_TARGET_SHARED_SPACE);
    struct strata_load load = reads(2, STRATA_ORDER_RANDOM);
    load.operations = 2 * N;
    run(&scripted, &load);
    for (unsigned job = 0; job < 2; job++) {
        double sum = 0;
        unsigned high = 0;
        unsigned odd = 0;
        CU_ASSERT_EQUAL_FATAL(scripted.logs[job].count, N);
        for (size_t n = 0; n < N; n++) {
            uint64_t item = scripted.logs[job].events[n].item;
            CU_ASSERT(item < items);
            sum += (double)item / (double)items;
            high += item > UINT32_MAX;
            odd += item % 2 == 1;
        }
        /* Mean of N uniform numbers: 0.5, standard error 0.2887 / sqrt(N) = 0.0046. */
        CU_ASSERT_DOUBLE_EQUAL(sum / N, 0.5, 0.019);
        CU_ASSERT(high > N * 0.98); /* expected: all but 1 in 256 */
        CU_ASSERT(odd > N * 0.46 && odd < N * 0.54);
    }
    CU_ASSERT_NOT_EQUAL(scripted.logs[0].events[0].item, scripted.logs[1].events[0].item);
    scripted_done(&scripted);
}

static void the_seed_decides_the_order(void)
{
    uint64_t items[3][100];
    static const uint64_t seeds[] = {5, 5, 6};
    for (unsigned round = 0; round < 3; round++) {
        struct scripted scripted = {.items = {1U << 20}};
        scripted_init(&scripted, 0);
        struct strata_load load = reads(1, STRATA_ORDER_RANDOM);
        load.operations = 100;
        load.seed = seeds[round];
        run(&scripted, &load);
        for (size_t n = 0; n < 100; n++) {
            items[round][n] = scripted.logs[0].events[n].item;
        }
        scripted_done(&scripted);
    }
    CU_ASSERT_EQUAL(memcmp(items[0], items[1], sizeof(items[0])), 0);
    CU_ASSERT_NOT_EQUAL(memcmp(items[0], items[2], sizeof(items[0])), 0);
}

/* 7 reads and 3 writes: exactly in each ten, in varying order. */
static void a_mix_is_exact_over_each_deck(void)
{
    struct scripted scripted = {.items = {1000}};
    scripted_init(&scripted, STRATA_TARGET_NEEDS_BUFFER);
    struct strata_load load = reads(1, STRATA_ORDER_RANDOM);
    load.mix[0].weight = 7;
    load.mix[1].kind = STRATA_OPERATION_WRITE;
    load.mix[1].weight = 3;
    load.mix_count = 2;
    load.operations = 1000;
    run(&scripted, &load);
    CU_ASSERT_EQUAL_FATAL(scripted.logs[0].count, 1000);
    unsigned same_order = 0;
    for (size_t deck = 0; deck < 100; deck++) {
        unsigned writes = 0;
        bool same = true;
        for (size_t n = 0; n < 10; n++) {
            uint8_t kind = scripted.logs[0].events[10 * deck + n].kind;
            writes += kind == STRATA_OPERATION_WRITE;
            same = same && kind == scripted.logs[0].events[n].kind;
        }
        CU_ASSERT_EQUAL(writes, 3);
        same_order += same;
    }
    CU_ASSERT(same_order < 10); /* 1 in 120 orders; the first is itself */
    scripted_done(&scripted);
}

static int compare_heads(const void *a, const void *b)
{
    return memcmp(a, b, 16);
}

/* Two jobs, two phases with the same seed: no two buffers that were written are equal. */
static void no_two_writes_are_equal(void)
{
    enum { WRITES = 2000 };
    uint8_t(*heads)[16] = strata_memory_new(2 * WRITES, sizeof(*heads));
    size_t count = 0;
    for (unsigned phase = 0; phase < 2; phase++) {
        struct scripted scripted = {.items = {1000}};
        scripted_init(&scripted, STRATA_TARGET_NEEDS_BUFFER | STRATA_TARGET_SHARED_SPACE);
        struct strata_load load = reads(2, STRATA_ORDER_RANDOM);
        load.mix[0].kind = STRATA_OPERATION_WRITE;
        load.bytes = 512;
        load.operations = WRITES;
        run(&scripted, &load);
        for (unsigned job = 0; job < 2; job++) {
            for (size_t n = 0; n < scripted.logs[job].count; n++) {
                memcpy(heads[count++], scripted.logs[job].events[n].head, sizeof(*heads));
            }
        }
        scripted_done(&scripted);
    }
    CU_ASSERT_EQUAL_FATAL(count, 2 * WRITES);
    qsort(heads, count, sizeof(*heads), compare_heads);
    for (size_t n = 1; n < count; n++) {
        CU_ASSERT(memcmp(heads[n - 1], heads[n], sizeof(*heads)) != 0);
    }
    free(heads);
}

/* Buffers lie on 4096 bytes; what is written is dense; each 4 KiB of it is new each time; what a
 * read brought is never written. */
static void payload_is_new_dense_and_apart_from_reads(void)
{
    enum { BYTES = 16384 };
    struct strata_payload payload;
    unsigned kinds = 1U << STRATA_OPERATION_READ | 1U << STRATA_OPERATION_WRITE;
    strata_payload_init(&payload, kinds, 2, BYTES, 99);
    struct strata_operation write = {.kind = STRATA_OPERATION_WRITE, .slot = 1};
    struct strata_operation read = {.kind = STRATA_OPERATION_READ, .slot = 1};
    struct strata_operation *both[] = {&write, &read};
    strata_payload_fill(&payload, both, 2);
    CU_ASSERT_EQUAL((uintptr_t)write.buffer % 4096, 0);
    CU_ASSERT_EQUAL((uintptr_t)read.buffer % 4096, 0);
    memset(read.buffer, 0, BYTES);

    unsigned seen[256] = {0};
    const uint8_t *bytes = write.buffer;
    for (size_t i = 0; i < BYTES; i++) {
        seen[bytes[i]]++;
    }
    double entropy = 0;
    for (unsigned value = 0; value < 256; value++) {
        double share = seen[value] / (double)BYTES;
        entropy -= share > 0 ? share * log2(share) : 0;
    }
    CU_ASSERT(entropy > 7.97); /* bits a byte; of 16 KiB of random bytes about 7.989 */

    uint8_t *before = strata_memory_new(1, BYTES);
    memcpy(before, write.buffer, BYTES);
    strata_payload_fill(&payload, both, 2);
    for (size_t block = 0; block < BYTES; block += 4096) {
        CU_ASSERT(memcmp(before + block, bytes + block, 4096) != 0);
    }
    free(before);
    strata_payload_done(&payload);
}

static void metadata_has_no_buffers(void)
{
    struct strata_payload payload;
    strata_payload_init(&payload, 1U << STRATA_OPERATION_STAT, 4, 0, 1);
    struct strata_operation stat = {.kind = STRATA_OPERATION_STAT};
    struct strata_operation *one[] = {&stat};
    strata_payload_fill(&payload, one, 1);
    CU_ASSERT_PTR_NULL(stat.buffer);
    strata_payload_done(&payload);
}

static const struct harness_test tests[] = {
    {"one pass asks once for each item", one_pass_asks_once_for_each_item},
    {"one pass over items of their own", one_pass_over_items_of_their_own},
    {"a random pass is not in sequence", a_random_pass_is_not_in_sequence},
    {"sequential jobs have disjoint ranges (D12)", sequential_jobs_have_disjoint_ranges},
    {"members are counted by themselves", members_are_counted_by_themselves},
    {"ranges of a huge space do not overflow", ranges_of_a_huge_space_do_not_overflow},
    {"random covers a space beyond 2^32 items", random_covers_a_large_space},
    {"the seed decides the order", the_seed_decides_the_order},
    {"a mix is exact over each deck", a_mix_is_exact_over_each_deck},
    {"no two writes are equal", no_two_writes_are_equal},
    {"payload is new, dense, and apart from reads", payload_is_new_dense_and_apart_from_reads},
    {"metadata has no buffers", metadata_has_no_buffers},
};
HARNESS_MAIN("load_order", tests)
