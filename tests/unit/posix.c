/* The file-system target driven by a small loop of its own; what it did is looked at with stat and
 * readdir, never through the target. */
#include "common/target/posix.h"

#include "common/base/clock.h"
#include "tests/unit/harness.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define UUID "01234567-89ab-4cde-8f01-23456789abcd"

enum { MOST_JOBS = 16 };

/* What one job of a phase saw. */
struct job {
    struct strata_target *target;
    enum strata_operation_kind kind;
    unsigned job;
    unsigned jobs;
    uint64_t limit; /* ends after so many operations, as a time limit would; 0: none */
    uint64_t started;
    uint64_t ok;
    uint64_t failed;
    uint64_t bytes;
    int32_t last_failure;
    bool stages_fit; /* the sum of the stages is never above the latency */
    unsigned stages; /* all that were seen */
    bool opened;
};

static void *run_job(void *argument)
{
    struct job *job = argument;
    const struct strata_target_type *type = job->target->type;
    struct strata_worker_setup setup = {
        .job = job->job, .jobs = job->jobs, .depth = 1, .kinds = 1U << job->kind};
    struct strata_worker *worker;
    struct strata_error error;
    uint64_t items = type->items(job->target, job->job, job->jobs, job->kind);
    job->opened = type->worker_open(job->target, &setup, &worker, &error) == STRATA_OK;
    job->stages_fit = true;
    for (uint64_t i = 0; job->opened && i < items && (job->limit == 0 || i < job->limit); i++) {
        struct strata_operation operation = {.item = i, .kind = (uint8_t)job->kind};
        struct strata_operation *submitted = &operation;
        struct strata_operation *finished = NULL;
        operation.start_ns = strata_clock_monotonic_ns();
        job->started++;
        if (type->submit(worker, &submitted, 1) != 1 || type->reap(worker, &finished, 1, 0) != 1 ||
            finished != submitted) {
            break;
        }
        uint64_t stage_ns = 0;
        for (int s = 0; s < STRATA_STAGES; s++) {
            stage_ns += (operation.stages >> s & 1) != 0 ? operation.stage_ns[s] : 0;
        }
        job->stages_fit = job->stages_fit && operation.end_ns >= operation.start_ns + stage_ns;
        job->stages |= operation.stages;
        job->ok += operation.result == STRATA_RESULT_OK ? 1 : 0;
        job->failed += operation.result != STRATA_RESULT_OK ? 1 : 0;
        job->bytes += operation.result == STRATA_RESULT_OK ? operation.bytes : 0;
        job->last_failure =
            operation.result != STRATA_RESULT_OK ? operation.result : job->last_failure;
    }
    if (job->opened) {
        type->worker_close(worker);
    }
    return NULL;
}

/* A phase, each job in a thread. Returns what all saw together. */
static struct job run_phase(struct strata_target *target, enum strata_operation_kind kind,
                            unsigned jobs, uint64_t limit)
{
    struct job each[MOST_JOBS];
    pthread_t threads[MOST_JOBS];
    struct job all = {.stages_fit = true, .opened = true};
    for (unsigned j = 0; j < jobs; j++) {
        each[j] =
            (struct job){.target = target, .kind = kind, .job = j, .jobs = jobs, .limit = limit};
        CU_ASSERT_EQUAL_FATAL(pthread_create(&threads[j], NULL, run_job, &each[j]), 0);
    }
    for (unsigned j = 0; j < jobs; j++) {
        pthread_join(threads[j], NULL);
        all.started += each[j].started;
        all.ok += each[j].ok;
        all.failed += each[j].failed;
        all.bytes += each[j].bytes;
        all.stages |= each[j].stages;
        all.stages_fit = all.stages_fit && each[j].stages_fit;
        all.opened = all.opened && each[j].opened;
        all.last_failure = each[j].last_failure != 0 ? each[j].last_failure : all.last_failure;
    }
    CU_ASSERT_EQUAL(all.started, all.ok + all.failed);
    CU_ASSERT_TRUE(all.stages_fit);
    return all;
}

/* All of a phase's `expected` operations succeed. */
static void expect(struct strata_target *target, enum strata_operation_kind kind, unsigned jobs,
                   uint64_t expected)
{
    struct job all = run_phase(target, kind, jobs, 0);
    CU_ASSERT_TRUE(all.opened);
    CU_ASSERT_EQUAL(all.ok, expected);
    CU_ASSERT_EQUAL(all.failed, 0);
}

