// links: layers/filesystem/expand.c
/* The file-system layer's cells, from the plan's text to phases, names and the target's options. */
#include "layers/filesystem/filesystem.h"

#include "tests/unit/harness.h"

#include <string.h>

static const struct strata_backend plain = {.name = "plain"};
static const struct strata_backend twin = {.name = "twin"};

/* An element with these options ("files=10 jobs=1,8"), expanded. */
static struct strata_plan *expand(enum strata_element_role role, const char *name,
                                  const char *const (*settings)[2], size_t count,
                                  struct strata_cells *ret_cells)
{
    struct strata_error error = {0};
    struct strata_plan *plan = strata_plan_new("test");
    const struct strata_element_type *type =
        strata_element_type_find(role, STRATA_LAYER_FILESYSTEM, name);
    CU_ASSERT_PTR_NOT_NULL_FATAL(type);
    struct strata_element *element = strata_plan_add(plan, type);
    for (size_t i = 0; i < count; i++) {
        CU_ASSERT_EQUAL(strata_element_set(element, settings[i][0], settings[i][1], &error),
                        STRATA_OK);
    }
    *ret_cells = (struct strata_cells){0};
    CU_ASSERT_EQUAL(strata_filesystem_expand(element, &plain, &twin, ret_cells, &error), STRATA_OK);
    return plan;
}

static bool has_cell(const struct strata_cells *cells, const char *name)
{
    for (size_t i = 0; i < cells->count; i++) {
        if (strcmp(cells->items[i].workload.name, name) == 0) {
            return true;
        }
    }
    return false;
}

static void lists_sweep(void)
{
    static const char *const settings[][2] = {{"layout", "unique shared"},
                                              {"files", "10 1000"},
                                              {"jobs", "1,2"},
                                              {"file-size", "0 4KiB 5000"}};
    struct strata_cells cells;
    struct strata_plan *plan = expand(STRATA_ROLE_WORKLOAD, "metadata", settings, 4, &cells);
    CU_ASSERT_EQUAL(cells.count, 24);
    CU_ASSERT_TRUE(has_cell(&cells, "metadata unique 1000 files of 0 B, 2 jobs"));
    CU_ASSERT_TRUE(has_cell(&cells, "metadata shared 10 files of 4096 B, 1 jobs"));
    for (size_t i = 0; i < cells.count; i++) {
        CU_ASSERT_PTR_EQUAL(cells.items[i].plain, &plain);
        CU_ASSERT_PTR_EQUAL(cells.items[i].encrypted, &twin);
        for (size_t j = 0; j < i; j++) {
            CU_ASSERT_STRING_NOT_EQUAL(cells.items[i].workload.name, cells.items[j].workload.name);
        }
    }
    strata_cells_done(&cells);
    strata_plan_free(plan);
}

static void check_phases(const struct strata_workload *workload, const char *const *names,
                         const unsigned *jobs, size_t count)
{
    CU_ASSERT_EQUAL_FATAL(workload->phase_count, count);
    for (size_t p = 0; p < count; p++) {
        const struct strata_load *load = &workload->phases[p];
        CU_ASSERT_STRING_EQUAL(load->phase, names[p]);
        CU_ASSERT_EQUAL(load->jobs, jobs[p]);
        CU_ASSERT_EQUAL(load->depth, 1);
        CU_ASSERT_TRUE(load->one_pass);
    }
}

static const char *const metadata_phases[] = {"mkdir",  "create",  "sync",   "stat", "read",
                                              "rename", "readdir", "unlink", "rmdir"};

/* Jobs without work in a phase are none of its jobs: they would end its window at once. */
static void phases_have_the_jobs_that_have_work(void)
{
    static const char *const shared[][2] = {
        {"layout", "shared"}, {"files", "100"}, {"jobs", "8"}, {"directories", "2"}};
    static const unsigned shared_jobs[] = {1, 8, 1, 8, 8, 8, 3, 8, 1};
    struct strata_cells cells;
    struct strata_plan *plan = expand(STRATA_ROLE_WORKLOAD, "metadata", shared, 4, &cells);
    check_phases(&cells.items[0].workload, metadata_phases, shared_jobs, 9);
    CU_ASSERT_STRING_EQUAL(cells.items[0].workload.name,
                           "metadata shared 100 files of 0 B, 8 jobs, 2 directories");
    strata_cells_done(&cells);
    strata_plan_free(plan);

    static const char *const few[][2] = {{"files", "3"}, {"jobs", "8"}};
    static const unsigned few_jobs[] = {3, 3, 1, 3, 3, 3, 3, 3, 3};
    plan = expand(STRATA_ROLE_WORKLOAD, "metadata", few, 2, &cells);
    check_phases(&cells.items[0].workload, metadata_phases, few_jobs, 9);
    CU_ASSERT_EQUAL(cells.items[0].workload.concurrency, 3);
    strata_cells_done(&cells);
    strata_plan_free(plan);
}

