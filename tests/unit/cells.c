/* Which cells a plan becomes: twins, repetitions, the ladder's rung, the A/A cell, slots in their
 * order; against a layer made for the test that expands each element into one cell. */
#include "common/campaign/cells.h"
#include "tests/unit/harness.h"

#include "common/base/memory.h"
#include "common/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum strata_status expand_one(const struct strata_element *element,
                                     const struct strata_backend *plain,
                                     const struct strata_backend *encrypted,
                                     struct strata_cells *cells, struct strata_error *error)
{
    (void)error;
    struct strata_cell *cell = strata_cells_add(cells);
    cell->plain = plain;
    cell->encrypted = encrypted;
    snprintf(cell->workload.name, sizeof(cell->workload.name), "%s", element->type->name);
    cell->workload.parameters = strata_text_duplicate("{}");
    cell->workload.phases = strata_memory_new(1, sizeof(*cell->workload.phases));
    cell->workload.phases[0].mix[0].kind = STRATA_OPERATION_READ;
    cell->workload.phases[0].mix_count = 1;
    cell->workload.phase_count = 1;
    cell->workload.expected_ns = 1000;
    return STRATA_OK;
}

static const struct strata_layer device_layer = {
    .id = STRATA_LAYER_DEVICE, .backend_element = "device", .expand = expand_one};

struct fixture {
    struct strata_plan *plan;
    struct strata_backends backends;
    struct strata_cells cells;
    struct strata_permissions permissions;
    struct strata_error error;
};

/* Read a plan of <device> back ends and what comes after them. */
static void begin(struct fixture *fixture, const char *campaign, const char *backends,
                  const char *rest)
{
    *fixture = (struct fixture){0};
    char path[] = "/tmp/strata-test-cells.XXXXXX";
    int file = mkstemp(path);
    CU_ASSERT_FATAL(file >= 0);
    FILE *stream = fdopen(file, "w");
    fprintf(stream, "<strata version=\"1\">%s<backends>%s</backends>%s</strata>", campaign,
            backends, rest);
    fclose(stream);
    enum strata_status status = strata_plan_read(path, &fixture->plan, &fixture->error);
    unlink(path);
    if (status != STRATA_OK) {
        printf("%s ", fixture->error.text);
    }
    CU_ASSERT_EQUAL_FATAL(status, STRATA_OK);
    strata_backends_init(&fixture->backends, &device_layer, fixture->plan, &fixture->permissions);
}

static enum strata_status plan_cells(struct fixture *fixture)
{
    return strata_cells_plan(&device_layer, fixture->plan, &fixture->backends, &fixture->cells,
                             &fixture->error);
}

static void done(struct fixture *fixture)
{
    strata_cells_done(&fixture->cells);
    strata_backends_done(&fixture->backends);
    strata_plan_free(fixture->plan);
}

/* "workload plain/encrypted x repetitions" of each cell, one after the other. */
static const char *described(const struct fixture *fixture)
{
    static char text[1024];
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < fixture->cells.count; i++) {
        const struct strata_cell *cell = &fixture->cells.items[i];
        length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s %s/%s x %u%s",
                                   i > 0 ? "; " : "", cell->workload.name, cell->plain->name,
                                   cell->encrypted != NULL ? cell->encrypted->name : "-",
                                   cell->repetitions, cell->control ? " control" : "");
    }
    return text;
}

#define TWINS                                                                                      \
    "<device name=\"a\" path=\"/x\"/>"                                                             \
    "<device name=\"b\" path=\"/x\" twin-of=\"a\" encryption=\"aes-xts-128\"/>"                    \
    "<device name=\"c\" path=\"/x\" twin-of=\"a\" encryption=\"aes-xts-256\"/>"                    \
    "<device name=\"d\" path=\"/y\"/>"
#define IOPS "<device-layer><iops/></device-layer>"

static void each_twin_is_compared_with_its_plain_one(void)
{
    struct fixture fixture;
    begin(&fixture, "<campaign pairs=\"7\" control=\"no\"/>", TWINS, IOPS);
    CU_ASSERT_EQUAL(plan_cells(&fixture), STRATA_OK);
    CU_ASSERT_STRING_EQUAL(described(&fixture), "iops a/b x 7; iops a/c x 7; iops d/- x 7");
    CU_ASSERT_EQUAL(strata_cells_runs(&fixture.cells), 14 + 14 + 7);
    CU_ASSERT_EQUAL(strata_cells_expected_ns(&fixture.cells), 35000);
    done(&fixture);
}

