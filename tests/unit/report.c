/* The pieces that reports are made of: escaping, tables, charts at their edges, and sentences. */
#include "common/analysis/control.h"
#include "common/analysis/ladder.h"
#include "common/report/charts.h"
#include "common/report/escape.h"
#include "common/report/paragraph.h"
#include "common/report/table.h"
#include "tests/unit/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void escaped(void (*escape)(struct strata_text *out, const char *text), const char *text,
                    const char *want)
{
    struct strata_text out = {0};
    escape(&out, text);
    CU_ASSERT_STRING_EQUAL(strata_text_string(&out), want);
    strata_text_done(&out);
}

static void names_are_escaped_for_each_format(void)
{
    escaped(strata_escape_html, "<a href='x'>\"&\x01",
            "&lt;a href=&#39;x&#39;&gt;&quot;&amp;\xef\xbf\xbd");
    escaped(strata_escape_terminal, "a\033[2Jb\nc\177 \xc2\x9b", "a?[2Jb?c? ?");
    escaped(strata_escape_terminal, "\xc3\xa4 \xe2\x82\xac", "\xc3\xa4 \xe2\x82\xac");
    escaped(strata_escape_markdown, "a|b<i>*x*\n", "a\\|b&lt;i>\\*x\\* ");
    escaped(strata_escape_csv, "plain", "plain");
    escaped(strata_escape_csv, "a,\"b\"", "\"a,\"\"b\"\"\"");
    escaped(strata_escape_csv, "=1+1", "\"'=1+1\"");
    escaped(strata_escape_csv, "", "");
    escaped(strata_escape_json, "{\"a\": \"\\u001b\x7f\xc2\x9b\xff\xc3\xa9\"}\n",
            "{\"a\": \"\\u001b\\u007f\\u009b\xef\xbf\xbd\xc3\xa9\"}\n");
    /* What a terminal obeys, in one byte and in two (U+009B), reaches it in no format. */
    escaped(strata_escape_terminal, "a\033[2J\xc2\x9b\x33\x31m\xc2\xa0", "a?[2J?31m\xc2\xa0");
    escaped(strata_escape_html, "a\033b\xc2\x9b\n",
            "a\xef\xbf\xbd"
            "b\xef\xbf\xbd\n");
    escaped(strata_escape_markdown, "a\033b\xc2\x9b", "a b ");
    escaped(strata_escape_csv, "a\033b\xc2\x9b\n", "\"a?b?\n\"");
    escaped(strata_escape_label, "a\033b\xc2\x9b\n", "a?b?\\n");
    escaped(strata_escape_label, "a\"b\\c\nd", "a\\\"b\\\\c\\nd");
}

static const struct strata_column columns[] = {{"name", false, STRATA_COLUMN_ABOVE},
                                               {"kind", false, STRATA_COLUMN_BESIDE},
                                               {"rate", true, STRATA_COLUMN_SPARE},
                                               {"empty", false, STRATA_COLUMN_BESIDE},
                                               {"why", false, STRATA_COLUMN_BELOW}};

static void fill(struct strata_table *table)
{
    static const char *const cells[] = {"\xc3\xa4", "x", "1",  "", "",
                                        "\xc3\xa4", "x", "22", "", "",
                                        "b<",       "x", "3|", "", "one two three"};
    *table = (struct strata_table){.columns = columns, .column_count = 5};
    for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
        strata_table_add(table, cells[i]);
    }
}

/* Characters count, not bytes; a value above is said once for the rows that share it; a column of
 * nothing is left out; what is too wide is lost or broken. */
static void a_table_as_text(void)
{
    struct strata_table table;
    struct strata_text out = {0};
    fill(&table);
    CU_ASSERT_FALSE(strata_table_write_text(&table, 1, 0, &out));
    CU_ASSERT_STRING_EQUAL(strata_text_string(&out), "   kind  rate\n"
                                                     " \xc3\xa4\n"
                                                     "   x        1\n"
                                                     "   x       22\n"
                                                     " b<\n"
                                                     "   x       3|\n"
                                                     "       one two three\n");
    strata_text_done(&out);
    CU_ASSERT_FALSE(strata_table_write_text(&table, 1, 13, &out));
    CU_ASSERT_PTR_NOT_NULL(strstr(strata_text_string(&out), "   kind  rate\n"));
    strata_text_done(&out);
    CU_ASSERT_TRUE(strata_table_write_text(&table, 1, 12, &out));
    CU_ASSERT_STRING_EQUAL(strata_text_string(&out), "   kind\n"
                                                     " \xc3\xa4\n"
                                                     "   x\n"
                                                     "   x\n"
                                                     " b<\n"
                                                     "   x\n"
                                                     "       one\n"
                                                     "       two\n"
                                                     "       three\n");
    strata_text_done(&out);
    strata_table_done(&table);
}

