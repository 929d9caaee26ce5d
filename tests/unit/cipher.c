/* The ciphers and the derivations of keys against the standards' vectors, and their targets at work
 * under the engine. */
#include "common/target/cipher.h"

#include "common/base/memory.h"
#include "common/load/load.h"
#include "common/target/key_derivation.h"
#include "tests/unit/harness.h"
#include "tests/unit/xts_vectors.h"

#include <openssl/opensslv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 512 };

static size_t from_hex(const char *hex, uint8_t *bytes)
{
    size_t count = strlen(hex) / 2;
    CU_ASSERT_FATAL(count <= MOST);
    for (size_t i = 0; i < count; i++) {
        unsigned byte;
        CU_ASSERT_EQUAL_FATAL(sscanf(hex + 2 * i, "%2x", &byte), 1);
        bytes[i] = (uint8_t)byte;
    }
    return count;
}

/* Encrypt the one and decrypt the other. */
static void expect_vector(const char *name, const uint8_t *key, const uint8_t *iv,
                          const uint8_t *plaintext, const uint8_t *ciphertext, size_t bytes)
{
    const struct strata_cipher *cipher = strata_cipher_find(name);
    CU_ASSERT_PTR_NOT_NULL_FATAL(cipher);
    uint8_t made[MOST];
    CU_ASSERT_TRUE(strata_cipher_apply(cipher, true, key, iv, plaintext, made, bytes));
    CU_ASSERT_EQUAL(memcmp(made, ciphertext, bytes), 0);
    CU_ASSERT_TRUE(strata_cipher_apply(cipher, false, key, iv, ciphertext, made, bytes));
    CU_ASSERT_EQUAL(memcmp(made, plaintext, bytes), 0);
}

/* A key of 64 bytes is AES-256 in XTS, which cryptsetup calls 512 bits. */
static void xts_is_that_of_ieee_1619(void)
{
    uint8_t previous[MOST] = {0};
    for (size_t i = 0; i < sizeof(xts_vectors) / sizeof(xts_vectors[0]); i++) {
        const struct xts_vector *vector = &xts_vectors[i];
        uint8_t key[MOST];
        uint8_t iv[STRATA_CIPHER_IV_BYTES] = {0};
        uint8_t plaintext[MOST];
        uint8_t ciphertext[MOST];
        size_t key_bytes = from_hex(vector->key, key);
        for (size_t b = 0; b < MOST; b++) {
            plaintext[b] = vector->plaintext_is_previous ? previous[b] : (uint8_t)b;
        }
        for (size_t b = 0; b < sizeof(vector->sector); b++) {
            iv[b] = (uint8_t)(vector->sector >> 8 * b);
        }
        CU_ASSERT_EQUAL(from_hex(vector->ciphertext, ciphertext), MOST);
        const char *name = key_bytes == 32 ? "aes-xts-256" : "aes-xts-512";
        CU_ASSERT_EQUAL(strata_cipher_find(name)->key_bits, 8 * key_bytes);
        CU_ASSERT_EQUAL(strata_cipher_find(name)->cipher_key_bits, 4 * key_bytes);
        expect_vector(name, key, iv, plaintext, ciphertext, MOST);
        memcpy(previous, ciphertext, MOST);
    }
}

/* F.2.1 to F.2.6, all four blocks. */
static void cbc_is_that_of_sp_800_38a(void)
{
    static const struct {
        const char *name, *key, *ciphertext;
    } vectors[] = {
        {"aes-cbc-128", "2b7e151628aed2a6abf7158809cf4f3c",
         "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
         "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7"},
        {"aes-cbc-256", "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
         "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"
         "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b"},
    };
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
        uint8_t key[MOST];
        uint8_t iv[MOST];
        uint8_t plaintext[MOST];
        uint8_t ciphertext[MOST];
        from_hex(vectors[i].key, key);
        from_hex("000102030405060708090a0b0c0d0e0f", iv);
        from_hex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
                 "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710",
                 plaintext);
        size_t bytes = from_hex(vectors[i].ciphertext, ciphertext);
        expect_vector(vectors[i].name, key, iv, plaintext, ciphertext, bytes);
    }
}

