/* From <volumes> elements to cells and to an open target.
 *
 * Always holds: both sides of a comparison have the same driver, size and times; a cell's
 * parameters say what decides its times: the driver, the pause between two checks, how LUKS derives
 * its keys, and whether an attached volume is really opened. */
#include "layers/device/volumes.h"

#include "common/base/json.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "common/base/units.h"
#include "common/host/loop.h"
#include "common/target/volumes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LUKS_LEAST_BYTES (UINT64_C(32) << 20) /* its header alone takes 16 MiB */

/* Roughly, for the time left only: one step of a volume. */
#define LOOP_STEP_NS    UINT64_C(50000000)
#define COMMAND_STEP_NS UINT64_C(5000000000)

/* By the steps in their order: the options that hold the step's command line and its check. */
static const struct {
    const char *name;
    const char *check;
} steps[STRATA_VOLUME_STEPS] = {
    {"create", "ready"}, {"attach", "attached"}, {"detach", "detached"}, {"delete", "gone"}};

static bool is(const char *text, const char *other)
{
    return strcmp(text, other) == 0;
}

bool strata_device_is_volumes(const struct strata_backend *backend)
{
    return is(backend->element->type->name, "volumes");
}

/* The element that says this option of a back end: its own, or that of its plain one. */
static const struct strata_element *sayer(const struct strata_backend *backend, const char *option)
{
    bool plain_says = backend->twin != NULL && !strata_element_given(backend->element, option);
    return plain_says ? backend->twin->element : backend->element;
}

static const char *text_of(const struct strata_backend *backend, const char *option)
{
    return strata_element_text(sayer(backend, option), option);
}

static uint64_t number_of(const struct strata_backend *backend, const char *option)
{
    return strata_element_number(sayer(backend, option), option);
}

static bool is_loop(const struct strata_backend *backend)
{
    return is(text_of(backend, "driver"), "loop");
}

static bool is_luks(const struct strata_backend *backend)
{
    return is(backend->encryption, "luks");
}

/* --- is what the back end says enough? --- */

static bool is_asked(const struct strata_element *element, const char *step)
{
    const struct strata_setting *asked = strata_element_setting(element, "steps");
    for (size_t i = 0; i < asked->count; i++) {
        if (is(asked->values[i].text, step)) {
            return true;
        }
    }
    return false;
}

static enum strata_status check_steps(const struct strata_element *element,
                                      struct strata_error *error)
{
    static const char *const needs[][2] = {
        {"attach", "create"}, {"detach", "attach"}, {"delete", "create"}};
    for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
        if (is_asked(element, needs[i][0]) && !is_asked(element, needs[i][1])) {
            return strata_error_set(error, STRATA_USAGE, "steps: %s needs %s before it",
                                    needs[i][0], needs[i][1]);
        }
    }
    return STRATA_OK;
}

static enum strata_status check_loop(const struct strata_backend *backend,
                                     struct strata_error *error)
{
    char size[32];
    if (strata_element_text(backend->element, "path") == NULL) {
        return strata_error_set(error, STRATA_USAGE,
                                "path: missing; driver loop needs a directory (--plain DIRECTORY)");
    }
    if (is(backend->encryption, "provider")) {
        return strata_error_set(error, STRATA_USAGE,
                                "encryption: provider is for driver command; driver loop has luks");
    }
    if (is_luks(backend) && number_of(backend, "size") < LUKS_LEAST_BYTES) {
        return strata_error_set(
            error, STRATA_USAGE, "size: %s is below 32MiB, the least for a volume with LUKS",
            strata_units_format_size(number_of(backend, "size"), size, sizeof(size)));
    }
    return STRATA_OK;
}

/* One command line: is it there where it is needed, and are its placeholders known? */
static enum strata_status check_line(const struct strata_backend *backend, const char *option,
                                     bool needed, unsigned count, struct strata_error *error)
{
    const char *line = text_of(backend, option);
    const char *wrong;
    bool device;
    if (line == NULL) {
        return !needed
                   ? STRATA_OK
                   : strata_error_set(error, STRATA_USAGE,
                                      "%s: missing; driver command needs its command line", option);
    }
    size_t length = strata_volume_command_check(line, &wrong, &device);
    if (length > 0) {
        return strata_error_set(error, STRATA_USAGE,
                                "%s: %.*s is none of {name}, {number}, {size}, {size_gib}, "
                                "{encrypted}, {id}, {device}",
                                option, (int)length, wrong);
    }
    size_t devices = strata_element_setting(sayer(backend, "devices"), "devices")->count;
    if (device && devices < count) {
        return strata_error_set(error, STRATA_USAGE,
                                "devices: %zu for %u volumes, expected one for each, since %s asks "
                                "for {device}",
                                devices, count, option);
    }
    return STRATA_OK;
}

