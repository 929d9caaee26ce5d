/* One request: the operation that it is for, the handle that carries it, what came of it.
 *
 * What must always hold: the result names what happened; a success means that the server's checksum
 * is that of the content, and for a download that every byte is right. A request whose token ran
 * out is sent once more with the new one, and one that met a kept connection as the server was
 * closing it once more on a new one; its time goes on. Nothing else is repeated, a failure is data.
 * Left to others: slots and time limits (common/target/swift_worker.c). */
#include "common/target/swift_transfer.h"

#include "common/base/clock.h"
#include "common/base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    URL_ROOM = 32,                  /* the object's name after the container's URL */
    RECEIVE_BUFFER = 16 << 10,      /* libcurl's default; small objects */
    RECEIVE_BUFFER_MOST = 64 << 10, /* below what malloc would give back to the kernel and fault in
                                       again at each transfer */
    UPLOAD_BUFFER_LEAST = 16 << 10,
    UPLOAD_BUFFER_MOST = 64 << 10
};

static const uint64_t NO_TOKEN = UINT64_MAX;

static int expected_status(int kind)
{
    return kind == STRATA_OPERATION_PUT ? 201 : kind == STRATA_OPERATION_GET ? 200 : 204;
}

/* --- what libcurl calls --- */

static size_t on_header(char *line, size_t one, size_t length, void *context)
{
    struct strata_swift_transfer *transfer = context;
    (void)one;
    transfer->progress_ns = transfer->loop->now_ns;
    if (length > 9 && memcmp(line, "HTTP/", 5) == 0) {
        const char *space = memchr(line, ' ', length);
        transfer->status = space != NULL ? strtol(space, NULL, 10) : 0;
        transfer->etag[0] = '\0';
        if (transfer->status >= 200 && transfer->sent_ns != 0) {
            transfer->answered_ns = strata_clock_monotonic_ns();
        }
    } else {
        strata_swift_parse_etag(line, length, transfer->etag);
    }
    return length;
}

/* The rest of a transfer with a finding is let pass, so that the connection stays usable. */
static size_t on_download(char *bytes, size_t one, size_t length, void *context)
{
    struct strata_swift_transfer *transfer = context;
    (void)one;
    transfer->progress_ns = transfer->loop->now_ns;
    if (transfer->status == 200 && transfer->kind == STRATA_OPERATION_GET) {
        transfer->moved += length;
        if (transfer->finding == STRATA_RESULT_OK) {
            transfer->finding =
                transfer->swift->body->type->check(transfer->stream, (uint8_t *)bytes, length);
        }
    }
    return length;
}

static size_t on_upload(char *bytes, size_t one, size_t room, void *context)
{
    struct strata_swift_transfer *transfer = context;
    (void)one;
    uint64_t left = transfer->size - transfer->moved;
    size_t part = left < room ? (size_t)left : room;
    transfer->progress_ns = transfer->loop->now_ns;
    if (part == 0) {
        transfer->body_lost = transfer->size > 0;
        return transfer->body_lost ? CURL_READFUNC_ABORT : 0;
    }
    transfer->finding =
        transfer->swift->body->type->produce(transfer->stream, (uint8_t *)bytes, part);
    if (transfer->finding != STRATA_RESULT_OK) {
        return CURL_READFUNC_ABORT;
    }
    transfer->moved += part;
    if (transfer->moved == transfer->size) {
        transfer->sent_ns = strata_clock_monotonic_ns();
    }
    return part;
}

/* libcurl sends a body again from its begin when a kept connection turns out to be closed. */
static int on_rewind(void *context, curl_off_t offset, int origin)
{
    struct strata_swift_transfer *transfer = context;
    if (offset != 0 || origin != SEEK_SET) {
        return CURL_SEEKFUNC_CANTSEEK;
    }
    transfer->swift->body->type->start(transfer->stream, transfer->object);
    transfer->moved = 0;
    transfer->sent_ns = 0;
    return CURL_SEEKFUNC_OK;
}

/* --- beginning --- */

