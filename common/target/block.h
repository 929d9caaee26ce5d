/* A block device, or a regular file that stands for one, behind one of three engines. */
#ifndef STRATA_TARGET_BLOCK_H
#define STRATA_TARGET_BLOCK_H

#include "common/target/target.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum strata_block_engine {
    STRATA_BLOCK_SYNC, /* pread and pwrite, depth 1 */
    STRATA_BLOCK_AIO,  /* the kernel's native asynchronous I/O */
    STRATA_BLOCK_URING /* io_uring; not on every kernel, not in every build */
};

struct strata_block_options {
    const char *path;
    enum strata_block_engine engine;
    bool writable;
    uint64_t offset_bytes; /* first byte to use */
    uint64_t size_bytes;   /* bytes to use from there; 0: up to the end */
    uint64_t block_bytes;  /* of every operation; item i lies at offset + i * block. 0: the logical
                              block */
    bool polled;           /* uring alone: ask the device's queues instead of being interrupted */
    uint64_t give_up_ns;   /* how long one look at a block may take before the run; 0: for ever */
};

/* "sync", "aio", "uring". */
const char *strata_block_engine_name(enum strata_block_engine engine);

/* The engine that will do the work of `asked`: aio where this build or this kernel has no io_uring.
 * `ret_reason`: why another one, "" when it is the one asked for. */
enum strata_block_engine strata_block_engine_resolve(enum strata_block_engine asked,
                                                     char *ret_reason, size_t size);

/* Open a block device or regular file with direct I/O: for writing a device exclusively, for
 * reading exclusively where nobody else holds it. Nothing is read or written before every check
 * has passed; a file is never extended.
 * Errors: STRATA_USAGE for a path of another kind, an offset or size that is not a multiple of the
 * logical block or lies beyond the end; STRATA_ENVIRONMENT when it cannot be opened so, and
 * "unsupported: ..." for a block size that is no multiple of the logical block, a file system
 * without direct I/O, an engine that is not there (see strata_block_engine_resolve), or polled I/O
 * where the engine or the device has none.
 * Owns: the target, released by its close; `path` is borrowed for as long. */
enum strata_status strata_block_open(const struct strata_block_options *options,
                                     struct strata_target **ret_target, struct strata_error *error);

/* Make one target of several that were opened with the same engine and block size: item i lies on
 * member i mod `count`, as its item i / `count`; of each member as many items are used as the
 * smallest has. Owns: the result takes the members over. */
struct strata_target *strata_block_join(struct strata_target *const *members, unsigned count);

/* After `prepare` for reading: how many blocks it looked at, spread over the region, and how many
 * of them were never written (a file: holes and unwritten extents; a device: nothing but zeros, as
 * it cannot be told apart). Reading those costs less than reading data. 0 of 0 before. The target
 * must come from strata_block_open. */
void strata_block_samples(const struct strata_target *target, unsigned *ret_sampled,
                          unsigned *ret_unwritten);

/* Whether the region is all of a block device, and no part of one, nor a file. Likewise. */
bool strata_block_is_whole_device(const struct strata_target *target);

/* Tell the device that the content of the whole region is not needed any more (BLKDISCARD; in a
 * file a hole is punched). Errors: STRATA_ENVIRONMENT, "unsupported: ..." where it cannot.
 * Likewise. */
enum strata_status strata_block_discard(const struct strata_target *target,
                                        struct strata_error *error);

#endif
