/* A table of published rates as runs.
 *
 * Always holds: the rates that the database then gives are the table's, to the last digit. A table
 * has no counts, so nominal ones stand for them: what the rate makes in a nominal 10^6 s, the
 * shortest time in which six decimals are whole. The run's source says so. What is not in the table
 * (depth, latency, time) stays unknown. */
#include "common/base/clock.h"
#include "common/base/csv.h"
#include "common/base/file.h"
#include "common/base/units.h"
#include "common/import/import.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES ((size_t)64 << 20)
#define NOMINAL_NS UINT64_C(1000000000000000)

static const char encrypted_ending[] = ", encrypted";

enum heading {
    DEVICE,
    VOLUME_GB,
    ENCRYPTED,
    ENCRYPTION,
    OPERATION,
    BLOCK_SIZE,
    IOPS,
    MIB_PER_S,
    HEADINGS
};
static const char *const names[HEADINGS] = {"device",    "volume_gb",  "encrypted", "encryption",
                                            "operation", "block_size", "iops",      "mib_per_s"};

struct reading {
    const char *path;
    struct strata_csv csv;
    size_t places[HEADINGS]; /* which field; SIZE_MAX: the table has no such column */
    size_t field_count;
    struct strata_import_set *set;
    struct strata_error *error;
};

static enum strata_status refuse(const struct reading *reading, enum heading heading,
                                 const char *value, const char *expected)
{
    return strata_error_set(reading->error, STRATA_USAGE, "%s: line %u: %s: '%.80s' is not %s",
                            reading->path, reading->csv.line, names[heading], value, expected);
}

/* The field below a heading; "" where there is none. */
static const char *field(const struct reading *reading, enum heading heading)
{
    size_t place = reading->places[heading];
    return place == SIZE_MAX ? "" : reading->csv.fields[place];
}

/* --- the line of headings --- */

static enum strata_status take_heading(struct reading *reading, size_t place)
{
    const char *name = reading->csv.fields[place];
    for (size_t h = 0; h < HEADINGS; h++) {
        if (strcmp(name, names[h]) == 0 && reading->places[h] == SIZE_MAX) {
            reading->places[h] = place;
            return STRATA_OK;
        }
    }
    return strata_error_set(reading->error, STRATA_USAGE,
                            "%s: line %u: heading '%.80s': expected, once each, device, volume_gb, "
                            "encrypted, encryption, operation, block_size, iops, mib_per_s",
                            reading->path, reading->csv.line, name);
}

static enum strata_status read_headings(struct reading *reading)
{
    struct strata_error wrong = {0};
    enum strata_status status = STRATA_OK;
    if (!strata_csv_read(&reading->csv, &wrong)) {
        return strata_error_set(reading->error, STRATA_USAGE, "%s: %s", reading->path,
                                wrong.status != STRATA_OK ? wrong.text : "is empty");
    }
    reading->field_count = reading->csv.field_count;
    for (size_t h = 0; h < HEADINGS; h++) {
        reading->places[h] = SIZE_MAX;
    }
    for (size_t i = 0; i < reading->field_count && status == STRATA_OK; i++) {
        status = take_heading(reading, i);
    }
    if (status == STRATA_OK &&
        (reading->places[OPERATION] == SIZE_MAX || reading->places[BLOCK_SIZE] == SIZE_MAX ||
         (reading->places[IOPS] == SIZE_MAX && reading->places[MIB_PER_S] == SIZE_MAX))) {
        return strata_error_set(
            reading->error, STRATA_USAGE,
            "%s: line %u: needs the headings operation, block_size, and iops or "
            "mib_per_s",
            reading->path, reading->csv.line);
    }
    return status;
}

/* --- one row --- */

