/* Encryption by the client is believed when its result was seen on the server.
 *
 * What must always hold: the container is new and is removed again, whatever was found. */
#include "common/target/swift_proof.h"

#include "common/base/entropy.h"
#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/measure/operation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char PATTERN[] = "STRATA PLAINTEXT ";
enum { PATTERN_BYTES = sizeof PATTERN - 1, PROOF_BYTES = 65536, PROOF_WIRE = PROOF_BYTES + 28 };

/* Random bytes of this length have an estimated entropy of 7.997 bits; the pattern 3.4. */
static const double LEAST_ENTROPY_BITS = 7.98;

/* --- a body that holds the pattern over and over --- */

struct pattern_stream {
    uint64_t position;
};

static uint64_t pattern_size(const struct strata_body *body, uint64_t item)
{
    (void)body;
    (void)item;
    return PROOF_BYTES;
}

static struct strata_body_stream *pattern_open(const struct strata_body *body)
{
    (void)body;
    return calloc(1, sizeof(struct pattern_stream));
}

static void pattern_stream_close(struct strata_body_stream *stream)
{
    free(stream);
}

static void pattern_start(struct strata_body_stream *stream, uint64_t item)
{
    (void)item;
    ((struct pattern_stream *)stream)->position = 0;
}

static int32_t pattern_produce(struct strata_body_stream *stream, uint8_t *bytes, size_t count)
{
    struct pattern_stream *pattern = (struct pattern_stream *)stream;
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (uint8_t)PATTERN[pattern->position++ % PATTERN_BYTES];
    }
    return STRATA_RESULT_OK;
}

static int32_t pattern_check(struct strata_body_stream *stream, uint8_t *bytes, size_t count)
{
    struct pattern_stream *pattern = (struct pattern_stream *)stream;
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != (uint8_t)PATTERN[pattern->position++ % PATTERN_BYTES]) {
            return STRATA_RESULT_CONTENT;
        }
    }
    return STRATA_RESULT_OK;
}

static int32_t pattern_finish(struct strata_body_stream *stream)
{
    return ((struct pattern_stream *)stream)->position == PROOF_BYTES ? STRATA_RESULT_OK
                                                                      : STRATA_RESULT_SHORT;
}

static void pattern_close(struct strata_body *body)
{
    (void)body;
}

static const struct strata_body_type pattern_type = {
    .name = "pattern",
    .size = pattern_size,
    .stream_open = pattern_open,
    .stream_close = pattern_stream_close,
    .start = pattern_start,
    .produce = pattern_produce,
    .check = pattern_check,
    .finish = pattern_finish,
    .close = pattern_close,
};

/* --- what came back --- */

/* Look at the raw bytes; changes them. */
static enum strata_status judge(struct strata_body_stream *stream, const struct strata_body *body,
                                const char *place, struct strata_text *raw,
                                struct strata_proof *proof, struct strata_error *error)
{
    if (raw->length != PROOF_WIRE) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "%s: %zu bytes of the proof came back, %d were uploaded", place,
                                raw->length, PROOF_WIRE);
    }
    double bits = strata_entropy_bits((const uint8_t *)raw->bytes, raw->length);
    if (memmem(raw->bytes, raw->length, PATTERN, PATTERN_BYTES) != NULL ||
        bits < LEAST_ENTROPY_BITS) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "%s: what was uploaded encrypted is not encrypted on the server "
                                "(%.3f bits of entropy a byte)",
                                place, bits);
    }
    body->type->start(stream, 0);
    if (body->type->check(stream, (uint8_t *)raw->bytes, raw->length) != STRATA_RESULT_OK ||
        body->type->finish(stream) != STRATA_RESULT_OK) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "%s: the proof did not decrypt to what was uploaded", place);
    }
    proof->level = STRATA_PROOF_FUNCTIONAL;
    snprintf(
        proof->evidence, sizeof proof->evidence,
        "a known text of %d bytes, uploaded through AES-256-GCM, is absent from the raw object "
        "(%.3f bits of entropy a byte), which decrypts to it",
        PROOF_BYTES, bits);
    return STRATA_OK;
}

