/* Opening a block device or a file for direct I/O, and the checks that must pass before any of it.
 *
 * Always holds: every operation lies inside the region that was checked here, on multiples of the
 * logical block; a device is written only when it was opened exclusively; a file keeps its size.
 * Whether the content may be overwritten is the guard's to say (common/host/guard.h), and moving
 * the data is each engine's. */
#include "common/target/block.h"

#include "common/base/memory.h"
#include "common/host/guard.h"
#include "common/target/block_engine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum {
    BUFFER_ALIGNMENT = 4096, /* of the buffers that jobs bring */
    SMALLEST_SECTOR = 512
};

const char *strata_block_engine_name(enum strata_block_engine engine)
{
    static const char *const names[] = {"sync", "aio", "uring"};
    return names[engine];
}

enum strata_block_engine strata_block_engine_resolve(enum strata_block_engine asked,
                                                     char *ret_reason, size_t size)
{
    ret_reason[0] = '\0';
    if (asked == STRATA_BLOCK_URING && !strata_block_uring_works(ret_reason, size)) {
        return STRATA_BLOCK_AIO;
    }
    return asked;
}

static const struct strata_target_type *engine_type(enum strata_block_engine engine)
{
    switch (engine) {
    case STRATA_BLOCK_SYNC:
        return &strata_block_sync_type;
    case STRATA_BLOCK_URING:
        return &strata_block_uring_type;
    case STRATA_BLOCK_AIO:
    default:
        return &strata_block_aio_type;
    }
}

static enum strata_status open_error(const char *path, bool writable, struct strata_error *error)
{
    switch (errno) {
    case EINVAL:
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "%s: its file system does not do direct I/O; measuring through the "
                                "page cache would measure memory",
                                path);
    case EBUSY:
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "%s: in use (mounted, swap, or held by another device or program); "
                                "expected a device that nothing else holds",
                                path);
    default:
        return strata_error_set(error, STRATA_ENVIRONMENT, "%s: cannot be opened for %s: %s", path,
                                writable ? "writing" : "reading", strerror(errno));
    }
}

/* Without the time of last access, where the caller may: keeping it takes a tenth of the time of a
 * read from memory. */
static int open_quietly(const char *path, int flags)
{
    int fd = open(path, flags | O_NOATIME);
    return fd < 0 && errno == EPERM ? open(path, flags) : fd;
}

/* Open what `found` described. Writing a device is always exclusive; reading is where nobody else
 * holds it, so that nobody begins to use it in the middle of a run. */
static enum strata_status open_direct(struct strata_block *block, const struct stat *found,
                                      bool writable, struct strata_error *error)
{
    int flags = O_DIRECT | O_CLOEXEC | O_NOCTTY | (writable ? O_RDWR : O_RDONLY);
    int exclusive = S_ISBLK(found->st_mode) ? O_EXCL : 0;
    block->parts[0].fd = open_quietly(block->path, flags | exclusive);
    if (block->parts[0].fd < 0 && errno == EBUSY && !writable) {
        block->parts[0].fd = open_quietly(block->path, flags);
    }
    if (block->parts[0].fd < 0) {
        return open_error(block->path, writable, error);
    }
    struct stat opened;
    if (fstat(block->parts[0].fd, &opened) != 0 || opened.st_ino != found->st_ino ||
        opened.st_dev != found->st_dev || opened.st_rdev != found->st_rdev) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "%s: became another file while it was being opened", block->path);
    }
    return STRATA_OK;
}

/* Where a file system does not tell its alignment (before Linux 6.1, and tmpfs, which has none):
 * whether a read at 512 is taken. */
static uint64_t probe_file_alignment(int fd)
{
    struct statfs system;
    if (fstatfs(fd, &system) == 0 && system.f_type == TMPFS_MAGIC) {
        return SMALLEST_SECTOR;
    }
    void *buffer = strata_memory_new_aligned(BUFFER_ALIGNMENT);
    bool taken = pread(fd, buffer, SMALLEST_SECTOR, SMALLEST_SECTOR) >= 0 || errno != EINVAL;
    free(buffer);
    return taken ? SMALLEST_SECTOR : BUFFER_ALIGNMENT;
}

