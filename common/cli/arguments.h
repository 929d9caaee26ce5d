/* The command line of a layer's program, turned into a plan. */
#ifndef STRATA_CLI_ARGUMENTS_H
#define STRATA_CLI_ARGUMENTS_H

#include "common/campaign/campaign.h"

#include <stdbool.h>

enum strata_action { STRATA_ACTION_RUN, STRATA_ACTION_HELP, STRATA_ACTION_VERSION };

struct strata_arguments {
    enum strata_action action;
    const char *database; /* file name; borrowed from argv, as all text here */
    const char
        *campaign_uuid; /* join that campaign, and leave the findings to whom made it; or NULL */
    bool json;
    bool quiet;
    bool dry_run;
    struct strata_permissions permissions;
    const char **overwrite; /* backs permissions.overwrite */
    struct strata_plan *plan;
};

/* Parse and check. Errors: STRATA_USAGE naming the argument and what was expected.
 * Owns: the caller calls strata_arguments_done, also after an error. */
enum strata_status strata_arguments_parse(const struct strata_layer *layer, int argc, char **argv,
                                          struct strata_arguments *ret_arguments,
                                          struct strata_error *error);
void strata_arguments_done(struct strata_arguments *arguments);

/* The text of --help, from the option tables. */
void strata_arguments_help(const struct strata_layer *layer, struct strata_text *out);

#endif