/* What is made is always removed, so that create needs delete and attach needs detach. */
static enum strata_status check_command(const struct strata_element *element,
                                        const struct strata_backend *backend,
                                        struct strata_error *error)
{
    unsigned count = (unsigned)strata_element_number(element, "count");
    enum strata_status status = STRATA_OK;
    for (int i = 0; i < STRATA_VOLUME_STEPS && status == STRATA_OK; i++) {
        bool attachment = i == 1 || i == 2;
        bool needed = !attachment || is_asked(element, "attach");
        status = check_line(backend, steps[i].name, needed, count, error);
        if (status == STRATA_OK) {
            status = check_line(backend, steps[i].check, false, count, error);
        }
    }
    return status;
}

static enum strata_status check_backend(const struct strata_element *element,
                                        const struct strata_backend *backend,
                                        struct strata_error *error)
{
    enum strata_status status =
        is_loop(backend) ? check_loop(backend, error) : check_command(element, backend, error);
    return status == STRATA_OK ? STRATA_OK : strata_error_prefix(error, "%s", backend->name);
}

static enum strata_status check_alike(const struct strata_backend *plain,
                                      const struct strata_backend *encrypted,
                                      struct strata_error *error)
{
    static const char *const options[] = {"driver", "size", "timeout", "poll"};
    for (size_t i = 0; encrypted != NULL && i < sizeof(options) / sizeof(options[0]); i++) {
        if (number_of(plain, options[i]) != number_of(encrypted, options[i])) {
            return strata_error_set(error, STRATA_USAGE,
                                    "%s: %s of %s is not %s of %s, so that they cannot be compared",
                                    options[i], text_of(encrypted, options[i]), encrypted->name,
                                    text_of(plain, options[i]), plain->name);
        }
    }
    return STRATA_OK;
}

/* --- cells --- */

static unsigned jobs_for(uint64_t count, uint64_t concurrency)
{
    return (unsigned)(concurrency < count ? concurrency : count);
}

static void add_phases(struct strata_workload *workload, const struct strata_element *element)
{
    workload->phases = strata_memory_new(STRATA_VOLUME_STEPS, sizeof(*workload->phases));
    for (int i = 0; i < STRATA_VOLUME_STEPS; i++) {
        if (is_asked(element, steps[i].name)) {
            workload->phases[workload->phase_count++] =
                (struct strata_load){.phase = steps[i].name,
                                     .jobs = workload->concurrency,
                                     .depth = 1,
                                     .mix = {{.kind = strata_volume_steps[i], .weight = 1}},
                                     .mix_count = 1,
                                     .order = STRATA_ORDER_SEQUENTIAL,
                                     .one_pass = true};
        }
    }
}

static void append_luks(struct strata_text *json, const struct strata_backend *backend)
{
    bool fast = is(text_of(backend, "pbkdf"), "fast");
    strata_json_name(json, "luks");
    strata_text_append(json, "{");
    strata_json_name(json, "cipher");
    strata_json_string(json, text_of(backend, "cipher"));
    strata_json_name(json, "key_bits");
    strata_text_format(json, "%" PRIu64, number_of(backend, "key-size"));
    strata_json_name(json, "pbkdf");
    strata_json_string(json, fast ? "pbkdf2, 1000 iterations" : text_of(backend, "pbkdf"));
    strata_json_name(json, "attach");
    strata_json_string(json, strata_volume_loop_opens()
                                 ? "loop device, opened"
                                 : "loop device; no device mapper: formatted, not opened");
    strata_text_append(json, "}");
}

/* Everything that the workload's columns do not hold. */
static char *describe_parameters(const struct strata_element *element,
                                 const struct strata_backend *plain,
                                 const struct strata_backend *encrypted)
{
    struct strata_text json = {0};
    bool loop = is_loop(plain);
    strata_text_append(&json, "{");
    strata_json_name(&json, "driver");
    strata_json_string(&json, loop ? "loop" : "command");
    strata_json_name(&json, "count");
    strata_text_format(&json, "%" PRIu64, strata_element_number(element, "count"));
    strata_json_name(&json, "volume_bytes");
    strata_text_format(&json, "%" PRIu64, number_of(plain, "size"));
    strata_json_name(&json, "timeout_ns");
    strata_text_format(&json, "%" PRIu64, number_of(plain, "timeout"));
    if (!loop) {
        strata_json_name(&json, "poll_ns");
        strata_text_format(&json, "%" PRIu64, number_of(plain, "poll"));
    }
    const struct strata_backend *sides[] = {plain, encrypted};
    for (int i = 0; loop && i < 2; i++) {
        if (sides[i] != NULL && is_luks(sides[i])) {
            append_luks(&json, sides[i]);
        }
    }
    strata_text_append(&json, "}");
    return json.bytes;
}