static void control_repeats_the_first_twin_cell_with_the_plain_side(void)
{
    struct fixture fixture;
    begin(&fixture, "<campaign pairs=\"5\"/>", TWINS, IOPS);
    CU_ASSERT_EQUAL(plan_cells(&fixture), STRATA_OK);
    CU_ASSERT_STRING_EQUAL(described(&fixture),
                           "iops a/b x 5; iops a/c x 5; iops d/- x 5; iops a/a x 5 control");
    done(&fixture);
}

static void without_a_twin_there_is_no_control(void)
{
    struct fixture fixture;
    begin(&fixture, "", "<device name=\"d\" path=\"/y\"/>", IOPS);
    CU_ASSERT_EQUAL(plan_cells(&fixture), STRATA_OK);
    CU_ASSERT_STRING_EQUAL(described(&fixture), "iops d/- x 10");
    done(&fixture);
}

static void workloads_name_their_back_ends_and_repetitions(void)
{
    struct fixture fixture;
    begin(&fixture, "<campaign control=\"no\"/>", TWINS,
          "<device-layer><iops backends=\"d\" repetitions=\"3\"/></device-layer>");
    CU_ASSERT_EQUAL(plan_cells(&fixture), STRATA_OK);
    CU_ASSERT_STRING_EQUAL(described(&fixture), "iops d/- x 3");
    done(&fixture);
}

static void ladder_takes_the_first_with_a_twin_or_the_named_one(void)
{
    struct fixture fixture;
    begin(&fixture, "<campaign control=\"no\"/>", "<device name=\"z\" path=\"/z\"/>" TWINS,
          "<ladder/><ladder device=\"d\" repetitions=\"2\"/>");
    CU_ASSERT_EQUAL(plan_cells(&fixture), STRATA_OK);
    CU_ASSERT_STRING_EQUAL(described(&fixture), "ladder a/b x 10; ladder a/c x 10; ladder d/- x 2");
    done(&fixture);
}

#define RIVALS                                                                                     \
    "<device name=\"a\" path=\"/x\"/>"                                                             \
    "<device name=\"a-aes\" path=\"/x\" twin-of=\"a\" encryption=\"aes-xts-128\"/>"                \
    "<device name=\"b\" path=\"/y\" versus=\"a\"/>"                                                \
    "<device name=\"b-aes\" path=\"/y\" twin-of=\"b\" encryption=\"aes-xts-128\""                  \
    " versus=\"a-aes\"/>"                                                                          \
    "<device name=\"c\" path=\"/z\" versus=\"a\"/>"

static void what_is_held_against_another_is_paired_with_it(void)
{
    struct fixture fixture;
    begin(&fixture, "<campaign pairs=\"5\"/>", RIVALS, IOPS);
    CU_ASSERT_EQUAL(plan_cells(&fixture), STRATA_OK);
    CU_ASSERT_STRING_EQUAL(described(&fixture),
                           "iops a/a-aes x 5; iops b/b-aes x 5; iops a/b x 5; iops a-aes/b-aes x "
                           "5; iops a/c x 5; iops a/a x 5 control");
    CU_ASSERT_PTR_EQUAL(strata_backends_find(&fixture.backends, "c")->versus,
                        strata_backends_find(&fixture.backends, "a"));
    done(&fixture);
}

static void what_is_held_against_another_runs_alone_where_that_does_not_run(void)
{
    struct fixture fixture;
    begin(&fixture, "<campaign pairs=\"5\" control=\"no\"/>", RIVALS,
          "<device-layer><iops backends=\"c\"/></device-layer>");
    CU_ASSERT_EQUAL(plan_cells(&fixture), STRATA_OK);
    CU_ASSERT_STRING_EQUAL(described(&fixture), "iops c/- x 5");
    done(&fixture);
    begin(&fixture, "<campaign pairs=\"5\" control=\"no\"/>", RIVALS, IOPS);
    strata_backends_remove(&fixture.backends, strata_backends_find(&fixture.backends, "a"));
    CU_ASSERT_EQUAL(plan_cells(&fixture), STRATA_OK);
    CU_ASSERT_STRING_EQUAL(described(&fixture), "iops b/b-aes x 5; iops c/- x 5");
    done(&fixture);
}

