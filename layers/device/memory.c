/* What needs no device: the cipher's own speed and the derivation of keys, from the plan's elements
 * to cells and to targets.
 *
 * Always holds: a cell says all that decides its rate: the cipher with its key, the block, the
 * sector, the jobs; a function with its costs. These cells have no twin, so that nothing is
 * compared and no A/A cell is made of them. */
#include "layers/device/memory.h"

#include "common/base/memory.h"
#include "common/base/text.h"
#include "common/base/units.h"
#include "common/target/cipher.h"
#include "common/target/key_derivation.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OPENING_NS        UINT64_C(20000000) /* about what a run takes beside its load */
#define SCRYPT_BYTES_MOST (UINT64_C(1) << 30)

static bool is_cipher(const struct strata_element *element)
{
    return strcmp(element->type->name, "cipher") == 0;
}

bool strata_device_in_memory(const struct strata_element *element)
{
    return is_cipher(element) || strcmp(element->type->name, "key-derivation") == 0;
}

/* A cell of `phase_count` phases that are still to be named. */
static struct strata_workload *add_cell(const struct strata_element *element,
                                        const struct strata_backend *memory, const char *category,
                                        unsigned jobs, size_t phase_count,
                                        struct strata_cells *cells)
{
    struct strata_cell *cell = strata_cells_add(cells);
    cell->plain = memory;
    struct strata_workload *workload = &cell->workload;
    workload->source = element;
    workload->layer = STRATA_LAYER_DEVICE;
    workload->element = element->type->name;
    workload->concurrency = jobs;
    workload->category = category;
    workload->phases = strata_memory_new(phase_count, sizeof(*workload->phases));
    workload->phase_count = phase_count;
    return workload;
}

static void fill_phase(struct strata_workload *workload, size_t number,
                       enum strata_operation_kind kind)
{
    struct strata_load *load = &workload->phases[number];
    *load = (struct strata_load){
        .phase = strata_operation_name(kind),
        .jobs = workload->concurrency,
        .depth = 1,
        .mix = {{.kind = kind, .weight = 1}},
        .mix_count = 1,
        .bytes = workload->object_bytes,
        .warmup_ns = strata_element_number(workload->source, "warm-up"),
        .duration_ns = strata_element_number(workload->source, "duration"),
    };
    workload->expected_ns += load->warmup_ns + load->duration_ns + OPENING_NS;
}

/* The end of a cell's name and of its parameters, the same for all. */
static void finish_texts(struct strata_workload *workload, struct strata_text *json)
{
    size_t length = strlen(workload->name);
    if (workload->concurrency > 1) {
        (void)snprintf(workload->name + length, sizeof(workload->name) - length, " jobs %u",
                       workload->concurrency);
    }
    strata_text_format(json, ",\"jobs\":%u,\"warm_up_ns\":%" PRIu64 ",\"duration_ns\":%" PRIu64 "}",
                       workload->concurrency, workload->phases[0].warmup_ns,
                       workload->phases[0].duration_ns);
    workload->parameters = json->bytes;
}

/* --- ciphers --- */

static void add_cipher_cell(const struct strata_element *element,
                            const struct strata_backend *memory,
                            const struct strata_cipher_options *options, unsigned jobs,
                            struct strata_cells *cells)
{
    const struct strata_cipher *cipher = options->cipher;
    const struct strata_setting *directions = strata_element_setting(element, "directions");
    struct strata_workload *workload =
        add_cell(element, memory, cipher->name, jobs, directions->count, cells);
    workload->block_bytes = options->block_bytes;
    workload->object_bytes = strata_cipher_operation_bytes(options->block_bytes);
    for (size_t d = 0; d < directions->count; d++) {
        fill_phase(workload, d,
                   (enum strata_operation_kind)strata_operation_find(directions->values[d].text));
    }
    char block[32];
    char sector[32];
    strata_units_format_size(options->block_bytes, block, sizeof(block));
    strata_units_format_size(options->sector_bytes, sector, sizeof(sector));
    (void)snprintf(workload->name, sizeof(workload->name), "cipher %s %s sector %s", cipher->name,
                   block, sector);
    struct strata_text json = {0};
    strata_text_format(&json,
                       "{\"provider\":\"openssl\",\"cipher\":\"%s\",\"key_bits\":%u,"
                       "\"cipher_key_bits\":%u,\"kernel_name\":\"%s\",\"sector_bytes\":%" PRIu64,
                       cipher->name, cipher->key_bits, cipher->cipher_key_bits, cipher->kernel_name,
                       options->sector_bytes);
    finish_texts(workload, &json);
}

static struct strata_cipher_options options_of(const struct strata_element *element,
                                               const char *cipher, uint64_t block_bytes)
{
    return (struct strata_cipher_options){.cipher = strata_cipher_find(cipher),
                                          .block_bytes = block_bytes,
                                          .sector_bytes =
                                              strata_element_number(element, "sector-size")};
}

static enum strata_status expand_cipher(const struct strata_element *element,
                                        const struct strata_backend *memory, const char *cipher,
                                        unsigned jobs, struct strata_cells *cells,
                                        struct strata_error *error)
{
    const struct strata_setting *blocks = strata_element_setting(element, "block-size");
    for (size_t b = 0; b < blocks->count; b++) {
        struct strata_cipher_options options =
            options_of(element, cipher, blocks->values[b].number);
        if (options.block_bytes % options.sector_bytes != 0) {
            return strata_error_set(
                error, STRATA_USAGE, "sector-size: %s does not divide the block size %s",
                strata_element_text(element, "sector-size"), blocks->values[b].text);
        }
        add_cipher_cell(element, memory, &options, jobs, cells);
    }
    return STRATA_OK;
}

