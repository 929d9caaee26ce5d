/* From the plan's back-end elements to the back ends of one layer.
 *
 * Always: a twin points to its plain one, which stands before it. Whether a back end is there at
 * all is left to the layer's inspection. */
#include "common/campaign/backends.h"

#include "common/base/memory.h"
#include "common/base/text.h"

#include <stdlib.h>
#include <string.h>

static bool serves(const struct strata_layer *layer, const struct strata_element *element)
{
    enum strata_layer_id lowest = layer->id == STRATA_LAYER_USER ? STRATA_LAYER_SERVICE : layer->id;
    return element->type->layer == lowest;
}

static void find_places(struct strata_backend *backend)
{
    struct strata_text location = {0};
    size_t capacity = 0;
    char *place;
    while ((place = strata_element_place(backend->element, backend->place_count)) != NULL) {
        strata_memory_grow((void **)&backend->places, &capacity, backend->place_count + 1,
                           sizeof(*backend->places));
        backend->places[backend->place_count++] = place;
        strata_text_format(&location, "%s%s", location.length > 0 ? " and " : "", place);
    }
    backend->location = strata_text_duplicate(strata_text_string(&location));
    strata_text_done(&location);
}

static void add(struct strata_backends *backends, const struct strata_element *element,
                const struct strata_permissions *permissions, const struct strata_backend *plain)
{
    const char *found = strata_element_find_text(element, "encryption");
    const char *encryption = found != NULL ? found : "none";
    struct strata_backend *backend = &backends->items[backends->count++];
    *backend = (struct strata_backend){
        .name = strata_element_text(element, "name"),
        .element = element,
        .layer = element->type->layer,
        .encrypted = strcmp(encryption, "none") != 0,
        .encryption = encryption,
        .permissions = permissions,
        .twin = plain,
    };
    find_places(backend);
}

/* When all of them are there. */
static void find_versus(struct strata_backends *backends)
{
    for (size_t i = 0; i < backends->count; i++) {
        struct strata_backend *backend = &backends->items[i];
        const char *name = strata_element_find_text(backend->element, "versus");
        backend->versus = name != NULL ? strata_backends_find(backends, name) : NULL;
    }
}

void strata_backends_init(struct strata_backends *backends, const struct strata_layer *layer,
                          const struct strata_plan *plan,
                          const struct strata_permissions *permissions)
{
    backends->count = 0;
    backends->items = strata_memory_new(plan->backend_count + 1, sizeof(*backends->items));
    for (size_t i = 0; i < plan->backend_count; i++) {
        const struct strata_element *element = &plan->backends[i];
        if (!serves(layer, element) || strata_element_find_text(element, "twin-of") != NULL) {
            continue;
        }
        add(backends, element, permissions, NULL);
        const struct strata_backend *plain = &backends->items[backends->count - 1];
        const struct strata_element *twin;
        for (size_t n = 0; (twin = strata_plan_twin(plan, element, n)) != NULL; n++) {
            add(backends, twin, permissions, plain);
        }
    }
    find_versus(backends);
}

void strata_backends_done(struct strata_backends *backends)
{
    for (size_t i = 0; i < backends->count; i++) {
        struct strata_backend *backend = &backends->items[i];
        for (size_t n = 0; n < backend->place_count; n++) {
            free(backend->places[n]);
        }
        free(backend->places);
        free(backend->location);
    }
    free(backends->items);
    *backends = (struct strata_backends){0};
}

struct strata_backend *strata_backends_find(const struct strata_backends *backends,
                                            const char *name)
{
    for (size_t i = 0; i < backends->count; i++) {
        if (backends->items[i].name != NULL && strcmp(backends->items[i].name, name) == 0) {
            return &backends->items[i];
        }
    }
    return NULL;
}

void strata_backends_remove(struct strata_backends *backends, const struct strata_backend *backend)
{
    /* Twins point into the array, so entries are emptied in place rather than moved. */
    for (size_t i = 0; i < backends->count; i++) {
        struct strata_backend *item = &backends->items[i];
        if (item == backend || item->twin == backend) {
            item->name = NULL;
        }
    }
}