static enum strata_status file_alignment(const struct strata_block *block, uint64_t *ret_bytes,
                                         struct strata_error *error)
{
    struct statx facts = {0};
    if (statx(block->parts[0].fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &facts) != 0 ||
        (facts.stx_mask & STATX_DIOALIGN) == 0) {
        *ret_bytes = probe_file_alignment(block->parts[0].fd);
        return STRATA_OK;
    }
    if (facts.stx_dio_offset_align == 0) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "%s: direct I/O on this file silently goes through the page cache "
                                "(encrypted, compressed or inline data?); expected a file with "
                                "real direct I/O",
                                block->path);
    }
    if (facts.stx_dio_mem_align > BUFFER_ALIGNMENT) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "%s: direct I/O needs buffers aligned to %u bytes; they are to %d",
                                block->path, facts.stx_dio_mem_align, BUFFER_ALIGNMENT);
    }
    uint64_t alignment = facts.stx_dio_offset_align;
    *ret_bytes = alignment < SMALLEST_SECTOR ? SMALLEST_SECTOR : alignment;
    return STRATA_OK;
}

/* Capacity and logical block of what was opened. */
static enum strata_status measure(const struct strata_block *block, const struct stat *found,
                                  uint64_t *ret_capacity, uint64_t *ret_logical,
                                  struct strata_error *error)
{
    if (S_ISREG(found->st_mode)) {
        *ret_capacity = (uint64_t)found->st_size;
        return file_alignment(block, ret_logical, error);
    }
    int logical = 0;
    if (ioctl(block->parts[0].fd, BLKGETSIZE64, ret_capacity) != 0 ||
        ioctl(block->parts[0].fd, BLKSSZGET, &logical) != 0 || logical <= 0) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "%s: the device does not tell its size and logical block: %s",
                                block->path, strerror(errno));
    }
    *ret_logical = (uint64_t)logical;
    return STRATA_OK;
}

static enum strata_status check_multiple(const char *path, const char *what, uint64_t value,
                                         uint64_t logical, struct strata_error *error)
{
    if (value % logical == 0) {
        return STRATA_OK;
    }
    return strata_error_set(error, STRATA_USAGE,
                            "%s: %s %llu is not a multiple of the logical block, %llu bytes", path,
                            what, (unsigned long long)value, (unsigned long long)logical);
}

static enum strata_status check_region(struct strata_block *block,
                                       const struct strata_block_options *options,
                                       uint64_t capacity, uint64_t logical,
                                       struct strata_error *error)
{
    const char *path = options->path;
    uint64_t offset = options->offset_bytes;
    if (capacity == 0) {
        return strata_error_set(error, STRATA_USAGE, "%s: is empty; expected at least one block",
                                path);
    }
    enum strata_status status = check_multiple(path, "offset", offset, logical, error);
    if (status == STRATA_OK) {
        status = check_multiple(path, "size", options->size_bytes, logical, error);
    }
    if (status != STRATA_OK) {
        return status;
    }
    if (offset > capacity || options->size_bytes > capacity - offset) {
        return strata_error_set(
            error, STRATA_USAGE, "%s: offset %llu and size %llu reach beyond its end at %llu bytes",
            path, (unsigned long long)offset, (unsigned long long)options->size_bytes,
            (unsigned long long)capacity);
    }
    block->block_bytes = options->block_bytes != 0 ? options->block_bytes : logical;
    if (block->block_bytes % logical != 0) {
        return strata_error_set(
            error, STRATA_ENVIRONMENT,
            STRATA_UNSUPPORTED "%s: block size %llu is not a multiple of its logical block, "
                               "%llu bytes",
            path, (unsigned long long)options->block_bytes, (unsigned long long)logical);
    }
    uint64_t size = options->size_bytes != 0 ? options->size_bytes : capacity - offset;
    block->parts[0].region_bytes = size;
    block->parts[0].is_whole = size == capacity;
    block->items = size / block->block_bytes;
    if (block->items == 0) {
        return strata_error_set(error, STRATA_USAGE,
                                "%s: %llu bytes from offset %llu do not hold a block of %llu", path,
                                (unsigned long long)size, (unsigned long long)offset,
                                (unsigned long long)block->block_bytes);
    }
    return STRATA_OK;
}

static enum strata_status check_polled(const struct strata_block_options *options,
                                       const struct strata_block *block, struct strata_error *error)
{
    char reason[160] = "engine uring alone has it";
    if (!options->polled || (options->engine == STRATA_BLOCK_URING &&
                             strata_block_uring_polls(block, reason, sizeof(reason)))) {
        return STRATA_OK;
    }
    return strata_error_set(error, STRATA_ENVIRONMENT,
                            STRATA_UNSUPPORTED "polled I/O on %s with engine %s: %s", options->path,
                            strata_block_engine_name(options->engine), reason);
}

