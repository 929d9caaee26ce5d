/* Where in a configuration each element type may stand; for the reader, the schema and the document
 * alike. <campaign> and <ladder> stand beside the sections. */
#include "common/plan/option.h"

const struct strata_section strata_sections[STRATA_SECTIONS] = {
    {"backends", STRATA_ROLE_BACKEND, STRATA_LAYER_DEVICE,
     "what is measured: plain back ends and their encrypted twins"},
    {"device-layer", STRATA_ROLE_WORKLOAD, STRATA_LAYER_DEVICE, "blocks of raw devices"},
    {"filesystem-layer", STRATA_ROLE_WORKLOAD, STRATA_LAYER_FILESYSTEM,
     "files and directories of a mounted file system"},
    {"service-layer", STRATA_ROLE_WORKLOAD, STRATA_LAYER_SERVICE,
     "objects through the cloud's API"},
    {"user-layer", STRATA_ROLE_WORKLOAD, STRATA_LAYER_USER,
     "files as a user of the cloud sees them"},
};

bool strata_section_holds(const struct strata_section *section,
                          const struct strata_element_type *type)
{
    return type->role == section->role &&
           (section->role != STRATA_ROLE_WORKLOAD || type->layer == section->layer);
}
