/* A run's container and objects: made, shared out among the jobs, removed.
 *
 * What must always hold: only a container that this run made is written to and removed; an object
 * is offered for download or deletion only when its upload was answered by success; after cleanup
 * the server has neither objects nor container, or an error says what is left. Left to others: the
 * requests in flight (common/target/swift_worker.c). */
#include "common/target/swift.h"

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/share.h"
#include "common/base/stop.h"
#include "common/base/text.h"
#include "common/target/swift_target.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum {
    CLEANUP_DEPTH = 16,       /* deletions in flight */
    CLEANUP_HOPELESS = 16,    /* so many failures without a success end it */
    CONTAINER_ATTEMPTS = 6,   /* to delete the container; its listing lags behind its objects */
    CONTAINER_PAUSE_MS = 100, /* doubled after each attempt */
    MS = 1000000
};

/* --- the container --- */

static enum strata_status container_request(struct strata_swift_target *swift, const char *method,
                                            const char *const *headers,
                                            struct strata_swift_answer *answer,
                                            struct strata_error *error)
{
    return strata_swift_session_request(swift->session, method, swift->container, headers, NULL, 0,
                                        answer, error);
}

/* "storage URL/container: " before what `text` says of an answer. */
static enum strata_status container_error(const struct strata_swift_target *swift, const char *text,
                                          long status, struct strata_error *error)
{
    return strata_error_set(error, STRATA_ENVIRONMENT, "%s%s: %s (HTTP %ld)",
                            strata_swift_session_storage_url(swift->session), swift->container,
                            text, status);
}

/* A PUT on a container that exists would change it, so it is looked for first. */
static enum strata_status make_container(struct strata_swift_target *swift,
                                         struct strata_error *error)
{
    struct strata_swift_answer answer = {0};
    enum strata_status status = container_request(swift, "HEAD", NULL, &answer, error);
    if (status == STRATA_OK && answer.status != 404) {
        status =
            answer.status < 300
                ? container_error(swift, "this container exists already and is not this run's",
                                  answer.status, error)
                : container_error(swift, "cannot look for the container", answer.status, error);
    }
    if (status != STRATA_OK) {
        strata_swift_answer_done(&answer);
        return status;
    }
    const char *policy = strata_swift_session_endpoint(swift->session)->policy;
    char *marker = strata_text_duplicate_format("X-Container-Meta-Strata-Run: %s", swift->run_uuid);
    char *policy_line =
        policy != NULL ? strata_text_duplicate_format("X-Storage-Policy: %s", policy) : NULL;
    const char *const headers[] = {marker, policy_line, NULL};
    swift->created = true; /* it may be, also when the answer gets lost */
    status = container_request(swift, "PUT", headers, &answer, error);
    if (status == STRATA_OK && answer.status != 201) {
        swift->created = false;
        status = container_error(swift,
                                 answer.status == 202 ? "somebody else made this container"
                                 : answer.status == 400 && policy != NULL
                                     ? "the container was refused; is there such a storage policy?"
                                     : "the container was not made",
                                 answer.status, error);
    }
    free(marker);
    free(policy_line);
    strata_swift_answer_done(&answer);
    return status;
}

/* --- what is prepared --- */

static enum strata_status make_md5s(struct strata_swift_target *swift, struct strata_error *error)
{
    for (uint64_t i = 0; i < swift->objects; i++) {
        if (strata_stop_signal != 0) {
            return strata_error_set(error, STRATA_INTERRUPTED, "interrupted");
        }
        if (strata_body_md5(swift->body, i, swift->md5s[i]) != STRATA_RESULT_OK) {
            return strata_error_set(error, STRATA_INTERNAL,
                                    "swift: cannot produce the content of object %" PRIu64, i);
        }
    }
    return STRATA_OK;
}

static enum strata_status swift_prepare(struct strata_target *target, unsigned kinds,
                                        struct strata_error *error)
{
    struct strata_swift_target *swift = (struct strata_swift_target *)target;
    (void)kinds;
    enum strata_status status = make_md5s(swift, error);
    return status == STRATA_OK ? make_container(swift, error) : status;
}

/* --- items and workers --- */

static bool makes_objects(unsigned kinds)
{
    return (kinds & 1U << STRATA_OPERATION_PUT) != 0;
}

