/* Sizes, times, counts and shares: taken exactly, or refused with the text and what was expected.
 */
#include "common/base/units.h"
#include "tests/unit/harness.h"

#include <math.h>
#include <string.h>

struct size_case {
    const char *text;
    uint64_t bytes;
};

static void sizes_are_exact(void)
{
    static const struct size_case cases[] = {
        {"0", 0},
        {"512", 512},
        {"0512", 512},
        {"4KiB", 4096},
        {"4k", 4096},
        {"4K", 4096},
        {"4kB", 4000},
        {"256KiB", 262144},
        {"1.5MiB", 1572864},
        {"0.5k", 512},
        {"1.0", 1},
        {"1.25kB", 1250},
        {"1286KiB", 1316864},
        {"1286kB", 1286000},
        {"16M", 16777216},
        {"16MB", 16000000},
        {"3GiB", UINT64_C(3221225472)},
        {"2GB", UINT64_C(2000000000)},
        {"2G", UINT64_C(2147483648)},
        {"1TiB", UINT64_C(1099511627776)},
        {"1T", UINT64_C(1099511627776)},
        {"1TB", UINT64_C(1000000000000)},
        {"9223372036854775807", UINT64_C(9223372036854775807)},
        {"8388607TiB", UINT64_C(9223370937343148032)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct strata_error error = {0};
        uint64_t bytes = 1;
        CU_ASSERT_EQUAL(strata_units_parse_size(cases[i].text, &bytes, &error), STRATA_OK);
        CU_ASSERT_EQUAL(bytes, cases[i].bytes);
    }
}

static void anything_else_is_no_size(void)
{
    static const char *const texts[] = {
        "",      " ",          "4 KiB", " 4KiB", "4KiB ", "4Ki",       "4KB",    "4kib", "4KIB",
        "4kiB",  "4B",         "4b",    "4m",    "4g",    "-1",        "-1k",    "+4k",  "0x10",
        "1e3",   "1e3k",       ".5k",   "1.k",   "1.",    "1..5k",     "1.5.5k", "1,5k", "1,024",
        "k",     "KiB",        "٤",     "４",    "4K\n",  "\t4",       "inf",    "nan",  "4KiB4KiB",
        "1_000", "1.0000000k", "4%",    "4ms",   "\xff",  "4\xc2\xb5",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct strata_error error = {0};
        uint64_t bytes = 77;
        CU_ASSERT_EQUAL(strata_units_parse_size(texts[i], &bytes, &error), STRATA_USAGE);
        CU_ASSERT_EQUAL(error.status, STRATA_USAGE);
        CU_ASSERT_EQUAL(bytes, 77);
        CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "is not a size such as"));
    }
    struct strata_error error = {0};
    uint64_t bytes = 0;
    (void)strata_units_parse_size("4 KiB", &bytes, &error);
    CU_ASSERT_STRING_EQUAL(
        error.text, "'4 KiB' is not a size such as 512, 4KiB (4096), 4k (4096) or 4kB (4000)");
}

static void sizes_that_do_not_fit_are_refused(void)
{
    static const char *const texts[] = {
        "99999999999GiB",
        "9223372036854775808",
        "18446744073709551616",
        "8388608TiB",
        "8388607.9999999TiB",
        "36893488147419103232",
        "99999999999999999999999999999999999999999999999999999999999999999999",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct strata_error error = {0};
        uint64_t bytes = 77;
        CU_ASSERT_EQUAL(strata_units_parse_size(texts[i], &bytes, &error), STRATA_USAGE);
        CU_ASSERT_EQUAL(bytes, 77);
    }
    struct strata_error error = {0};
    uint64_t bytes = 0;
    (void)strata_units_parse_size("99999999999GiB", &bytes, &error);
    CU_ASSERT_STRING_EQUAL(error.text, "'99999999999GiB' is more than 9223372036854775807 bytes");
    /* The whole part fits, the fraction takes it past the end. */
    CU_ASSERT_EQUAL(strata_units_parse_size("8388607.999999TiB", &bytes, &error), STRATA_USAGE);
    CU_ASSERT_STRING_EQUAL(error.text, "'8388607.999999TiB' is not a whole number of bytes");
    CU_ASSERT_EQUAL(strata_units_parse_size("0.3KiB", &bytes, &error), STRATA_USAGE);
    CU_ASSERT_STRING_EQUAL(error.text, "'0.3KiB' is not a whole number of bytes");
    CU_ASSERT_EQUAL(strata_units_parse_size("1.5", &bytes, &error), STRATA_USAGE);
}