enum strata_status strata_block_open(const struct strata_block_options *options,
                                     struct strata_target **ret_target, struct strata_error *error)
{
    struct stat found;
    enum strata_status status = strata_guard_identify(options->path, &found, error);
    if (status != STRATA_OK) {
        return status;
    }
    char reason[160];
    if (strata_block_engine_resolve(options->engine, reason, sizeof(reason)) != options->engine) {
        return strata_error_set(error, STRATA_ENVIRONMENT, STRATA_UNSUPPORTED "engine %s: %s",
                                strata_block_engine_name(options->engine), reason);
    }
    struct strata_block *block = strata_memory_new(1, sizeof(*block));
    block->target.type = engine_type(options->engine);
    block->path = options->path;
    block->parts = strata_memory_new(1, sizeof(*block->parts));
    block->part_count = 1;
    block->parts[0].is_file = S_ISREG(found.st_mode);
    block->parts[0].offset_bytes = options->offset_bytes;
    block->polled = options->polled;
    block->give_up_ns = options->give_up_ns > 0 ? options->give_up_ns : UINT64_MAX;
    uint64_t capacity = 0;
    uint64_t logical = 0;
    status = open_direct(block, &found, options->writable, error);
    if (status == STRATA_OK) {
        status = measure(block, &found, &capacity, &logical, error);
    }
    if (status == STRATA_OK) {
        status = check_region(block, options, capacity, logical, error);
    }
    if (status == STRATA_OK) {
        status = check_polled(options, block, error);
    }
    if (status != STRATA_OK) {
        strata_block_close(&block->target);
        return status;
    }
    *ret_target = &block->target;
    return STRATA_OK;
}

uint64_t strata_block_items(const struct strata_target *target, unsigned job, unsigned jobs,
                            enum strata_operation_kind kind)
{
    (void)job, (void)jobs, (void)kind;
    return ((const struct strata_block *)target)->items;
}

bool strata_block_is_whole_device(const struct strata_target *target)
{
    const struct strata_block *block = (const struct strata_block *)target;
    bool whole = true;
    for (unsigned part = 0; part < block->part_count; part++) {
        whole = whole && block->parts[part].is_whole && !block->parts[part].is_file;
    }
    return whole;
}

static int discard(const struct strata_block_part *part)
{
    uint64_t range[2] = {part->offset_bytes, part->region_bytes};
    return part->is_file ? fallocate(part->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                     (off_t)range[0], (off_t)range[1])
                         : ioctl(part->fd, BLKDISCARD, range);
}

enum strata_status strata_block_discard(const struct strata_target *target,
                                        struct strata_error *error)
{
    const struct strata_block *block = (const struct strata_block *)target;
    for (unsigned part = 0; part < block->part_count; part++) {
        if (discard(&block->parts[part]) != 0) {
            return strata_error_set(error, STRATA_ENVIRONMENT,
                                    STRATA_UNSUPPORTED "%s: its content cannot be discarded: %s",
                                    block->path, strerror(errno));
        }
    }
    return STRATA_OK;
}

void strata_block_close(struct strata_target *target)
{
    struct strata_block *block = (struct strata_block *)target;
    for (unsigned part = 0; part < block->part_count; part++) {
        if (block->parts[part].fd >= 0) {
            close(block->parts[part].fd);
        }
    }
    free(block->parts);
    free(block);
}

struct strata_target *strata_block_join(struct strata_target *const *members, unsigned count)
{
    struct strata_block *whole = (struct strata_block *)members[0];
    struct strata_block_part *parts = strata_memory_new(count, sizeof(*parts));
    uint64_t fewest = whole->items;
    for (unsigned i = 0; i < count; i++) {
        struct strata_block *member = (struct strata_block *)members[i];
        parts[i] = member->parts[0];
        member->parts[0].fd = -1;
        fewest = member->items < fewest ? member->items : fewest;
        if (i > 0) {
            strata_block_close(members[i]);
        }
    }
    free(whole->parts);
    whole->parts = parts;
    whole->part_count = count;
    whole->items = count * fewest;
    return &whole->target;
}
