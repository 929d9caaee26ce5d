/* How a user ends a program in order.
 *
 * Always holds: the first SIGINT, SIGTERM, SIGHUP (a terminal or connection that went away) or
 * SIGXCPU (a limit of processor time) only sets the flag, so that what there is gets stored and
 * what was made gets removed; who cannot wait presses Ctrl-C again, and nobody who reads what was
 * printed waits for a process that the kernel does not let go (common/cli/supervise.h). Blocking
 * calls are not restarted: they return EINTR, and their callers look at the flag. */
#include "common/base/stop.h"

#include "common/base/error.h"
#include "common/base/streams.h"

#include <stddef.h>
#include <unistd.h>

volatile sig_atomic_t strata_stop_signal;

static void stop(int number)
{
    if (strata_stop_signal != 0 && number == SIGINT) {
        strata_streams_close();
        _exit(STRATA_INTERRUPTED);
    }
    __atomic_store_n(&strata_stop_signal, number, __ATOMIC_RELAXED); /* jobs read it so */
}

void strata_stop_install(void)
{
    struct sigaction action = {.sa_handler = stop};
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGXCPU, &action, NULL);
    struct sigaction before;
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
        (void)sigaction(SIGHUP, &action, NULL);
    }
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    (void)sigemptyset(&ignore.sa_mask);
    (void)sigaction(SIGPIPE, &ignore, NULL);
    (void)sigaction(SIGXFSZ, &ignore, NULL);
}
