/* From <file-types>, <file-sizes>, <time-of-day> and the ladder to cells.
 *
 * Always: a run is one upload and one download of one file for each user, so that the runs are what
 * means over the first 25, 50, … runs are made of. */
#include "layers/user/user.h"

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "common/base/units.h"
#include "layers/user/content.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Files wait in memory for their turn. */
#define MEMORY_MOST_BYTES (UINT64_C(4) << 30)

/* What one cell transfers. */
struct transfer {
    const char *category; /* type or slot */
    const char *type;     /* NULL: the ladder's payload */
    uint64_t file_bytes;
    uint64_t files;
    unsigned users;
    bool ladder;
};

static struct strata_load phase(const char *name, enum strata_operation_kind kind,
                                const struct transfer *transfer)
{
    return (struct strata_load){.phase = name,
                                .jobs = 1,
                                .depth = transfer->users,
                                .mix = {{.kind = kind, .weight = 1}},
                                .mix_count = 1,
                                .bytes = transfer->file_bytes,
                                .operations = transfer->files,
                                .one_pass = true};
}

static char *parameters_of(const struct transfer *transfer)
{
    struct strata_text text = {0};
    strata_text_format(&text, "{\"file_bytes\":%" PRIu64 ",\"files\":%" PRIu64 ",\"users\":%u,",
                       transfer->file_bytes, transfer->files, transfer->users);
    if (transfer->type != NULL) {
        strata_text_format(&text, "\"type\":\"%s\",\"mime\":\"%s\",", transfer->type,
                           strata_content_mime(strata_content_find(transfer->type)));
    }
    strata_text_append(&text, "\"connection\":\"new for each transfer\","
                              "\"data_cache_before_read\":\"unknown\"}");
    return text.bytes;
}

/* About how long a run takes on a store that moves 50 MiB/s: container, transfers, removal. */
static uint64_t expected_ns(const struct transfer *transfer)
{
    uint64_t bytes = 2 * transfer->file_bytes * transfer->files;
    return UINT64_C(150000000) + 20000000 * transfer->files + bytes * 20;
}

static struct strata_cell *add_cell(const struct strata_element *element,
                                    const struct strata_backend *plain,
                                    const struct strata_backend *encrypted,
                                    const struct transfer *transfer, struct strata_cells *cells)
{
    struct strata_cell *cell = strata_cells_add(cells);
    struct strata_workload *workload = &cell->workload;
    cell->plain = plain;
    cell->encrypted = encrypted;
    char size[32];
    strata_units_format_size(transfer->file_bytes, size, sizeof(size));
    snprintf(workload->name, sizeof(workload->name), "%s%s%s %s x %u", element->type->name,
             transfer->category[0] != '\0' ? " " : "", transfer->category, size, transfer->users);
    workload->layer = STRATA_LAYER_USER;
    workload->element = element->type->name;
    workload->source = element;
    workload->object_bytes = transfer->file_bytes;
    workload->concurrency = transfer->users;
    workload->category = transfer->category;
    workload->parameters = parameters_of(transfer);
    workload->phases = strata_memory_new(2, sizeof(*workload->phases));
    workload->phase_count = 2;
    workload->phases[0] =
        phase(transfer->ladder ? "write" : "upload", STRATA_OPERATION_PUT, transfer);
    workload->phases[1] =
        phase(transfer->ladder ? "read" : "download", STRATA_OPERATION_GET, transfer);
    workload->expected_ns = expected_ns(transfer);
    if (transfer->ladder) {
        snprintf(workload->match_key, sizeof(workload->match_key), "%" PRIu64 " B x %u",
                 transfer->file_bytes, transfer->users);
    }
    return cell;
}

static enum strata_status check_memory(const struct transfer *transfer, struct strata_error *error)
{
    if (transfer->file_bytes <= MEMORY_MOST_BYTES / transfer->files) {
        return STRATA_OK;
    }
    char size[32];
    strata_units_format_size(transfer->file_bytes, size, sizeof(size));
    return strata_error_set(error, STRATA_USAGE,
                            "concurrency: %u files of %s do not fit into 4 GiB of memory",
                            transfer->users, size);
}

