/* Volumes from their creation to their deletion, as S2 measures a cloud's control plane.
 *
 * Must always hold: a step is asked only of volumes for which the one before has succeeded; what a
 * step may have made is noted before it is begun, so that cleanup finds it after any failure; what
 * cannot be removed is named. Each job works on volumes of its own (number modulo jobs), so that
 * nothing is locked. How a volume is made is left to the drivers. */
#include "common/target/volumes.h"

#include "common/base/memory.h"
#include "common/base/stop.h"
#include "common/base/text.h"
#include "common/target/synchronous.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct volumes;

/* What a job keeps from phase to phase; only its own thread writes to it. */
struct job {
    struct volumes *volumes;
    unsigned number;
    char first_failure[STRATA_VOLUME_STEPS][400]; /* "" while there is none */
    struct strata_text left; /* names of volumes that cleanup could not remove, and why */
};

struct volumes {
    struct strata_target base;
    struct strata_volume_driver *driver;
    unsigned count;
    unsigned job_count;
    struct strata_volume *all;
    struct job *jobs;
};

struct worker {
    struct strata_synchronous_worker base;
    struct job *job;
    struct strata_volume **items; /* those that the phase works on, fixed when it begins */
};

/* Whether a step may be asked of the volume as it is. */
static bool is_ready(const struct strata_volume *volume, enum strata_operation_kind kind)
{
    switch (kind) {
    case STRATA_OPERATION_CREATE:
        return !volume->may_exist;
    case STRATA_OPERATION_ATTACH:
        return volume->made && !volume->may_be_attached;
    case STRATA_OPERATION_DETACH:
        return volume->attached;
    case STRATA_OPERATION_DELETE:
        return volume->made && !volume->may_be_attached;
    default:
        return false;
    }
}

static uint64_t volumes_items(const struct strata_target *target, unsigned job, unsigned jobs,
                              enum strata_operation_kind kind)
{
    const struct volumes *volumes = (const struct volumes *)target;
    uint64_t ready = 0;
    for (unsigned n = job; n < volumes->count; n += jobs) {
        ready += is_ready(&volumes->all[n], kind);
    }
    return ready;
}

static enum strata_status volumes_prepare(struct strata_target *target, unsigned kinds,
                                          struct strata_error *error)
{
    const struct volumes *volumes = (const struct volumes *)target;
    (void)kinds;
    return volumes->driver->type->prepare(volumes->driver, error);
}

static enum strata_status volumes_worker_open(struct strata_target *target,
                                              const struct strata_worker_setup *setup,
                                              struct strata_worker **ret_worker,
                                              struct strata_error *error)
{
    struct volumes *volumes = (struct volumes *)target;
    int kind = setup->kinds != 0 ? __builtin_ctz(setup->kinds) : 0;
    if (setup->kinds != 1U << kind ||
        strata_volume_step_index((enum strata_operation_kind)kind) < 0 ||
        setup->jobs != volumes->job_count) {
        return strata_error_set(
            error, STRATA_INTERNAL,
            "volumes: a phase of kinds 0x%x by %u jobs; expected one step by %u", setup->kinds,
            setup->jobs, volumes->job_count);
    }
    struct worker *worker = strata_memory_new(1, sizeof(*worker));
    worker->base.worker.target = target;
    worker->job = &volumes->jobs[setup->job];
    worker->items = strata_memory_new(volumes->count, sizeof(struct strata_volume *));
    size_t count = 0;
    for (unsigned n = setup->job; n < volumes->count; n += setup->jobs) {
        if (is_ready(&volumes->all[n], (enum strata_operation_kind)kind)) {
            worker->items[count++] = &volumes->all[n];
        }
    }
    *ret_worker = &worker->base.worker;
    return STRATA_OK;
}

static void volumes_worker_close(struct strata_worker *base)
{
    struct worker *worker = (struct worker *)base;
    free(worker->items);
    free(worker);
}