static void add_cell(const struct strata_element *element, unsigned concurrency,
                     const struct strata_backend *plain, const struct strata_backend *encrypted,
                     struct strata_cells *cells)
{
    struct strata_cell *cell = strata_cells_add(cells);
    struct strata_workload *workload = &cell->workload;
    uint64_t count = strata_element_number(element, "count");
    char size[32];
    cell->plain = plain;
    cell->encrypted = encrypted;
    cell->repetitions = (unsigned)strata_element_number(element, "groups"); /* 0: the usual */
    workload->layer = STRATA_LAYER_DEVICE;
    workload->element = element->type->name;
    workload->concurrency = jobs_for(count, concurrency);
    workload->category = "";
    workload->source = element;
    workload->parameters = describe_parameters(element, plain, encrypted);
    add_phases(workload, element);
    size_t used = (size_t)snprintf(
        workload->name, sizeof(workload->name), "volumes %s %" PRIu64 " of %s, %u at a time",
        text_of(plain, "driver"), count,
        strata_units_format_size(number_of(plain, "size"), size, sizeof(size)),
        workload->concurrency);
    if (workload->phase_count < STRATA_VOLUME_STEPS) {
        (void)snprintf(workload->name + used, sizeof(workload->name) - used, ", to %s",
                       workload->phases[workload->phase_count - 1].phase);
    }
    uint64_t step_ns = is_loop(plain) ? LOOP_STEP_NS : COMMAND_STEP_NS;
    workload->expected_ns = workload->phase_count * step_ns *
                            ((count + workload->concurrency - 1) / workload->concurrency);
}

enum strata_status strata_device_volumes_expand(const struct strata_element *element,
                                                const struct strata_backend *plain,
                                                const struct strata_backend *encrypted,
                                                struct strata_cells *cells,
                                                struct strata_error *error)
{
    enum strata_status status = check_steps(element, error);
    if (status == STRATA_OK) {
        status = check_backend(element, plain, error);
    }
    if (status == STRATA_OK && encrypted != NULL) {
        status = check_backend(element, encrypted, error);
    }
    if (status == STRATA_OK) {
        status = check_alike(plain, encrypted, error);
    }
    const struct strata_setting *concurrency = strata_element_setting(element, "concurrency");
    for (size_t c = 0; status == STRATA_OK && c < concurrency->count; c++) {
        add_cell(element, (unsigned)concurrency->values[c].number, plain, encrypted, cells);
    }
    return status;
}

/* --- the target --- */

static enum strata_status open_loop(const struct strata_backend *backend, unsigned count,
                                    const char *run_uuid, struct strata_volume_driver **ret_driver,
                                    struct strata_error *error)
{
    const struct strata_volume_loop_options options = {
        .path = strata_element_text(backend->element, "path"),
        .run_uuid = run_uuid,
        .count = count,
        .size_bytes = number_of(backend, "size"),
        .timeout_ns = number_of(backend, "timeout"),
        .luks = is_luks(backend),
        .cipher = text_of(backend, "cipher"),
        .key_bits = (unsigned)number_of(backend, "key-size"),
        .pbkdf = text_of(backend, "pbkdf")};
    return strata_volume_loop_open(&options, ret_driver, error);
}

static enum strata_status open_command(const struct strata_backend *backend, unsigned count,
                                       struct strata_volume_driver **ret_driver,
                                       struct strata_error *error)
{
    const struct strata_setting *words =
        strata_element_setting(sayer(backend, "devices"), "devices");
    struct strata_volume_command_options options = {.count = count,
                                                    .size_bytes = number_of(backend, "size"),
                                                    .encrypted = backend->encrypted,
                                                    .timeout_ns = number_of(backend, "timeout"),
                                                    .poll_ns = number_of(backend, "poll")};
    for (int i = 0; i < STRATA_VOLUME_STEPS; i++) {
        options.lines[i] = text_of(backend, steps[i].name);
        options.checks[i] = text_of(backend, steps[i].check);
    }
    const char **devices = strata_memory_new(words->count + 1, sizeof(*devices));
    for (size_t i = 0; i < words->count; i++) {
        devices[i] = words->values[i].text;
    }
    options.devices = words->count >= count ? devices : NULL; /* else no line asks for one */
    enum strata_status status = strata_volume_command_open(&options, ret_driver, error);
    free(devices);
    return status;
}

enum strata_status strata_device_volumes_target(const struct strata_backend *backend,
                                                unsigned count, unsigned jobs, const char *run_uuid,
                                                struct strata_target **ret_target,
                                                struct strata_error *error)
{
    const struct strata_volumes_options options = {
        .run_uuid = run_uuid, .count = count, .jobs = jobs};
    struct strata_volume_driver *driver;
    enum strata_status status = is_loop(backend)
                                    ? open_loop(backend, count, run_uuid, &driver, error)
                                    : open_command(backend, count, &driver, error);
    return status == STRATA_OK ? strata_volumes_open(&options, driver, ret_target, error) : status;
}

enum strata_status strata_device_volumes_open(const struct strata_run_context *context,
                                              struct strata_target **ret_target,
                                              struct strata_error *error)
{
    const struct strata_element *element = context->workload->source;
    int code =
        is_loop(context->backend) && is_asked(element, "attach") ? strata_loop_available() : 0;
    if (code != 0) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "no loop device can be had to attach volumes: /dev/loop-control: "
                                "%s",
                                strerrordesc_np(code));
    }
    return strata_device_volumes_target(
        context->backend, (unsigned)strata_element_number(element, "count"),
        context->workload->concurrency, context->run_uuid, ret_target, error);
}

void strata_device_volumes_findings(const struct strata_target *target,
                                    struct strata_run_context *context)
{
    strata_volumes_describe_failures(target, context->details, sizeof(context->details));
}
