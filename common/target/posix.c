/* A file system as a target: each job's worker does its operations at once, inside `submit`.
 *
 * Always holds: what exists (files, names, directories) changes only between phases, when a worker
 * closes and what it did is taken over; within a phase all workers read it without locks. The tree
 * is left to posix_root.c, the operations to posix_operations.c. */
#include "common/target/posix.h"

#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/base/share.h"
#include "common/target/posix_operations.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_FILES       (UINT64_C(1) << 33)
#define MOST_DIRECTORIES (UINT64_C(1) << 20)

static enum strata_status posix_prepare(struct strata_target *target, unsigned kinds,
                                        struct strata_error *error)
{
    (void)kinds; /* the tree is made by phases of its own */
    return strata_posix_make_root((struct strata_posix *)target, error);
}

/* Whether the job makes and removes a tree; of a shared one that is job 0. */
static bool owns_tree(const struct strata_posix *posix, unsigned job)
{
    return job < strata_posix_tree_count(posix);
}

/* Directories of a shared tree are listed by one job each. */
static uint64_t directories_to_list(const struct strata_posix *posix, unsigned job, unsigned jobs)
{
    uint64_t directories = posix->trees[strata_posix_tree_of(posix, job)].count;
    if (!posix->options.shared) {
        return directories;
    }
    return strata_share_count(directories, job, jobs);
}

static uint64_t posix_items(const struct strata_target *target, unsigned job, unsigned jobs,
                            enum strata_operation_kind kind)
{
    const struct strata_posix *posix = (const struct strata_posix *)target;
    const struct strata_item_set *tree = &posix->trees[strata_posix_tree_of(posix, job)];
    switch (kind) {
    case STRATA_OPERATION_MKDIR:
        return owns_tree(posix, job) ? tree->size : 0;
    case STRATA_OPERATION_RMDIR:
        return owns_tree(posix, job) ? tree->count : 0;
    case STRATA_OPERATION_CREATE:
        return strata_item_set_contains(tree, 0) ? posix->jobs[job].files.size : 0;
    case STRATA_OPERATION_STAT:
    case STRATA_OPERATION_READ:
    case STRATA_OPERATION_RENAME:
    case STRATA_OPERATION_UNLINK:
        return posix->jobs[job].files.count;
    case STRATA_OPERATION_READDIR:
        return directories_to_list(posix, job, jobs);
    case STRATA_OPERATION_SYNC:
        return job == 0 ? 1 : 0;
    default:
        return 0;
    }
}

/* The one kind of the phase; -1 when there are several or it is none of a file system. */
static int single_kind(unsigned kinds)
{
    if (kinds == 0 || (kinds & (kinds - 1)) != 0) {
        return -1;
    }
    int kind = __builtin_ctz(kinds);
    return strata_posix_can((enum strata_operation_kind)kind) ? kind : -1;
}

static bool uses_files(enum strata_operation_kind kind)
{
    return kind == STRATA_OPERATION_CREATE || kind == STRATA_OPERATION_STAT ||
           kind == STRATA_OPERATION_READ || kind == STRATA_OPERATION_RENAME ||
           kind == STRATA_OPERATION_UNLINK;
}

/* How many items the changes of such a phase can name. */
static uint64_t changeable(const struct strata_posix *posix, unsigned job,
                           enum strata_operation_kind kind)
{
    return uses_files(kind) ? posix->jobs[job].files.size
                            : posix->trees[strata_posix_tree_of(posix, job)].size;
}

