/* What must hold between the elements of a plan, and what an element must have.
 *
 * Always holds afterwards: required options are there, names are unique, every name that an element
 * refers to is a back end of the right kind, an encrypted twin says how it is encrypted (or the
 * comparison would be of plain with plain), and no sweep multiplies without bound. */
#include "common/plan/plan.h"

#include "common/base/url.h"

#include <string.h>

#define MOST_ELEMENTS     1000  /* of one kind */
#define MOST_COMBINATIONS 10000 /* of the values that one workload sweeps */

/* Put the element's place before the message; what came from the command line has none. */
static enum strata_status at(const struct strata_plan *plan, const struct strata_element *element,
                             struct strata_error *error)
{
    return element->line > 0 ? strata_error_prefix(error, "%s:%d", plan->source, element->line)
                             : error->status;
}

static enum strata_status check_required(const struct strata_element *element,
                                         struct strata_error *error)
{
    for (size_t i = 0; i < element->type->option_count; i++) {
        const struct strata_option *option = &element->type->options[i];
        if (option->required && element->settings[i].count == 0) {
            return strata_error_set(error, STRATA_USAGE, "%s: missing, <%s> needs it (%s)",
                                    option->name, element->type->name, option->help);
        }
    }
    return STRATA_OK;
}

/* The whole text of a plan is stored by each layer, so a secret must not come that far. */
static enum strata_status check_url(const struct strata_element *element,
                                    struct strata_error *error)
{
    for (size_t i = 0; i < element->type->option_count; i++) {
        const char *name = element->type->options[i].name;
        if (strcmp(name, "auth-url") == 0 && element->settings[i].count > 0) {
            return strata_url_check(name, element->settings[i].values[0].text, error);
        }
    }
    return STRATA_OK;
}

static enum strata_status check_sweep(const struct strata_element *element,
                                      struct strata_error *error)
{
    size_t combinations = 1;
    for (size_t i = 0; i < element->type->option_count; i++) {
        bool sweeps = element->settings[i].count > 0 &&
                      strcmp(element->type->options[i].name, "backends") != 0;
        combinations *= sweeps ? element->settings[i].count : 1;
        if (combinations > MOST_COMBINATIONS) {
            return strata_error_set(error, STRATA_USAGE,
                                    "<%s>: its lists make more than %d combinations",
                                    element->type->name, MOST_COMBINATIONS);
        }
    }
    return STRATA_OK;
}

static enum strata_status check_all(const struct strata_plan *plan,
                                    const struct strata_element *elements, size_t count,
                                    struct strata_error *error)
{
    if (count > MOST_ELEMENTS) {
        strata_error_set(error, STRATA_USAGE, "<%s>: more than %d elements of its kind",
                         elements[MOST_ELEMENTS].type->name, MOST_ELEMENTS);
        return at(plan, &elements[MOST_ELEMENTS], error);
    }
    for (size_t i = 0; i < count; i++) {
        if (check_required(&elements[i], error) != STRATA_OK ||
            check_url(&elements[i], error) != STRATA_OK ||
            check_sweep(&elements[i], error) != STRATA_OK) {
            return at(plan, &elements[i], error);
        }
    }
    return STRATA_OK;
}

static enum strata_status check_unique(const struct strata_plan *plan,
                                       const struct strata_element *backend,
                                       struct strata_error *error)
{
    const char *name = strata_element_text(backend, "name");
    const struct strata_element *first = strata_plan_backend(plan, name);
    if (first == backend) {
        return STRATA_OK;
    }
    if (first->line > 0) {
        return strata_error_set(error, STRATA_USAGE,
                                "name: '%.80s' is the name of the back end in line %d already",
                                name, first->line);
    }
    return strata_error_set(error, STRATA_USAGE, "name: two back ends are called '%.80s'", name);
}

