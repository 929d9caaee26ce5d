/* Contents of objects: unique, incompressible, the same bytes in any chunks; AES-256-GCM against
 * the specification's vectors and against another implementation. */
#include "common/target/body.h"
#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/measure/operation.h"
#include "tests/unit/harness.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int32_t produce_all(const struct strata_body *body, uint64_t item, uint8_t *bytes,
                           size_t chunk)
{
    struct strata_body_stream *stream = body->type->stream_open(body);
    body->type->start(stream, item);
    size_t size = (size_t)body->type->size(body, item);
    int32_t result = STRATA_RESULT_OK;
    for (size_t at = 0; at < size && result == STRATA_RESULT_OK; at += chunk) {
        result = body->type->produce(stream, bytes + at, chunk < size - at ? chunk : size - at);
    }
    body->type->stream_close(stream);
    return result;
}

/* What check and finish say about `size` bytes that came back, in chunks. Changes the bytes. */
static int32_t check_all(const struct strata_body *body, uint64_t item, uint8_t *bytes, size_t size,
                         size_t chunk)
{
    struct strata_body_stream *stream = body->type->stream_open(body);
    body->type->start(stream, item);
    int32_t result = STRATA_RESULT_OK;
    for (size_t at = 0; at < size && result == STRATA_RESULT_OK; at += chunk) {
        result = body->type->check(stream, bytes + at, chunk < size - at ? chunk : size - at);
    }
    if (result == STRATA_RESULT_OK) {
        result = body->type->finish(stream);
    }
    body->type->stream_close(stream);
    return result;
}

/* Run a command with the bytes in a file, named by $FILE; its first line of output into `line`. */
static void ask(const char *command, const uint8_t *bytes, size_t size, char *line, int line_size)
{
    char path[] = "/tmp/strata-body.XXXXXX";
    int fd = mkstemp(path);
    CU_ASSERT_FATAL(fd >= 0);
    CU_ASSERT_FATAL(write(fd, bytes, size) == (ssize_t)size);
    close(fd);
    setenv("FILE", path, 1);
    FILE *output = popen(command, "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(output);
    line[0] = '\0';
    if (fgets(line, line_size, output) != NULL) {
        line[strcspn(line, "\n")] = '\0';
    }
    pclose(output);
    unlink(path);
}

static void hex(const uint8_t *bytes, size_t count, char *out)
{
    for (size_t i = 0; i < count; i++) {
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    }
}

enum { BLOCK = 4096, ITEM_BLOCKS = 64, ITEMS = 8 };

static int compare_blocks(const void *a, const void *b)
{
    return memcmp(a, b, BLOCK);
}

static void every_block_is_unique(void)
{
    size_t item_bytes = BLOCK * ITEM_BLOCKS;
    uint8_t *bytes = strata_memory_new(2 * ITEMS, item_bytes);
    for (uint64_t run = 0; run < 2; run++) {
        struct strata_body *body = strata_body_pool_open(7 + run, item_bytes);
        for (uint64_t item = 0; item < ITEMS; item++) {
            produce_all(body, item, bytes + (run * ITEMS + item) * item_bytes, item_bytes);
        }
        body->type->close(body);
    }
    size_t blocks = 2 * ITEMS * ITEM_BLOCKS;
    qsort(bytes, blocks, BLOCK, compare_blocks);
    size_t equal = 0;
    for (size_t i = 1; i < blocks; i++) {
        equal += memcmp(bytes + (i - 1) * BLOCK, bytes + i * BLOCK, BLOCK) == 0;
    }
    CU_ASSERT_EQUAL(equal, 0);
    free(bytes);
}

static void content_is_incompressible(void)
{
    enum { SIZE = 4 << 20 };
    uint8_t *bytes = strata_memory_new(1, SIZE);
    struct strata_body *body = strata_body_pool_open(1, SIZE);
    produce_all(body, 3, bytes, SIZE);
    char line[64];
    ask("gzip -9 < \"$FILE\" | wc -c", bytes, SIZE, line, sizeof line);
    CU_ASSERT(strtoull(line, NULL, 10) >= SIZE);
    /* xz finds repetitions over the whole object. */
    ask("xz -3 < \"$FILE\" | wc -c", bytes, SIZE, line, sizeof line);
    CU_ASSERT(strtoull(line, NULL, 10) >= SIZE);
    body->type->close(body);
    free(bytes);
}

static void chunks_do_not_matter(void)
{
    static const size_t sizes[] = {0, 1, 7, 8, 4095, 4096, 4097, 100000};
    static const uint8_t key[32] = {1, 2, 3};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (int encrypted = 0; encrypted < 2; encrypted++) {
            struct strata_body *body = strata_body_pool_open(99, sizes[i]);
            struct strata_error error;
            if (encrypted) {
                CU_ASSERT_EQUAL_FATAL(strata_body_gcm_open(body, key, &body, &error), STRATA_OK);
            }
            size_t size = (size_t)body->type->size(body, 5);
            CU_ASSERT_EQUAL(size, sizes[i] + (encrypted ? 28 : 0));
            uint8_t *whole = strata_memory_new(1, size + 1);
            uint8_t *pieces = strata_memory_new(1, size + 1);
            CU_ASSERT_EQUAL(produce_all(body, 5, whole, size + 1), STRATA_RESULT_OK);
            CU_ASSERT_EQUAL(produce_all(body, 5, pieces, 13), STRATA_RESULT_OK);
            CU_ASSERT_EQUAL(memcmp(whole, pieces, size), 0);
            CU_ASSERT_EQUAL(check_all(body, 5, whole, size, size + 1), STRATA_RESULT_OK);
            CU_ASSERT_EQUAL(check_all(body, 5, pieces, size, 11), STRATA_RESULT_OK);
            body->type->close(body);
            free(whole);
            free(pieces);
        }
    }
}

