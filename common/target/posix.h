/* Target `posix`: files and directories of a mounted file system, through plain system calls. */
#ifndef STRATA_TARGET_POSIX_H
#define STRATA_TARGET_POSIX_H

#include "common/base/error.h"
#include "common/host/fscrypt.h"
#include "common/target/target.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Borrowed until the target is closed. */
struct strata_posix_options {
    const char *path;     /* an existing directory; the run's own goes below it */
    const char *run_uuid; /* names the run's directory "strata-<uuid>" and its marker */
    bool shared;          /* one tree for all jobs, made by job 0; else one for each job */
    uint64_t files;       /* in total, dealt to the jobs as evenly as possible */
    uint64_t directories; /* subdirectories of each tree, over which its files spread; 0: none */
    unsigned jobs;
    uint64_t file_bytes;
    uint64_t seed;   /* of the files' content; unique for each run */
    bool sync_files; /* each file is on stable storage (fsync) before it is closed */
    bool fscrypt;    /* encrypt the run's directory with a random key */
};

/* Open the directory `path` for one run. Items of a job, by kind:
 *   MKDIR, RMDIR    the tree's directory and its subdirectories, for the job that owns a tree
 *   CREATE          the job's planned files, 0 when its tree could not be made
 *   STAT, READ, RENAME, UNLINK   the job's files that exist; names after RENAME are the new ones
 *   READDIR         directories of the job's tree; those of a shared tree are dealt to the jobs
 *   SYNC            1 for job 0: everything written so far, to stable storage (syncfs)
 * A phase asks for one kind. Times OPEN, TRANSFER (unless files are empty) and CLOSE of CREATE and
 * READ. A worker that opens for READ drops what the page cache holds of the files (see
 * strata_posix_cache_dropping); one that opens for RMDIR first removes files that were not
 * unlinked.
 *
 * `cleanup` removes the run's directory with what bears the run's names; anything else stays, with
 * the directories that hold it, and is reported as STRATA_ENVIRONMENT with its path. The key of
 * fscrypt goes with the directory; it stays as long as something foreign would be lost with it.
 *
 * Errors: STRATA_ENVIRONMENT when the path is no directory or more files are asked than can be kept
 * account of (2^33). `prepare`: STRATA_ENVIRONMENT when the run's directory is there already or
 * cannot be made. Owns: the caller closes the target. */
enum strata_status strata_posix_open(const struct strata_posix_options *options,
                                     struct strata_target **ret_target, struct strata_error *error);

/* Which resource ran out while files and directories were made, with what was left of space and
 * inodes then, and how far the run came: one line into `text`; "" when nothing ran out. */
void strata_posix_findings(const struct strata_target *target, char *text, size_t size);

/* Whether files are read from storage rather than from memory, as this process may bring about:
 * "dropped" (the page cache of the machine is dropped before a READ phase, which takes root) or
 * "advised" (POSIX_FADV_DONTNEED for each file; what lies below a FUSE file system stays cached).
 */
const char *strata_posix_cache_dropping(void);

#endif
