/* Reading a device that hangs puts a thread to sleep where no signal reaches it, and its process
 * with it. So what could hang before there is a run is done in a child process.
 *
 * Always holds: the caller waits for the limit at most, and less when it is asked to stop; a child
 * that does not end is killed, and goes when the kernel lets it; it keeps none of the standard
 * streams open, so that nobody waits for their end. */
#include "common/host/within.h"

#include "common/base/clock.h"
#include "common/base/stop.h"
#include "common/base/streams.h"
#include "common/base/units.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void
be_child(int answer, enum strata_status (*work)(void *, struct strata_error *), void *context)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    strata_streams_close();
    strata_streams_hold();
    struct strata_error error = {0};
    error.status = work(context, &error);
    _exit(write(answer, &error, sizeof(error)) == sizeof(error) ? 0 : 1);
}

/* Returns whether the answer came; false at the limit or when asked to stop. */
static bool wait_for_answer(int answer, uint64_t limit_ns, const char *what,
                            struct strata_error *ret_error)
{
    uint64_t begin_ns = strata_clock_monotonic_ns();
    while (strata_stop_signal == 0 && strata_clock_monotonic_ns() - begin_ns < limit_ns) {
        struct pollfd event = {.fd = answer, .events = POLLIN};
        if (poll(&event, 1, (int)(STRATA_STOP_LOOK_NS / 1000000)) > 0) {
            /* Shorter than PIPE_BUF: all or, from a child that died, nothing. */
            if (read(answer, ret_error, sizeof(*ret_error)) != sizeof(*ret_error)) {
                (void)strata_error_set(ret_error, STRATA_INTERNAL,
                                       "%s: the process that looked at it died", what);
            }
            return true;
        }
    }
    return false;
}

static enum strata_status no_answer(uint64_t limit_ns, const char *what, struct strata_error *error)
{
    char limit[32];
    if (strata_stop_signal != 0) {
        return strata_error_set(error, STRATA_INTERRUPTED, "interrupted");
    }
    return strata_error_set(error, STRATA_ENVIRONMENT,
                            "%s " STRATA_NO_ANSWER "looking at it did not end within %s", what,
                            strata_units_format_duration(limit_ns, limit, sizeof(limit)));
}

enum strata_status strata_within(uint64_t limit_ns, const char *what,
                                 enum strata_status (*work)(void *context,
                                                            struct strata_error *error),
                                 void *context, struct strata_error *error)
{
    int answer[2];
    if (pipe2(answer, O_CLOEXEC) != 0) {
        return strata_error_set(error, STRATA_ENVIRONMENT, "%s: cannot be looked at: %s", what,
                                strerror(errno));
    }
    pid_t child = fork();
    if (child == 0) {
        be_child(answer[1], work, context);
    }
    (void)close(answer[1]);
    enum strata_status status;
    if (child < 0) {
        status = strata_error_set(error, STRATA_ENVIRONMENT, "%s: cannot be looked at: %s", what,
                                  strerror(errno));
    } else if (wait_for_answer(answer[0], limit_ns, what, error)) {
        status = error->status;
        (void)waitpid(child, NULL, 0);
    } else {
        status = no_answer(limit_ns, what, error);
        (void)kill(child, SIGKILL);
        (void)waitpid(child, NULL, WNOHANG);
    }
    (void)close(answer[0]);
    return status;
}