/* <file-types> and <file-sizes>: every type times every size. */
static enum strata_status expand_files(const struct strata_element *element,
                                       const char *size_option, const struct strata_backend *plain,
                                       const struct strata_backend *encrypted,
                                       struct strata_cells *cells, struct strata_error *error)
{
    const struct strata_setting *types = strata_element_setting(element, "types");
    const struct strata_setting *sizes = strata_element_setting(element, size_option);
    unsigned users = (unsigned)strata_element_number(element, "concurrency");
    for (size_t t = 0; t < types->count; t++) {
        for (size_t s = 0; s < sizes->count; s++) {
            struct transfer transfer = {.category = types->values[t].text,
                                        .type = types->values[t].text,
                                        .file_bytes = sizes->values[s].number,
                                        .files = users,
                                        .users = users};
            if (check_memory(&transfer, error) != STRATA_OK) {
                return error->status;
            }
            add_cell(element, plain, encrypted, &transfer, cells);
        }
    }
    return STRATA_OK;
}

static enum strata_status expand_slots(const struct strata_element *element,
                                       const struct strata_backend *plain,
                                       const struct strata_backend *encrypted,
                                       struct strata_cells *cells, struct strata_error *error)
{
    const struct strata_setting *slots = strata_element_setting(element, "slots");
    uint64_t days = strata_element_number(element, "days");
    unsigned users = (unsigned)strata_element_number(element, "concurrency");
    int64_t now_us = strata_clock_wall_us();
    for (size_t s = 0; s < slots->count; s++) {
        struct transfer transfer = {.category = slots->values[s].text,
                                    .type = strata_element_text(element, "types"),
                                    .file_bytes = strata_element_number(element, "size"),
                                    .files = users,
                                    .users = users};
        if (check_memory(&transfer, error) != STRATA_OK) {
            return error->status;
        }
        for (unsigned day = 0; day < days; day++) {
            struct strata_cell *cell = add_cell(element, plain, encrypted, &transfer, cells);
            cell->round = day;
            cell->not_before_us =
                strata_user_slot_us(now_us, (unsigned)slots->values[s].number, day);
            cell->not_after_us =
                cell->not_before_us + (int64_t)(strata_element_number(element, "late") / 1000);
        }
    }
    return STRATA_OK;
}

static void expand_ladder(const struct strata_element *element, const struct strata_backend *plain,
                          const struct strata_backend *encrypted, struct strata_cells *cells)
{
    const struct strata_setting *sizes = strata_element_setting(element, "sizes");
    const struct strata_setting *users = strata_element_setting(element, "concurrency");
    uint64_t amount = strata_element_number(element, "amount");
    for (size_t s = 0; s < sizes->count; s++) {
        for (size_t u = 0; u < users->count; u++) {
            uint64_t size = sizes->values[s].number;
            uint64_t count = users->values[u].number;
            uint64_t files = amount / size > 4 * count ? amount / size : 4 * count;
            struct transfer transfer = {.category = "",
                                        .file_bytes = size,
                                        .files = files,
                                        .users = (unsigned)count,
                                        .ladder = true};
            add_cell(element, plain, encrypted, &transfer, cells);
        }
    }
}

enum strata_status strata_user_expand(const struct strata_element *element,
                                      const struct strata_backend *plain,
                                      const struct strata_backend *encrypted,
                                      struct strata_cells *cells, struct strata_error *error)
{
    const char *name = element->type->name;
    if (strcmp(name, "ladder") == 0) {
        expand_ladder(element, plain, encrypted, cells);
        return STRATA_OK;
    }
    if (strcmp(name, "time-of-day") == 0) {
        return expand_slots(element, plain, encrypted, cells, error);
    }
    bool types_vary = strcmp(name, "file-types") == 0;
    return expand_files(element, types_vary ? "size" : "sizes", plain, encrypted, cells, error);
}
