/* The plan in memory: elements with a value for each of their options.
 *
 * Always holds: every element has one setting for each row of its type's table, in that order, with
 * its default until something is given; a value in a plan has passed the table's limits. Between
 * adding and reading nothing changes behind the reader's back. What must hold between elements is
 * in check.c, files are read in xml.c. */
#include "common/plan/plan.h"

#include "common/base/memory.h"
#include "common/base/similar.h"

#include <stdlib.h>
#include <string.h>

#define MOST_VALUES 256 /* of a list: sweeps multiply */

static void free_values(struct strata_setting *setting)
{
    for (size_t i = 0; i < setting->count; i++) {
        free(setting->values[i].text);
    }
    free(setting->values);
    setting->values = NULL;
    setting->count = 0;
}

static bool holds_value(const struct strata_setting *setting, const struct strata_value *value)
{
    for (size_t i = 0; i < setting->count; i++) {
        const struct strata_value *other = &setting->values[i];
        bool text = setting->option->type == STRATA_OPTION_TEXT;
        if (text ? strcmp(other->text, value->text) == 0
                 : other->number == value->number && !(other->decimal < value->decimal) &&
                       !(other->decimal > value->decimal)) {
            return true;
        }
    }
    return false;
}

static enum strata_status add_value(struct strata_setting *setting, size_t *capacity,
                                    const char *text, struct strata_error *error)
{
    const char *name = setting->option->name;
    struct strata_value value;
    enum strata_status status = strata_option_parse(setting->option, text, &value, error);
    if (status != STRATA_OK) {
        return status;
    }
    if (holds_value(setting, &value)) {
        status = strata_error_set(error, STRATA_USAGE, "%s: %.80s is listed twice", name, text);
    } else if (setting->count == MOST_VALUES) {
        status =
            strata_error_set(error, STRATA_USAGE, "%s: more than %d values", name, MOST_VALUES);
    }
    if (status != STRATA_OK) {
        free(value.text);
        return status;
    }
    void *values = setting->values;
    strata_memory_grow(&values, capacity, setting->count + 1, sizeof *setting->values);
    setting->values = values;
    setting->values[setting->count++] = value;
    return STRATA_OK;
}

/* The values of a list stand between blanks or commas. */
static enum strata_status add_list(struct strata_setting *setting, size_t *capacity,
                                   const char *text, struct strata_error *error)
{
    static const char separators[] = " \t\r\n,";
    enum strata_status status = STRATA_OK;
    const char *next = text + strspn(text, separators);
    while (status == STRATA_OK && *next != '\0') {
        size_t length = strcspn(next, separators);
        char *piece = strata_text_duplicate_format("%.*s", (int)length, next);
        status = add_value(setting, capacity, piece, error);
        if (status != STRATA_OK && strcmp(piece, text) != 0) {
            /* "4 KiB" is two items to a list; the user should see why. */
            strata_error_set(error, status, "%s (in '%.80s')", error->text, text);
        }
        free(piece);
        next += length;
        next += strspn(next, separators);
    }
    if (status == STRATA_OK && setting->count == 0) {
        status = strata_error_set(error, STRATA_USAGE, "%s: '%.80s' names no value",
                                  setting->option->name, text);
    }
    return status;
}

/* Replace the setting's values; on an error they stay what they were. */
static enum strata_status assign(struct strata_setting *setting, const char *text,
                                 struct strata_error *error)
{
    struct strata_setting changed = {.option = setting->option};
    size_t capacity = 0;
    enum strata_status status = setting->option->list ? add_list(&changed, &capacity, text, error)
                                                      : add_value(&changed, &capacity, text, error);
    if (status != STRATA_OK) {
        free_values(&changed);
        return status;
    }
    free_values(setting);
    setting->values = changed.values;
    setting->count = changed.count;
    return STRATA_OK;
}

static void element_init(struct strata_element *element, const struct strata_element_type *type)
{
    *element = (struct strata_element){.type = type};
    element->settings = strata_memory_new(type->option_count, sizeof *element->settings);
    for (size_t i = 0; i < type->option_count; i++) {
        struct strata_setting *setting = &element->settings[i];
        setting->option = &type->options[i];
        char *text = strata_option_default(type, setting->option);
        struct strata_error error;
        if (text != NULL && assign(setting, text, &error) != STRATA_OK) {
            abort(); /* a row of elements.c contradicts itself; tests/unit/plan.c adds every type */
        }
        free(text);
    }
}

static void element_done(struct strata_element *element)
{
    for (size_t i = 0; i < element->type->option_count; i++) {
        free_values(&element->settings[i]);
    }
    free(element->settings);
}

static struct strata_setting *find_setting(const struct strata_element *element, const char *option)
{
    for (size_t i = 0; i < element->type->option_count; i++) {
        if (strcmp(element->type->options[i].name, option) == 0) {
            return &element->settings[i];
        }
    }
    return NULL;
}