static void paragraph(unsigned width, const char *text, const char *want)
{
    struct strata_text out = {0};
    strata_paragraph_write(2, 4, text, width, &out);
    CU_ASSERT_STRING_EQUAL(strata_text_string(&out), want);
    strata_text_done(&out);
}

static void a_paragraph_breaks_at_blanks(void)
{
    paragraph(0, "one two three", "  one two three\n");
    paragraph(9, "one two three", "  one two\n    three\n");
    paragraph(8, "one two three", "  one\n    two\n    three\n");
    paragraph(8, "elephants do", "  elephants\n    do\n");
    paragraph(7, "\xc3\xa4\xc3\xa4 \xc3\xb6\xc3\xb6", "  \xc3\xa4\xc3\xa4 \xc3\xb6\xc3\xb6\n");
    paragraph(80, "a\033[2J\nb", "  a?[2J?b\n");
    paragraph(9, "one 10 % two", "  one\n    10 %\n    two\n");
    paragraph(0, "of 10 %, or (10 %).", "  of 10 %, or (10 %).\n");
    paragraph(80, "", "  \n");
}

static void a_table_as_markdown_and_html(void)
{
    struct strata_table table;
    struct strata_text markdown = {0};
    struct strata_text html = {0};
    fill(&table);
    strata_table_write_markdown(&table, &markdown);
    strata_table_write_html(&table, &html);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(strata_text_string(&markdown), "| b&lt; | x | 3\\| |  | one two three |"));
    CU_ASSERT_PTR_NOT_NULL(strstr(strata_text_string(&html), "<td class=\"word\">b&lt;</td>"));
    CU_ASSERT_PTR_NOT_NULL(strstr(strata_text_string(&html), "<td class=\"number\">22</td>"));
    CU_ASSERT_PTR_NULL(strstr(strata_text_string(&html), "empty"));
    strata_text_done(&markdown);
    strata_text_done(&html);
    strata_table_done(&table);
}

static void an_empty_table_is_nothing(void)
{
    struct strata_table table = {.columns = columns, .column_count = 5};
    struct strata_text out = {0};
    CU_ASSERT_FALSE(strata_table_write_text(&table, 2, 1, &out));
    strata_table_write_markdown(&table, &out);
    strata_table_write_html(&table, &out);
    CU_ASSERT_EQUAL(out.length, 0);
}

/* Every coordinate of a drawing is a number between 0 and `most`. */
static void drawn_within(const struct strata_text *drawing, double most)
{
    static const char *const names[] = {" x=\"",  " y=\"",  " x1=\"", " x2=\"",    " y1=\"",
                                        " y2=\"", " cx=\"", " cy=\"", " width=\"", " height=\""};
    const char *text = strata_text_string(drawing);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "</svg>\n"));
    for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
        for (const char *at = text; (at = strstr(at, names[n])) != NULL; at++) {
            char *end = NULL;
            double value = strtod(at + strlen(names[n]), &end);
            CU_ASSERT_EQUAL(*end, '"');
            CU_ASSERT_TRUE(isfinite(value) && value >= 0 && value <= most);
        }
    }
}

static void interval_chart(const struct strata_interval *items, size_t count, double margin)
{
    struct strata_text out = {0};
    strata_chart_intervals(items, count, margin, &out);
    drawn_within(&out, 1000);
    strata_text_done(&out);
}

static void charts_draw_at_their_edges(void)
{
    char label[] = "<x>";
    const struct strata_interval items[] = {
        {label, 0, 0, 0, "pass"},
        {label, 0.1, 0.1, 0.1, "inconclusive"},
        {label, NAN, NAN, NAN, "inconclusive"},
        {label, -4, -INFINITY, INFINITY, "inconclusive"},
        {label, 1, 1, 1, "fail"},
        {label, -1e9, -1e12, 0.5, "pass"},
    };
    interval_chart(items, 0, 0.1);
    for (size_t i = 0; i < 6; i++) {
        interval_chart(items + i, 1, 0.1);
        interval_chart(items + i, 1, 0);
    }
    interval_chart(items, 6, 1);
}

