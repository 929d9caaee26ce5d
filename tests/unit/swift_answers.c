/* The Swift target against a server whose answers are wrong in every way
 * (tests/servers/answers.py): each failure has its name, nothing false counts as a success, tokens
 * are renewed once for all. */
#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "common/measure/operation.h"
#include "common/target/swift.h"
#include "tests/unit/harness.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 10000, ITEMS = 12, DEPTH = 4 };

static const uint64_t MS = 1000000;

/* --- the server --- */

static struct {
    pid_t pid;
    int input; /* closing it ends the server */
    unsigned port;
    char log[64];
} server;

static bool start_server(void)
{
    int input[2], output[2];
    snprintf(server.log, sizeof server.log, "/tmp/strata-answers.XXXXXX");
    int fd = mkstemp(server.log);
    if (fd < 0 || pipe(input) != 0 || pipe(output) != 0) {
        return false;
    }
    close(fd);
    server.pid = fork();
    if (server.pid == 0) {
        dup2(input[0], 0);
        dup2(output[1], 1);
        close(input[1]);
        close(output[0]);
        execl("/usr/bin/python3", "python3", "tests/servers/answers.py", server.log, (char *)NULL);
        _exit(127);
    }
    close(input[0]);
    close(output[1]);
    server.input = input[1];
    FILE *lines = fdopen(output[0], "r");
    bool ready = fscanf(lines, "%u", &server.port) == 1;
    fclose(lines);
    return ready;
}

static void stop_server(void)
{
    close(server.input);
    waitpid(server.pid, NULL, 0);
    unlink(server.log);
}

/* How many lines of the log hold both texts. */
static unsigned logged(const char *first, const char *second)
{
    FILE *log = fopen(server.log, "r");
    char line[512];
    unsigned count = 0;
    while (fgets(line, sizeof line, log) != NULL) {
        count += strstr(line, first) != NULL && strstr(line, second) != NULL;
    }
    fclose(log);
    return count;
}

/* Distinct values of "connection=N" in the lines that hold `text`. */
static unsigned connections(const char *text)
{
    static bool seen[100000];
    memset(seen, 0, sizeof seen);
    FILE *log = fopen(server.log, "r");
    char line[512];
    unsigned count = 0;
    while (fgets(line, sizeof line, log) != NULL) {
        const char *value = strstr(line, "connection=");
        if (strstr(line, text) != NULL && value != NULL) {
            unsigned long number = strtoul(value + 11, NULL, 10);
            count += !seen[number];
            seen[number] = true;
        }
    }
    fclose(log);
    return count;
}

/* --- a target, driven by hand --- */

static char auth_url[128];

static const char *auth(const char *path)
{
    snprintf(auth_url, sizeof auth_url, "http://127.0.0.1:%u/auth/%s", server.port, path);
    return auth_url;
}

/* Short where it is what a test waits for, else long enough for a machine that is busy. */
static uint64_t timeout_of(const char *behaviour)
{
    static const char *const waited_for[] = {"put-silent", "put-late", "get-stuck", "get-slow"};
    for (unsigned i = 0; i < sizeof waited_for / sizeof waited_for[0]; i++) {
        if (strcmp(behaviour, waited_for[i]) == 0) {
            return 1000 * MS;
        }
    }
    return 10000 * MS;
}

static struct strata_target *open_at(const char *path, const char *behaviour, uint64_t bytes)
{
    struct strata_swift_options options = {
        .endpoint = {.auth_url = auth(path),
                     .user = "test:tester",
                     .key = "a-secret-key",
                     .connect_timeout_ns = 5000 * MS,
                     .timeout_ns = timeout_of(behaviour)},
        .run_uuid = behaviour,
        .objects = ITEMS,
        .body = strata_body_pool_open(1, bytes),
        .new_connections = strcmp(behaviour, "new-connections") == 0,
    };
    struct strata_target *target = NULL;
    struct strata_error error;
    if (strata_swift_open(&options, &target, &error) != STRATA_OK) {
        printf(" %s ", error.text);
        CU_FAIL("an error");
    }
    CU_ASSERT_PTR_NOT_NULL_FATAL(target);
    return target;
}

