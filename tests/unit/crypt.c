/* The encrypting filter against the standard's vectors and against OpenSSL called by hand. */
#include "common/target/crypt.h"

#include "common/base/clock.h"
#include "tests/unit/harness.h"
#include "tests/unit/xts_vectors.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

enum { SPACE = 8192 };

/* A target below the filter that keeps one block, whatever the item, and takes `room` operations
 * at once. */
struct memory_target {
    struct strata_target target;
    uint8_t content[SPACE];
    int32_t result;
    unsigned room;
    bool closed;
};

struct memory_worker {
    struct strata_worker worker;
    struct strata_operation *done[8];
    unsigned count;
    struct iovec reads;
    struct iovec writes;
};

static struct memory_worker only_worker;

static uint64_t memory_items(const struct strata_target *target, unsigned job, unsigned jobs,
                             enum strata_operation_kind kind)
{
    (void)target, (void)job, (void)jobs, (void)kind;
    return UINT64_C(1) << 48;
}

static enum strata_status memory_worker_open(struct strata_target *target,
                                             const struct strata_worker_setup *setup,
                                             struct strata_worker **ret_worker,
                                             struct strata_error *error)
{
    (void)error;
    only_worker = (struct memory_worker){
        .worker = {.target = target}, .reads = setup->reads, .writes = setup->writes};
    *ret_worker = &only_worker.worker;
    return STRATA_OK;
}

static void memory_worker_close(struct strata_worker *worker)
{
    (void)worker;
}

static int memory_submit(struct strata_worker *worker, struct strata_operation *const *operations,
                         unsigned count)
{
    struct memory_worker *memory = (struct memory_worker *)worker;
    struct memory_target *target = (struct memory_target *)worker->target;
    unsigned taken = count < target->room ? count : target->room;
    for (unsigned i = 0; i < taken; i++) {
        struct strata_operation *operation = operations[i];
        operation->result = target->result;
        if (operation->kind == STRATA_OPERATION_WRITE) {
            memcpy(target->content, operation->buffer, operation->bytes);
        } else {
            memcpy(operation->buffer, target->content, operation->bytes);
        }
        memory->done[memory->count++] = operation;
    }
    return (int)taken;
}

static int memory_reap(struct strata_worker *worker, struct strata_operation **operations,
                       unsigned max, uint64_t deadline_ns)
{
    (void)deadline_ns;
    struct memory_worker *memory = (struct memory_worker *)worker;
    unsigned count = memory->count < max ? memory->count : max;
    memcpy(operations, memory->done, count * sizeof(struct strata_operation *));
    memory->count = 0;
    return (int)count;
}

static void memory_close(struct strata_target *target)
{
    ((struct memory_target *)target)->closed = true;
}

static const struct strata_target_type memory_type = {.name = "memory",
                                                      .capabilities = STRATA_TARGET_SHARED_SPACE,
                                                      .items = memory_items,
                                                      .worker_open = memory_worker_open,
                                                      .worker_close = memory_worker_close,
                                                      .submit = memory_submit,
                                                      .reap = memory_reap,
                                                      .close = memory_close};

/* The filter over a fresh memory target, with one worker. */
struct fixture {
    struct memory_target below;
    struct strata_target *filter;
    struct strata_worker *worker;
};

static size_t from_hex(const char *hex, uint8_t *bytes)
{
    size_t count = strlen(hex) / 2;
    for (size_t i = 0; i < count; i++) {
        unsigned value = 0;
        (void)sscanf(hex + 2 * i, "%2x", &value);
        bytes[i] = (uint8_t)value;
    }
    return count;
}