static enum strata_status open_tree(struct strata_posix_worker *worker, struct strata_error *error)
{
    const struct strata_posix *posix = worker->posix;
    unsigned tree = strata_posix_tree_of(posix, worker->job);
    if (!uses_files(worker->kind) || !strata_item_set_contains(&posix->trees[tree], 0)) {
        return STRATA_OK;
    }
    char name[STRATA_POSIX_NAME_BYTES];
    strata_posix_directory_name(tree, 0, name);
    worker->tree = openat(posix->root, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (worker->tree < 0) {
        return strata_error_set(error, STRATA_ENVIRONMENT, "%s/%s/%s: cannot be opened: %s",
                                posix->options.path, posix->root_name, name, strerror(errno));
    }
    return STRATA_OK;
}

static bool any_file_in(const struct strata_posix *posix, unsigned tree)
{
    for (unsigned job = 0; job < posix->options.jobs; job++) {
        if (strata_posix_tree_of(posix, job) == tree && posix->jobs[job].files.count > 0) {
            return true;
        }
    }
    return false;
}

/* Files that an unlink phase did not reach go untimed, so that removing directories is measured on
 * empty ones. */
static void empty_tree(struct strata_posix *posix, unsigned tree)
{
    if (!any_file_in(posix, tree)) {
        return;
    }
    strata_posix_remove_files(posix, tree);
    for (unsigned job = 0; job < posix->options.jobs; job++) {
        if (strata_posix_tree_of(posix, job) == tree) {
            strata_item_set_clear(&posix->jobs[job].files);
        }
    }
}

/* What the phase needs before it is timed. */
static enum strata_status make_ready(struct strata_posix_worker *worker, struct strata_error *error)
{
    struct strata_posix *posix = worker->posix;
    worker->buffer_bytes = strata_posix_buffer_bytes(posix, worker->kind);
    if (worker->buffer_bytes > 0) {
        worker->buffer = strata_memory_new_aligned(worker->buffer_bytes);
    }
    if (worker->kind == STRATA_OPERATION_CREATE) {
        struct strata_random random;
        strata_random_seed(&random, posix->options.seed ^ worker->job);
        strata_random_fill(&random, worker->buffer, worker->buffer_bytes);
    }
    if (worker->kind == STRATA_OPERATION_READ && posix->options.file_bytes > 0) {
        int code = strata_posix_drop_cache(posix, worker->job, worker->tree);
        if (code != 0) {
            return strata_error_set(error, STRATA_ENVIRONMENT,
                                    "the page cache cannot be dropped: %s", strerror(code));
        }
    }
    if (worker->kind == STRATA_OPERATION_RMDIR && owns_tree(posix, worker->job)) {
        empty_tree(posix, worker->job);
    }
    return STRATA_OK;
}

static void free_worker(struct strata_posix_worker *worker)
{
    if (worker->tree >= 0) {
        close(worker->tree);
    }
    strata_item_set_done(&worker->changes);
    free(worker->buffer);
    free(worker);
}

static enum strata_status posix_worker_open(struct strata_target *target,
                                            const struct strata_worker_setup *setup,
                                            struct strata_worker **ret_worker,
                                            struct strata_error *error)
{
    struct strata_posix *posix = (struct strata_posix *)target;
    int kind = single_kind(setup->kinds);
    if (kind < 0 || setup->depth != 1 || setup->jobs > posix->options.jobs) {
        return strata_error_set(error, STRATA_INTERNAL,
                                "posix: a phase of kinds 0x%x, depth %u and %u jobs; expected one "
                                "kind, depth 1 and at most %u jobs",
                                setup->kinds, setup->depth, setup->jobs, posix->options.jobs);
    }
    struct strata_posix_worker *worker = strata_memory_new(1, sizeof(*worker));
    worker->base.worker.target = target;
    worker->posix = posix;
    worker->job = setup->job;
    worker->jobs = setup->jobs;
    worker->kind = (enum strata_operation_kind)kind;
    worker->tree = -1;
    strata_item_set_init(&worker->changes, changeable(posix, setup->job, worker->kind));
    enum strata_status status = open_tree(worker, error);
    if (status == STRATA_OK) {
        status = make_ready(worker, error);
    }
    if (status != STRATA_OK) {
        free_worker(worker);
        return status;
    }
    *ret_worker = &worker->base.worker;
    return STRATA_OK;
}

static void take_over_directories(struct strata_posix_worker *worker)
{
    struct strata_item_set *tree =
        &worker->posix->trees[strata_posix_tree_of(worker->posix, worker->job)];
    if (worker->kind == STRATA_OPERATION_MKDIR) {
        strata_item_set_insert_all(tree, &worker->changes);
    } else if (worker->kind == STRATA_OPERATION_RMDIR) {
        strata_item_set_remove_all(tree, &worker->changes);
    }
}

static void take_over_files(struct strata_posix_worker *worker)
{
    struct strata_posix_job *job = &worker->posix->jobs[worker->job];
    if (worker->kind == STRATA_OPERATION_CREATE) {
        strata_item_set_insert_all(&job->files, &worker->changes);
        strata_item_set_remove_all(&job->renamed, &worker->changes);
        job->created = job->files.count;
    } else if (worker->kind == STRATA_OPERATION_RENAME) {
        strata_item_set_toggle_all(&job->renamed, &worker->changes);
    } else if (worker->kind == STRATA_OPERATION_UNLINK) {
        strata_item_set_remove_all(&job->files, &worker->changes);
    }
}

/* Each job takes over into what it alone owns, so that workers may close at the same time. */
static void take_over(struct strata_posix_worker *worker)
{
    struct strata_posix_job *job = &worker->posix->jobs[worker->job];
    take_over_files(worker);
    if (owns_tree(worker->posix, worker->job)) {
        take_over_directories(worker);
    }
    if (job->shortage.code == 0) {
        job->shortage = worker->shortage;
    }
}

static void posix_worker_close(struct strata_worker *base)
{
    struct strata_posix_worker *worker = (struct strata_posix_worker *)base;
    take_over(worker);
    free_worker(worker);
}

static int posix_submit(struct strata_worker *base, struct strata_operation *const *operations,
                        unsigned count)
{
    struct strata_posix_worker *worker = (struct strata_posix_worker *)base;
    if (!strata_synchronous_may_start(&worker->base, count)) {
        return 0;
    }
    strata_posix_perform(worker, operations[0]);
    worker->base.finished = operations[0];
    return 1;
}

static enum strata_status posix_cleanup(struct strata_target *target, struct strata_error *error)
{
    return strata_posix_remove_root((struct strata_posix *)target, error);
}

static void posix_close(struct strata_target *target)
{
    struct strata_posix *posix = (struct strata_posix *)target;
    for (unsigned job = 0; job < posix->options.jobs; job++) {
        strata_item_set_done(&posix->jobs[job].files);
        strata_item_set_done(&posix->jobs[job].renamed);
    }
    for (unsigned tree = 0; tree < strata_posix_tree_count(posix); tree++) {
        strata_item_set_done(&posix->trees[tree]);
    }
    if (posix->root >= 0) {
        close(posix->root);
    }
    close(posix->parent);
    free(posix->jobs);
    free(posix->trees);
    free(posix);
}

static const struct strata_target_type posix_type = {
    .name = "posix",
    .help = "files and directories of a mounted file system, by system calls",
    .capabilities = STRATA_TARGET_SYNCHRONOUS,
    .prepare = posix_prepare,
    .items = posix_items,
    .worker_open = posix_worker_open,
    .worker_close = posix_worker_close,
    .submit = posix_submit,
    .reap = strata_synchronous_reap,
    .cleanup = posix_cleanup,
    .close = posix_close,
};

enum strata_status strata_posix_open(const struct strata_posix_options *options,
                                     struct strata_target **ret_target, struct strata_error *error)
{
    if (options->jobs == 0 || options->files > MOST_FILES ||
        options->directories > MOST_DIRECTORIES) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "%s: %llu files and %llu directories by %u jobs; expected at most "
                                "%llu and %llu, which can be kept account of, and a job",
                                options->path, (unsigned long long)options->files,
                                (unsigned long long)options->directories, options->jobs,
                                (unsigned long long)MOST_FILES,
                                (unsigned long long)MOST_DIRECTORIES);
    }
    int parent = open(options->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (parent < 0) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "%s: cannot be opened as a directory: %s", options->path,
                                strerror(errno));
    }
    struct strata_posix *posix = strata_memory_new(1, sizeof(*posix));
    posix->base.type = &posix_type;
    posix->options = *options;
    posix->parent = parent;
    posix->root = -1;
    snprintf(posix->root_name, sizeof(posix->root_name), "strata-%.40s", options->run_uuid);
    posix->jobs = strata_memory_new(options->jobs, sizeof(*posix->jobs));
    for (unsigned job = 0; job < options->jobs; job++) {
        strata_item_set_init(&posix->jobs[job].files, strata_posix_planned(posix, job));
        strata_item_set_init(&posix->jobs[job].renamed, strata_posix_planned(posix, job));
    }
    unsigned trees = strata_posix_tree_count(posix);
    posix->trees = strata_memory_new(trees, sizeof(*posix->trees));
    for (unsigned tree = 0; tree < trees; tree++) {
        strata_item_set_init(&posix->trees[tree], 1 + options->directories);
    }
    *ret_target = &posix->base;
    return STRATA_OK;
}