/* Every item of job `job` of `jobs` once; results[item] for each of the job's. Returns how many. */
static uint64_t drive_job(struct strata_target *target, unsigned job, unsigned jobs,
                          enum strata_operation_kind kind, struct strata_operation *results)
{
    uint64_t items = target->type->items(target, job, jobs, kind);
    struct strata_worker_setup setup = {
        .job = job, .jobs = jobs, .depth = DEPTH, .bytes = BYTES, .kinds = 1U << kind};
    struct strata_worker *worker;
    struct strata_error error;
    struct strata_operation slots[DEPTH], *idle[DEPTH], *done[DEPTH];
    unsigned free_count = 0;
    if (target->type->worker_open(target, &setup, &worker, &error) != STRATA_OK) {
        return 0;
    }
    for (unsigned i = 0; i < DEPTH; i++) {
        slots[i] = (struct strata_operation){.slot = (uint16_t)i, .kind = (uint8_t)kind};
        idle[free_count++] = &slots[i];
    }
    uint64_t next = 0, ended = 0;
    while (ended < items) {
        while (free_count > 0 && next < items) {
            struct strata_operation *operation = idle[--free_count];
            operation->item = next++;
            operation->stages = 0;
            operation->start_ns = strata_clock_monotonic_ns();
            if (target->type->submit(worker, &operation, 1) != 1) {
                return ended;
            }
        }
        int count =
            target->type->reap(worker, done, DEPTH, strata_clock_monotonic_ns() + 20000 * MS);
        if (count <= 0) {
            break;
        }
        for (int i = 0; i < count; i++) {
            results[done[i]->item] = *done[i];
            idle[free_count++] = done[i];
        }
        ended += (uint64_t)count;
    }
    target->type->worker_close(worker);
    return ended;
}

static uint64_t drive(struct strata_target *target, enum strata_operation_kind kind,
                      struct strata_operation *results)
{
    return drive_job(target, 0, 1, kind, results);
}

static void prepare(struct strata_target *target)
{
    struct strata_error error;
    if (target->type->prepare(target, 7, &error) != STRATA_OK) {
        printf(" %s ", error.text);
        CU_FAIL("an error");
    }
}

/* Clean up and close; afterwards the server has nothing of the run. */
static void end(struct strata_target *target, const char *behaviour)
{
    struct strata_error error;
    char *deleted = strata_text_duplicate_format("DELETE /v1/AUTH_test/strata-%s 204", behaviour);
    if (target->type->cleanup(target, &error) != STRATA_OK) {
        printf(" %s ", error.text);
        CU_FAIL("an error");
    }
    CU_ASSERT_EQUAL(logged(deleted, ""), 1);
    target->type->close(target);
    free(deleted);
}

/* All results of one kind of operation must be `expected`. */
static void expect_all(const struct strata_operation *results, uint64_t count, int32_t expected)
{
    for (uint64_t i = 0; i < count; i++) {
        CU_ASSERT_EQUAL(results[i].result, expected);
        if (results[i].result != expected) {
            printf(" [item %u: %d, not %d] ", (unsigned)i, results[i].result, expected);
        }
    }
}

/* Upload with the behaviour, expect the result for every item, then clean up. */
static void expect_put(const char *behaviour, int32_t expected)
{
    struct strata_operation results[ITEMS];
    struct strata_target *target = open_at("v1.0", behaviour, BYTES);
    prepare(target);
    CU_ASSERT_EQUAL(drive(target, STRATA_OPERATION_PUT, results), ITEMS);
    expect_all(results, ITEMS, expected);
    CU_ASSERT_EQUAL(target->type->items(target, 0, 1, STRATA_OPERATION_GET),
                    expected == STRATA_RESULT_OK ? ITEMS : 0);
    end(target, behaviour);
}

static void expect_get(const char *behaviour, int32_t expected)
{
    struct strata_operation results[ITEMS];
    struct strata_target *target = open_at("v1.0", behaviour, BYTES);
    prepare(target);
    CU_ASSERT_EQUAL(drive(target, STRATA_OPERATION_PUT, results), ITEMS);
    expect_all(results, ITEMS, STRATA_RESULT_OK);
    CU_ASSERT_EQUAL(drive(target, STRATA_OPERATION_GET, results), ITEMS);
    expect_all(results, ITEMS, expected);
    CU_ASSERT_EQUAL(drive(target, STRATA_OPERATION_DELETE, results), ITEMS);
    expect_all(results, ITEMS, STRATA_RESULT_OK);
    end(target, behaviour);
}

/* --- the tests --- */

static void right_answers_are_successes(void)
{
    expect_put("put-right", STRATA_RESULT_OK);
    expect_get("get-right", STRATA_RESULT_OK);
    expect_put("put-quoted", STRATA_RESULT_OK);
    expect_get("get-quoted", STRATA_RESULT_OK);
}