/* --- a scratch directory for each test, looked at without the target ------------------------- */

struct scratch {
    char path[128];
    char root[256]; /* of the run */
};

static void make_scratch(struct scratch *scratch, const char *below)
{
    snprintf(scratch->path, sizeof(scratch->path), "%s/strata-unit.XXXXXX", below);
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(scratch->path));
    snprintf(scratch->root, sizeof(scratch->root), "%s/strata-" UUID, scratch->path);
}

static void remove_scratch(const struct scratch *scratch)
{
    CU_ASSERT_EQUAL(rmdir(scratch->path), 0); /* so nothing of the run is left */
}

struct found {
    unsigned files;
    unsigned directories;
};

/* Files and directories below `path`. */
static struct found look(const char *path)
{
    struct found found = {0};
    DIR *directory = opendir(path);
    struct dirent *entry;
    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        char below[1024];
        struct stat facts;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            strcmp(entry->d_name, ".strata-run") == 0) {
            continue;
        }
        snprintf(below, sizeof(below), "%s/%s", path, entry->d_name);
        CU_ASSERT_EQUAL(lstat(below, &facts), 0);
        if (S_ISDIR(facts.st_mode)) {
            struct found inner = look(below);
            found.files += inner.files;
            found.directories += inner.directories + 1;
        } else {
            found.files++;
        }
    }
    if (directory != NULL) {
        closedir(directory);
    }
    return found;
}

static void make_file(const struct scratch *scratch, const char *below, const char *content)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/%s", scratch->root, below);
    FILE *file = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    fputs(content, file);
    fclose(file);
}

static bool is_there(const struct scratch *scratch, const char *below)
{
    char path[512];
    struct stat facts;
    snprintf(path, sizeof(path), "%s/%s", scratch->root, below);
    return lstat(path, &facts) == 0;
}

static void remove_path(const struct scratch *scratch, const char *below)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/%s", scratch->root, below);
    CU_ASSERT_EQUAL(remove(path), 0);
}

static struct strata_posix_options options_of(const struct scratch *scratch, unsigned jobs,
                                              uint64_t files)
{
    return (struct strata_posix_options){
        .path = scratch->path, .run_uuid = UUID, .jobs = jobs, .files = files, .seed = 7};
}

static struct strata_target *open_target(const struct strata_posix_options *options)
{
    struct strata_target *target = NULL;
    struct strata_error error = {0};
    CU_ASSERT_EQUAL_FATAL(strata_posix_open(options, &target, &error), STRATA_OK);
    CU_ASSERT_EQUAL_FATAL(target->type->prepare(target, 0, &error), STRATA_OK);
    return target;
}

static void close_target(struct strata_target *target)
{
    struct strata_error error = {0};
    CU_ASSERT_EQUAL(target->type->cleanup(target, &error), STRATA_OK);
    target->type->close(target);
}

/* --- tests ------------------------------------------------------------------------------------ */

static void count_every_phase(const char *below, bool shared, unsigned jobs, uint64_t files,
                              uint64_t directories, uint64_t bytes)
{
    struct scratch scratch;
    make_scratch(&scratch, below);
    struct strata_posix_options options = options_of(&scratch, jobs, files);
    options.shared = shared;
    options.directories = directories;
    options.file_bytes = bytes;
    struct strata_target *target = open_target(&options);
    unsigned trees = shared ? 1 : jobs;
    unsigned made = trees * (1 + (unsigned)directories);

    expect(target, STRATA_OPERATION_MKDIR, jobs, made);
    CU_ASSERT_EQUAL(look(scratch.root).directories, made);
    struct job created = run_phase(target, STRATA_OPERATION_CREATE, jobs, 0);
    CU_ASSERT_EQUAL(created.ok, files);
    CU_ASSERT_EQUAL(created.bytes, files * bytes);
    CU_ASSERT_EQUAL(look(scratch.root).files, files);
    expect(target, STRATA_OPERATION_SYNC, jobs, 1);
    expect(target, STRATA_OPERATION_STAT, jobs, files);
    struct job read = run_phase(target, STRATA_OPERATION_READ, jobs, 0);
    CU_ASSERT_EQUAL(read.ok, files);
    CU_ASSERT_EQUAL(read.bytes, files * bytes);
    expect(target, STRATA_OPERATION_RENAME, jobs, files);
    CU_ASSERT_EQUAL(look(scratch.root).files, files);
    expect(target, STRATA_OPERATION_STAT, jobs, files);
    expect(target, STRATA_OPERATION_READ, jobs, files);
    expect(target, STRATA_OPERATION_READDIR, jobs, made);
    expect(target, STRATA_OPERATION_UNLINK, jobs, files);
    CU_ASSERT_EQUAL(look(scratch.root).files, 0);
    expect(target, STRATA_OPERATION_STAT, jobs, 0);
    expect(target, STRATA_OPERATION_READDIR, jobs, made);
    expect(target, STRATA_OPERATION_RMDIR, jobs, made);
    CU_ASSERT_EQUAL(look(scratch.root).directories, 0);
    close_target(target);
    remove_scratch(&scratch);
}

