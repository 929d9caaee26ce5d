/* The operations themselves: the fewest system calls that do each, timed where it has parts.
 *
 * Always holds: an operation that failed left nothing that later phases would take for a file; what
 * an operation brought back is checked: size, stamps, number of entries. No allocation, no lock,
 * and no I/O but the operation's own. */
#include "common/target/posix_operations.h"

#include "common/base/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

enum {
    CHUNK_BYTES = 1 << 20,   /* of one read or write */
    LISTING_BYTES = 64 << 10 /* of one getdents64 */
};

size_t strata_posix_buffer_bytes(const struct strata_posix *posix, enum strata_operation_kind kind)
{
    uint64_t file_bytes = posix->options.file_bytes;
    size_t chunk = file_bytes < CHUNK_BYTES ? (size_t)file_bytes : CHUNK_BYTES;
    switch (kind) {
    case STRATA_OPERATION_CREATE:
        return chunk;
    case STRATA_OPERATION_READ:
        return chunk + 1; /* a file that is longer than it should be shows itself */
    case STRATA_OPERATION_READDIR:
        return LISTING_BYTES;
    default:
        return 0;
    }
}

/* The first time that something could not be made for lack of room: what was left then. */
static void note_shortage(struct strata_posix_worker *worker, int code)
{
    if ((code != ENOSPC && code != EDQUOT) || worker->shortage.code != 0) {
        return;
    }
    struct statvfs room = {0};
    (void)fstatvfs(worker->posix->root, &room);
    worker->shortage = (struct strata_posix_shortage){
        .code = code,
        .free_bytes = (uint64_t)room.f_bavail * room.f_frsize,
        .free_inodes = room.f_favail,
        .inodes = room.f_files,
    };
}

/* The file that item `item` of this phase stands for. */
static uint64_t file_of(const struct strata_posix_worker *worker, uint64_t item)
{
    return worker->kind == STRATA_OPERATION_CREATE
               ? item
               : strata_item_set_select(&worker->posix->jobs[worker->job].files, item);
}

static void name_file(const struct strata_posix_worker *worker, uint64_t file,
                      char name[STRATA_POSIX_NAME_BYTES])
{
    bool renamed = strata_item_set_contains(&worker->posix->jobs[worker->job].renamed, file);
    strata_posix_file_name(worker->posix, worker->job, file, renamed, name);
}

