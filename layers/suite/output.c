/* Where answers go: stdout, or a file that is there complete or not at all. */
#include "layers/suite/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum strata_status cannot_write(const char *path, struct strata_error *error)
{
    return strata_error_set(error, STRATA_ENVIRONMENT, "%s: cannot write: %s", path,
                            strerror(errno));
}

static bool write_all(int file, const struct strata_text *text)
{
    for (size_t done = 0; done < text->length;) {
        ssize_t count = write(file, text->bytes + done, text->length - done);
        if (count < 0 && errno != EINTR) {
            return false;
        }
        done += count > 0 ? (size_t)count : 0;
    }
    return true;
}

enum strata_status suite_print(const struct strata_text *text, struct strata_error *error)
{
    return write_all(STDOUT_FILENO, text) ? STRATA_OK : cannot_write("standard output", error);
}

/* A device, a pipe: it must not be replaced by a file. */
static enum strata_status write_into(const char *path, const struct strata_text *text,
                                     struct strata_error *error)
{
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) {
        return cannot_write(path, error);
    }
    enum strata_status status = write_all(file, text) ? STRATA_OK : cannot_write(path, error);
    close(file);
    return status;
}

/* A new file beside the old one takes its name when it is complete and on the disk. */
static enum strata_status replace(const char *path, const struct strata_text *text,
                                  struct strata_error *error)
{
    char *beside = strata_text_duplicate_format("%s.XXXXXX", path);
    int file = mkostemp(beside, O_CLOEXEC);
    if (file < 0) {
        enum strata_status status = cannot_write(path, error);
        free(beside);
        return status;
    }
    mode_t mask = umask(0);
    umask(mask);
    enum strata_status status = STRATA_OK;
    if (!write_all(file, text) || fchmod(file, 0666 & ~mask) != 0 || fsync(file) != 0 ||
        rename(beside, path) != 0) {
        status = cannot_write(path, error);
        unlink(beside);
    }
    close(file);
    free(beside);
    return status;
}

/* Results take long to get: a report never takes their place, whoever's database it is. */
static bool is_database(const char *path)
{
    static const char magic[] = "SQLite format 3";
    char begin[sizeof(magic)];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool same = file >= 0 && read(file, begin, sizeof(begin)) == (ssize_t)sizeof(begin) &&
                memcmp(begin, magic, sizeof(magic)) == 0;
    if (file >= 0) {
        close(file);
    }
    return same;
}

enum strata_status suite_write_file(const char *path, const struct strata_text *text,
                                    struct strata_error *error)
{
    if (strcmp(path, "-") == 0) {
        return suite_print(text, error);
    }
    struct stat there;
    if (stat(path, &there) != 0) {
        return replace(path, text, error);
    }
    if (!S_ISREG(there.st_mode)) {
        return write_into(path, text, error);
    }
    if (is_database(path)) {
        return strata_error_set(error, STRATA_USAGE,
                                "%s: is an SQLite database, expected a file for the report", path);
    }
    char *real = realpath(path, NULL); /* a link stays a link */
    if (real == NULL) {
        return cannot_write(path, error);
    }
    enum strata_status status = replace(real, text, error);
    free(real);
    return status;
}