static void bars_draw_at_their_edges(void)
{
    char label[] =
        "a label that is far too long for the picture, with \xc3\xa4 and \xe2\x82\xac in it, "
        "which must be cut";
    const struct strata_bar_pair pairs[] = {
        {label, 0, 0, "0", "0"},          {label, NAN, 5, "", "5"}, {label, 7, NAN, "7", ""},
        {label, 1e-300, 1e300, "1", "2"}, {label, 3, 3, "3", "3"},
    };
    const struct strata_step steps[] = {
        {label, 0, NAN, false}, {label, NAN, 4, true}, {label, 4, 4, false}, {label, 8, 2, true}};
    for (size_t first = 0; first < 5; first++) {
        for (size_t count = 0; first + count <= 5; count++) {
            struct strata_text out = {0};
            strata_chart_pairs(pairs + first, count, &out);
            drawn_within(&out, 1000);
            strata_text_done(&out);
        }
    }
    for (size_t first = 0; first < 4; first++) {
        for (size_t count = 0; first + count <= 4; count++) {
            struct strata_text out = {0};
            strata_chart_steps(steps + first, count, &out);
            drawn_within(&out, 1000);
            strata_text_done(&out);
        }
    }
}

/* Bounds of five pairs are the ends. */
static void like_against_like(void)
{
    const double steady[] = {-0.01, 0.01, 0.005, -0.005, 0};
    const double shifted[] = {0.03, 0.04, 0.05, 0.035, 0.045};
    const double tiny[] = {0.003, 0.004, 0.005, 0.0035, 0.0045};
    const double noisy[] = {-0.3, 0.3, 0.1, -0.1, 0};
    CU_ASSERT_EQUAL(strata_control_verdict(steady, 5, 0.1, 0.02), STRATA_VERDICT_PASS);
    CU_ASSERT_EQUAL(strata_control_verdict(shifted, 5, 0.1, 0.02), STRATA_VERDICT_FAIL);
    CU_ASSERT_EQUAL(strata_control_verdict(shifted, 5, 0.1, 0.1), STRATA_VERDICT_PASS);
    CU_ASSERT_EQUAL(strata_control_verdict(tiny, 5, 0.1, 0.02), STRATA_VERDICT_PASS);
    CU_ASSERT_EQUAL(strata_control_verdict(noisy, 5, 0.1, 0.02), STRATA_VERDICT_INCONCLUSIVE);
    CU_ASSERT_EQUAL(strata_control_verdict(shifted, 4, 0.1, 0.02), STRATA_VERDICT_INCONCLUSIVE);
    CU_ASSERT_EQUAL(strata_control_verdict(shifted, 0, 0.1, 0.02), STRATA_VERDICT_INCONCLUSIVE);
}

static struct strata_rung rung(const char *layer, double mib_per_s, double efficiency, double cpu,
                               double disk)
{
    struct strata_rung made = {.backend = "place",
                               .runs = 5,
                               .ops_per_s = mib_per_s,
                               .bytes_per_s = mib_per_s * 1048576,
                               .efficiency = efficiency,
                               .share = NAN,
                               .loss_fraction = NAN,
                               .hidden_log_ratio = NAN,
                               .cpu_busy_fraction = cpu,
                               .pressure_io_fraction = NAN,
                               .disk = "vda",
                               .disk_busy_fraction = disk,
                               .amplification = NAN};
    strncpy(made.layer, layer, sizeof(made.layer) - 1);
    return made;
}

static void explained(const struct strata_ladder *ladder, const char *finding, const char *refuted)
{
    struct strata_text found = {0};
    struct strata_text refutation = {0};
    strata_ladder_explain(ladder, &found, &refutation);
    CU_ASSERT_STRING_EQUAL(strata_text_string(&found), finding);
    CU_ASSERT_STRING_EQUAL(strata_text_string(&refutation), refuted);
    strata_text_done(&found);
    strata_text_done(&refutation);
}

