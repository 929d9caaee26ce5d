/* Whether anything on this machine uses a block device or a file. */
#ifndef STRATA_HOST_IN_USE_H
#define STRATA_HOST_IN_USE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* Look for users of what `found` describes (a block device or a regular file): for a device its
 * partitions and the disk that it is a partition of are looked up too. Devices are compared by
 * number, files by device and inode, never by name. Users are: a mount in any mount namespace that
 * can be seen, swap, holders (dm, md, LVM, bcache), loop devices over it, and other processes that
 * have it open for writing. `ret_finding` says the first found: "mounted at /srv". */
bool strata_in_use(const struct stat *found, char *ret_finding, size_t size);

#endif
