/* The hot path: a worker's requests in flight, one reusable handle for each slot.
 *
 * What must always hold: an operation that was taken comes back once, with a result that names what
 * happened; a success means that the server's checksum is that of the content, and for a download
 * that every byte is right. A request whose token ran out is sent once more with the new one, and
 * its time goes on; nothing else is repeated here, a failure is data. Left to others: which objects
 * there are (common/target/swift.c), sockets (common/target/swift_loop.c). */
#include "common/target/swift_target.h"

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/target/swift_loop.h"

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

static const uint64_t NOTHING_YET = UINT64_MAX;

struct transfer {
    CURL *easy;
    struct swift_worker *worker;
    struct strata_operation *operation; /* NULL: the slot is free */
    struct strata_body_stream *stream;
    struct curl_slist *headers;
    uint64_t generation; /* of the token in the headers */
    int kind;            /* that the handle is set up for; -1: none */
    bool repeated;       /* with a new token */
    uint64_t object;
    uint64_t size;  /* on the wire */
    uint64_t moved; /* bytes of content sent or received */
    uint64_t progress_ns;
    uint64_t sent_ns;     /* when the last of the content was handed over; 0: not yet */
    uint64_t answered_ns; /* when the final answer's first line came */
    long status;          /* of the answer; 0: none yet */
    int32_t finding;      /* first result of the body's functions */
    char etag[33];
};

struct swift_worker {
    struct strata_worker worker;
    struct strata_swift_target *swift;
    struct strata_swift_loop loop;
    uint64_t *objects; /* see strata_swift_worker_open */
    uint64_t first;
    unsigned depth;
    unsigned in_flight;
    uint64_t timeout_ns;
    uint64_t next_look_ns; /* when to look for transfers that are stuck */
    char *url;
    size_t url_length; /* without the object's name */
    struct transfer *transfers;
    struct strata_operation **finished;
    unsigned finished_count;
};

static int expected_status(int kind)
{
    return kind == STRATA_OPERATION_PUT ? 201 : kind == STRATA_OPERATION_GET ? 200 : 204;
}

/* --- what libcurl calls --- */

static size_t on_header(char *line, size_t one, size_t length, void *context)
{
    struct transfer *transfer = context;
    (void)one;
    transfer->progress_ns = transfer->worker->loop.now_ns;
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
    struct transfer *transfer = context;
    (void)one;
    transfer->progress_ns = transfer->worker->loop.now_ns;
    if (transfer->status == 200 && transfer->kind == STRATA_OPERATION_GET) {
        transfer->moved += length;
        if (transfer->finding == STRATA_RESULT_OK) {
            transfer->finding = transfer->worker->swift->body->type->check(
                transfer->stream, (uint8_t *)bytes, length);
        }
    }
    return length;
}

static size_t on_upload(char *bytes, size_t one, size_t room, void *context)
{
    struct transfer *transfer = context;
    (void)one;
    uint64_t left = transfer->size - transfer->moved;
    size_t part = left < room ? (size_t)left : room;
    transfer->progress_ns = transfer->worker->loop.now_ns;
    if (part == 0) {
        return 0;
    }
    transfer->finding =
        transfer->worker->swift->body->type->produce(transfer->stream, (uint8_t *)bytes, part);
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
    struct transfer *transfer = context;
    if (offset != 0 || origin != SEEK_SET) {
        return CURL_SEEKFUNC_CANTSEEK;
    }
    transfer->worker->swift->body->type->start(transfer->stream, transfer->object);
    transfer->moved = 0;
    transfer->sent_ns = 0;
    return CURL_SEEKFUNC_OK;
}

/* --- beginning a request --- */

static void set_kind(struct transfer *transfer, int kind)
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

static void renew_headers(struct transfer *transfer)
{
    struct strata_swift_session *session = transfer->worker->swift->session;
    if (transfer->generation != strata_swift_session_generation(session)) {
        curl_slist_free_all(transfer->headers);
        transfer->headers = strata_swift_session_headers(session, &transfer->generation);
        curl_easy_setopt(transfer->easy, CURLOPT_HTTPHEADER, transfer->headers);
    }
}