static uint64_t count_present(const struct strata_swift_target *swift, uint64_t first,
                              uint64_t count)
{
    uint64_t present = 0;
    for (uint64_t i = first; i < first + count; i++) {
        present += swift->states[i] == STRATA_SWIFT_PRESENT;
    }
    return present;
}

static uint64_t swift_items(const struct strata_target *target, unsigned job, unsigned jobs,
                            enum strata_operation_kind kind)
{
    const struct strata_swift_target *swift = (const struct strata_swift_target *)target;
    uint64_t first = strata_share_begin(swift->objects, job, jobs);
    uint64_t count = strata_share_count(swift->objects, job, jobs);
    return kind == STRATA_OPERATION_PUT ? count : count_present(swift, first, count);
}

/* The objects from `first` on whose state is at least `least`, so that item i is the i-th of them.
 */
static uint64_t *choose_objects(const struct strata_swift_target *swift, uint64_t first,
                                uint64_t count, enum strata_swift_object least, uint64_t *ret_count)
{
    uint64_t *chosen = strata_memory_new((size_t)count, sizeof *chosen);
    *ret_count = 0;
    for (uint64_t i = first; i < first + count; i++) {
        if (swift->states[i] >= least) {
            chosen[(*ret_count)++] = i;
        }
    }
    return chosen;
}

static enum strata_status swift_worker_open(struct strata_target *target,
                                            const struct strata_worker_setup *setup,
                                            struct strata_worker **ret_worker,
                                            struct strata_error *error)
{
    struct strata_swift_target *swift = (struct strata_swift_target *)target;
    uint64_t first = strata_share_begin(swift->objects, setup->job, setup->jobs);
    uint64_t count = strata_share_count(swift->objects, setup->job, setup->jobs);
    uint64_t *objects = NULL;
    if (!makes_objects(setup->kinds)) {
        objects = choose_objects(swift, first, count, STRATA_SWIFT_PRESENT, &count);
    }
    return strata_swift_worker_open(swift, setup, objects, first, ret_worker, error);
}

/* --- cleaning up --- */

/* Delete what may be on the server, many at a time. Gives up when it only fails. */
static enum strata_status delete_objects(struct strata_swift_target *swift,
                                         struct strata_error *error)
{
    uint64_t count;
    uint64_t *objects = choose_objects(swift, 0, swift->objects, STRATA_SWIFT_UNKNOWN, &count);
    struct strata_worker_setup setup = {
        .jobs = 1, .depth = CLEANUP_DEPTH, .kinds = 1U << STRATA_OPERATION_DELETE};
    struct strata_worker *worker;
    enum strata_status status = strata_swift_worker_open(swift, &setup, objects, 0, &worker, error);
    if (status != STRATA_OK) {
        return status;
    }
    struct strata_operation slots[CLEANUP_DEPTH];
    struct strata_operation *free_slots[CLEANUP_DEPTH];
    unsigned free_count = CLEANUP_DEPTH;
    for (unsigned i = 0; i < CLEANUP_DEPTH; i++) {
        slots[i] = (struct strata_operation){.kind = STRATA_OPERATION_DELETE, .slot = (uint16_t)i};
        free_slots[i] = &slots[i];
    }
    uint64_t deleted = 0, failed = 0;
    for (uint64_t next = 0; next < count || free_count < CLEANUP_DEPTH;) {
        bool hopeless = failed >= CLEANUP_HOPELESS && deleted == 0;
        if (next < count && free_count > 0 && !hopeless) {
            struct strata_operation *operation = free_slots[--free_count];
            operation->item = next++;
            strata_swift_worker_submit(worker, &operation, 1);
            continue;
        }
        if (free_count == CLEANUP_DEPTH) {
            break;
        }
        struct strata_operation *operation;
        if (strata_swift_worker_reap(worker, &operation, 1, UINT64_MAX) != 1) {
            break;
        }
        bool gone = operation->result == STRATA_RESULT_OK || operation->result == 404;
        deleted += gone;
        failed += !gone;
        free_slots[free_count++] = operation;
    }
    strata_swift_worker_close(worker);
    return failed >= CLEANUP_HOPELESS && deleted == 0
               ? strata_error_set(error, STRATA_ENVIRONMENT,
                                  "%s%s: the container and objects in it are left; the server does "
                                  "not delete them",
                                  strata_swift_session_storage_url(swift->session),
                                  swift->container)
               : STRATA_OK;
}

/* Delete what the container still lists: uploads that were finished by the server after their
 * answer had been given up. */