/* --- key derivation --- */

static struct strata_key_derivation derivation_of(const struct strata_element *element,
                                                  const char *function)
{
    return (struct strata_key_derivation){
        .function = function,
        .iterations = strata_element_number(element, "iterations"),
        .scrypt_n = strata_element_number(element, "scrypt-n"),
        .scrypt_r = (uint32_t)strata_element_number(element, "scrypt-r"),
        .scrypt_p = (uint32_t)strata_element_number(element, "scrypt-p"),
        .argon2_memory_kib = (uint32_t)(strata_element_number(element, "argon2-memory") >> 10),
        .argon2_passes = (uint32_t)strata_element_number(element, "argon2-passes"),
        .argon2_lanes = (uint32_t)strata_element_number(element, "argon2-lanes")};
}

static enum strata_status check_scrypt(const struct strata_key_derivation *derivation,
                                       struct strata_error *error)
{
    uint64_t n = derivation->scrypt_n;
    uint64_t bytes = 128 * n * derivation->scrypt_r;
    if ((n & (n - 1)) != 0) {
        return strata_error_set(error, STRATA_USAGE, "scrypt-n: %" PRIu64 " is not a power of two",
                                n);
    }
    if (bytes > SCRYPT_BYTES_MOST) {
        return strata_error_set(error, STRATA_USAGE,
                                "scrypt-n: %" PRIu64 " with scrypt-r %" PRIu32 " takes %" PRIu64
                                " MiB, expected 1024 at most",
                                n, derivation->scrypt_r, bytes >> 20);
    }
    return STRATA_OK;
}

/* Name and parameters say the costs of this function, not of the others. */
static void describe_derivation(const struct strata_key_derivation *derivation,
                                struct strata_workload *workload, struct strata_text *json)
{
    const char *function = derivation->function;
    char costs[64];
    strata_text_format(json, "{\"provider\":\"openssl\",\"function\":\"%s\",\"key_bytes\":%d,",
                       function, STRATA_KEY_DERIVATION_BYTES);
    if (strcmp(function, "scrypt") == 0) {
        (void)snprintf(costs, sizeof(costs), "N %" PRIu64 " r %" PRIu32 " p %" PRIu32,
                       derivation->scrypt_n, derivation->scrypt_r, derivation->scrypt_p);
        strata_text_format(json, "\"n\":%" PRIu64 ",\"r\":%" PRIu32 ",\"p\":%" PRIu32,
                           derivation->scrypt_n, derivation->scrypt_r, derivation->scrypt_p);
    } else if (strcmp(function, "argon2id") == 0) {
        (void)snprintf(costs, sizeof(costs), "%" PRIu32 " KiB passes %" PRIu32 " lanes %" PRIu32,
                       derivation->argon2_memory_kib, derivation->argon2_passes,
                       derivation->argon2_lanes);
        strata_text_format(
            json, "\"memory_kib\":%" PRIu32 ",\"passes\":%" PRIu32 ",\"lanes\":%" PRIu32,
            derivation->argon2_memory_kib, derivation->argon2_passes, derivation->argon2_lanes);
    } else {
        (void)snprintf(costs, sizeof(costs), "%" PRIu64 " iterations", derivation->iterations);
        strata_text_format(json, "\"iterations\":%" PRIu64, derivation->iterations);
    }
    (void)snprintf(workload->name, sizeof(workload->name), "key derivation %s %s", function, costs);
}

static enum strata_status expand_derivation(const struct strata_element *element,
                                            const struct strata_backend *memory,
                                            const char *function, unsigned jobs,
                                            struct strata_cells *cells, struct strata_error *error)
{
    const struct strata_key_derivation derivation = derivation_of(element, function);
    enum strata_status status =
        strcmp(function, "scrypt") == 0 ? check_scrypt(&derivation, error) : STRATA_OK;
    if (status != STRATA_OK) {
        return status;
    }
    struct strata_workload *workload = add_cell(element, memory, function, jobs, 1, cells);
    struct strata_text json = {0};
    fill_phase(workload, 0, STRATA_OPERATION_DERIVE);
    describe_derivation(&derivation, workload, &json);
    finish_texts(workload, &json);
    return STRATA_OK;
}

/* --- both --- */

enum strata_status strata_device_memory_expand(const struct strata_element *element,
                                               const struct strata_backend *memory,
                                               struct strata_cells *cells,
                                               struct strata_error *error)
{
    bool ciphers = is_cipher(element);
    const struct strata_setting *names =
        strata_element_setting(element, ciphers ? "ciphers" : "functions");
    const struct strata_setting *jobs = strata_element_setting(element, "jobs");
    enum strata_status status = STRATA_OK;
    for (size_t n = 0; n < names->count; n++) {
        for (size_t j = 0; j < jobs->count && status == STRATA_OK; j++) {
            status = (ciphers ? expand_cipher
                              : expand_derivation)(element, memory, names->values[n].text,
                                                   (unsigned)jobs->values[j].number, cells, error);
        }
    }
    return status;
}

enum strata_status strata_device_memory_open(const struct strata_workload *workload,
                                             struct strata_target **ret_target,
                                             struct strata_error *error)
{
    const struct strata_element *element = workload->source;
    if (is_cipher(element)) {
        const struct strata_cipher_options options =
            options_of(element, workload->category, workload->block_bytes);
        return strata_cipher_open(&options, ret_target, error);
    }
    const struct strata_key_derivation derivation = derivation_of(element, workload->category);
    return strata_key_derivation_open(&derivation, ret_target, error);
}
