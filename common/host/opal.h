/* A self-encrypting drive by the TCG's OPAL: what it says of its locking. */
#ifndef STRATA_HOST_OPAL_H
#define STRATA_HOST_OPAL_H

#include <stdbool.h>

/* Whether the drive of block device `path` says that OPAL locking is enabled. That it encrypts its
 * media with a key of its own is then its maker's word, still: no host can see it. False also where
 * this cannot be known: no such drive, no permission, a kernel before 6.2. */
bool strata_opal_locks(const char *path);

#endif
