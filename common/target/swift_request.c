/* Requests outside of what is measured: authentication, containers, looks at single objects.
 *
 * What must always hold: no secret gets into an error; the environment's proxies are never used;
 * every request ends within its timeouts. Left to others: tokens (common/target/swift_session.c),
 * and the load itself (common/target/swift_worker.c), which shares strata_swift_easy_init. */
#include "common/target/swift_request.h"

#include "common/base/clock.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { ATTEMPTS = 5, BODY_LIMIT = 1 << 20, MS = 1000000 };

void strata_swift_answer_done(struct strata_swift_answer *answer)
{
    free(answer->storage_url);
    free(answer->token);
    strata_text_done(&answer->body);
    memset(answer, 0, sizeof *answer);
}

static long milliseconds(uint64_t ns)
{
    return (long)((ns + MS - 1) / MS);
}

void strata_swift_easy_init(CURL *easy, const struct strata_swift_endpoint *endpoint)
{
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "strata/" STRATA_VERSION);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(endpoint->connect_timeout_ns));
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, endpoint->insecure ? 0L : 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, endpoint->insecure ? 0L : 2L);
    if (endpoint->ca_file != NULL) {
        curl_easy_setopt(easy, CURLOPT_CAINFO, endpoint->ca_file);
    }
}

struct curl_slist *strata_swift_headers(const char *token)
{
    struct curl_slist *headers = curl_slist_append(NULL, "Expect:");
    if (token != NULL) {
        char *line = strata_text_duplicate_format("X-Auth-Token: %s", token);
        headers = curl_slist_append(headers, line);
        free(line);
    }
    return headers;
}

/* Where the value of header `name` begins in the line, and how long it is without white space;
 * NULL when the line is another header. */
static const char *header_value(const char *line, size_t length, const char *name, size_t *ret_size)
{
    size_t skip = strlen(name);
    if (length <= skip || strncasecmp(line, name, skip) != 0 || line[skip] != ':') {
        return NULL;
    }
    const char *begin = line + skip + 1;
    const char *end = line + length;
    while (begin < end && (*begin == ' ' || *begin == '\t')) {
        begin++;
    }
    while (end > begin && strchr(" \t\r\n", end[-1]) != NULL) {
        end--;
    }
    *ret_size = (size_t)(end - begin);
    return begin;
}

bool strata_swift_parse_etag(const char *line, size_t length, char ret_etag[33])
{
    size_t size;
    const char *value = header_value(line, length, "etag", &size);
    if (value == NULL) {
        return false;
    }
    if (size >= 2 && value[0] == '"' && value[size - 1] == '"') {
        value++;
        size -= 2;
    }
    if (size != 32) {
        return false;
    }
    for (size_t i = 0; i < 32; i++) {
        if (!isxdigit((unsigned char)value[i])) {
            return false;
        }
        ret_etag[i] = (char)tolower((unsigned char)value[i]);
    }
    ret_etag[32] = '\0';
    return true;
}

static void keep_value(const char *line, size_t length, const char *name, char **kept)
{
    size_t size;
    const char *value = header_value(line, length, name, &size);
    if (value != NULL && size > 0) {
        free(*kept);
        *kept = strata_text_duplicate_format("%.*s", (int)size, value);
    }
}

static size_t on_header(char *line, size_t one, size_t length, void *context)
{
    struct strata_swift_answer *answer = context;
    (void)one;
    keep_value(line, length, "x-storage-url", &answer->storage_url);
    keep_value(line, length, "x-auth-token", &answer->token);
    strata_swift_parse_etag(line, length, answer->etag);
    return length;
}

static size_t on_body(char *bytes, size_t one, size_t length, void *context)
{
    struct strata_swift_answer *answer = context;
    (void)one;
    size_t room = BODY_LIMIT - answer->body.length;
    strata_text_append_bytes(&answer->body, bytes, length < room ? length : room);
    return length;
}

/* What of an upload is sent already. */
struct upload {
    const struct strata_swift_ask *ask;
    size_t sent;
};

static size_t on_upload(char *bytes, size_t one, size_t room, void *context)
{
    struct upload *upload = context;
    (void)one;
    size_t left = upload->ask->byte_count - upload->sent;
    size_t part = left < room ? left : room;
    if (part > 0) {
        memcpy(bytes, upload->ask->bytes + upload->sent, part);
        upload->sent += part;
    }
    return part;
}

/* One attempt. Returns libcurl's code; `reason` has its text. */
static CURLcode attempt(const struct strata_swift_endpoint *endpoint,
                        const struct strata_swift_ask *ask, struct strata_swift_answer *answer,
                        char *reason)
{
    CURL *easy = curl_easy_init();
    if (easy == NULL) {
        return CURLE_OUT_OF_MEMORY;
    }
    struct upload upload = {.ask = ask};
    strata_swift_easy_init(easy, endpoint);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, reason);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS,
                     milliseconds(endpoint->connect_timeout_ns + endpoint->timeout_ns));
    curl_easy_setopt(easy, CURLOPT_URL, ask->url);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, ask->headers);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, answer);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, answer);
    if (strcmp(ask->method, "PUT") == 0) {
        curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)ask->byte_count);
        curl_easy_setopt(easy, CURLOPT_READFUNCTION, on_upload);
        curl_easy_setopt(easy, CURLOPT_READDATA, &upload);
    } else if (strcmp(ask->method, "HEAD") == 0) {
        curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
    } else {
        curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, ask->method);
    }
    CURLcode code = curl_easy_perform(easy);
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &answer->status);
    curl_easy_cleanup(easy);
    return code;
}

static bool worth_repeating(long status)
{
    return status == 429 || status == 500 || (status >= 502 && status <= 504);
}

enum strata_status strata_swift_request(const struct strata_swift_endpoint *endpoint,
                                        const struct strata_swift_ask *ask,
                                        struct strata_swift_answer *answer,
                                        struct strata_error *error)
{
    char reason[CURL_ERROR_SIZE] = "";
    CURLcode code = CURLE_OK;
    for (unsigned i = 0; i < ATTEMPTS; i++) {
        strata_swift_answer_done(answer);
        code = attempt(endpoint, ask, answer, reason);
        if (code != CURLE_OK || !worth_repeating(answer->status) || i == ATTEMPTS - 1) {
            break;
        }
        strata_clock_sleep_until_ns(strata_clock_monotonic_ns() + (UINT64_C(100) << i) * MS);
    }
    if (code != CURLE_OK) {
        return strata_error_set(error, STRATA_ENVIRONMENT, "%s: %s", ask->url,
                                reason[0] != '\0' ? reason : curl_easy_strerror(code));
    }
    return STRATA_OK;
}