static void set_kind(struct strata_swift_transfer *transfer, int kind)
{
    if (transfer->kind == kind) {
        return;
    }
    transfer->kind = kind;
    curl_easy_setopt(transfer->easy, CURLOPT_HTTPGET, 1L);
    curl_easy_setopt(transfer->easy, CURLOPT_CUSTOMREQUEST, NULL);
    if (kind == STRATA_OPERATION_PUT) {
        curl_easy_setopt(transfer->easy, CURLOPT_UPLOAD, 1L);
    } else if (kind == STRATA_OPERATION_DELETE) {
        curl_easy_setopt(transfer->easy, CURLOPT_CUSTOMREQUEST, "DELETE");
    }
}

static void renew_headers(struct strata_swift_transfer *transfer)
{
    struct strata_swift_session *session = transfer->swift->session;
    if (transfer->generation != strata_swift_session_generation(session)) {
        curl_slist_free_all(transfer->headers);
        transfer->headers = strata_swift_session_headers(session, &transfer->generation);
        curl_easy_setopt(transfer->easy, CURLOPT_HTTPHEADER, transfer->headers);
    }
}

static bool send_request(struct strata_swift_transfer *transfer)
{
    struct strata_swift_target *swift = transfer->swift;
    const struct strata_body *body = swift->body;
    transfer->moved = 0;
    transfer->sent_ns = 0;
    transfer->answered_ns = 0;
    transfer->status = 0;
    transfer->finding = STRATA_RESULT_OK;
    transfer->body_lost = false;
    transfer->etag[0] = '\0';
    transfer->progress_ns = strata_clock_monotonic_ns();
    if (transfer->kind != STRATA_OPERATION_DELETE) {
        transfer->size = body->type->size(body, transfer->object);
        body->type->start(transfer->stream, transfer->object);
    }
    if (transfer->kind == STRATA_OPERATION_PUT) {
        swift->states[transfer->object] = STRATA_SWIFT_UNKNOWN;
        curl_easy_setopt(transfer->easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)transfer->size);
    }
    snprintf(transfer->url + transfer->url_length, URL_ROOM,
             "/" STRATA_SWIFT_OBJECT_PREFIX "%012" PRIu64, transfer->object);
    curl_easy_setopt(transfer->easy, CURLOPT_URL, transfer->url);
    renew_headers(transfer);
    return strata_swift_loop_add(transfer->loop, transfer->easy);
}

bool strata_swift_transfer_begin(struct strata_swift_transfer *transfer,
                                 struct strata_operation *operation, uint64_t object)
{
    transfer->operation = operation;
    transfer->object = object;
    transfer->renewed = false;
    transfer->reconnected = false;
    set_kind(transfer, operation->kind);
    curl_easy_setopt(transfer->easy, CURLOPT_FRESH_CONNECT,
                     transfer->swift->new_connections ? 1L : 0L);
    return send_request(transfer);
}

/* libcurl sends again by itself when it finds a kept connection closed before or while it sends the
 * header, but not when the body meets the close. When it does, it now and then drops one buffer of
 * the body (7.88: what it had read but not sent when the close was met); then it asks for more than
 * there is, where else it stops at the size. Left alone, both ends would wait for the time limit.
 * Source: RFC 9112, 9.3.1: idempotent requests may be sent again. */
static bool met_closed_connection(const struct strata_swift_transfer *transfer, CURLcode code)
{
    if (transfer->body_lost) {
        return true;
    }
    long connections = 0;
    curl_easy_getinfo(transfer->easy, CURLINFO_NUM_CONNECTS, &connections);
    return connections == 0 && transfer->status == 0 &&
           (code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR || code == CURLE_GOT_NOTHING);
}

bool strata_swift_transfer_repeat(struct strata_swift_transfer *transfer, CURLcode code)
{
    if (transfer->status == 401 && !transfer->renewed &&
        strata_swift_session_renew(transfer->swift->session, transfer->generation)) {
        transfer->renewed = true;
        return send_request(transfer);
    }
    if (!transfer->reconnected && met_closed_connection(transfer, code)) {
        transfer->reconnected = true;
        curl_easy_setopt(transfer->easy, CURLOPT_FRESH_CONNECT, 1L);
        return send_request(transfer);
    }
    return false;
}

