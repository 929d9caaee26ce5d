/* Puts objects through the Swift target and leaves them until its standard input ends, so that a
 * test can look at them with other tools; then removes them.
 *
 *   swift_objects AUTH-URL USER RUN BYTES COUNT     the key from ST_KEY
 *
 * Prints "object-… MD5" for each object, then "ready". */
#include "common/base/clock.h"
#include "common/base/text.h"
#include "common/load/load.h"
#include "common/target/swift.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const struct strata_error *error)
{
    fprintf(stderr, "swift_objects: %s\n", error->text);
    return (int)error->status;
}

static void print_md5(const struct strata_body *body, uint64_t item)
{
    uint8_t md5[16];
    strata_body_md5(body, item, md5);
    printf("object-%012" PRIu64 " ", item);
    for (unsigned i = 0; i < sizeof md5; i++) {
        printf("%02x", md5[i]);
    }
    printf("\n");
}

static int upload(struct strata_target *target, uint64_t bytes, uint64_t count)
{
    struct strata_load load = {.phase = "upload",
                               .jobs = 2,
                               .depth = 4,
                               .mix = {{.kind = STRATA_OPERATION_PUT, .weight = 1}},
                               .mix_count = 1,
                               .bytes = bytes,
                               .one_pass = true,
                               .drain_ns = UINT64_C(10000000000),
                               .clock = &strata_clock_machine};
    struct strata_load_result result;
    struct strata_error error;
    struct strata_body *body = strata_body_pool_open(1, bytes);
    enum strata_status status = target->type->prepare(target, 1U << STRATA_OPERATION_PUT, &error);
    if (status != STRATA_OK) {
        body->type->close(body);
        return fail(&error);
    }
    status = strata_load_run(target, &load, &result, &error);
    uint64_t ok = status == STRATA_OK ? result.recorder.records[STRATA_OPERATION_PUT]->tally.ok : 0;
    for (uint64_t item = 0; item < ok; item++) {
        print_md5(body, item);
    }
    strata_load_result_done(&result);
    body->type->close(body);
    if (status != STRATA_OK) {
        return fail(&error);
    }
    puts(ok == count ? "ready" : "failures");
    fflush(stdout);
    while (getchar() != EOF) {
    }
    return ok == count ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: swift_objects AUTH-URL USER RUN BYTES COUNT\n");
        return 2;
    }
    uint64_t bytes = strtoull(argv[4], NULL, 10);
    struct strata_swift_options options = {.endpoint = {.auth_url = argv[1],
                                                        .user = argv[2],
                                                        .key = getenv("ST_KEY"),
                                                        .connect_timeout_ns = UINT64_C(5000000000),
                                                        .timeout_ns = UINT64_C(30000000000)},
                                           .run_uuid = argv[3],
                                           .objects = strtoull(argv[5], NULL, 10),
                                           .body = strata_body_pool_open(1, bytes)};
    struct strata_target *target;
    struct strata_error error;
    if (strata_swift_open(&options, &target, &error) != STRATA_OK) {
        return fail(&error);
    }
    int code = upload(target, bytes, options.objects);
    if (target->type->cleanup(target, &error) != STRATA_OK) {
        code = fail(&error);
    }
    target->type->close(target);
    return code;
}
