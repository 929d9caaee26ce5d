#include "common/base/json.h"
#include "tests/unit/harness.h"

/* What the document should be, written with C's escapes. */
static void expect(const char *string, const char *wanted)
{
    struct strata_text text = {0};
    strata_json_string(&text, string);
    CU_ASSERT_STRING_EQUAL(strata_text_string(&text), wanted);
    strata_text_done(&text);
}

static void escapes(void)
{
    expect("", "\"\"");
    expect("a\"b\\c/", "\"a\\\"b\\\\c/\"");
    expect("\x01\t\n\x1f\x7f", "\"\\u0001\\u0009\\u000a\\u001f\\u007f\"");
    expect("\xC2\x9B\x33\x31m\xC2\xA0",
           "\"\\u009b31m\xC2\xA0\""); /* a terminal's CSI; a mere blank */
    expect("</script>", "\"</script>\"");
    expect(NULL, "null");
}

/* Sequences of Markus Kuhn's list of UTF-8 that decoders get wrong, and good ones at the edges. */
static void utf8(void)
{
    expect("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80", "\"\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80\"");
    expect("\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF",
           "\"\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF\"");
    expect("\xFF", "\"\xEF\xBF\xBD\"");
    expect("\x80x", "\"\xEF\xBF\xBDx\"");
    expect("\xE2\x82", "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");                 /* cut at the end */
    expect("\xC0\xAF", "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");                 /* overlong / */
    expect("\xED\xA0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""); /* a surrogate */
    expect("\xF4\x90\x80\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

static void names_and_commas(void)
{
    struct strata_text text = {0};
    strata_text_append(&text, "{");
    strata_json_name(&text, "a");
    strata_text_append(&text, "1");
    strata_json_name(&text, "b\"");
    strata_text_append(&text, "{}");
    strata_text_append(&text, "}");
    CU_ASSERT_STRING_EQUAL(strata_text_string(&text), "{\"a\": 1, \"b\\\"\": {}}");
    strata_text_done(&text);
}

static const struct harness_test tests[] = {
    {"quotes, backslashes and control characters are escaped", escapes},
    {"bytes that are not UTF-8 are replaced", utf8},
    {"members are parted by commas", names_and_commas},
};
HARNESS_MAIN("json", tests)