/* --- ending --- */

/* Whether the server's checksum is the content's. */
static bool checksum_right(const struct strata_swift_transfer *transfer)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *md5 = transfer->swift->md5s[transfer->object];
    for (size_t i = 0; i < 16; i++) {
        if (transfer->etag[2 * i] != digits[md5[i] >> 4] ||
            transfer->etag[2 * i + 1] != digits[md5[i] & 15]) {
            return false;
        }
    }
    return true;
}

static int32_t judge_download(struct strata_swift_transfer *transfer)
{
    if (transfer->finding != STRATA_RESULT_OK) {
        return transfer->finding;
    }
    if (transfer->moved != transfer->size) {
        return transfer->moved < transfer->size ? STRATA_RESULT_SHORT : STRATA_RESULT_CONTENT;
    }
    int32_t result = transfer->swift->body->type->finish(transfer->stream);
    return result != STRATA_RESULT_OK ? result
           : checksum_right(transfer) ? STRATA_RESULT_OK
                                      : STRATA_RESULT_CHECKSUM;
}

static int32_t judge(struct strata_swift_transfer *transfer, CURLcode code)
{
    if (code == CURLE_OPERATION_TIMEDOUT) {
        return STRATA_RESULT_TIMED_OUT;
    }
    if (code == CURLE_ABORTED_BY_CALLBACK && transfer->finding != STRATA_RESULT_OK) {
        return transfer->finding;
    }
    if (transfer->status >= 200 && transfer->status != expected_status(transfer->kind)) {
        return (int32_t)transfer->status; /* also when the server then closed on the upload */
    }
    if (code != CURLE_OK) {
        return STRATA_RESULT_TRANSPORT + (int32_t)code;
    }
    switch (transfer->kind) {
    case STRATA_OPERATION_PUT:
        return checksum_right(transfer) ? STRATA_RESULT_OK : STRATA_RESULT_CHECKSUM;
    case STRATA_OPERATION_GET:
        return judge_download(transfer);
    default:
        return STRATA_RESULT_OK;
    }
}

/* Note what is now on the server. */
static void note_object(struct strata_swift_transfer *transfer, int32_t result)
{
    uint8_t *state = &transfer->swift->states[transfer->object];
    if (transfer->kind == STRATA_OPERATION_PUT && result == STRATA_RESULT_OK) {
        *state = STRATA_SWIFT_PRESENT;
    } else if (transfer->kind == STRATA_OPERATION_DELETE &&
               (result == STRATA_RESULT_OK || result == 404)) {
        *state = STRATA_SWIFT_ABSENT;
    }
}

static uint64_t time_of(CURL *easy, CURLINFO info)
{
    curl_off_t us = 0;
    curl_easy_getinfo(easy, info, &us);
    return us > 0 ? (uint64_t)us * 1000 : 0;
}

/* libcurl takes the first byte of an upload for the first byte of the answer, so that one is from
 * own stamps: the last content handed to libcurl to the answer's first line. */
static void note_stages(struct strata_swift_transfer *transfer)
{
    struct strata_operation *operation = transfer->operation;
    const struct strata_body_type *body = transfer->swift->body->type;
    long connections = 0;
    curl_easy_getinfo(transfer->easy, CURLINFO_NUM_CONNECTS, &connections);
    if (connections > 0) {
        uint64_t tcp_ns = time_of(transfer->easy, CURLINFO_CONNECT_TIME_T);
        uint64_t tls_ns = time_of(transfer->easy, CURLINFO_APPCONNECT_TIME_T);
        strata_operation_stage(operation, STRATA_STAGE_CONNECT, tls_ns > tcp_ns ? tls_ns : tcp_ns);
    }
    if (transfer->kind != STRATA_OPERATION_PUT) {
        uint64_t asked_ns = time_of(transfer->easy, CURLINFO_PRETRANSFER_TIME_T);
        uint64_t answered_ns = time_of(transfer->easy, CURLINFO_STARTTRANSFER_TIME_T);
        if (answered_ns >= asked_ns) {
            strata_operation_stage(operation, STRATA_STAGE_FIRST_BYTE, answered_ns - asked_ns);
        }
    } else if (transfer->sent_ns != 0 && transfer->answered_ns != 0) {
        strata_operation_stage(operation, STRATA_STAGE_FIRST_BYTE,
                               transfer->answered_ns - transfer->sent_ns);
    }
    if (transfer->kind != STRATA_OPERATION_DELETE && body->cipher_ns != NULL) {
        strata_operation_stage(operation, STRATA_STAGE_CIPHER, body->cipher_ns(transfer->stream));
    }
}

