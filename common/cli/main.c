/* What a layer's program does, in order: arguments, plan, inspection, runs, analysis, findings.
 *
 * Always: stdout carries data only (the findings, or one JSON document); an error is printed once,
 * here, as "program: text"; the exit code is the status. */
#include "common/cli/main.h"

#include "common/analysis/analysis.h"
#include "common/base/random.h"
#include "common/base/stop.h"
#include "common/base/streams.h"
#include "common/base/text.h"
#include "common/base/units.h"
#include "common/campaign/session.h"
#include "common/cli/arguments.h"
#include "common/cli/progress.h"
#include "common/cli/supervise.h"
#include "common/cli/terminal.h"
#include "common/report/report.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct program {
    const struct strata_layer *layer;
    struct strata_arguments arguments;
    struct strata_backends backends;
    struct strata_cells cells;
    struct strata_store *store;
    struct strata_progress progress;
    struct strata_session_summary summary;
    char campaign_uuid[37];
};

/* --- the session's observer is the progress bar --- */

static void message(void *context, const char *line)
{
    struct program *program = context;
    strata_progress_message(&program->progress, line);
}

static void run_begins(void *context, const char *what, uint64_t expected_ns)
{
    struct program *program = context;
    strata_progress_begin(&program->progress, what, expected_ns);
}

static void run_goes_on(void *context, uint64_t elapsed_ns)
{
    struct program *program = context;
    strata_progress_go_on(&program->progress, elapsed_ns);
}

static void run_ended(void *context, uint64_t expected_ns)
{
    struct program *program = context;
    strata_progress_end(&program->progress, expected_ns);
}

/* --- steps --- */

static enum strata_status plan_cells(struct program *program, struct strata_error *error)
{
    strata_cells_done(&program->cells);
    enum strata_status status = strata_cells_plan(program->layer, program->arguments.plan,
                                                  &program->backends, &program->cells, error);
    if (status == STRATA_OK && program->cells.count == 0) {
        return strata_error_set(
            error, STRATA_USAGE, "%s: nothing to run at the %s layer: no back end, or no workload",
            program->arguments.plan->source, strata_layer_name(program->layer->id));
    }
    return status;
}

static void print_plan(const struct program *program)
{
    char duration[32];
    uint64_t runs = strata_cells_runs(&program->cells);
    const struct strata_element *campaign = &program->arguments.plan->campaign;
    double scale = strata_element_decimal(campaign, "time-scale");
    printf("campaign %s: %" PRIu64 " run%s, about %s", strata_element_text(campaign, "name"), runs,
           runs == 1 ? "" : "s",
           strata_units_format_duration(strata_cells_expected_ns(&program->cells), duration,
                                        sizeof(duration)));
    if (scale < 1 || scale > 1) {
        printf(", times scaled by %g", scale);
    }
    printf("\n");
    for (size_t i = 0; i < program->cells.count; i++) {
        const struct strata_cell *cell = &program->cells.items[i];
        const char *other = cell->control             ? " against itself (A/A control)"
                            : cell->encrypted != NULL ? " against "
                                                      : "";
        printf("  %s %s: %s on %s%s%s, %u %s\n", strata_layer_name(program->layer->id),
               cell->workload.element, cell->workload.name, cell->plain->name, other,
               cell->encrypted != NULL && !cell->control ? cell->encrypted->name : "",
               cell->repetitions, cell->encrypted != NULL ? "pair(s)" : "run(s)");
    }
}

/* Writing the database into the directory that is measured would be measured. */
static enum strata_status check_database_apart(const struct program *program,
                                               struct strata_error *error)
{
    for (size_t i = 0; i < program->backends.count; i++) {
        const struct strata_backend *backend = &program->backends.items[i];
        bool paths = backend->name != NULL && backend->layer != STRATA_LAYER_SERVICE;
        for (size_t n = 0; paths && n < backend->place_count; n++) {
            if (strata_store_shares_device(program->arguments.database, backend->places[n])) {
                return strata_error_set(error, STRATA_USAGE,
                                        "--db %s: lies on %s, which is to be measured",
                                        program->arguments.database, backend->places[n]);
            }
        }
    }
    return STRATA_OK;
}

static struct strata_session_observer observer_of(struct program *program)
{
    return (struct strata_session_observer){.context = program,
                                            .message = message,
                                            .run_begins = run_begins,
                                            .run_goes_on = run_goes_on,
                                            .run_ended = run_ended};
}

/* Before the database is opened: a command that is refused leaves none behind. */
static enum strata_status inspect(struct program *program, struct strata_error *error)
{
    const struct strata_session_observer observer = observer_of(program);
    strata_progress_start(&program->progress, strata_layer_name(program->layer->id), 0,
                          program->arguments.quiet);
    enum strata_status status = strata_session_inspect(&program->backends, program->layer,
                                                       &program->cells, &observer, error);
    return status == STRATA_OK ? plan_cells(program, error) : status;
}

static enum strata_status run_session(struct program *program, struct strata_error *error)
{
    const struct strata_session_observer observer = observer_of(program);
    const struct strata_session session = {.layer = program->layer,
                                           .plan = program->arguments.plan,
                                           .backends = &program->backends,
                                           .cells = &program->cells,
                                           .store = program->store,
                                           .campaign_uuid = program->campaign_uuid,
                                           .observer = &observer};
    strata_progress_start(&program->progress, strata_layer_name(program->layer->id),
                          strata_cells_expected_ns(&program->cells), program->arguments.quiet);
    enum strata_status status = strata_session_run(&session, &program->summary, error);
    strata_progress_finish(&program->progress);
    return status;
}

