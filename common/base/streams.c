/* A program that is started with its standard output or error closed (">&-") would get that number
 * for the next file that it opens: a progress line written into a database or a device.
 *
 * Always holds: after the call none of 0, 1, 2 is free. Leaves reporting that nothing can be
 * printed to whoever prints. */
#include "common/base/streams.h"

#include <fcntl.h>
#include <unistd.h>

void strata_streams_hold(void)
{
    int file;
    do {
        file = open("/", O_PATH); /* neither readable nor writable, and always there */
    } while (file >= 0 && file <= STDERR_FILENO);
    if (file >= 0) {
        close(file);
    }
}

void strata_streams_close(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
        (void)close(stream);
    }
}
