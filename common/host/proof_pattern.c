/* Does what is written into a file stand on the device as it was written?
 *
 * Always holds: the block looked at is the one that the file system's own map names, read with
 * direct I/O from the device after the file was synced; the file goes whatever was found. A
 * device-mapper device below the file system shows what dm-crypt deciphered, so this says nothing
 * about dm-crypt. */
#include "common/host/proof_pattern.h"

#include "common/base/entropy.h"
#include "common/base/memory.h"
#include "common/host/stack.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    BLOCK_BYTES = 4096,
    FILE_BYTES = 4 * BLOCK_BYTES /* too long to live in an inode */
};

/* Ciphertext of this length has 7.95 bits a byte; the pattern has 0. */
#define LEAST_BITS 7.8

static const char pattern_name[] = "strata-pattern";

struct pattern {
    uint8_t written[FILE_BYTES];
    uint8_t back[FILE_BYTES];
    uint8_t below[BLOCK_BYTES];
};

/* Where the file's first block stands on its device, in bytes; false when the map does not say. */
static bool find_block(int file, uint64_t *ret_offset_bytes)
{
    union {
        struct fiemap map;
        uint8_t bytes[sizeof(struct fiemap) + sizeof(struct fiemap_extent)];
    } request;
    memset(&request, 0, sizeof(request));
    request.map.fm_length = BLOCK_BYTES;
    request.map.fm_flags = FIEMAP_FLAG_SYNC;
    request.map.fm_extent_count = 1;
    if (ioctl(file, FS_IOC_FIEMAP, &request) != 0 || request.map.fm_mapped_extents != 1) {
        return false;
    }
    struct fiemap_extent extent;
    memcpy(&extent, request.bytes + sizeof(struct fiemap), sizeof(extent));
    const uint32_t elsewhere = FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC |
                               FIEMAP_EXTENT_NOT_ALIGNED | FIEMAP_EXTENT_DATA_INLINE |
                               FIEMAP_EXTENT_UNWRITTEN;
    *ret_offset_bytes = extent.fe_physical;
    return (extent.fe_flags & elsewhere) == 0 && extent.fe_logical == 0;
}

static bool read_device(const char *directory, uint64_t offset_bytes, uint8_t *block,
                        char ret_device[STRATA_STACK_NAME])
{
    char path[STRATA_STACK_NAME + 8];
    if (!strata_stack_device_of("", directory, ret_device)) {
        return false;
    }
    snprintf(path, sizeof(path), "/dev/%s", ret_device);
    int device = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
    if (device < 0) {
        return false;
    }
    bool whole = pread(device, block, BLOCK_BYTES, (off_t)offset_bytes) == BLOCK_BYTES;
    close(device);
    return whole;
}

static enum strata_status judge(const char *directory, const struct pattern *pattern,
                                const char *device, struct strata_proof *proof,
                                struct strata_error *error)
{
    double bits = strata_entropy_bits(pattern->below, BLOCK_BYTES);
    if (memcmp(pattern->below, pattern->written, BLOCK_BYTES) == 0 || bits < LEAST_BITS) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "%s: what was written there stands on %s readable (%.2f bits of "
                                "entropy a byte)",
                                directory, device, bits);
    }
    char before[128]; /* as much as there is room for */
    snprintf(before, sizeof(before), "%.127s", proof->evidence);
    proof->level = STRATA_PROOF_FUNCTIONAL;
    snprintf(proof->evidence, sizeof(proof->evidence),
             "a pattern stands on %s as %.2f bits of entropy a byte and reads back equal; %s",
             device, bits, before);
    return STRATA_OK;
}

/* Write, sync, forget, read back. */
static bool write_and_read(int file, struct pattern *pattern)
{
    return pwrite(file, pattern->written, FILE_BYTES, 0) == FILE_BYTES && fsync(file) == 0 &&
           posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0 &&
           pread(file, pattern->back, FILE_BYTES, 0) == FILE_BYTES;
}

static enum strata_status try_file(const char *directory, int file, struct pattern *pattern,
                                   struct strata_proof *proof, struct strata_error *error)
{
    char device[STRATA_STACK_NAME];
    uint64_t offset_bytes;
    memset(pattern->written, 'S', FILE_BYTES);
    errno = 0;
    if (!write_and_read(file, pattern)) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "%s: a pattern cannot be written and read there: %s", directory,
                                errno != 0 ? strerror(errno) : "only a part was moved");
    }
    if (memcmp(pattern->written, pattern->back, FILE_BYTES) != 0) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "%s: what was written there does not read back equal", directory);
    }
    if (!find_block(file, &offset_bytes) ||
        !read_device(directory, offset_bytes, pattern->below, device)) {
        return STRATA_OK; /* this user cannot see it: the proof stays what it was */
    }
    return judge(directory, pattern, device, proof, error);
}

enum strata_status strata_proof_by_pattern(const char *directory, struct strata_proof *proof,
                                           struct strata_error *error)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/%s", directory, pattern_name);
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) {
        return strata_error_set(error, STRATA_ENVIRONMENT, "%s: cannot be made: %s", path,
                                strerror(errno));
    }
    struct pattern *pattern = strata_memory_new_aligned(sizeof(*pattern));
    enum strata_status status = try_file(directory, file, pattern, proof, error);
    free(pattern);
    close(file);
    (void)unlink(path);
    return status;
}
