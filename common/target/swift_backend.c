/* Between the plan's <swift> element and the target: settings, proof of encryption, filters.
 *
 * What must always hold: the key comes from the environment and goes nowhere but into the request
 * for a token; what the proof says was seen, or is said to be somebody's word. */
#include "common/target/swift_backend.h"

#include "common/base/random.h"
#include "common/base/text.h"
#include "common/base/url.h"
#include "common/target/swift_proof.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *unless_empty(const char *text)
{
    return text != NULL && text[0] != '\0' ? text : NULL;
}

static const char *environment(const char *name)
{
    return unless_empty(getenv(name));
}

static const char *option(const struct strata_element *element, const char *name)
{
    return unless_empty(strata_element_text(element, name));
}

static const char *option_or_environment(const struct strata_element *element, const char *name,
                                         const char *variable)
{
    const char *value = option(element, name);
    return value != NULL ? value : environment(variable);
}

/* A line break in it would make header lines of its own; the value is not repeated. */
static enum strata_status check_header(const char *name, const char *value,
                                       struct strata_error *error)
{
    for (const char *at = value; *at != '\0'; at++) {
        if (strata_text_is_control(at)) {
            return strata_error_set(error, STRATA_USAGE,
                                    "%s: its value holds a control character, which no HTTP header "
                                    "can carry",
                                    name);
        }
    }
    return STRATA_OK;
}

static enum strata_status use_ready_token(struct strata_swift_endpoint *endpoint,
                                          struct strata_error *error)
{
    endpoint->storage_url = environment("OS_STORAGE_URL");
    endpoint->token = environment("OS_AUTH_TOKEN");
    enum strata_status status = strata_url_check("OS_STORAGE_URL", endpoint->storage_url, error);
    return status == STRATA_OK ? check_header("OS_AUTH_TOKEN", endpoint->token, error) : status;
}

enum strata_status strata_swift_endpoint_read(const struct strata_element *element, bool insecure,
                                              struct strata_swift_endpoint *ret_endpoint,
                                              struct strata_error *error)
{
    const char *key_variable = strata_element_text(element, "key-variable");
    struct strata_swift_endpoint endpoint = {
        .ca_file = option(element, "ca-file"),
        .policy = option(element, "policy"),
        .connect_timeout_ns = strata_element_number(element, "connect-timeout"),
        .timeout_ns = strata_element_number(element, "timeout"),
        .insecure = insecure,
    };
    *ret_endpoint = endpoint;
    if (!strata_element_given(element, "auth-url") && environment("OS_STORAGE_URL") != NULL &&
        environment("OS_AUTH_TOKEN") != NULL) {
        return use_ready_token(ret_endpoint, error);
    }
    ret_endpoint->auth_url = option_or_environment(element, "auth-url", "ST_AUTH");
    ret_endpoint->user = option_or_environment(element, "user", "ST_USER");
    ret_endpoint->key = environment(key_variable);
    if (ret_endpoint->auth_url == NULL) {
        return strata_error_set(error, STRATA_USAGE,
                                "no auth-url is given, and neither ST_AUTH nor OS_STORAGE_URL "
                                "with OS_AUTH_TOKEN is in the environment");
    }
    if (ret_endpoint->user == NULL) {
        return strata_error_set(error, STRATA_USAGE,
                                "no user is given, and ST_USER is not in the environment");
    }
    if (ret_endpoint->key == NULL) {
        return strata_error_set(error, STRATA_USAGE,
                                "the environment variable %s, which holds the key, is not set",
                                key_variable);
    }
    enum strata_status status =
        strata_url_check(option(element, "auth-url") != NULL ? "auth-url" : "ST_AUTH",
                         ret_endpoint->auth_url, error);
    if (status == STRATA_OK) {
        status = check_header(option(element, "user") != NULL ? "user" : "ST_USER",
                              ret_endpoint->user, error);
    }
    return status == STRATA_OK ? check_header(key_variable, ret_endpoint->key, error) : status;
}

static bool encrypts_itself(const struct strata_element *element)
{
    return strcmp(strata_element_text(element, "encryption"), "client") == 0;
}

/* A random key for this run; it is gone when the body is closed, and the objects with it. */
static enum strata_status encrypt(struct strata_body *body, struct strata_body **ret_body,
                                  struct strata_error *error)
{
    uint8_t key[32];
    strata_random_secret(key, sizeof key);
    enum strata_status status = strata_body_gcm_open(body, key, ret_body, error);
    explicit_bzero(key, sizeof key);
    return status;
}

enum strata_status strata_swift_backend_open(const struct strata_element *element, bool insecure,
                                             const char *run_uuid, uint64_t objects,
                                             struct strata_body *body, bool new_connections,
                                             struct strata_target **ret_target,
                                             struct strata_error *error)
{
    struct strata_swift_options options = {
        .run_uuid = run_uuid, .objects = objects, .body = body, .new_connections = new_connections};
    enum strata_status status =
        strata_swift_endpoint_read(element, insecure, &options.endpoint, error);
    if (status != STRATA_OK) {
        body->type->close(body);
        return status;
    }
    if (encrypts_itself(element)) {
        status = encrypt(body, &options.body, error);
        if (status != STRATA_OK) {
            return status;
        }
    }
    return strata_swift_open(&options, ret_target, error);
}

/* --- is it there, is it encrypted --- */

static enum strata_status look_at_account(struct strata_swift_session *session,
                                          struct strata_error *error)
{
    struct strata_swift_answer answer = {0};
    enum strata_status status =
        strata_swift_session_request(session, "HEAD", "", NULL, NULL, 0, &answer, error);
    long http = answer.status;
    strata_swift_answer_done(&answer);
    if (status != STRATA_OK) {
        return status;
    }
    return http >= 200 && http < 300
               ? STRATA_OK
               : strata_error_set(error, STRATA_ENVIRONMENT,
                                  "%s: looking at the account was answered by HTTP %ld, not 204",
                                  strata_swift_session_storage_url(session), http);
}

enum strata_status strata_swift_inspect(const struct strata_element *element, bool insecure,
                                        struct strata_proof *ret_proof, struct strata_error *error)
{
    struct strata_swift_endpoint endpoint;
    struct strata_swift_session *session;
    memset(ret_proof, 0, sizeof *ret_proof);
    enum strata_status status = strata_swift_endpoint_read(element, insecure, &endpoint, error);
    if (status != STRATA_OK) {
        return status;
    }
    status = strata_swift_session_open(&endpoint, &session, error);
    if (status != STRATA_OK) {
        return status;
    }
    const char *encryption = strata_element_text(element, "encryption");
    const char *evidence = option(element, "evidence");
    status = look_at_account(session, error);
    if (status == STRATA_OK && encrypts_itself(element)) {
        status = strata_swift_prove_client(session, ret_proof, error);
    } else if (status == STRATA_OK && strcmp(encryption, "server") == 0) {
        ret_proof->level = STRATA_PROOF_ASSERTED;
        snprintf(ret_proof->evidence, sizeof ret_proof->evidence, "%s",
                 evidence != NULL ? evidence : "the configuration says so");
    }
    strata_swift_session_close(session);
    return status;
}