static enum strata_status expect(struct strata_swift_session *session, const char *method,
                                 const char *path, const uint8_t *bytes, size_t count,
                                 long expected, struct strata_swift_answer *answer,
                                 struct strata_error *error)
{
    enum strata_status status =
        strata_swift_session_request(session, method, path, NULL, bytes, count, answer, error);
    if (status == STRATA_OK && answer->status != expected) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "%s%s: %s for the proof of encryption was answered by HTTP %ld, "
                                "not %ld",
                                strata_swift_session_storage_url(session), path, method,
                                answer->status, expected);
    }
    return status;
}

/* With the container there. */
static enum strata_status upload_and_look(struct strata_swift_session *session, const char *object,
                                          struct strata_body *body, struct strata_proof *proof,
                                          struct strata_error *error)
{
    struct strata_swift_answer answer = {0};
    uint8_t *sent = strata_memory_new(1, PROOF_WIRE);
    struct strata_body_stream *stream = body->type->stream_open(body);
    enum strata_status status;
    if (stream == NULL) {
        free(sent);
        return strata_error_set(error, STRATA_INTERNAL, "no memory for the proof of encryption");
    }
    body->type->start(stream, 0);
    if (body->type->produce(stream, sent, PROOF_WIRE) != STRATA_RESULT_OK) {
        status = strata_error_set(error, STRATA_INTERNAL, "the cipher failed");
    } else {
        status = expect(session, "PUT", object, sent, PROOF_WIRE, 201, &answer, error);
    }
    if (status == STRATA_OK) {
        status = expect(session, "GET", object, NULL, 0, 200, &answer, error);
    }
    if (status == STRATA_OK) {
        status = judge(stream, body, strata_swift_session_storage_url(session), &answer.body, proof,
                       error);
    }
    body->type->stream_close(stream);
    strata_swift_answer_done(&answer);
    free(sent);
    return status;
}

/* Remove both; an error only when there is none already. */
static enum strata_status remove_proof(struct strata_swift_session *session, const char *object,
                                       const char *container, enum strata_status status,
                                       struct strata_error *error)
{
    struct strata_swift_answer answer = {0};
    struct strata_error later = {0};
    enum strata_status object_gone =
        expect(session, "DELETE", object, NULL, 0, 204, &answer, &later);
    enum strata_status container_gone =
        expect(session, "DELETE", container, NULL, 0, 204, &answer, &later);
    strata_swift_answer_done(&answer);
    if (status == STRATA_OK && (object_gone != STRATA_OK || container_gone != STRATA_OK)) {
        *error = later;
        return later.status;
    }
    return status;
}

enum strata_status strata_swift_prove_client(struct strata_swift_session *session,
                                             struct strata_proof *ret_proof,
                                             struct strata_error *error)
{
    struct strata_body inner = {.type = &pattern_type};
    struct strata_body *body;
    uint8_t key[32];
    strata_random_secret(key, sizeof key);
    enum strata_status status = strata_body_gcm_open(&inner, key, &body, error);
    explicit_bzero(key, sizeof key);
    if (status != STRATA_OK) {
        return status;
    }
    char uuid[37];
    strata_random_uuid(uuid);
    char *container = strata_text_duplicate_format("/strata-proof-%s", uuid);
    char *object = strata_text_duplicate_format("%s/proof", container);
    struct strata_swift_answer answer = {0};
    status = expect(session, "PUT", container, NULL, 0, 201, &answer, error);
    if (status == STRATA_OK) {
        status = upload_and_look(session, object, body, ret_proof, error);
        status = remove_proof(session, object, container, status, error);
    }
    strata_swift_answer_done(&answer);
    body->type->close(body);
    free(object);
    free(container);
    return status;
}