/* A rate in millionths; 0 where the table has none. */
static enum strata_status read_rate(const struct reading *reading, enum heading heading,
                                    uint64_t *ret_micro)
{
    struct strata_error inner;
    const char *value = field(reading, heading);
    *ret_micro = 0;
    if (reading->places[heading] == SIZE_MAX) {
        return STRATA_OK;
    }
    char *scaled = strata_text_duplicate_format("%sMB", value);
    bool taken = strata_units_parse_size(scaled, ret_micro, &inner) == STRATA_OK;
    free(scaled);
    uint64_t most_micro = (heading == IOPS ? 1000 : 1) * UINT64_C(4000000000000);
    return taken && *ret_micro > 0 && *ret_micro <= most_micro
               ? STRATA_OK
               : refuse(reading, heading, value,
                        heading == IOPS ? "a rate of at most 6 decimals, above 0, up to 4000000000"
                                        : "a rate of at most 6 decimals, above 0, up to 4000000");
}

static enum strata_status read_encrypted(const struct reading *reading, bool *ret_encrypted)
{
    const char *value = field(reading, ENCRYPTED);
    static const char *const yes[] = {"1", "yes", "true", "encrypted"};
    static const char *const no[] = {"0", "no", "false", "plain", ""};
    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
        if (strcmp(value, yes[i]) == 0) {
            *ret_encrypted = true;
            return STRATA_OK;
        }
    }
    for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++) {
        if (strcmp(value, no[i]) == 0) {
            *ret_encrypted = false;
            return STRATA_OK;
        }
    }
    return refuse(reading, ENCRYPTED, value, "1, yes, true, encrypted, or 0, no, false, plain");
}

static enum strata_status read_operation(const struct reading *reading, const char **ret_operation)
{
    static const char *const known[] = {"read", "write", "randread", "randwrite"};
    const char *value = field(reading, OPERATION);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(value, known[i]) == 0) {
            *ret_operation = known[i];
            return STRATA_OK;
        }
    }
    return refuse(reading, OPERATION, value, "read, write, randread or randwrite");
}

/* "DEVICE", "100 GB", "DEVICE 100 GB"; an encrypted one's name ends with ", encrypted". */
static size_t backend_of(const struct reading *reading, bool encrypted)
{
    const char *device = field(reading, DEVICE);
    const char *volume = field(reading, VOLUME_GB);
    const char *kind = field(reading, ENCRYPTION);
    bool named = device[0] != '\0' || volume[0] != '\0';
    char *name = strata_text_duplicate_format(
        "%s%s%s%s%s", named ? device : "device", device[0] != '\0' && volume[0] != '\0' ? " " : "",
        volume, volume[0] != '\0' ? " GB" : "", encrypted ? encrypted_ending : "");
    size_t index = strata_import_backend(reading->set, name, NULL,
                                         !encrypted        ? NULL
                                         : kind[0] != '\0' ? kind
                                                           : "unknown");
    free(name);
    return index;
}

/* What the table says twice should agree: operations times their size, and bytes. */
static void compare_rates(const struct reading *reading, uint64_t micro_iops, uint64_t micro_mib,
                          uint64_t block_bytes)
{
    double told = (double)micro_mib / 1e6;
    double follows = (double)micro_iops / 1e6 * (double)block_bytes / 1048576;
    if (fabs(follows - told) > 0.01 * told) {
        strata_import_note(reading->set,
                           "%s: line %u: %.6g MiB/s, but its iops times its block_size are %.6g: "
                           "both are stored as they stand",
                           reading->path, reading->csv.line, told, follows);
    }
}

