/* Can volumes be made there, and are the encrypted ones encrypted?
 *
 * Always holds: where a trial volume costs nothing (driver loop) one is made, looked at and
 * removed, so that what does not work is told before any run and a proof is of what was seen. A
 * cloud's volumes are made by the runs alone: that they are encrypted is what the configuration
 * asserts. */
#include "layers/device/volumes.h"

#include "common/base/random.h"
#include "common/host/loop.h"
#include "common/target/single.h"
#include "common/target/volumes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum strata_status check_directory(const char *path, struct strata_error *error)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        return strata_error_set(error, STRATA_ENVIRONMENT, "%s: %s", path, strerrordesc_np(errno));
    }
    if (!S_ISDIR(status.st_mode)) {
        return strata_error_set(error, STRATA_USAGE,
                                "%s: is no directory; volumes are files that are made in one",
                                path);
    }
    if (access(path, W_OK | X_OK) != 0) {
        return strata_error_set(error, STRATA_ENVIRONMENT, "%s: cannot be written to: %s", path,
                                strerrordesc_np(errno));
    }
    return STRATA_OK;
}

/* One step of the only volume of the trial. */
static enum strata_status try_step(struct strata_target *target, enum strata_operation_kind kind,
                                   struct strata_error *error)
{
    const struct strata_worker_setup setup = {.jobs = 1, .depth = 1, .kinds = 1U << kind};
    struct strata_worker *worker;
    enum strata_status status = target->type->worker_open(target, &setup, &worker, error);
    if (status != STRATA_OK) {
        return status;
    }
    int32_t result;
    status = strata_single(worker, kind, 0, NULL, 0, "a trial volume", UINT64_MAX, &result, error);
    target->type->worker_close(worker);
    if (status == STRATA_OK && result != STRATA_RESULT_OK) {
        char text[512];
        strata_volumes_describe_failures(target, text, sizeof(text));
        return strata_error_set(error, STRATA_ENVIRONMENT, "a trial volume: %s", text);
    }
    return status;
}

/* What is known of an encrypted trial volume once it is made, or attached. */
static void prove(struct strata_backend *backend, struct strata_target *target, bool opened)
{
    struct strata_volume_driver *driver = strata_volumes_driver(target);
    const struct strata_volume *volume = strata_volumes_volume(target, 0);
    if (opened) {
        char path[128];
        strata_volume_loop_device(driver, volume, path, sizeof(path));
        strata_proof_device(path, &backend->proof);
        return;
    }
    backend->proof.level = STRATA_PROOF_STRUCTURE;
    (void)snprintf(backend->proof.evidence, sizeof(backend->proof.evidence),
                   "a LUKS2 header stands on the file of a trial volume; no device mapper: volumes "
                   "are formatted, not opened");
}

static enum strata_status make_trial(struct strata_backend *backend, struct strata_target *target,
                                     struct strata_error *error)
{
    bool luks = strcmp(backend->encryption, "luks") == 0;
    bool opened = luks && strata_volume_loop_opens() && strata_loop_available() == 0;
    enum strata_status status = strata_target_prepare(target, 1U << STRATA_OPERATION_CREATE, error);
    if (status == STRATA_OK) {
        status = try_step(target, STRATA_OPERATION_CREATE, error);
    }
    if (status == STRATA_OK && opened) {
        status = try_step(target, STRATA_OPERATION_ATTACH, error);
    }
    if (status == STRATA_OK && luks) {
        prove(backend, target, opened);
    }
    return status;
}

static enum strata_status try_loop(struct strata_backend *backend, struct strata_error *error)
{
    char uuid[37];
    struct strata_target *target;
    strata_random_uuid(uuid);
    enum strata_status status =
        check_directory(strata_element_text(backend->element, "path"), error);
    if (status == STRATA_OK) {
        status = strata_device_volumes_target(backend, 1, 1, uuid, &target, error);
    }
    if (status != STRATA_OK) {
        return status;
    }
    struct strata_error later;
    status = make_trial(backend, target, error);
    enum strata_status cleaned = strata_target_cleanup(target, &later);
    target->type->close(target);
    if (status == STRATA_OK && cleaned != STRATA_OK) {
        *error = later;
        status = cleaned;
    }
    return status;
}

enum strata_status strata_device_volumes_inspect(struct strata_backend *backend,
                                                 struct strata_error *error)
{
    const struct strata_element *plain = (backend->twin != NULL ? backend->twin : backend)->element;
    bool own = strata_element_given(backend->element, "driver");
    const char *driver = strata_element_text(own ? backend->element : plain, "driver");
    if (strcmp(driver, "loop") == 0) {
        return try_loop(backend, error);
    }
    if (backend->encrypted) {
        const char *evidence = strata_element_text(backend->element, "evidence");
        backend->proof.level = STRATA_PROOF_ASSERTED;
        (void)snprintf(backend->proof.evidence, sizeof(backend->proof.evidence), "%s",
                       evidence != NULL ? evidence
                                        : "declared in the configuration; cannot be seen here");
    }
    return STRATA_OK;
}
