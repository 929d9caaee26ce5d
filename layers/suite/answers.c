/* report, compare, export, analyse: a database is opened, asked once, and closed. */
#include "common/analysis/analysis.h"
#include "common/base/units.h"
#include "common/cli/terminal.h"
#include "common/plan/option.h"
#include "common/report/report.h"
#include "layers/suite/suite.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum strata_status check_layer(const char *layer, struct strata_error *error)
{
    for (size_t i = 0; layer != NULL && i < STRATA_LAYERS; i++) {
        if (strcmp(layer, strata_layer_name((enum strata_layer_id)i)) == 0) {
            return STRATA_OK;
        }
    }
    return layer == NULL ? STRATA_OK
                         : strata_error_set(error, STRATA_USAGE,
                                            "report: --layer: %s: expected device, filesystem, "
                                            "service or user",
                                            layer);
}

static enum strata_status write_report(const struct suite_request *request,
                                       struct strata_store *store, struct strata_text *text,
                                       struct strata_error *error)
{
    const char *campaign = suite_request_value(request, "campaign");
    const char *layer = suite_request_value(request, "layer");
    if (suite_request_value(request, "html") != NULL) {
        return strata_report_html(store, campaign, text, error);
    }
    if (suite_request_value(request, "markdown") != NULL) {
        return strata_report_markdown(store, campaign, text, error);
    }
    if (suite_request_value(request, "json") != NULL) {
        return strata_report_json(store, campaign, layer, text, error);
    }
    return strata_report_text(store, campaign, layer, strata_terminal_columns(STDOUT_FILENO), text,
                              error);
}

enum strata_status suite_report(const struct suite_request *request, struct strata_error *error)
{
    const char *html = suite_request_value(request, "html");
    int kinds = (html != NULL) + (suite_request_value(request, "markdown") != NULL) +
                (suite_request_value(request, "json") != NULL);
    if (kinds > 1) {
        return strata_error_set(error, STRATA_USAGE,
                                "report: only one of --html, --markdown and --json");
    }
    struct strata_store *store = NULL;
    struct strata_text text = {0};
    enum strata_status status = check_layer(suite_request_value(request, "layer"), error);
    if (status == STRATA_OK) {
        status =
            strata_store_open(suite_request_database(request), STRATA_STORE_READ, &store, error);
    }
    if (status == STRATA_OK) {
        status = write_report(request, store, &text, error);
        strata_store_close(store);
    }
    if (status == STRATA_OK) {
        status = html != NULL ? suite_write_file(html, &text, error) : suite_print(&text, error);
    }
    strata_text_done(&text);
    return status;
}

enum strata_status suite_compare(const struct suite_request *request, struct strata_error *error)
{
    double margin = 0.10;
    const char *given = suite_request_value(request, "margin");
    if (given != NULL && strata_units_parse_fraction(given, &margin, error) != STRATA_OK) {
        return strata_error_prefix(error, "compare: --margin");
    }
    struct strata_store *store = NULL;
    struct strata_text text = {0};
    int verdict = 0;
    enum strata_status status =
        strata_store_open(suite_request_database(request), STRATA_STORE_READ, &store, error);
    if (status == STRATA_OK) {
        status = strata_report_compare(store, request->operands[0], request->operands[1], margin,
                                       suite_request_value(request, "force") != NULL, &text,
                                       &verdict, error);
        strata_store_close(store);
    }
    if (status == STRATA_OK) {
        status = suite_print(&text, error);
    }
    strata_text_done(&text);
    return status == STRATA_OK ? (enum strata_status)verdict : status;
}

enum strata_status suite_export(const struct suite_request *request, struct strata_error *error)
{
    const char *format = suite_request_value(request, "format");
    struct strata_store *store = NULL;
    struct strata_text text = {0};
    enum strata_status status =
        strata_store_open(suite_request_database(request), STRATA_STORE_READ, &store, error);
    if (status == STRATA_OK) {
        status = strata_report_export(store, suite_request_value(request, "campaign"),
                                      format != NULL ? format : "csv", &text, error);
        strata_store_close(store);
    }
    if (status == STRATA_OK) {
        status = suite_print(&text, error);
    }
    strata_text_done(&text);
    return status;
}

enum strata_status suite_analyse(const struct suite_request *request, struct strata_error *error)
{
    const char *database = suite_request_database(request);
    struct stat there;
    if (stat(database, &there) != 0) {
        return strata_error_set(error, STRATA_ENVIRONMENT, "%s: %s", database, strerror(errno));
    }
    struct strata_store *store = NULL;
    enum strata_status status = strata_store_open(database, STRATA_STORE_WRITE, &store, error);
    if (status == STRATA_OK) {
        status = strata_analysis_campaign(store, suite_request_value(request, "campaign"), error);
        strata_store_close(store);
    }
    return status;
}
