/* The memory that a job's operations carry. Part of the engine. */
#ifndef STRATA_LOAD_PAYLOAD_H
#define STRATA_LOAD_PAYLOAD_H

#include "common/measure/operation.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

struct strata_payload {
    uint8_t *reads;  /* a buffer for each slot, or NULL when nothing is read */
    uint8_t *writes; /* likewise */
    size_t bytes;    /* of one operation; 0: no buffers */
    size_t stride;   /* from one buffer to the next; keeps each aligned to 4096 */
    unsigned depth;
    uint64_t stamp[2]; /* of the next block to write */
};

/* Bytes from one buffer of `bytes` to the next. */
size_t strata_payload_stride(size_t bytes);

/* How many buffers each slot has: one for what brings bytes, one for what takes them away. */
unsigned strata_payload_buffers(unsigned kinds);

/* Make `depth` buffers of `bytes` for reading, writing or both, as the bit set `kinds` asks; those
 * for writing are filled with incompressible bytes. `identity` must be unique to the job and the
 * phase. Owns: released by _done. */
void strata_payload_init(struct strata_payload *payload, unsigned kinds, unsigned depth,
                         size_t bytes, uint64_t identity);
void strata_payload_done(struct strata_payload *payload);

/* The memory in which the buffers for reading and those for writing lie; empty where there is
 * none. */
struct iovec strata_payload_reads(const struct strata_payload *payload);
struct iovec strata_payload_writes(const struct strata_payload *payload);

/* Give each operation its slot's buffer; what will be written gets content that was never written
 * before. */
void strata_payload_fill(struct strata_payload *payload, struct strata_operation *const *operations,
                         unsigned count);

#endif