/* The findings: for whoever started the campaign, so not for a part of `strata run`. */
static enum strata_status print_findings(const struct program *program, struct strata_error *error)
{
    struct strata_text out = {0};
    const char *layer = strata_layer_name(program->layer->id);
    enum strata_status status =
        program->arguments.json
            ? strata_report_json(program->store, program->campaign_uuid, layer, &out, error)
            : strata_report_text(program->store, program->campaign_uuid, layer,
                                 strata_terminal_columns(STDOUT_FILENO), &out, error);
    if (status == STRATA_OK) {
        fputs(strata_text_string(&out), stdout);
    }
    strata_text_done(&out);
    return status;
}

/* What the runs say about the exit code. */
static enum strata_status conclude(const struct program *program, struct strata_error *error)
{
    const struct strata_session_summary *summary = &program->summary;
    if (summary->silent) {
        return strata_error_set(error, STRATA_ENVIRONMENT, "%s", summary->first_reason);
    }
    if (summary->failed > 0 && summary->ok + summary->invalid == 0) {
        enum strata_status cause =
            summary->first_cause != STRATA_OK ? summary->first_cause : STRATA_CRITERION_FAILED;
        return strata_error_set(error, cause, "%s", summary->first_reason);
    }
    if (summary->failed > 0) {
        return strata_error_set(error, STRATA_CRITERION_FAILED, "%u of %u runs failed, first: %s",
                                summary->failed, summary->failed + summary->ok + summary->invalid,
                                summary->first_reason);
    }
    if (summary->ok == 0 && summary->invalid > 0) {
        return strata_error_set(error, STRATA_CRITERION_FAILED,
                                "no run is valid; see v_invalid in the database for the reasons");
    }
    return STRATA_OK;
}

/* A margin that the user stated is a criterion; the default one only labels. */
static enum strata_status check_margin(const struct program *program, struct strata_error *error)
{
    if (!strata_element_given(&program->arguments.plan->campaign, "loss-margin")) {
        return STRATA_OK;
    }
    size_t failed = 0;
    enum strata_status status =
        strata_analysis_count_failed(program->store, program->campaign_uuid,
                                     strata_layer_name(program->layer->id), &failed, error);
    if (status == STRATA_OK && failed > 0) {
        return strata_error_set(
            error, STRATA_CRITERION_FAILED, "%zu comparisons lose more than the margin of %s",
            failed, strata_element_text(&program->arguments.plan->campaign, "loss-margin"));
    }
    return status;
}

static enum strata_status run(struct program *program, struct strata_error *error)
{
    strata_backends_init(&program->backends, program->layer, program->arguments.plan,
                         &program->arguments.permissions);
    enum strata_status status = plan_cells(program, error);
    if (status != STRATA_OK) {
        return status;
    }
    if (program->arguments.dry_run) {
        print_plan(program);
        return STRATA_OK;
    }
    status = check_database_apart(program, error);
    if (status == STRATA_OK) {
        status = inspect(program, error);
    }
    if (status == STRATA_OK) {
        status = strata_store_open(program->arguments.database, STRATA_STORE_WRITE, &program->store,
                                   error);
    }
    if (status == STRATA_OK) {
        status = run_session(program, error);
    }
    bool interrupted = status == STRATA_INTERRUPTED && program->store != NULL; /* not inspecting */
    if (status != STRATA_OK && !interrupted) {
        return status;
    }
    struct strata_error later = {0};
    enum strata_status findings =
        strata_analysis_campaign(program->store, program->campaign_uuid, &later);
    if (findings == STRATA_OK && program->arguments.campaign_uuid == NULL) {
        findings = print_findings(program, &later);
    }
    if (!interrupted && findings == STRATA_OK) {
        findings = conclude(program, &later);
    }
    if (!interrupted && findings == STRATA_OK) {
        findings = check_margin(program, &later);
    }
    if (!interrupted && findings != STRATA_OK) {
        *error = later;
    }
    return interrupted ? status : findings;
}

int strata_cli_main(const struct strata_layer *layer, int argc, char **argv)
{
    struct program program = {.layer = layer};
    struct strata_error error = {0};
    strata_streams_hold();
    strata_stop_install();
    int supervisor = layer->may_hang ? strata_supervise() : -1;
    enum strata_status status =
        strata_arguments_parse(layer, argc, argv, &program.arguments, &error);
    if (status == STRATA_OK) {
        if (program.arguments.campaign_uuid != NULL) {
            snprintf(program.campaign_uuid, sizeof(program.campaign_uuid), "%s",
                     program.arguments.campaign_uuid);
        } else {
            strata_random_uuid(program.campaign_uuid);
        }
        switch (program.arguments.action) {
        case STRATA_ACTION_HELP: {
            struct strata_text help = {0};
            strata_arguments_help(layer, &help);
            fputs(strata_text_string(&help), stdout);
            strata_text_done(&help);
            break;
        }
        case STRATA_ACTION_VERSION:
            printf("%s %s\n", layer->program, STRATA_VERSION);
            break;
        case STRATA_ACTION_RUN:
            status = run(&program, &error);
            break;
        }
    }
    if (fflush(stdout) != 0 && status == STRATA_OK) {
        status = strata_error_set(&error, STRATA_ENVIRONMENT, "standard output: cannot be written");
    }
    if (status != STRATA_OK) {
        fprintf(stderr, "%s: %s\n", layer->program, error.text);
    }
    strata_store_close(program.store);
    strata_cells_done(&program.cells);
    strata_backends_done(&program.backends);
    strata_arguments_done(&program.arguments);
    strata_supervised_end(supervisor, (int)status);
    return (int)status;
}
