/* What a run met that its numbers alone do not say: which resource ran out, and how far it came.
 *
 * Always holds: the figures are those of the moment at which the first job found no room, since
 * later phases give room back. */
#include "common/base/units.h"
#include "common/target/posix_tree.h"

#include <errno.h>
#include <stdio.h>

/* The first job's that found no room; NULL when all did. */
static const struct strata_posix_shortage *find_shortage(const struct strata_posix *posix)
{
    for (unsigned job = 0; job < posix->options.jobs; job++) {
        if (posix->jobs[job].shortage.code != 0) {
            return &posix->jobs[job].shortage;
        }
    }
    return NULL;
}

/* A file needs an inode, and blocks for its content and its name. */
static const char *name_limit(const struct strata_posix *posix,
                              const struct strata_posix_shortage *shortage)
{
    uint64_t block_bytes = 4096;
    uint64_t needed_bytes =
        posix->options.file_bytes > block_bytes ? posix->options.file_bytes : block_bytes;
    bool inodes_out = shortage->inodes > 0 && shortage->free_inodes == 0;
    bool bytes_out = shortage->free_bytes < needed_bytes;
    if (shortage->code == EDQUOT) {
        return "quota used up";
    }
    if (inodes_out && bytes_out) {
        return "out of space and inodes";
    }
    return inodes_out ? "out of inodes" : "out of space";
}

void strata_posix_findings(const struct strata_target *target, char *text, size_t size)
{
    const struct strata_posix *posix = (const struct strata_posix *)target;
    const struct strata_posix_shortage *shortage = find_shortage(posix);
    if (shortage == NULL) {
        if (size > 0) {
            text[0] = '\0';
        }
        return;
    }
    uint64_t created = 0;
    for (unsigned job = 0; job < posix->options.jobs; job++) {
        created += posix->jobs[job].created;
    }
    char room[32];
    char inodes[32] = "an uncounted number of";
    if (shortage->inodes > 0) {
        snprintf(inodes, sizeof(inodes), "%llu", (unsigned long long)shortage->free_inodes);
    }
    snprintf(text, size, "%s: %s and %s inodes were free; %llu of %llu files were made",
             name_limit(posix, shortage),
             strata_units_format_size(shortage->free_bytes, room, sizeof(room)), inodes,
             (unsigned long long)created, (unsigned long long)posix->options.files);
}
