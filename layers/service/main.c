/* strata-service: what the object API of a cloud store delivers to a server-side client that keeps
 * its connections. */
#include "common/cli/main.h"
#include "common/target/swift_backend.h"
#include "layers/service/service.h"

static enum strata_status inspect(struct strata_backend *backend, bool writes,
                                  struct strata_error *error)
{
    (void)writes;
    return strata_swift_inspect(backend->element, backend->permissions->insecure, &backend->proof,
                                error);
}

static enum strata_status open_target(struct strata_run_context *context,
                                      struct strata_target **ret_target, struct strata_error *error)
{
    const struct strata_workload *workload = context->workload;
    struct strata_body *body = strata_body_pool_open(context->run_seed, workload->object_bytes);
    return strata_swift_backend_open(
        context->backend->element, context->backend->permissions->insecure, context->run_uuid,
        workload->phases[0].operations, body, false, ret_target, error);
}

static const struct strata_layer service_layer = {
    .id = STRATA_LAYER_SERVICE,
    .program = "strata-service",
    .summary = "upload, download and deletion of objects in OpenStack Swift",
    .examples =
        "  export ST_AUTH=https://swift.example.org/auth/v1.0 ST_USER=account:user ST_KEY=…\n"
        "  strata-service --sizes 4KiB,1MiB --concurrency 1,8 --encrypt client --pairs 10\n",
    .backend_element = "swift",
    .workload_element = "transfer",
    .encrypted_default = "server",
    .expand = strata_service_expand,
    .inspect = inspect,
    .open = open_target,
};

int main(int argc, char **argv)
{
    return strata_cli_main(&service_layer, argc, argv);
}
