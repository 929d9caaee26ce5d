/* Finding an element's type by its name, and the names of the layers. The types stand in
 * elements.c. */
#include "common/plan/option.h"

#include <string.h>

const char *strata_layer_name(enum strata_layer_id layer)
{
    static const char *const names[STRATA_LAYERS] = {"device", "filesystem", "service", "user"};
    return names[layer];
}

const struct strata_element_type *strata_element_type_find(enum strata_element_role role,
                                                           enum strata_layer_id layer,
                                                           const char *name)
{
    for (size_t i = 0; i < strata_element_type_count; i++) {
        const struct strata_element_type *type = strata_element_types[i];
        if (type->role == role && strcmp(type->name, name) == 0 &&
            (role != STRATA_ROLE_WORKLOAD || type->layer == layer)) {
            return type;
        }
    }
    return NULL;
}