static void counts_are_exact(void)
{
    static const char *const places[] = {"/dev/shm", "/tmp"};
    for (unsigned p = 0; p < 2; p++) {
        count_every_phase(places[p], false, 4, 1003, 0, 0);
        count_every_phase(places[p], false, 3, 200, 7, 10);
        count_every_phase(places[p], true, 4, 1003, 0, 4096);
        count_every_phase(places[p], true, 4, 503, 13, 0);
        count_every_phase(places[p], true, 2, 5, 9, 5000);
        count_every_phase(places[p], false, 2, 3, 0, (5 << 20) + 1);
    }
}

/* F7 */
static void fewer_files_than_jobs(void)
{
    count_every_phase("/dev/shm", false, 8, 3, 2, 0);
    count_every_phase("/dev/shm", true, 8, 3, 2, 1);
    count_every_phase("/dev/shm", true, 16, 1, 0, 0);
}

/* F9: an empty file has no transfer. */
static void stages_are_timed(void)
{
    const unsigned empty = 1U << STRATA_STAGE_OPEN | 1U << STRATA_STAGE_CLOSE;
    for (uint64_t bytes = 0; bytes <= 4096; bytes += 4096) {
        struct scratch scratch;
        make_scratch(&scratch, "/dev/shm");
        struct strata_posix_options options = options_of(&scratch, 1, 50);
        options.file_bytes = bytes;
        struct strata_target *target = open_target(&options);
        unsigned expected = bytes > 0 ? empty | 1U << STRATA_STAGE_TRANSFER : empty;
        run_phase(target, STRATA_OPERATION_MKDIR, 1, 0);
        CU_ASSERT_EQUAL(run_phase(target, STRATA_OPERATION_CREATE, 1, 0).stages, expected);
        CU_ASSERT_EQUAL(run_phase(target, STRATA_OPERATION_READ, 1, 0).stages, expected);
        CU_ASSERT_EQUAL(run_phase(target, STRATA_OPERATION_STAT, 1, 0).stages, 0);
        close_target(target);
        remove_scratch(&scratch);
    }
}

/* F1: 40 of 100 files for each job, then only those. */
static void a_cut_create_is_remembered(void)
{
    struct scratch scratch;
    make_scratch(&scratch, "/dev/shm");
    struct strata_posix_options options = options_of(&scratch, 2, 200);
    options.directories = 3;
    struct strata_target *target = open_target(&options);
    expect(target, STRATA_OPERATION_MKDIR, 2, 8);
    CU_ASSERT_EQUAL(run_phase(target, STRATA_OPERATION_CREATE, 2, 40).ok, 80);
    expect(target, STRATA_OPERATION_STAT, 2, 80);
    CU_ASSERT_EQUAL(run_phase(target, STRATA_OPERATION_RENAME, 2, 15).ok, 30);
    expect(target, STRATA_OPERATION_STAT, 2, 80); /* under two kinds of name */
    expect(target, STRATA_OPERATION_READDIR, 2, 8);
    CU_ASSERT_EQUAL(run_phase(target, STRATA_OPERATION_UNLINK, 2, 10).ok, 20);
    expect(target, STRATA_OPERATION_STAT, 2, 60);
    expect(target, STRATA_OPERATION_READDIR, 2, 8);
    CU_ASSERT_EQUAL(look(scratch.root).files, 60);
    expect(target, STRATA_OPERATION_RMDIR, 2, 8); /* what unlink did not reach goes before */
    close_target(target);
    remove_scratch(&scratch);
}

