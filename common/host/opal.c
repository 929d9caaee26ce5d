/* The kernel asks a drive that speaks OPAL about its state.
 *
 * Always holds: nothing is changed; a drive that does not answer is one without OPAL. Source:
 * Linux, include/uapi/linux/sed-opal.h (IOC_OPAL_GET_STATUS). */
#include "common/host/opal.h"

#include <fcntl.h>
#include <linux/sed-opal.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool strata_opal_locks(const char *path)
{
#ifdef IOC_OPAL_GET_STATUS
    int drive = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct opal_status status = {0};
    bool locks = drive >= 0 && ioctl(drive, IOC_OPAL_GET_STATUS, &status) == 0 &&
                 (status.flags & OPAL_FL_LOCKING_ENABLED) != 0;
    if (drive >= 0) {
        close(drive);
    }
    return locks;
#else
    (void)path;
    return false;
#endif
}
