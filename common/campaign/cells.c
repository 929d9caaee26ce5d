/* The cross product of workloads and back ends.
 *
 * Always: a cell owns its workload's memory; plain and encrypted twins of one workload are one
 * cell, so that their runs can be interleaved. What a workload's phases are is left to its layer.
 */
#include "common/campaign/cells.h"

#include "common/base/memory.h"
#include "common/base/text.h"

#include <stdlib.h>
#include <string.h>

struct strata_cell *strata_cells_add(struct strata_cells *cells)
{
    strata_memory_grow((void **)&cells->items, &cells->capacity, cells->count + 1,
                       sizeof(*cells->items));
    struct strata_cell *cell = &cells->items[cells->count++];
    *cell = (struct strata_cell){0};
    return cell;
}

void strata_cells_done(struct strata_cells *cells)
{
    for (size_t i = 0; i < cells->count; i++) {
        free(cells->items[i].workload.parameters);
        free(cells->items[i].workload.phases);
    }
    free(cells->items);
    *cells = (struct strata_cells){0};
}

unsigned strata_cell_runs(const struct strata_cell *cell)
{
    return cell->encrypted != NULL ? 2 * cell->repetitions : cell->repetitions;
}

uint64_t strata_cells_runs(const struct strata_cells *cells)
{
    uint64_t runs = 0;
    for (size_t i = 0; i < cells->count; i++) {
        runs += strata_cell_runs(&cells->items[i]);
    }
    return runs;
}

uint64_t strata_cells_expected_ns(const struct strata_cells *cells)
{
    uint64_t expected_ns = 0;
    for (size_t i = 0; i < cells->count; i++) {
        expected_ns += strata_cell_runs(&cells->items[i]) * cells->items[i].workload.expected_ns;
    }
    return expected_ns;
}

/* What leaves a back end as it is. */
static const unsigned reading_kinds =
    1U << STRATA_OPERATION_READ | 1U << STRATA_OPERATION_STAT | 1U << STRATA_OPERATION_GET |
    1U << STRATA_OPERATION_READDIR | 1U << STRATA_OPERATION_ENCRYPT |
    1U << STRATA_OPERATION_DECRYPT | 1U << STRATA_OPERATION_DERIVE;

