/* Client-side encryption of objects while they stream: nonce, ciphertext, tag on the wire.
 *
 * The nonce is the item's number: unique under the run's random key, as GCM demands; uploading an
 * item again sends the same content under the same nonce, hence the same bytes. On the way back
 * the plaintext goes through the inner body's check as it is decrypted, but the tag decides first
 * in `finish`: a wrong byte of ciphertext is a fault of the cipher's input, not of the content.
 *
 * What must always hold: nothing holds a whole object. Source: NIST SP 800-38D. */
#include "common/target/body.h"

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/measure/operation.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { NONCE_BYTES = 12, TAG_BYTES = 16, KEY_BYTES = 32, UPDATE_BYTES = 1 << 30 };

enum direction { NOT_BEGUN, ENCRYPTING, DECRYPTING };

struct gcm_body {
    struct strata_body body;
    struct strata_body *inner;
    uint8_t key[KEY_BYTES];
};

struct gcm_stream {
    const struct gcm_body *body;
    struct strata_body_stream *inner;
    EVP_CIPHER_CTX *encrypt;
    EVP_CIPHER_CTX *decrypt;
    uint64_t position;  /* next byte on the wire */
    uint64_t tag_begin; /* nonce and ciphertext end here */
    enum direction direction;
    int32_t inner_result; /* first finding of the inner check */
    uint64_t cipher_ns;
    uint8_t nonce[NONCE_BYTES];
    uint8_t tag[TAG_BYTES];
};

static struct gcm_stream *of(struct strata_body_stream *stream)
{
    return (struct gcm_stream *)stream;
}

static uint64_t gcm_size(const struct strata_body *base, uint64_t item)
{
    const struct gcm_body *body = (const struct gcm_body *)base;
    return NONCE_BYTES + body->inner->type->size(body->inner, item) + TAG_BYTES;
}

static void gcm_stream_close(struct strata_body_stream *stream)
{
    struct gcm_stream *gcm = of(stream);
    EVP_CIPHER_CTX_free(gcm->encrypt);
    EVP_CIPHER_CTX_free(gcm->decrypt);
    if (gcm->inner != NULL) {
        gcm->body->inner->type->stream_close(gcm->inner);
    }
    free(gcm);
}

/* The key schedule is made once for each stream; an item only sets its nonce. */
static struct strata_body_stream *gcm_stream_open(const struct strata_body *base)
{
    const struct gcm_body *body = (const struct gcm_body *)base;
    struct gcm_stream *gcm = calloc(1, sizeof *gcm);
    if (gcm == NULL) {
        return NULL;
    }
    gcm->body = body;
    gcm->inner = body->inner->type->stream_open(body->inner);
    gcm->encrypt = EVP_CIPHER_CTX_new();
    gcm->decrypt = EVP_CIPHER_CTX_new();
    const EVP_CIPHER *cipher = EVP_aes_256_gcm();
    if (gcm->inner == NULL || gcm->encrypt == NULL || gcm->decrypt == NULL ||
        EVP_EncryptInit_ex(gcm->encrypt, cipher, NULL, body->key, NULL) != 1 ||
        EVP_DecryptInit_ex(gcm->decrypt, cipher, NULL, body->key, NULL) != 1) {
        gcm_stream_close((struct strata_body_stream *)gcm);
        return NULL;
    }
    return (struct strata_body_stream *)gcm;
}

static void gcm_start(struct strata_body_stream *stream, uint64_t item)
{
    struct gcm_stream *gcm = of(stream);
    const struct strata_body *inner = gcm->body->inner;
    inner->type->start(gcm->inner, item);
    gcm->position = 0;
    gcm->tag_begin = NONCE_BYTES + inner->type->size(inner, item);
    gcm->direction = NOT_BEGUN;
    gcm->inner_result = STRATA_RESULT_OK;
    gcm->cipher_ns = 0;
    memset(gcm->nonce, 0, sizeof gcm->nonce);
    for (unsigned i = 0; i < 8; i++) {
        gcm->nonce[i] = (uint8_t)(item >> (8 * i));
    }
}

