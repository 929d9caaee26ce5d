/* What a back end is, for the database. */
#ifndef STRATA_CAMPAIGN_DESCRIBE_H
#define STRATA_CAMPAIGN_DESCRIBE_H

#include "common/base/text.h"
#include "common/campaign/campaign.h"

/* Append the JSON object of the column backend.storage (doc/results.md): what the kernel says of
 * the place, or of each member of a set, how it is encrypted where that is known, and the options
 * that it was given. "{}" for a server. */
void strata_describe_storage(const struct strata_backend *backend, struct strata_text *out);

#endif
