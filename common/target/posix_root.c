/* The run's own directory: made new, marked, and removed with what bears the run's names.
 *
 * Always holds: nothing outside of it is opened for writing; a directory that was there before is
 * refused; what was not made by this run is left, with the directories that hold it, and named. */
#include "common/target/posix_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PLACE_BYTES = 768 }; /* a path below the run's root: three names of at most 255 bytes */

/* One walk through what is to be removed, and what it could not remove. */
struct walk {
    struct strata_posix *posix;
    bool keep_directories;
    uint64_t foreign;
    uint64_t failures;
    int code;                        /* of the first failure */
    char first_foreign[PLACE_BYTES]; /* path below the root */
    char first_failure[PLACE_BYTES];
};

static void note_foreign(struct walk *walk, const char *place, const char *name)
{
    if (walk->foreign++ == 0) {
        snprintf(walk->first_foreign, sizeof(walk->first_foreign), "%.511s/%.255s", place, name);
    }
}

static void note_failure(struct walk *walk, const char *place, const char *name, int code)
{
    if (walk->failures++ == 0) {
        walk->code = code;
        snprintf(walk->first_failure, sizeof(walk->first_failure), "%.511s/%.255s", place, name);
    }
}

static bool is_directory(DIR *directory, const struct dirent *entry)
{
    struct stat facts;
    if (entry->d_type != DT_UNKNOWN) {
        return entry->d_type == DT_DIR;
    }
    return fstatat(dirfd(directory), entry->d_name, &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISDIR(facts.st_mode);
}

static bool remove_directory(struct walk *walk, int parent, const char *name, const char *place,
                             int level);

/* Returns whether the entry is gone. */
static bool remove_entry(struct walk *walk, DIR *directory, const struct dirent *entry,
                         const char *place, int level, bool *foreign)
{
    bool below = is_directory(directory, entry);
    if (!strata_posix_is_own_name(walk->posix, entry->d_name, level, below)) {
        *foreign = true;
        return false;
    }
    if (below) {
        return remove_directory(walk, dirfd(directory), entry->d_name, place, level + 1);
    }
    if (level == 0) {
        return false; /* the marker goes last */
    }
    if (unlinkat(dirfd(directory), entry->d_name, 0) != 0 && errno != ENOENT) {
        note_failure(walk, place, entry->d_name, errno);
        return false;
    }
    return true;
}

/* Remove what is in an open directory. A file system may skip entries of a directory that changes
 * while it is listed, so that it is listed again until nothing more goes. */
static void empty_directory(struct walk *walk, DIR *directory, const char *place, int level)
{
    uint64_t removed;
    uint64_t foreign_below = walk->foreign;
    uint64_t failures_below = walk->failures;
    do {
        removed = 0;
        walk->foreign = foreign_below; /* each pass counts anew */
        walk->failures = failures_below;
        rewinddir(directory);
        const struct dirent *entry;
        while ((entry = readdir(directory)) != NULL) {
            bool foreign = false;
            if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
                continue;
            }
            removed += remove_entry(walk, directory, entry, place, level, &foreign) ? 1 : 0;
            if (foreign) {
                note_foreign(walk, place, entry->d_name);
            }
        }
    } while (removed > 0);
}

static bool remove_directory(struct walk *walk, int parent, const char *name, const char *place,
                             int level)
{
    char here[PLACE_BYTES];
    snprintf(here, sizeof(here), "%.511s/%.255s", place, name);
    int descriptor = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *directory = descriptor >= 0 ? fdopendir(descriptor) : NULL;
    if (directory == NULL) {
        note_failure(walk, place, name, errno);
        if (descriptor >= 0) {
            close(descriptor);
        }
        return false;
    }
    uint64_t stayed = walk->foreign + walk->failures;
    empty_directory(walk, directory, here, level);
    closedir(directory);
    if (walk->keep_directories || walk->foreign + walk->failures > stayed) {
        return false;
    }
    if (unlinkat(parent, name, AT_REMOVEDIR) != 0) {
        note_failure(walk, place, name, errno);
        return false;
    }
    return true;
}

static enum strata_status report(const struct walk *walk, struct strata_error *error)
{
    const struct strata_posix *posix = walk->posix;
    const char *path = posix->options.path;
    if (walk->failures > 0) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "%s/%s%s: cannot be removed: %s (%llu such)", path,
                                posix->root_name, walk->first_failure, strerror(walk->code),
                                (unsigned long long)walk->failures);
    }
    return strata_error_set(error, STRATA_ENVIRONMENT,
                            "%s/%s%s: not made by this run, so it and its directories stay (%llu "
                            "such)%s",
                            path, posix->root_name, walk->first_foreign,
                            (unsigned long long)walk->foreign,
                            posix->has_key ? "; the encryption key stays until the file system is "
                                             "unmounted, copy it before"
                                           : "");
}

