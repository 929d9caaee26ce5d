/* make_results DATABASE [UUID [NAME [SCALE]]]: write a campaign of known content, for the tests of
 * what reads results. Nothing is measured.
 *
 * Each phase has a given rate on the plain back end and a given ratio of the encrypted rate to it.
 * Both drift by 1 % from pair to pair; the ratio alone is spread around its value by -2 % to 2 %,
 * so that the median of its Walsh averages is exactly the value. SCALE multiplies the encrypted
 * rates. The table below is the truth that tests compare with. */
#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/store/store.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PHASES = 4, PAIRS = 5, USER_PAIRS = 25, WARMUP_OPERATIONS = 10 };

struct phase {
    const char *name;
    enum strata_operation_kind kind;
    double plain_ops_per_s;
    double ratio; /* encrypted over plain */
};

struct cell {
    const char *layer, *element, *name, *operation, *category, *match_key;
    uint64_t bytes;
    unsigned block_bytes, concurrency;
    const char *plain, *encrypted; /* names of back ends; control: the same */
    unsigned pairs;                /* 0: one run, without a twin */
    unsigned operations;           /* of each phase */
    struct phase phases[MAX_PHASES];
};

#define READ   STRATA_OPERATION_READ
#define WRITE  STRATA_OPERATION_WRITE
#define PUT    STRATA_OPERATION_PUT
#define GET    STRATA_OPERATION_GET
#define RATE   1000.0
#define LADDER "262144 B x 8"
#define CIPHER(sector)                                                                             \
    "{\"provider\":\"openssl\",\"cipher\":\"aes-xts-512\",\"key_bits\":512,"                       \
    "\"cipher_key_bits\":256,\"kernel_name\":\"xts(aes)\",\"sector_bytes\":" sector "}"

/* A table is read by its columns. */
/* clang-format off */
static const struct cell cells[] = {
    {"device", "iops", "iops read 512 B depth 32", "read", "", "", 512, 512, 32,
     "disk", "disk-aes", PAIRS, 12000, {{"read", READ, 100 * RATE, 0.80}}},
    {"device", "iops", "iops write 512 B depth 32", "write", "", "", 512, 512, 32,
     "disk", "disk-aes", PAIRS, 12000, {{"write", WRITE, 50 * RATE, 0.98}}},
    {"device", "transfer", "transfer read 256 KiB depth 8", "read", "", "", 262144, 262144, 8,
     "disk", "disk-aes", PAIRS, 2000, {{"read", READ, 4 * RATE, 0.50}}},
    {"device", "transfer", "transfer write 256 KiB depth 8", "write", "", "", 262144, 262144, 8,
     "disk", "disk-aes", PAIRS, 2000, {{"write", WRITE, 2 * RATE, 0.92}}},
    {"device", "iops", "A/A iops read 512 B depth 32", "read", "", "", 512, 512, 32,
     "disk", "disk", PAIRS, 12000, {{"read", READ, 100 * RATE, 1.0}}},
    {"device", "workload", "randread 4 KiB depth 8 jobs 2", "randread", "", "", 4096, 4096, 16,
     "old-disk", "disks", PAIRS, 4000, {{"randread", READ, 10 * RATE, 1.60}}},
    {"filesystem", "metadata", "metadata unique 1000 files 2 jobs", "create stat unlink", "", "",
     0, 0, 2,
     "ext4", "ext4-fscrypt", PAIRS, 1000, {{"create", STRATA_OPERATION_CREATE, 20 * RATE, 0.85},
                                           {"stat", STRATA_OPERATION_STAT, 200 * RATE, 0.99},
                                           {"unlink", STRATA_OPERATION_UNLINK, 30 * RATE, 0.90}}},
    {"service", "transfer", "transfer 4 KiB x 8", "upload download delete", "", "", 4096, 0, 8,
     "swift", "swift-server", PAIRS, 200, {{"upload", PUT, 0.18 * RATE, 0.95},
                                           {"download", GET, 0.5 * RATE, 0.97},
                                           {"delete", STRATA_OPERATION_DELETE, 0.3 * RATE, 1.0}}},
    {"service", "transfer", "transfer 4 KiB x 8", "upload download delete", "", "", 4096, 0, 8,
     "swift", "swift-client", PAIRS, 200, {{"upload", PUT, 0.18 * RATE, 0.93},
                                           {"download", GET, 0.5 * RATE, 0.96},
                                           {"delete", STRATA_OPERATION_DELETE, 0.3 * RATE, 1.0}}},
    {"service", "transfer", "transfer 1 MiB x 8", "upload download", "", "", 1048576, 0, 8,
     "swift", "swift-server", PAIRS, 32, {{"upload", PUT, 0.1 * RATE, 0.60},
                                          {"download", GET, 0.15 * RATE, 0.75}}},
    {"user", "file-types", "file-types text 1286 KiB", "upload download", "text", "", 1316864, 0, 1,
     "swift", "swift-client", USER_PAIRS, 1, {{"upload", PUT, 20, 0.90},
                                              {"download", GET, 30, 0.95}}},
    {"user", "file-types", "file-types image 1286 KiB", "upload download", "image", "", 1316864, 0,
     1,
     "swift", "swift-client", USER_PAIRS, 1, {{"upload", PUT, 21, 0.90},
                                              {"download", GET, 31, 0.95}}},
    {"device", "ladder", "ladder 256 KiB x 8", "read write", "", LADDER, 262144, 262144, 8,
     "disk", "disk-aes", PAIRS, 2000, {{"read", READ, 4 * RATE, 0.50},
                                       {"write", WRITE, 2 * RATE, 0.92}}},
    {"filesystem", "ladder", "ladder 256 KiB x 8", "write read", "", LADDER, 262144, 0, 8,
     "ext4", "ext4-fscrypt", PAIRS, 2000, {{"write", WRITE, 1.6 * RATE, 0.80},
                                           {"read", READ, 3.2 * RATE, 0.60}}},
    {"service", "ladder", "ladder 256 KiB x 8", "write read", "", LADDER, 262144, 0, 8,
     "swift", "swift-server", PAIRS, 64, {{"write", PUT, 0.2 * RATE, 0.90},
                                          {"read", GET, 0.4 * RATE, 0.95}}},
    {"user", "ladder", "ladder 256 KiB x 8", "write read", "", LADDER, 262144, 0, 8,
     "swift", "swift-server", PAIRS, 64, {{"write", PUT, 0.16 * RATE, 0.95},
                                          {"read", GET, 0.36 * RATE, 0.95}}},
};

