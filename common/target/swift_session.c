/* One token for all workers of a run, renewed in its middle without losing the run.
 *
 * What must always hold: the storage URL of the first answer stays; however many workers find the
 * token refused at once, one of them asks for a new one; neither key nor token gets into an error.
 * Left to others: repeating the request that was refused. */
#include "common/target/swift_session.h"

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/url.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct strata_swift_session {
    struct strata_swift_endpoint endpoint;
    char *storage_url;
    bool renewable; /* not a ready token */
    pthread_mutex_t lock;
    char *token; /* guarded by the lock */
    uint64_t opened_ns;
    uint64_t renewals;           /* tried; guarded by the lock */
    _Atomic uint64_t generation; /* changed under the lock */
};

/* Renewals may come in a burst, but in the long run one in this time at most. */
enum { RENEWAL_BURST = 3 };
static const uint64_t RENEWAL_INTERVAL_NS = UINT64_C(1000000000);

/* Ask TempAuth for a token. */
static enum strata_status authenticate(const struct strata_swift_endpoint *endpoint,
                                       struct strata_swift_answer *answer,
                                       struct strata_error *error)
{
    struct curl_slist *headers = strata_swift_headers(NULL);
    char *user = strata_text_duplicate_format("X-Auth-User: %s", endpoint->user);
    char *key = strata_text_duplicate_format("X-Auth-Key: %s", endpoint->key);
    headers = curl_slist_append(headers, user);
    headers = curl_slist_append(headers, key);
    struct strata_swift_ask ask = {.method = "GET", .url = endpoint->auth_url, .headers = headers};
    enum strata_status status = strata_swift_request(endpoint, &ask, answer, error);
    curl_slist_free_all(headers);
    free(user);
    free(key);
    if (status != STRATA_OK) {
        return status;
    }
    if (answer->status == 401 || answer->status == 403) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "%s: user '%s' with the given key was refused (HTTP %ld)",
                                endpoint->auth_url, endpoint->user, answer->status);
    }
    if (answer->status < 200 || answer->status > 299) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "%s: authentication was answered by HTTP %ld, not 200",
                                endpoint->auth_url, answer->status);
    }
    if (answer->storage_url == NULL || answer->token == NULL) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "%s: the answer has no X-Storage-Url and X-Auth-Token; is this a "
                                "Swift v1 authentication URL?",
                                endpoint->auth_url);
    }
    if (strata_url_check("X-Storage-Url", answer->storage_url, error) != STRATA_OK) {
        error->status = STRATA_ENVIRONMENT; /* the server's word */
        return strata_error_prefix(error, "%s", endpoint->auth_url);
    }
    return STRATA_OK;
}

static char *without_trailing_slashes(const char *url)
{
    char *copy = strata_text_duplicate(url);
    for (size_t length = strlen(copy); length > 0 && copy[length - 1] == '/'; length--) {
        copy[length - 1] = '\0';
    }
    return copy;
}

enum strata_status strata_swift_session_open(const struct strata_swift_endpoint *endpoint,
                                             struct strata_swift_session **ret_session,
                                             struct strata_error *error)
{
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        return strata_error_set(error, STRATA_INTERNAL, "libcurl cannot be initialised");
    }
    struct strata_swift_answer answer = {0};
    const char *storage_url = endpoint->storage_url;
    const char *token = endpoint->token;
    bool ready = storage_url != NULL && token != NULL;
    if (!ready) {
        enum strata_status status = authenticate(endpoint, &answer, error);
        if (status != STRATA_OK) {
            strata_swift_answer_done(&answer);
            curl_global_cleanup();
            return status;
        }
        storage_url = answer.storage_url;
        token = answer.token;
    }
    struct strata_swift_session *session = strata_memory_new(1, sizeof *session);
    session->endpoint = *endpoint;
    session->renewable = !ready;
    session->storage_url = without_trailing_slashes(storage_url);
    session->token = strata_text_duplicate(token);
    session->opened_ns = strata_clock_monotonic_ns();
    pthread_mutex_init(&session->lock, NULL);
    atomic_store(&session->generation, 1);
    strata_swift_answer_done(&answer);
    *ret_session = session;
    return STRATA_OK;
}

void strata_swift_session_close(struct strata_swift_session *session)
{
    pthread_mutex_destroy(&session->lock);
    free(session->storage_url);
    free(session->token);
    free(session);
    curl_global_cleanup();
}

const struct strata_swift_endpoint *
strata_swift_session_endpoint(const struct strata_swift_session *session)
{
    return &session->endpoint;
}

const char *strata_swift_session_storage_url(const struct strata_swift_session *session)
{
    return session->storage_url;
}

uint64_t strata_swift_session_generation(const struct strata_swift_session *session)
{
    return atomic_load_explicit(&session->generation, memory_order_acquire);
}

struct curl_slist *strata_swift_session_headers(struct strata_swift_session *session,
                                                uint64_t *ret_generation)
{
    pthread_mutex_lock(&session->lock);
    struct curl_slist *headers = strata_swift_headers(session->token);
    *ret_generation = atomic_load(&session->generation);
    pthread_mutex_unlock(&session->lock);
    return headers;
}

/* With the lock held. */
static bool renew(struct strata_swift_session *session)
{
    uint64_t allowed =
        RENEWAL_BURST + (strata_clock_monotonic_ns() - session->opened_ns) / RENEWAL_INTERVAL_NS;
    if (!session->renewable || session->renewals >= allowed) {
        return false;
    }
    session->renewals++;
    struct strata_swift_answer answer = {0};
    struct strata_error error;
    bool renewed = authenticate(&session->endpoint, &answer, &error) == STRATA_OK;
    if (renewed) {
        free(session->token);
        session->token = strata_text_duplicate(answer.token);
        atomic_fetch_add(&session->generation, 1);
    }
    strata_swift_answer_done(&answer);
    return renewed;
}

bool strata_swift_session_renew(struct strata_swift_session *session, uint64_t generation)
{
    pthread_mutex_lock(&session->lock);
    bool another = atomic_load(&session->generation) != generation || renew(session);
    pthread_mutex_unlock(&session->lock);
    return another;
}

enum strata_status strata_swift_session_request(struct strata_swift_session *session,
                                                const char *method, const char *path,
                                                const char *const *headers, const uint8_t *bytes,
                                                size_t byte_count,
                                                struct strata_swift_answer *answer,
                                                struct strata_error *error)
{
    char *url = strata_text_duplicate_format("%s%s", session->storage_url, path);
    enum strata_status status;
    for (bool repeated = false;; repeated = true) {
        uint64_t generation;
        struct curl_slist *lines = strata_swift_session_headers(session, &generation);
        for (const char *const *line = headers; line != NULL && *line != NULL; line++) {
            lines = curl_slist_append(lines, *line);
        }
        struct strata_swift_ask ask = {.method = method,
                                       .url = url,
                                       .headers = lines,
                                       .bytes = bytes,
                                       .byte_count = byte_count};
        status = strata_swift_request(&session->endpoint, &ask, answer, error);
        curl_slist_free_all(lines);
        if (status != STRATA_OK || answer->status != 401 || repeated ||
            !strata_swift_session_renew(session, generation)) {
            break;
        }
    }
    free(url);
    return status;
}