static void upload_failures_have_their_names(void)
{
    expect_put("put-202", 202);
    expect_put("put-404", 404);
    expect_put("put-422", 422);
    expect_put("put-503", 503);
    expect_put("put-507", 507);
    expect_put("put-413", 413);
    expect_put("put-wrong", STRATA_RESULT_CHECKSUM);
    expect_put("put-none", STRATA_RESULT_CHECKSUM);
    expect_put("put-silent", STRATA_RESULT_TIMED_OUT);
}

static void download_failures_have_their_names(void)
{
    expect_get("get-etag", STRATA_RESULT_CHECKSUM);
    expect_get("get-wrong", STRATA_RESULT_CONTENT);
    expect_get("get-short", STRATA_RESULT_SHORT);
    expect_get("get-long", STRATA_RESULT_CONTENT);
    expect_get("get-cut", STRATA_RESULT_TRANSPORT + 18); /* CURLE_PARTIAL_FILE */
    expect_get("get-stuck", STRATA_RESULT_TIMED_OUT);
    expect_get("get-slow", STRATA_RESULT_OK); /* 1.2 s, but never 1 s without progress */
}

static void a_reset_is_a_transport_error(void)
{
    struct strata_operation results[ITEMS];
    struct strata_target *target = open_at("v1.0", "put-reset", BYTES);
    prepare(target);
    CU_ASSERT_EQUAL(drive(target, STRATA_OPERATION_PUT, results), ITEMS);
    for (unsigned i = 0; i < ITEMS; i++) {
        /* CURLE_SEND_ERROR or CURLE_RECV_ERROR, as the reset is met in sending or receiving. */
        CU_ASSERT(results[i].result == STRATA_RESULT_TRANSPORT + 55 ||
                  results[i].result == STRATA_RESULT_TRANSPORT + 56);
    }
    end(target, "put-reset");
}

static void every_other_503_is_counted_and_the_rest_is_used(void)
{
    struct strata_operation results[ITEMS];
    struct strata_target *target = open_at("v1.0", "put-alternating", BYTES);
    prepare(target);
    CU_ASSERT_EQUAL(drive(target, STRATA_OPERATION_PUT, results), ITEMS);
    unsigned ok = 0, unavailable = 0;
    for (unsigned i = 0; i < ITEMS; i++) {
        ok += results[i].result == STRATA_RESULT_OK;
        unavailable += results[i].result == 503;
    }
    CU_ASSERT_EQUAL(ok, ITEMS / 2);
    CU_ASSERT_EQUAL(unavailable, ITEMS / 2);
    CU_ASSERT_EQUAL(target->type->items(target, 0, 1, STRATA_OPERATION_GET), ITEMS / 2);
    CU_ASSERT_EQUAL(drive(target, STRATA_OPERATION_GET, results), ITEMS / 2);
    expect_all(results, ITEMS / 2, STRATA_RESULT_OK);
    CU_ASSERT_EQUAL(drive(target, STRATA_OPERATION_DELETE, results), ITEMS / 2);
    expect_all(results, ITEMS / 2, STRATA_RESULT_OK);
    end(target, "put-alternating");
}

static void a_closed_connection_is_made_again(void)
{
    expect_put("put-closed", STRATA_RESULT_OK);
    /* A kept connection that breaks under a body: sent once more on a new one. */
    struct strata_operation results[ITEMS];
    struct strata_target *target = open_at("v1.0", "put-kept-reset", 1 << 20);
    prepare(target);
    CU_ASSERT_EQUAL(drive(target, STRATA_OPERATION_PUT, results), ITEMS);
    expect_all(results, ITEMS, STRATA_RESULT_OK);
    CU_ASSERT(logged("/strata-put-kept-reset/object", " reset ") >= DEPTH);
    end(target, "put-kept-reset");
}

static void an_upload_that_ends_late_is_cleaned_up(void)
{
    expect_put("put-late", STRATA_RESULT_TIMED_OUT);
}

static void objects_of_no_bytes_are_right(void)
{
    struct strata_operation results[ITEMS];
    struct strata_target *target = open_at("v1.0", "empty", 0);
    prepare(target);
    CU_ASSERT_EQUAL(drive(target, STRATA_OPERATION_PUT, results), ITEMS);
    expect_all(results, ITEMS, STRATA_RESULT_OK);
    CU_ASSERT_EQUAL(drive(target, STRATA_OPERATION_GET, results), ITEMS);
    expect_all(results, ITEMS, STRATA_RESULT_OK);
    end(target, "empty");
}

