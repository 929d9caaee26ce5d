/* Another program of the suite, run to its end.
 *
 * Always holds: no program outlives this one (PR_SET_PDEATHSIG); a signal that asks this process to
 * stop reaches the child too, also when it was not sent to the whole group. It is passed on as
 * SIGTERM, because a terminal has sent SIGINT to both already and a second one means "at once". */
#include "common/base/stop.h"
#include "layers/suite/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

char *suite_sibling(const char *program)
{
    char self[PATH_MAX] = "";
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (length < 0) { /* no /proc: as the kernel was asked for this program */
        length = snprintf(self, sizeof(self), "%s", (const char *)getauxval(AT_EXECFN));
    }
    self[length < (ssize_t)sizeof(self) ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash != NULL) {
        *slash = '\0';
    }
    return strata_text_duplicate_format("%s/%s", self, program);
}

static void wake_up(int signal_number)
{
    (void)signal_number;
}

static _Noreturn void become(char *const *arguments, bool silent, pid_t parent,
                             const sigset_t *mask)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) {
        _exit(STRATA_INTERRUPTED);
    }
    int nowhere = silent ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
    }
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, mask, NULL);
    execv(arguments[0], arguments);
    dprintf(STDERR_FILENO, "strata: %s: cannot be started: %s\n", arguments[0], strerror(errno));
    _exit(STRATA_ENVIRONMENT);
}

/* With the signals blocked but inside sigsuspend none can arrive between the look and the wait. */
static int wait_for(pid_t child, const sigset_t *open_mask)
{
    int status = 0;
    bool told = false;
    for (;;) {
        pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child || (ended < 0 && errno != EINTR)) {
            return status;
        }
        if (strata_stop_signal != 0 && !told) {
            kill(child, SIGTERM);
            told = true;
        }
        sigsuspend(open_mask);
    }
}

int suite_child_run(char *const *arguments, bool silent, struct strata_error *error)
{
    if (access(arguments[0], X_OK) != 0) {
        return (int)strata_error_set(error, STRATA_ENVIRONMENT, "%s: cannot be started: %s",
                                     arguments[0], strerror(errno));
    }
    struct sigaction on_child = {.sa_handler = wake_up, .sa_flags = SA_NOCLDSTOP};
    sigset_t ours;
    sigset_t before;
    sigaction(SIGCHLD, &on_child, NULL);
    sigemptyset(&ours);
    sigaddset(&ours, SIGCHLD);
    sigaddset(&ours, SIGINT);
    sigaddset(&ours, SIGTERM);
    sigaddset(&ours, SIGHUP);
    sigaddset(&ours, SIGXCPU);
    sigprocmask(SIG_BLOCK, &ours, &before);

    pid_t self = getpid();
    pid_t child = fork();
    if (child == 0) {
        become(arguments, silent, self, &before);
    }
    int status = child < 0 ? 0 : wait_for(child, &before);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (child < 0) {
        return (int)strata_error_set(error, STRATA_ENVIRONMENT, "%s: cannot be started: %s",
                                     arguments[0], strerror(errno));
    }
    if (WIFSIGNALED(status)) {
        strata_error_set(error, STRATA_INTERNAL, "%s: killed by signal %d (%s)", arguments[0],
                         WTERMSIG(status), strsignal(WTERMSIG(status)));
        return STRATA_INTERNAL;
    }
    return WEXITSTATUS(status);
}
