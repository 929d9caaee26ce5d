/* A program of the user's may hang, fork, print without end, or wait for a terminal that nobody
 * watches.
 *
 * Must always hold: the call returns soon after the timeout at the latest; no child and no
 * descriptor stays behind; the group is ended while its leader is not yet waited for, so that its
 * number cannot be another's. What the output means is left to the caller. */
#include "common/host/command.h"

#include "common/base/clock.h"
#include "common/base/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define LENIENCE_NS UINT64_C(1000000000) /* from SIGTERM to SIGKILL */

extern char **environ;

/* One of the program's two outputs: the read end of its pipe and what is kept. */
struct stream {
    int fd; /* -1 once it has ended */
    size_t length;
    char bytes[4 * STRATA_COMMAND_OUTPUT];
};

struct child {
    pid_t pid;
    int pidfd; /* readable once it has ended */
    struct stream output;
    struct stream errors;
};

static void close_fd(int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd);
        *fd = -1;
    }
}

/* The read end of a pipe that holds the input; it must fit in, since nobody reads yet. Returns -1
 * and sets errno when there is none. */
static int open_input(const struct strata_command *command)
{
    int ends[2];
    if (command->input == NULL) {
        return open("/dev/null", O_RDONLY | O_CLOEXEC);
    }
    if (command->input_bytes > STRATA_COMMAND_INPUT) {
        errno = EMSGSIZE;
        return -1;
    }
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return -1;
    }
    if (write(ends[1], command->input, command->input_bytes) != (ssize_t)command->input_bytes) {
        close_fd(&ends[0]);
        errno = EIO;
    }
    close_fd(&ends[1]);
    return ends[0];
}

/* Start the program with these three descriptors as its standard ones. Returns 0 or an errno. */
static int spawn(const struct strata_command *command, const int standard[3], pid_t *ret_pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigset_t all;
    (void)sigemptyset(&none);
    (void)sigfillset(&all);
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawnattr_init(&attributes);
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                                    POSIX_SPAWN_SETSIGDEF);
    (void)posix_spawnattr_setpgroup(&attributes, 0);
    (void)posix_spawnattr_setsigmask(&attributes, &none);
    (void)posix_spawnattr_setsigdefault(&attributes, &all);
    int code = 0;
    for (int i = 0; i < 3 && code == 0; i++) {
        code = posix_spawn_file_actions_adddup2(&actions, standard[i], i);
    }
    if (code == 0) {
        /* The words are not written to: POSIX takes char *const[] for history's sake. */
        code = posix_spawnp(ret_pid, command->words[0], &actions, &attributes,
                            (char *const *)(uintptr_t)command->words, environ);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)posix_spawnattr_destroy(&attributes);
    return code;
}

/* Returns 0 or an errno; what was opened is in *child then, or closed. */
static int start(const struct strata_command *command, struct child *child)
{
    int output[2] = {-1, -1};
    int errors[2] = {-1, -1};
    int input = open_input(command);
    int code = 0;
    if (input < 0 || pipe2(output, O_CLOEXEC) != 0 || pipe2(errors, O_CLOEXEC) != 0) {
        code = errno;
    }
    if (code == 0) {
        const int standard[3] = {input, output[1], errors[1]};
        code = spawn(command, standard, &child->pid);
    }
    close_fd(&input);
    close_fd(&output[1]);
    close_fd(&errors[1]);
    if (code != 0) {
        close_fd(&output[0]);
        close_fd(&errors[0]);
        return code;
    }
    (void)fcntl(output[0], F_SETFL, O_NONBLOCK);
    (void)fcntl(errors[0], F_SETFL, O_NONBLOCK);
    child->output.fd = output[0];
    child->errors.fd = errors[0];
    child->pidfd = pidfd_open(child->pid, 0);
    return 0;
}