/* Begin the item in that direction with its nonce, unless it is begun. */
static bool begin(struct gcm_stream *gcm, enum direction direction)
{
    if (gcm->direction == direction) {
        return true;
    }
    gcm->direction = direction;
    return direction == DECRYPTING
               ? EVP_DecryptInit_ex(gcm->decrypt, NULL, NULL, NULL, gcm->nonce) == 1
               : EVP_EncryptInit_ex(gcm->encrypt, NULL, NULL, NULL, gcm->nonce) == 1;
}

/* Encrypt or decrypt in place. */
static bool transform(struct gcm_stream *gcm, enum direction direction, uint8_t *bytes,
                      size_t count)
{
    uint64_t began = strata_clock_monotonic_ns();
    EVP_CIPHER_CTX *context = direction == DECRYPTING ? gcm->decrypt : gcm->encrypt;
    int done = 0;
    bool right = begin(gcm, direction) &&
                 EVP_CipherUpdate(context, bytes, &done, bytes, (int)count) == 1 &&
                 done == (int)count;
    gcm->cipher_ns += strata_clock_monotonic_ns() - began;
    return right;
}

static bool make_tag(struct gcm_stream *gcm)
{
    uint64_t began = strata_clock_monotonic_ns();
    uint8_t none[TAG_BYTES];
    int length;
    bool right = begin(gcm, ENCRYPTING) && EVP_EncryptFinal_ex(gcm->encrypt, none, &length) == 1 &&
                 EVP_CIPHER_CTX_ctrl(gcm->encrypt, EVP_CTRL_GCM_GET_TAG, TAG_BYTES, gcm->tag) == 1;
    gcm->cipher_ns += strata_clock_monotonic_ns() - began;
    return right;
}

static bool verify_tag(struct gcm_stream *gcm)
{
    uint64_t began = strata_clock_monotonic_ns();
    uint8_t none[TAG_BYTES];
    int length;
    bool right =
        begin(gcm, DECRYPTING) &&
        EVP_CIPHER_CTX_ctrl(gcm->decrypt, EVP_CTRL_GCM_SET_TAG, TAG_BYTES, gcm->tag) == 1 &&
        EVP_DecryptFinal_ex(gcm->decrypt, none, &length) == 1;
    gcm->cipher_ns += strata_clock_monotonic_ns() - began;
    return right;
}

/* How many of the next `count` bytes lie before `end`. */
static size_t before(const struct gcm_stream *gcm, uint64_t end, size_t count)
{
    uint64_t left = gcm->position < end ? end - gcm->position : 0;
    size_t most = count < UPDATE_BYTES ? count : UPDATE_BYTES;
    return left < most ? (size_t)left : most;
}

static int32_t produce_ciphertext(struct gcm_stream *gcm, uint8_t *bytes, size_t count)
{
    int32_t result = gcm->body->inner->type->produce(gcm->inner, bytes, count);
    if (result != STRATA_RESULT_OK) {
        return result;
    }
    return transform(gcm, ENCRYPTING, bytes, count) ? STRATA_RESULT_OK : STRATA_RESULT_CIPHER;
}

static int32_t gcm_produce(struct strata_body_stream *stream, uint8_t *bytes, size_t count)
{
    struct gcm_stream *gcm = of(stream);
    while (count > 0) {
        size_t part;
        if ((part = before(gcm, NONCE_BYTES, count)) > 0) {
            memcpy(bytes, gcm->nonce + gcm->position, part);
        } else if ((part = before(gcm, gcm->tag_begin, count)) > 0) {
            int32_t result = produce_ciphertext(gcm, bytes, part);
            if (result != STRATA_RESULT_OK) {
                return result;
            }
        } else if ((part = before(gcm, gcm->tag_begin + TAG_BYTES, count)) > 0) {
            if (gcm->position == gcm->tag_begin && !make_tag(gcm)) {
                return STRATA_RESULT_CIPHER;
            }
            memcpy(bytes, gcm->tag + (gcm->position - gcm->tag_begin), part);
        } else {
            return STRATA_RESULT_SHORT; /* asked for more than there is */
        }
        gcm->position += part;
        bytes += part;
        count -= part;
    }
    return STRATA_RESULT_OK;
}

