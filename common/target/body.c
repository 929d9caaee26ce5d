/* Content for uploads, made on the fly: a server must find nothing to compress or to share in it,
 * and a download must be checked without a copy of what was sent.
 *
 * Each 4 KiB block is a block of a small random pool, every word XORed with the block's own key;
 * its first word is the key itself. The key is a bijection of the block's number in the run (over
 * all items), so no two blocks of a run are equal, and no stretch of one block occurs in another.
 *
 * What must always hold: the same seed, item and offset give the same byte, on any thread. What is
 * left to others: encryption (common/target/body_gcm.c) and typed files (the user layer). */
#include "common/target/body.h"

#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/measure/operation.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_BYTES = 4096,
    BLOCK_WORDS = BLOCK_BYTES / 8,
    POOL_BLOCKS = 32, /* 128 KiB: stays in the processor's second cache */
    MD5_CHUNK = 65536
};

struct pool_body {
    struct strata_body body;
    uint64_t seed;
    uint64_t bytes;
    uint64_t blocks_per_item; /* at least 1 */
    uint64_t pool[POOL_BLOCKS][BLOCK_WORDS];
};

struct pool_stream {
    const struct pool_body *body;
    uint64_t first_block; /* of the item, counted over all items */
    uint64_t position;    /* next byte of the item */
    uint64_t block[BLOCK_WORDS];
};

/* Source: the finalizer of splitmix64 (Steele, Lea, Flood, 2014), a bijection of 64-bit words. */
static uint64_t mix(uint64_t value)
{
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

static void make_block(struct pool_stream *stream, uint64_t number)
{
    const struct pool_body *body = stream->body;
    const uint64_t *pool = body->pool[number % POOL_BLOCKS];
    uint64_t key = mix(body->seed + (number + 1) * UINT64_C(0x9e3779b97f4a7c15));
    for (size_t i = 0; i < BLOCK_WORDS; i++) {
        stream->block[i] = pool[i] ^ key;
    }
    stream->block[0] = key;
}

/* The next stretch of content inside one block, at most `count` bytes, and moves past it. */
static const uint8_t *next_stretch(struct pool_stream *stream, size_t count, size_t *ret_bytes)
{
    size_t offset = (size_t)(stream->position % BLOCK_BYTES);
    if (offset == 0) {
        make_block(stream, stream->first_block + stream->position / BLOCK_BYTES);
    }
    *ret_bytes = count < BLOCK_BYTES - offset ? count : BLOCK_BYTES - offset;
    stream->position += *ret_bytes;
    return (const uint8_t *)stream->block + offset;
}

static uint64_t pool_size(const struct strata_body *base, uint64_t item)
{
    (void)item;
    return ((const struct pool_body *)base)->bytes;
}

static struct strata_body_stream *pool_stream_open(const struct strata_body *base)
{
    struct pool_stream *pool = calloc(1, sizeof *pool);
    if (pool != NULL) {
        pool->body = (const struct pool_body *)base;
    }
    return (struct strata_body_stream *)pool;
}

static void pool_stream_close(struct strata_body_stream *stream)
{
    free(stream);
}

static void pool_start(struct strata_body_stream *stream, uint64_t item)
{
    struct pool_stream *pool = (struct pool_stream *)stream;
    pool->first_block = item * pool->body->blocks_per_item;
    pool->position = 0;
}

static int32_t pool_produce(struct strata_body_stream *stream, uint8_t *bytes, size_t count)
{
    while (count > 0) {
        size_t part;
        const uint8_t *content = next_stretch((struct pool_stream *)stream, count, &part);
        memcpy(bytes, content, part);
        bytes += part;
        count -= part;
    }
    return STRATA_RESULT_OK;
}

static int32_t pool_check(struct strata_body_stream *stream, uint8_t *bytes, size_t count)
{
    while (count > 0) {
        size_t part;
        const uint8_t *content = next_stretch((struct pool_stream *)stream, count, &part);
        if (memcmp(bytes, content, part) != 0) {
            return STRATA_RESULT_CONTENT;
        }
        bytes += part;
        count -= part;
    }
    const struct pool_stream *pool = (const struct pool_stream *)stream;
    return pool->position > pool->body->bytes ? STRATA_RESULT_CONTENT : STRATA_RESULT_OK;
}

static int32_t pool_finish(struct strata_body_stream *stream)
{
    const struct pool_stream *pool = (const struct pool_stream *)stream;
    return pool->position == pool->body->bytes ? STRATA_RESULT_OK : STRATA_RESULT_SHORT;
}

static void pool_close(struct strata_body *base)
{
    free(base);
}

static const struct strata_body_type pool_type = {
    .name = "pool",
    .size = pool_size,
    .stream_open = pool_stream_open,
    .stream_close = pool_stream_close,
    .start = pool_start,
    .produce = pool_produce,
    .check = pool_check,
    .finish = pool_finish,
    .close = pool_close,
};

struct strata_body *strata_body_pool_open(uint64_t seed, uint64_t bytes)
{
    struct pool_body *body = strata_memory_new(1, sizeof *body);
    body->body.type = &pool_type;
    body->seed = seed;
    body->bytes = bytes;
    body->blocks_per_item = bytes / BLOCK_BYTES + (bytes % BLOCK_BYTES != 0 || bytes == 0);
    struct strata_random random;
    strata_random_seed(&random, seed);
    strata_random_fill(&random, body->pool, sizeof body->pool);
    return &body->body;
}

/* Produce the whole item through `stream` into the digest. */
static int32_t digest_item(const struct strata_body *body, struct strata_body_stream *stream,
                           uint64_t item, EVP_MD_CTX *digest, uint8_t *chunk)
{
    const struct strata_body_type *type = body->type;
    type->start(stream, item);
    for (uint64_t left = type->size(body, item); left > 0;) {
        size_t part = left < MD5_CHUNK ? (size_t)left : MD5_CHUNK;
        int32_t result = type->produce(stream, chunk, part);
        if (result != STRATA_RESULT_OK) {
            return result;
        }
        if (EVP_DigestUpdate(digest, chunk, part) != 1) {
            return STRATA_RESULT_CIPHER;
        }
        left -= part;
    }
    return STRATA_RESULT_OK;
}

int32_t strata_body_md5(const struct strata_body *body, uint64_t item, uint8_t ret_md5[16])
{
    uint8_t *chunk = strata_memory_new(1, MD5_CHUNK);
    struct strata_body_stream *stream = body->type->stream_open(body);
    EVP_MD_CTX *digest = EVP_MD_CTX_new();
    int32_t result = STRATA_RESULT_CIPHER;
    if (stream != NULL && digest != NULL && EVP_DigestInit_ex(digest, EVP_md5(), NULL) == 1) {
        result = digest_item(body, stream, item, digest, chunk);
    }
    if (result == STRATA_RESULT_OK && EVP_DigestFinal_ex(digest, ret_md5, NULL) != 1) {
        result = STRATA_RESULT_CIPHER;
    }
    EVP_MD_CTX_free(digest);
    if (stream != NULL) {
        body->type->stream_close(stream);
    }
    free(chunk);
    return result;
}
