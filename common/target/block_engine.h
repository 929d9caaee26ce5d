/* What the engines of a block target share; for common/target/{block,sync,aio,uring}.c alone. */
#ifndef STRATA_TARGET_BLOCK_ENGINE_H
#define STRATA_TARGET_BLOCK_ENGINE_H

#include "common/target/block.h"

#include <sys/types.h>

/* A device or file of the target. */
struct strata_block_part {
    int fd;
    bool is_file;          /* a regular file stands for the device */
    bool is_whole;         /* all of it is used */
    uint64_t offset_bytes; /* first byte to use */
    uint64_t region_bytes; /* from there on; a last part of a block belongs to it */
};

struct strata_block {
    struct strata_target target;
    const char *path;                /* of the first part */
    struct strata_block_part *parts; /* item i lies on part i mod part_count */
    unsigned part_count;
    uint64_t block_bytes;
    uint64_t items;      /* of all parts together */
    bool polled;         /* uring alone: the device is asked, not waited for */
    uint64_t give_up_ns; /* of one look at a block before the run */
    unsigned sampled;    /* blocks that prepare looked at */
    unsigned unwritten;  /* of those, how many were never written */
};

/* How long worker_close waits for operations that are still in flight, in all. A device that does
 * not answer by then keeps the worker's memory: the kernel may still write to it. */
#define STRATA_BLOCK_CLOSE_NS UINT64_C(2000000000)

extern const struct strata_target_type strata_block_sync_type;
extern const struct strata_target_type strata_block_aio_type;
extern const struct strata_target_type strata_block_uring_type;

/* Whether io_uring works here, by setting one up. Fills `ret_reason` when it does not. */
bool strata_block_uring_works(char *ret_reason, size_t size);

/* Whether the device or file takes polled reads, by one of them. Fills `ret_reason` when not. */
bool strata_block_uring_polls(const struct strata_block *block, char *ret_reason, size_t size);

/* Functions that are the same in every engine's table. */
enum strata_status strata_block_prepare(struct strata_target *target, unsigned kinds,
                                        struct strata_error *error);
uint64_t strata_block_items(const struct strata_target *target, unsigned job, unsigned jobs,
                            enum strata_operation_kind kind);
void strata_block_close(struct strata_target *target);

/* The part on which the operation's block lies, and the byte of it at which it begins. */
static inline unsigned strata_block_place(const struct strata_block *block,
                                          const struct strata_operation *operation,
                                          off_t *ret_position)
{
    unsigned part = 0;
    uint64_t index = operation->item;
    if (block->part_count > 1) { /* a division costs as much as the rest of a submission */
        part = (unsigned)(index % block->part_count);
        index /= block->part_count;
    }
    *ret_position = (off_t)(block->parts[part].offset_bytes + index * block->block_bytes);
    return part;
}

/* Set the operation's result from what the kernel returned: bytes moved, or a negative errno. */
static inline void strata_block_finish(struct strata_operation *operation, int64_t returned)
{
    if (returned == (int64_t)operation->bytes) {
        operation->result = STRATA_RESULT_OK;
    } else if (returned < 0) {
        operation->result = (int32_t)-returned;
    } else {
        operation->result = STRATA_RESULT_SHORT;
        operation->bytes = (uint64_t)returned;
    }
}

#endif