static void wrong_content_is_found(void)
{
    enum { SIZE = 10000 };
    uint8_t bytes[SIZE + 1] = {0};
    struct strata_body *body = strata_body_pool_open(4, SIZE);
    for (size_t at = 0; at < SIZE; at += 1111) {
        produce_all(body, 2, bytes, SIZE);
        bytes[at] ^= 1;
        CU_ASSERT_EQUAL(check_all(body, 2, bytes, SIZE, 1000), STRATA_RESULT_CONTENT);
    }
    produce_all(body, 2, bytes, SIZE);
    CU_ASSERT_EQUAL(check_all(body, 3, bytes, SIZE, 1000), STRATA_RESULT_CONTENT);
    CU_ASSERT_EQUAL(check_all(body, 2, bytes, SIZE - 1, 1000), STRATA_RESULT_SHORT);
    CU_ASSERT_EQUAL(check_all(body, 2, bytes, SIZE + 1, SIZE), STRATA_RESULT_CONTENT);
    body->type->close(body);
}

static void wrong_ciphertext_is_a_cipher_error(void)
{
    enum { SIZE = 5000, WIRE = SIZE + 28 };
    static const uint8_t key[32] = {42};
    uint8_t bytes[WIRE + 1] = {0};
    struct strata_body *body;
    struct strata_error error;
    CU_ASSERT_EQUAL_FATAL(strata_body_gcm_open(strata_body_pool_open(4, SIZE), key, &body, &error),
                          STRATA_OK);
    static const size_t places[] = {0, 11, 12, 13, 4000, WIRE - 17, WIRE - 16, WIRE - 1};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        produce_all(body, 2, bytes, WIRE);
        bytes[places[i]] ^= 0x80;
        CU_ASSERT_EQUAL(check_all(body, 2, bytes, WIRE, 1000), STRATA_RESULT_CIPHER);
    }
    produce_all(body, 2, bytes, WIRE);
    CU_ASSERT_EQUAL(check_all(body, 2, bytes, WIRE - 1, 1000), STRATA_RESULT_SHORT);
    produce_all(body, 2, bytes, WIRE);
    CU_ASSERT_EQUAL(check_all(body, 2, bytes, WIRE + 1, WIRE), STRATA_RESULT_CONTENT);

    /* Authentic, but not what was meant to be uploaded: another run's content under this key. */
    struct strata_body *other;
    CU_ASSERT_EQUAL_FATAL(strata_body_gcm_open(strata_body_pool_open(5, SIZE), key, &other, &error),
                          STRATA_OK);
    produce_all(other, 2, bytes, WIRE);
    CU_ASSERT_EQUAL(check_all(body, 2, bytes, WIRE, 1000), STRATA_RESULT_CONTENT);
    other->type->close(other);
    body->type->close(body);
}

