/* The life cycle of volumes: with the user's commands on files of a scratch folder, and with loop
 * devices where there are any. What is there is looked at in the file system, never through the
 * target. */
#include "common/target/volumes.h"

#include "common/base/clock.h"
#include "common/base/stop.h"
#include "tests/unit/harness.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define UUID      "0123abcd-89ab-4cde-8f01-23456789abcd"
#define SECOND_NS UINT64_C(1000000000)

static const enum strata_operation_kind CREATE = STRATA_OPERATION_CREATE;
static const enum strata_operation_kind ATTACH = STRATA_OPERATION_ATTACH;
static const enum strata_operation_kind DETACH = STRATA_OPERATION_DETACH;
static const enum strata_operation_kind DELETE = STRATA_OPERATION_DELETE;

/* Commands work in the folder that the environment names. */
static void enter_scratch(char folder[64])
{
    snprintf(folder, 64, "/tmp/strata-unit-volumes.XXXXXX");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
    CU_ASSERT_EQUAL_FATAL(setenv("SCRATCH", folder, 1), 0);
}

static unsigned entries(const char *folder)
{
    unsigned count = 0;
    DIR *open_folder = opendir(folder);
    struct dirent *entry;
    while (open_folder != NULL && (entry = readdir(open_folder)) != NULL) {
        count += entry->d_name[0] != '.';
    }
    if (open_folder != NULL) {
        closedir(open_folder);
    }
    return count;
}

/* Remove the folder with what a test meant to leave. */
static void leave_scratch(const char *folder)
{
    DIR *open_folder = opendir(folder);
    struct dirent *entry;
    while (open_folder != NULL && (entry = readdir(open_folder)) != NULL) {
        if (entry->d_name[0] != '.') {
            (void)unlinkat(dirfd(open_folder), entry->d_name, 0);
        }
    }
    if (open_folder != NULL) {
        closedir(open_folder);
    }
    CU_ASSERT_EQUAL(rmdir(folder), 0);
}

static struct strata_volume_command_options commands(unsigned count)
{
    return (struct strata_volume_command_options){
        .lines = {"echo {size} > $SCRATCH/{name}", "mv $SCRATCH/{name} $SCRATCH/{name}.attached",
                  "mv $SCRATCH/{name}.attached $SCRATCH/{name}", "rm $SCRATCH/{name}"},
        .checks = {"test -e $SCRATCH/{name}", "test -e $SCRATCH/{name}.attached",
                   "test -e $SCRATCH/{name}", "test ! -e $SCRATCH/{name}"},
        .count = count,
        .size_bytes = UINT64_C(3) << 30,
        .timeout_ns = 20 * SECOND_NS,
        .poll_ns = SECOND_NS / 100};
}

static struct strata_target *open_commands(const struct strata_volume_command_options *options,
                                           unsigned jobs)
{
    struct strata_error error;
    struct strata_volume_driver *driver;
    struct strata_target *target;
    const struct strata_volumes_options volumes = {
        .run_uuid = UUID, .count = options->count, .jobs = jobs};
    CU_ASSERT_EQUAL_FATAL(strata_volume_command_open(options, &driver, &error), STRATA_OK);
    CU_ASSERT_EQUAL_FATAL(strata_volumes_open(&volumes, driver, &target, &error), STRATA_OK);
    CU_ASSERT_EQUAL_FATAL(target->type->prepare(target, 0, &error), STRATA_OK);
    return target;
}

struct seen {
    unsigned ok;
    unsigned failed;
    int32_t last_failure;
    uint64_t longest_ns;
    unsigned stages;
};

