/* strata-user: what users of the cloud store see, by file type, file size and time of day.
 *
 * A user's transfer is a whole file over a connection of its own; the service layer's requests
 * share kept-alive connections instead, and that difference is what the ladder shows between the
 * two. */
#include "common/cli/main.h"
#include "common/base/memory.h"
#include "common/target/swift_backend.h"
#include "layers/user/content.h"
#include "layers/user/user.h"

#include <string.h>

static enum strata_status inspect(struct strata_backend *backend, bool writes,
                                  struct strata_error *error)
{
    (void)writes;
    return strata_swift_inspect(backend->element, backend->permissions->insecure, &backend->proof,
                                error);
}

/* Files of the workload's type; the ladder's payload is the same as at the other layers. */
static enum strata_status make_body(const struct strata_workload *workload, uint64_t seed,
                                    uint64_t objects, struct strata_body **ret_body,
                                    struct strata_error *error)
{
    if (strcmp(workload->element, "ladder") == 0) {
        *ret_body = strata_body_pool_open(seed, workload->object_bytes);
        return STRATA_OK;
    }
    const char *type = strcmp(workload->element, "time-of-day") == 0
                           ? strata_element_text(workload->source, "types")
                           : workload->category;
    return strata_content_body_open(strata_content_find(type), seed, (size_t)objects,
                                    (size_t)workload->object_bytes, ret_body, error);
}

static enum strata_status open_target(struct strata_run_context *context,
                                      struct strata_target **ret_target, struct strata_error *error)
{
    const struct strata_workload *workload = context->workload;
    uint64_t objects = workload->phases[0].operations;
    struct strata_body *body = NULL;
    enum strata_status status = make_body(workload, context->run_seed, objects, &body, error);
    if (status != STRATA_OK) {
        return status;
    }
    return strata_swift_backend_open(context->backend->element,
                                     context->backend->permissions->insecure, context->run_uuid,
                                     objects, body, true, ret_target, error);
}

static const struct strata_layer user_layer = {
    .id = STRATA_LAYER_USER,
    .program = "strata-user",
    .summary = "what users of an object store see, by file type, file size and time of day",
    .examples =
        "  export ST_AUTH=https://swift.example.org/auth/v1.0 ST_USER=account:user ST_KEY=…\n"
        "  strata-user --scenario file-types --encrypt client --runs 200\n",
    .backend_element = "swift",
    .workload_element = "file-types",
    .encrypted_default = "server",
    .expand = strata_user_expand,
    .inspect = inspect,
    .open = open_target,
};

int main(int argc, char **argv)
{
    return strata_cli_main(&user_layer, argc, argv);
}