/* A body of zeros, so that the vectors of the specification apply. */
static uint64_t zeros_size(const struct strata_body *body, uint64_t item)
{
    (void)body;
    (void)item;
    return 16;
}

static uint64_t nothing_size(const struct strata_body *body, uint64_t item)
{
    (void)body;
    (void)item;
    return 0;
}

static struct strata_body_stream *zeros_open(const struct strata_body *body)
{
    return (struct strata_body_stream *)(uintptr_t)body;
}

static void zeros_start(struct strata_body_stream *stream, uint64_t item)
{
    (void)stream;
    (void)item;
}

static void zeros_stream_close(struct strata_body_stream *stream)
{
    (void)stream;
}

static int32_t zeros_produce(struct strata_body_stream *stream, uint8_t *bytes, size_t count)
{
    (void)stream;
    memset(bytes, 0, count);
    return STRATA_RESULT_OK;
}

static void zeros_close(struct strata_body *body)
{
    (void)body;
}

static void gcm_matches_the_specification(void)
{
    static const struct strata_body_type zeros_type = {.name = "zeros",
                                                       .size = zeros_size,
                                                       .stream_open = zeros_open,
                                                       .stream_close = zeros_stream_close,
                                                       .start = zeros_start,
                                                       .produce = zeros_produce,
                                                       .close = zeros_close};
    struct strata_body_type nothing_type = zeros_type;
    nothing_type.size = nothing_size;
    struct strata_body zeros = {.type = &zeros_type};
    struct strata_body nothing = {.type = &nothing_type};
    static const uint8_t key[32];
    struct strata_body *body;
    struct strata_error error;
    uint8_t bytes[44];
    char text[89];

    /* McGrew and Viega, "The Galois/Counter Mode of Operation", test cases 13 and 14: key and nonce
     * of zeros; item 0 has that nonce. */
    CU_ASSERT_EQUAL_FATAL(strata_body_gcm_open(&nothing, key, &body, &error), STRATA_OK);
    CU_ASSERT_EQUAL(produce_all(body, 0, bytes, 44), STRATA_RESULT_OK);
    hex(bytes, 28, text);
    CU_ASSERT_STRING_EQUAL(text, "000000000000000000000000"
                                 "530f8afbc74536b9a963b4f1c4cb738b");
    body->type->close(body);
    CU_ASSERT_EQUAL_FATAL(strata_body_gcm_open(&zeros, key, &body, &error), STRATA_OK);
    CU_ASSERT_EQUAL(produce_all(body, 0, bytes, 44), STRATA_RESULT_OK);
    hex(bytes, 44, text);
    CU_ASSERT_STRING_EQUAL(text, "000000000000000000000000"
                                 "cea7403d4d606b6e074ec5d3baf39d18"
                                 "d0d1c8a799996bf0265b98b5d48ab919");
    body->type->close(body);
}

