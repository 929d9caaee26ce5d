/* A configuration file becomes a checked plan: the order of reading, parsing and checking. */
#include "common/base/file.h"
#include "common/plan/xml.h"

#include <stdlib.h>

#define MOST_BYTES (1U << 20)

enum strata_status strata_plan_read(const char *path, struct strata_plan **ret_plan,
                                    struct strata_error *error)
{
    char *text = NULL;
    size_t length = 0;
    enum strata_status status = strata_file_read(path, MOST_BYTES, &text, &length, error);
    if (status != STRATA_OK) {
        return status;
    }
    if (length == 0) {
        free(text);
        return strata_error_set(error, STRATA_USAGE,
                                "%s: is empty, expected <strata version=\"1\">", path);
    }
    struct strata_plan *plan = strata_plan_new(text);
    free(text);
    free(plan->source);
    plan->source = strata_text_duplicate(path);
    status = strata_plan_parse_xml(plan, error);
    if (status == STRATA_OK) {
        strata_plan_add_implied(plan);
        status = strata_plan_check(plan, error);
    }
    if (status != STRATA_OK) {
        strata_plan_free(plan);
        return status;
    }
    *ret_plan = plan;
    return STRATA_OK;
}