/* Directories that could not be made, or were not reached, hold no files. */
static void a_cut_mkdir_is_remembered(void)
{
    struct scratch scratch;
    make_scratch(&scratch, "/dev/shm");
    struct strata_posix_options options = options_of(&scratch, 2, 100);
    options.directories = 10;
    struct strata_target *target = open_target(&options);
    CU_ASSERT_EQUAL(run_phase(target, STRATA_OPERATION_MKDIR, 2, 4).ok, 8);
    expect(target, STRATA_OPERATION_CREATE, 2, 100);
    expect(target, STRATA_OPERATION_READDIR, 2, 8);
    expect(target, STRATA_OPERATION_UNLINK, 2, 100);
    expect(target, STRATA_OPERATION_RMDIR, 2, 8);
    close_target(target);
    remove_scratch(&scratch);
}

static void without_a_tree_nothing_is_created(void)
{
    struct scratch scratch;
    make_scratch(&scratch, "/dev/shm");
    struct strata_posix_options options = options_of(&scratch, 2, 100);
    struct strata_target *target = open_target(&options);
    expect(target, STRATA_OPERATION_CREATE, 2, 0);
    expect(target, STRATA_OPERATION_READDIR, 2, 0);
    expect(target, STRATA_OPERATION_RMDIR, 2, 0);
    close_target(target);
    remove_scratch(&scratch);
}

/* F5 */
static void leftovers_are_refused(void)
{
    struct scratch scratch;
    struct strata_error error = {0};
    struct strata_target *second = NULL;
    make_scratch(&scratch, "/dev/shm");
    struct strata_posix_options options = options_of(&scratch, 1, 10);
    struct strata_target *first = open_target(&options);
    expect(first, STRATA_OPERATION_MKDIR, 1, 1);
    expect(first, STRATA_OPERATION_CREATE, 1, 10);
    CU_ASSERT_EQUAL(strata_posix_open(&options, &second, &error), STRATA_OK);
    CU_ASSERT_EQUAL(second->type->prepare(second, 0, &error), STRATA_ENVIRONMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "strata-" UUID));
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "File exists"));
    CU_ASSERT_EQUAL(second->type->cleanup(second, &error), STRATA_OK);
    second->type->close(second);
    CU_ASSERT_EQUAL(look(scratch.root).files, 10); /* not the second's to remove */
    struct job again = run_phase(first, STRATA_OPERATION_CREATE, 1, 0);
    CU_ASSERT_EQUAL(again.failed, 10);
    CU_ASSERT_EQUAL(again.last_failure, EEXIST);
    expect(first, STRATA_OPERATION_STAT, 1, 10);
    close_target(first);
    remove_scratch(&scratch);
}

/* F6 */
static void vanished_files_are_failures(void)
{
    struct scratch scratch;
    make_scratch(&scratch, "/dev/shm");
    struct strata_posix_options options = options_of(&scratch, 1, 100);
    options.file_bytes = 100;
    struct strata_target *target = open_target(&options);
    expect(target, STRATA_OPERATION_MKDIR, 1, 1);
    expect(target, STRATA_OPERATION_CREATE, 1, 100);
    remove_path(&scratch, "t.0/f.0.0");
    remove_path(&scratch, "t.0/f.0.57");
    make_file(&scratch, "t.0/f.0.58", "shorter than it was");
    static const enum strata_operation_kind kinds[] = {STRATA_OPERATION_STAT, STRATA_OPERATION_READ,
                                                       STRATA_OPERATION_RENAME,
                                                       STRATA_OPERATION_UNLINK};
    static const uint64_t failures[] = {3, 3, 2, 2};
    for (unsigned k = 0; k < 4; k++) {
        struct job all = run_phase(target, kinds[k], 1, 0);
        CU_ASSERT_EQUAL(all.failed, failures[k]);
        CU_ASSERT_EQUAL(all.ok, 100 - failures[k]);
    }
    expect(target, STRATA_OPERATION_RMDIR, 1, 1);
    close_target(target);
    remove_scratch(&scratch);
}