static enum strata_status delete_listed(struct strata_swift_target *swift,
                                        struct strata_error *error)
{
    struct strata_swift_answer listing = {0};
    enum strata_status status = container_request(swift, "GET", NULL, &listing, error);
    char *names = listing.body.bytes;
    char *rest = NULL;
    for (char *name = names != NULL && listing.status == 200 ? strtok_r(names, "\n", &rest) : NULL;
         name != NULL && status == STRATA_OK; name = strtok_r(NULL, "\n", &rest)) {
        if (strncmp(name, STRATA_SWIFT_OBJECT_PREFIX, strlen(STRATA_SWIFT_OBJECT_PREFIX)) != 0) {
            continue; /* not this run's */
        }
        char *path = strata_text_duplicate_format("%s/%s", swift->container, name);
        struct strata_swift_answer answer = {0};
        status = strata_swift_session_request(swift->session, "DELETE", path, NULL, NULL, 0,
                                              &answer, error);
        strata_swift_answer_done(&answer);
        free(path);
    }
    strata_swift_answer_done(&listing);
    return status;
}

static enum strata_status delete_container(struct strata_swift_target *swift,
                                           struct strata_error *error)
{
    struct strata_swift_answer answer = {0};
    enum strata_status status = STRATA_OK;
    for (unsigned i = 0; i < CONTAINER_ATTEMPTS; i++) {
        status = container_request(swift, "DELETE", NULL, &answer, error);
        if (status != STRATA_OK || answer.status == 204 || answer.status == 404) {
            break;
        }
        status = delete_listed(swift, error);
        strata_clock_sleep_until_ns(strata_clock_monotonic_ns() +
                                    (UINT64_C(1) << i) * CONTAINER_PAUSE_MS * MS);
    }
    if (status == STRATA_OK && answer.status != 204 && answer.status != 404) {
        status = container_error(swift,
                                 "the container and objects in it are left; it was not "
                                 "deleted",
                                 answer.status, error);
    }
    swift->created = status != STRATA_OK;
    strata_swift_answer_done(&answer);
    return status;
}

static enum strata_status swift_cleanup(struct strata_target *target, struct strata_error *error)
{
    struct strata_swift_target *swift = (struct strata_swift_target *)target;
    if (!swift->created) {
        return STRATA_OK;
    }
    enum strata_status status = delete_objects(swift, error);
    return status == STRATA_OK ? delete_container(swift, error) : status;
}

/* --- opening and closing --- */

static void swift_close(struct strata_target *target)
{
    struct strata_swift_target *swift = (struct strata_swift_target *)target;
    strata_swift_session_close(swift->session);
    swift->body->type->close(swift->body);
    free(swift->container);
    free(swift->run_uuid);
    free(swift->states);
    free(swift->md5s);
    free(swift);
}

const struct strata_target_type strata_swift_type = {
    .name = "swift",
    .help = "objects in OpenStack Swift, by libcurl and epoll",
    .prepare = swift_prepare,
    .items = swift_items,
    .worker_open = swift_worker_open,
    .worker_close = strata_swift_worker_close,
    .submit = strata_swift_worker_submit,
    .reap = strata_swift_worker_reap,
    .cleanup = swift_cleanup,
    .close = swift_close,
};

/* A connection for each request in flight can be more than the shell's soft limit; the hard one is
 * the administrator's. */
static void raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

enum strata_status strata_swift_open(const struct strata_swift_options *options,
                                     struct strata_target **ret_target, struct strata_error *error)
{
    struct strata_swift_session *session;
    enum strata_status status = strata_swift_session_open(&options->endpoint, &session, error);
    if (status != STRATA_OK) {
        options->body->type->close(options->body);
        return status;
    }
    raise_descriptor_limit();
    struct strata_swift_target *swift = strata_memory_new(1, sizeof *swift);
    swift->target.type = &strata_swift_type;
    swift->session = session;
    swift->body = options->body;
    swift->run_uuid = strata_text_duplicate(options->run_uuid);
    swift->container = strata_text_duplicate_format("/strata-%s", options->run_uuid);
    swift->objects = options->objects;
    swift->states = strata_memory_new((size_t)options->objects, sizeof *swift->states);
    swift->md5s = strata_memory_new((size_t)options->objects, sizeof *swift->md5s);
    swift->new_connections = options->new_connections;
    *ret_target = &swift->target;
    return STRATA_OK;
}
