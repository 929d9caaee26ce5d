/* Programs that end, fail, hang, fork, print without end, or are not there; what they did is looked
 * at through /proc and files, never through what the function says alone. */
#include "common/host/command.h"

#include "common/base/clock.h"
#include "tests/unit/harness.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECOND_NS   UINT64_C(1000000000)
#define PATIENCE_NS (60 * SECOND_NS) /* for what ends by itself, on a busy machine */

static struct strata_command_outcome shell(const char *line, uint64_t timeout_ns)
{
    const char *const words[] = {"sh", "-c", line, NULL};
    const struct strata_command command = {.words = words, .timeout_ns = timeout_ns};
    struct strata_command_outcome outcome;
    strata_command_run(&command, &outcome);
    return outcome;
}

static unsigned open_descriptors(void)
{
    unsigned count = 0;
    DIR *folder = opendir("/proc/self/fd");
    CU_ASSERT_PTR_NOT_NULL_FATAL(folder);
    while (readdir(folder) != NULL) {
        count++;
    }
    closedir(folder);
    return count;
}

static void ends_are_told(void)
{
    struct strata_command_outcome outcome = shell("exit 0", PATIENCE_NS);
    CU_ASSERT_EQUAL(outcome.end, STRATA_COMMAND_EXITED);
    CU_ASSERT_EQUAL(outcome.code, 0);
    CU_ASSERT_EQUAL(shell("exit 37", PATIENCE_NS).code, 37);
    outcome = shell("kill -KILL $$", PATIENCE_NS);
    CU_ASSERT_EQUAL(outcome.end, STRATA_COMMAND_EXITED);
    CU_ASSERT_EQUAL(outcome.code, 128 + 9);
    const char *const words[] = {"strata-no-such-program", NULL};
    const struct strata_command command = {.words = words, .timeout_ns = PATIENCE_NS};
    strata_command_run(&command, &outcome);
    CU_ASSERT_EQUAL(outcome.end, STRATA_COMMAND_NOT_STARTED);
    CU_ASSERT_EQUAL(outcome.code, ENOENT);
}

static void first_lines_are_kept(void)
{
    struct strata_command_outcome outcome = shell(
        "echo 'vol-1 '; echo more; echo >&2; echo '  no quota' >&2; echo rest >&2", PATIENCE_NS);
    CU_ASSERT_STRING_EQUAL(outcome.output, "vol-1");
    CU_ASSERT_STRING_EQUAL(outcome.errors, "no quota");
    outcome = shell("exit 1", PATIENCE_NS);
    CU_ASSERT_STRING_EQUAL(outcome.output, "");
    CU_ASSERT_STRING_EQUAL(outcome.errors, "");
    /* 20 MB on both, which no pipe holds. */
    outcome =
        shell("yes x | tr -d '\\n' | head -c 20000000; yes y | head -c 20000000 >&2", PATIENCE_NS);
    CU_ASSERT_EQUAL(outcome.end, STRATA_COMMAND_EXITED);
    CU_ASSERT_EQUAL(outcome.code, 0);
    CU_ASSERT_EQUAL(strlen(outcome.output), STRATA_COMMAND_OUTPUT - 1);
    CU_ASSERT_STRING_EQUAL(outcome.errors, "y");
}

static void input_is_given_exactly(void)
{
    const char *const words[] = {"sh", "-c", "od -An -tx1 | tr -d ' \\n'", NULL};
    struct strata_command command = {
        .words = words, .input = "a\0b\n", .input_bytes = 4, .timeout_ns = PATIENCE_NS};
    struct strata_command_outcome outcome;
    strata_command_run(&command, &outcome);
    CU_ASSERT_STRING_EQUAL(outcome.output, "6100620a");
    command.input = NULL;
    strata_command_run(&command, &outcome);
    CU_ASSERT_STRING_EQUAL(outcome.output, "");
    command.input = "x";
    command.input_bytes = STRATA_COMMAND_INPUT + 1;
    strata_command_run(&command, &outcome);
    CU_ASSERT_EQUAL(outcome.end, STRATA_COMMAND_NOT_STARTED);
}

/* Whether a process of that id runs; one that is ended but not yet waited for does not. */
static bool runs(long pid)
{
    char path[64];
    char state = 'Z';
    snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return false;
    }
    CU_ASSERT_EQUAL(fscanf(file, "%*d (%*[^)]) %c", &state), 1);
    fclose(file);
    return state != 'Z' && state != 'X';
}

/* A kill takes effect when the kernel comes to it. */
static bool ends(long pid)
{
    uint64_t until_ns = strata_clock_monotonic_ns() + 5 * SECOND_NS;
    while (runs(pid) && strata_clock_monotonic_ns() < until_ns) {
    }
    return !runs(pid);
}

