/* Is the directory there, may this user write in it, is it encrypted as it says?
 *
 * Always: a refusal comes before anything is measured and says what was found; what the inspection
 * makes it removes. A back end that claims an encryption which can be seen, and is not seen, is
 * refused: its comparison would measure nothing. */
#include "layers/filesystem/filesystem.h"

#include "common/base/random.h"
#include "common/host/proof_pattern.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static enum strata_status check_directory(const char *path, struct strata_error *error)
{
    struct stat facts;
    struct statvfs mount;
    if (strncmp(path, "nfs://", 6) == 0) {
        return strata_error_set(error, STRATA_USAGE,
                                "%s: an NFS export is measured where it is mounted; expected that "
                                "directory",
                                path);
    }
    if (stat(path, &facts) != 0 || statvfs(path, &mount) != 0) {
        return strata_error_set(error, STRATA_ENVIRONMENT, "%s: %s; expected an existing directory",
                                path, strerror(errno));
    }
    if (!S_ISDIR(facts.st_mode)) {
        return strata_error_set(error, STRATA_ENVIRONMENT, "%s: is no directory", path);
    }
    if ((mount.f_flag & ST_RDONLY) != 0) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "%s: its file system is mounted read-only", path);
    }
    if (faccessat(AT_FDCWD, path, R_OK | W_OK | X_OK, AT_EACCESS) != 0) {
        return strata_error_set(error, STRATA_ENVIRONMENT, "%s: user %u may not write there: %s",
                                path, (unsigned)geteuid(), strerror(errno));
    }
    return STRATA_OK;
}

/* Whether the kernel shows the encryption that the back end claims: dm-crypt below a directory that
 * is said to be gocryptfs would be below its plain twin as well. */
static bool is_shown(const struct strata_backend *backend)
{
    bool gocryptfs = strcmp(backend->encryption, "gocryptfs") == 0;
    return backend->proof.level != STRATA_PROOF_NONE &&
           (!gocryptfs || strstr(backend->proof.evidence, "gocryptfs") != NULL);
}

/* What the user says stands behind a path whose encryption this host cannot see. */
static enum strata_status prove_by_assertion(struct strata_backend *backend, const char *path,
                                             struct strata_error *error)
{
    const char *evidence = strata_element_text(backend->element, "evidence");
    bool visible = strcmp(backend->encryption, "provider") != 0;
    if (visible && evidence == NULL) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "%s: nothing shows that it is encrypted with %s%s%.200s; mount it "
                                "so, or give evidence=\"…\" for what this host cannot see",
                                path, backend->encryption,
                                backend->proof.evidence[0] != '\0' ? ": " : "",
                                backend->proof.evidence);
    }
    backend->proof.level = STRATA_PROOF_ASSERTED;
    snprintf(backend->proof.evidence, sizeof(backend->proof.evidence), "%s",
             evidence != NULL ? evidence : "the configuration says so");
    return STRATA_OK;
}

/* Twins on one file system differ in nothing unless Strata itself encrypts one of them. */
static enum strata_status check_apart(const struct strata_backend *backend, const char *path,
                                      struct strata_error *error)
{
    struct stat own;
    struct stat plain;
    if (backend->twin == NULL) {
        return STRATA_OK;
    }
    const char *plain_path = strata_element_text(backend->twin->element, "path");
    if (stat(path, &own) == 0 && stat(plain_path, &plain) == 0 && own.st_dev == plain.st_dev) {
        return strata_error_set(
            error, STRATA_ENVIRONMENT,
            "%s: lies on the same file system as its plain twin %s, so that "
            "nothing would be compared; only fscrypt encrypts a directory alone",
            path, plain_path);
    }
    return STRATA_OK;
}

/* Make the run's directory as a run does, look whether it is encrypted, remove it. */
static enum strata_status try_run(struct strata_backend *backend, const char *path, bool fscrypt,
                                  struct strata_error *error)
{
    char uuid[37];
    char root[1024];
    strata_random_uuid(uuid);
    struct strata_posix_options options = {
        .path = path, .run_uuid = uuid, .jobs = 1, .files = 1, .fscrypt = fscrypt};
    struct strata_target *target = NULL;
    enum strata_status status = strata_posix_open(&options, &target, error);
    if (status != STRATA_OK) {
        return status;
    }
    status = strata_target_prepare(target, 0, error);
    if (status == STRATA_OK) {
        snprintf(root, sizeof(root), "%s/strata-%s", path, uuid);
        strata_proof_directory(root, &backend->proof);
        if (fscrypt) {
            status = strata_proof_by_pattern(root, &backend->proof, error);
        }
        struct strata_error later;
        enum strata_status cleaned = strata_target_cleanup(target, &later);
        if (status == STRATA_OK && cleaned != STRATA_OK) {
            *error = later;
            status = cleaned;
        }
    }
    target->type->close(target);
    return status;
}

enum strata_status strata_filesystem_inspect(struct strata_backend *backend, bool writes,
                                             struct strata_error *error)
{
    (void)writes; /* every workload of this layer makes files */
    const char *path = strata_element_text(backend->element, "path");
    bool fscrypt = strcmp(backend->encryption, "fscrypt") == 0;
    enum strata_status status = check_directory(path, error);
    if (status == STRATA_OK && backend->encrypted && !fscrypt) {
        status = check_apart(backend, path, error);
    }
    if (status == STRATA_OK) {
        status = try_run(backend, path, fscrypt, error);
    }
    if (status == STRATA_OK && backend->encrypted && !is_shown(backend)) {
        status = prove_by_assertion(backend, path, error);
    }
    return status;
}