/* One phase by `jobs` jobs, one after the other. */
static struct seen run_phase(struct strata_target *target, enum strata_operation_kind kind,
                             unsigned jobs)
{
    struct seen seen = {0};
    for (unsigned job = 0; job < jobs; job++) {
        const struct strata_worker_setup setup = {
            .job = job, .jobs = jobs, .depth = 1, .kinds = 1U << kind};
        struct strata_error error;
        struct strata_worker *worker;
        uint64_t items = target->type->items(target, job, jobs, kind);
        CU_ASSERT_EQUAL_FATAL(target->type->worker_open(target, &setup, &worker, &error),
                              STRATA_OK);
        for (uint64_t item = 0; item < items; item++) {
            struct strata_operation operation = {.item = item, .kind = (uint8_t)kind};
            struct strata_operation *one = &operation;
            struct strata_operation *back = NULL;
            uint64_t begin_ns = strata_clock_monotonic_ns();
            CU_ASSERT_EQUAL(target->type->submit(worker, &one, 1), 1);
            uint64_t end_ns =
                operation.end_ns != 0 ? operation.end_ns : strata_clock_monotonic_ns();
            CU_ASSERT_EQUAL(target->type->submit(worker, &one, 1), 0);
            CU_ASSERT_EQUAL(target->type->reap(worker, &back, 1, 0), 1);
            CU_ASSERT_PTR_EQUAL(back, one);
            CU_ASSERT_TRUE(end_ns >= begin_ns && end_ns <= strata_clock_monotonic_ns());
            seen.ok += operation.result == STRATA_RESULT_OK;
            seen.failed += operation.result != STRATA_RESULT_OK;
            seen.last_failure =
                operation.result != STRATA_RESULT_OK ? operation.result : seen.last_failure;
            seen.longest_ns =
                end_ns - begin_ns > seen.longest_ns ? end_ns - begin_ns : seen.longest_ns;
            seen.stages |= operation.stages;
        }
        target->type->worker_close(worker);
    }
    return seen;
}

static void close_clean(struct strata_target *target)
{
    struct strata_error error;
    CU_ASSERT_EQUAL(target->type->cleanup(target, &error), STRATA_OK);
    target->type->close(target);
}

static void a_whole_life(void)
{
    char folder[64];
    char path[128];
    enter_scratch(folder);
    struct strata_volume_command_options options = commands(5);
    options.lines[0] = "echo {number} {size} {size_gib} {encrypted} > $SCRATCH/{name}";
    struct strata_target *target = open_commands(&options, 2);
    CU_ASSERT_EQUAL(target->type->items(target, 0, 2, CREATE), 3);
    CU_ASSERT_EQUAL(target->type->items(target, 1, 2, CREATE), 2);
    CU_ASSERT_EQUAL(target->type->items(target, 0, 2, ATTACH), 0);
    struct seen seen = run_phase(target, CREATE, 2);
    CU_ASSERT_EQUAL(seen.ok, 5);
    CU_ASSERT_EQUAL(seen.stages, 1U << STRATA_STAGE_WAIT);
    CU_ASSERT_EQUAL(entries(folder), 5);
    char line[64] = "";
    snprintf(path, sizeof(path), "%s/strata-0123abcd-4", folder);
    FILE *file = fopen(path, "re");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_PTR_NOT_NULL(fgets(line, sizeof(line), file));
    fclose(file);
    CU_ASSERT_STRING_EQUAL(line, "4 3221225472 3 false\n");
    CU_ASSERT_EQUAL(run_phase(target, ATTACH, 2).ok, 5);
    snprintf(path, sizeof(path), "%s/strata-0123abcd-0.attached", folder);
    CU_ASSERT_EQUAL(access(path, F_OK), 0);
    CU_ASSERT_EQUAL(target->type->items(target, 0, 2, DELETE), 0);
    CU_ASSERT_EQUAL(run_phase(target, DETACH, 2).ok, 5);
    CU_ASSERT_EQUAL(run_phase(target, DELETE, 2).ok, 5);
    CU_ASSERT_EQUAL(entries(folder), 0);
    close_clean(target);
    leave_scratch(folder);
}