static void set_up(struct fixture *fixture, const uint8_t *key, size_t key_bytes,
                   uint64_t sector_size, uint64_t block_bytes)
{
    struct strata_error error = {0};
    *fixture = (struct fixture){.below = {.target = {.type = &memory_type}, .room = 8}};
    const struct strata_crypt_options options = {
        .key = key, .key_bytes = key_bytes, .sector_size = sector_size};
    CU_ASSERT_FATAL(strata_crypt_open(&fixture->below.target, &options, &fixture->filter, &error) ==
                    STRATA_OK);
    const struct strata_worker_setup setup = {.jobs = 1,
                                              .depth = 8,
                                              .bytes = block_bytes,
                                              .kinds = 1U << STRATA_OPERATION_READ |
                                                       1U << STRATA_OPERATION_WRITE,
                                              .reads = {fixture, 8 * block_bytes},
                                              .writes = {fixture, 8 * block_bytes}};
    CU_ASSERT_FATAL(fixture->filter->type->worker_open(fixture->filter, &setup, &fixture->worker,
                                                       &error) == STRATA_OK);
}

static void tear_down(struct fixture *fixture)
{
    fixture->filter->type->worker_close(fixture->worker);
    fixture->filter->type->close(fixture->filter);
    CU_ASSERT(fixture->below.closed);
}

static struct strata_operation run(struct fixture *fixture, enum strata_operation_kind kind,
                                   uint64_t item, void *buffer, uint64_t bytes)
{
    struct strata_operation operation = {
        .item = item, .bytes = bytes, .buffer = buffer, .kind = (uint8_t)kind, .slot = 3};
    struct strata_operation *one = &operation;
    struct strata_operation *back[8] = {NULL};
    CU_ASSERT(fixture->filter->type->submit(fixture->worker, &one, 1) == 1);
    CU_ASSERT(fixture->filter->type->reap(fixture->worker, back, 8, 0) == 1);
    CU_ASSERT_PTR_EQUAL(back[0], &operation);
    CU_ASSERT_PTR_EQUAL(operation.buffer, buffer);
    return operation;
}

/* One sector by OpenSSL's own means, the tweak given as a number. */
static void encrypt_by_hand(const uint8_t key[64], uint64_t tweak_number, const uint8_t *plain,
                            uint8_t *ciphertext, int bytes)
{
    uint8_t tweak[16] = {0};
    for (int i = 0; i < 8; i++) {
        tweak[i] = (uint8_t)(tweak_number >> (8 * i));
    }
    int moved = 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    CU_ASSERT_FATAL(EVP_EncryptInit_ex(context, EVP_aes_256_xts(), NULL, key, tweak) == 1);
    CU_ASSERT_FATAL(EVP_EncryptUpdate(context, ciphertext, &moved, plain, bytes) == 1);
    CU_ASSERT(moved == bytes);
    EVP_CIPHER_CTX_free(context);
}

static void counting_key(uint8_t key[64])
{
    for (int i = 0; i < 64; i++) {
        key[i] = (uint8_t)(7 * i + 1);
    }
}

static void vectors_of_the_standard_come_out(void)
{
    uint8_t previous[512] = {0};
    for (size_t v = 0; v < sizeof(xts_vectors) / sizeof(xts_vectors[0]); v++) {
        const struct xts_vector *vector = &xts_vectors[v];
        uint8_t key[64];
        uint8_t plain[512];
        uint8_t buffer[512];
        uint8_t expected[512];
        size_t key_bytes = from_hex(vector->key, key);
        CU_ASSERT_FATAL(from_hex(vector->ciphertext, expected) == 512);
        for (size_t i = 0; i < sizeof(plain); i++) {
            plain[i] = vector->plaintext_is_previous ? previous[i] : (uint8_t)i;
        }
        struct fixture fixture;
        set_up(&fixture, key, key_bytes, 512, 512);
        memcpy(buffer, plain, sizeof(buffer));
        CU_ASSERT(run(&fixture, STRATA_OPERATION_WRITE, vector->sector, buffer, 512).result == 0);
        CU_ASSERT(memcmp(fixture.below.content, expected, 512) == 0);
        CU_ASSERT(memcmp(buffer, plain, 512) == 0); /* the caller's buffer stays plain */
        memset(buffer, 0, sizeof(buffer));
        CU_ASSERT(run(&fixture, STRATA_OPERATION_READ, vector->sector, buffer, 512).result == 0);
        CU_ASSERT(memcmp(buffer, plain, 512) == 0);
        tear_down(&fixture);
        memcpy(previous, expected, sizeof(previous));
    }
}