static void no_upload_waits_for_100_continue(void)
{
    static const uint64_t sizes[] = {1048575, 1048577};
    static const char *const names[] = {"below", "above"};
    for (unsigned i = 0; i < 2; i++) {
        struct strata_operation results[ITEMS];
        struct strata_target *target = open_at("v1.0", names[i], sizes[i]);
        prepare(target);
        CU_ASSERT_EQUAL(drive(target, STRATA_OPERATION_PUT, results), ITEMS);
        expect_all(results, ITEMS, STRATA_RESULT_OK);
        end(target, names[i]);
    }
    CU_ASSERT_EQUAL(logged("PUT", "expect=-"), logged("PUT", ""));
}

static void the_environments_proxy_is_not_used(void)
{
    static const char *const names[] = {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"};
    for (unsigned i = 0; i < 4; i++) {
        setenv(names[i], "http://127.0.0.1:1/", 1); /* nobody listens there */
    }
    expect_put("proxy", STRATA_RESULT_OK);
    for (unsigned i = 0; i < 4; i++) {
        unsetenv(names[i]);
    }
}

static void connections_are_kept_or_made_as_asked(void)
{
    expect_get("kept", STRATA_RESULT_OK);
    /* A worker for each of three kinds, each with as many connections as requests in flight. */
    CU_ASSERT(connections("/strata-kept/") <= 3 * DEPTH);
    expect_get("new-connections", STRATA_RESULT_OK);
    CU_ASSERT_EQUAL(connections("/strata-new-connections/object"), 3 * ITEMS);
}

static void stages_are_timed(void)
{
    struct strata_operation results[ITEMS];
    struct strata_target *target = open_at("v1.0", "stages", BYTES);
    prepare(target);
    for (int kind = STRATA_OPERATION_PUT; kind <= STRATA_OPERATION_DELETE; kind++) {
        CU_ASSERT_EQUAL(drive(target, (enum strata_operation_kind)kind, results), ITEMS);
        unsigned connects = 0;
        for (unsigned i = 0; i < ITEMS; i++) {
            const struct strata_operation *operation = &results[i];
            uint64_t whole_ns = operation->end_ns - operation->start_ns;
            CU_ASSERT(operation->end_ns > operation->start_ns);
            CU_ASSERT((operation->stages & 1 << STRATA_STAGE_FIRST_BYTE) != 0);
            CU_ASSERT(operation->stage_ns[STRATA_STAGE_FIRST_BYTE] <= whole_ns);
            CU_ASSERT((operation->stages & 1 << STRATA_STAGE_CIPHER) == 0);
            connects += (operation->stages & 1 << STRATA_STAGE_CONNECT) != 0;
        }
        CU_ASSERT(connects >= 1 && connects <= DEPTH);
    }
    end(target, "stages");
}

/* --- several jobs at once --- */

enum { JOBS = 8, MANY = 400 };

struct job {
    pthread_t thread;
    struct strata_target *target;
    unsigned number;
    enum strata_operation_kind kind;
    uint64_t ended;
    struct strata_operation results[MANY / JOBS];
};

static void *run_job(void *context)
{
    struct job *job = context;
    job->ended = drive_job(job->target, job->number, JOBS, job->kind, job->results);
    return NULL;
}

static struct strata_target *open_many(const char *path, const char *behaviour)
{
    struct strata_swift_options options = {.endpoint = {.auth_url = auth(path),
                                                        .user = "test:tester",
                                                        .key = "a-secret-key",
                                                        .connect_timeout_ns = 1000 * MS,
                                                        .timeout_ns = 5000 * MS},
                                           .run_uuid = behaviour,
                                           .objects = MANY,
                                           .body = strata_body_pool_open(1, 100)};
    struct strata_target *target = NULL;
    struct strata_error error;
    CU_ASSERT_EQUAL_FATAL(strata_swift_open(&options, &target, &error), STRATA_OK);
    prepare(target);
    return target;
}

/* Returns how many results were `expected`. */
static unsigned run_jobs(struct strata_target *target, enum strata_operation_kind kind,
                         int32_t expected)
{
    static struct job jobs[JOBS];
    unsigned matching = 0;
    for (unsigned i = 0; i < JOBS; i++) {
        jobs[i] = (struct job){.target = target, .number = i, .kind = kind};
        pthread_create(&jobs[i].thread, NULL, run_job, &jobs[i]);
    }
    for (unsigned i = 0; i < JOBS; i++) {
        pthread_join(jobs[i].thread, NULL);
        for (uint64_t k = 0; k < jobs[i].ended; k++) {
            matching += jobs[i].results[k].result == expected;
        }
    }
    return matching;
}

static void all_workers_share_one_token(void)
{
    unsigned before = logged("/auth/v1.0 200", "");
    struct strata_target *target = open_many("v1.0", "shared");
    CU_ASSERT_EQUAL(run_jobs(target, STRATA_OPERATION_PUT, STRATA_RESULT_OK), MANY);
    CU_ASSERT_EQUAL(run_jobs(target, STRATA_OPERATION_GET, STRATA_RESULT_OK), MANY);
    CU_ASSERT_EQUAL(logged("/auth/v1.0 200", "") - before, 1);
    end(target, "shared");
}

static void a_dead_token_is_renewed_once_for_all(void)
{
    /* Each token serves 20 requests and then is refused, so 400 uploads need at least 20; the
     * session may ask for 3 and one for each second. So here: the first three deaths are survived
     * without a failure, each by one request. */
    unsigned before = logged("/auth/moves 200", "");
    struct strata_target *target = open_many("moves", "token-dies");
    unsigned ok = run_jobs(target, STRATA_OPERATION_PUT, STRATA_RESULT_OK);
    unsigned refused = run_jobs(target, STRATA_OPERATION_GET, 401);
    unsigned tokens = logged("/auth/moves 200", "") - before;
    CU_ASSERT(ok >= 4 * 20 - JOBS * DEPTH);
    CU_ASSERT(refused > 0);
    CU_ASSERT(tokens >= 4 && tokens <= 6);
    /* The second answer named another storage URL, where nobody listens. */
    target->type->close(target);
}

static void a_server_that_refuses_every_token_is_left_alone(void)
{
    struct strata_operation results[ITEMS];
    unsigned before = logged("/auth/v1.0 200", "");
    struct strata_target *target = open_at("v1.0", "token-refused", BYTES);
    prepare(target);
    CU_ASSERT_EQUAL(drive(target, STRATA_OPERATION_PUT, results), ITEMS);
    expect_all(results, ITEMS, 401);
    CU_ASSERT(logged("/auth/v1.0 200", "") - before <= 5);
    target->type->close(target);
}

/* --- opening and preparing --- */

/* The error of opening at this URL; *ret_ns how long it took. */
static enum strata_status open_error(const char *url, struct strata_error *error, uint64_t *ret_ns)
{
    struct strata_swift_options options = {.endpoint = {.auth_url = url,
                                                        .user = "test:tester",
                                                        .key = "a-secret-key",
                                                        .connect_timeout_ns = 500 * MS,
                                                        .timeout_ns = 500 * MS},
                                           .run_uuid = "none",
                                           .objects = 1,
                                           .body = strata_body_pool_open(1, 1)};
    struct strata_target *target;
    uint64_t began_ns = strata_clock_monotonic_ns();
    enum strata_status status = strata_swift_open(&options, &target, error);
    *ret_ns = strata_clock_monotonic_ns() - began_ns;
    if (status == STRATA_OK) {
        target->type->close(target);
    }
    return status;
}

static void what_cannot_be_opened_is_an_error_in_time(void)
{
    static const struct {
        const char *path;
        const char *said;
    } cases[] = {{"refuse", "refused (HTTP 401)"},
                 {"silent", "/auth/silent: "},
                 {"empty", "no X-Storage-Url"},
                 {"down", "HTTP 503"}};
    struct strata_error error;
    uint64_t taken_ns;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *url = auth(cases[i].path);
        CU_ASSERT_EQUAL(open_error(url, &error, &taken_ns), STRATA_ENVIRONMENT);
        CU_ASSERT_PTR_NOT_NULL(strstr(error.text, cases[i].said));
        CU_ASSERT_PTR_NOT_NULL(strstr(error.text, url));
        CU_ASSERT_PTR_NULL(strstr(error.text, "a-secret-key"));
        CU_ASSERT(taken_ns < 3000 * MS);
    }
    CU_ASSERT_EQUAL(open_error("http://127.0.0.1:1/auth/v1.0", &error, &taken_ns),
                    STRATA_ENVIRONMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "http://127.0.0.1:1/auth/v1.0: "));
    CU_ASSERT(taken_ns < 2000 * MS);
}