/* What runs in memory, once, with its parameters. */
static const struct {
    struct cell cell;
    const char *parameters;
} in_memory[] = {
    {{"device", "cipher", "cipher aes-xts-512 64 KiB sector 512 B", "encrypt decrypt",
      "aes-xts-512", "", 262144, 65536, 1,
      "memory", "memory", 0, 2000, {{"encrypt", STRATA_OPERATION_ENCRYPT, 10 * RATE, 1},
                                {"decrypt", STRATA_OPERATION_DECRYPT, 12 * RATE, 1}}},
     CIPHER("512")},
    {{"device", "cipher", "cipher aes-xts-512 64 KiB sector 4 KiB jobs 8", "encrypt decrypt",
      "aes-xts-512", "", 262144, 65536, 8,
      "memory", "memory", 0, 2000, {{"encrypt", STRATA_OPERATION_ENCRYPT, 90 * RATE, 1},
                                {"decrypt", STRATA_OPERATION_DECRYPT, 90 * RATE, 1}}},
     CIPHER("4096")},
    {{"device", "key-derivation", "key derivation pbkdf2-sha256 10000 iterations", "derive",
      "pbkdf2-sha256", "", 0, 0, 1,
      "memory", "memory", 0, 200, {{"derive", STRATA_OPERATION_DERIVE, 0.4 * RATE, 1}}},
     "{\"function\":\"pbkdf2-sha256\",\"iterations\":10000}"},
};
/* clang-format on */

struct backend {
    const char *name, *layer, *location, *encryption, *proof, *evidence;
    int twin;   /* index of the plain one; -1: none */
    int versus; /* index of the one that it is held against; -1: none */
};