static void steps_follow_what_was_made(void)
{
    char folder[64];
    char text[512];
    enter_scratch(folder);
    struct strata_volume_command_options options = commands(6);
    options.lines[0] = "test $(({number} % 3)) != 0 || { echo no quota >&2; exit 7; }; "
                       "echo x > $SCRATCH/{name}";
    options.lines[1] = "test {number} != 4 || exit 9; mv $SCRATCH/{name} $SCRATCH/{name}.attached";
    struct strata_target *target = open_commands(&options, 3);
    struct seen seen = run_phase(target, CREATE, 3);
    CU_ASSERT_EQUAL(seen.ok, 4);
    CU_ASSERT_EQUAL(seen.failed, 2);
    CU_ASSERT_EQUAL(seen.last_failure, STRATA_RESULT_COMMAND + 7);
    CU_ASSERT_EQUAL(entries(folder), 4);
    seen = run_phase(target, ATTACH, 3);
    CU_ASSERT_EQUAL(seen.ok, 3);
    CU_ASSERT_EQUAL(seen.failed, 1);
    CU_ASSERT_EQUAL(run_phase(target, DETACH, 3).ok, 3);
    /* Number 4 may be attached for all that is known, so its deletion is not measured. */
    seen = run_phase(target, DELETE, 3);
    CU_ASSERT_EQUAL(seen.ok, 3);
    CU_ASSERT_EQUAL(seen.failed, 0);
    CU_ASSERT_EQUAL(entries(folder), 1);
    strata_volumes_describe_failures(target, text, sizeof(text));
    CU_ASSERT_STRING_EQUAL(text, "create of strata-0123abcd-0: the command ended with status 7: no "
                                 "quota; attach of strata-0123abcd-4: the command ended with "
                                 "status 9");
    close_clean(target);
    CU_ASSERT_EQUAL(entries(folder), 0);
    leave_scratch(folder);
}

static void cleanup_removes_whatever_stage(void)
{
    char folder[64];
    enter_scratch(folder);
    struct strata_volume_command_options options = commands(4);
    struct strata_target *target = open_commands(&options, 4);
    close_clean(target);
    target = open_commands(&options, 4);
    CU_ASSERT_EQUAL(run_phase(target, CREATE, 4).ok, 4);
    close_clean(target);
    CU_ASSERT_EQUAL(entries(folder), 0);
    target = open_commands(&options, 4);
    CU_ASSERT_EQUAL(run_phase(target, CREATE, 4).ok, 4);
    CU_ASSERT_EQUAL(run_phase(target, ATTACH, 4).ok, 4);
    close_clean(target);
    CU_ASSERT_EQUAL(entries(folder), 0);
    leave_scratch(folder);
}

/* Deleting works the third time only, as where a cloud is still busy detaching. */
static void cleanup_tries_again(void)
{
    char folder[64];
    enter_scratch(folder);
    struct strata_volume_command_options options = commands(1);
    options.lines[3] = "echo >> $SCRATCH/tries; test $(wc -l < $SCRATCH/tries) -ge 3 || exit 1; "
                       "rm $SCRATCH/{name}";
    struct strata_target *target = open_commands(&options, 1);
    CU_ASSERT_EQUAL(run_phase(target, CREATE, 1).ok, 1);
    CU_ASSERT_EQUAL(run_phase(target, DELETE, 1).failed, 1);
    close_clean(target);
    CU_ASSERT_EQUAL(entries(folder), 1); /* the count of the tries */
    leave_scratch(folder);
}

static void what_stays_is_named(void)
{
    char folder[64];
    struct strata_error error;
    enter_scratch(folder);
    struct strata_volume_command_options options = commands(3);
    options.checks[3] = NULL;
    options.lines[3] = "test {number} = 1 && { echo locked >&2; exit 1; }; rm $SCRATCH/{name}";
    struct strata_target *target = open_commands(&options, 2);
    CU_ASSERT_EQUAL(run_phase(target, CREATE, 2).ok, 3);
    CU_ASSERT_EQUAL(target->type->cleanup(target, &error), STRATA_ENVIRONMENT);
    CU_ASSERT_STRING_EQUAL(error.text, "left behind, or never made: strata-0123abcd-1 (the command "
                                       "ended with status 1: locked)");
    target->type->close(target);
    CU_ASSERT_EQUAL(entries(folder), 1);
    leave_scratch(folder);
}