static void wrong_content_is_noticed(void)
{
    struct scratch scratch;
    make_scratch(&scratch, "/dev/shm");
    struct strata_posix_options options = options_of(&scratch, 1, 3);
    options.file_bytes = 19;
    struct strata_target *target = open_target(&options);
    expect(target, STRATA_OPERATION_MKDIR, 1, 1);
    expect(target, STRATA_OPERATION_CREATE, 1, 3);
    make_file(&scratch, "t.0/f.0.1", "nineteen bytes long");
    struct job read = run_phase(target, STRATA_OPERATION_READ, 1, 0);
    CU_ASSERT_EQUAL(read.failed, 1);
    CU_ASSERT_EQUAL(read.last_failure, STRATA_RESULT_CONTENT);
    CU_ASSERT_EQUAL(read.bytes, 38);
    make_file(&scratch, "t.0/f.0.1", "short");
    CU_ASSERT_EQUAL(run_phase(target, STRATA_OPERATION_READ, 1, 0).last_failure,
                    STRATA_RESULT_SHORT);
    make_file(&scratch, "t.0/f.0.1", "longer than nineteen bytes");
    CU_ASSERT_EQUAL(run_phase(target, STRATA_OPERATION_READ, 1, 0).last_failure,
                    STRATA_RESULT_CONTENT);
    close_target(target);
    remove_scratch(&scratch);
}

static void a_listing_that_is_wrong_fails(void)
{
    struct scratch scratch;
    make_scratch(&scratch, "/dev/shm");
    struct strata_posix_options options = options_of(&scratch, 2, 20);
    struct strata_target *target = open_target(&options);
    expect(target, STRATA_OPERATION_MKDIR, 2, 2);
    expect(target, STRATA_OPERATION_CREATE, 2, 20);
    make_file(&scratch, "t.1/foreign", "");
    struct job list = run_phase(target, STRATA_OPERATION_READDIR, 2, 0);
    CU_ASSERT_EQUAL(list.ok, 1);
    CU_ASSERT_EQUAL(list.last_failure, STRATA_RESULT_CONTENT);
    remove_path(&scratch, "t.1/foreign");
    remove_path(&scratch, "t.1/f.1.3");
    list = run_phase(target, STRATA_OPERATION_READDIR, 2, 0);
    CU_ASSERT_EQUAL(list.ok, 1);
    CU_ASSERT_EQUAL(list.last_failure, STRATA_RESULT_SHORT);
    close_target(target);
    remove_scratch(&scratch);
}

static void what_is_foreign_stays(void)
{
    static const char *const foreign[] = {"notes.txt",     "t.7",        "t.0/notes",
                                          "t.0/f.0.999",   "t.0/f.0.01", "t.1/d.0/f.0.1x",
                                          "t.1/d.0/f.9.0", "t.0/d.1/d.0"};
    struct scratch scratch;
    struct strata_error error = {0};
    make_scratch(&scratch, "/dev/shm");
    struct strata_posix_options options = options_of(&scratch, 2, 20);
    options.directories = 2;
    for (size_t f = 0; f < sizeof(foreign) / sizeof(foreign[0]); f++) {
        struct strata_target *target = open_target(&options);
        expect(target, STRATA_OPERATION_MKDIR, 2, 6);
        expect(target, STRATA_OPERATION_CREATE, 2, 20);
        make_file(&scratch, foreign[f], "mine");
        CU_ASSERT_EQUAL(target->type->cleanup(target, &error), STRATA_ENVIRONMENT);
        CU_ASSERT_PTR_NOT_NULL(strstr(error.text, foreign[f]));
        target->type->close(target);
        CU_ASSERT_TRUE(is_there(&scratch, foreign[f]));
        CU_ASSERT_TRUE(is_there(&scratch, ".strata-run"));
        CU_ASSERT_EQUAL(look(scratch.root).files, 1);
        remove_path(&scratch, foreign[f]);
        /* The directories above it are all that is left. */
        char above[256];
        snprintf(above, sizeof(above), "%s", foreign[f]);
        for (char *slash; (slash = strrchr(above, '/')) != NULL;) {
            *slash = '\0';
            remove_path(&scratch, above);
        }
        CU_ASSERT_EQUAL(look(scratch.root).directories, 0);
        remove_path(&scratch, ".strata-run");
        CU_ASSERT_EQUAL(rmdir(scratch.root), 0);
    }
    remove_scratch(&scratch);
}

