/* strata: runs the layers' programs in order, compares and reports.
 *
 * The table below is the only place where a command or an option of it stands.
 * Always holds: data on stdout, messages on stderr, one line for an error, the exit codes of
 * enum strata_status. Leaves the measuring to the four other programs. */
#include "common/base/stop.h"
#include "common/base/streams.h"
#include "layers/suite/suite.h"

#include <stdio.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#define DATABASE                                                                                   \
    {                                                                                              \
        "db", "FILE", "results database (default: results/strata.db)", false                       \
    }
#define CAMPAIGN                                                                                   \
    {                                                                                              \
        "campaign", "UUID", "which campaign, by its uuid (default: the latest)", false             \
    }

static const struct suite_option run_options[] = {
    DATABASE,
    {"layers", "LIST", "only these, separated by commas: device,filesystem,service,user", false},
    {"json", NULL, "print one JSON document instead of the report", false},
    {"quiet", NULL, "no progress on stderr", true},
    {"dry-run", NULL, "print the expanded plans and touch nothing", true},
    {"set", "NAME=VALUE", "override an option of the configuration; may be repeated", true},
    {"pairs", "N", "runs on each of the plain and the encrypted back end", true},
    {"duration", "TIME", "measured time of each run", true},
    {"allow-overwrite", "PATH", "a device may be written, named exactly; may be repeated", true},
    {"allow-overwrite-signature", NULL, "even when a file system or partition table is on it",
     true},
    {"insecure", NULL, "do not verify TLS certificates; recorded", true},
};
static const struct suite_option report_options[] = {
    DATABASE,
    CAMPAIGN,
    {"layer", "NAME", "only device, filesystem, service or user (text and --json)", false},
    {"html", "FILE", "write one self-contained page", false},
    {"markdown", NULL, "print Markdown", false},
    {"json", NULL, "print one JSON document", false},
};
static const struct suite_option compare_options[] = {
    DATABASE,
    {"margin", "FRACTION", "largest acceptable loss, 10% or 0.1 (default: 10%)", false},
    {"force", NULL, "compare also what different machines measured", false},
};
static const struct suite_option export_options[] = {
    DATABASE,
    CAMPAIGN,
    {"format", "NAME", "csv, json or openmetrics (default: csv)", false},
};
static const struct suite_option import_options[] = {
    DATABASE,
    {"plain", "FILES", "fio: results on the plain back end, separated by commas", false},
    {"encrypted", "FILES", "fio: those on its encrypted twin, file by file against --plain", false},
    {"encryption", "KIND", "fio: how the twin is encrypted (default: unknown)", false},
    {"backend", "NAME", "fio: what to call the plain back end (default: fio's file)", false},
    {"name", "NAME", "what to call the campaign (default: after the first file)", false},
    {"campaign", "UUID", "add to this import instead of a new campaign", false},
};
static const struct suite_option analyse_options[] = {DATABASE, CAMPAIGN};

const struct suite_command suite_commands[] = {
    {"run", "CONFIG", 1, 1, "evaluate the layers of a configuration, one after the other",
     run_options, COUNT_OF(run_options), suite_run},
    {"report", "", 0, 0, "what a campaign found", report_options, COUNT_OF(report_options),
     suite_report},
    {"compare", "BASE NEW", 2, 2,
     "two campaigns or two back ends; exit 1 for a loss beyond the margin, 3 for inconclusive",
     compare_options, COUNT_OF(compare_options), suite_compare},
    {"export", "", 0, 0, "every run and phase, for other programs", export_options,
     COUNT_OF(export_options), suite_export},
    {"analyse", "", 0, 0, "compute a campaign's comparisons again", analyse_options,
     COUNT_OF(analyse_options), suite_analyse},
    {"import", "fio|table [FILE]...", 1, SUITE_MOST_OPERANDS,
     "bring in results of fio (its JSON) or a table of published rates (CSV)", import_options,
     COUNT_OF(import_options), suite_import},
    {"doctor", "[CONFIG]", 0, 1, "what this machine has, what was built in, which back ends answer",
     NULL, 0, suite_doctor},
    {"document", "schema|configuration", 1, 1,
     "the RELAX NG schema or the reference of the configuration", NULL, 0, suite_document},
    {"completion", "", 0, 0, "completion for bash: source <(strata completion)", NULL, 0,
     suite_completion},
    {"help", "[COMMAND]", 0, 1, "this, or the options of a command", NULL, 0, suite_help},
};
const size_t suite_command_count = COUNT_OF(suite_commands);

const struct suite_command *suite_command_find(const char *name)
{
    for (size_t i = 0; i < suite_command_count; i++) {
        if (strcmp(suite_commands[i].name, name) == 0) {
            return &suite_commands[i];
        }
    }
    return NULL;
}

static enum strata_status run_command(int argc, char **argv, struct strata_error *error)
{
    const struct suite_command *command = suite_command_find(argv[0]);
    if (command == NULL) {
        return strata_error_set(error, STRATA_USAGE, "no such command: %s; see 'strata help'",
                                argv[0]);
    }
    struct suite_request request;
    enum strata_status status = suite_request_parse(command, argc - 1, argv + 1, &request, error);
    if (status == STRATA_OK && request.help) {
        struct strata_text text = {0};
        suite_help_command(command, &text);
        status = suite_print(&text, error);
        strata_text_done(&text);
    } else if (status == STRATA_OK) {
        status = command->run(&request, error);
    }
    suite_request_done(&request);
    return status;
}

static enum strata_status run_suite(int argc, char **argv, struct strata_error *error)
{
    struct strata_text text = {0};
    if (argc < 2) {
        return strata_error_set(error, STRATA_USAGE,
                                "a command is missing: run, report, compare, …; see 'strata help'");
    }
    if (strcmp(argv[1], "--version") == 0) {
        strata_text_append(&text, "strata " STRATA_VERSION "\n");
    } else if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        suite_help_overview(&text);
    } else {
        return run_command(argc - 1, argv + 1, error);
    }
    enum strata_status status = suite_print(&text, error);
    strata_text_done(&text);
    return status;
}

int main(int argc, char **argv)
{
    struct strata_error error = {0};
    strata_streams_hold();
    strata_stop_install();
    enum strata_status status = run_suite(argc, argv, &error);
    if (status != STRATA_OK && error.text[0] != '\0') {
        fprintf(stderr, "strata: %s\n", error.text);
    }
    return (int)status;
}