static void times_end_when_a_check_says_so(void)
{
    char folder[64];
    char text[512];
    enter_scratch(folder);
    struct strata_volume_command_options options = commands(1);
    /* There once 0.4 s have passed. */
    options.lines[0] = "date +%s%N > $SCRATCH/{name}";
    options.checks[0] = "test $(($(date +%s%N) - $(cat $SCRATCH/{name}))) -ge 400000000";
    struct strata_target *target = open_commands(&options, 1);
    struct seen seen = run_phase(target, CREATE, 1);
    CU_ASSERT_EQUAL(seen.ok, 1);
    CU_ASSERT_TRUE(seen.longest_ns >= 2 * SECOND_NS / 5 && seen.longest_ns < 10 * SECOND_NS);
    close_clean(target);
    /* Never there. */
    options = commands(1);
    options.timeout_ns = SECOND_NS;
    /* The second look is cut off before it says anything. */
    options.lines[0] = ": > $SCRATCH/{name}";
    options.checks[0] = "test -s $SCRATCH/{name} && sleep 30; echo asked > $SCRATCH/{name}; "
                        "echo still creating >&2; exit 1";
    target = open_commands(&options, 1);
    seen = run_phase(target, CREATE, 1);
    CU_ASSERT_EQUAL(seen.last_failure, STRATA_RESULT_TIMED_OUT);
    CU_ASSERT_TRUE(seen.longest_ns >= SECOND_NS && seen.longest_ns < 8 * SECOND_NS);
    strata_volumes_describe_failures(target, text, sizeof(text));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "still creating"));
    options.timeout_ns = 20 * SECOND_NS;
    close_clean(target);
    CU_ASSERT_EQUAL(entries(folder), 0);
    /* Known to be never. */
    options = commands(1);
    options.checks[0] = "exit 100";
    target = open_commands(&options, 1);
    seen = run_phase(target, CREATE, 1);
    CU_ASSERT_EQUAL(seen.last_failure, STRATA_RESULT_COMMAND + 100);
    CU_ASSERT_TRUE(seen.longest_ns < 10 * SECOND_NS);
    close_clean(target);
    leave_scratch(folder);
}

static void an_id_is_what_create_printed(void)
{
    static const char *const wrong[] = {"", "vol 1", "$(reboot)", "a;b", "-rf", "`id`"};
    char folder[64];
    char path[128];
    enter_scratch(folder);
    struct strata_volume_command_options options = commands(1);
    options.lines[0] = "echo > $SCRATCH/{name}; printf %s \"$ID\"";
    options.lines[1] = "mv $SCRATCH/{name} $SCRATCH/{name}.attached; echo > $SCRATCH/{id}";
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        CU_ASSERT_EQUAL_FATAL(setenv("ID", wrong[i], 1), 0);
        struct strata_target *target = open_commands(&options, 1);
        CU_ASSERT_EQUAL(run_phase(target, CREATE, 1).last_failure, EBADMSG);
        close_clean(target);
        CU_ASSERT_EQUAL(entries(folder), 0);
    }
    CU_ASSERT_EQUAL_FATAL(setenv("ID", "vol-0a:1/2_b", 1), 0);
    options.lines[1] = "test {id} = vol-0a:1/2_b; echo {device} > $SCRATCH/seen; "
                       "mv $SCRATCH/{name} $SCRATCH/{name}.attached";
    const char *const devices[] = {"/dev/sdf"};
    options.devices = devices;
    struct strata_target *target = open_commands(&options, 1);
    CU_ASSERT_EQUAL(run_phase(target, CREATE, 1).ok, 1);
    CU_ASSERT_EQUAL(run_phase(target, ATTACH, 1).ok, 1);
    snprintf(path, sizeof(path), "%s/seen", folder);
    char line[64] = "";
    FILE *file = fopen(path, "re");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_PTR_NOT_NULL(fgets(line, sizeof(line), file));
    fclose(file);
    CU_ASSERT_STRING_EQUAL(line, "/dev/sdf\n");
    close_clean(target);
    leave_scratch(folder);
}

