/* The report as one page that needs nothing else: no script, no font, no request.
 *
 * Always holds: every text of the database is escaped; the page's policy forbids whatever an
 * escaped text could still ask for. Each chart says its unit and its n, and shows the query that
 * made it. */
#include "common/base/embedded.h"
#include "common/base/memory.h"
#include "common/base/units.h"
#include "common/report/baseline.h"
#include "common/report/charts.h"
#include "common/report/escape.h"
#include "common/report/report.h"
#include "common/report/summary.h"
#include "common/report/tables.h"
#include "common/report/versus.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_escaped(const char *before, const char *text, const char *after,
                          struct strata_text *out)
{
    strata_text_append(out, before);
    strata_escape_html(out, text);
    strata_text_append(out, after);
}

/* The query with its parameters filled in, so that it runs as it stands in sqlite3. */
static void write_query(const char *path, int64_t campaign_id, const char *layer,
                        struct strata_text *out)
{
    struct strata_text sql = {0};
    for (const char *at = strata_embedded_find(path); *at != '\0'; at++) {
        if (strncmp(at, "?1", 2) == 0) {
            strata_text_format(&sql, "%" PRId64, campaign_id);
            at++;
        } else if (strncmp(at, "?2", 2) == 0) {
            strata_text_format(&sql, "'%s'", layer);
            at++;
        } else {
            strata_text_append_bytes(&sql, at, 1);
        }
    }
    write_escaped("<details><summary>SQL</summary><pre>", strata_text_string(&sql),
                  "</pre></details>\n", out);
    strata_text_done(&sql);
}

static void write_head(const struct strata_report *report, struct strata_text *out)
{
    strata_text_append(out,
                       "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                       "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\"/>\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                       "<meta name=\"referrer\" content=\"no-referrer\"/>\n");
    write_escaped("<title>Strata: ", report->name, "</title>\n<style>\n", out);
    strata_text_append(out, strata_embedded_find("common/report/page.css"));
    strata_text_append(out, "</style>\n</head>\n<body>\n");
}

static void write_ladder_line(const struct strata_ladder *ladder, struct strata_text *out)
{
    struct strata_text title = {0};
    struct strata_text finding = {0};
    struct strata_text refutation = {0};
    strata_report_ladder_title(ladder, &title);
    strata_ladder_explain(ladder, &finding, &refutation);
    write_escaped("<li><b>", strata_text_string(&title), "</b>: ", out);
    write_escaped("", strata_text_string(&finding), ".</li>\n", out);
    strata_text_done(&title);
    strata_text_done(&finding);
    strata_text_done(&refutation);
}

static void write_answer(const char *label, struct strata_text *answer, struct strata_text *out)
{
    if (answer->length > 0) {
        strata_text_format(out, "<p><b>%s</b>: ", label);
        write_escaped("", answer->bytes, ".</p>\n", out);
    }
    strata_text_done(answer);
}

/* Whoever reads only this far knows the answer. */
static void write_verdict(const struct strata_report *report, struct strata_text *out)
{
    bool alarm = strcmp(report->control_verdict, "fail") == 0;
    write_escaped("<h1>", report->name, "</h1>\n<p class=\"facts\">", out);
    write_escaped("", report->started, ", strata ", out);
    write_escaped("", report->version, ", ", out);
    write_escaped("", report->machine, "<br/>", out);
    strata_text_format(out, "campaign %s</p>\n", report->campaign.uuid);
    if (report->notice[0] != '\0') {
        write_escaped("<p><b>", report->notice, "</b></p>\n", out);
    }
    struct strata_text bottleneck = {0};
    struct strata_text encryption = {0};
    strata_report_answer_bottleneck(report, &bottleneck);
    strata_report_answer_encryption(report, &encryption);
    strata_text_format(out, "<div class=\"verdict%s\">\n", alarm ? " alarm" : "");
    write_answer("Bottleneck", &bottleneck, out);
    write_answer("Encryption", &encryption, out);
    strata_text_append(out, "<ul>\n");
    if (alarm) {
        strata_text_append(out, "<li>The campaign is invalid: plain against plain shows a "
                                "difference.</li>\n");
    }
    for (size_t i = 0; i < 4; i++) {
        struct strata_text summary = {0};
        strata_report_summary(report, strata_report_layers[i].name, &summary);
        strata_text_format(out, "<li><b>%s</b>: ", strata_report_layers[i].heading);
        write_escaped("", strata_text_string(&summary), ".</li>\n", out);
        strata_text_done(&summary);
    }
    for (size_t i = 0; i < report->headroom_count; i++) {
        struct strata_text headroom = {0};
        strata_report_headroom(&report->headrooms[i], &headroom);
        write_escaped("<li><b>Cipher</b>: ", strata_text_string(&headroom), ".</li>\n", out);
        strata_text_done(&headroom);
    }
    for (size_t i = 0; i < report->ladders.count; i++) {
        write_ladder_line(&report->ladders.items[i], out);
    }
    for (size_t i = 0; i < report->versus_count;) {
        struct strata_text sentence = {0};
        i = strata_report_versus_sentence(report, i, &sentence);
        write_escaped("<li>", strata_text_string(&sentence), ".</li>\n", out);
        strata_text_done(&sentence);
    }
    strata_text_format(out,
                       "<li>%ld runs ok, %ld not; margin %.0f %%; A/A control: ", report->ok_runs,
                       report->other_runs, 100 * report->campaign.margin);
    if (report->control_verdict[0] != '\0') {
        write_escaped("", report->control_verdict, " (", out);
        write_escaped("", report->control_reason, ")", out);
    } else {
        strata_text_append(out, "none");
    }
    strata_text_append(out, ".</li>\n</ul>\n</div>\n");
}

