/* Memory for buffers: held against what the kernel says is available, in fourths of it. */
#include "common/campaign/buffers.h"

#include "tests/unit/harness.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t available_bytes(void)
{
    char line[128];
    uint64_t kib = 0;
    FILE *file = fopen("/proc/meminfo", "re");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    while (kib == 0 && fgets(line, sizeof(line), file) != NULL) {
        (void)sscanf(line, "MemAvailable: %" SCNu64, &kib);
    }
    fclose(file);
    return kib * 1024;
}

/* Whether 2 jobs of depth 2 may have operations that together are so many fourths of the memory. */
static bool fits(unsigned capabilities, unsigned fourths, bool reads, bool writes)
{
    const struct strata_target_type type = {.capabilities = capabilities};
    const struct strata_target target = {.type = &type};
    struct strata_load load = {.jobs = 2, .depth = 2, .bytes = available_bytes() / 4 * fourths / 4};
    struct strata_error error = {.text = ""};
    if (reads) {
        load.mix[load.mix_count++].kind = STRATA_OPERATION_READ;
    }
    if (writes) {
        load.mix[load.mix_count++].kind = STRATA_OPERATION_WRITE;
    }
    bool passed = strata_buffers_check(&target, &load, &error) == STRATA_OK;
    CU_ASSERT(passed || strncmp(error.text, "unsupported: 2 jobs with 2 operations of ", 41) == 0);
    return passed;
}

static void a_read_or_a_write_has_one_buffer(void)
{
    CU_ASSERT_TRUE(fits(STRATA_TARGET_NEEDS_BUFFER, 3, true, false));
    CU_ASSERT_FALSE(fits(STRATA_TARGET_NEEDS_BUFFER, 6, true, false));
    CU_ASSERT_TRUE(fits(STRATA_TARGET_NEEDS_BUFFER, 3, false, true));
    CU_ASSERT_FALSE(fits(STRATA_TARGET_NEEDS_BUFFER, 6, false, true));
}

static void a_mix_has_one_of_each(void)
{
    CU_ASSERT_TRUE(fits(STRATA_TARGET_NEEDS_BUFFER, 1, true, true));
    CU_ASSERT_FALSE(fits(STRATA_TARGET_NEEDS_BUFFER, 3, true, true));
}

static void a_filter_that_copies_writes_has_two(void)
{
    unsigned copies = STRATA_TARGET_NEEDS_BUFFER | STRATA_TARGET_COPIES_WRITES;
    CU_ASSERT_TRUE(fits(copies, 1, false, true));
    CU_ASSERT_FALSE(fits(copies, 3, false, true));
    CU_ASSERT_TRUE(fits(copies, 3, true, false));
}

static void what_needs_no_buffer_always_fits(void)
{
    CU_ASSERT_TRUE(fits(0, 400, true, true));
}

/* They are aligned to 4096 bytes, whatever the operations move. */
static void small_buffers_take_a_page_each(void)
{
    const struct strata_target_type type = {.capabilities = STRATA_TARGET_NEEDS_BUFFER};
    const struct strata_target target = {.type = &type};
    struct strata_load load = {.jobs = 1, .bytes = 512, .mix_count = 1};
    struct strata_error error;
    load.mix[0].kind = STRATA_OPERATION_READ;
    load.depth = (unsigned)(available_bytes() / 4096 / 4 * 3);
    CU_ASSERT_EQUAL(strata_buffers_check(&target, &load, &error), STRATA_OK);
    load.depth *= 2;
    CU_ASSERT_EQUAL(strata_buffers_check(&target, &load, &error), STRATA_ENVIRONMENT);
}

static const struct harness_test tests[] = {
    {"a read or a write has one buffer", a_read_or_a_write_has_one_buffer},
    {"a mix has one of each", a_mix_has_one_of_each},
    {"a filter that copies writes has two", a_filter_that_copies_writes_has_two},
    {"small buffers take a page each", small_buffers_take_a_page_each},
    {"what needs no buffer always fits", what_needs_no_buffer_always_fits},
};
HARNESS_MAIN("buffers", tests)