/* Take what there is; what does not fit is dropped, so that the program never waits for us. */
static void take(struct stream *stream)
{
    char beyond[4096];
    while (stream->fd >= 0) {
        size_t room = sizeof(stream->bytes) - 1 - stream->length;
        ssize_t got = room > 0 ? read(stream->fd, stream->bytes + stream->length, room)
                               : read(stream->fd, beyond, sizeof(beyond));
        if (got <= 0) {
            if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
                close_fd(&stream->fd);
            }
            return;
        }
        stream->length += room > 0 ? (size_t)got : 0;
    }
}

/* Wait until `until_ns` for the program's end, taking its output. Returns whether it has ended. */
static bool attend(struct child *child, uint64_t until_ns)
{
    uint64_t now_ns = strata_clock_monotonic_ns();
    uint64_t wait_ns = until_ns > now_ns ? until_ns - now_ns : 0;
    wait_ns = wait_ns < STRATA_STOP_LOOK_NS ? wait_ns : STRATA_STOP_LOOK_NS;
    const struct timespec wait = {.tv_nsec = (long)wait_ns};
    struct pollfd fds[] = {{.fd = child->pidfd, .events = POLLIN},
                           {.fd = child->output.fd, .events = POLLIN},
                           {.fd = child->errors.fd, .events = POLLIN}};
    (void)ppoll(fds, 3, &wait, NULL);
    siginfo_t info = {0};
    bool ended = waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                 info.si_pid == child->pid;
    take(&child->output);
    take(&child->errors);
    return ended;
}

/* Attend the program until it ends by itself, the time is over, or the user does not want more. */
static enum strata_command_end attend_to_end(const struct strata_command *command,
                                             struct child *child)
{
    uint64_t deadline_ns = strata_clock_monotonic_ns() + command->timeout_ns;
    enum strata_command_end cause = STRATA_COMMAND_TIMED_OUT;
    while (!attend(child, deadline_ns)) {
        uint64_t now_ns = strata_clock_monotonic_ns();
        bool stop = command->stop != NULL && __atomic_load_n(command->stop, __ATOMIC_RELAXED) != 0;
        if (stop && cause != STRATA_COMMAND_STOPPED && now_ns + command->grace_ns < deadline_ns) {
            cause = STRATA_COMMAND_STOPPED;
            deadline_ns = now_ns + command->grace_ns;
        }
        if (now_ns >= deadline_ns) {
            return cause;
        }
    }
    return STRATA_COMMAND_EXITED;
}

/* End the whole group, first politely, and wait for the leader. */
static int end_group(struct child *child, bool ended)
{
    if (!ended) {
        (void)kill(-child->pid, SIGTERM);
        uint64_t until_ns = strata_clock_monotonic_ns() + LENIENCE_NS;
        while (!attend(child, until_ns) && strata_clock_monotonic_ns() < until_ns) {
        }
    }
    (void)kill(-child->pid, SIGKILL);
    int status = 0;
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* The first line that holds more than blanks. */
static void first_line(const struct stream *stream, char line[STRATA_COMMAND_OUTPUT])
{
    const char *at = stream->bytes + strspn(stream->bytes, " \t\r\n");
    size_t length = strcspn(at, "\r\n");
    length = length < STRATA_COMMAND_OUTPUT ? length : STRATA_COMMAND_OUTPUT - 1;
    memcpy(line, at, length);
    while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\t')) {
        length--;
    }
    line[length] = '\0';
}

void strata_command_run(const struct strata_command *command,
                        struct strata_command_outcome *ret_outcome)
{
    struct child child = {.pidfd = -1, .output.fd = -1, .errors.fd = -1};
    *ret_outcome = (struct strata_command_outcome){.end = STRATA_COMMAND_NOT_STARTED};
    ret_outcome->code = start(command, &child);
    if (ret_outcome->code != 0) {
        return;
    }
    ret_outcome->end = attend_to_end(command, &child);
    ret_outcome->code = end_group(&child, ret_outcome->end == STRATA_COMMAND_EXITED);
    first_line(&child.output, ret_outcome->output);
    first_line(&child.errors, ret_outcome->errors);
    close_fd(&child.pidfd);
    close_fd(&child.output.fd);
    close_fd(&child.errors.fd);
}