static void gcm_is_read_by_python_cryptography(void)
{
    char line[256];
    ask("/usr/bin/python3 -c 'import cryptography; print(\"yes\")' 2>/dev/null", NULL, 0, line,
        sizeof line);
    if (strcmp(line, "yes") != 0) {
        harness_skip("python3-cryptography is not installed");
        return;
    }
    enum { SIZE = 1234567, WIRE = SIZE + 28 };
    uint8_t *bytes = strata_memory_new(1, WIRE);
    uint8_t *plain = strata_memory_new(1, SIZE);
    static uint8_t key[32];
    for (unsigned i = 0; i < sizeof key; i++) {
        key[i] = (uint8_t)(i * 7);
    }
    struct strata_body *body;
    struct strata_error error;
    CU_ASSERT_EQUAL_FATAL(strata_body_gcm_open(strata_body_pool_open(12, SIZE), key, &body, &error),
                          STRATA_OK);
    produce_all(body, 1000, bytes, 4099);
    char theirs[256];
    ask("/usr/bin/python3 -c 'import os, hashlib\n"
        "from cryptography.hazmat.primitives.ciphers.aead import AESGCM\n"
        "data = open(os.environ[\"FILE\"], \"rb\").read()\n"
        "plain = AESGCM(bytes(i * 7 & 255 for i in range(32))).decrypt(data[:12], data[12:], "
        "None)\n"
        "print(hashlib.md5(plain).hexdigest(), len(plain))'",
        bytes, WIRE, theirs, sizeof theirs);
    struct strata_body *inner = strata_body_pool_open(12, SIZE);
    produce_all(inner, 1000, plain, SIZE);
    char ours[256];
    ask("echo $(md5sum < \"$FILE\" | cut -c 1-32) $(stat -c %s \"$FILE\")", plain, SIZE, ours,
        sizeof ours);
    CU_ASSERT_STRING_EQUAL(theirs, ours);
    inner->type->close(inner);
    body->type->close(body);
    free(bytes);
    free(plain);
}

static void md5_matches_md5sum(void)
{
    enum { SIZE = 200001 };
    uint8_t *bytes = strata_memory_new(1, SIZE);
    struct strata_body *body = strata_body_pool_open(3, SIZE);
    produce_all(body, 17, bytes, SIZE);
    uint8_t md5[16];
    char text[33];
    char line[64];
    CU_ASSERT_EQUAL(strata_body_md5(body, 17, md5), STRATA_RESULT_OK);
    hex(md5, sizeof md5, text);
    ask("md5sum < \"$FILE\" | cut -c 1-32", bytes, SIZE, line, sizeof line);
    CU_ASSERT_STRING_EQUAL(text, line);
    body->type->close(body);
    free(bytes);

    body = strata_body_pool_open(3, 0);
    CU_ASSERT_EQUAL(strata_body_md5(body, 0, md5), STRATA_RESULT_OK);
    hex(md5, sizeof md5, text);
    CU_ASSERT_STRING_EQUAL(text, "d41d8cd98f00b204e9800998ecf8427e"); /* RFC 1321, A.5 */
    body->type->close(body);
}

static void the_cipher_times_itself(void)
{
    enum { SIZE = 4 << 20 };
    uint8_t *bytes = strata_memory_new(1, SIZE + 28);
    static const uint8_t key[32];
    struct strata_body *body;
    struct strata_error error;
    CU_ASSERT_EQUAL_FATAL(strata_body_gcm_open(strata_body_pool_open(1, SIZE), key, &body, &error),
                          STRATA_OK);
    struct strata_body_stream *stream = body->type->stream_open(body);
    body->type->start(stream, 0);
    CU_ASSERT_EQUAL(body->type->cipher_ns(stream), 0);
    body->type->produce(stream, bytes, SIZE + 28);
    uint64_t whole = body->type->cipher_ns(stream);
    CU_ASSERT(whole > 100000); /* 4 MiB at 40 GB/s */
    body->type->start(stream, 1);
    CU_ASSERT_EQUAL(body->type->cipher_ns(stream), 0);
    body->type->stream_close(stream);
    body->type->close(body);
    free(bytes);
}

static const struct harness_test tests[] = {
    {"no two blocks of two runs are equal", every_block_is_unique},
    {"neither gzip nor xz makes the content smaller", content_is_incompressible},
    {"bytes do not depend on the chunks", chunks_do_not_matter},
    {"wrong, short and long content is found", wrong_content_is_found},
    {"a wrong byte of ciphertext is a cipher error", wrong_ciphertext_is_a_cipher_error},
    {"AES-256-GCM gives the specification's vectors", gcm_matches_the_specification},
    {"an encrypted object is read by python's cryptography", gcm_is_read_by_python_cryptography},
    {"the MD5 is md5sum's", md5_matches_md5sum},
    {"the cipher's time is counted for each item", the_cipher_times_itself},
};
HARNESS_MAIN("body", tests)