static const struct backend backends[] = {
    {"disk", "device", "/dev/loop0", "none", "none", "", -1, -1},
    {"disk-aes", "device", "/dev/loop0", "aes-xts-256", "functional", "pattern absent below", 0,
     -1},
    {"ext4", "filesystem", "/mnt/ext4", "none", "none", "", -1, -1},
    {"ext4-fscrypt", "filesystem", "/mnt/ext4", "fscrypt", "structure", "fscrypt policy v2", 2, -1},
    {"swift", "service", "http://127.0.0.1:8080/auth/v1.0", "none", "none", "", -1, -1},
    {"swift-server", "service", "http://127.0.0.1:8081/auth/v1.0", "server", "asserted",
     "this proxy runs the keymaster", 4, -1},
    {"swift-client", "service", "http://127.0.0.1:8080/auth/v1.0", "client", "functional",
     "encrypted before the upload", 4, -1},
    {"old-disk", "device", "/dev/loop2", "none", "none", "", -1, -1},
    {"disks", "device", "/dev/loop0 and /dev/loop1", "none", "none", "", -1, 7},
    {"memory", "device", "", "none", "none", "", -1, -1},
};
enum { BACKENDS = sizeof(backends) / sizeof(backends[0]) };

static const char *storage_of(const struct backend *backend)
{
    return strcmp(backend->name, "memory") == 0
               ? "{\"kernel_ciphers\": {\"xts(aes)\": \"xts-aes-aesni\"}}"
           : strcmp(backend->name, "disk-aes") == 0
               ? "{\"cipher\": {\"name\": \"aes-xts-plain64\", \"key_bits\": 512,"
                 " \"sector_bytes\": 512}}"
               : "{}";
}

struct maker {
    struct strata_store *store;
    double scale;
    int64_t campaign_id, environment_id, workload_id;
    int64_t backend_ids[BACKENDS];
    struct strata_error error;
};

static void require(enum strata_status status, const struct maker *maker)
{
    if (status != STRATA_OK) {
        fprintf(stderr, "make_results: %s\n", maker->error.text);
        exit((int)status);
    }
}

static int backend_index(const char *name)
{
    for (int i = 0; i < BACKENDS; i++) {
        if (strcmp(backends[i].name, name) == 0) {
            return i;
        }
    }
    abort();
}

/* The rate of a phase in pair `pair_no` of `pairs`. */
static double rate_of(const struct maker *maker, const struct phase *phase, unsigned pairs,
                      unsigned pair_no, bool encrypted_side)
{
    double rate = phase->plain_ops_per_s * (1 + 0.01 * (pair_no - 1));
    if (encrypted_side) {
        double position = pairs > 1 ? 2.0 * (pair_no - 1) / (pairs - 1) - 1 : 0;
        rate *= phase->ratio * maker->scale * exp(0.02 * position);
    }
    return rate;
}

/* Half a second with an operation of 1 ms at each 50 ms. */
static void fill_warmup(struct strata_recorder *warmup, enum strata_operation_kind kind,
                        uint64_t measuring_ns)
{
    strata_recorder_init(warmup, 1U << kind, false);
    warmup->begin_ns = measuring_ns - 500000000;
    warmup->window_end_ns = measuring_ns;
    for (uint64_t i = 0; i < WARMUP_OPERATIONS; i++) {
        uint64_t end_ns = warmup->begin_ns + i * 50000000;
        struct strata_operation operation = {.kind = (uint8_t)kind,
                                             .due_ns = end_ns - 1000000,
                                             .start_ns = end_ns - 1000000,
                                             .end_ns = end_ns};
        strata_recorder_add(warmup, &operation);
    }
}