static enum strata_status check_twin(const struct strata_plan *plan,
                                     const struct strata_element *backend,
                                     struct strata_error *error)
{
    const char *twin_of = strata_element_find_text(backend, "twin-of");
    if (twin_of == NULL) {
        return STRATA_OK;
    }
    const struct strata_element *plain = strata_plan_backend(plan, twin_of);
    if (plain == NULL) {
        return strata_error_set(error, STRATA_USAGE, "twin-of: no back end is called '%.80s'",
                                twin_of);
    }
    if (plain == backend) {
        return strata_error_set(error, STRATA_USAGE, "twin-of: '%.80s' is this back end itself",
                                twin_of);
    }
    if (plain->type != backend->type) {
        return strata_error_set(error, STRATA_USAGE, "twin-of: '%.80s' is a <%s>, not a <%s>",
                                twin_of, plain->type->name, backend->type->name);
    }
    if (strata_element_find_text(plain, "twin-of") != NULL) {
        return strata_error_set(error, STRATA_USAGE,
                                "twin-of: '%.80s' is a twin itself; expected a plain back end",
                                twin_of);
    }
    const struct strata_setting *encryption = strata_element_setting(backend, "encryption");
    if (strcmp(encryption->values[0].text, "none") == 0) {
        return strata_error_set(error, STRATA_USAGE,
                                "encryption: a twin is encrypted; expected how, one of %s",
                                encryption->option->choices);
    }
    return STRATA_OK;
}

/* One back end is held against many, never along a chain: then each pair of runs has one base. */
static enum strata_status check_versus(const struct strata_plan *plan,
                                       const struct strata_element *backend,
                                       struct strata_error *error)
{
    const char *name = strata_element_find_text(backend, "versus");
    if (name == NULL) {
        return STRATA_OK;
    }
    const struct strata_element *base = strata_plan_backend(plan, name);
    if (base == NULL) {
        return strata_error_set(error, STRATA_USAGE, "versus: no back end is called '%.80s'", name);
    }
    if (base == backend) {
        return strata_error_set(error, STRATA_USAGE, "versus: '%.80s' is this back end itself",
                                name);
    }
    if (base->type != backend->type) {
        return strata_error_set(error, STRATA_USAGE, "versus: '%.80s' is a <%s>, not a <%s>", name,
                                base->type->name, backend->type->name);
    }
    const char *own = strata_element_text(backend, "encryption");
    const char *other = strata_element_text(base, "encryption");
    if (strcmp(own, other) != 0) {
        return strata_error_set(error, STRATA_USAGE,
                                "versus: '%.80s' has encryption %s, this one %s; expected the "
                                "same (a plain one and its encryption are twins: twin-of)",
                                name, other, own);
    }
    const char *its = strata_element_text(base, "versus");
    if (its != NULL) {
        return strata_error_set(error, STRATA_USAGE,
                                "versus: '%.80s' is itself held against '%.80s'; expected one "
                                "that is held against none",
                                name, its);
    }
    return STRATA_OK;
}

/* What is said of a set is said of nothing where there is one device. */
static enum strata_status check_set(const struct strata_element *backend,
                                    struct strata_error *error)
{
    static const char *const options[] = {"arrangement", "chunk"};
    bool device = strcmp(backend->type->name, "device") == 0;
    for (size_t i = 0; device && i < sizeof options / sizeof options[0]; i++) {
        if (strata_element_given(backend, options[i]) && !strata_element_given(backend, "and")) {
            return strata_error_set(error, STRATA_USAGE,
                                    "%s: there is one device only; expected more in `and`",
                                    options[i]);
        }
    }
    if (device && strata_element_number(backend, "chunk") % 512 != 0) {
        return strata_error_set(error, STRATA_USAGE, "chunk: %s is not a multiple of 512 bytes",
                                strata_element_text(backend, "chunk"));
    }
    return STRATA_OK;
}

/* What a back end stands on is measured by a lower layer, so that nothing stands on itself. */
static enum strata_status check_stands_on(const struct strata_plan *plan,
                                          const struct strata_element *backend,
                                          struct strata_error *error)
{
    const char *name = strata_element_find_text(backend, "stands-on");
    if (name == NULL) {
        return STRATA_OK;
    }
    const struct strata_element *below = strata_plan_backend(plan, name);
    if (below == NULL) {
        return strata_error_set(error, STRATA_USAGE, "stands-on: no back end is called '%.80s'",
                                name);
    }
    if (backend->type->layer == STRATA_LAYER_DEVICE) {
        return strata_error_set(error, STRATA_USAGE,
                                "stands-on: '%.80s' cannot be below a <device>, which is the "
                                "lowest layer; expected none",
                                name);
    }
    if (below->type->layer >= backend->type->layer) {
        return strata_error_set(
            error, STRATA_USAGE,
            "stands-on: '%.80s' is a <%s>; a <%s> stands on a back end of a lower layer", name,
            below->type->name, backend->type->name);
    }
    return STRATA_OK;
}

