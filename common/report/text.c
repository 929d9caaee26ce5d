/* The report on a terminal: each layer, the ladder, what went wrong, and last the findings and the
 * answer in short, since the end is what a terminal shows. */
#include "common/report/baseline.h"
#include "common/report/paragraph.h"
#include "common/report/report.h"
#include "common/report/summary.h"
#include "common/report/tables.h"
#include "common/report/versus.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_wanted(const char *layer, size_t number)
{
    return layer == NULL || strcmp(layer, strata_report_layers[number].name) == 0;
}

/* What all parts of one report share. */
struct page {
    const struct strata_report *report;
    const char *layer; /* the only one wanted, or NULL */
    unsigned width;    /* columns; 0: no limit */
    bool lost;         /* a table lost columns to the width */
    struct strata_text *out;
};

/* Each writes one paragraph. */
static void write_line(struct page *page, unsigned indent, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void write_line(struct page *page, unsigned indent, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = NULL;
    if (vasprintf(&text, format, arguments) >= 0) {
        strata_paragraph_write(indent, indent + 2, text, page->width, page->out);
        free(text);
    }
    va_end(arguments);
}

static void write_sentence(struct page *page, unsigned indent, const char *label,
                           struct strata_text *sentence)
{
    if (sentence->length > 0) {
        write_line(page, indent, "%s: %s.", label, sentence->bytes);
    }
    strata_text_done(sentence);
}

static void write_table(struct page *page, const char *heading, struct strata_table *table)
{
    if (table->cell_count > 0) {
        strata_text_format(page->out, "\n%s\n", heading);
        page->lost = strata_table_write_text(table, 2, page->width, page->out) || page->lost;
    }
    strata_table_done(table);
}

static void write_header(struct page *page)
{
    const struct strata_report *report = page->report;
    write_line(page, 0, "Campaign %s (%s), %s, strata %s", report->name, report->campaign.uuid,
               report->started, report->version);
    if (report->machine[0] != '\0') {
        write_line(page, 0, "%s", report->machine);
    }
    if (report->notice[0] != '\0') {
        write_line(page, 0, "%s", report->notice);
    }
    write_line(page, 0, "%ld runs ok, %ld not; margin %.0f %%", report->ok_runs, report->other_runs,
               100 * report->campaign.margin);
}

static void write_layer(struct page *page, size_t number)
{
    struct strata_table table = {0};
    strata_report_table_cells(page->report, strata_report_layers[number].name, &table);
    if (table.cell_count == 0) {
        strata_text_format(page->out, "\n%s: %s\n", strata_report_layers[number].heading,
                           strata_report_nothing(page->report, strata_report_layers[number].name));
    }
    write_table(page, strata_report_layers[number].heading, &table);
}

static void write_tables(struct page *page)
{
    struct strata_table ciphers = {0};
    struct strata_table derivations = {0};
    struct strata_table ladders = {0};
    struct strata_table backends = {0};
    struct strata_table versus = {0};
    struct strata_table steady = {0};
    struct strata_table steps = {0};
    struct strata_table troubles = {0};
    for (size_t i = 0; i < 4; i++) {
        if (is_wanted(page->layer, i)) {
            write_layer(page, i);
        }
    }
    strata_report_table_ciphers(page->report, &ciphers);
    strata_report_table_derivations(page->report, &derivations);
    strata_report_table_ladders(&page->report->ladders, &ladders);
    strata_report_table_backends(page->report, &backends);
    strata_report_table_versus(page->report, &versus);
    strata_report_table_steady(page->report, &steady);
    strata_report_table_steps(page->report, &steps);
    strata_report_table_troubles(page->report, &troubles);
    write_table(page, STRATA_REPORT_VERSUS_HEADING, &versus);
    write_table(page, STRATA_REPORT_STEADY_HEADING, &steady);
    write_table(page, STRATA_REPORT_STEPS_HEADING, &steps);
    write_table(page, STRATA_REPORT_CIPHERS_HEADING, &ciphers);
    write_table(page, STRATA_REPORT_DERIVATIONS_HEADING, &derivations);
    write_table(page, "Ladder: each layer against the one it stands on", &ladders);
    write_table(page, "Back ends", &backends);
    write_table(page, "Runs without a valid rate", &troubles);
}

static void write_legend(struct page *page)
{
    strata_text_append(page->out, "\nHow to read it\n");
    write_line(page, 2, "Rates are medians of the n valid runs (/s: operations per second)%s.",
               page->report->cell_count > 0
                   ? "; p50 and p99 of all valid runs of the back end, whatever their partner"
                   : "");
    if (strata_report_compares(page->report)) {
        write_line(
            page, 2,
            "Loss: of throughput by encryption, the Hodges-Lehmann estimate over n pairs with "
            "one-sided 95 %% bounds. Verdict: pass: less than the margin even at the upper "
            "bound; fail: more even at the lower; inconclusive: the bounds do not say, and "
            "more pairs (--pairs) narrow them. Two values are those of plain / encrypted.");
    }
    if (page->report->versus_count > 0) {
        write_line(page, 2,
                   "Change: of throughput against the other back end, estimated as a loss is, its "
                   "bounds one-sided 95 %%; rates are means over the n pairs. Verdict: faster or "
                   "slower where both bounds show it; no margin is applied.");
    }
    if (page->report->steady_count > 0) {
        write_line(
            page, 2,
            "Steady: the last five rounds differ by at most 20 %% of their mean (range), and "
            "their line moves by at most 10 %% of it (slope); only then there is a rate.");
    }
    if (page->report->ladders.count > 0) {
        write_line(page, 2,
                   "Efficiency: rate over that of the layer below; assumed: no stands-on says that "
                   "it lies there. Share: of the whole fall from the lowest layer to the highest.");
    }
    if (page->report->baseline_count > 0) {
        write_line(page, 2, "CPU of what ran in memory is that of Strata's own threads.");
    }
    if (page->report->cell_count > 0 || page->report->ladders.count > 0) {
        write_line(page, 2, "CPU is the whole machine's%s; per byte: encrypted over plain.",
                   page->report->baseline_count > 0 ? " elsewhere" : "");
    }
    write_line(page, 2, "Formulas: doc/methods.md.%s",
               page->lost
                   ? " Left out for the width: latency and more, which --markdown and --html "
                     "of strata report show."
                   : "");
}

static void write_ladder_findings(struct page *page, const struct strata_ladder *ladder)
{
    struct strata_text title = {0};
    struct strata_text finding = {0};
    struct strata_text refutation = {0};
    struct strata_text cost = {0};
    strata_report_ladder_title(ladder, &title);
    strata_ladder_explain(ladder, &finding, &refutation);
    strata_ladder_explain_cost(ladder, &cost);
    write_line(page, 2, "Ladder: %s", strata_text_string(&title));
    write_sentence(page, 4, "Bottleneck", &finding);
    write_sentence(page, 4, "Refuted if", &refutation);
    write_sentence(page, 4, "Encryption", &cost);
    strata_text_done(&title);
}

static void write_findings(struct page *page)
{
    const struct strata_report *report = page->report;
    strata_text_append(page->out, "\nFindings\n");
    for (size_t i = 0; i < 4; i++) {
        struct strata_text summary = {0};
        if (is_wanted(page->layer, i)) {
            strata_report_summary(report, strata_report_layers[i].name, &summary);
            write_sentence(page, 2, strata_report_layers[i].heading, &summary);
        }
    }
    for (size_t i = 0; i < report->headroom_count; i++) {
        struct strata_text headroom = {0};
        strata_report_headroom(&report->headrooms[i], &headroom);
        write_sentence(page, 2, "Cipher", &headroom);
    }
    for (size_t i = 0; i < report->ladders.count; i++) {
        write_ladder_findings(page, &report->ladders.items[i]);
    }
    if (report->control_verdict[0] == '\0') {
        write_line(page, 2, "A/A control: none.");
    } else {
        write_line(page, 2, "A/A control: %s (%s).", report->control_verdict,
                   report->control_reason);
    }
}

/* Last, so that it is what a terminal still shows. */
static void write_answers(struct page *page)
{
    struct strata_text bottleneck = {0};
    struct strata_text encryption = {0};
    strata_report_answer_bottleneck(page->report, &bottleneck);
    strata_report_answer_encryption(page->report, &encryption);
    if (bottleneck.length > 0 || encryption.length > 0 || page->report->versus_count > 0) {
        strata_text_append(page->out, "\nIn short\n");
    }
    write_sentence(page, 2, "Bottleneck", &bottleneck);
    write_sentence(page, 2, "Encryption", &encryption);
    for (size_t i = 0; i < page->report->versus_count;) {
        struct strata_text sentence = {0};
        i = strata_report_versus_sentence(page->report, i, &sentence);
        write_line(page, 2, "%s.", sentence.bytes);
        strata_text_done(&sentence);
    }
    if (strcmp(page->report->control_verdict, "fail") == 0) {
        write_line(page, 2,
                   "THE CAMPAIGN IS INVALID: plain against plain shows a difference, so no "
                   "comparison above can be trusted.");
    }
}

enum strata_status strata_report_text(struct strata_store *store, const char *campaign,
                                      const char *layer, unsigned width, struct strata_text *out,
                                      struct strata_error *error)
{
    struct strata_report report;
    enum strata_status status = strata_report_read(store, campaign, layer, &report, error);
    if (status == STRATA_OK) {
        struct page page = {.report = &report, .layer = layer, .width = width, .out = out};
        write_header(&page);
        write_tables(&page);
        write_legend(&page);
        write_findings(&page);
        write_answers(&page);
    }
    strata_report_done(&report);
    return status;
}
