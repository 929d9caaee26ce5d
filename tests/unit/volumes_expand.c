// links: layers/device/volumes.c
/* <volumes> elements from the plan's text to cells: phases, jobs, groups, and what a twin takes
 * from its plain back end. */
#include "layers/device/volumes.h"

#include "tests/unit/harness.h"

#include <string.h>

/* A plan with two back ends and one workload, and what they expand to. */
struct fixture {
    struct strata_plan *plan;
    struct strata_backend plain;
    struct strata_backend twin;
    struct strata_cells cells;
    struct strata_error error;
};

static void set(struct strata_element *element, const char *option, const char *text)
{
    struct strata_error error = {0};
    CU_ASSERT_EQUAL_FATAL(strata_element_set(element, option, text, &error), STRATA_OK);
}

static struct strata_element *add(struct fixture *fixture, enum strata_element_role role)
{
    return strata_plan_add(fixture->plan,
                           strata_element_type_find(role, STRATA_LAYER_DEVICE, "volumes"));
}

/* Adding moves elements, so that they are looked up afterwards. */
static void begin(struct fixture *fixture)
{
    *fixture = (struct fixture){.plan = strata_plan_new("test")};
    (void)add(fixture, STRATA_ROLE_BACKEND);
    (void)add(fixture, STRATA_ROLE_BACKEND);
    (void)add(fixture, STRATA_ROLE_WORKLOAD);
    set(&fixture->plan->backends[0], "path", "/tmp");
    set(&fixture->plan->backends[1], "path", "/tmp");
    set(&fixture->plan->backends[1], "encryption", "luks");
    fixture->plain = (struct strata_backend){
        .name = "plain", .element = &fixture->plan->backends[0], .encryption = "none"};
    fixture->twin = (struct strata_backend){.name = "twin",
                                            .element = &fixture->plan->backends[1],
                                            .encryption = "luks",
                                            .encrypted = true,
                                            .twin = &fixture->plain};
}

static enum strata_status expand(struct fixture *fixture)
{
    strata_cells_done(&fixture->cells);
    return strata_device_volumes_expand(&fixture->plan->workloads[0], &fixture->plain,
                                        &fixture->twin, &fixture->cells, &fixture->error);
}

static void end(struct fixture *fixture)
{
    strata_cells_done(&fixture->cells);
    strata_plan_free(fixture->plan);
}

static void the_whole_life_by_default(void)
{
    static const char *const names[] = {"create", "attach", "detach", "delete"};
    static const enum strata_operation_kind kinds[] = {
        STRATA_OPERATION_CREATE, STRATA_OPERATION_ATTACH, STRATA_OPERATION_DETACH,
        STRATA_OPERATION_DELETE};
    struct fixture fixture;
    begin(&fixture);
    CU_ASSERT_EQUAL_FATAL(expand(&fixture), STRATA_OK);
    CU_ASSERT_EQUAL_FATAL(fixture.cells.count, 1);
    const struct strata_workload *workload = &fixture.cells.items[0].workload;
    CU_ASSERT_STRING_EQUAL(workload->name, "volumes loop 20 of 1 GiB, 20 at a time");
    CU_ASSERT_EQUAL(workload->concurrency, 20);
    CU_ASSERT_EQUAL(fixture.cells.items[0].repetitions, 0); /* the campaign's pairs */
    CU_ASSERT_EQUAL_FATAL(workload->phase_count, 4);
    for (int i = 0; i < 4; i++) {
        CU_ASSERT_STRING_EQUAL(workload->phases[i].phase, names[i]);
        CU_ASSERT_EQUAL(workload->phases[i].mix[0].kind, kinds[i]);
        CU_ASSERT_EQUAL(workload->phases[i].jobs, 20);
        CU_ASSERT_TRUE(workload->phases[i].one_pass);
    }
    CU_ASSERT_PTR_NOT_NULL(strstr(workload->parameters, "\"pbkdf\": \"pbkdf2, 1000 iterations\""));
    end(&fixture);
}

static void concurrency_sweeps(void)
{
    struct fixture fixture;
    begin(&fixture);
    set(&fixture.plan->workloads[0], "count", "6");
    set(&fixture.plan->workloads[0], "concurrency", "1 4 20");
    set(&fixture.plan->workloads[0], "groups", "5");
    set(&fixture.plan->workloads[0], "steps", "create delete");
    CU_ASSERT_EQUAL_FATAL(expand(&fixture), STRATA_OK);
    CU_ASSERT_EQUAL_FATAL(fixture.cells.count, 3);
    CU_ASSERT_EQUAL(fixture.cells.items[0].workload.concurrency, 1);
    CU_ASSERT_EQUAL(fixture.cells.items[1].workload.concurrency, 4);
    CU_ASSERT_EQUAL(fixture.cells.items[2].workload.concurrency, 6); /* no more than there are */
    CU_ASSERT_STRING_EQUAL(fixture.cells.items[2].workload.name,
                           "volumes loop 6 of 1 GiB, 6 at a time, to delete");
    CU_ASSERT_EQUAL(fixture.cells.items[2].repetitions, 5);
    CU_ASSERT_EQUAL(fixture.cells.items[2].workload.phase_count, 2);
    end(&fixture);
}

static void a_twin_takes_what_it_does_not_say(void)
{
    static const char *const lines[] = {"create", "attach", "detach", "delete"};
    struct fixture fixture;
    begin(&fixture);
    struct strata_element *plain = &fixture.plan->backends[0];
    set(plain, "driver", "command");
    set(plain, "size", "100GiB");
    set(plain, "poll", "2s");
    for (int i = 0; i < 4; i++) {
        set(plain, lines[i], "true");
    }
    CU_ASSERT_EQUAL_FATAL(expand(&fixture), STRATA_OK);
    const struct strata_workload *workload = &fixture.cells.items[0].workload;
    CU_ASSERT_STRING_EQUAL(workload->name, "volumes command 20 of 100 GiB, 20 at a time");
    CU_ASSERT_PTR_NOT_NULL(strstr(workload->parameters, "\"poll_ns\": 2000000000"));
    set(&fixture.plan->backends[1], "create", "make {nmae}");
    CU_ASSERT_EQUAL(expand(&fixture), STRATA_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(fixture.error.text, "twin: create: {nmae} is none of"));
    set(&fixture.plan->backends[1], "create", "make {name}");
    set(&fixture.plan->backends[1], "size", "10GiB");
    CU_ASSERT_EQUAL(expand(&fixture), STRATA_USAGE);
    CU_ASSERT_STRING_EQUAL(fixture.error.text,
                           "size: 10GiB of twin is not 100GiB of plain, so that "
                           "they cannot be compared");
    end(&fixture);
}

static void steps_need_those_before(void)
{
    static const char *const wrong[][2] = {{"attach", "attach needs create"},
                                           {"create detach", "detach needs attach"},
                                           {"delete", "delete needs create"}};
    struct fixture fixture;
    begin(&fixture);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        set(&fixture.plan->workloads[0], "steps", wrong[i][0]);
        CU_ASSERT_EQUAL(expand(&fixture), STRATA_USAGE);
        CU_ASSERT_PTR_NOT_NULL(strstr(fixture.error.text, wrong[i][1]));
    }
    end(&fixture);
}

static const struct harness_test tests[] = {
    {"the whole life by default", the_whole_life_by_default},
    {"concurrency sweeps, up to the number of volumes", concurrency_sweeps},
    {"a twin takes what it does not say itself", a_twin_takes_what_it_does_not_say},
    {"steps need those before", steps_need_those_before},
};

HARNESS_MAIN("volumes_expand", tests)
