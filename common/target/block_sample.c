/* Whether the blocks that a run will read were ever written: reading what was not costs less than
 * reading data, or nothing.
 *
 * Always holds: a device that hangs is noticed here, by asynchronous reads with a limit, and not by
 * a thread that never comes back. */
#include "common/base/memory.h"
#include "common/target/block_engine.h"
#include "common/target/single.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SAMPLES = 64, SAMPLE_BYTES = 64 << 10 };

static bool all_zero(const uint8_t *bytes, size_t count)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, count - 1) == 0;
}

/* The i-th of the samples' items: evenly over the region, and of several parts each in turn. */
static uint64_t spread(const struct strata_block *block, uint64_t samples, uint64_t i)
{
    uint64_t item = block->items / samples * i;
    return item - item % block->part_count + i % block->part_count;
}

/* Whether the item was never written. One that cannot be read is not judged here: the run counts
 * it. */
static enum strata_status never_written(const struct strata_block *block,
                                        struct strata_worker *reader, uint64_t item, void *buffer,
                                        uint64_t bytes, bool *ret_never, struct strata_error *error)
{
    const struct strata_operation look = {.item = item};
    off_t position;
    const struct strata_block_part *part =
        &block->parts[strata_block_place(block, &look, &position)];
    if (part->is_file) {
        *ret_never = lseek(part->fd, position, SEEK_HOLE) == position;
        return STRATA_OK;
    }
    int32_t result = STRATA_RESULT_OK;
    enum strata_status status = strata_single(reader, STRATA_OPERATION_READ, item, buffer, bytes,
                                              block->path, block->give_up_ns, &result, error);
    *ret_never = status == STRATA_OK && result == STRATA_RESULT_OK && all_zero(buffer, bytes);
    return status;
}

static enum strata_status sample(struct strata_block *block, struct strata_worker *reader,
                                 uint64_t bytes, struct strata_error *error)
{
    uint64_t samples = block->items < SAMPLES ? block->items : SAMPLES;
    uint8_t *buffer = strata_memory_new_aligned(bytes);
    enum strata_status status = STRATA_OK;
    for (uint64_t i = 0; i < samples && status == STRATA_OK; i++) {
        bool never = false;
        status =
            never_written(block, reader, spread(block, samples, i), buffer, bytes, &never, error);
        block->unwritten += never;
        block->sampled++;
    }
    if (!strata_single_holds(status, error)) {
        free(buffer);
    }
    return status;
}

enum strata_status strata_block_prepare(struct strata_target *target, unsigned kinds,
                                        struct strata_error *error)
{
    struct strata_block *block = (struct strata_block *)target;
    if ((kinds & (1U << STRATA_OPERATION_READ)) == 0) {
        return STRATA_OK;
    }
    uint64_t bytes = block->block_bytes < SAMPLE_BYTES ? block->block_bytes : SAMPLE_BYTES;
    const struct strata_worker_setup setup = {
        .jobs = 1, .depth = 1, .bytes = bytes, .kinds = 1U << STRATA_OPERATION_READ};
    struct strata_block view = *block; /* the same place, whatever engine the run has */
    struct strata_worker *reader;
    view.target.type = &strata_block_aio_type;
    enum strata_status status = view.target.type->worker_open(&view.target, &setup, &reader, error);
    if (status != STRATA_OK) { /* no asynchronous I/O to be had: then without the limit */
        view.target.type = &strata_block_sync_type;
        status = view.target.type->worker_open(&view.target, &setup, &reader, error);
    }
    if (status == STRATA_OK) {
        status = sample(block, reader, bytes, error);
        view.target.type->worker_close(reader);
    }
    return status;
}

void strata_block_samples(const struct strata_target *target, unsigned *ret_sampled,
                          unsigned *ret_unwritten)
{
    const struct strata_block *block = (const struct strata_block *)target;
    *ret_sampled = block->sampled;
    *ret_unwritten = block->unwritten;
}
