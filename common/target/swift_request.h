/* One HTTP request at a time, for what is not measured; and the options that every request has. */
#ifndef STRATA_TARGET_SWIFT_REQUEST_H
#define STRATA_TARGET_SWIFT_REQUEST_H

#include "common/base/text.h"
#include "common/target/swift.h"

#include <curl/curl.h>

/* An answer. Zero-initialised is none; released by strata_swift_answer_done. */
struct strata_swift_answer {
    long status;             /* HTTP */
    char *storage_url;       /* header X-Storage-Url, or NULL */
    char *token;             /* header X-Auth-Token, or NULL */
    struct strata_text body; /* at most 1 MiB of it */
    char etag[33];           /* 32 hex digits; "" when there was none */
};

void strata_swift_answer_done(struct strata_swift_answer *answer);

/* What a request sends. */
struct strata_swift_ask {
    const char *method;
    const char *url;
    const struct curl_slist *headers;
    const uint8_t *bytes; /* content of a PUT, or NULL */
    size_t byte_count;
};

/* Set what every request to the endpoint has: no proxy from the environment, no signals, TLS
 * verified, no automatic "Expect: 100-continue" (with the headers of strata_swift_headers). */
void strata_swift_easy_init(CURL *easy, const struct strata_swift_endpoint *endpoint);

/* The header lines of every request with a token; NULL: without one. Owns: the caller frees with
 * curl_slist_free_all. */
struct curl_slist *strata_swift_headers(const char *token);

/* Ask and wait for the answer, at most the connect timeout and the timeout together. Answers of 429
 * and 5xx are asked again up to 4 times, after 0.1, 0.2, 0.4 and 0.8 s. Any answer is STRATA_OK.
 * Errors: STRATA_ENVIRONMENT naming the URL and the cause when there is no answer. */
enum strata_status strata_swift_request(const struct strata_swift_endpoint *endpoint,
                                        const struct strata_swift_ask *ask,
                                        struct strata_swift_answer *answer,
                                        struct strata_error *error);

/* The 32 hex digits of an ETag header's line ("etag: \"…\"\r\n", quoted or not) into `ret_etag`;
 * false when the line is another header or holds something else. */
bool strata_swift_parse_etag(const char *line, size_t length, char ret_etag[33]);

#endif