static void end(struct strata_swift_transfer *transfer, int32_t result)
{
    note_object(transfer, result);
    transfer->operation->result = result;
    transfer->operation->end_ns = strata_clock_monotonic_ns();
    transfer->operation = NULL;
}

void strata_swift_transfer_end(struct strata_swift_transfer *transfer, CURLcode code)
{
    int32_t result = judge(transfer, code);
    if (result == STRATA_RESULT_OK) {
        note_stages(transfer);
    }
    end(transfer, result);
}

void strata_swift_transfer_give_up(struct strata_swift_transfer *transfer)
{
    strata_swift_loop_remove(transfer->loop, transfer->easy);
    end(transfer, STRATA_RESULT_TIMED_OUT);
}

/* --- opening and closing --- */

static void make_url(struct strata_swift_transfer *transfer)
{
    const char *storage_url = strata_swift_session_storage_url(transfer->swift->session);
    transfer->url_length = strlen(storage_url) + strlen(transfer->swift->container);
    transfer->url = strata_memory_new(1, transfer->url_length + URL_ROOM);
    snprintf(transfer->url, transfer->url_length + 1, "%s%s", storage_url,
             transfer->swift->container);
}

bool strata_swift_transfer_open(struct strata_swift_transfer *transfer,
                                struct strata_swift_target *swift, struct strata_swift_loop *loop,
                                unsigned kinds, uint64_t bytes)
{
    const struct strata_body *body = swift->body;
    transfer->swift = swift;
    transfer->loop = loop;
    transfer->kind = -1;
    transfer->generation = NO_TOKEN;
    make_url(transfer);
    CURL *easy = transfer->easy = curl_easy_init();
    if (easy == NULL) {
        return false;
    }
    strata_swift_easy_init(easy, strata_swift_session_endpoint(swift->session));
    strata_swift_loop_attach(loop, easy);
    uint64_t receive = bytes > RECEIVE_BUFFER ? RECEIVE_BUFFER_MOST : RECEIVE_BUFFER;
    uint64_t upload = bytes < UPLOAD_BUFFER_LEAST  ? UPLOAD_BUFFER_LEAST
                      : bytes < UPLOAD_BUFFER_MOST ? bytes
                                                   : UPLOAD_BUFFER_MOST;
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, (long)receive);
    curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, (long)upload);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_download);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_READFUNCTION, on_upload);
    curl_easy_setopt(easy, CURLOPT_READDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, on_rewind);
    curl_easy_setopt(easy, CURLOPT_SEEKDATA, transfer);
    if (swift->new_connections) {
        curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
    }
    unsigned content = 1U << STRATA_OPERATION_PUT | 1U << STRATA_OPERATION_GET;
    if ((kinds & content) == 0) {
        return true;
    }
    transfer->stream = body->type->stream_open(body);
    return transfer->stream != NULL;
}

void strata_swift_transfer_close(struct strata_swift_transfer *transfer)
{
    if (transfer->operation != NULL) {
        strata_swift_loop_remove(transfer->loop, transfer->easy);
    }
    curl_easy_cleanup(transfer->easy);
    curl_slist_free_all(transfer->headers);
    if (transfer->stream != NULL) {
        transfer->swift->body->type->stream_close(transfer->stream);
    }
    free(transfer->url);
}
