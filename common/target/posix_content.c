/* What files hold, and how a read is kept from being served by this machine's memory.
 *
 * Always holds: each 4 KiB block of a run begins with bytes that no other block has, over a random
 * rest, so that neither compression nor deduplication nor a stale block passes for the real thing.
 */
#include "common/target/posix_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK_BYTES = 4096 };

static const char drop_caches_path[] = "/proc/sys/vm/drop_caches";

struct stamp {
    uint64_t seed;
    uint64_t file; /* the job's number in the upper bits */
    uint64_t block;
};

static struct stamp stamp_of(uint64_t seed, unsigned job, uint64_t file, uint64_t position)
{
    return (struct stamp){
        .seed = seed, .file = (uint64_t)job << 40 | file, .block = position / BLOCK_BYTES};
}

static size_t stamp_bytes(uint64_t left)
{
    return left < sizeof(struct stamp) ? (size_t)left : sizeof(struct stamp);
}

void strata_posix_stamp(uint8_t *content, uint64_t bytes, uint64_t offset, uint64_t seed,
                        unsigned job, uint64_t file)
{
    for (uint64_t at = 0; at < bytes; at += BLOCK_BYTES) {
        struct stamp stamp = stamp_of(seed, job, file, offset + at);
        memcpy(content + at, &stamp, stamp_bytes(bytes - at));
    }
}

bool strata_posix_stamped(const uint8_t *content, uint64_t bytes, uint64_t offset, uint64_t seed,
                          unsigned job, uint64_t file)
{
    for (uint64_t at = 0; at < bytes; at += BLOCK_BYTES) {
        struct stamp stamp = stamp_of(seed, job, file, offset + at);
        if (memcmp(content + at, &stamp, stamp_bytes(bytes - at)) != 0) {
            return false;
        }
    }
    return true;
}

static bool may_drop_all(void)
{
    return faccessat(AT_FDCWD, drop_caches_path, W_OK, AT_EACCESS) == 0;
}

const char *strata_posix_cache_dropping(void)
{
    return may_drop_all() ? "dropped" : "advised";
}

/* Of every file system, as a FUSE one stands on another: first everything is written, as dirty
 * pages are not dropped. */
static int drop_all(void)
{
    sync();
    int descriptor = open(drop_caches_path, O_WRONLY | O_CLOEXEC);
    ssize_t written = descriptor >= 0 ? write(descriptor, "1\n", 2) : -1;
    int code = written == 2 ? 0 : errno;
    if (descriptor >= 0) {
        close(descriptor);
    }
    return code;
}

static void advise_files(const struct strata_posix *posix, unsigned job, int tree)
{
    const struct strata_posix_job *own = &posix->jobs[job];
    for (uint64_t i = 0; i < own->files.count; i++) {
        char name[STRATA_POSIX_NAME_BYTES];
        uint64_t file = strata_item_set_select(&own->files, i);
        strata_posix_file_name(posix, job, file, strata_item_set_contains(&own->renamed, file),
                               name);
        int descriptor = openat(tree, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        if (descriptor >= 0) { /* else the phase itself meets the failure and counts it */
            (void)fdatasync(descriptor);
            (void)posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
            close(descriptor);
        }
    }
}

int strata_posix_drop_cache(const struct strata_posix *posix, unsigned job, int tree)
{
    if (!may_drop_all()) {
        advise_files(posix, job, tree);
        return 0;
    }
    return job == 0 ? drop_all() : 0;
}