static bool send_request(struct transfer *transfer)
{
    struct swift_worker *worker = transfer->worker;
    const struct strata_body *body = worker->swift->body;
    transfer->moved = 0;
    transfer->sent_ns = 0;
    transfer->answered_ns = 0;
    transfer->status = 0;
    transfer->finding = STRATA_RESULT_OK;
    transfer->etag[0] = '\0';
    transfer->progress_ns = strata_clock_monotonic_ns();
    if (transfer->kind != STRATA_OPERATION_DELETE) {
        transfer->size = body->type->size(body, transfer->object);
        body->type->start(transfer->stream, transfer->object);
    }
    if (transfer->kind == STRATA_OPERATION_PUT) {
        worker->swift->states[transfer->object] = STRATA_SWIFT_UNKNOWN;
        curl_easy_setopt(transfer->easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)transfer->size);
    }
    snprintf(worker->url + worker->url_length, URL_ROOM,
             "/" STRATA_SWIFT_OBJECT_PREFIX "%012" PRIu64, transfer->object);
    curl_easy_setopt(transfer->easy, CURLOPT_URL, worker->url);
    renew_headers(transfer);
    return strata_swift_loop_add(&worker->loop, transfer->easy);
}

/* --- ending it --- */

static void finish(struct transfer *transfer, int32_t result)
{
    struct swift_worker *worker = transfer->worker;
    struct strata_operation *operation = transfer->operation;
    operation->result = result;
    operation->end_ns = strata_clock_monotonic_ns();
    transfer->operation = NULL;
    worker->finished[worker->finished_count++] = operation;
    worker->in_flight--;
}

/* Whether the server's checksum is the content's. */
static bool checksum_right(const struct transfer *transfer)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *md5 = transfer->worker->swift->md5s[transfer->object];
    for (size_t i = 0; i < 16; i++) {
        if (transfer->etag[2 * i] != digits[md5[i] >> 4] ||
            transfer->etag[2 * i + 1] != digits[md5[i] & 15]) {
            return false;
        }
    }
    return true;
}

static int32_t judge_download(struct transfer *transfer)
{
    if (transfer->finding != STRATA_RESULT_OK) {
        return transfer->finding;
    }
    if (transfer->moved != transfer->size) {
        return transfer->moved < transfer->size ? STRATA_RESULT_SHORT : STRATA_RESULT_CONTENT;
    }
    int32_t result = transfer->worker->swift->body->type->finish(transfer->stream);
    return result != STRATA_RESULT_OK ? result
           : checksum_right(transfer) ? STRATA_RESULT_OK
                                      : STRATA_RESULT_CHECKSUM;
}

