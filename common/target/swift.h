/* Objects in OpenStack Swift: PUT, GET and DELETE through libcurl's multi interface, with epoll,
 * kept-alive connections and many requests in flight on each thread. */
#ifndef STRATA_TARGET_SWIFT_H
#define STRATA_TARGET_SWIFT_H

#include "common/base/error.h"
#include "common/target/body.h"
#include "common/target/target.h"

#include <stdbool.h>
#include <stdint.h>

/* Where a Swift is, and as whom. Strings are borrowed and outlive what is opened with them. */
struct strata_swift_endpoint {
    const char *auth_url; /* TempAuth (v1) */
    const char *user;
    const char *key;         /* in no error, log or result */
    const char *storage_url; /* with `token`: a ready session, nothing is asked of auth_url */
    const char *token;
    const char *ca_file; /* PEM; NULL: the system's */
    const char *policy;  /* storage policy of containers; NULL: the default one */
    uint64_t connect_timeout_ns;
    uint64_t timeout_ns; /* for one request without any progress */
    bool insecure;       /* TLS not verified */
};

/* A run's objects. */
struct strata_swift_options {
    struct strata_swift_endpoint endpoint;
    const char *run_uuid;     /* the container is "strata-<run_uuid>"; borrowed */
    uint64_t objects;         /* of all jobs together; each job has its share */
    struct strata_body *body; /* item numbers count over all jobs */
    bool new_connections;     /* a connection for each request, as separate users have */
};

extern const struct strata_target_type strata_swift_type;

/* Authenticate, once for all workers of the target. `prepare` makes the container (one that exists
 * is refused) and the MD5s, `cleanup` removes the objects and the container. Errors:
 * STRATA_ENVIRONMENT naming the URL and the cause. Owns: takes the body, also when it fails. */
enum strata_status strata_swift_open(const struct strata_swift_options *options,
                                     struct strata_target **ret_target, struct strata_error *error);

#endif
