/* The report on a terminal: each layer, the ladder, what went wrong, and last the findings, since
 * the end is what a terminal shows. */
#include "common/report/escape.h"
#include "common/report/report.h"
#include "common/report/tables.h"

#include <string.h>

static bool is_wanted(const char *layer, size_t number)
{
    return layer == NULL || strcmp(layer, strata_report_layers[number].name) == 0;
}

static void write_header(const struct strata_report *report, struct strata_text *out)
{
    strata_text_append(out, "Campaign ");
    strata_escape_terminal(out, report->name);
    strata_text_format(out, " (%s), %s, strata %s\n", report->campaign.uuid, report->started,
                       report->version);
    if (report->machine[0] != '\0') {
        strata_escape_terminal(out, report->machine);
        strata_text_append(out, "\n");
    }
    strata_text_format(out, "%ld runs ok, %ld not; margin %.0f %%\n", report->ok_runs,
                       report->other_runs, 100 * report->campaign.margin);
}

static void write_layer(const struct strata_report *report, size_t number, struct strata_text *out)
{
    struct strata_table table = {0};
    strata_report_table_cells(report, strata_report_layers[number].name, &table);
    strata_text_format(out, "\n%s%s\n", strata_report_layers[number].heading,
                       table.cell_count > 0 ? "" : ": no run");
    strata_table_write_text(&table, 2, out);
    strata_table_done(&table);
}

static void write_ladder(const struct strata_ladder *ladder, struct strata_text *out)
{
    struct strata_table table = {0};
    struct strata_text title = {0};
    strata_report_ladder_title(ladder, &title);
    strata_report_table_ladder(ladder, &table);
    strata_text_append(out, "\nLadder: ");
    strata_escape_terminal(out, strata_text_string(&title));
    strata_text_append(out, "\n");
    strata_table_write_text(&table, 2, out);
    strata_table_done(&table);
    strata_text_done(&title);
}

static void write_section(const char *heading, struct strata_table *table, struct strata_text *out)
{
    if (table->cell_count > 0) {
        strata_text_format(out, "\n%s\n", heading);
        strata_table_write_text(table, 2, out);
    }
    strata_table_done(table);
}

static void write_sentence(const char *label, struct strata_text *sentence, struct strata_text *out)
{
    if (sentence->length > 0) {
        strata_text_format(out, "  %s: ", label);
        strata_escape_terminal(out, sentence->bytes);
        strata_text_append(out, ".\n");
    }
    strata_text_done(sentence);
}

static void write_ladder_findings(const struct strata_ladder *ladder, struct strata_text *out)
{
    struct strata_text title = {0};
    struct strata_text finding = {0};
    struct strata_text refutation = {0};
    struct strata_text cost = {0};
    strata_report_ladder_title(ladder, &title);
    strata_ladder_explain(ladder, &finding, &refutation);
    strata_ladder_explain_cost(ladder, &cost);
    strata_text_append(out, "  Ladder: ");
    strata_escape_terminal(out, strata_text_string(&title));
    strata_text_append(out, "\n");
    write_sentence("  Bottleneck", &finding, out);
    write_sentence("  Refuted if", &refutation, out);
    write_sentence("  Encryption", &cost, out);
    strata_text_done(&title);
}

static void write_control(const struct strata_report *report, struct strata_text *out)
{
    if (report->control_verdict[0] == '\0') {
        strata_text_append(out, "  A/A control: none.\n");
        return;
    }
    strata_text_format(out, "  A/A control: %s (%s).\n", report->control_verdict,
                       report->control_reason);
    if (strcmp(report->control_verdict, "fail") == 0) {
        strata_text_append(out, "  THE CAMPAIGN IS INVALID: plain against plain shows a "
                                "difference, so no comparison\n  above can be trusted.\n");
    }
}

static void write_findings(const struct strata_report *report, const char *layer,
                           struct strata_text *out)
{
    strata_text_append(out, "\nFindings\n");
    for (size_t i = 0; i < 4; i++) {
        struct strata_text summary = {0};
        if (is_wanted(layer, i)) {
            strata_report_summary(report, strata_report_layers[i].name, &summary);
            write_sentence(strata_report_layers[i].heading, &summary, out);
        }
    }
    for (size_t i = 0; i < report->ladders.count; i++) {
        write_ladder_findings(&report->ladders.items[i], out);
    }
    write_control(report, out);
}

static void write_report(const struct strata_report *report, const char *layer,
                         struct strata_text *out)
{
    struct strata_table backends = {0};
    struct strata_table troubles = {0};
    write_header(report, out);
    for (size_t i = 0; i < 4; i++) {
        if (is_wanted(layer, i)) {
            write_layer(report, i, out);
        }
    }
    for (size_t i = 0; i < report->ladders.count; i++) {
        write_ladder(&report->ladders.items[i], out);
    }
    strata_report_table_backends(report, &backends);
    strata_report_table_troubles(report, &troubles);
    write_section("Back ends", &backends, out);
    write_section("Runs without a valid rate", &troubles, out);
    strata_text_append(out,
                       "\nRates are medians of the valid runs (/s: operations per second); loss is "
                       "the Hodges-Lehmann\nestimate over n pairs with one-sided 95 % bounds; CPU "
                       "is the whole machine's, plain / encrypted.\nEfficiency: rate over that of "
                       "the layer below; assumed:\nno stands-on says that it lies there. Formulas: "
                       "doc/methods.md.\n");
    write_findings(report, layer, out);
}

enum strata_status strata_report_text(struct strata_store *store, const char *campaign,
                                      const char *layer, struct strata_text *out,
                                      struct strata_error *error)
{
    struct strata_report report;
    enum strata_status status = strata_report_read(store, campaign, layer, &report, error);
    if (status == STRATA_OK) {
        write_report(&report, layer, out);
    }
    strata_report_done(&report);
    return status;
}
