/* Stamps of sectors: made from a few numbers, so that nothing has to be kept to check them.
 *
 * Always holds: two sectors of different key, place or generation differ in their first bytes, and
 * random bytes fill the rest, so that neither compression nor deduplication makes blocks cheaper.
 * What was written last to a block is left to verify.c. */
#include "common/target/stamp.h"

#include "common/base/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* 2^64 / golden ratio: neighbours get seeds far from each other. */
#define SPREAD UINT64_C(0x9e3779b97f4a7c15)

static void fill_sector(const struct strata_stamp *stamp, uint8_t *content)
{
    struct strata_random random;
    strata_random_seed(&random, stamp->key ^ (stamp->sector * SPREAD + stamp->generation));
    memcpy(content, stamp, sizeof(*stamp));
    strata_random_fill(&random, content + sizeof(*stamp), STRATA_STAMP_BYTES - sizeof(*stamp));
}

void strata_stamp_fill(struct strata_stamp stamp, void *content, size_t bytes)
{
    uint8_t *next = content;
    stamp.magic = STRATA_STAMP_MAGIC;
    for (size_t at = 0; at < bytes; at += STRATA_STAMP_BYTES) {
        fill_sector(&stamp, next + at);
        stamp.sector++;
    }
}

static size_t first_difference(const uint8_t *a, const uint8_t *b, size_t bytes)
{
    size_t at = 0;
    while (at < bytes && a[at] == b[at]) {
        at++;
    }
    return at;
}

size_t strata_stamp_check(struct strata_stamp stamp, const void *content, size_t bytes)
{
    const uint8_t *found = content;
    uint8_t expected[STRATA_STAMP_BYTES];
    stamp.magic = STRATA_STAMP_MAGIC;
    for (size_t at = 0; at < bytes; at += STRATA_STAMP_BYTES) {
        fill_sector(&stamp, expected);
        if (memcmp(expected, found + at, STRATA_STAMP_BYTES) != 0) {
            return at + first_difference(expected, found + at, STRATA_STAMP_BYTES);
        }
        stamp.sector++;
    }
    return bytes;
}

/* Whether the sector is as some run stamped it. */
static bool is_genuine(const struct strata_stamp *stamp, const uint8_t *sector)
{
    uint8_t content[STRATA_STAMP_BYTES];
    if (stamp->magic != STRATA_STAMP_MAGIC) {
        return false;
    }
    fill_sector(stamp, content);
    return memcmp(content, sector, STRATA_STAMP_BYTES) == 0;
}

void strata_stamp_explain(struct strata_stamp stamp, const void *content, size_t bytes, size_t at,
                          uint8_t *ret_expected, char *ret_text, size_t size)
{
    size_t begin = at / STRATA_STAMP_BYTES * STRATA_STAMP_BYTES;
    uint64_t sectors_per_block = bytes / STRATA_STAMP_BYTES;
    const uint8_t *sector = (const uint8_t *)content + begin;
    uint8_t expected[STRATA_STAMP_BYTES];
    stamp.magic = STRATA_STAMP_MAGIC;
    stamp.sector += begin / STRATA_STAMP_BYTES;
    fill_sector(&stamp, expected);
    *ret_expected = expected[at - begin];

    struct strata_stamp found;
    memcpy(&found, sector, sizeof(found));
    if (!is_genuine(&found, sector)) {
        unsigned wrong = 0;
        for (size_t i = 0; i < STRATA_STAMP_BYTES; i++) {
            wrong += sector[i] != expected[i];
        }
        (void)snprintf(ret_text, size, "garbage: %u of the sector's 512 bytes are wrong", wrong);
    } else if (found.key != stamp.key) {
        (void)snprintf(ret_text, size,
                       "stale: the sector is as another run left it, or of another device");
    } else if (found.sector != stamp.sector) {
        (void)snprintf(ret_text, size, "misdirected: the sector is of block %" PRIu64,
                       found.sector / sectors_per_block);
    } else {
        (void)snprintf(ret_text, size, "stale: as the block's writing %u left it, written were %u",
                       found.generation, stamp.generation);
    }
}
