/* The report as Markdown: the same tables and sentences, for a wiki or an issue. */
#include "common/report/baseline.h"
#include "common/report/escape.h"
#include "common/report/report.h"
#include "common/report/summary.h"
#include "common/report/tables.h"
#include "common/report/versus.h"

#include <string.h>

static void write_escaped(const char *before, const char *text, const char *after,
                          struct strata_text *out)
{
    strata_text_append(out, before);
    strata_escape_markdown(out, text);
    strata_text_append(out, after);
}

static void write_header(const struct strata_report *report, struct strata_text *out)
{
    write_escaped("# Campaign ", report->name, "\n\n", out);
    strata_text_format(out, "%s, %s, strata %s. ", report->campaign.uuid, report->started,
                       report->version);
    write_escaped("", report->machine, "\n\n", out);
    if (report->notice[0] != '\0') {
        write_escaped("**", report->notice, "**\n\n", out);
    }
    strata_text_format(out, "%ld runs ok, %ld not; margin %.0f %%. ", report->ok_runs,
                       report->other_runs, 100 * report->campaign.margin);
    if (report->control_verdict[0] != '\0') {
        strata_text_format(out, "A/A control: **%s** (%s).\n\n", report->control_verdict,
                           report->control_reason);
    } else {
        strata_text_append(out, "No A/A control.\n\n");
    }
    if (strcmp(report->control_verdict, "fail") == 0) {
        strata_text_append(out, "**The campaign is invalid: plain against plain shows a "
                                "difference.**\n\n");
    }
}

static void write_ladder(const struct strata_ladder *ladder, struct strata_text *out)
{
    struct strata_table table = {0};
    struct strata_text texts[4] = {0}; /* title, finding, refutation, cost */
    static const char *const labels[] = {"## Ladder: ", "Bottleneck: ", "Refuted if ",
                                         "Encryption: "};
    strata_report_ladder_title(ladder, &texts[0]);
    strata_report_table_ladder(ladder, &table);
    strata_ladder_explain(ladder, &texts[1], &texts[2]);
    strata_ladder_explain_cost(ladder, &texts[3]);
    write_escaped(labels[0], strata_text_string(&texts[0]), "\n\n", out);
    strata_table_write_markdown(&table, out);
    for (size_t i = 1; i < 4; i++) {
        if (texts[i].length > 0) {
            write_escaped(labels[i], texts[i].bytes, ".\n\n", out);
        }
    }
    for (size_t i = 0; i < 4; i++) {
        strata_text_done(&texts[i]);
    }
    strata_table_done(&table);
}

static void write_headrooms(const struct strata_report *report, struct strata_text *out)
{
    for (size_t i = 0; i < report->headroom_count; i++) {
        struct strata_text headroom = {0};
        strata_report_headroom(&report->headrooms[i], &headroom);
        write_escaped("Cipher: ", strata_text_string(&headroom), ".\n\n", out);
        strata_text_done(&headroom);
    }
}

static void write_section(const char *heading, struct strata_table *table, struct strata_text *out)
{
    if (table->cell_count > 0) {
        strata_text_format(out, "## %s\n\n", heading);
        strata_table_write_markdown(table, out);
    }
    strata_table_done(table);
}

enum strata_status strata_report_markdown(struct strata_store *store, const char *campaign,
                                          struct strata_text *out, struct strata_error *error)
{
    struct strata_report report;
    enum strata_status status = strata_report_read(store, campaign, NULL, &report, error);
    if (status == STRATA_OK) {
        struct strata_table ciphers = {0};
        struct strata_table derivations = {0};
        struct strata_table backends = {0};
        struct strata_table versus = {0};
        struct strata_table steady = {0};
        struct strata_table steps = {0};
        struct strata_table troubles = {0};
        write_header(&report, out);
        for (size_t i = 0; i < 4; i++) {
            struct strata_table table = {0};
            struct strata_text summary = {0};
            strata_report_summary(&report, strata_report_layers[i].name, &summary);
            strata_report_table_cells(&report, strata_report_layers[i].name, &table);
            strata_text_format(out, "## %s\n\n", strata_report_layers[i].heading);
            write_escaped("", strata_text_string(&summary), ".\n\n", out);
            strata_table_write_markdown(&table, out);
            strata_text_done(&summary);
            strata_table_done(&table);
        }
        strata_report_table_ciphers(&report, &ciphers);
        strata_report_table_derivations(&report, &derivations);
        write_section(STRATA_REPORT_CIPHERS_HEADING, &ciphers, out);
        write_headrooms(&report, out);
        write_section(STRATA_REPORT_DERIVATIONS_HEADING, &derivations, out);
        for (size_t i = 0; i < report.ladders.count; i++) {
            write_ladder(&report.ladders.items[i], out);
        }
        strata_report_table_backends(&report, &backends);
        strata_report_table_versus(&report, &versus);
        strata_report_table_steady(&report, &steady);
        strata_report_table_steps(&report, &steps);
        strata_report_table_troubles(&report, &troubles);
        write_section(STRATA_REPORT_VERSUS_HEADING, &versus, out);
        write_section(STRATA_REPORT_STEADY_HEADING, &steady, out);
        write_section(STRATA_REPORT_STEPS_HEADING, &steps, out);
        write_section("Back ends", &backends, out);
        write_section("Runs without a valid rate", &troubles, out);
    }
    strata_report_done(&report);
    return status;
}