enum strata_status strata_element_set(struct strata_element *element, const char *option,
                                      const char *text, struct strata_error *error)
{
    struct strata_setting *setting = find_setting(element, option);
    if (setting == NULL) {
        return strata_error_set(error, STRATA_USAGE, "no such option: %.80s", option);
    }
    enum strata_status status = assign(setting, text, error);
    setting->given = setting->given || status == STRATA_OK;
    return status;
}

struct strata_plan *strata_plan_new(const char *text)
{
    struct strata_plan *plan = strata_memory_new(1, sizeof *plan);
    plan->source = strata_text_duplicate("command line");
    plan->text = strata_text_duplicate(text);
    element_init(&plan->campaign,
                 strata_element_type_find(STRATA_ROLE_CAMPAIGN, STRATA_LAYER_DEVICE, "campaign"));
    return plan;
}

static struct strata_element *append(struct strata_element **elements, size_t *count,
                                     const struct strata_element_type *type)
{
    void *array = *elements;
    size_t capacity = *count;
    strata_memory_grow(&array, &capacity, *count + 1, sizeof **elements);
    *elements = array;
    struct strata_element *added = &(*elements)[(*count)++];
    element_init(added, type);
    return added;
}

struct strata_element *strata_plan_add(struct strata_plan *plan,
                                       const struct strata_element_type *type)
{
    switch (type->role) {
    case STRATA_ROLE_CAMPAIGN:
        break; /* there is exactly one, from the beginning */
    case STRATA_ROLE_BACKEND:
        return append(&plan->backends, &plan->backend_count, type);
    case STRATA_ROLE_WORKLOAD:
        return append(&plan->workloads, &plan->workload_count, type);
    case STRATA_ROLE_LADDER:
        return append(&plan->ladders, &plan->ladder_count, type);
    }
    return &plan->campaign;
}

static bool has_backend(const struct strata_plan *plan, const struct strata_element_type *type)
{
    bool found = false;
    for (size_t i = 0; i < plan->backend_count; i++) {
        found = found || plan->backends[i].type == type;
    }
    return found;
}

void strata_plan_add_implied(struct strata_plan *plan)
{
    for (size_t i = 0; i < plan->workload_count; i++) {
        const struct strata_element_type *type = strata_element_type_find(
            STRATA_ROLE_BACKEND, STRATA_LAYER_DEVICE, plan->workloads[i].type->runs_on);
        struct strata_error error;
        if (strata_element_type_is_implied(type) && !has_backend(plan, type)) {
            (void)strata_element_set(strata_plan_add(plan, type), "name", type->name, &error);
        }
    }
}

static void free_elements(struct strata_element *elements, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        element_done(&elements[i]);
    }
    free(elements);
}

void strata_plan_free(struct strata_plan *plan)
{
    if (plan == NULL) {
        return;
    }
    element_done(&plan->campaign);
    free_elements(plan->backends, plan->backend_count);
    free_elements(plan->workloads, plan->workload_count);
    free_elements(plan->ladders, plan->ladder_count);
    free(plan->source);
    free(plan->text);
    free(plan);
}

/* The n-th element of the plan, whatever its role; NULL after the last. */
static struct strata_element *nth_element(struct strata_plan *plan, size_t n)
{
    if (n == 0) {
        return &plan->campaign;
    }
    n -= 1;
    if (n < plan->backend_count) {
        return &plan->backends[n];
    }
    n -= plan->backend_count;
    if (n < plan->workload_count) {
        return &plan->workloads[n];
    }
    n -= plan->workload_count;
    return n < plan->ladder_count ? &plan->ladders[n] : NULL;
}

/* Within the limits of the option, and never to 0 from a time that is none. */
static uint64_t scaled(const struct strata_option *option, uint64_t ns, double scale)
{
    const uint64_t shortest_ns = 1000000;
    double product = (double)ns * scale;
    uint64_t least = option->minimum > shortest_ns ? option->minimum : shortest_ns;
    uint64_t most = option->maximum > 0 ? option->maximum : INT64_MAX;
    return product <= (double)least ? least : product >= (double)most ? most : (uint64_t)product;
}

void strata_plan_scale_times(struct strata_plan *plan)
{
    double scale = strata_element_decimal(&plan->campaign, "time-scale");
    struct strata_element *element;
    for (size_t n = 0; (element = nth_element(plan, n)) != NULL; n++) {
        for (size_t i = 0; i < element->type->option_count; i++) {
            struct strata_setting *setting = &element->settings[i];
            for (size_t v = 0; setting->option->scales && v < setting->count; v++) {
                struct strata_value *value = &setting->values[v];
                if (value->number > 0 && (scale < 1 || scale > 1)) {
                    struct strata_text text = {0};
                    value->number = scaled(setting->option, value->number, scale);
                    strata_option_write_number(setting->option, value->number, &text);
                    free(value->text);
                    value->text = text.bytes;
                }
            }
        }
    }
}

/* As a comment, in which XML allows no "--". */
void strata_plan_note_override(struct strata_plan *plan, const char *assignment)
{
    struct strata_text text = {0};
    strata_text_format(&text, "%s\n<!-- command line: ", plan->text);
    for (const char *at = assignment; *at != '\0'; at++) {
        strata_text_append_bytes(&text, at, 1);
        if (*at == '-' && (at[1] == '-' || at[1] == '\0')) {
            strata_text_append(&text, " ");
        }
    }
    strata_text_append(&text, " -->");
    free(plan->text);
    plan->text = text.bytes;
}

