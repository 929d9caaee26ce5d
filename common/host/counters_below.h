/* counters.h below another root than this machine's, for tests. */
#ifndef STRATA_HOST_COUNTERS_BELOW_H
#define STRATA_HOST_COUNTERS_BELOW_H

#include "common/host/counters.h"

/* As strata_counters_find_disks, with the sysfs of `root`; the paths are as they stand. */
void strata_counters_find_disks_below(const char *root, const char *const *paths, size_t count,
                                      struct strata_counter_disks *disks);

/* As strata_counters_read, except at_ns and the process's own times, which no root changes. */
void strata_counters_read_below(const char *root, const struct strata_counter_disks *disks,
                                struct strata_counters *ret_counters);

#endif
