/* A token and a storage URL, got once and shared by all workers; renewed when it runs out. */
#ifndef STRATA_TARGET_SWIFT_SESSION_H
#define STRATA_TARGET_SWIFT_SESSION_H

#include "common/target/swift_request.h"

struct strata_swift_session;

/* Authenticate. `endpoint` is copied, its strings borrowed. Errors: STRATA_ENVIRONMENT. */
enum strata_status strata_swift_session_open(const struct strata_swift_endpoint *endpoint,
                                             struct strata_swift_session **ret_session,
                                             struct strata_error *error);
void strata_swift_session_close(struct strata_swift_session *session);

const struct strata_swift_endpoint *
strata_swift_session_endpoint(const struct strata_swift_session *session);

/* Stays the same for the session's life, whatever tokens come. */
const char *strata_swift_session_storage_url(const struct strata_swift_session *session);

/* Number of the present token, from 1. Threads: any; no lock. */
uint64_t strata_swift_session_generation(const struct strata_swift_session *session);

/* Header lines with the present token, and its number. Threads: any; takes the lock. Owns: as
 * strata_swift_headers. */
struct curl_slist *strata_swift_session_headers(struct strata_swift_session *session,
                                                uint64_t *ret_generation);

/* The server refused token number `generation`: get a new one unless somebody has, for all. True
 * when there is another token to try with. Bounded: 3 authentications and one more for each second
 * of the session, so that a server that refuses every token is not asked for ever more. Threads:
 * any; waits. */
bool strata_swift_session_renew(struct strata_swift_session *session, uint64_t generation);

/* Ask below the storage URL with the token: `path` is "" or begins with "/", escaped. `headers`
 * are further lines, or NULL. A 401 is asked once more with a new token. Errors as
 * strata_swift_request. */
enum strata_status strata_swift_session_request(struct strata_swift_session *session,
                                                const char *method, const char *path,
                                                const char *const *headers, const uint8_t *bytes,
                                                size_t byte_count,
                                                struct strata_swift_answer *answer,
                                                struct strata_error *error);

#endif
