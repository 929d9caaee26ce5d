/* The rules that stand between a benchmark and somebody's data.
 *
 * Always holds: nothing is written here; when in doubt the answer is no. A device or file may lose
 * its content only when the user named it, nothing uses it, and it carries no signature that the
 * user did not give up too. Findings are looked up by device number (common/host/in_use.h); what
 * the signatures of some hundred formats look like is libblkid's knowledge. */
#include "common/host/guard.h"

#include "common/host/in_use.h"
#include "common/host/within.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FINDING_BYTES = 256 };

static const char *kind_name(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFDIR:
        return "a directory";
    case S_IFCHR:
        return "a character device";
    case S_IFIFO:
        return "a pipe";
    case S_IFSOCK:
        return "a socket";
    default:
        return "no file";
    }
}

enum strata_status strata_guard_identify(const char *path, struct stat *ret_stat,
                                         struct strata_error *error)
{
    if (path == NULL || path[0] == '\0') {
        return strata_error_set(error, STRATA_USAGE,
                                "path: is empty; expected a block device or a regular file");
    }
    if (stat(path, ret_stat) != 0) {
        return strata_error_set(error, STRATA_ENVIRONMENT, "%s: %s", path, strerror(errno));
    }
    if (S_ISBLK(ret_stat->st_mode) || S_ISREG(ret_stat->st_mode)) {
        return STRATA_OK;
    }
    return strata_error_set(error, STRATA_USAGE,
                            "%s: is %s; expected a block device or a regular file", path,
                            kind_name(ret_stat->st_mode));
}

static bool same(const struct stat *a, const struct stat *b)
{
    if (S_ISBLK(a->st_mode)) {
        return S_ISBLK(b->st_mode) && a->st_rdev == b->st_rdev;
    }
    return S_ISREG(b->st_mode) && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool permitted(const struct stat *found, const struct strata_guard_permissions *permissions)
{
    for (size_t i = 0; i < permissions->overwrite_count; i++) {
        struct stat named;
        if (stat(permissions->overwrite[i], &named) == 0 && same(found, &named)) {
            return true;
        }
    }
    return false;
}

/* Describe the signature that libblkid has just found. */
static void describe(blkid_probe probe, char *ret_finding)
{
    const char *type = NULL;
    const char *usage = "";
    if (blkid_probe_lookup_value(probe, "TYPE", &type, NULL) == 0) {
        (void)blkid_probe_lookup_value(probe, "USAGE", &usage, NULL);
        const char *what = strcmp(usage, "filesystem") == 0 ? "file system" : "signature";
        const char *label = "";
        bool named = blkid_probe_lookup_value(probe, "LABEL", &label, NULL) == 0;
        (void)snprintf(ret_finding, FINDING_BYTES, "%s %s%s%s%s", type, what, named ? " \"" : "",
                       named ? label : "", named ? "\"" : "");
    } else if (blkid_probe_lookup_value(probe, "PTTYPE", &type, NULL) == 0) {
        (void)snprintf(ret_finding, FINDING_BYTES, "%s partition table", type);
    } else {
        (void)snprintf(ret_finding, FINDING_BYTES, "unknown signature");
    }
}

/* The first signature on what is open as `fd`. Returns 1 with a finding, 0 for none, -1 when it
 * cannot be looked for. */
static int find_signature(int fd, char *ret_finding)
{
    blkid_probe probe = blkid_new_probe();
    if (probe == NULL) {
        return -1;
    }
    int result = -1;
    if (blkid_probe_set_device(probe, fd, 0, 0) == 0 &&
        blkid_probe_enable_superblocks(probe, 1) == 0 &&
        blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE |
                                                     BLKID_SUBLKS_LABEL | BLKID_SUBLKS_BADCSUM) ==
            0 &&
        blkid_probe_enable_partitions(probe, 1) == 0 &&
        blkid_probe_set_partitions_flags(probe, BLKID_PARTS_FORCE_GPT) == 0) {
        int found = blkid_do_probe(probe);
        if (found == 0) {
            describe(probe, ret_finding);
        }
        result = found == 0 ? 1 : found == 1 ? 0 : -1;
    }
    blkid_free_probe(probe);
    return result;
}

static enum strata_status check_signature(const char *path, int fd, bool allowed,
                                          const struct strata_guard_permissions *permissions,
                                          struct strata_error *error)
{
    char finding[FINDING_BYTES] = "";
    int signature = find_signature(fd, finding);
    if (signature < 0) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "%s: cannot be searched for file systems and other signatures",
                                path);
    }
    if (!allowed) {
        return strata_error_set(error, STRATA_USAGE,
                                "%s: is read only until --allow-overwrite %s permits that its "
                                "content is lost%s%s",
                                path, path, signature ? "; it carries: " : "", finding);
    }
    if (signature && !permissions->overwrite_signature) {
        return strata_error_set(error, STRATA_USAGE,
                                "%s: carries: %s; it is overwritten only with "
                                "--allow-overwrite-signature",
                                path, finding);
    }
    return STRATA_OK;
}

static enum strata_status check_opened(const char *path, const struct stat *found, int fd,
                                       const struct strata_guard_permissions *permissions,
                                       struct strata_error *error)
{
    struct stat opened;
    if (fstat(fd, &opened) != 0 || !same(found, &opened)) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "%s: became another file while it was being opened", path);
    }
    return check_signature(path, fd, permitted(found, permissions), permissions, error);
}

static enum strata_status check_writing(const char *path, const struct stat *found,
                                        const struct strata_guard_permissions *permissions,
                                        struct strata_error *error)
{
    char finding[FINDING_BYTES];
    if (strata_in_use(found, finding, sizeof(finding))) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "%s: is in use and is never overwritten: %s", path, finding);
    }
    int exclusive = S_ISBLK(found->st_mode) ? O_EXCL : 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | exclusive);
    if (fd < 0) {
        return strata_error_set(error, STRATA_ENVIRONMENT, "%s: %s", path,
                                errno == EBUSY ? "is in use and is never overwritten: the kernel "
                                                 "or another program holds it exclusively"
                                               : strerror(errno));
    }
    enum strata_status status = check_opened(path, found, fd, permissions, error);
    close(fd);
    return status;
}

struct question {
    const char *path;
    const struct strata_guard_permissions *permissions;
    bool writes;
};

static enum strata_status look(void *context, struct strata_error *error)
{
    const struct question *question = context;
    struct stat found;
    enum strata_status status = strata_guard_identify(question->path, &found, error);
    if (status != STRATA_OK || !question->writes) {
        return status;
    }
    return check_writing(question->path, &found, question->permissions, error);
}

enum strata_status strata_guard_device(const char *path,
                                       const struct strata_guard_permissions *permissions,
                                       bool writes, uint64_t give_up_ns, struct strata_error *error)
{
    struct question question = {.path = path, .permissions = permissions, .writes = writes};
    return strata_within(give_up_ns, path, look, &question, error);
}