/* What tells neighbours apart comes first, since a long label is cut at its end. */
static char *label_of(const struct strata_report_cell *cell)
{
    return strata_text_duplicate_format(
        "%s, n=%ld, %s: %s", cell->title,
        cell->pairs > 0 ? cell->pairs : cell->plain_runs + cell->encrypted_runs,
        cell->encrypted != NULL ? cell->encrypted : cell->plain, cell->workload);
}

static void write_loss_chart(const struct strata_report *report, const char *layer,
                             struct strata_text *out)
{
    struct strata_interval *items = strata_memory_new(report->cell_count + 1, sizeof(items[0]));
    size_t count = 0;
    for (size_t i = 0; i < report->cell_count; i++) {
        const struct strata_report_cell *cell = &report->cells[i];
        if (strcmp(cell->layer, layer) == 0 && isfinite(cell->loss_fraction)) {
            items[count++] = (struct strata_interval){.label = label_of(cell),
                                                      .estimate = cell->loss_fraction,
                                                      .low = cell->loss_optimistic_fraction,
                                                      .high = cell->loss_pessimistic_fraction,
                                                      .verdict = cell->verdict};
        }
    }
    strata_text_append(out,
                       "<figure><figcaption>Loss of throughput by encryption, % (dot: estimate; "
                       "line: one-sided 95 % bounds; dashed: margin; n pairs)</figcaption>\n");
    strata_chart_intervals(items, count, report->campaign.margin, out);
    write_query("common/report/cells.sql", report->campaign.id, layer, out);
    strata_text_append(out, "</figure>\n");
    for (size_t i = 0; i < count; i++) {
        free(items[i].label);
    }
    free(items);
}

static void write_rate_chart(const struct strata_report *report, const char *layer,
                             struct strata_text *out)
{
    struct strata_bar_pair *items = strata_memory_new(report->cell_count + 1, sizeof(items[0]));
    size_t count = 0;
    for (size_t i = 0; i < report->cell_count; i++) {
        const struct strata_report_cell *cell = &report->cells[i];
        if (strcmp(cell->layer, layer) != 0) {
            continue;
        }
        struct strata_bar_pair *pair = &items[count++];
        pair->label = label_of(cell);
        pair->first = cell->plain_ops_per_s;
        pair->second = cell->encrypted_ops_per_s;
        strata_report_rate(cell, false, pair->first_text, sizeof(pair->first_text));
        strata_report_rate(cell, true, pair->second_text, sizeof(pair->second_text));
    }
    strata_text_append(
        out, "<figure><figcaption>Median rate, <span class=\"key plain\">plain</span> and "
             "<span class=\"key encrypted\">encrypted</span>, each relative to its plain "
             "one (unit at the bar: operations/s or bytes/s; n pairs or runs)"
             "</figcaption>\n");
    strata_chart_pairs(items, count, out);
    write_query("common/report/cells.sql", report->campaign.id, layer, out);
    strata_text_append(out, "</figure>\n");
    for (size_t i = 0; i < count; i++) {
        free(items[i].label);
    }
    free(items);
}