static void the_target_gets_what_the_plan_says(void)
{
    static const char *const settings[][2] = {{"layout", "shared"},  {"files", "1099511627776"},
                                              {"jobs", "256"},       {"directories", "1048576"},
                                              {"file-size", "1TiB"}, {"duration", "90s"}};
    struct strata_cells cells;
    struct strata_plan *plan = expand(STRATA_ROLE_WORKLOAD, "metadata", settings, 6, &cells);
    const struct strata_workload *workload = &cells.items[0].workload;
    struct strata_posix_options options = strata_filesystem_options(workload);
    CU_ASSERT_TRUE(options.shared);
    CU_ASSERT_EQUAL(options.files, UINT64_C(1) << 40);
    CU_ASSERT_EQUAL(options.jobs, 256);
    CU_ASSERT_EQUAL(options.directories, 1U << 20);
    CU_ASSERT_EQUAL(options.file_bytes, UINT64_C(1) << 40);
    CU_ASSERT_FALSE(options.sync_files);
    CU_ASSERT_EQUAL(workload->phases[1].bytes, UINT64_C(1) << 40);
    CU_ASSERT_EQUAL(workload->phases[3].bytes, 0);
    CU_ASSERT_EQUAL(workload->phases[1].duration_ns, UINT64_C(90000000000));
    CU_ASSERT_EQUAL(workload->phases[2].duration_ns, 0); /* half a sync says nothing */
    CU_ASSERT_EQUAL(workload->expected_ns, UINT64_C(90000000000) * 9);
    CU_ASSERT_STRING_EQUAL(workload->name,
                           "metadata shared 1099511627776 files of 1099511627776 B, 256 jobs, "
                           "1048576 directories, 90 s");
    strata_cells_done(&cells);
    strata_plan_free(plan);
}

static void the_ladder_has_its_rung(void)
{
    static const char *const settings[][2] = {
        {"sizes", "256KiB 32MiB"}, {"concurrency", "1 8"}, {"amount", "16MiB"}};
    static const char *const phases[] = {"mkdir", "write", "read", "unlink", "rmdir"};
    static const unsigned jobs[] = {8, 8, 8, 8, 8};
    struct strata_cells cells;
    struct strata_plan *plan = expand(STRATA_ROLE_LADDER, "ladder", settings, 3, &cells);
    CU_ASSERT_EQUAL_FATAL(cells.count, 4);
    const struct strata_workload *second = &cells.items[1].workload;
    CU_ASSERT_STRING_EQUAL(second->match_key, "262144 B x 8");
    CU_ASSERT_STRING_EQUAL(second->element, "ladder");
    check_phases(second, phases, jobs, 5);
    struct strata_posix_options options = strata_filesystem_options(second);
    CU_ASSERT_EQUAL(options.files, 64);
    CU_ASSERT_TRUE(options.sync_files);
    /* 16 MiB hold no file of 32 MiB: each job still gets one. */
    CU_ASSERT_EQUAL(strata_filesystem_options(&cells.items[2].workload).files, 1);
    CU_ASSERT_EQUAL(strata_filesystem_options(&cells.items[3].workload).files, 8);
    strata_cells_done(&cells);
    strata_plan_free(plan);
}

static const struct harness_test tests[] = {
    {"lists sweep, and every cell has its own name", lists_sweep},
    {"phases have the jobs that have work", phases_have_the_jobs_that_have_work},
    {"the target gets what the plan says", the_target_gets_what_the_plan_says},
    {"the ladder has its rung", the_ladder_has_its_rung},
};

HARNESS_MAIN("filesystem_expand", tests)