static void placeholders_are_checked(void)
{
    const char *wrong = NULL;
    bool device;
    CU_ASSERT_EQUAL(strata_volume_command_check(
                        "a {name} {number} {size} {size_gib} {encrypted} {id}", &wrong, &device),
                    0);
    CU_ASSERT_FALSE(device);
    CU_ASSERT_EQUAL(strata_volume_command_check("x {device}", &wrong, &device), 0);
    CU_ASSERT_TRUE(device);
    CU_ASSERT_EQUAL(strata_volume_command_check("x {nmae} y", &wrong, &device), 6);
    CU_ASSERT_EQUAL(strncmp(wrong, "{nmae}", 6), 0);
    /* The shell's own braces, and JSON. */
    CU_ASSERT_EQUAL(strata_volume_command_check("echo ${name} ${HOME:-x} {a,b} { ls; } {Key=Name}",
                                                &wrong, &device),
                    0);
    CU_ASSERT_EQUAL(strata_volume_command_check("{\"Zone\":\"{name}\"}", &wrong, &device), 0);
}

static void an_interruption_ends_waiting(void)
{
    char folder[64];
    enter_scratch(folder);
    struct strata_volume_command_options options = commands(1);
    options.checks[0] = "exit 1";
    struct strata_target *target = open_commands(&options, 1);
    __atomic_store_n(&strata_stop_signal, SIGINT, __ATOMIC_RELAXED);
    struct seen seen = run_phase(target, CREATE, 1);
    CU_ASSERT_EQUAL(seen.last_failure, EINTR);
    CU_ASSERT_TRUE(seen.longest_ns < 10 * SECOND_NS);
    CU_ASSERT_EQUAL(entries(folder), 1);
    close_clean(target); /* goes on all the same */
    __atomic_store_n(&strata_stop_signal, 0, __ATOMIC_RELAXED);
    CU_ASSERT_EQUAL(entries(folder), 0);
    leave_scratch(folder);
}

static void files_without_attaching(void)
{
    char folder[64];
    char path[256];
    struct strata_error error;
    struct strata_volume_driver *driver;
    struct strata_target *target;
    struct stat status;
    enter_scratch(folder);
    const struct strata_volume_loop_options options = {.path = folder,
                                                       .run_uuid = UUID,
                                                       .count = 3,
                                                       .size_bytes = UINT64_C(5) << 30,
                                                       .timeout_ns = SECOND_NS};
    const struct strata_volumes_options volumes = {.run_uuid = UUID, .count = 3, .jobs = 3};
    CU_ASSERT_EQUAL_FATAL(strata_volume_loop_open(&options, &driver, &error), STRATA_OK);
    CU_ASSERT_EQUAL_FATAL(strata_volumes_open(&volumes, driver, &target, &error), STRATA_OK);
    CU_ASSERT_EQUAL_FATAL(target->type->prepare(target, 0, &error), STRATA_OK);
    CU_ASSERT_EQUAL(target->type->prepare(target, 0, &error), STRATA_ENVIRONMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "File exists"));
    CU_ASSERT_EQUAL(run_phase(target, CREATE, 3).ok, 3);
    snprintf(path, sizeof(path), "%s/strata-" UUID "/strata-0123abcd-2", folder);
    CU_ASSERT_EQUAL_FATAL(stat(path, &status), 0);
    CU_ASSERT_EQUAL(status.st_size, INT64_C(5) << 30);
    CU_ASSERT_EQUAL(status.st_blocks, 0);
    CU_ASSERT_EQUAL(unlink(path), 0); /* behind its back */
    struct seen seen = run_phase(target, DELETE, 3);
    CU_ASSERT_EQUAL(seen.ok, 2);
    CU_ASSERT_EQUAL(seen.last_failure, ENOENT);
    close_clean(target);
    CU_ASSERT_EQUAL(entries(folder), 0);
    leave_scratch(folder);
}

static const struct harness_test tests[] = {
    {"a whole life", a_whole_life},
    {"steps follow what was made", steps_follow_what_was_made},
    {"cleanup removes volumes of whatever stage", cleanup_removes_whatever_stage},
    {"cleanup tries again where a cloud is busy", cleanup_tries_again},
    {"what cannot be removed is named", what_stays_is_named},
    {"times end when a check says so", times_end_when_a_check_says_so},
    {"an id is what create printed, if it is harmless", an_id_is_what_create_printed},
    {"placeholders are checked", placeholders_are_checked},
    {"an interruption ends waiting, not cleaning up", an_interruption_ends_waiting},
    {"driver loop makes sparse files of its own", files_without_attaching},
};

HARNESS_MAIN("volumes", tests)