/* Operation i of n ends after (i + 1) / n of the window and took from 0.5 to 1.5 times the mean. */
static void fill_result(struct strata_load_result *result, const struct cell *cell,
                        const struct phase *phase, double rate_per_s, int32_t code)
{
    unsigned n = cell->operations;
    uint64_t begin_ns = UINT64_C(1000000000);
    *result = (struct strata_load_result){
        .started_at_us = INT64_C(1767225600000000), /* 2026-01-01 */
        .window_ns = (uint64_t)llround(n * 1e9 / rate_per_s),
        .mean_in_flight = cell->concurrency,
        .generator_busy_fraction = 0.05,
    };
    result->elapsed_ns = result->window_ns;
    strata_recorder_init(&result->recorder, 1U << phase->kind, false);
    result->recorder.begin_ns = begin_ns;
    result->recorder.window_end_ns = begin_ns + result->window_ns;
    double mean_ns = cell->concurrency * 1e9 / rate_per_s;
    for (unsigned i = 0; i < n; i++) {
        uint64_t end_ns = begin_ns + (uint64_t)((double)result->window_ns * (i + 1) / n);
        uint64_t took_ns = (uint64_t)(mean_ns * (0.5 + (double)(i % 101) / 100));
        struct strata_operation operation = {.kind = (uint8_t)phase->kind,
                                             .bytes = cell->bytes,
                                             .due_ns = end_ns - took_ns,
                                             .start_ns = end_ns - took_ns,
                                             .end_ns = end_ns,
                                             .result = code};
        if (phase->kind == STRATA_OPERATION_CREATE) {
            strata_operation_stage(&operation, STRATA_STAGE_OPEN, took_ns / 2);
            strata_operation_stage(&operation, STRATA_STAGE_CLOSE, took_ns / 4);
        }
        strata_recorder_add(&result->recorder, &operation);
    }
    struct strata_tally *tally = &result->recorder.records[phase->kind]->tally;
    tally->due = tally->started = n;
    fill_warmup(&result->warmup, phase->kind, begin_ns);
}

/* The machine spent 1000 ns a plain and 1500 ns an encrypted operation, 4/5 of it in the kernel;
 * one disk moved the payload and a tenth more. */
static void fill_looks(struct strata_store_look looks[2], const struct cell *cell,
                       const struct phase *phase, uint64_t elapsed_ns, bool ciphered)
{
    uint64_t cpu_ns = ciphered ? 360000000 : 240000000;
    uint64_t moved_bytes = cell->bytes * cell->operations * 11 / 10;
    bool reads = phase->kind == READ || phase->kind == GET;
    for (int i = 0; i < 2; i++) {
        looks[i] = (struct strata_store_look){.phase = phase->name};
        struct strata_counters *counters = &looks[i].counters;
        uint64_t share = (uint64_t)i;
        counters->at_ns = UINT64_C(5000000000) + share * elapsed_ns;
        counters->cpu_user_ns = 7000000 + share * cpu_ns / 5;
        counters->cpu_system_ns = 9000000 + share * cpu_ns * 4 / 5;
        counters->cpu_idle_ns = 8000000 + share * 2 * elapsed_ns;
        counters->process_user_ns = 100 + share * cpu_ns / 10;
        counters->disk_count = 1;
        snprintf(counters->disks[0].name, sizeof(counters->disks[0].name), "loop0");
        counters->disks[0].read_bytes = reads ? share * moved_bytes : 0;
        counters->disks[0].written_bytes = reads ? 0 : share * moved_bytes;
        counters->disks[0].busy_ns = share * elapsed_ns / 2;
    }
}

/* Every operation was done by one of the two devices in turn: the set's first does three of four.
 */
static void fill_members(struct strata_load_result *result, const struct strata_recorder *whole,
                         enum strata_operation_kind kind)
{
    result->member_count = 2;
    result->members = strata_memory_new(2, sizeof(*result->members));
    for (unsigned m = 0; m < 2; m++) {
        strata_recorder_init(&result->members[m], 1U << kind, false);
        struct strata_tally *tally = &result->members[m].records[kind]->tally;
        const struct strata_tally *all = &whole->records[kind]->tally;
        unsigned quarters = m == 0 ? 3 : 1;
        tally->ok = all->ok / 4 * quarters;
        tally->bytes = all->bytes / 4 * quarters;
        tally->window_ok = all->window_ok / 4 * quarters;
        tally->window_bytes = all->window_bytes / 4 * quarters;
        result->members[m].records[kind]->response.sum_ns = tally->ok * 1000000;
        result->members[m].records[kind]->response.max_ns = 2000000;
    }
}

static int64_t begin_run(struct maker *maker, const struct cell *cell, unsigned slot,
                         bool encrypted_side)
{
    char uuid[37];
    strata_random_uuid(uuid);
    int64_t plain = maker->backend_ids[backend_index(cell->plain)];
    int64_t encrypted = maker->backend_ids[backend_index(cell->encrypted)];
    struct strata_store_run row = {
        .uuid = uuid,
        .campaign_id = maker->campaign_id,
        .environment_id = maker->environment_id,
        .backend_id = encrypted_side ? encrypted : plain,
        .workload_id = maker->workload_id,
        .cell = cell->pairs == 0     ? "single"
                : plain == encrypted ? "control"
                                     : "pair",
        .twin_backend_id = cell->pairs == 0 ? 0
                           : encrypted_side ? plain
                                            : encrypted,
        .pair_no = slot / 2 + 1,
        .slot = slot + 1,
        .seed = slot,
    };
    int64_t run_id;
    require(strata_store_run_begin(maker->store, &row, &run_id, &maker->error), maker);
    return run_id;
}