static void write_layer(const struct strata_report *report, size_t number, struct strata_text *out)
{
    const char *layer = strata_report_layers[number].name;
    struct strata_table table = {0};
    strata_report_table_cells(report, layer, &table);
    strata_text_format(out, "<h2>%s</h2>\n", strata_report_layers[number].heading);
    if (table.cell_count == 0) {
        strata_text_format(out, "<p>%s.</p>\n", strata_report_nothing(report, layer));
    } else {
        strata_text_append(out, "<div class=\"charts\">\n");
        write_loss_chart(report, layer, out);
        write_rate_chart(report, layer, out);
        strata_text_append(out, "</div>\n");
        strata_table_write_html(&table, out);
    }
    strata_table_done(&table);
}

static void write_steps(const struct strata_report *report, const struct strata_ladder *ladder,
                        struct strata_text *out)
{
    struct strata_step steps[STRATA_RUNGS];
    for (size_t i = 0; i < ladder->rung_count; i++) {
        const struct strata_rung *rung = &ladder->rungs[i];
        char rate[32];
        char of_below[48] = "";
        if (isnan(rung->bytes_per_s)) {
            strata_units_format_operation_rate(rung->ops_per_s, rate, sizeof(rate));
        } else {
            strata_units_format_byte_rate(rung->bytes_per_s, rate, sizeof(rate));
        }
        if (!isnan(rung->efficiency)) {
            (void)snprintf(of_below, sizeof(of_below), ", %.0f %% of the layer below%s",
                           100 * rung->efficiency, rung->assumed ? " (assumed)" : "");
        }
        steps[i] = (struct strata_step){
            .label = strata_text_duplicate_format("%s (%s): %s%s, n=%ld", rung->layer,
                                                  rung->backend, rate, of_below, rung->runs),
            .value = rung->ops_per_s,
            .before = i > 0 ? ladder->rungs[i - 1].ops_per_s : NAN,
            .marked = rung == strata_ladder_bottleneck(ladder),
        };
    }
    strata_text_append(out, "<figure><figcaption>Mean rate at each layer, bytes/s; light: what the "
                            "layer loses of the one below; n runs</figcaption>\n");
    strata_chart_steps(steps, ladder->rung_count, out);
    write_query("common/analysis/ladder.sql", report->campaign.id, "", out);
    strata_text_append(out, "</figure>\n");
    for (size_t i = 0; i < ladder->rung_count; i++) {
        free(steps[i].label);
    }
}

static void write_ladder(const struct strata_report *report, const struct strata_ladder *ladder,
                         struct strata_text *out)
{
    static const char *const labels[] = {"<h3>", "<p>Bottleneck: ", "<p>Refuted if ",
                                         "<p>Encryption: "};
    struct strata_text texts[4] = {0}; /* title, finding, refutation, cost */
    struct strata_table table = {0};
    strata_report_ladder_title(ladder, &texts[0]);
    strata_ladder_explain(ladder, &texts[1], &texts[2]);
    strata_ladder_explain_cost(ladder, &texts[3]);
    strata_report_table_ladder(ladder, &table);
    write_escaped(labels[0], strata_text_string(&texts[0]), "</h3>\n", out);
    for (size_t i = 1; i < 4; i++) {
        if (texts[i].length > 0) {
            write_escaped(labels[i], texts[i].bytes, ".</p>\n", out);
        }
    }
    write_steps(report, ladder, out);
    strata_table_write_html(&table, out);
    for (size_t i = 0; i < 4; i++) {
        strata_text_done(&texts[i]);
    }
    strata_table_done(&table);
}

static void write_section(const char *heading, struct strata_table *table, struct strata_text *out)
{
    if (table->cell_count > 0) {
        strata_text_format(out, "<h2>%s</h2>\n", heading);
        strata_table_write_html(table, out);
    }
    strata_table_done(table);
}

enum strata_status strata_report_html(struct strata_store *store, const char *campaign,
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
        write_head(&report, out);
        write_verdict(&report, out);
        for (size_t i = 0; i < 4; i++) {
            write_layer(&report, i, out);
        }
        strata_report_table_ciphers(&report, &ciphers);
        strata_report_table_derivations(&report, &derivations);
        write_section(STRATA_REPORT_CIPHERS_HEADING, &ciphers, out);
        write_section(STRATA_REPORT_DERIVATIONS_HEADING, &derivations, out);
        strata_text_append(out, report.ladders.count > 0 ? "<h2>Ladder</h2>\n" : "");
        for (size_t i = 0; i < report.ladders.count; i++) {
            write_ladder(&report, &report.ladders.items[i], out);
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
        strata_text_append(out,
                           "<p class=\"facts\">Formulas and their sources: doc/methods.md.</p>\n"
                           "</body>\n</html>\n");
    }
    strata_report_done(&report);
    return status;
}