static void a_long_refused_text_leaves_room_for_the_expectation(void)
{
    char text[2000];
    memset(text, '7', sizeof text - 2);
    text[sizeof text - 2] = 'x';
    text[sizeof text - 1] = '\0';
    struct strata_error error = {0};
    uint64_t bytes = 0;
    CU_ASSERT_EQUAL(strata_units_parse_size(text, &bytes, &error), STRATA_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "7...' is not a size such as"));
}

static void durations_are_exact(void)
{
    static const struct size_case cases[] = {
        {"0", 0},
        {"0s", 0},
        {"500ms", UINT64_C(500000000)},
        {"1.5s", UINT64_C(1500000000)},
        {"30s", UINT64_C(30000000000)},
        {"5m", UINT64_C(300000000000)},
        {"1h", UINT64_C(3600000000000)},
        {"0.000001ms", 1},
        {"2562047h", UINT64_C(9223369200000000000)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct strata_error error = {0};
        uint64_t ns = 1;
        CU_ASSERT_EQUAL(strata_units_parse_duration(cases[i].text, &ns, &error), STRATA_OK);
        CU_ASSERT_EQUAL(ns, cases[i].bytes);
    }
    static const char *const refused[] = {"",     "5",    "-5s",      "5 s",   "5S",
                                          "5sec", "5min", "1d",       "5us",   "1:30",
                                          "0x5s", "s",    "2562048h", "1h30m", "٣s"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct strata_error error = {0};
        uint64_t ns = 77;
        CU_ASSERT_EQUAL(strata_units_parse_duration(refused[i], &ns, &error), STRATA_USAGE);
        CU_ASSERT_EQUAL(ns, 77);
    }
    struct strata_error error = {0};
    uint64_t ns = 0;
    (void)strata_units_parse_duration("5", &ns, &error);
    CU_ASSERT_STRING_EQUAL(error.text, "'5' is not a time such as 500ms, 30s, 5m or 1h");
}

static void counts_are_whole_numbers(void)
{
    struct strata_error error = {0};
    uint64_t count = 0;
    CU_ASSERT_EQUAL(strata_units_parse_count("0", &count, &error), STRATA_OK);
    CU_ASSERT_EQUAL(count, 0);
    CU_ASSERT_EQUAL(strata_units_parse_count("9223372036854775807", &count, &error), STRATA_OK);
    CU_ASSERT_EQUAL(count, UINT64_C(9223372036854775807));
    static const char *const refused[] = {"",    "-1",  "+1",   " 1",  "1 ", "1k",
                                          "1.0", "1.5", "0x10", "1e3", "٤",  "9223372036854775808"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        count = 77;
        CU_ASSERT_EQUAL(strata_units_parse_count(refused[i], &count, &error), STRATA_USAGE);
        CU_ASSERT_EQUAL(count, 77);
    }
    (void)strata_units_parse_count("-1", &count, &error);
    CU_ASSERT_STRING_EQUAL(error.text, "'-1' is not a whole number such as 8");
}

static void shares_and_decimals_round_as_the_compiler_does(void)
{
    static const struct {
        const char *text;
        double value;
    } shares[] = {{"10%", 0.1}, {"0.1", 0.1},     {"0%", 0},         {"100%", 1},
                  {"1", 1},     {"12.5%", 0.125}, {"0.07%", 0.0007}, {"33.3%", 0.333}};
    struct strata_error error = {0};
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        double value = -1;
        CU_ASSERT_EQUAL(strata_units_parse_fraction(shares[i].text, &value, &error), STRATA_OK);
        CU_ASSERT_DOUBLE_EQUAL(value, shares[i].value, 0);
    }
    static const char *const refused[] = {"",    "%",  "101%", "1.1",  "-5%", "5 %",
                                          "5%%", ".1", "1.",   "1e-1", "nan", "10 percent"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        double value = -1;
        CU_ASSERT_EQUAL(strata_units_parse_fraction(refused[i], &value, &error), STRATA_USAGE);
        CU_ASSERT_DOUBLE_EQUAL(value, -1, 0);
    }
    double value = -1;
    CU_ASSERT_EQUAL(strata_units_parse_decimal("1500", &value, &error), STRATA_OK);
    CU_ASSERT_DOUBLE_EQUAL(value, 1500, 0);
    CU_ASSERT_EQUAL(strata_units_parse_decimal("0.7", &value, &error), STRATA_OK);
    CU_ASSERT_DOUBLE_EQUAL(value, 0.7, 0);
    CU_ASSERT_EQUAL(strata_units_parse_decimal("1e6", &value, &error), STRATA_USAGE);
    CU_ASSERT_EQUAL(strata_units_parse_decimal("1234567890123456", &value, &error), STRATA_USAGE);
    CU_ASSERT_EQUAL(strata_units_parse_decimal("-0.5", &value, &error), STRATA_USAGE);
}

