/* The content of an object or file that is uploaded and checked when it comes back; and filters
 * over it (client-side encryption), stacked like targets. Streams: nothing holds a whole object. */
#ifndef STRATA_TARGET_BODY_H
#define STRATA_TARGET_BODY_H

#include "common/base/error.h"

#include <stddef.h>
#include <stdint.h>

struct strata_body;
struct strata_body_stream;

/* A set of contents, one for each item number. Threads: `stream_open` and what follows may be
 * called from several threads on different streams. */
struct strata_body_type {
    const char *name; /* "pool", "typed", "aes-256-gcm" */

    /* Bytes on the wire for item `item`. */
    uint64_t (*size)(const struct strata_body *body, uint64_t item);

    /* A reusable stream for one transfer at a time; NULL when memory is short. */
    struct strata_body_stream *(*stream_open)(const struct strata_body *body);
    void (*stream_close)(struct strata_body_stream *stream);

    /* Begin at the first byte of `item`, for producing or for checking. */
    void (*start)(struct strata_body_stream *stream, uint64_t item);

    /* Produce the next `count` bytes into `bytes`. Returns 0, or a result code
     * (STRATA_RESULT_CIPHER). */
    int32_t (*produce)(struct strata_body_stream *stream, uint8_t *bytes, size_t count);

    /* Check the next `count` bytes that came back; they may be changed (decrypted in place).
     * Returns 0, STRATA_RESULT_CONTENT or STRATA_RESULT_CIPHER. */
    int32_t (*check)(struct strata_body_stream *stream, uint8_t *bytes, size_t count);

    /* After the last byte: 0 when all of it was right and complete (also the authentication tag).
     */
    int32_t (*finish)(struct strata_body_stream *stream);

    /* Time that the filter's cipher took since `start`; NULL where there is no cipher. */
    uint64_t (*cipher_ns)(const struct strata_body_stream *stream);

    void (*close)(struct strata_body *body);
};

struct strata_body {
    const struct strata_body_type *type;
};

/* MD5 (16 bytes) of the item's bytes on the wire, by producing them once. For `prepare`, untimed.
 * Returns 0 or a result code. */
int32_t strata_body_md5(const struct strata_body *body, uint64_t item, uint8_t ret_md5[16]);

/* Content that is incompressible and unique for each run, item and 4 KiB block: a pool of random
 * bytes with a stamp (seed, item, block) in each block. Every item has `bytes` bytes. */
struct strata_body *strata_body_pool_open(uint64_t seed, uint64_t bytes);

/* Client-side encryption over `inner`, which it then owns, also when it fails: on the wire an
 * object is a 12-byte nonce, the AES-256-GCM ciphertext, and the 16-byte tag. The nonce is unique
 * for each item under the key, which is random for each run and 32 bytes long. Errors:
 * STRATA_INTERNAL when OpenSSL fails. */
enum strata_status strata_body_gcm_open(struct strata_body *inner, const uint8_t key[32],
                                        struct strata_body **ret_body, struct strata_error *error);

#endif
