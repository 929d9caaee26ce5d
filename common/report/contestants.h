/* What `strata compare` was given: two campaigns, or two back ends of one. */
#ifndef STRATA_REPORT_CONTESTANTS_H
#define STRATA_REPORT_CONTESTANTS_H

#include "common/store/query.h"

struct strata_contestant {
    int64_t campaign_id;
    int64_t backend_id; /* 0: the whole campaign */
    char label[128];
};

struct strata_contestants {
    struct strata_contestant base;
    struct strata_contestant other;
};

/* Each name is a campaign's uuid (or the begin of it) or name, else a back end's name; of several
 * with the same name the latest. Both must be of one kind. Errors: STRATA_USAGE. */
enum strata_status strata_contestants_find(struct strata_store *store, const char *base,
                                           const char *other,
                                           struct strata_contestants *ret_contestants,
                                           struct strata_error *error);

/* Whether both were measured on the same machine with the same facts. Errors: STRATA_USAGE naming a
 * fact that differs. */
enum strata_status strata_contestants_alike(struct strata_store *store,
                                            const struct strata_contestants *contestants,
                                            struct strata_error *error);

#endif