static void places_of_a_set_are_told_apart(void)
{
    struct fixture fixture;
    begin(&fixture, "", "<device name=\"s\" path=\"/a b,c\" and=\"/d\\040e /f\\054g,/h\\9\"/>",
          IOPS);
    const struct strata_backend *set = strata_backends_find(&fixture.backends, "s");
    CU_ASSERT_EQUAL_FATAL(set->place_count, 4);
    CU_ASSERT_STRING_EQUAL(set->places[0], "/a b,c");
    CU_ASSERT_STRING_EQUAL(set->places[1], "/d e");
    CU_ASSERT_STRING_EQUAL(set->places[2], "/f,g");
    CU_ASSERT_STRING_EQUAL(set->places[3], "/h\\9");
    CU_ASSERT_STRING_EQUAL(set->location, "/a b,c and /d e and /f,g and /h\\9");
    done(&fixture);
}

static void what_was_removed_is_left_out_with_its_twins(void)
{
    struct fixture fixture;
    begin(&fixture, "<campaign control=\"no\"/>", TWINS, IOPS);
    strata_backends_remove(&fixture.backends, strata_backends_find(&fixture.backends, "a"));
    CU_ASSERT_EQUAL(plan_cells(&fixture), STRATA_OK);
    CU_ASSERT_STRING_EQUAL(described(&fixture), "iops d/- x 10");
    CU_ASSERT_PTR_NULL(strata_backends_find(&fixture.backends, "b"));
    done(&fixture);
}

static enum strata_status expand_slot(const struct strata_element *element,
                                      const struct strata_backend *plain,
                                      const struct strata_backend *encrypted,
                                      struct strata_cells *cells, struct strata_error *error)
{
    static const int64_t slots[] = {500, 100, 300};
    for (size_t i = 0; i < 3; i++) {
        expand_one(element, plain, encrypted, cells, error);
        struct strata_cell *cell = &cells->items[cells->count - 1];
        cell->not_before_us = slots[i];
        snprintf(cell->workload.name, sizeof(cell->workload.name), "%d", (int)slots[i]);
    }
    return STRATA_OK;
}

static void slots_go_in_the_order_of_the_day_for_all_twins(void)
{
    struct fixture fixture;
    begin(&fixture, "<campaign pairs=\"1\"/>", TWINS, IOPS);
    const struct strata_layer layer = {.id = STRATA_LAYER_DEVICE, .expand = expand_slot};
    CU_ASSERT_EQUAL(
        strata_cells_plan(&layer, fixture.plan, &fixture.backends, &fixture.cells, &fixture.error),
        STRATA_OK);
    CU_ASSERT_STRING_EQUAL(described(&fixture),
                           "100 a/b x 1; 100 a/c x 1; 100 d/- x 1; 300 a/b x 1; 300 a/c x 1; "
                           "300 d/- x 1; 500 a/b x 1; 500 a/c x 1; 500 d/- x 1");
    done(&fixture);
}

static void only_writing_kinds_write(void)
{
    struct strata_load phases[2] = {{.mix = {{.kind = STRATA_OPERATION_STAT}}, .mix_count = 1},
                                    {.mix = {{.kind = STRATA_OPERATION_GET}}, .mix_count = 1}};
    struct strata_workload workload = {.phases = phases, .phase_count = 2};
    CU_ASSERT_FALSE(strata_workload_writes(&workload));
    phases[0].mix[0].kind = STRATA_OPERATION_ENCRYPT;
    phases[1].mix[0].kind = STRATA_OPERATION_DECRYPT;
    CU_ASSERT_FALSE(strata_workload_writes(&workload));
    phases[1].mix[1].kind = STRATA_OPERATION_WRITE;
    phases[1].mix_count = 2;
    CU_ASSERT_TRUE(strata_workload_writes(&workload));
}

static const struct harness_test tests[] = {
    {"each twin is compared with its plain one", each_twin_is_compared_with_its_plain_one},
    {"control repeats the first twin cell with the plain side",
     control_repeats_the_first_twin_cell_with_the_plain_side},
    {"without a twin there is no control", without_a_twin_there_is_no_control},
    {"workloads name their back ends and repetitions",
     workloads_name_their_back_ends_and_repetitions},
    {"ladder takes the first with a twin, or the named one",
     ladder_takes_the_first_with_a_twin_or_the_named_one},
    {"what is held against another is paired with it",
     what_is_held_against_another_is_paired_with_it},
    {"what is held against another runs alone where that does not run",
     what_is_held_against_another_runs_alone_where_that_does_not_run},
    {"places of a set are told apart", places_of_a_set_are_told_apart},
    {"what was removed is left out with its twins", what_was_removed_is_left_out_with_its_twins},
    {"slots go in the order of the day for all twins",
     slots_go_in_the_order_of_the_day_for_all_twins},
    {"only writing kinds write", only_writing_kinds_write},
};
HARNESS_MAIN("cells", tests)
