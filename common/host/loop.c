/* Loop devices that cannot outlive the run: LO_FLAGS_AUTOCLEAR and a descriptor that is held.
 *
 * Must always hold: a device is configured by one call, so that it never stands there half made;
 * two threads, or two programs, that are told of the same free device both get one. Source: Linux,
 * include/uapi/linux/loop.h; loop(4). */
#include "common/host/loop.h"

#include "common/base/clock.h"
#include "common/host/kernel_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define CONTROL "/dev/loop-control"

enum { TRIES = 10000 }; /* each lost to another who took the same device first */

#define STEP_NS UINT64_C(1000000)    /* between two looks */
#define NODE_NS UINT64_C(2000000000) /* for the node of a device that was just made */

char *strata_loop_path(const struct strata_loop *loop, char path[32])
{
    snprintf(path, 32, "/dev/loop%u", loop->number);
    return path;
}

int strata_loop_available(void)
{
    int control = open(CONTROL, O_RDWR | O_CLOEXEC);
    if (control < 0) {
        return errno;
    }
    (void)close(control);
    return 0;
}

/* Open the device's node, which may be a moment behind the device. */
static int open_node(const struct strata_loop *loop)
{
    char path[32];
    uint64_t until_ns = strata_clock_monotonic_ns() + NODE_NS;
    int fd;
    while ((fd = open(strata_loop_path(loop, path), O_RDWR | O_CLOEXEC)) < 0 && errno == ENOENT &&
           strata_clock_monotonic_ns() < until_ns) {
        strata_clock_sleep_until_ns(strata_clock_monotonic_ns() + STEP_NS);
    }
    return fd;
}

/* One try on the device that the kernel calls free. Returns 0 or an errno; EBUSY: another took it.
 */
static int try_free(int control, const struct loop_config *config, struct strata_loop *ret_loop)
{
    int number = ioctl(control, LOOP_CTL_GET_FREE);
    if (number < 0) {
        return errno;
    }
    ret_loop->number = (unsigned)number;
    ret_loop->fd = open_node(ret_loop);
    if (ret_loop->fd < 0) {
        return errno;
    }
    if (ioctl(ret_loop->fd, LOOP_CONFIGURE, config) == 0) {
        return 0;
    }
    int code = errno;
    (void)close(ret_loop->fd);
    ret_loop->fd = -1;
    return code;
}

int strata_loop_attach(int file, const char *name, struct strata_loop *ret_loop)
{
    struct loop_config config = {.fd = (unsigned)file, .info.lo_flags = LO_FLAGS_AUTOCLEAR};
    snprintf((char *)config.info.lo_file_name, LO_NAME_SIZE, "%s", name);
    ret_loop->fd = -1;
    int control = open(CONTROL, O_RDWR | O_CLOEXEC);
    if (control < 0) {
        return errno;
    }
    int code = EBUSY;
    for (int i = 0; i < TRIES && code == EBUSY; i++) {
        code = try_free(control, &config, ret_loop);
    }
    (void)close(control);
    return code;
}

/* Whether the kernel still has that file on the device. */
static bool holds(unsigned number, const char *name)
{
    char text[4096];
    return strata_kernel_file_read(text, sizeof(text), "/sys/block/loop%u/loop/backing_file",
                                   number) &&
           strstr(text, name) != NULL;
}

int strata_loop_detach(struct strata_loop *loop, const char *name, uint64_t timeout_ns)
{
    uint64_t until_ns = strata_clock_monotonic_ns() + timeout_ns;
    int code = ioctl(loop->fd, LOOP_CLR_FD) == 0 || errno == ENXIO ? 0 : errno;
    (void)close(loop->fd);
    loop->fd = -1;
    while (holds(loop->number, name)) {
        if (strata_clock_monotonic_ns() >= until_ns) {
            return code != 0 ? code : ETIMEDOUT;
        }
        strata_clock_sleep_until_ns(strata_clock_monotonic_ns() + STEP_NS);
    }
    return 0;
}
