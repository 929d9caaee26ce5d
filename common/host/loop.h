/* Loop devices: a file as a block device, for as long as somebody holds it open. */
#ifndef STRATA_HOST_LOOP_H
#define STRATA_HOST_LOOP_H

#include <stdint.h>

struct strata_loop {
    int fd; /* -1: none is attached */
    unsigned number;
};

/* Put the open file `file` on a free loop device that clears itself when its last holder is gone,
 * this process killed or not. `name` is a part of the file's path that no other file has.
 * Returns 0, or an errno. Owns: the caller detaches *ret_loop. Threads: any. */
int strata_loop_attach(int file, const char *name, struct strata_loop *ret_loop);

/* Let go of the device and wait until the kernel no longer has the file named so on it, at most
 * for `timeout_ns`. Returns 0, or an errno: ETIMEDOUT when somebody else holds it. */
int strata_loop_detach(struct strata_loop *loop, const char *name, uint64_t timeout_ns);

/* "/dev/loop7" into `path` of 32 bytes; returns `path`. */
char *strata_loop_path(const struct strata_loop *loop, char path[32]);

/* Why no loop device can be had here; 0: one can. An errno. */
int strata_loop_available(void);

#endif
