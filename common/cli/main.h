/* The main that the four layers share: arguments, plan, campaign, summary, exit code. */
#ifndef STRATA_CLI_MAIN_H
#define STRATA_CLI_MAIN_H

#include "common/campaign/campaign.h"

/* Everything that `main` of a layer does. Returns the exit code. */
int strata_cli_main(const struct strata_layer *layer, int argc, char **argv);

#endif
