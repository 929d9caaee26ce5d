/* The documents that are made from the option tables. */
#include "common/plan/option.h"
#include "layers/suite/suite.h"

#include <string.h>

enum strata_status suite_document(const struct suite_request *request, struct strata_error *error)
{
    const char *wanted = request->operands[0];
    struct strata_text text = {0};
    if (strcmp(wanted, "schema") == 0) {
        strata_option_write_schema(&text);
    } else if (strcmp(wanted, "configuration") == 0) {
        strata_option_write_markdown(&text);
    } else {
        return strata_error_set(error, STRATA_USAGE,
                                "document: %s: expected schema or configuration", wanted);
    }
    enum strata_status status = suite_print(&text, error);
    strata_text_done(&text);
    return status;
}