/* Perform a step and keep account of what is there then. */
static int32_t perform(struct strata_volume_driver *driver, struct strata_volume *volume,
                       struct strata_volume_step *step)
{
    bool makes = step->kind == STRATA_OPERATION_CREATE || step->kind == STRATA_OPERATION_ATTACH;
    bool attachment =
        step->kind == STRATA_OPERATION_ATTACH || step->kind == STRATA_OPERATION_DETACH;
    bool *done = attachment ? &volume->attached : &volume->made;
    bool *may = attachment ? &volume->may_be_attached : &volume->may_exist;
    *may = *may || makes;
    int32_t result = driver->type->perform(driver, volume, step);
    if (result == STRATA_RESULT_OK) {
        *done = makes;
        *may = makes;
    } else if (!makes) {
        *done = false; /* asked for once; what is left of it is cleanup's */
    }
    return result;
}

static int volumes_submit(struct strata_worker *base, struct strata_operation *const *operations,
                          unsigned count)
{
    struct worker *worker = (struct worker *)base;
    if (!strata_synchronous_may_start(&worker->base, count)) {
        return 0;
    }
    struct strata_operation *operation = operations[0];
    struct strata_volume *volume = worker->items[operation->item];
    struct strata_volume_step step = {.kind = (enum strata_operation_kind)operation->kind,
                                      .stop = &strata_stop_signal};
    operation->result = perform(worker->job->volumes->driver, volume, &step);
    operation->end_ns = step.end_ns;
    if (step.stage_ns > 0) {
        strata_operation_stage(operation, step.stage, step.stage_ns);
    }
    char *first = worker->job->first_failure[strata_volume_step_index(step.kind)];
    if (operation->result != STRATA_RESULT_OK && first[0] == '\0') {
        snprintf(first, sizeof(worker->job->first_failure[0]), "%s of %s: %s",
                 strata_operation_name(step.kind), volume->name, step.cause);
    }
    worker->base.finished = operation;
    return 1;
}

/* Remove what is, or may be, left of one volume. Whether the detaching succeeded is for the
 * deletion to find out. */
static void remove_volume(struct job *job, struct strata_volume *volume)
{
    struct strata_volume_driver *driver = job->volumes->driver;
    struct strata_volume_step detach = {.kind = STRATA_OPERATION_DETACH};
    struct strata_volume_step delete = {.kind = STRATA_OPERATION_DELETE};
    if (volume->may_be_attached) {
        (void)perform(driver, volume, &detach);
    }
    if (volume->may_exist && perform(driver, volume, &delete) != STRATA_RESULT_OK) {
        strata_text_format(&job->left, "%s%s (%.120s)", job->left.length > 0 ? ", " : "",
                           volume->name, delete.cause);
    }
}

static void *remove_volumes_of(void *argument)
{
    struct job *job = argument;
    for (unsigned n = job->number; n < job->volumes->count; n += job->volumes->job_count) {
        remove_volume(job, &job->volumes->all[n]);
    }
    return NULL;
}

/* As many at a time as were made at a time: one that hangs costs one timeout, not one each. A
 * thread that cannot be had is done without. */
static void remove_volumes(struct volumes *volumes)
{
    pthread_t *threads = strata_memory_new(volumes->job_count, sizeof(*threads));
    bool *started = strata_memory_new(volumes->job_count, sizeof(*started));
    for (unsigned j = 0; j < volumes->job_count; j++) {
        started[j] = pthread_create(&threads[j], NULL, remove_volumes_of, &volumes->jobs[j]) == 0;
    }
    for (unsigned j = 0; j < volumes->job_count; j++) {
        if (started[j]) {
            (void)pthread_join(threads[j], NULL);
        } else {
            (void)remove_volumes_of(&volumes->jobs[j]);
        }
    }
    free(threads);
    free(started);
}

static bool anything_left(const struct volumes *volumes)
{
    for (unsigned n = 0; n < volumes->count; n++) {
        if (volumes->all[n].may_exist || volumes->all[n].may_be_attached) {
            return true;
        }
    }
    return false;
}