static void a_finding_says_no_more_than_its_evidence(void)
{
    struct strata_ladder ladder = {.match_key = "4096 B x 1", .phase = "read", .chain = "place"};
    ladder.rungs[0] = rung("device", 100, NAN, 0.3, 0.9);
    ladder.rung_count = 1;
    explained(&ladder,
              "nothing below the device layer (place) was measured, so no layer can be blamed", "");

    ladder.rungs[1] = rung("filesystem", 98, 0.98, 0.3, 0.9);
    ladder.rungs[1].bottleneck = true;
    ladder.rung_count = 2;
    explained(
        &ladder,
        "no layer is more than 5 % slower than the one below: the device layer is the limit, at "
        "100 MiB/s; disk vda was 90 % busy",
        "a faster disk below leaves the rate as it is");

    ladder.rungs[1] = rung("filesystem", 50, 0.5, 0.8, 0.79);
    ladder.rungs[1].bottleneck = true;
    explained(
        &ladder,
        "the file-system layer (place) holds it back: 50.0 MiB/s, 50 % of the 100 MiB/s of the "
        "device layer below; the processors of this machine were 80 % busy",
        "a machine with more or faster cores leaves the rate as it is");

    ladder.rungs[1].cpu_busy_fraction = NAN;
    explained(
        &ladder,
        "the file-system layer (place) holds it back: 50.0 MiB/s, 50 % of the 100 MiB/s of the "
        "device layer below; no resource that was watched reached 80 %, so it is waiting or "
        "serialised, unexplained",
        "doubled concurrency raises the rate: then latency was the limit, not a serial part");

    ladder.rungs[1].disk_busy_fraction = NAN;
    explained(
        &ladder,
        "the file-system layer (place) holds it back: 50.0 MiB/s, 50 % of the 100 MiB/s of the "
        "device layer below; its phases were too short for the kernel's counters, so the cause is "
        "unexplained",
        "longer runs bring the rate near that of the layer below");
}

/* What `make run` once saw: the service above delivered twice what the file system below did. */
static void a_contradicted_ladder_blames_nothing_below(void)
{
    struct strata_ladder ladder = {
        .match_key = "262144 B x 8", .phase = "read", .chain = "server", .encrypted = true};
    ladder.rungs[0] = rung("device", 737, NAN, NAN, NAN);
    ladder.rungs[1] = rung("filesystem", 38.8, 38.8 / 737, 0.99, NAN);
    ladder.rungs[2] = rung("service", 76.5, 76.5 / 38.8, 0.86, NAN);
    ladder.rungs[1].backend = "fscrypt";
    ladder.rungs[2].backend = "server";
    ladder.rungs[1].assumed = ladder.rungs[2].assumed = true;
    ladder.rungs[2].contradicted = true;
    ladder.rungs[1].loss_fraction = 0.94;
    ladder.rungs[2].loss_fraction = 0.02;
    ladder.rungs[2].hidden_log_ratio = 2.8;
    ladder.rung_count = 3;
    explained(&ladder,
              "the service layer (server) contradicts what is below it: 76.5 MiB/s is 197 % of the "
              "38.8 MiB/s of the file-system layer (fscrypt), so the assumption that it stands on "
              "it is wrong: declare with stands-on what server lies on",
              "longer runs find the service layer no faster than the one below");
    struct strata_text cost = {0};
    strata_ladder_explain_cost(&ladder, &cost);
    CU_ASSERT_STRING_EQUAL(strata_text_string(&cost), "no cost of encryption above 3 % shows in "
                                                      "the mean rate of any layer that was "
                                                      "compared");
    strata_text_done(&cost);

    ladder.rungs[2].assumed = false;
    explained(&ladder,
              "the service layer (server) contradicts what is below it: 76.5 MiB/s is 197 % of the "
              "38.8 MiB/s of the file-system layer (fscrypt), on which it is declared to stand: "
              "check the stands-on of server, and whether a cache answers for it",
              "longer runs find the service layer no faster than the one below");

    ladder.rungs[3] = rung("user", 38.25, 0.5, 0.95, NAN);
    ladder.rungs[3].backend = "server";
    ladder.rungs[3].bottleneck = true;
    ladder.rung_count = 4;
    explained(&ladder,
              "the service layer (server) contradicts what is below it: 76.5 MiB/s is 197 % of the "
              "38.8 MiB/s of the file-system layer (fscrypt), on which it is declared to stand: "
              "check the stands-on of server, and whether a cache answers for it; above that, the "
              "user layer (server) holds it back: 38.2 MiB/s, 50 % of the 76.5 MiB/s of the "
              "service layer below; the processors of this machine were 95 % busy",
              "longer runs find the service layer no faster than the one below; or if a machine "
              "with more or faster cores leaves the rate as it is");
}

