/* time-scale: which times it multiplies, where the product is kept within limits, and that the plan
 * says so. */
#include "common/plan/plan.h"
#include "tests/unit/harness.h"

#include <stdio.h>
#include <string.h>

static struct strata_element *add(struct strata_plan *plan, enum strata_element_role role,
                                  enum strata_layer_id layer, const char *name)
{
    return strata_plan_add(plan, strata_element_type_find(role, layer, name));
}

static void set(struct strata_element *element, const char *option, const char *text)
{
    struct strata_error error;
    CU_ASSERT_EQUAL_FATAL(strata_element_set(element, option, text, &error), STRATA_OK);
}

/* A new option for how long to measure must say that it scales; what is a limit to waiting must
 * not.
 */
static void every_measuring_time_scales(void)
{
    static const char *const waits[] = {"late", "timeout", "connect-timeout"};
    for (size_t t = 0; t < strata_element_type_count; t++) {
        const struct strata_element_type *type = strata_element_types[t];
        bool measures = type->role == STRATA_ROLE_WORKLOAD || type->role == STRATA_ROLE_LADDER;
        for (size_t i = 0; i < type->option_count; i++) {
            const struct strata_option *option = &type->options[i];
            bool waiting = false;
            for (size_t w = 0; w < sizeof(waits) / sizeof(waits[0]); w++) {
                waiting = waiting || strcmp(option->name, waits[w]) == 0;
            }
            bool wanted = measures && option->type == STRATA_OPTION_DURATION && !waiting;
            if (option->scales != wanted) {
                printf("\n    <%s %s>", type->name, option->name);
                CU_FAIL("scales, or should");
            }
        }
    }
}

static void products_and_limits(void)
{
    struct strata_plan *plan = strata_plan_new("");
    struct strata_element *device =
        add(plan, STRATA_ROLE_WORKLOAD, STRATA_LAYER_DEVICE, "workload");
    set(device, "duration", "30s");
    set(device, "warm-up", "1s");
    set(&plan->campaign, "time-scale", "0.01");
    strata_plan_scale_times(plan);
    CU_ASSERT_EQUAL(strata_element_number(device, "duration"), UINT64_C(300000000));
    CU_ASSERT_STRING_EQUAL(strata_element_text(device, "duration"), "300ms");
    CU_ASSERT_EQUAL(strata_element_number(device, "warm-up"), UINT64_C(10000000));
    /* 300 ms / 1000 lies below the shortest run; 0 is no time and stays none. */
    set(&plan->campaign, "time-scale", "0.001");
    set(device, "warm-up", "0s");
    strata_plan_scale_times(plan);
    CU_ASSERT_EQUAL(strata_element_number(device, "duration"), UINT64_C(1000000));
    CU_ASSERT_EQUAL(strata_element_number(device, "warm-up"), 0);
    /* 1 ms times 10^12 is past the longest run, a day. */
    set(&plan->campaign, "time-scale", "1000000000000");
    strata_plan_scale_times(plan);
    CU_ASSERT_EQUAL(strata_element_number(device, "duration"), UINT64_C(86400000000000));
    strata_plan_free(plan);
}

static void what_is_no_measuring_time_stays(void)
{
    struct strata_plan *plan = strata_plan_new("");
    add(plan, STRATA_ROLE_BACKEND, STRATA_LAYER_SERVICE, "swift");
    add(plan, STRATA_ROLE_WORKLOAD, STRATA_LAYER_USER, "time-of-day");
    add(plan, STRATA_ROLE_WORKLOAD, STRATA_LAYER_FILESYSTEM, "metadata");
    struct strata_element *ladder = add(plan, STRATA_ROLE_LADDER, STRATA_LAYER_DEVICE, "ladder");
    set(&plan->campaign, "time-scale", "0.5");
    strata_plan_scale_times(plan);
    CU_ASSERT_EQUAL(strata_element_number(&plan->backends[0], "timeout"), UINT64_C(60000000000));
    CU_ASSERT_EQUAL(strata_element_number(&plan->workloads[0], "late"), UINT64_C(600000000000));
    CU_ASSERT_EQUAL(strata_element_number(&plan->workloads[1], "duration"), 0); /* no limit */
    CU_ASSERT_EQUAL(strata_element_number(ladder, "duration"), UINT64_C(2500000000));
    strata_plan_free(plan);
}

static void zero_is_refused(void)
{
    struct strata_plan *plan = strata_plan_new("");
    struct strata_error error;
    set(&plan->campaign, "time-scale", "0.0");
    CU_ASSERT_EQUAL(strata_plan_check(plan, &error), STRATA_USAGE);
    CU_ASSERT_STRING_EQUAL(error.text, "time-scale: 0.0 is not above 0");
    CU_ASSERT_EQUAL(strata_element_set(&plan->campaign, "time-scale", "-1", &error), STRATA_USAGE);
    strata_plan_free(plan);
}

static void overrides_stand_in_the_text(void)
{
    struct strata_plan *plan = strata_plan_new("<strata version=\"1\"/>");
    strata_plan_note_override(plan, "time-scale=0.01");
    strata_plan_note_override(plan, "name=a--b-->-");
    CU_ASSERT_STRING_EQUAL(plan->text, "<strata version=\"1\"/>\n"
                                       "<!-- command line: time-scale=0.01 -->\n"
                                       "<!-- command line: name=a- -b- ->-  -->");
    strata_plan_free(plan);
}

static const struct harness_test tests[] = {
    {"every measuring time scales, nothing else does", every_measuring_time_scales},
    {"products by hand, kept within limits", products_and_limits},
    {"waits, timeouts and 0 stay", what_is_no_measuring_time_stays},
    {"0 is refused", zero_is_refused},
    {"overrides stand in the stored text", overrides_stand_in_the_text},
};
HARNESS_MAIN("time_scale", tests)