/* Decrypt a stretch of ciphertext and let the inner body look at it. */
static int32_t check_ciphertext(struct gcm_stream *gcm, uint8_t *bytes, size_t count)
{
    if (!transform(gcm, DECRYPTING, bytes, count)) {
        return STRATA_RESULT_CIPHER;
    }
    if (gcm->inner_result == STRATA_RESULT_OK) {
        gcm->inner_result = gcm->body->inner->type->check(gcm->inner, bytes, count);
    }
    return STRATA_RESULT_OK;
}

static int32_t gcm_check(struct strata_body_stream *stream, uint8_t *bytes, size_t count)
{
    struct gcm_stream *gcm = of(stream);
    while (count > 0) {
        size_t part;
        if ((part = before(gcm, NONCE_BYTES, count)) > 0) {
            if (memcmp(bytes, gcm->nonce + gcm->position, part) != 0) {
                return STRATA_RESULT_CIPHER;
            }
        } else if ((part = before(gcm, gcm->tag_begin, count)) > 0) {
            int32_t result = check_ciphertext(gcm, bytes, part);
            if (result != STRATA_RESULT_OK) {
                return result;
            }
        } else if ((part = before(gcm, gcm->tag_begin + TAG_BYTES, count)) > 0) {
            memcpy(gcm->tag + (gcm->position - gcm->tag_begin), bytes, part);
        } else {
            return STRATA_RESULT_CONTENT; /* longer than what was uploaded */
        }
        gcm->position += part;
        bytes += part;
        count -= part;
    }
    return STRATA_RESULT_OK;
}

static int32_t gcm_finish(struct strata_body_stream *stream)
{
    struct gcm_stream *gcm = of(stream);
    if (gcm->position != gcm->tag_begin + TAG_BYTES) {
        return STRATA_RESULT_SHORT;
    }
    if (gcm->direction == ENCRYPTING) {
        return STRATA_RESULT_OK;
    }
    if (!verify_tag(gcm)) {
        return STRATA_RESULT_CIPHER;
    }
    return gcm->inner_result != STRATA_RESULT_OK ? gcm->inner_result
                                                 : gcm->body->inner->type->finish(gcm->inner);
}

static uint64_t gcm_cipher_ns(const struct strata_body_stream *stream)
{
    const struct gcm_stream *gcm = (const struct gcm_stream *)stream;
    const struct strata_body_type *inner = gcm->body->inner->type;
    return gcm->cipher_ns + (inner->cipher_ns != NULL ? inner->cipher_ns(gcm->inner) : 0);
}

static void gcm_close(struct strata_body *base)
{
    struct gcm_body *body = (struct gcm_body *)base;
    body->inner->type->close(body->inner);
    OPENSSL_cleanse(body->key, sizeof body->key);
    free(body);
}

static const struct strata_body_type gcm_type = {
    .name = "aes-256-gcm",
    .size = gcm_size,
    .stream_open = gcm_stream_open,
    .stream_close = gcm_stream_close,
    .start = gcm_start,
    .produce = gcm_produce,
    .check = gcm_check,
    .finish = gcm_finish,
    .cipher_ns = gcm_cipher_ns,
    .close = gcm_close,
};

enum strata_status strata_body_gcm_open(struct strata_body *inner, const uint8_t key[32],
                                        struct strata_body **ret_body, struct strata_error *error)
{
    struct gcm_body *body = strata_memory_new(1, sizeof *body);
    body->body.type = &gcm_type;
    body->inner = inner;
    memcpy(body->key, key, KEY_BYTES);
    struct strata_body_stream *trial = gcm_stream_open(&body->body);
    if (trial == NULL) {
        gcm_close(&body->body);
        return strata_error_set(error, STRATA_INTERNAL,
                                "AES-256-GCM: OpenSSL cannot set up the cipher");
    }
    gcm_stream_close(trial);
    *ret_body = &body->body;
    return STRATA_OK;
}
