/* The kernel does not let go of a process before its operations on a device have come back: a
 * thread inside a read sleeps where no signal reaches it, and the end of a process waits for its
 * asynchronous operations (Linux, fs/aio.c, exit_aio). On a hung device that is never, and whoever
 * waits for the program would hang as well. So the work is done in a child process, which tells its
 * exit code before it ends; the parent waits for the end only for a while then.
 *
 * Always holds: the child does not outlive the parent longer than the kernel makes it; a child
 * killed by a signal kills the parent by the same; a signal for both of them (a terminal's) reaches
 * the child twice at most, and then once as SIGTERM, as a second SIGINT means "at once". */
#include "common/cli/supervise.h"

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/streams.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRACE_NS UINT64_C(1000000000) /* for the child to end after it told its exit code */

struct watch {
    pid_t child;
    bool told; /* the child was asked to stop */
    int code;  /* to exit with when `until_ns` has passed */
    uint64_t until_ns;
};

/* Those that the child handles as requests to stop; see common/base/stop.c. */
static void fill_mask(sigset_t *mask)
{
    struct sigaction hangup;
    (void)sigemptyset(mask);
    (void)sigaddset(mask, SIGCHLD);
    (void)sigaddset(mask, SIGINT);
    (void)sigaddset(mask, SIGTERM);
    (void)sigaddset(mask, SIGXCPU);
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN) {
        (void)sigaddset(mask, SIGHUP);
    }
}

static _Noreturn void end_as(int status)
{
    if (WIFSIGNALED(status)) {
        const struct rlimit no_core = {0};
        sigset_t number;
        (void)sigemptyset(&number);
        (void)sigaddset(&number, WTERMSIG(status));
        (void)setrlimit(RLIMIT_CORE, &no_core); /* the child left one where it was wanted */
        (void)signal(WTERMSIG(status), SIG_DFL);
        (void)raise(WTERMSIG(status));
        (void)sigprocmask(SIG_UNBLOCK, &number, NULL);
    }
    _exit(WEXITSTATUS(status));
}

static void end_soon(struct watch *watch, int code)
{
    if (watch->until_ns == UINT64_MAX) {
        watch->code = code;
        watch->until_ns = strata_clock_monotonic_ns() + GRACE_NS;
    }
}

static void pass_on(struct watch *watch, int signals)
{
    struct signalfd_siginfo signal;
    if (read(signals, &signal, sizeof(signal)) != sizeof(signal) || signal.ssi_signo == SIGCHLD) {
        return;
    }
    bool at_once = watch->told && signal.ssi_signo == SIGINT;
    (void)kill(watch->child, at_once ? SIGINT : SIGTERM);
    watch->told = true;
    if (at_once) {
        end_soon(watch, STRATA_INTERRUPTED);
    }
}

static _Noreturn void watch_child(pid_t child, int report, int signals)
{
    struct watch watch = {.child = child, .until_ns = UINT64_MAX};
    struct pollfd events[] = {{.fd = signals, .events = POLLIN}, {.fd = report, .events = POLLIN}};
    for (;;) {
        int status;
        if (waitpid(child, &status, WNOHANG) == child) {
            end_as(status);
        }
        uint64_t now_ns = strata_clock_monotonic_ns();
        if (now_ns >= watch.until_ns) {
            _exit(watch.code);
        }
        int wait_ms =
            watch.until_ns == UINT64_MAX ? -1 : (int)((watch.until_ns - now_ns) / 1000000 + 1);
        (void)poll(events, 2, wait_ms);
        if (events[0].revents != 0) {
            pass_on(&watch, signals);
        }
        if (events[1].revents != 0) {
            int code;
            if (read(report, &code, sizeof(code)) == sizeof(code)) {
                end_soon(&watch, code);
            }
            events[1].fd = -1;
        }
    }
}

int strata_supervise(void)
{
    int report[2];
    sigset_t mask;
    sigset_t before;
    fill_mask(&mask);
    int signals = signalfd(-1, &mask, SFD_CLOEXEC);
    if (signals < 0 || pipe2(report, O_CLOEXEC) != 0) {
        return -1;
    }
    (void)sigprocmask(SIG_BLOCK, &mask, &before);
    pid_t parent = getpid();
    pid_t child = fork();
    if (child > 0) {
        (void)close(report[1]);
        watch_child(child, report[0], signals);
    }
    (void)close(report[0]);
    (void)close(signals);
    if (child == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) {
            _exit(STRATA_INTERRUPTED);
        }
    }
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return report[1];
}

void strata_supervised_end(int supervisor, int code)
{
    if (supervisor >= 0) {
        strata_streams_close();
        (void)!write(supervisor, &code, sizeof(code));
    }
}