/* 2.4.2, all of its 114 bytes. */
static void chacha20_is_that_of_rfc_8439(void)
{
    static const char text[] = "Ladies and Gentlemen of the class of '99: If I could offer you "
                               "only one tip for the future, sunscreen would be it.";
    uint8_t key[MOST];
    uint8_t iv[MOST];
    uint8_t ciphertext[MOST];
    from_hex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", key);
    from_hex("01000000000000000000004a00000000", iv);
    size_t bytes = from_hex("6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0b"
                            "f91b65c5524733ab8f593dabcd62b3571639d624e65152ab8f530c359f0861d8"
                            "07ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab7793736"
                            "5af90bbf74a35be6b40b8eedf2785e42874d",
                            ciphertext);
    CU_ASSERT_EQUAL(bytes, 114);
    expect_vector("chacha20", key, iv, (const uint8_t *)text, ciphertext, bytes);
}

static void every_cipher_passes_its_self_test(void)
{
    static const char *const names[] = {"aes-xts-256", "aes-xts-512", "aes-cbc-128", "aes-cbc-256",
                                        "chacha20"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct strata_error error = {.text = ""};
        CU_ASSERT_EQUAL(strata_cipher_self_test(strata_cipher_find(names[i]), &error), STRATA_OK);
        CU_ASSERT_STRING_EQUAL(error.text, "");
    }
    CU_ASSERT_PTR_NULL(strata_cipher_find("aes-xts-128"));
}

/* RFC 7914: 11 (PBKDF2-HMAC-SHA256), 12 (scrypt). PBKDF2-HMAC-SHA512: from the definition, RFC
 * 8018, 5.2, computed with HMAC alone. */
static void derivations_are_those_of_the_rfcs(void)
{
    static const struct {
        struct strata_key_derivation derivation;
        const char *passphrase, *salt, *key;
    } vectors[] = {
        {{.function = "pbkdf2-sha256", .iterations = 1},
         "passwd",
         "salt",
         "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
         "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783"},
        {{.function = "pbkdf2-sha256", .iterations = 80000},
         "Password",
         "NaCl",
         "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56"
         "a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d"},
        {{.function = "pbkdf2-sha512", .iterations = 1},
         "password",
         "salt",
         "867f70cf1ade02cff3752599a3a53dc4af34c7a669815ae5d513554e1c8cf252"
         "c02d470a285a0501bad999bfe943c08f050235d7d68b1da55e63f73b60a57fce"},
        {{.function = "scrypt", .scrypt_n = 1024, .scrypt_r = 8, .scrypt_p = 16},
         "password",
         "NaCl",
         "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
         "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"},
    };
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
        uint8_t expected[MOST];
        uint8_t key[MOST];
        size_t bytes = from_hex(vectors[i].key, expected);
        CU_ASSERT_TRUE(strata_key_derivation_once(&vectors[i].derivation, vectors[i].passphrase,
                                                  vectors[i].salt, key, bytes));
        CU_ASSERT_EQUAL(memcmp(key, expected, bytes), 0);
    }
}

static struct strata_target *opened(const char *name, uint64_t block_bytes, uint64_t sector_bytes)
{
    const struct strata_cipher_options options = {.cipher = strata_cipher_find(name),
                                                  .block_bytes = block_bytes,
                                                  .sector_bytes = sector_bytes};
    struct strata_target *target = NULL;
    struct strata_error error = {.text = ""};
    CU_ASSERT_EQUAL_FATAL(strata_cipher_open(&options, &target, &error), STRATA_OK);
    return target;
}

