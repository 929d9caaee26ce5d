/* A look at something that may hang, with a limit. */
#ifndef STRATA_HOST_WITHIN_H
#define STRATA_HOST_WITHIN_H

#include "common/base/error.h"

#include <stdint.h>

/* Do `work` in a process of its own, so that it can be left where it hangs, and return what it
 * returns, with its error. Nothing else that it changes reaches the caller.
 * Errors: STRATA_ENVIRONMENT, "<what> does not answer: …" when it has not ended after `limit_ns`;
 * STRATA_INTERRUPTED when a signal asked the program to stop.
 * Threads: only while there is one. */
enum strata_status strata_within(uint64_t limit_ns, const char *what,
                                 enum strata_status (*work)(void *context,
                                                            struct strata_error *error),
                                 void *context, struct strata_error *error);

#endif