static bool is_called(const struct strata_element *element, const char *name)
{
    if (strcmp(element->type->name, name) == 0) {
        return true;
    }
    const struct strata_setting *setting = find_setting(element, "name");
    return setting != NULL && setting->count > 0 && strcmp(setting->values[0].text, name) == 0;
}

/* Say which half of NAME.OPTION nothing in the plan answers to. */
static enum strata_status unmatched(struct strata_plan *plan, const char *name, const char *option,
                                    struct strata_error *error)
{
    bool name_known = false;
    const char *meant = NULL;
    struct strata_element *element;
    for (size_t n = 0; (element = nth_element(plan, n)) != NULL; n++) {
        if (name != NULL && !is_called(element, name)) {
            continue;
        }
        name_known = true;
        for (size_t i = 0; meant == NULL && i < element->type->option_count; i++) {
            if (strata_similar(element->type->options[i].name, option)) {
                meant = element->type->options[i].name;
            }
        }
    }
    if (!name_known) {
        return strata_error_set(error, STRATA_USAGE,
                                "'%.80s' is neither an element of the plan nor a back end's name",
                                name);
    }
    return strata_error_set(error, STRATA_USAGE, "%.80s has no option '%.80s'%s%s%s",
                            name != NULL ? name : "the plan", option,
                            meant != NULL ? "; did you mean " : "", meant != NULL ? meant : "",
                            meant != NULL ? "?" : "");
}

static enum strata_status override(struct strata_plan *plan, const char *name, const char *option,
                                   const char *value, struct strata_error *error)
{
    bool matched = false;
    struct strata_element *element;
    for (size_t n = 0; (element = nth_element(plan, n)) != NULL; n++) {
        if ((name != NULL && !is_called(element, name)) || find_setting(element, option) == NULL) {
            continue;
        }
        matched = true;
        enum strata_status status = strata_element_set(element, option, value, error);
        if (status != STRATA_OK) {
            return status;
        }
    }
    return matched ? STRATA_OK : unmatched(plan, name, option, error);
}

enum strata_status strata_plan_override(struct strata_plan *plan, const char *assignment,
                                        struct strata_error *error)
{
    char *left = strata_text_duplicate(assignment);
    enum strata_status status;
    char *equals = strchr(left, '=');
    if (equals == NULL) {
        status = strata_error_set(error, STRATA_USAGE,
                                  "'%.80s' is not NAME.OPTION=VALUE or OPTION=VALUE", assignment);
    } else {
        *equals = '\0';
        char *point = strrchr(left, '.'); /* the last: a back end's name may hold others */
        if (point != NULL) {
            *point = '\0';
        }
        status = override(plan, point != NULL ? left : NULL, point != NULL ? point + 1 : left,
                          equals + 1, error);
    }
    free(left);
    return status == STRATA_OK ? STRATA_OK : strata_error_prefix(error, "--set");
}

const struct strata_setting *strata_element_setting(const struct strata_element *element,
                                                    const char *option)
{
    const struct strata_setting *setting = find_setting(element, option);
    if (setting == NULL) {
        abort(); /* the caller's name is no row of the table */
    }
    return setting;
}

uint64_t strata_element_number(const struct strata_element *element, const char *option)
{
    const struct strata_setting *setting = strata_element_setting(element, option);
    return setting->count > 0 ? setting->values[0].number : 0;
}

double strata_element_decimal(const struct strata_element *element, const char *option)
{
    const struct strata_setting *setting = strata_element_setting(element, option);
    return setting->count > 0 ? setting->values[0].decimal : 0;
}

const char *strata_element_text(const struct strata_element *element, const char *option)
{
    const struct strata_setting *setting = strata_element_setting(element, option);
    return setting->count > 0 ? setting->values[0].text : NULL;
}

const char *strata_element_find_text(const struct strata_element *element, const char *option)
{
    return find_setting(element, option) != NULL ? strata_element_text(element, option) : NULL;
}

bool strata_element_given(const struct strata_element *element, const char *option)
{
    return strata_element_setting(element, option)->given;
}

const struct strata_element *strata_plan_backend(const struct strata_plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->backend_count; i++) {
        const char *own = strata_element_text(&plan->backends[i], "name");
        if (own != NULL && strcmp(own, name) == 0) {
            return &plan->backends[i];
        }
    }
    return NULL;
}

const struct strata_element *strata_plan_twin(const struct strata_plan *plan,
                                              const struct strata_element *backend, size_t n)
{
    const char *name = strata_element_text(backend, "name");
    for (size_t i = 0; name != NULL && i < plan->backend_count; i++) {
        const char *twin_of = strata_element_find_text(&plan->backends[i], "twin-of");
        if (twin_of != NULL && strcmp(twin_of, name) == 0 && n-- == 0) {
            return &plan->backends[i];
        }
    }
    return NULL;
}