/* The walk's level 0, then the marker and the root itself. */
static bool remove_all(struct walk *walk)
{
    struct strata_posix *posix = walk->posix;
    int descriptor = openat(posix->root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = descriptor >= 0 ? fdopendir(descriptor) : NULL;
    if (directory == NULL) {
        note_failure(walk, "", "", errno);
        if (descriptor >= 0) {
            close(descriptor);
        }
        return false;
    }
    empty_directory(walk, directory, "", 0);
    closedir(directory);
    if (walk->foreign + walk->failures > 0) {
        return false;
    }
    if (unlinkat(posix->root, STRATA_POSIX_MARKER, 0) != 0 && errno != ENOENT) {
        note_failure(walk, "", STRATA_POSIX_MARKER, errno);
        return false;
    }
    if (unlinkat(posix->parent, posix->root_name, AT_REMOVEDIR) != 0) {
        note_failure(walk, "", "", errno);
        return false;
    }
    return true;
}

enum strata_status strata_posix_remove_root(struct strata_posix *posix, struct strata_error *error)
{
    if (posix->root < 0) {
        return STRATA_OK;
    }
    struct walk walk = {.posix = posix};
    bool gone = remove_all(&walk);
    close(posix->root);
    posix->root = -1;
    if (!gone) {
        return report(&walk, error);
    }
    if (!posix->has_key) {
        return STRATA_OK;
    }
    posix->has_key = false;
    return strata_fscrypt_key_remove(posix->parent, posix->options.path, &posix->key, error);
}

void strata_posix_remove_files(struct strata_posix *posix, unsigned tree)
{
    struct walk walk = {.posix = posix, .keep_directories = true};
    char name[STRATA_POSIX_NAME_BYTES];
    strata_posix_directory_name(tree, 0, name);
    remove_directory(&walk, posix->root, name, "", 1);
}

static enum strata_status encrypt_root(struct strata_posix *posix, struct strata_error *error)
{
    const char *path = posix->options.path;
    enum strata_status status = strata_fscrypt_key_add(posix->parent, path, &posix->key, error);
    if (status != STRATA_OK) {
        return status;
    }
    posix->has_key = true;
    status = strata_fscrypt_policy_set(posix->root, path, &posix->key, error);
    if (status != STRATA_OK) {
        return status;
    }
    struct strata_fscrypt_policy policy;
    if (!strata_fscrypt_policy_get(posix->root, &policy) ||
        memcmp(policy.identifier, posix->key.identifier, sizeof(policy.identifier)) != 0) {
        return strata_error_set(
            error, STRATA_ENVIRONMENT,
            "%s/%s: the kernel does not show the encryption policy that was set", path,
            posix->root_name);
    }
    return STRATA_OK;
}

static enum strata_status write_marker(struct strata_posix *posix, struct strata_error *error)
{
    char line[80];
    size_t length = (size_t)snprintf(line, sizeof(line), "%.64s\n", posix->options.run_uuid);
    int marker = openat(posix->root, STRATA_POSIX_MARKER,
                        O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    ssize_t written = marker >= 0 ? write(marker, line, length) : -1;
    int code = written >= 0 ? ENOSPC : errno; /* part of it: the rest had no room */
    bool closed = marker >= 0 && close(marker) == 0;
    if (written == (ssize_t)length && closed) {
        return STRATA_OK;
    }
    return strata_error_set(error, STRATA_ENVIRONMENT, "%s/%s/%s: cannot be written: %s",
                            posix->options.path, posix->root_name, STRATA_POSIX_MARKER,
                            strerror(closed || marker < 0 || written < 0 ? code : errno));
}

enum strata_status strata_posix_make_root(struct strata_posix *posix, struct strata_error *error)
{
    const char *path = posix->options.path;
    if (mkdirat(posix->parent, posix->root_name, 0700) != 0) {
        return strata_error_set(error, STRATA_ENVIRONMENT, "%s/%s: cannot be made: %s%s", path,
                                posix->root_name, strerror(errno),
                                errno == EEXIST ? "; what is there already is never used" : "");
    }
    posix->root =
        openat(posix->parent, posix->root_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (posix->root < 0) {
        int code = errno;
        unlinkat(posix->parent, posix->root_name, AT_REMOVEDIR);
        return strata_error_set(error, STRATA_ENVIRONMENT, "%s/%s: cannot be opened: %s", path,
                                posix->root_name, strerror(code));
    }
    enum strata_status status = posix->options.fscrypt ? encrypt_root(posix, error) : STRATA_OK;
    if (status == STRATA_OK) {
        status = write_marker(posix, error);
    }
    if (status != STRATA_OK) {
        struct strata_error ignored;
        strata_posix_remove_root(posix, &ignored); /* the first error tells more */
    }
    return status;
}
