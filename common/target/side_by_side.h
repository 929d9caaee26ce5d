/* Several devices at once, each worked on by jobs of its own. */
#ifndef STRATA_TARGET_SIDE_BY_SIDE_H
#define STRATA_TARGET_SIDE_BY_SIDE_H

#include "common/target/target.h"

/* Job k works on member k mod `count` alone, filters of the member included. The jobs of one member
 * share its items in ranges that do not overlap; of each member as many items are used as the
 * smallest has, so that all have the same to do. The engine adds the members up one by one too
 * (struct strata_target, members). All members must be of one kind and have a shared space.
 * Errors: when a worker is opened, STRATA_ENVIRONMENT "unsupported: ..." where the number of jobs
 * is not a multiple of `count`. Owns: the result takes the members over. */
struct strata_target *strata_side_by_side_open(struct strata_target *const *members,
                                               unsigned count);

/* The n-th member. */
struct strata_target *strata_side_by_side_member(const struct strata_target *target, unsigned n);

#endif
