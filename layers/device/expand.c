/* From one workload element of the device layer, or the ladder, to cells.
 *
 * Always holds: a cell's name, parameters and phase say what will really run: the engine is the one
 * that this machine has, and a depth that an engine cannot keep is refused rather than recorded. */
#include "layers/device/device.h"

#include "common/base/memory.h"
#include "common/base/text.h"
#include "common/base/units.h"
#include "layers/device/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define OPENING_NS UINT64_C(50000000) /* about what a run takes beside its load */

/* The default of read-share: a name without a share has this one. */
enum { USUAL_READ_PERCENT = 70 };

/* One point of the sweep. */
struct shape {
    const struct strata_element *element;
    const char *operation;
    const char *engine;
    const char *engine_reason; /* why it is not the one asked for; "" when it is */
    uint64_t block_bytes;
    unsigned depth;
    unsigned jobs;
    unsigned read_percent;
    bool ladder;
    bool rounds; /* until steady */
};

static bool is(const char *text, const char *other)
{
    return strcmp(text, other) == 0;
}

static bool is_polled(const struct shape *shape)
{
    return is(strata_element_text(shape->element, "polled"), "yes");
}

static bool verifies(const struct strata_element *element)
{
    const char *verify = strata_element_find_text(element, "verify");
    return verify != NULL && is(verify, "yes");
}

bool strata_device_verifies(const struct strata_workload *workload)
{
    return verifies(workload->source);
}

/* The sweep's own coordinates, then what differs from the usual. */
static void append_point(const struct shape *shape, const char *block, struct strata_text *name)
{
    const struct strata_element *element = shape->element;
    if (!is(element->type->name, "workload")) {
        strata_text_format(name, "%s ", element->type->name);
    }
    strata_text_append(name, shape->operation);
    if (is(shape->operation, "randrw") && shape->read_percent != USUAL_READ_PERCENT) {
        strata_text_format(name, " %u/%u", shape->read_percent, 100 - shape->read_percent);
    }
    strata_text_format(name, " %s depth %u", block, shape->depth);
    if (shape->jobs > 1) {
        strata_text_format(name, " jobs %u", shape->jobs);
    }
    if (!is(shape->engine, "aio")) {
        strata_text_format(name, " %s", shape->engine);
    }
    if (is_polled(shape)) {
        strata_text_append(name, " polled");
    }
    if (strata_element_number(element, "batch") > 1) {
        strata_text_format(name, " batch %" PRIu64, strata_element_number(element, "batch"));
    }
    if (verifies(element)) {
        strata_text_append(name, " verify");
    }
    if (!shape->rounds && strata_element_decimal(element, "rate") > 0) {
        strata_text_format(name, " at %.6g/s", strata_element_decimal(element, "rate"));
    }
}

static void fill_name(const struct shape *shape, struct strata_workload *workload)
{
    char block[32];
    struct strata_text name = {0};
    strata_units_format_size(shape->block_bytes, block, sizeof(block));
    if (shape->ladder) {
        strata_text_format(&name, "ladder %s %s x %u", shape->operation, block, shape->depth);
    } else {
        append_point(shape, block, &name);
    }
    (void)snprintf(workload->name, sizeof(workload->name), "%s", strata_text_string(&name));
    strata_text_done(&name);
}

static void fill_mix(const struct shape *shape, struct strata_load *load)
{
    bool random = strncmp(shape->operation, "rand", 4) == 0;
    unsigned reads = is(shape->operation, "read") || is(shape->operation, "randread") ? 100 : 0;
    if (is(shape->operation, "randrw")) {
        reads = shape->read_percent;
    }
    load->order = random ? STRATA_ORDER_RANDOM : STRATA_ORDER_SEQUENTIAL;
    if (reads > 0) {
        load->mix[load->mix_count].kind = STRATA_OPERATION_READ;
        load->mix[load->mix_count++].weight = reads;
    }
    if (reads < 100) {
        load->mix[load->mix_count].kind = STRATA_OPERATION_WRITE;
        load->mix[load->mix_count++].weight = 100 - reads;
    }
}

