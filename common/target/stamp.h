/* What a block that is verified holds: every byte follows from whose it is, where it belongs, and
 * the how-manieth writing of it it is. */
#ifndef STRATA_TARGET_STAMP_H
#define STRATA_TARGET_STAMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STRATA_STAMP_BYTES = 512 }; /* each sector bears a stamp of its own */

/* The beginning of a sector, in the machine's byte order; what follows is random, seeded by it. */
struct strata_stamp {
    uint64_t key;        /* of the run and device */
    uint64_t sector;     /* number in the region, in units of 512 bytes */
    uint32_t generation; /* from 1: writings of its block by the run */
    uint32_t magic;      /* STRATA_STAMP_MAGIC */
};
#define STRATA_STAMP_MAGIC UINT32_C(0x414d5453) /* "STMA" */

/* Fill `bytes` (a multiple of 512) that begin at sector `stamp.sector`. */
void strata_stamp_fill(struct strata_stamp stamp, void *content, size_t bytes);

/* The first byte that is not as it was filled, or `bytes` where all are. */
size_t strata_stamp_check(struct strata_stamp stamp, const void *content, size_t bytes);

/* Say what the sector of `content` (the whole block of `bytes`) is in which the wrong byte `at`
 * lies: another block's content, an older one's, another run's, or none that was ever written.
 * Writes the byte that was expected to *ret_expected. */
void strata_stamp_explain(struct strata_stamp stamp, const void *content, size_t bytes, size_t at,
                          uint8_t *ret_expected, char *ret_text, size_t size);

#endif