static int open_file(int directory, const char *name, int flags)
{
    int descriptor;
    do {
        descriptor = openat(directory, name, flags | O_NOFOLLOW | O_CLOEXEC, 0600);
    } while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

/* Write all of `bytes`. Returns 0 or an errno. */
static int write_all(int descriptor, const uint8_t *content, size_t bytes)
{
    size_t done = 0;
    while (done < bytes) {
        ssize_t written = write(descriptor, content + done, bytes - done);
        if (written < 0 && errno != EINTR) {
            return errno;
        }
        if (written == 0) {
            return EIO; /* a regular file takes something or says why not */
        }
        done += written > 0 ? (size_t)written : 0;
    }
    return 0;
}

static int write_content(struct strata_posix_worker *worker, int descriptor, uint64_t file)
{
    const struct strata_posix_options *options = &worker->posix->options;
    for (uint64_t offset = 0; offset < options->file_bytes; offset += worker->buffer_bytes) {
        uint64_t left = options->file_bytes - offset;
        size_t bytes = left < worker->buffer_bytes ? (size_t)left : worker->buffer_bytes;
        strata_posix_stamp(worker->buffer, bytes, offset, options->seed, worker->job, file);
        int code = write_all(descriptor, worker->buffer, bytes);
        if (code != 0) {
            return code;
        }
    }
    return options->sync_files && fsync(descriptor) != 0 ? errno : 0;
}

/* The parts of a file's operation; an empty file has no transfer. Their sum ends with the
 * operation. */
static void time_stages(struct strata_operation *operation, bool transfers, uint64_t started_ns,
                        uint64_t opened_ns, uint64_t moved_ns)
{
    strata_operation_stage(operation, STRATA_STAGE_OPEN, opened_ns - started_ns);
    if (transfers) {
        strata_operation_stage(operation, STRATA_STAGE_TRANSFER, moved_ns - opened_ns);
    }
    strata_operation_stage(operation, STRATA_STAGE_CLOSE, operation->end_ns - moved_ns);
}

static int32_t create_file(struct strata_posix_worker *worker, struct strata_operation *operation)
{
    const struct strata_posix_options *options = &worker->posix->options;
    char name[STRATA_POSIX_NAME_BYTES];
    uint64_t started_ns = strata_clock_monotonic_ns();
    uint64_t file = file_of(worker, operation->item);
    name_file(worker, file, name);
    int descriptor = open_file(worker->tree, name, O_WRONLY | O_CREAT | O_EXCL);
    if (descriptor < 0) {
        int code = errno;
        note_shortage(worker, code);
        return code;
    }
    uint64_t opened_ns = strata_clock_monotonic_ns();
    int code = write_content(worker, descriptor, file);
    uint64_t written_ns = options->file_bytes > 0 ? strata_clock_monotonic_ns() : opened_ns;
    if (close(descriptor) != 0 && code == 0) {
        code = errno;
    }
    operation->end_ns = strata_clock_monotonic_ns();
    if (code != 0) {
        note_shortage(worker, code);
        (void)unlinkat(worker->tree, name, 0); /* what is there in part is no file of the run */
        return code;
    }
    time_stages(operation, options->file_bytes > 0, started_ns, opened_ns, written_ns);
    operation->bytes = options->file_bytes;
    strata_item_set_add(&worker->changes, file);
    return STRATA_RESULT_OK;
}

/* Read `bytes` and, where `last`, look for a byte behind them by asking for it in the same call.
 * Returns 0, an errno, or what is wrong with the file's size. */
static int32_t read_chunk(int descriptor, uint8_t *content, size_t bytes, bool last)
{
    size_t wanted = bytes + (last ? 1 : 0);
    size_t done = 0;
    do {
        ssize_t got = read(descriptor, content + done, wanted - done);
        if (got < 0 && errno != EINTR) {
            return errno;
        }
        if (got == 0 && done < bytes) {
            return STRATA_RESULT_SHORT;
        }
        done += got > 0 ? (size_t)got : 0;
    } while (done < bytes);
    return done > bytes ? STRATA_RESULT_CONTENT : STRATA_RESULT_OK;
}

static int32_t read_content(struct strata_posix_worker *worker, int descriptor, uint64_t file)
{
    const struct strata_posix_options *options = &worker->posix->options;
    uint64_t offset = 0;
    do {
        uint64_t left = options->file_bytes - offset;
        size_t bytes = left < CHUNK_BYTES ? (size_t)left : CHUNK_BYTES;
        int32_t code = read_chunk(descriptor, worker->buffer, bytes, bytes == left);
        if (code != STRATA_RESULT_OK) {
            return code;
        }
        if (!strata_posix_stamped(worker->buffer, bytes, offset, options->seed, worker->job,
                                  file)) {
            return STRATA_RESULT_CONTENT;
        }
        offset += bytes;
    } while (offset < options->file_bytes);
    return STRATA_RESULT_OK;
}

static int32_t read_file(struct strata_posix_worker *worker, struct strata_operation *operation)
{
    const struct strata_posix_options *options = &worker->posix->options;
    char name[STRATA_POSIX_NAME_BYTES];
    uint64_t started_ns = strata_clock_monotonic_ns();
    uint64_t file = file_of(worker, operation->item);
    name_file(worker, file, name);
    int descriptor = open_file(worker->tree, name, O_RDONLY);
    if (descriptor < 0) {
        return errno;
    }
    uint64_t opened_ns = strata_clock_monotonic_ns();
    int32_t code = read_content(worker, descriptor, file);
    uint64_t read_ns = options->file_bytes > 0 ? strata_clock_monotonic_ns() : opened_ns;
    if (close(descriptor) != 0 && code == STRATA_RESULT_OK) {
        code = errno;
    }
    operation->end_ns = strata_clock_monotonic_ns();
    if (code == STRATA_RESULT_OK) {
        time_stages(operation, options->file_bytes > 0, started_ns, opened_ns, read_ns);
        operation->bytes = options->file_bytes;
    }
    return code;
}

static int32_t stat_file(struct strata_posix_worker *worker, struct strata_operation *operation)
{
    char name[STRATA_POSIX_NAME_BYTES];
    struct stat facts;
    name_file(worker, file_of(worker, operation->item), name);
    if (fstatat(worker->tree, name, &facts, AT_SYMLINK_NOFOLLOW) != 0) {
        return errno;
    }
    operation->end_ns = strata_clock_monotonic_ns();
    return (uint64_t)facts.st_size == worker->posix->options.file_bytes ? STRATA_RESULT_OK
                                                                        : STRATA_RESULT_CONTENT;
}

static int32_t rename_file(struct strata_posix_worker *worker, struct strata_operation *operation)
{
    const struct strata_posix *posix = worker->posix;
    char from[STRATA_POSIX_NAME_BYTES];
    char to[STRATA_POSIX_NAME_BYTES];
    uint64_t file = file_of(worker, operation->item);
    bool renamed = strata_item_set_contains(&posix->jobs[worker->job].renamed, file);
    strata_posix_file_name(posix, worker->job, file, renamed, from);
    strata_posix_file_name(posix, worker->job, file, !renamed, to);
    if (renameat(worker->tree, from, worker->tree, to) != 0) {
        return errno;
    }
    operation->end_ns = strata_clock_monotonic_ns();
    strata_item_set_add(&worker->changes, file);
    return STRATA_RESULT_OK;
}

static int32_t unlink_file(struct strata_posix_worker *worker, struct strata_operation *operation)
{
    char name[STRATA_POSIX_NAME_BYTES];
    uint64_t file = file_of(worker, operation->item);
    name_file(worker, file, name);
    if (unlinkat(worker->tree, name, 0) != 0) {
        return errno;
    }
    operation->end_ns = strata_clock_monotonic_ns();
    strata_item_set_add(&worker->changes, file);
    return STRATA_RESULT_OK;
}

static int32_t make_directory(struct strata_posix_worker *worker,
                              struct strata_operation *operation)
{
    unsigned tree = strata_posix_tree_of(worker->posix, worker->job);
    char name[STRATA_POSIX_NAME_BYTES];
    strata_posix_directory_name(tree, operation->item, name);
    if (mkdirat(worker->posix->root, name, 0700) != 0) {
        int code = errno;
        note_shortage(worker, code);
        return code;
    }
    operation->end_ns = strata_clock_monotonic_ns();
    strata_item_set_add(&worker->changes, operation->item);
    return STRATA_RESULT_OK;
}

/* From the last to the first, so that the tree's own directory is empty when its turn comes. */
static int32_t remove_directory(struct strata_posix_worker *worker,
                                struct strata_operation *operation)
{
    unsigned tree = strata_posix_tree_of(worker->posix, worker->job);
    const struct strata_item_set *made = &worker->posix->trees[tree];
    uint64_t directory = strata_item_set_select(made, made->count - 1 - operation->item);
    char name[STRATA_POSIX_NAME_BYTES];
    strata_posix_directory_name(tree, directory, name);
    if (unlinkat(worker->posix->root, name, AT_REMOVEDIR) != 0) {
        return errno;
    }
    operation->end_ns = strata_clock_monotonic_ns();
    strata_item_set_add(&worker->changes, directory);
    return STRATA_RESULT_OK;
}

static bool is_dots(const char *name)
{
    return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

/* Entries of an open directory but "." and "..". Returns 0 or an errno. */
static int count_entries(struct strata_posix_worker *worker, int descriptor, uint64_t *ret_entries)
{
    uint64_t entries = 0;
    ssize_t got;
    while ((got = getdents64(descriptor, worker->buffer, worker->buffer_bytes)) > 0) {
        for (size_t at = 0; at < (size_t)got;) {
            const struct dirent64 *entry = (const void *)(worker->buffer + at);
            entries += is_dots(entry->d_name) ? 0 : 1;
            at += entry->d_reclen;
        }
    }
    *ret_entries = entries;
    return got < 0 ? errno : 0;
}

static int32_t list_directory(struct strata_posix_worker *worker,
                              struct strata_operation *operation)
{
    const struct strata_posix *posix = worker->posix;
    unsigned tree = strata_posix_tree_of(posix, worker->job);
    uint64_t rank =
        posix->options.shared ? operation->item * worker->jobs + worker->job : operation->item;
    uint64_t directory = strata_item_set_select(&posix->trees[tree], rank);
    char name[STRATA_POSIX_NAME_BYTES];
    strata_posix_directory_name(tree, directory, name);
    int descriptor = open_file(posix->root, name, O_RDONLY | O_DIRECTORY);
    if (descriptor < 0) {
        return errno;
    }
    uint64_t entries;
    int code = count_entries(worker, descriptor, &entries);
    close(descriptor);
    operation->end_ns = strata_clock_monotonic_ns();
    uint64_t expected = strata_posix_expected_entries(posix, tree, directory);
    if (code != 0 || entries == expected) {
        return code;
    }
    return entries < expected ? STRATA_RESULT_SHORT : STRATA_RESULT_CONTENT;
}

/* A FUSE file system does not pass syncfs on to what it stands on, so there all are synced. */
static int32_t sync_all(struct strata_posix_worker *worker, struct strata_operation *operation)
{
    struct statfs facts;
    if (fstatfs(worker->posix->root, &facts) != 0) {
        return errno;
    }
    if (facts.f_type == FUSE_SUPER_MAGIC) {
        sync();
    } else if (syncfs(worker->posix->root) != 0) {
        return errno;
    }
    operation->end_ns = strata_clock_monotonic_ns();
    return STRATA_RESULT_OK;
}

typedef int32_t perform_kind(struct strata_posix_worker *worker,
                             struct strata_operation *operation);

static perform_kind *const performers[STRATA_OPERATION_KINDS] = {
    [STRATA_OPERATION_MKDIR] = make_directory, [STRATA_OPERATION_CREATE] = create_file,
    [STRATA_OPERATION_STAT] = stat_file,       [STRATA_OPERATION_READ] = read_file,
    [STRATA_OPERATION_RENAME] = rename_file,   [STRATA_OPERATION_READDIR] = list_directory,
    [STRATA_OPERATION_UNLINK] = unlink_file,   [STRATA_OPERATION_RMDIR] = remove_directory,
    [STRATA_OPERATION_SYNC] = sync_all,
};

bool strata_posix_can(enum strata_operation_kind kind)
{
    return performers[kind] != NULL;
}

void strata_posix_perform(struct strata_posix_worker *worker, struct strata_operation *operation)
{
    operation->result = performers[worker->kind](worker, operation);
    if (operation->result != STRATA_RESULT_OK) {
        operation->end_ns = strata_clock_monotonic_ns();
    }
}