/* The end of a run by operations, bytes or time; by bytes the time ends it only where it is given.
 */
static void fill_end(const struct shape *shape, struct strata_load *load)
{
    const struct strata_element *element = shape->element;
    uint64_t amount = strata_element_number(element, "amount");
    load->operations = strata_element_number(element, "limit");
    if (amount > 0) {
        load->operations = amount / shape->block_bytes + (amount % shape->block_bytes > 0 ? 1 : 0);
        load->duration_ns = strata_element_given(element, "duration") ? load->duration_ns : 0;
    }
}

static uint64_t duration_ns(const struct shape *shape)
{
    return strata_element_number(shape->element, shape->rounds ? "round" : "duration");
}

static void fill_load(const struct shape *shape, struct strata_load *load)
{
    const struct strata_element *element = shape->element;
    *load = (struct strata_load){
        .phase = shape->operation,
        .jobs = shape->jobs,
        .depth = shape->depth,
        .batch = shape->ladder ? 1 : (unsigned)strata_element_number(element, "batch"),
        .bytes = shape->block_bytes,
        .duration_ns = duration_ns(shape)};
    fill_mix(shape, load);
    if (!shape->ladder && !shape->rounds) {
        load->warmup_ns = strata_element_number(element, "warm-up");
        load->rate_per_s = strata_element_decimal(element, "rate");
        fill_end(shape, load);
    }
}

/* Everything that the workload's columns do not hold. The reason is one of our own texts, free of
 * quotes and backslashes. */
static char *parameters(const struct shape *shape, const struct strata_load *load)
{
    struct strata_text json = {0};
    strata_text_format(&json, "{\"engine\":\"%s\"", shape->engine);
    if (shape->engine_reason[0] != '\0') {
        strata_text_format(&json, ",\"engine_asked\":\"%s\",\"engine_reason\":\"%s\"",
                           strata_element_text(shape->element, "engine"), shape->engine_reason);
    }
    strata_text_format(&json, ",\"order\":\"%s\",\"jobs\":%u,\"depth\":%u",
                       load->order == STRATA_ORDER_RANDOM ? "random" : "sequential", shape->jobs,
                       shape->depth);
    if (is(shape->operation, "randrw")) {
        strata_text_format(&json, ",\"read_percent\":%u", shape->read_percent);
    }
    if (load->batch > 1) {
        strata_text_format(&json, ",\"batch\":%u", load->batch);
    }
    if (!shape->ladder && is_polled(shape)) {
        strata_text_format(&json, ",\"polled\":true");
    }
    if (verifies(shape->element)) {
        strata_text_format(&json, ",\"verify\":true");
    }
    if (!shape->ladder && !shape->rounds && strata_element_given(shape->element, "amount")) {
        strata_text_format(&json, ",\"amount_bytes\":%" PRIu64,
                           strata_element_number(shape->element, "amount"));
    } else if (load->operations > 0) {
        strata_text_format(&json, ",\"limit\":%" PRIu64, load->operations);
    }
    strata_text_format(&json, ",\"warm_up_ns\":%" PRIu64 ",\"duration_ns\":%" PRIu64 "}",
                       load->warmup_ns, load->duration_ns);
    return json.bytes;
}