static void each_sector_of_a_block_has_its_own_tweak(void)
{
    uint8_t key[64];
    uint8_t plain[4096] = {0}; /* equal sectors, so that equal tweaks would show */
    uint8_t expected[4096];
    counting_key(key);
    for (uint64_t s = 0; s < 8; s++) {
        encrypt_by_hand(key, 8 * 5 + s, plain, expected + 512 * s, 512);
    }
    struct fixture fixture;
    set_up(&fixture, key, 64, 512, 4096);
    (void)run(&fixture, STRATA_OPERATION_WRITE, 5, plain, 4096);
    CU_ASSERT(memcmp(fixture.below.content, expected, 4096) == 0);
    tear_down(&fixture);
}

static void large_sectors_still_count_in_512_bytes(void)
{
    uint8_t key[64];
    uint8_t plain[8192];
    uint8_t expected[8192];
    counting_key(key);
    memset(plain, 'x', sizeof(plain));
    encrypt_by_hand(key, 16 * 3, plain, expected, 4096);
    encrypt_by_hand(key, 16 * 3 + 8, plain, expected + 4096, 4096);
    struct fixture fixture;
    set_up(&fixture, key, 64, 4096, 8192);
    (void)run(&fixture, STRATA_OPERATION_WRITE, 3, plain, 8192);
    CU_ASSERT(memcmp(fixture.below.content, expected, 8192) == 0);
    tear_down(&fixture);
}

static void the_cipher_s_time_is_a_stage_of_its_own(void)
{
    uint8_t key[64];
    uint8_t buffer[4096] = {1};
    counting_key(key);
    struct fixture fixture;
    set_up(&fixture, key, 64, 512, 4096);
    for (int kind = STRATA_OPERATION_READ; kind <= STRATA_OPERATION_WRITE; kind++) {
        struct strata_operation done =
            run(&fixture, (enum strata_operation_kind)kind, 0, buffer, 4096);
        CU_ASSERT(done.stages == 1U << STRATA_STAGE_CIPHER);
        CU_ASSERT(done.stage_ns[STRATA_STAGE_CIPHER] > 0);
        CU_ASSERT(done.end_ns == 0); /* it ends when it is handed over */
    }
    tear_down(&fixture);
}

/* Of eight operations that go and come back together, half are encrypted on the way down and half
 * decrypted on the way up; each half shares its own time. */
static void a_batch_s_time_is_shared_by_those_it_was_spent_on(void)
{
    uint8_t key[64];
    uint8_t buffers[8][512] = {{0}};
    struct strata_operation operations[8];
    struct strata_operation *list[8];
    struct strata_operation *back[8];
    counting_key(key);
    struct fixture fixture;
    set_up(&fixture, key, 64, 512, 512);
    for (unsigned i = 0; i < 8; i++) {
        operations[i] = (struct strata_operation){.bytes = 512,
                                                  .buffer = buffers[i],
                                                  .slot = (uint16_t)i,
                                                  .kind = i % 2 == 0 ? STRATA_OPERATION_WRITE
                                                                     : STRATA_OPERATION_READ};
        list[i] = &operations[i];
    }
    uint64_t spent_ns[2] = {0, 0};
    uint64_t begin_ns = strata_clock_monotonic_ns();
    CU_ASSERT(fixture.filter->type->submit(fixture.worker, list, 8) == 8);
    uint64_t middle_ns = strata_clock_monotonic_ns();
    CU_ASSERT(operations[1].stages == 0 && operations[7].stages == 0);
    uint64_t first_write_ns = operations[0].stage_ns[STRATA_STAGE_CIPHER];
    CU_ASSERT(fixture.filter->type->reap(fixture.worker, back, 8, 0) == 8);
    uint64_t end_ns = strata_clock_monotonic_ns();
    for (unsigned i = 0; i < 8; i++) {
        CU_ASSERT(operations[i].stages == 1U << STRATA_STAGE_CIPHER);
        CU_ASSERT(operations[i].stage_ns[STRATA_STAGE_CIPHER] > 0);
        spent_ns[i % 2] += operations[i].stage_ns[STRATA_STAGE_CIPHER];
    }
    CU_ASSERT(operations[0].stage_ns[STRATA_STAGE_CIPHER] == first_write_ns);
    CU_ASSERT(spent_ns[0] / 4 == first_write_ns); /* equal parts */
    CU_ASSERT(spent_ns[0] <= middle_ns - begin_ns);
    CU_ASSERT(spent_ns[1] <= end_ns - middle_ns);
    tear_down(&fixture);
}