static void a_busy_authentication_is_repeated(void)
{
    struct strata_error error;
    uint64_t taken_ns;
    CU_ASSERT_EQUAL(open_error(auth("busy"), &error, &taken_ns), STRATA_OK);
    CU_ASSERT_EQUAL(logged("/auth/busy 503", ""), 2);
    CU_ASSERT_EQUAL(logged("/auth/busy 200", ""), 1);
    CU_ASSERT(taken_ns > 250 * MS); /* backed off 100 ms, then 200 ms */
}

static void a_ready_token_needs_no_authentication(void)
{
    char *url = strata_text_duplicate_format("http://127.0.0.1:%u/v1/AUTH_test/", server.port);
    unsigned before = logged("/auth/", "");
    struct strata_operation results[ITEMS];
    struct strata_swift_options options = {.endpoint = {.storage_url = url,
                                                        .token = "ready",
                                                        .connect_timeout_ns = 1000 * MS,
                                                        .timeout_ns = 1000 * MS},
                                           .run_uuid = "ready",
                                           .objects = ITEMS,
                                           .body = strata_body_pool_open(1, BYTES)};
    struct strata_target *target;
    struct strata_error error;
    CU_ASSERT_EQUAL_FATAL(strata_swift_open(&options, &target, &error), STRATA_OK);
    prepare(target);
    CU_ASSERT_EQUAL(drive(target, STRATA_OPERATION_PUT, results), ITEMS);
    expect_all(results, ITEMS, STRATA_RESULT_OK);
    CU_ASSERT_EQUAL(logged("/strata-ready/object", "token=ready"), ITEMS);
    CU_ASSERT_EQUAL(logged("/auth/", ""), before);
    end(target, "ready");
    free(url);
}