static void numbers_are_written_for_reading(void)
{
    char buffer[32];
#define SIZE(bytes, text)                                                                          \
    CU_ASSERT_STRING_EQUAL(strata_units_format_size(bytes, buffer, sizeof buffer), text)
    SIZE(0, "0 B");
    SIZE(512, "512 B");
    SIZE(1000, "1000 B");
    SIZE(1316864, "1286 KiB");
    SIZE(10241, "10.0 KiB");
    SIZE(262144, "256 KiB");
    SIZE(1572864, "1536 KiB");
    SIZE(UINT64_C(1073741824), "1 GiB");
    SIZE(UINT64_C(1073741823), "1.00 GiB");
    SIZE(UINT64_C(1315859), "1.25 MiB");
    SIZE(UINT64_MAX, "16.0 EiB");
#define BYTE_RATE(rate, text)                                                                      \
    CU_ASSERT_STRING_EQUAL(strata_units_format_byte_rate(rate, buffer, sizeof buffer), text)
    BYTE_RATE(0.0, "0.00 B/s");
    BYTE_RATE(1289748.48, "1.23 MiB/s");
    BYTE_RATE(1023.6, "1.00 KiB/s");
    BYTE_RATE(104857600.0, "100 MiB/s");
    BYTE_RATE((double)NAN, "-");
#define RATE(rate, text)                                                                           \
    CU_ASSERT_STRING_EQUAL(strata_units_format_operation_rate(rate, buffer, sizeof buffer), text)
    RATE(12345.0, "12.3 k/s");
    RATE(999.4, "999 /s");
    RATE(999.6, "1.00 k/s");
    RATE(4.6e6, "4.60 M/s");
    RATE((double)INFINITY, "-");
#define TIME(ns, text)                                                                             \
    CU_ASSERT_STRING_EQUAL(strata_units_format_duration(ns, buffer, sizeof buffer), text)
    TIME(0, "0 ns");
    TIME(999, "999 ns");
    TIME(1000, "1.00 us");
    TIME(1250000, "1.25 ms");
    TIME(999600, "1.00 ms");
    TIME(UINT64_C(30000000000), "30.0 s");
    TIME(UINT64_C(99400000000), "99.4 s");
    TIME(UINT64_C(125000000000), "2 min 05 s");
    TIME(UINT64_C(3720000000000), "1 h 02 min");
    TIME(UINT64_MAX, "5124095 h 34 min");
    char small[4];
    CU_ASSERT_STRING_EQUAL(strata_units_format_size(262144, small, sizeof small), "256");
}

static const struct harness_test tests[] = {
    {"sizes are exact (D6)", sizes_are_exact},
    {"anything else is no size (D6)", anything_else_is_no_size},
    {"sizes that do not fit are refused", sizes_that_do_not_fit_are_refused},
    {"a long refused text leaves room for the expectation",
     a_long_refused_text_leaves_room_for_the_expectation},
    {"durations are exact", durations_are_exact},
    {"counts are whole numbers", counts_are_whole_numbers},
    {"shares and decimals round as the compiler does",
     shares_and_decimals_round_as_the_compiler_does},
    {"numbers are written for reading", numbers_are_written_for_reading},
};

HARNESS_MAIN("units", tests)
