/* strata run: each layer's program in turn under one campaign, then the findings of the whole.
 *
 * A layer that the configuration does not ask for is skipped with a line; a layer that fails does
 * not keep the others from running, except when the command line or the configuration is wrong or
 * the user wants to stop. The exit code is the worst one. Leaves to the programs: measuring,
 * storing, judging their own runs. */
#include "common/analysis/analysis.h"
#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/base/stop.h"
#include "common/cli/terminal.h"
#include "common/plan/plan.h"
#include "common/report/report.h"
#include "layers/suite/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct suite_campaign {
    const struct suite_request *request;
    const struct strata_plan *plan;
    char uuid[37];
    bool wanted[STRATA_LAYERS];
    bool quiet;
    bool json;
    bool dry_run;
};

static enum strata_status choose_layers(const char *list, bool *wanted, struct strata_error *error)
{
    for (size_t layer = 0; layer < STRATA_LAYERS; layer++) {
        wanted[layer] = list == NULL;
    }
    while (list != NULL && *list != '\0') {
        size_t length = strcspn(list, ",");
        size_t layer = 0;
        while (layer < STRATA_LAYERS &&
               (strlen(strata_layer_name((enum strata_layer_id)layer)) != length ||
                strncmp(strata_layer_name((enum strata_layer_id)layer), list, length) != 0)) {
            layer++;
        }
        if (layer == STRATA_LAYERS) {
            return strata_error_set(
                error, STRATA_USAGE,
                "run: --layers: %.*s: expected device, filesystem, service or user", (int)length,
                list);
        }
        wanted[layer] = true;
        list += length + (list[length] == ',');
    }
    return STRATA_OK;
}

/* Swift back ends serve the two upper layers. */
static bool serves(const struct strata_element *backend, enum strata_layer_id layer)
{
    enum strata_layer_id lowest = backend->type->layer;
    return lowest == layer || (lowest == STRATA_LAYER_SERVICE && layer == STRATA_LAYER_USER);
}

/* Why the plan has nothing for this layer; NULL when it has. */
static const char *nothing_to_do(const struct strata_plan *plan, enum strata_layer_id layer)
{
    bool backend = false;
    bool workload = plan->ladder_count > 0;
    for (size_t i = 0; i < plan->backend_count; i++) {
        backend = backend || serves(&plan->backends[i], layer);
    }
    for (size_t i = 0; i < plan->workload_count; i++) {
        workload = workload || plan->workloads[i].type->layer == layer;
    }
    return !workload ? "no workload and no ladder" : !backend ? "no back end" : NULL;
}

static int run_layer(const struct suite_campaign *campaign, enum strata_layer_id layer,
                     struct strata_error *error)
{
    const struct suite_request *request = campaign->request;
    char **arguments = strata_memory_new(request->passed_on_count + 8, sizeof(arguments[0]));
    char *program = strata_text_duplicate_format("strata-%s", strata_layer_name(layer));
    size_t count = 0;
    arguments[count++] = suite_sibling(program);
    const char *fixed[] = {"--config", request->operands[0],           "--campaign", campaign->uuid,
                           "--db",     suite_request_database(request)};
    for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
        arguments[count++] = (char *)(uintptr_t)fixed[i];
    }
    for (size_t i = 0; i < request->passed_on_count; i++) {
        arguments[count++] = request->passed_on[i];
    }
    int code = suite_child_run(arguments, !campaign->dry_run, error);
    free(arguments[0]);
    free(arguments);
    free(program);
    return code;
}

/* Returns the worst exit code; *ret_ran: whether any program came as far as measuring. */
static int run_layers(const struct suite_campaign *campaign, bool *ret_ran)
{
    int worst = STRATA_OK;
    for (size_t i = 0; i < STRATA_LAYERS && strata_stop_signal == 0; i++) {
        enum strata_layer_id layer = (enum strata_layer_id)i;
        const char *reason = nothing_to_do(campaign->plan, layer);
        if (!campaign->wanted[layer] || reason != NULL) {
            if (!campaign->quiet) {
                fprintf(stderr, "strata: %s layer skipped: %s\n", strata_layer_name(layer),
                        campaign->wanted[layer] ? reason : "not in --layers");
            }
            continue;
        }
        struct strata_error error = {0};
        int code = run_layer(campaign, layer, &error);
        if (error.text[0] != '\0') {
            fprintf(stderr, "strata: %s\n", error.text);
        }
        worst = code > worst ? code : worst;
        if (code == STRATA_USAGE) {
            break; /* the others would say the same */
        }
        *ret_ran = true;
    }
    return strata_stop_signal != 0 ? STRATA_INTERRUPTED : worst;
}

/* Analyse what was stored and print it. */
static enum strata_status tell(const struct suite_campaign *campaign, struct strata_error *error)
{
    struct strata_store *store = NULL;
    struct strata_text text = {0};
    const char *path = suite_request_database(campaign->request);
    enum strata_status status = strata_store_open(path, STRATA_STORE_WRITE, &store, error);
    if (status == STRATA_OK) {
        status = strata_analysis_campaign(store, campaign->uuid, error);
    }
    if (status == STRATA_OK) {
        status = campaign->json
                     ? strata_report_json(store, campaign->uuid, NULL, &text, error)
                     : strata_report_text(store, campaign->uuid, NULL,
                                          strata_terminal_columns(STDOUT_FILENO), &text, error);
    }
    if (status == STRATA_OK) {
        status = suite_print(&text, error);
    }
    strata_text_done(&text);
    strata_store_close(store);
    return status;
}

static enum strata_status run_campaign(struct suite_campaign *campaign, struct strata_error *error)
{
    bool ran = false;
    int worst = run_layers(campaign, &ran);
    if (!ran && worst == STRATA_OK) {
        return strata_error_set(error, STRATA_USAGE, "run: %s: nothing to do for any chosen layer",
                                campaign->request->operands[0]);
    }
    /* Programs that could not measure anything have said why; there may be no campaign then, and a
     * database must not be made only to say so. */
    bool stored = access(suite_request_database(campaign->request), F_OK) == 0;
    if (ran && stored && !campaign->dry_run) {
        struct strata_error telling = {0};
        enum strata_status status = tell(campaign, &telling);
        if (status != STRATA_OK && worst == STRATA_OK) {
            *error = telling;
            return status;
        }
    }
    return (enum strata_status)worst;
}

enum strata_status suite_run(const struct suite_request *request, struct strata_error *error)
{
    struct suite_campaign campaign = {
        .request = request,
        .quiet = suite_request_value(request, "quiet") != NULL,
        .json = suite_request_value(request, "json") != NULL,
        .dry_run = suite_request_value(request, "dry-run") != NULL,
    };
    strata_random_uuid(campaign.uuid);
    struct strata_plan *plan = NULL;
    enum strata_status status =
        choose_layers(suite_request_value(request, "layers"), campaign.wanted, error);
    if (status == STRATA_OK) {
        status = strata_plan_read(request->operands[0], &plan, error);
    }
    if (status == STRATA_OK) {
        campaign.plan = plan;
        status = run_campaign(&campaign, error);
        strata_plan_free(plan);
    }
    return status;
}