/* Slots go ABBA. `code` other than 0 makes every operation fail with it. */
static void make_run(struct maker *maker, const struct cell *cell, unsigned slot,
                     const char *status, const char *reason, int32_t code)
{
    static const char *const members[] = {"/dev/loop0", "/dev/loop1"};
    bool encrypted_side = slot % 4 == 1 || slot % 4 == 2;
    int64_t run_id = begin_run(maker, cell, slot, encrypted_side);
    struct strata_load_result results[MAX_PHASES];
    struct strata_store_phase phases[MAX_PHASES];
    struct strata_store_look looks[2 * MAX_PHASES];
    struct strata_store_outcome outcome = {
        .status = status, .reason = reason, .phases = phases, .looks = looks};
    for (const struct phase *phase = cell->phases;
         phase < cell->phases + MAX_PHASES && phase->name != NULL; phase++) {
        size_t p = outcome.phase_count++;
        double rate_per_s = rate_of(maker, phase, cell->pairs, slot / 2 + 1, encrypted_side);
        fill_result(&results[p], cell, phase, rate_per_s, code);
        bool of_set = encrypted_side && strcmp(cell->encrypted, "disks") == 0;
        bool ciphered = encrypted_side && strcmp(cell->plain, cell->encrypted) != 0 && !of_set;
        if (of_set) {
            fill_members(&results[p], &results[p].recorder, phase->kind);
        }
        fill_looks(&looks[2 * p], cell, phase, results[p].elapsed_ns, ciphered);
        phases[p] = (struct strata_store_phase){.name = phase->name,
                                                .result = &results[p],
                                                .bytes_per_operation = cell->bytes,
                                                .members = members};
        outcome.look_count += 2;
    }
    require(strata_store_run_finish(maker->store, run_id, &outcome, &maker->error), maker);
    for (size_t p = 0; p < outcome.phase_count; p++) {
        strata_load_result_done(&results[p]);
    }
}

/* A run of eight rounds on the plain disk, each of 12 s, that never become steady; in the second
 * the rate falls for good from 3000 to 1000 a second after 5 s. */
static const struct cell rounds_cell = {.layer = "device",
                                        .element = "steady-state",
                                        .name = "steady-state randwrite 4 KiB depth 32",
                                        .operation = "round",
                                        .bytes = 4096,
                                        .block_bytes = 4096,
                                        .concurrency = 32,
                                        .plain = "disk",
                                        .encrypted = "disk",
                                        .operations = 1200,
                                        .phases = {{"round", WRITE, 100, 1}}};

enum { ROUNDS = 8 };

static void make_rounds(struct maker *maker)
{
    struct strata_load_result results[ROUNDS];
    struct strata_store_phase phases[ROUNDS];
    char names[ROUNDS][16];
    int64_t run_id = begin_run(maker, &rounds_cell, 0, false);
    for (size_t r = 0; r < ROUNDS; r++) {
        fill_result(&results[r], &rounds_cell, &rounds_cell.phases[0], r % 2 == 0 ? 100 : 150, 0);
        snprintf(names[r], sizeof(names[r]), "round %zu", r + 1);
        phases[r] = (struct strata_store_phase){.name = names[r],
                                                .result = &results[r],
                                                .bytes_per_operation = 4096,
                                                .region_bytes = 1 << 20};
    }
    phases[1].reason = "step: 3000.0/s in the first 5.0 s, 1000.0/s in the 7.0 s after";
    phases[1].step_at_ns = UINT64_C(5000000000);
    phases[1].step_before_per_s = 3000;
    phases[1].step_after_per_s = 1000;
    const struct strata_store_steady steady = {.missing = "purge",
                                               .preconditioned_bytes = 2 << 20,
                                               .capacity_bytes = 1 << 20,
                                               .rounds = ROUNDS,
                                               .window_first_round = ROUNDS - 4,
                                               .mean_per_s = 130,
                                               .range_fraction = 50.0 / 130,
                                               .slope_fraction = 0};
    struct strata_store_outcome outcome = {
        .status = "ok", .phases = phases, .phase_count = ROUNDS, .steady = &steady};
    require(strata_store_run_finish(maker->store, run_id, &outcome, &maker->error), maker);
    for (size_t r = 0; r < ROUNDS; r++) {
        strata_recorder_done(&results[r].recorder);
        strata_recorder_done(&results[r].warmup);
    }
}

