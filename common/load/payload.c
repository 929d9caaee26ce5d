/* Buffers whose content a device can neither compress nor deduplicate.
 *
 * Random bytes are made once, before measuring; each write then changes 16 bytes in every 4 KiB of
 * its buffer, so no two 4 KiB blocks that a run writes are equal, and a block smaller than that is
 * unique too. Reads have buffers of their own: what they bring, perhaps zeros, is never written. */
#include "common/load/payload.h"

#include "common/base/memory.h"
#include "common/base/random.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 4096 };

static const unsigned write_kinds =
    1U << STRATA_OPERATION_WRITE | 1U << STRATA_OPERATION_CREATE | 1U << STRATA_OPERATION_PUT;

size_t strata_payload_stride(size_t bytes)
{
    return (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
}

unsigned strata_payload_buffers(unsigned kinds)
{
    return ((kinds & ~write_kinds) != 0 ? 1U : 0U) + ((kinds & write_kinds) != 0 ? 1U : 0U);
}

void strata_payload_init(struct strata_payload *payload, unsigned kinds, unsigned depth,
                         size_t bytes, uint64_t identity)
{
    *payload = (struct strata_payload){.bytes = bytes, .depth = depth, .stamp = {identity, 0}};
    if (bytes == 0) {
        return;
    }
    payload->stride = strata_payload_stride(bytes);
    if ((kinds & ~write_kinds) != 0) {
        payload->reads = strata_memory_new_aligned(depth * payload->stride);
    }
    if ((kinds & write_kinds) != 0) {
        struct strata_random random;
        strata_random_seed(&random, identity);
        payload->writes = strata_memory_new_aligned(depth * payload->stride);
        strata_random_fill(&random, payload->writes, depth * payload->stride);
    }
}

void strata_payload_done(struct strata_payload *payload)
{
    free(payload->reads);
    free(payload->writes);
    *payload = (struct strata_payload){.bytes = 0};
}

static struct iovec all_of(const struct strata_payload *payload, uint8_t *buffers)
{
    return (struct iovec){buffers, buffers == NULL ? 0 : payload->depth * payload->stride};
}

struct iovec strata_payload_reads(const struct strata_payload *payload)
{
    return all_of(payload, payload->reads);
}

struct iovec strata_payload_writes(const struct strata_payload *payload)
{
    return all_of(payload, payload->writes);
}

static void stamp(struct strata_payload *payload, uint8_t *buffer)
{
    for (size_t at = 0; at + sizeof(payload->stamp) <= payload->bytes; at += BLOCK_BYTES) {
        memcpy(buffer + at, payload->stamp, sizeof(payload->stamp));
        payload->stamp[1]++;
    }
}

void strata_payload_fill(struct strata_payload *payload, struct strata_operation *const *operations,
                         unsigned count)
{
    if (payload->bytes == 0) {
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        size_t offset = operations[i]->slot * payload->stride;
        if ((write_kinds & 1U << operations[i]->kind) != 0) {
            operations[i]->buffer = payload->writes + offset;
            stamp(payload, operations[i]->buffer);
        } else {
            operations[i]->buffer = payload->reads + offset;
        }
    }
}