static void the_target_below_is_told_of_the_ciphertext(void)
{
    uint8_t key[64];
    uint8_t buffer[512] = {0};
    counting_key(key);
    struct fixture fixture;
    set_up(&fixture, key, 64, 512, 512);
    CU_ASSERT_PTR_EQUAL(only_worker.reads.iov_base, &fixture); /* decrypted where it was read */
    CU_ASSERT_EQUAL(only_worker.reads.iov_len, 8 * 512);
    CU_ASSERT_PTR_NOT_EQUAL(only_worker.writes.iov_base, &fixture);
    CU_ASSERT_EQUAL(only_worker.writes.iov_len, 8 * 512);
    struct strata_operation write = {
        .bytes = 512, .buffer = buffer, .slot = 7, .kind = STRATA_OPERATION_WRITE};
    struct strata_operation *list[1] = {&write};
    CU_ASSERT(fixture.filter->type->submit(fixture.worker, list, 1) == 1);
    CU_ASSERT_PTR_EQUAL(write.buffer, (uint8_t *)only_worker.writes.iov_base + 7 * 512);
    CU_ASSERT(fixture.filter->type->reap(fixture.worker, list, 1, 0) == 1);
    tear_down(&fixture);
}

static void a_failure_below_comes_up_unchanged(void)
{
    uint8_t key[64];
    uint8_t buffer[512] = {1};
    counting_key(key);
    struct fixture fixture;
    set_up(&fixture, key, 64, 512, 512);
    fixture.below.result = EIO;
    CU_ASSERT(run(&fixture, STRATA_OPERATION_WRITE, 0, buffer, 512).result == EIO);
    struct strata_operation read = run(&fixture, STRATA_OPERATION_READ, 0, buffer, 512);
    CU_ASSERT(read.result == EIO);
    CU_ASSERT(read.stages == 0); /* nothing was decrypted */
    tear_down(&fixture);
}

static void what_is_not_taken_keeps_its_own_buffer(void)
{
    uint8_t key[64];
    uint8_t buffers[4][512];
    struct strata_operation operations[4];
    struct strata_operation *list[4];
    counting_key(key);
    struct fixture fixture;
    set_up(&fixture, key, 64, 512, 512);
    fixture.below.room = 3;
    for (int i = 0; i < 4; i++) {
        memset(buffers[i], i, 512);
        operations[i] = (struct strata_operation){.item = (uint64_t)i,
                                                  .bytes = 512,
                                                  .buffer = buffers[i],
                                                  .slot = (uint16_t)i,
                                                  .kind = STRATA_OPERATION_WRITE};
        list[i] = &operations[i];
    }
    CU_ASSERT(fixture.filter->type->submit(fixture.worker, list, 4) == 3);
    CU_ASSERT_PTR_NOT_EQUAL(operations[2].buffer, buffers[2]);
    CU_ASSERT_PTR_EQUAL(operations[3].buffer, buffers[3]);
    struct strata_operation *back[8];
    CU_ASSERT(fixture.filter->type->reap(fixture.worker, back, 8, 0) == 3);
    for (int i = 0; i < 4; i++) {
        CU_ASSERT_PTR_EQUAL(operations[i].buffer, buffers[i]);
        CU_ASSERT(buffers[i][511] == i);
    }
    tear_down(&fixture);
}