static void a_contradiction_within_one_back_end_is_unsteady(void)
{
    struct strata_ladder ladder = {
        .match_key = "4096 B x 1", .phase = "read", .chain = "place", .encrypted = true};
    ladder.rungs[0] = rung("service", 40, NAN, NAN, NAN);
    ladder.rungs[1] = rung("user", 60, 1.5, NAN, NAN);
    ladder.rungs[1].contradicted = true;
    ladder.rungs[0].loss_fraction = 0.3;
    ladder.rungs[1].loss_fraction = 0;
    ladder.rung_count = 2;
    explained(&ladder,
              "the user layer (place) contradicts what is below it: 60.0 MiB/s is 150 % of the "
              "40.0 MiB/s of the service layer (place), the same back end: one of the two rates "
              "is not steady, so measure longer",
              "longer runs find the user layer no faster than the one below");
    struct strata_text cost = {0};
    strata_ladder_explain_cost(&ladder, &cost);
    CU_ASSERT_STRING_EQUAL(strata_text_string(&cost), "encryption costs most at the service layer: "
                                                      "30.0 % of the mean rate");
    strata_text_done(&cost);
}

static void assumptions_are_named(void)
{
    struct strata_ladder ladder = {.match_key = "4096 B x 1", .phase = "read", .chain = "place"};
    ladder.rungs[0] = rung("device", 100, NAN, 0.3, 0.9);
    ladder.rungs[1] = rung("service", 98, 0.98, 0.3, 0.9);
    ladder.rungs[1].bottleneck = ladder.rungs[1].assumed = true;
    ladder.rungs[1].backend = "server";
    ladder.rung_count = 2;
    explained(
        &ladder,
        "no layer is more than 5 % slower than the one below: the device layer is the limit, at "
        "100 MiB/s; disk vda was 90 % busy; assumed, since no stands-on says otherwise: server on "
        "place",
        "a faster disk below leaves the rate as it is");
}

static void where_encryption_shows(void)
{
    struct strata_ladder ladder = {
        .match_key = "4096 B x 1", .phase = "read", .chain = "place", .encrypted = true};
    struct strata_text found = {0};
    ladder.rungs[0] = rung("device", 50, NAN, NAN, NAN);
    ladder.rungs[1] = rung("service", 48, 0.96, NAN, NAN);
    ladder.rung_count = 2;
    strata_ladder_explain_cost(&ladder, &found);
    CU_ASSERT_EQUAL(found.length, 0); /* without a plain ladder nothing is known */
    ladder.rungs[0].loss_fraction = 0.5;
    ladder.rungs[1].loss_fraction = 0.04;
    ladder.rungs[1].hidden_log_ratio = log(0.96) - log(0.5);
    strata_ladder_explain_cost(&ladder, &found);
    CU_ASSERT_STRING_EQUAL(
        strata_text_string(&found),
        "encryption costs most at the device layer: 50.0 % of the mean rate; the "
        "service layer hides most of the cost below it (4.0 % there)");
    strata_text_done(&found);
}

static const struct harness_test tests[] = {
    {"names are escaped for each format", names_are_escaped_for_each_format},
    {"a table as text", a_table_as_text},
    {"a paragraph breaks at blanks", a_paragraph_breaks_at_blanks},
    {"a table as Markdown and HTML", a_table_as_markdown_and_html},
    {"an empty table is nothing", an_empty_table_is_nothing},
    {"interval charts draw with none, one, zero, equal and infinite values",
     charts_draw_at_their_edges},
    {"bar charts and waterfalls draw with none, one, zero and equal values",
     bars_draw_at_their_edges},
    {"like against like: shown, negligible, steady, noisy, too few", like_against_like},
    {"a finding says no more than its evidence", a_finding_says_no_more_than_its_evidence},
    {"a contradicted ladder blames nothing below", a_contradicted_ladder_blames_nothing_below},
    {"a contradiction within one back end is unsteady",
     a_contradiction_within_one_back_end_is_unsteady},
    {"assumptions are named", assumptions_are_named},
    {"where encryption's cost shows", where_encryption_shows},
};
HARNESS_MAIN("report", tests)