static int32_t judge(struct transfer *transfer, CURLcode code)
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
static void note_object(struct transfer *transfer, int32_t result)
{
    uint8_t *state = &transfer->worker->swift->states[transfer->object];
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
static void note_stages(struct transfer *transfer)
{
    struct strata_operation *operation = transfer->operation;
    const struct strata_body_type *body = transfer->worker->swift->body->type;
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

static void on_done(void *context, CURL *easy, CURLcode code)
{
    struct transfer *transfer;
    (void)context;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
    if (transfer->status == 401 && !transfer->repeated &&
        strata_swift_session_renew(transfer->worker->swift->session, transfer->generation)) {
        transfer->repeated = true;
        if (send_request(transfer)) {
            return;
        }
    }
    int32_t result = judge(transfer, code);
    if (result == STRATA_RESULT_OK) {
        note_stages(transfer);
    }
    note_object(transfer, result);
    finish(transfer, result);
}

/* --- the worker --- */

static bool transfer_open(struct swift_worker *worker, struct transfer *transfer, unsigned kinds,
                          uint64_t size)
{
    const struct strata_body *body = worker->swift->body;
    transfer->worker = worker;
    transfer->kind = -1;
    transfer->generation = NOTHING_YET;
    CURL *easy = transfer->easy = curl_easy_init();
    if (easy == NULL) {
        return false;
    }
    strata_swift_easy_init(easy, strata_swift_session_endpoint(worker->swift->session));
    strata_swift_loop_attach(&worker->loop, easy);
    uint64_t receive = size > RECEIVE_BUFFER ? RECEIVE_BUFFER_MOST : RECEIVE_BUFFER;
    uint64_t upload = size < UPLOAD_BUFFER_LEAST  ? UPLOAD_BUFFER_LEAST
                      : size < UPLOAD_BUFFER_MOST ? size
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
    if (worker->swift->new_connections) {
        curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
        curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
    }
    unsigned content = 1U << STRATA_OPERATION_PUT | 1U << STRATA_OPERATION_GET;
    if ((kinds & content) == 0) {
        return true;
    }
    transfer->stream = body->type->stream_open(body);
    return transfer->stream != NULL;
}

static void transfer_close(struct transfer *transfer)
{
    if (transfer->operation != NULL) {
        strata_swift_loop_remove(&transfer->worker->loop, transfer->easy);
    }
    curl_easy_cleanup(transfer->easy);
    curl_slist_free_all(transfer->headers);
    if (transfer->stream != NULL) {
        transfer->worker->swift->body->type->stream_close(transfer->stream);
    }
}

enum strata_status strata_swift_worker_open(struct strata_swift_target *target,
                                            const struct strata_worker_setup *setup,
                                            uint64_t *objects, uint64_t first,
                                            struct strata_worker **ret_worker,
                                            struct strata_error *error)
{
    struct swift_worker *worker = strata_memory_new(1, sizeof *worker);
    if (!strata_swift_loop_open(&worker->loop, setup->depth)) {
        free(objects);
        free(worker);
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "swift: no descriptor or memory for a worker's event loop");
    }
    worker->worker.target = &target->target;
    worker->swift = target;
    worker->loop.done = on_done;
    worker->loop.context = worker;
    worker->objects = objects;
    worker->first = first;
    worker->timeout_ns = strata_swift_session_endpoint(target->session)->timeout_ns;
    const char *storage_url = strata_swift_session_storage_url(target->session);
    worker->url_length = strlen(storage_url) + strlen(target->container);
    worker->url = strata_memory_new(1, worker->url_length + URL_ROOM);
    snprintf(worker->url, worker->url_length + 1, "%s%s", storage_url, target->container);
    worker->transfers = strata_memory_new(setup->depth, sizeof *worker->transfers);
    worker->finished = strata_memory_new(setup->depth, sizeof *worker->finished);
    while (worker->depth < setup->depth) {
        struct transfer *transfer = &worker->transfers[worker->depth++];
        if (!transfer_open(worker, transfer, setup->kinds, setup->bytes)) {
            strata_swift_worker_close(&worker->worker);
            return strata_error_set(error, STRATA_ENVIRONMENT,
                                    "swift: no memory for %u requests in flight", setup->depth);
        }
    }
    *ret_worker = &worker->worker;
    return STRATA_OK;
}

void strata_swift_worker_close(struct strata_worker *base)
{
    struct swift_worker *worker = (struct swift_worker *)base;
    for (unsigned i = 0; i < worker->depth; i++) {
        transfer_close(&worker->transfers[i]);
    }
    strata_swift_loop_close(&worker->loop);
    free(worker->objects);
    free(worker->url);
    free(worker->transfers);
    free(worker->finished);
    free(worker);
}

int strata_swift_worker_submit(struct strata_worker *base,
                               struct strata_operation *const *operations, unsigned count)
{
    struct swift_worker *worker = (struct swift_worker *)base;
    for (unsigned i = 0; i < count; i++) {
        struct transfer *transfer = &worker->transfers[operations[i]->slot];
        transfer->operation = operations[i];
        transfer->object = worker->objects != NULL ? worker->objects[operations[i]->item]
                                                   : worker->first + operations[i]->item;
        transfer->repeated = false;
        set_kind(transfer, operations[i]->kind);
        worker->in_flight++;
        if (!send_request(transfer)) {
            finish(transfer, STRATA_RESULT_TRANSPORT + (int32_t)CURLE_FAILED_INIT);
        }
    }
    strata_swift_loop_turn(&worker->loop);
    return (int)count;
}

/* End the transfers that made no progress for the timeout. */
static void end_stuck(struct swift_worker *worker)
{
    uint64_t now_ns = strata_clock_monotonic_ns();
    if (now_ns < worker->next_look_ns) {
        return;
    }
    worker->next_look_ns = now_ns + worker->timeout_ns / 8;
    for (unsigned i = 0; i < worker->depth && worker->in_flight > 0; i++) {
        struct transfer *transfer = &worker->transfers[i];
        if (transfer->operation != NULL && now_ns > transfer->progress_ns &&
            now_ns - transfer->progress_ns > worker->timeout_ns) {
            strata_swift_loop_remove(&worker->loop, transfer->easy);
            finish(transfer, STRATA_RESULT_TIMED_OUT);
        }
    }
}

int strata_swift_worker_reap(struct strata_worker *base, struct strata_operation **operations,
                             unsigned max, uint64_t deadline_ns)
{
    struct swift_worker *worker = (struct swift_worker *)base;
    while (worker->finished_count == 0) {
        uint64_t until_ns = worker->in_flight > 0 && worker->next_look_ns < deadline_ns
                                ? worker->next_look_ns
                                : deadline_ns;
        int failure = strata_swift_loop_wait(&worker->loop, until_ns);
        if (failure != 0) {
            return failure;
        }
        end_stuck(worker);
        if (worker->loop.now_ns >= deadline_ns) {
            break;
        }
    }
    unsigned count = worker->finished_count < max ? worker->finished_count : max;
    worker->finished_count -= count;
    memcpy(operations, worker->finished + worker->finished_count, count * sizeof *operations);
    return (int)count;
}