static void capabilities_are_those_of_the_target_below_and_its_buffers(void)
{
    uint8_t key[64];
    counting_key(key);
    struct fixture fixture;
    set_up(&fixture, key, 64, 512, 512);
    CU_ASSERT(
        fixture.filter->type->capabilities ==
        (STRATA_TARGET_SHARED_SPACE | STRATA_TARGET_NEEDS_BUFFER | STRATA_TARGET_COPIES_WRITES));
    CU_ASSERT_PTR_EQUAL(strata_crypt_inner(fixture.filter), &fixture.below.target);
    tear_down(&fixture);
}

static enum strata_status try_options(const uint8_t *key, size_t key_bytes, uint64_t sector_size,
                                      struct strata_error *error)
{
    struct memory_target below = {.target = {.type = &memory_type}};
    struct strata_target *filter = NULL;
    const struct strata_crypt_options options = {
        .key = key, .key_bytes = key_bytes, .sector_size = sector_size};
    enum strata_status status = strata_crypt_open(&below.target, &options, &filter, error);
    CU_ASSERT(filter == NULL && !below.closed);
    return status;
}

static void wrong_keys_and_sectors_are_refused(void)
{
    struct strata_error error = {0};
    uint8_t equal_halves[64] = {0};
    uint8_t key[64];
    counting_key(key);
    CU_ASSERT(try_options(equal_halves, 64, 512, &error) == STRATA_USAGE);
    CU_ASSERT(strstr(error.text, "halves are equal") != NULL);
    CU_ASSERT(try_options(equal_halves, 32, 512, &error) == STRATA_USAGE);
    CU_ASSERT(try_options(key, 48, 512, &error) == STRATA_USAGE);
    CU_ASSERT(strstr(error.text, "48 bytes") != NULL);
    CU_ASSERT(try_options(key, 64, 768, &error) == STRATA_USAGE);
    CU_ASSERT(strstr(error.text, "768") != NULL);
}

static void a_block_that_is_no_multiple_of_the_sector_is_unsupported(void)
{
    uint8_t key[64];
    counting_key(key);
    struct fixture fixture;
    set_up(&fixture, key, 64, 4096, 8192);
    struct strata_error error = {0};
    struct strata_worker *worker = NULL;
    const struct strata_worker_setup setup = {.jobs = 1, .depth = 1, .bytes = 512};
    CU_ASSERT(fixture.filter->type->worker_open(fixture.filter, &setup, &worker, &error) ==
              STRATA_ENVIRONMENT);
    CU_ASSERT(strncmp(error.text, "unsupported: ", 13) == 0);
    tear_down(&fixture);
}

static void the_self_test_passes(void)
{
    struct strata_error error = {0};
    CU_ASSERT(strata_crypt_self_test(&error) == STRATA_OK);
}

static const struct harness_test tests[] = {
    {"vectors of IEEE 1619 come out, both ways", vectors_of_the_standard_come_out},
    {"each sector of a block has its own tweak", each_sector_of_a_block_has_its_own_tweak},
    {"4096-byte sectors still count in 512 bytes", large_sectors_still_count_in_512_bytes},
    {"the cipher's time is a stage of its own", the_cipher_s_time_is_a_stage_of_its_own},
    {"a batch's time is shared by those it was spent on",
     a_batch_s_time_is_shared_by_those_it_was_spent_on},
    {"the target below is told of the ciphertext", the_target_below_is_told_of_the_ciphertext},
    {"a failure below comes up unchanged", a_failure_below_comes_up_unchanged},
    {"what is not taken keeps its own buffer", what_is_not_taken_keeps_its_own_buffer},
    {"capabilities are those of the target below, and its buffers",
     capabilities_are_those_of_the_target_below_and_its_buffers},
    {"wrong keys and sectors are refused", wrong_keys_and_sectors_are_refused},
    {"a block that is no multiple of the sector is unsupported",
     a_block_that_is_no_multiple_of_the_sector_is_unsupported},
    {"the self-test passes", the_self_test_passes},
};

HARNESS_MAIN("crypt", tests)