/* A symbolic link in the place of a directory leads cleanup nowhere. */
static void links_are_not_followed(void)
{
    struct scratch scratch;
    struct scratch outside;
    struct strata_error error = {0};
    char link[512];
    make_scratch(&scratch, "/dev/shm");
    make_scratch(&outside, "/dev/shm");
    CU_ASSERT_EQUAL(mkdir(outside.root, 0700), 0);
    make_file(&outside, "f.0.0", "mine");
    struct strata_posix_options options = options_of(&scratch, 1, 5);
    struct strata_target *target = open_target(&options);
    snprintf(link, sizeof(link), "%s/t.0", scratch.root);
    CU_ASSERT_EQUAL(symlink(outside.root, link), 0);
    CU_ASSERT_EQUAL(target->type->cleanup(target, &error), STRATA_ENVIRONMENT);
    target->type->close(target);
    CU_ASSERT_TRUE(is_there(&outside, "f.0.0"));
    remove_path(&outside, "f.0.0");
    CU_ASSERT_EQUAL(rmdir(outside.root), 0);
    remove_scratch(&outside);
    remove_path(&scratch, "t.0");
    remove_path(&scratch, ".strata-run");
    CU_ASSERT_EQUAL(rmdir(scratch.root), 0);
    remove_scratch(&scratch);
}

static void the_marker_names_the_run(void)
{
    struct scratch scratch;
    char path[512];
    char line[64] = "";
    make_scratch(&scratch, "/dev/shm");
    struct strata_posix_options options = options_of(&scratch, 1, 1);
    struct strata_target *target = open_target(&options);
    snprintf(path, sizeof(path), "%s/.strata-run", scratch.root);
    FILE *marker = fopen(path, "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(marker);
    CU_ASSERT_PTR_NOT_NULL(fgets(line, sizeof(line), marker));
    fclose(marker);
    CU_ASSERT_STRING_EQUAL(line, UUID "\n");
    close_target(target);
    remove_scratch(&scratch);
}

static void bad_places_are_refused(void)
{
    struct strata_error error = {0};
    struct strata_target *target = NULL;
    struct scratch nowhere = {.path = "/dev/shm/there/is/no/such/directory"};
    struct scratch file = {.path = "/etc/passwd"};
    struct strata_posix_options options = options_of(&nowhere, 1, 1);
    CU_ASSERT_EQUAL(strata_posix_open(&options, &target, &error), STRATA_ENVIRONMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "no/such/directory: "));
    options = options_of(&file, 1, 1);
    CU_ASSERT_EQUAL(strata_posix_open(&options, &target, &error), STRATA_ENVIRONMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "Not a directory"));
    options = options_of(&nowhere, 1, (UINT64_C(1) << 33) + 1);
    CU_ASSERT_EQUAL(strata_posix_open(&options, &target, &error), STRATA_ENVIRONMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "8589934593 files"));
}

static const struct harness_test tests[] = {
    {"counts are exact in every phase, layout and size", counts_are_exact},
    {"fewer files than jobs", fewer_files_than_jobs},
    {"the stages that there are fit into the latency", stages_are_timed},
    {"phases after a create that was cut address what was made", a_cut_create_is_remembered},
    {"files spread over the directories that were made", a_cut_mkdir_is_remembered},
    {"without a tree nothing is created", without_a_tree_nothing_is_created},
    {"what is there already is refused, and not removed", leftovers_are_refused},
    {"files deleted behind its back are failures", vanished_files_are_failures},
    {"wrong content and wrong sizes are noticed", wrong_content_is_noticed},
    {"a listing with more or fewer entries fails", a_listing_that_is_wrong_fails},
    {"cleanup leaves and names what is foreign", what_is_foreign_stays},
    {"cleanup follows no links", links_are_not_followed},
    {"the marker names the run", the_marker_names_the_run},
    {"bad places and impossible numbers are refused", bad_places_are_refused},
};

HARNESS_MAIN("posix", tests)