static void perform(struct strata_worker *worker, enum strata_operation_kind kind, uint8_t *buffer,
                    uint64_t bytes)
{
    struct strata_operation operation = {.kind = (uint8_t)kind, .bytes = bytes, .buffer = buffer};
    struct strata_operation *one = &operation;
    struct strata_operation *back = NULL;
    const struct strata_target_type *type = worker->target->type;
    CU_ASSERT_EQUAL(type->submit(worker, &one, 1), 1);
    CU_ASSERT_EQUAL(type->submit(worker, &one, 1), 0); /* one at a time */
    CU_ASSERT_EQUAL(type->reap(worker, &back, 1, 0), 1);
    CU_ASSERT_EQUAL(type->reap(worker, &back, 1, 0), 0);
    CU_ASSERT_PTR_EQUAL(back, &operation);
    CU_ASSERT_EQUAL(operation.result, STRATA_RESULT_OK);
    CU_ASSERT_EQUAL(operation.bytes, bytes);
    CU_ASSERT_EQUAL(operation.stages, 1U << STRATA_STAGE_CIPHER);
}

/* Equal sectors become different ones, since each has a vector of its own; decrypting as often
 * brings everything back; what lies behind the block is left alone. */
static void blocks_are_encrypted_sector_by_sector(void)
{
    enum { BLOCK = 4096, SECTOR = 512, TIMES = 3 };
    static const char *const names[] = {"aes-xts-256", "aes-xts-512", "aes-cbc-128", "aes-cbc-256",
                                        "chacha20"};
    uint8_t *buffer = strata_memory_new_aligned(2 * BLOCK);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct strata_target *target = opened(names[i], BLOCK, SECTOR);
        const struct strata_worker_setup setup = {.jobs = 1,
                                                  .depth = 1,
                                                  .kinds = 1U << STRATA_OPERATION_ENCRYPT |
                                                           1U << STRATA_OPERATION_DECRYPT};
        struct strata_worker *worker = NULL;
        struct strata_error error;
        CU_ASSERT_EQUAL_FATAL(target->type->worker_open(target, &setup, &worker, &error),
                              STRATA_OK);
        memset(buffer, 'a', 2 * BLOCK);
        perform(worker, STRATA_OPERATION_ENCRYPT, buffer, TIMES * BLOCK);
        for (unsigned sector = 1; sector < BLOCK / SECTOR; sector++) {
            CU_ASSERT_NOT_EQUAL(memcmp(buffer, buffer + sector * SECTOR, SECTOR), 0);
        }
        perform(worker, STRATA_OPERATION_DECRYPT, buffer, TIMES * BLOCK);
        for (unsigned b = 0; b < 2 * BLOCK; b++) {
            CU_ASSERT_EQUAL(buffer[b], 'a');
        }
        target->type->worker_close(worker);
        target->type->close(target);
    }
    free(buffer);
}

static void operations_are_whole_blocks(void)
{
    CU_ASSERT_EQUAL(strata_cipher_operation_bytes(512), 262144);
    CU_ASSERT_EQUAL(strata_cipher_operation_bytes(65536), 262144);
    CU_ASSERT_EQUAL(strata_cipher_operation_bytes(100 * 1024), 300 * 1024);
    CU_ASSERT_EQUAL(strata_cipher_operation_bytes(1 << 20), 1 << 20);
}

static void run(struct strata_target *target, enum strata_operation_kind kind, uint64_t bytes,
                uint64_t operations, struct strata_load_result *result)
{
    const struct strata_load load = {.phase = strata_operation_name(kind),
                                     .jobs = 2,
                                     .depth = 1,
                                     .mix = {{.kind = kind, .weight = 1}},
                                     .mix_count = 1,
                                     .bytes = bytes,
                                     .operations = operations,
                                     .clock = &strata_clock_machine};
    struct strata_error error = {.text = ""};
    CU_ASSERT_EQUAL(strata_load_run(target, &load, result, &error), STRATA_OK);
    CU_ASSERT_STRING_EQUAL(error.text, "");
}