static void add_cell(const struct shape *shape, const struct strata_backend *plain,
                     const struct strata_backend *encrypted, struct strata_cells *cells)
{
    struct strata_cell *cell = strata_cells_add(cells);
    cell->plain = plain;
    cell->encrypted = encrypted;
    struct strata_workload *workload = &cell->workload;
    workload->source = shape->element;
    workload->overwrites = verifies(shape->element);
    workload->layer = STRATA_LAYER_DEVICE;
    workload->element = shape->element->type->name;
    workload->block_bytes = shape->block_bytes;
    workload->object_bytes = shape->block_bytes;
    workload->concurrency = shape->jobs * shape->depth;
    workload->category = "";
    fill_name(shape, workload);
    if (shape->ladder) {
        (void)snprintf(workload->match_key, sizeof(workload->match_key), "%" PRIu64 " B x %u",
                       shape->block_bytes, shape->depth);
    }
    workload->phases = strata_memory_new(1, sizeof(*workload->phases));
    workload->phase_count = 1;
    fill_load(shape, &workload->phases[0]);
    workload->parameters = parameters(shape, &workload->phases[0]);
    /* Nobody knows how long an amount takes: as long as a run by time, for want of better. */
    workload->expected_ns = workload->phases[0].warmup_ns + duration_ns(shape) + OPENING_NS;
    if (shape->rounds) {
        strata_device_add_rounds(workload);
    }
}

static enum strata_status expand_ladder(const struct strata_element *element,
                                        const struct strata_backend *plain,
                                        const struct strata_backend *encrypted,
                                        struct strata_cells *cells)
{
    static const char *const operations[] = {"write", "read"};
    const struct strata_setting *sizes = strata_element_setting(element, "sizes");
    const struct strata_setting *concurrency = strata_element_setting(element, "concurrency");
    for (size_t s = 0; s < sizes->count; s++) {
        for (size_t c = 0; c < concurrency->count; c++) {
            for (size_t o = 0; o < 2; o++) {
                struct shape shape = {.element = element,
                                      .operation = operations[o],
                                      .engine = "aio",
                                      .engine_reason = "",
                                      .block_bytes = sizes->values[s].number,
                                      .depth = (unsigned)concurrency->values[c].number,
                                      .jobs = 1,
                                      .ladder = true};
                add_cell(&shape, plain, encrypted, cells);
            }
        }
    }
    return STRATA_OK;
}

/* The share of reads in whole hundredths, as the deck of operations needs it. */
static enum strata_status read_percent(const struct strata_value *share, unsigned *ret_percent,
                                       struct strata_error *error)
{
    double percent = 100 * share->decimal;
    if (fabs(percent - round(percent)) > 1e-6) {
        return strata_error_set(error, STRATA_USAGE, "read-share: %s is not a whole percentage",
                                share->text);
    }
    *ret_percent = (unsigned)lround(percent);
    return STRATA_OK;
}

/* A run ends by operations or by bytes. */
static enum strata_status check_end(const struct strata_element *element,
                                    struct strata_error *error)
{
    if (!strata_element_given(element, "amount") || !strata_element_given(element, "limit")) {
        return STRATA_OK;
    }
    return strata_error_set(
        error, STRATA_USAGE, "amount: %s and limit: %s both say where a run ends; give one of them",
        strata_element_text(element, "amount"), strata_element_text(element, "limit"));
}

/* The engine that will run, by the name that the user gave. */
static void resolve_engine(struct shape *shape, char *reason, size_t size)
{
    shape->engine = strata_element_text(shape->element, "engine");
    shape->engine_reason = reason;
    reason[0] = '\0';
    if (is(shape->engine, "uring")) {
        shape->engine =
            strata_block_engine_name(strata_block_engine_resolve(STRATA_BLOCK_URING, reason, size));
    }
}

static enum strata_status check_depth(const struct shape *shape, struct strata_error *error)
{
    if (!is(shape->engine, "sync") || shape->depth == 1) {
        return STRATA_OK;
    }
    return strata_error_set(error, STRATA_USAGE,
                            "depth: %u is above 1, the most that engine sync keeps in flight; use "
                            "engine aio, or more jobs",
                            shape->depth);
}

static enum strata_status check_polled(const struct shape *shape, struct strata_error *error)
{
    const char *asked = strata_element_text(shape->element, "engine");
    if (!is_polled(shape) || is(asked, "uring")) {
        return STRATA_OK;
    }
    return strata_error_set(error, STRATA_USAGE,
                            "polled: engine %s waits for the device; expected engine uring", asked);
}