static void hanging_ones_are_ended_with_their_children(void)
{
    uint64_t begin_ns = strata_clock_monotonic_ns();
    struct strata_command_outcome outcome = shell("sleep 1000 & echo $!; wait", SECOND_NS);
    uint64_t took_ns = strata_clock_monotonic_ns() - begin_ns;
    CU_ASSERT_EQUAL(outcome.end, STRATA_COMMAND_TIMED_OUT);
    CU_ASSERT_TRUE(took_ns >= SECOND_NS && took_ns < 8 * SECOND_NS);
    long child = strtol(outcome.output, NULL, 10);
    CU_ASSERT_TRUE(child > 1);
    CU_ASSERT_TRUE(ends(child));
    /* Deaf to SIGTERM, and so is its child. */
    outcome = shell("trap '' TERM; sleep 1000 & echo $!; while :; do wait; done", SECOND_NS);
    CU_ASSERT_EQUAL(outcome.end, STRATA_COMMAND_TIMED_OUT);
    CU_ASSERT_EQUAL(outcome.code, 128 + 9);
    CU_ASSERT_TRUE(ends(strtol(outcome.output, NULL, 10)));
}

static void what_a_program_leaves_running_ends_with_it(void)
{
    uint64_t begin_ns = strata_clock_monotonic_ns();
    struct strata_command_outcome outcome = shell("sleep 1000 & echo $!", PATIENCE_NS);
    CU_ASSERT_EQUAL(outcome.end, STRATA_COMMAND_EXITED);
    CU_ASSERT_EQUAL(outcome.code, 0);
    CU_ASSERT_TRUE(strata_clock_monotonic_ns() - begin_ns < 30 * SECOND_NS);
    CU_ASSERT_TRUE(ends(strtol(outcome.output, NULL, 10)));
}

static void a_stop_leaves_time_and_not_more(void)
{
    volatile sig_atomic_t stop = 1;
    const char *const quick[] = {"sh", "-c", "sleep 0.3; echo done", NULL};
    struct strata_command command = {
        .words = quick, .timeout_ns = PATIENCE_NS, .stop = &stop, .grace_ns = 2 * SECOND_NS};
    struct strata_command_outcome outcome;
    strata_command_run(&command, &outcome);
    CU_ASSERT_EQUAL(outcome.end, STRATA_COMMAND_EXITED);
    CU_ASSERT_STRING_EQUAL(outcome.output, "done");
    const char *const slow[] = {"sleep", "1000", NULL};
    command.words = slow;
    uint64_t begin_ns = strata_clock_monotonic_ns();
    strata_command_run(&command, &outcome);
    uint64_t took_ns = strata_clock_monotonic_ns() - begin_ns;
    CU_ASSERT_EQUAL(outcome.end, STRATA_COMMAND_STOPPED);
    CU_ASSERT_TRUE(took_ns >= 2 * SECOND_NS && took_ns < 10 * SECOND_NS);
}

/* As the jobs of a load run it: every signal blocked, SIGPIPE ignored. */
static void *run_with_signals_blocked(void *context)
{
    struct strata_command_outcome *outcome = context;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    *outcome = shell("grep -E '^Sig(Blk|Ign)' /proc/self/status | tr -d '\\n\\t'", PATIENCE_NS);
    return NULL;
}

static void programs_have_signals_of_their_own(void)
{
    struct strata_command_outcome outcome;
    pthread_t thread;
    struct sigaction before;
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignore, &before);
    CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, run_with_signals_blocked, &outcome), 0);
    pthread_join(thread, NULL);
    sigaction(SIGPIPE, &before, NULL);
    /* 32 and 33 are the C library's own. */
    CU_ASSERT_TRUE(strcmp(outcome.output, "SigBlk:0000000000000000SigIgn:0000000180000000") == 0 ||
                   strcmp(outcome.output, "SigBlk:0000000000000000SigIgn:0000000000000000") == 0);
    /* A group of its own: a Ctrl-C of the terminal is for us alone. */
    char group[32];
    snprintf(group, sizeof(group), "%d", (int)getpgrp());
    outcome = shell("cut -d' ' -f5 /proc/self/stat", PATIENCE_NS);
    CU_ASSERT_STRING_NOT_EQUAL(outcome.output, group);
}

static void nothing_stays_open(void)
{
    unsigned before = open_descriptors();
    for (int i = 0; i < 20; i++) {
        (void)shell("echo x", PATIENCE_NS);
    }
    (void)shell("sleep 1000", SECOND_NS / 50);
    CU_ASSERT_EQUAL(open_descriptors(), before);
    /* Nor in the program: it has what was not marked to be closed, and what ls opens to look. */
    unsigned inherited = 0;
    for (int fd = 0; fd < 1024; fd++) {
        int flags = fcntl(fd, F_GETFD);
        inherited += flags >= 0 && (flags & FD_CLOEXEC) == 0;
    }
    CU_ASSERT_EQUAL(strtoul(shell("ls /proc/self/fd | wc -l", PATIENCE_NS).output, NULL, 10),
                    inherited + 1);
}

static const struct harness_test tests[] = {
    {"ends are told", ends_are_told},
    {"first lines are kept", first_lines_are_kept},
    {"input is given exactly", input_is_given_exactly},
    {"hanging ones are ended with their children", hanging_ones_are_ended_with_their_children},
    {"what a program leaves running ends with it", what_a_program_leaves_running_ends_with_it},
    {"a stop leaves time and not more", a_stop_leaves_time_and_not_more},
    {"programs have signals of their own", programs_have_signals_of_their_own},
    {"nothing stays open", nothing_stays_open},
};

HARNESS_MAIN("command", tests)