/* Two jobs, 64 operations of 256 KiB: nearly all of each operation's time is the cipher's. */
static void the_engine_runs_ciphers(void)
{
    struct strata_target *target = opened("aes-xts-512", 4096, 512);
    struct strata_load_result result;
    run(target, STRATA_OPERATION_ENCRYPT, strata_cipher_operation_bytes(4096), 64, &result);
    const struct strata_record *record = result.recorder.records[STRATA_OPERATION_ENCRYPT];
    CU_ASSERT_PTR_NOT_NULL_FATAL(record);
    CU_ASSERT_EQUAL(record->tally.ok, 64);
    CU_ASSERT_EQUAL(record->tally.bytes, UINT64_C(64) << 18);
    uint64_t cipher_ns = record->tally.stage_ns[STRATA_STAGE_CIPHER];
    CU_ASSERT_TRUE(cipher_ns <= record->response.sum_ns);
    CU_ASSERT_TRUE(cipher_ns > record->response.sum_ns / 10 * 8);
    strata_load_result_done(&result);
    target->type->close(target);
}

static void the_engine_runs_derivations(void)
{
    const struct strata_key_derivation derivation = {.function = "pbkdf2-sha512",
                                                     .iterations = 100};
    struct strata_target *target = NULL;
    struct strata_error error;
    CU_ASSERT_EQUAL_FATAL(strata_key_derivation_open(&derivation, &target, &error), STRATA_OK);
    struct strata_load_result result;
    run(target, STRATA_OPERATION_DERIVE, 0, 20, &result);
    const struct strata_record *record = result.recorder.records[STRATA_OPERATION_DERIVE];
    CU_ASSERT_PTR_NOT_NULL_FATAL(record);
    CU_ASSERT_EQUAL(record->tally.ok, 20);
    CU_ASSERT_EQUAL(record->tally.bytes, 0);
    strata_load_result_done(&result);
    target->type->close(target);
}

/* Where OpenSSL has Argon2id it has given the known answer when it opened. */
static void argon2_is_there_or_unsupported(void)
{
    const struct strata_key_derivation derivation = {
        .function = "argon2id", .argon2_memory_kib = 1024, .argon2_passes = 1, .argon2_lanes = 2};
    struct strata_target *target = NULL;
    struct strata_error error = {.text = ""};
    enum strata_status status = strata_key_derivation_open(&derivation, &target, &error);
#if OPENSSL_VERSION_NUMBER >= 0x30200000L
    CU_ASSERT_EQUAL_FATAL(status, STRATA_OK);
    struct strata_load_result result;
    run(target, STRATA_OPERATION_DERIVE, 0, 4, &result);
    CU_ASSERT_EQUAL(result.recorder.records[STRATA_OPERATION_DERIVE]->tally.ok, 4);
    strata_load_result_done(&result);
    target->type->close(target);
#else
    CU_ASSERT_EQUAL(status, STRATA_ENVIRONMENT);
    CU_ASSERT_EQUAL(strncmp(error.text, "unsupported: OpenSSL 3.", 23), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, " has no argon2id; 3.2 is the first"));
#endif
}

static const struct harness_test tests[] = {
    {"XTS is that of IEEE 1619", xts_is_that_of_ieee_1619},
    {"CBC is that of SP 800-38A", cbc_is_that_of_sp_800_38a},
    {"ChaCha20 is that of RFC 8439", chacha20_is_that_of_rfc_8439},
    {"every cipher passes its self test", every_cipher_passes_its_self_test},
    {"derivations are those of the RFCs", derivations_are_those_of_the_rfcs},
    {"blocks are encrypted sector by sector", blocks_are_encrypted_sector_by_sector},
    {"operations are whole blocks", operations_are_whole_blocks},
    {"the engine runs ciphers", the_engine_runs_ciphers},
    {"the engine runs derivations", the_engine_runs_derivations},
    {"Argon2id is there or unsupported", argon2_is_there_or_unsupported},
};
HARNESS_MAIN("cipher", tests)