static enum strata_status check_reference(const struct strata_plan *plan, const char *option,
                                          const char *name, const char *type,
                                          struct strata_error *error)
{
    const struct strata_element *backend = strata_plan_backend(plan, name);
    if (backend == NULL) {
        return strata_error_set(error, STRATA_USAGE, "%s: no back end is called '%.80s'", option,
                                name);
    }
    if (strcmp(backend->type->name, type) != 0) {
        return strata_error_set(error, STRATA_USAGE, "%s: '%.80s' is a <%s>, expected a <%s>",
                                option, name, backend->type->name, type);
    }
    const char *twin_of = strata_element_find_text(backend, "twin-of");
    if (twin_of != NULL) {
        return strata_error_set(error, STRATA_USAGE,
                                "%s: '%.80s' is a twin and follows '%.80s'; name that one", option,
                                name, twin_of);
    }
    return STRATA_OK;
}

static bool has_backend(const struct strata_plan *plan, const char *type)
{
    for (size_t i = 0; i < plan->backend_count; i++) {
        if (strcmp(plan->backends[i].type->name, type) == 0) {
            return true;
        }
    }
    return false;
}

/* The null engine needs nothing to run on. */
static bool needs_backend(const struct strata_element *workload)
{
    const char *engine = strata_element_find_text(workload, "engine");
    return engine == NULL || strcmp(engine, "null") != 0;
}

static enum strata_status check_workload(const struct strata_plan *plan,
                                         const struct strata_element *workload,
                                         struct strata_error *error)
{
    const char *type = workload->type->runs_on;
    if (needs_backend(workload) && !has_backend(plan, type)) {
        return strata_error_set(error, STRATA_USAGE, "<%s>: there is no <%s> back end to run it on",
                                workload->type->name, type);
    }
    const struct strata_setting *backends = strata_element_setting(workload, "backends");
    for (size_t i = 0; i < backends->count; i++) {
        enum strata_status status =
            check_reference(plan, "backends", backends->values[i].text, type, error);
        if (status != STRATA_OK) {
            return status;
        }
    }
    return STRATA_OK;
}

static enum strata_status check_ladder(const struct strata_plan *plan,
                                       const struct strata_element *ladder,
                                       struct strata_error *error)
{
    static const char *const types[] = {"device", "filesystem", "swift"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const char *name = strata_element_text(ladder, types[i]);
        if (name != NULL && check_reference(plan, types[i], name, types[i], error) != STRATA_OK) {
            return error->status;
        }
    }
    return STRATA_OK;
}

static enum strata_status check_time_scale(const struct strata_plan *plan,
                                           struct strata_error *error)
{
    if (strata_element_decimal(&plan->campaign, "time-scale") > 0) {
        return STRATA_OK;
    }
    strata_error_set(error, STRATA_USAGE, "time-scale: %s is not above 0",
                     strata_element_text(&plan->campaign, "time-scale"));
    return at(plan, &plan->campaign, error);
}

enum strata_status strata_plan_check(const struct strata_plan *plan, struct strata_error *error)
{
    if (check_all(plan, &plan->campaign, 1, error) != STRATA_OK ||
        check_all(plan, plan->backends, plan->backend_count, error) != STRATA_OK ||
        check_all(plan, plan->workloads, plan->workload_count, error) != STRATA_OK ||
        check_all(plan, plan->ladders, plan->ladder_count, error) != STRATA_OK ||
        check_time_scale(plan, error) != STRATA_OK) {
        return error->status;
    }
    for (size_t i = 0; i < plan->backend_count; i++) {
        if (check_unique(plan, &plan->backends[i], error) != STRATA_OK ||
            check_twin(plan, &plan->backends[i], error) != STRATA_OK ||
            check_versus(plan, &plan->backends[i], error) != STRATA_OK ||
            check_set(&plan->backends[i], error) != STRATA_OK ||
            check_stands_on(plan, &plan->backends[i], error) != STRATA_OK) {
            return at(plan, &plan->backends[i], error);
        }
    }
    for (size_t i = 0; i < plan->workload_count; i++) {
        if (check_workload(plan, &plan->workloads[i], error) != STRATA_OK) {
            return at(plan, &plan->workloads[i], error);
        }
    }
    for (size_t i = 0; i < plan->ladder_count; i++) {
        if (check_ladder(plan, &plan->ladders[i], error) != STRATA_OK) {
            return at(plan, &plan->ladders[i], error);
        }
    }
    return STRATA_OK;
}