static enum strata_status volumes_cleanup(struct strata_target *target, struct strata_error *error)
{
    struct volumes *volumes = (struct volumes *)target;
    if (anything_left(volumes)) {
        remove_volumes(volumes);
    }
    struct strata_text left = {0};
    for (unsigned j = 0; j < volumes->job_count; j++) {
        if (volumes->jobs[j].left.length > 0) {
            strata_text_format(&left, "%s%s", left.length > 0 ? ", " : "",
                               strata_text_string(&volumes->jobs[j].left));
        }
    }
    enum strata_status status = STRATA_OK;
    if (left.length > 0) {
        status = strata_error_set(error, STRATA_ENVIRONMENT, "left behind, or never made: %s",
                                  strata_text_string(&left));
    }
    strata_text_done(&left);
    return status == STRATA_OK ? volumes->driver->type->cleanup(volumes->driver, error) : status;
}

static void volumes_close(struct strata_target *target)
{
    struct volumes *volumes = (struct volumes *)target;
    volumes->driver->type->close(volumes->driver);
    for (unsigned j = 0; j < volumes->job_count; j++) {
        strata_text_done(&volumes->jobs[j].left);
    }
    free(volumes->jobs);
    free(volumes->all);
    free(volumes);
}

static const struct strata_target_type volumes_type = {
    .name = "volumes",
    .help = "volumes created, attached, detached and deleted, by loop devices or your commands",
    .capabilities = STRATA_TARGET_SYNCHRONOUS,
    .prepare = volumes_prepare,
    .items = volumes_items,
    .worker_open = volumes_worker_open,
    .worker_close = volumes_worker_close,
    .submit = volumes_submit,
    .reap = strata_synchronous_reap,
    .cleanup = volumes_cleanup,
    .close = volumes_close,
};

enum strata_status strata_volumes_open(const struct strata_volumes_options *options,
                                       struct strata_volume_driver *driver,
                                       struct strata_target **ret_target,
                                       struct strata_error *error)
{
    if (options->jobs == 0 || options->jobs > options->count) {
        driver->type->close(driver);
        return strata_error_set(error, STRATA_INTERNAL, "%u jobs for %u volumes", options->jobs,
                                options->count);
    }
    struct volumes *volumes = strata_memory_new(1, sizeof(*volumes));
    volumes->base.type = &volumes_type;
    volumes->driver = driver;
    volumes->count = options->count;
    volumes->job_count = options->jobs;
    volumes->all = strata_memory_new(options->count, sizeof(*volumes->all));
    volumes->jobs = strata_memory_new(options->jobs, sizeof(*volumes->jobs));
    for (unsigned n = 0; n < options->count; n++) {
        volumes->all[n].number = n;
        snprintf(volumes->all[n].name, sizeof(volumes->all[n].name), "strata-%.8s-%u",
                 options->run_uuid, n);
    }
    for (unsigned j = 0; j < options->jobs; j++) {
        volumes->jobs[j].volumes = volumes;
        volumes->jobs[j].number = j;
    }
    *ret_target = &volumes->base;
    return STRATA_OK;
}

void strata_volumes_describe_failures(const struct strata_target *target, char *text, size_t size)
{
    const struct volumes *volumes = (const struct volumes *)target;
    size_t length = 0;
    text[0] = '\0';
    for (int i = 0; i < STRATA_VOLUME_STEPS; i++) {
        for (unsigned j = 0; j < volumes->job_count && length < size; j++) {
            const char *failure = volumes->jobs[j].first_failure[i];
            if (failure[0] != '\0') {
                length += (size_t)snprintf(text + length, size - length, "%s%s",
                                           length > 0 ? "; " : "", failure);
                break;
            }
        }
    }
}

struct strata_volume_driver *strata_volumes_driver(struct strata_target *target)
{
    return ((struct volumes *)target)->driver;
}

const struct strata_volume *strata_volumes_volume(const struct strata_target *target,
                                                  unsigned number)
{
    return &((const struct volumes *)target)->all[number];
}
