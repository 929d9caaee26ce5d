/* Comma-separated values: records as RFC 4180 has them, and what is refused. */
#include "common/base/csv.h"
#include "common/base/text.h"
#include "tests/unit/harness.h"

#include <stdlib.h>

/* The fields of all records, each in brackets, records parted by blanks; or the message. */
static void expect(const char *input, const char *wanted)
{
    char *text = strata_text_duplicate(input);
    struct strata_csv csv = {.next = text};
    struct strata_error error = {0};
    struct strata_text got = {0};
    while (strata_csv_read(&csv, &error)) {
        strata_text_append(&got, got.length > 0 ? " " : "");
        for (size_t i = 0; i < csv.field_count; i++) {
            strata_text_format(&got, "[%s]", csv.fields[i]);
        }
    }
    CU_ASSERT_STRING_EQUAL(error.status != STRATA_OK ? error.text : strata_text_string(&got),
                           wanted);
    strata_text_done(&got);
    free(text);
}

static void records_and_fields(void)
{
    expect("", "");
    expect("a,b\n1,2\n", "[a][b] [1][2]");
    expect("a,b\r\n1,2", "[a][b] [1][2]");
    expect("\xef\xbb\xbf"
           "a,\n,b",
           "[a][] [][b]");
    expect("a\n\n\r\nb\n", "[a] [b]");
    expect(" a , b", "[ a ][ b]");
}

static void quoted_fields(void)
{
    expect("\"a,b\",c", "[a,b][c]");
    expect("\"say \"\"no\"\"\",\"\"", "[say \"no\"][]");
    expect("a\"b,c", "[a\"b][c]");
    expect("\"a\"b,c", "line 1: a quoted field does not end before a comma");
    expect("x\n\"a\nb\"", "line 2: a quoted field does not end before a comma");
    expect("\"", "line 1: a quoted field does not end before a comma");
}

static void lines_are_counted_and_fields_limited(void)
{
    char text[] = "a\n\nb\n";
    struct strata_csv csv = {.next = text};
    struct strata_error error = {0};
    CU_ASSERT_TRUE(strata_csv_read(&csv, &error));
    CU_ASSERT_EQUAL(csv.line, 1);
    CU_ASSERT_TRUE(strata_csv_read(&csv, &error));
    CU_ASSERT_EQUAL(csv.line, 3);
    struct strata_text commas = {0};
    for (int i = 0; i < STRATA_CSV_MOST_FIELDS; i++) {
        strata_text_append(&commas, ",");
    }
    expect(strata_text_string(&commas), "line 1: more than 64 fields");
    strata_text_done(&commas);
}

static const struct harness_test tests[] = {
    {"records and fields", records_and_fields},
    {"quoted fields", quoted_fields},
    {"lines are counted, fields limited", lines_are_counted_and_fields_limited},
};
HARNESS_MAIN("csv", tests)
