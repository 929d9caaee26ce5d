/* Run another program to its end, bounded in time and in what is kept of its output. */
#ifndef STRATA_HOST_COMMAND_H
#define STRATA_HOST_COMMAND_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

enum { STRATA_COMMAND_INPUT = 4096, STRATA_COMMAND_OUTPUT = 1024 };

/* What it points to is borrowed for the time of the call. */
struct strata_command {
    const char *const *words; /* program, looked for in PATH, and its arguments; ends with NULL */
    const void *input;        /* its standard input; NULL: empty */
    size_t input_bytes;       /* at most STRATA_COMMAND_INPUT */
    uint64_t timeout_ns;
    const volatile sig_atomic_t *stop; /* becomes non-zero when the user interrupts; or NULL */
    uint64_t grace_ns; /* once it is, so long may the program go on: one that is cut off in the
                          middle of a request leaves what nobody knows of */
};

enum strata_command_end {
    STRATA_COMMAND_EXITED,
    STRATA_COMMAND_TIMED_OUT,
    STRATA_COMMAND_STOPPED,    /* by `stop` */
    STRATA_COMMAND_NOT_STARTED /* `code` is the errno */
};

struct strata_command_outcome {
    enum strata_command_end end;
    int code; /* exit status, 128 + the signal that ended it, or an errno */
    char output[STRATA_COMMAND_OUTPUT]; /* first line of its standard output, what fits of it */
    char errors[STRATA_COMMAND_OUTPUT]; /* first line of its standard error that is not blank */
};

/* Run it in a process group of its own, without the signals that this process blocks or ignores,
 * and fill *ret_outcome. At the timeout the whole group is ended, by SIGTERM and then SIGKILL; what
 * it leaves running in its group after its own end is ended as well. Threads: any. */
void strata_command_run(const struct strata_command *command,
                        struct strata_command_outcome *ret_outcome);

#endif