static enum strata_status check_verify(const struct shape *shape, struct strata_error *error)
{
    if (!verifies(shape->element) || !is(shape->engine, "null")) {
        return STRATA_OK;
    }
    return strata_error_set(error, STRATA_USAGE,
                            "verify: engine null keeps nothing that could be checked; expected "
                            "another engine");
}

/* Sweep depths and jobs; the depth is 1 for the sync engine where none was given. */
static enum strata_status expand_point(struct shape *shape, const struct strata_backend *plain,
                                       const struct strata_backend *encrypted,
                                       struct strata_cells *cells, struct strata_error *error)
{
    const struct strata_setting *depths = strata_element_setting(shape->element, "depth");
    const struct strata_setting *jobs = strata_element_setting(shape->element, "jobs");
    bool one = is(shape->engine, "sync") && !depths->given;
    for (size_t d = 0; d < (one ? 1 : depths->count); d++) {
        shape->depth = one ? 1 : (unsigned)depths->values[d].number;
        enum strata_status status = check_depth(shape, error);
        if (status != STRATA_OK) {
            return status;
        }
        for (size_t j = 0; j < jobs->count; j++) {
            shape->jobs = (unsigned)jobs->values[j].number;
            add_cell(shape, plain, encrypted, cells);
        }
    }
    return STRATA_OK;
}

/* Only randrw has a share to sweep. */
static enum strata_status expand_shares(struct shape *shape, const struct strata_backend *plain,
                                        const struct strata_backend *encrypted,
                                        struct strata_cells *cells, struct strata_error *error)
{
    const struct strata_setting *shares = strata_element_setting(shape->element, "read-share");
    size_t count = is(shape->operation, "randrw") ? shares->count : 1;
    enum strata_status status = STRATA_OK;
    for (size_t s = 0; s < count && status == STRATA_OK; s++) {
        status = read_percent(&shares->values[s], &shape->read_percent, error);
        if (status == STRATA_OK) {
            status = expand_point(shape, plain, encrypted, cells, error);
        }
    }
    return status;
}

static enum strata_status expand_workload(const struct strata_element *element,
                                          const struct strata_backend *plain,
                                          const struct strata_backend *encrypted,
                                          struct strata_cells *cells, struct strata_error *error)
{
    char reason[160];
    struct shape shape = {.element = element, .rounds = is(element->type->name, "steady-state")};
    resolve_engine(&shape, reason, sizeof(reason));
    enum strata_status status = check_polled(&shape, error);
    if (status == STRATA_OK) {
        status = check_verify(&shape, error);
    }
    if (status == STRATA_OK) {
        status =
            shape.rounds ? strata_device_check_rounds(element, error) : check_end(element, error);
    }
    const struct strata_setting *operations = strata_element_setting(element, "operations");
    const struct strata_setting *blocks = strata_element_setting(element, "block-size");
    for (size_t b = 0; status == STRATA_OK && b < blocks->count; b++) {
        shape.block_bytes = blocks->values[b].number;
        for (size_t o = 0; status == STRATA_OK && o < operations->count; o++) {
            shape.operation = operations->values[o].text;
            status = expand_shares(&shape, plain, encrypted, cells, error);
        }
    }
    return status;
}

enum strata_status strata_device_expand(const struct strata_element *element,
                                        const struct strata_backend *plain,
                                        const struct strata_backend *encrypted,
                                        struct strata_cells *cells, struct strata_error *error)
{
    if (element->type->role == STRATA_ROLE_LADDER) {
        return expand_ladder(element, plain, encrypted, cells);
    }
    if (strata_device_in_memory(element)) {
        return strata_device_memory_expand(element, plain, cells, error);
    }
    return expand_workload(element, plain, encrypted, cells, error);
}