static void an_existing_container_is_refused(void)
{
    struct strata_target *target = open_at("v1.0", "exists", BYTES);
    struct strata_error error;
    CU_ASSERT_EQUAL(target->type->prepare(target, 7, &error), STRATA_ENVIRONMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "exists already"));
    CU_ASSERT_EQUAL(target->type->cleanup(target, &error), STRATA_OK);
    CU_ASSERT_EQUAL(logged("PUT", "/strata-exists "), 0);
    CU_ASSERT_EQUAL(logged("DELETE", "/strata-exists "), 0);
    target->type->close(target);

    target = open_at("v1.0", "container-refused", BYTES);
    CU_ASSERT_EQUAL(target->type->prepare(target, 7, &error), STRATA_ENVIRONMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "HTTP 400"));
    target->type->close(target);
}

static const struct harness_test tests[] = {
    {"right answers are successes, quoted checksums too (S11)", right_answers_are_successes},
    {"upload failures have their names (S10)", upload_failures_have_their_names},
    {"download failures have their names", download_failures_have_their_names},
    {"a reset connection is a transport error", a_reset_is_a_transport_error},
    {"every other 503 is counted, the rest is used (S7)",
     every_other_503_is_counted_and_the_rest_is_used},
    {"a connection closed while idle is made again", a_closed_connection_is_made_again},
    {"an upload that ends after it was given up is cleaned up",
     an_upload_that_ends_late_is_cleaned_up},
    {"objects of no bytes are right", objects_of_no_bytes_are_right},
    {"no upload waits for 100 Continue (S8)", no_upload_waits_for_100_continue},
    {"the environment's proxy is not used (S9)", the_environments_proxy_is_not_used},
    {"connections are kept, or made, as asked", connections_are_kept_or_made_as_asked},
    {"stages are timed", stages_are_timed},
    {"all workers share one token (S4)", all_workers_share_one_token},
    {"a dead token is renewed once for all, the storage URL stays (S1, S3)",
     a_dead_token_is_renewed_once_for_all},
    {"a server that refuses every token is left alone",
     a_server_that_refuses_every_token_is_left_alone},
    {"what cannot be opened is an error, in time, without the key",
     what_cannot_be_opened_is_an_error_in_time},
    {"a busy authentication is repeated", a_busy_authentication_is_repeated},
    {"a ready token needs no authentication (S5)", a_ready_token_needs_no_authentication},
    {"an existing container is refused and left alone", an_existing_container_is_refused},
};

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    if (!start_server()) {
        fprintf(stderr, "swift_answers: cannot start tests/servers/answers.py\n");
        return 1;
    }
    int code = harness_main("swift_answers", tests, sizeof tests / sizeof tests[0]);
    stop_server();
    return code;
}
