/* Which mount a path lies on. */
#ifndef STRATA_HOST_MOUNT_H
#define STRATA_HOST_MOUNT_H

#include <stdbool.h>

struct strata_mount {
    char type[64];      /* "ext4", "fuse.gocryptfs" */
    char source[1024];  /* "/dev/vda", the folder below a FUSE file system, "tmpfs" */
    char options[1024]; /* of the mount and of the file system, separated by a comma */
};

/* Find it; false when the path does not exist or the kernel does not say. Needs Linux 5.8. */
bool strata_mount_find(const char *path, struct strata_mount *ret_mount);

/* Undo the kernel's escapes (octal, "\040") in a field of mountinfo, in place. */
void strata_mount_unescape(char *field);

#endif
