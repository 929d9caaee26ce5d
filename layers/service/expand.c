/* From <transfer> and the ladder to cells: every size at every concurrency.
 *
 * Always: a run uploads its objects, downloads each once and deletes it; the objects suffice for
 * every request in flight to have several turns. */
#include "layers/service/service.h"

#include "common/base/memory.h"
#include "common/base/text.h"
#include "common/base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    OBJECTS_LEAST = 8,
    TURNS_LEAST = 4,  /* of each request in flight */
    TURNS_MOST = 128, /* unless the number of objects is given: small objects take long to move
                         the amount */
    DEPTH_LEAST = 16,
    DEPTH_MOST = 64,
    PHASES = 3
};

/* What one cell transfers. */
struct transfer {
    uint64_t object_bytes;
    uint64_t objects;
    unsigned concurrency;
    unsigned jobs;
    unsigned depth;
};

void strata_service_divide(unsigned concurrency, unsigned *ret_jobs, unsigned *ret_depth)
{
    *ret_jobs = 1;
    if (concurrency > DEPTH_MOST) {
        for (unsigned depth = DEPTH_MOST; depth >= DEPTH_LEAST; depth--) {
            if (concurrency % depth == 0) {
                *ret_jobs = concurrency / depth;
                break;
            }
        }
    }
    *ret_depth = concurrency / *ret_jobs;
}

/* As many objects as the amount holds, enough turns for each request, the last turn full. */
static uint64_t count_objects(uint64_t amount, uint64_t object_bytes, unsigned concurrency)
{
    uint64_t objects = object_bytes > 0 ? amount / object_bytes : 0;
    uint64_t least = (uint64_t)TURNS_LEAST * concurrency;
    uint64_t most = (uint64_t)TURNS_MOST * concurrency;
    objects = objects > least ? objects : least;
    objects = objects < most ? objects : most;
    objects = objects > OBJECTS_LEAST ? objects : OBJECTS_LEAST;
    return (objects + concurrency - 1) / concurrency * concurrency;
}

static struct strata_load phase(const char *name, enum strata_operation_kind kind,
                                const struct transfer *transfer)
{
    return (struct strata_load){.phase = name,
                                .jobs = transfer->jobs,
                                .depth = transfer->depth,
                                .mix = {{.kind = kind, .weight = 1}},
                                .mix_count = 1,
                                .bytes = kind == STRATA_OPERATION_DELETE
                                             ? 0 /* a deletion moves no payload */
                                             : transfer->object_bytes,
                                .operations = transfer->objects,
                                .one_pass = true};
}

static char *parameters_of(const struct transfer *transfer)
{
    return strata_text_duplicate_format(
        "{\"objects\":%" PRIu64 ",\"object_bytes\":%" PRIu64 ",\"jobs\":%u,\"depth\":%u,"
        "\"connection\":\"kept alive\",\"data_cache_before_read\":\"unknown\","
        "\"checked\":\"MD5 and content of each object\"}",
        transfer->objects, transfer->object_bytes, transfer->jobs, transfer->depth);
}

/* About how long a run takes on a small store: 14 ms for an object's three requests, 100 MiB/s. */
static uint64_t expected_ns(const struct transfer *transfer)
{
    return UINT64_C(100000000) + transfer->objects * 14000000 +
           2 * transfer->objects * transfer->object_bytes * 10;
}

static void add_cell(const struct strata_element *element, const struct strata_backend *plain,
                     const struct strata_backend *encrypted, const struct transfer *transfer,
                     struct strata_cells *cells)
{
    bool ladder = strcmp(element->type->name, "ladder") == 0;
    struct strata_cell *cell = strata_cells_add(cells);
    struct strata_workload *workload = &cell->workload;
    cell->plain = plain;
    cell->encrypted = encrypted;
    char size[32];
    strata_units_format_size(transfer->object_bytes, size, sizeof size);
    snprintf(workload->name, sizeof workload->name, "%s %s x %u", element->type->name, size,
             transfer->concurrency);
    workload->layer = STRATA_LAYER_SERVICE;
    workload->element = element->type->name;
    workload->source = element;
    workload->object_bytes = transfer->object_bytes;
    workload->concurrency = transfer->concurrency;
    workload->category = "";
    workload->parameters = parameters_of(transfer);
    workload->phases = strata_memory_new(PHASES, sizeof *workload->phases);
    workload->phase_count = PHASES;
    workload->phases[0] = phase(ladder ? "write" : "upload", STRATA_OPERATION_PUT, transfer);
    workload->phases[1] = phase(ladder ? "read" : "download", STRATA_OPERATION_GET, transfer);
    workload->phases[2] = phase("delete", STRATA_OPERATION_DELETE, transfer);
    workload->expected_ns = expected_ns(transfer);
    if (ladder) {
        snprintf(workload->match_key, sizeof workload->match_key, "%" PRIu64 " B x %u",
                 transfer->object_bytes, transfer->concurrency);
    }
}

enum strata_status strata_service_expand(const struct strata_element *element,
                                         const struct strata_backend *plain,
                                         const struct strata_backend *encrypted,
                                         struct strata_cells *cells, struct strata_error *error)
{
    (void)error;
    const struct strata_setting *sizes = strata_element_setting(element, "sizes");
    const struct strata_setting *users = strata_element_setting(element, "concurrency");
    uint64_t amount = strata_element_number(element, "amount");
    bool ladder = strcmp(element->type->name, "ladder") == 0;
    uint64_t asked = ladder ? 0 : strata_element_number(element, "objects");
    for (size_t s = 0; s < sizes->count; s++) {
        for (size_t u = 0; u < users->count; u++) {
            struct transfer transfer = {.object_bytes = sizes->values[s].number,
                                        .concurrency = (unsigned)users->values[u].number};
            strata_service_divide(transfer.concurrency, &transfer.jobs, &transfer.depth);
            transfer.objects =
                asked > 0 ? asked
                          : count_objects(amount, transfer.object_bytes, transfer.concurrency);
            add_cell(element, plain, encrypted, &transfer, cells);
        }
    }
    return STRATA_OK;
}