bool strata_workload_writes(const struct strata_workload *workload)
{
    if (workload->overwrites) {
        return true;
    }
    for (size_t p = 0; p < workload->phase_count; p++) {
        for (unsigned m = 0; m < workload->phases[p].mix_count; m++) {
            enum strata_operation_kind kind = workload->phases[p].mix[m].kind;
            if ((reading_kinds & 1U << kind) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* Repetitions of the element, else the campaign's pairs. */
static unsigned repetitions_of(const struct strata_element *element, const struct strata_plan *plan)
{
    uint64_t own = strata_element_number(element, "repetitions");
    return (unsigned)(own > 0 ? own : strata_element_number(&plan->campaign, "pairs"));
}

/* A workload whose times were scaled is another one: it never meets the full one in a comparison.
 */
static void mark_scaled(struct strata_workload *workload, const struct strata_plan *plan)
{
    double scale = strata_element_decimal(&plan->campaign, "time-scale");
    uint64_t timed_ns = 0;
    for (size_t p = 0; p < workload->phase_count; p++) {
        timed_ns += workload->phases[p].duration_ns + workload->phases[p].warmup_ns;
    }
    size_t length = strlen(workload->parameters);
    if (timed_ns > 0 && (scale < 1 || scale > 1)) {
        char *marked = strata_text_duplicate_format("%.*s,\"time_scale\":%.15g}", (int)length - 1,
                                                    workload->parameters, scale);
        free(workload->parameters);
        workload->parameters = marked;
    }
}

/* Expand one element on one back end and a second one, or on it alone (NULL). */
static enum strata_status expand_on(const struct strata_layer *layer,
                                    const struct strata_plan *plan,
                                    const struct strata_element *element,
                                    const struct strata_backend *first_side,
                                    const struct strata_backend *second_side,
                                    struct strata_cells *cells, struct strata_error *error)
{
    size_t first = cells->count;
    enum strata_status status = layer->expand(element, first_side, second_side, cells, error);
    for (size_t i = first; i < cells->count; i++) {
        struct strata_cell *cell = &cells->items[i];
        cell->repetitions =
            cell->repetitions > 0 ? cell->repetitions : repetitions_of(element, plan);
        cell->workload.seed = strata_element_number(&plan->campaign, "seed");
        mark_scaled(&cell->workload, plan);
    }
    if (status != STRATA_OK && element->line > 0) {
        strata_error_prefix(error, "%s:%d", plan->source, element->line);
    }
    return status;
}

/* On one plain back end and each of its twins, or alone where it has none and is `needed` so. */
static enum strata_status expand_on_twins(const struct strata_layer *layer,
                                          const struct strata_plan *plan,
                                          const struct strata_element *element,
                                          const struct strata_backends *backends,
                                          const struct strata_backend *plain, bool needed,
                                          struct strata_cells *cells, struct strata_error *error)
{
    bool alone = true;
    enum strata_status status = STRATA_OK;
    for (size_t i = 0; i < backends->count && status == STRATA_OK; i++) {
        const struct strata_backend *twin = &backends->items[i];
        if (twin->name != NULL && twin->twin == plain) {
            alone = false;
            status = expand_on(layer, plan, element, plain, twin, cells, error);
        }
    }
    return status == STRATA_OK && alone && needed
               ? expand_on(layer, plan, element, plain, NULL, cells, error)
               : status;
}

/* Whether the workload runs on back ends of this kind and names this one, or none and so all. */
static bool takes(const struct strata_element *element, const struct strata_backend *plain)
{
    if (strcmp(plain->element->type->name, element->type->runs_on) != 0) {
        return false;
    }
    const struct strata_setting *names = strata_element_setting(element, "backends");
    for (size_t i = 0; i < names->count; i++) {
        if (strcmp(names->values[i].text, plain->name) == 0) {
            return true;
        }
    }
    return names->count == 0;
}

/* A workload names back ends that exist in the plan, are plain, and are of the kind it runs on. */
static enum strata_status check_names(const struct strata_plan *plan,
                                      const struct strata_element *element,
                                      struct strata_error *error)
{
    const struct strata_setting *names = strata_element_setting(element, "backends");
    for (size_t i = 0; i < names->count; i++) {
        const struct strata_element *backend = strata_plan_backend(plan, names->values[i].text);
        if (backend == NULL || strcmp(backend->type->name, element->type->runs_on) != 0 ||
            strata_element_find_text(backend, "twin-of") != NULL) {
            return strata_error_set(
                error, STRATA_USAGE,
                "%s:%d: backends: \"%s\" is not a plain <%s>, which <%s> runs on", plan->source,
                element->line, names->values[i].text, element->type->runs_on, element->type->name);
        }
    }
    return STRATA_OK;
}

static bool has_twin(const struct strata_backends *backends, const struct strata_backend *plain)
{
    for (size_t i = 0; i < backends->count; i++) {
        if (backends->items[i].name != NULL && backends->items[i].twin == plain) {
            return true;
        }
    }
    return false;
}

/* The ladder's plain back end of this layer: the named one, else the first with a twin, else the
 * first; NULL when the layer has none. */
static const struct strata_backend *rung(const struct strata_layer *layer,
                                         const struct strata_element *ladder,
                                         const struct strata_backends *backends)
{
    static const char *const option[STRATA_LAYERS] = {"device", "filesystem", "swift", "swift"};
    const char *name = strata_element_text(ladder, option[layer->id]);
    const struct strata_backend *first = NULL;
    for (size_t i = 0; i < backends->count; i++) {
        const struct strata_backend *plain = &backends->items[i];
        if (plain->name == NULL || plain->twin != NULL ||
            strcmp(plain->element->type->name, layer->backend_element) != 0) {
            continue;
        }
        if (name != NULL ? strcmp(plain->name, name) == 0 : has_twin(backends, plain)) {
            return plain;
        }
        first = first == NULL && name == NULL ? plain : first;
    }
    return first;
}

/* The A/A cell repeats the first cell that has a twin, with the plain back end on both sides. */
static void add_control(const struct strata_plan *plan, struct strata_cells *cells)
{
    if (strcmp(strata_element_text(&plan->campaign, "control"), "yes") != 0) {
        return;
    }
    for (size_t i = 0; i < cells->count; i++) {
        if (cells->items[i].encrypted == NULL || cells->items[i].not_before_us != 0) {
            continue;
        }
        struct strata_cell *control = strata_cells_add(cells);
        const struct strata_cell *model = &cells->items[i];
        *control = *model;
        control->control = true;
        control->encrypted = model->plain;
        control->workload.parameters = strata_text_duplicate(model->workload.parameters);
        control->workload.phases =
            strata_memory_new(model->workload.phase_count, sizeof(*model->workload.phases));
        memcpy(control->workload.phases, model->workload.phases,
               model->workload.phase_count * sizeof(*model->workload.phases));
        return;
    }
}

/* Cells with a time of the day go in its order, after those without; equals stay as they are. */
static void sort_by_time(struct strata_cells *cells)
{
    for (size_t i = 1; i < cells->count; i++) {
        struct strata_cell cell = cells->items[i];
        size_t place = i;
        while (place > 0 && cells->items[place - 1].not_before_us > cell.not_before_us) {
            cells->items[place] = cells->items[place - 1];
            place--;
        }
        cells->items[place] = cell;
    }
}

/* Whether the workload runs on both sides of a comparison of back ends; a twin follows its plain
 * one. */
static bool holds(const struct strata_element *element, const struct strata_backend *backend)
{
    const struct strata_backend *base = backend->versus;
    return backend->name != NULL && base != NULL && base->name != NULL &&
           takes(element, backend->twin != NULL ? backend->twin : backend) &&
           takes(element, base->twin != NULL ? base->twin : base);
}

/* Whether it runs on this back end beside another one, so that it need not run there alone. */
static bool is_held(const struct strata_element *element, const struct strata_backends *backends,
                    const struct strata_backend *backend)
{
    for (size_t i = 0; i < backends->count; i++) {
        const struct strata_backend *other = &backends->items[i];
        if ((other == backend || other->versus == backend) && holds(element, other)) {
            return true;
        }
    }
    return false;
}

static enum strata_status expand_workload(const struct strata_layer *layer,
                                          const struct strata_plan *plan,
                                          const struct strata_element *element,
                                          const struct strata_backends *backends,
                                          struct strata_cells *cells, struct strata_error *error)
{
    enum strata_status status = check_names(plan, element, error);
    for (size_t b = 0; b < backends->count && status == STRATA_OK; b++) {
        const struct strata_backend *plain = &backends->items[b];
        if (plain->name != NULL && plain->twin == NULL && takes(element, plain)) {
            bool alone = !is_held(element, backends, plain);
            status = expand_on_twins(layer, plan, element, backends, plain, alone, cells, error);
        }
    }
    for (size_t b = 0; b < backends->count && status == STRATA_OK; b++) {
        const struct strata_backend *backend = &backends->items[b];
        if (holds(element, backend)) {
            status = expand_on(layer, plan, element, backend->versus, backend, cells, error);
        }
    }
    return status;
}

enum strata_status strata_cells_plan(const struct strata_layer *layer,
                                     const struct strata_plan *plan,
                                     const struct strata_backends *backends,
                                     struct strata_cells *cells, struct strata_error *error)
{
    enum strata_status status = STRATA_OK;
    for (size_t w = 0; w < plan->workload_count && status == STRATA_OK; w++) {
        const struct strata_element *element = &plan->workloads[w];
        if (element->type->layer == layer->id) {
            status = expand_workload(layer, plan, element, backends, cells, error);
        }
    }
    for (size_t l = 0; l < plan->ladder_count && status == STRATA_OK; l++) {
        const struct strata_element *ladder = &plan->ladders[l];
        const struct strata_backend *plain = rung(layer, ladder, backends);
        if (plain != NULL) {
            status = expand_on_twins(layer, plan, ladder, backends, plain, true, cells, error);
        }
    }
    if (status == STRATA_OK) {
        add_control(plan, cells);
        sort_by_time(cells);
    }
    return status;
}