static enum strata_status read_row(const struct reading *reading)
{
    struct strata_error inner;
    const char *operation = NULL;
    bool encrypted = false;
    uint64_t block_bytes = 0;
    uint64_t micro_iops = 0;
    uint64_t micro_mib = 0;
    if (reading->csv.field_count != reading->field_count) {
        return strata_error_set(reading->error, STRATA_USAGE,
                                "%s: line %u: %zu fields, expected %zu as in the headings",
                                reading->path, reading->csv.line, reading->csv.field_count,
                                reading->field_count);
    }
    if (strata_units_parse_size(field(reading, BLOCK_SIZE), &block_bytes, &inner) != STRATA_OK ||
        block_bytes == 0 || block_bytes > UINT64_C(1) << 30) {
        return refuse(reading, BLOCK_SIZE, field(reading, BLOCK_SIZE),
                      "a size such as 4k, 64KiB or 512, up to 1GiB");
    }
    if (read_operation(reading, &operation) != STRATA_OK ||
        read_encrypted(reading, &encrypted) != STRATA_OK ||
        read_rate(reading, IOPS, &micro_iops) != STRATA_OK ||
        read_rate(reading, MIB_PER_S, &micro_mib) != STRATA_OK) {
        return reading->error->status;
    }
    if (micro_mib == 0 && micro_iops > INT64_MAX / block_bytes) {
        return refuse(reading, IOPS, field(reading, IOPS), "possible at this block_size");
    }
    if (micro_iops > 0 && micro_mib > 0) {
        compare_rates(reading, micro_iops, micro_mib, block_bytes);
    }
    char block[32];
    size_t backend = backend_of(reading, encrypted);
    struct strata_import_run *run = strata_import_add_run(reading->set);
    int64_t now_us = strata_clock_wall_us();
    *run = (struct strata_import_run){
        .backend = backend,
        .workload = strata_text_duplicate_format(
            "%s %s", operation, strata_units_format_size(block_bytes, block, sizeof(block))),
        .operation = strata_text_duplicate(operation),
        .block_bytes = block_bytes,
        .parameters = strata_text_duplicate_format(
            "{\"order\":\"%s\",\"published\":true}",
            strncmp(operation, "rand", 4) == 0 ? "random" : "sequential"),
        .source =
            strata_text_duplicate_format("table %s: rates only, counts are nominal", reading->path),
        .began_us = now_us,
        .ended_us = now_us,
        .elapsed_ns = NOMINAL_NS,
        .result_count = 1};
    bool reads = strcmp(operation, "read") == 0 || strcmp(operation, "randread") == 0;
    uint64_t bytes = micro_mib > 0 ? micro_mib << 20 : micro_iops * block_bytes;
    run->results[0] =
        (struct strata_import_result){.operation = reads ? "read" : "write",
                                      .ok = micro_iops > 0 ? micro_iops : bytes / block_bytes,
                                      .bytes = bytes};
    return STRATA_OK;
}

/* The plain one of the same name, where the table has it. */
static void find_twins(struct strata_import_set *set)
{
    for (size_t e = 0; e < set->backend_count; e++) {
        struct strata_import_backend *encrypted = &set->backends[e];
        size_t length = strlen(encrypted->name);
        for (size_t p = 0; p < set->backend_count && encrypted->encryption != NULL; p++) {
            const struct strata_import_backend *plain = &set->backends[p];
            if (plain->encryption == NULL &&
                strlen(plain->name) == length - strlen(encrypted_ending) &&
                strncmp(plain->name, encrypted->name, strlen(plain->name)) == 0) {
                encrypted->twin = p;
            }
        }
    }
}

enum strata_status strata_import_read_table(const char *path, struct strata_import_set *set,
                                            struct strata_error *error)
{
    struct reading reading = {.path = path, .set = set, .error = error};
    struct strata_error wrong = {0};
    char *text = NULL;
    size_t length = 0;
    enum strata_status status = strata_file_read(path, MOST_BYTES, &text, &length, error);
    if (status != STRATA_OK) {
        return status;
    }
    reading.csv.next = text;
    status = read_headings(&reading);
    while (status == STRATA_OK && strata_csv_read(&reading.csv, &wrong)) {
        status = read_row(&reading);
    }
    if (status == STRATA_OK && wrong.status != STRATA_OK) {
        status = strata_error_set(error, STRATA_USAGE, "%s: %s", path, wrong.text);
    }
    if (status == STRATA_OK && set->run_count == 0) {
        status = strata_error_set(error, STRATA_USAGE, "%s: has headings only", path);
    }
    find_twins(set);
    free(text);
    return status;
}
