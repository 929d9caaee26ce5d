/* The back ends of a plan that one layer measures. */
#ifndef STRATA_CAMPAIGN_BACKENDS_H
#define STRATA_CAMPAIGN_BACKENDS_H

#include "common/campaign/campaign.h"

struct strata_backends {
    struct strata_backend *items; /* each plain one before its twins */
    size_t count;
};

/* Those of the plan that `layer` can measure: of its own kind; the user layer those of the service
 * layer. Owns: the caller frees with _done; they borrow from the plan and the permissions. */
void strata_backends_init(struct strata_backends *backends, const struct strata_layer *layer,
                          const struct strata_plan *plan,
                          const struct strata_permissions *permissions);
void strata_backends_done(struct strata_backends *backends);

/* The one with that name; NULL when there is none. */
struct strata_backend *strata_backends_find(const struct strata_backends *backends,
                                            const char *name);

/* Leave one out (and, when it is plain, its twins) after its inspection failed. */
void strata_backends_remove(struct strata_backends *backends, const struct strata_backend *backend);

#endif
