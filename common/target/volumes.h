/* The life cycle of volumes as a target: create, attach, detach, delete, each job on volumes of its
 * own, one step at a time. */
#ifndef STRATA_TARGET_VOLUMES_H
#define STRATA_TARGET_VOLUMES_H

#include "common/base/error.h"
#include "common/target/target.h"
#include "common/target/volume.h"

struct strata_volumes_options {
    const char *run_uuid; /* borrowed for the time of the call */
    unsigned count;       /* volumes, >= 1 */
    unsigned jobs;        /* of every phase, 1 to count */
};

/* Owns: the target owns `driver` and closes it, also when this fails. */
enum strata_status strata_volumes_open(const struct strata_volumes_options *options,
                                       struct strata_volume_driver *driver,
                                       struct strata_target **ret_target,
                                       struct strata_error *error);

/* What the first step that failed said, of each kind, into `text`; "" when none did. */
void strata_volumes_describe_failures(const struct strata_target *target, char *text, size_t size);

/* The driver below, and volume `number`, for who wants to look at one. */
struct strata_volume_driver *strata_volumes_driver(struct strata_target *target);
const struct strata_volume *strata_volumes_volume(const struct strata_target *target,
                                                  unsigned number);

#endif