static void make_workload(struct maker *maker, const struct cell *cell, const char *parameters)
{
    struct strata_store_workload row = {
        .layer = cell->layer,
        .name = cell->name,
        .element = cell->element,
        .operation = cell->operation,
        .object_bytes = cell->bytes,
        .block_bytes = cell->block_bytes,
        .concurrency = cell->concurrency,
        .category = cell->category,
        .arrival = "closed",
        .match_key = cell->match_key,
        .parameters = parameters,
    };
    require(strata_store_workload(maker->store, &row, &maker->workload_id, &maker->error), maker);
}

static void make_campaign(struct maker *maker, const char *uuid, const char *name)
{
    struct strata_store_campaign row = {.uuid = uuid,
                                        .name = name,
                                        .configuration = "<strata version=\"1\"/>",
                                        .seed = 7,
                                        .loss_margin = 0.1,
                                        .planned_pairs = PAIRS,
                                        .time_scale = 1};
    require(strata_store_campaign(maker->store, &row, &maker->campaign_id, &maker->error), maker);
    require(strata_store_environment(maker->store, "0123456789abcdef0123456789abcdef",
                                     "{\"cores\": 2, \"kernel\": \"6.1.0\"}",
                                     &maker->environment_id, &maker->error),
            maker);
    for (int i = 0; i < BACKENDS; i++) {
        const struct backend *backend = &backends[i];
        struct strata_store_backend place = {
            .name = backend->name,
            .layer = backend->layer,
            .location = backend->location,
            .encrypted = backend->twin >= 0,
            .encryption = backend->encryption,
            .proof = backend->proof,
            .evidence = backend->evidence,
            .twin_id = backend->twin >= 0 ? maker->backend_ids[backend->twin] : 0,
            .versus_id = backend->versus >= 0 ? maker->backend_ids[backend->versus] : 0,
            .storage = storage_of(backend),
        };
        require(strata_store_backend(maker->store, maker->campaign_id, &place,
                                     &maker->backend_ids[i], &maker->error),
                maker);
    }
}

static void make_cell(struct maker *maker, const struct cell *cell, const char *parameters)
{
    make_workload(maker, cell, parameters);
    for (unsigned slot = 0; slot < 2 * cell->pairs || slot == 0; slot++) {
        make_run(maker, cell, slot, "ok", "", 0);
    }
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: make_results DATABASE [UUID [NAME [SCALE]]]\n");
        return STRATA_USAGE;
    }
    struct maker maker = {.scale = argc > 4 ? strtod(argv[4], NULL) : 1};
    require(strata_store_open(argv[1], STRATA_STORE_WRITE, &maker.store, &maker.error), &maker);
    make_campaign(&maker, argc > 2 ? argv[2] : "11111111-1111-4111-8111-111111111111",
                  argc > 3 ? argv[3] : "synthetic");
    make_workload(&maker, &rounds_cell, "{}");
    make_rounds(&maker);
    for (size_t c = 0; c < sizeof(cells) / sizeof(cells[0]); c++) {
        make_cell(&maker, &cells[c], "{}");
    }
    for (size_t c = 0; c < sizeof(in_memory) / sizeof(in_memory[0]); c++) {
        make_cell(&maker, &in_memory[c].cell, in_memory[c].parameters);
    }
    /* A sixth pair of the first cell that no rate may be taken from: 507 is "insufficient
     * storage". */
    make_workload(&maker, &cells[0], "{}");
    make_run(&maker, &cells[0], 2 * PAIRS, "invalid", "read: steal 12 % of the processors", 0);
    make_run(&maker, &cells[0], 2 * PAIRS + 1, "failed", "read: every operation failed", 507);
    strata_store_close(maker.store);
    return STRATA_OK;
}
