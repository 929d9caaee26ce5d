/* Telling a run that goes on from one whose process was killed.
 *
 * Always: what /proc does not tell is answered with "gone" only for a process that has no entry
 * there. Marking the runs is left to schema.c's caller. */
#include "common/store/internal.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIELD_STATE = 3, FIELD_START = 22 };

/* The state and start time of a process. Source: proc(5), /proc/pid/stat; the command's name, in
 * parentheses, may hold blanks and parentheses itself. */
static bool read_stat(int64_t id, char *ret_state, int64_t *ret_start_ticks)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%" PRId64 "/stat", id);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return false;
    }
    char line[1024];
    size_t length = fread(line, 1, sizeof(line) - 1, file);
    fclose(file);
    line[length] = '\0';
    char *field = strrchr(line, ')');
    if (field == NULL || field[1] != ' ') {
        return false;
    }
    field += 2;
    *ret_state = *field;
    for (int number = FIELD_STATE; number < FIELD_START; number++) {
        field = strchr(field, ' ');
        if (field == NULL) {
            return false;
        }
        field++;
    }
    *ret_start_ticks = strtoll(field, NULL, 10);
    return true;
}

/* Who works in the place of a supervisor (common/cli/supervise.c) is killed with it, if a moment
 * later: so that one counts, which is also the process that the user knows. */
static pid_t responsible(void)
{
    int signal_of_parent = 0;
    (void)prctl(PR_GET_PDEATHSIG, &signal_of_parent);
    return signal_of_parent == SIGKILL ? getppid() : getpid();
}

void strata_process_self(struct strata_process *ret_process)
{
    *ret_process = (struct strata_process){.id = responsible()};
    char state;
    read_stat(ret_process->id, &state, &ret_process->start_ticks);
    struct stat name_space;
    if (stat("/proc/self/ns/pid", &name_space) == 0) {
        ret_process->name_space = (int64_t)name_space.st_ino;
    }
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (file != NULL) {
        if (fgets(ret_process->boot_id, sizeof(ret_process->boot_id), file) != NULL) {
            ret_process->boot_id[strcspn(ret_process->boot_id, "\n")] = '\0';
        }
        fclose(file);
    }
}

bool strata_process_alive(int64_t id, int64_t start_ticks)
{
    char state;
    int64_t found_ticks;
    return read_stat(id, &state, &found_ticks) && found_ticks == start_ticks && state != 'Z' &&
           state != 'X';
}
