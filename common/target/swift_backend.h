/* From a <swift> element of the plan and the environment to an endpoint, its proof and a target. */
#ifndef STRATA_TARGET_SWIFT_BACKEND_H
#define STRATA_TARGET_SWIFT_BACKEND_H

#include "common/host/proof.h"
#include "common/plan/plan.h"
#include "common/target/swift.h"

/* The element's options, completed from the environment: ST_AUTH, ST_USER and the variable that
 * holds the key; or OS_STORAGE_URL and OS_AUTH_TOKEN where the element names no auth-url. Errors:
 * STRATA_USAGE naming what is missing. Owns: nothing; strings are the element's or the
 * environment's. */
enum strata_status strata_swift_endpoint_read(const struct strata_element *element, bool insecure,
                                              struct strata_swift_endpoint *ret_endpoint,
                                              struct strata_error *error);

/* Is it there, may we in, is it encrypted as it says? Encryption by the client is shown: a small
 * object is uploaded through the filter into a container of its own, its raw bytes are looked at,
 * and both are removed. Errors: STRATA_ENVIRONMENT, STRATA_USAGE. */
enum strata_status strata_swift_inspect(const struct strata_element *element, bool insecure,
                                        struct strata_proof *ret_proof, struct strata_error *error);

/* Open the target of one run: `body` goes through AES-256-GCM under a random key where the element
 * says encryption="client". Owns: takes the body, also when it fails. */
enum strata_status strata_swift_backend_open(const struct strata_element *element, bool insecure,
                                             const char *run_uuid, uint64_t objects,
                                             struct strata_body *body, bool new_connections,
                                             struct strata_target **ret_target,
                                             struct strata_error *error);

#endif
