/* Numbers with units, as users write them and as they read them.
 *
 * Always holds: a text is taken exactly or refused with its text and what was expected. No
 * rounding, no sign, no space, no exponent, no hexadecimal, no digits but ASCII's, whatever the
 * locale. */
#include "common/base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct unit {
    const char *name;
    uint64_t factor;
};

/* Bare k, M, G, T are powers of 1024 as fio and dd have them; "KB" is left out, as it is read both
 * ways. */
static const struct unit size_units[] = {
    {"", 1},
    {"k", UINT64_C(1) << 10},
    {"K", UINT64_C(1) << 10},
    {"KiB", UINT64_C(1) << 10},
    {"kB", 1000},
    {"M", UINT64_C(1) << 20},
    {"MiB", UINT64_C(1) << 20},
    {"MB", 1000000},
    {"G", UINT64_C(1) << 30},
    {"GiB", UINT64_C(1) << 30},
    {"GB", 1000000000},
    {"T", UINT64_C(1) << 40},
    {"TiB", UINT64_C(1) << 40},
    {"TB", UINT64_C(1000000000000)},
    {NULL, 0},
};

static const struct unit duration_units[] = {
    {"ms", UINT64_C(1000000)},
    {"s", UINT64_C(1000000000)},
    {"m", UINT64_C(60) * 1000000000},
    {"h", UINT64_C(3600) * 1000000000},
    {NULL, 0},
};

static const struct unit count_units[] = {{"", 1}, {NULL, 0}};

#define NS_PER_S             UINT64_C(1000000000)
#define LARGEST              ((uint64_t)INT64_MAX)
#define MOST_FRACTION_DIGITS 6  /* 10^6 times the largest factor is below 2^63 */
#define MOST_DECIMAL_DIGITS  15 /* below 2^53: one division then rounds correctly */

enum outcome { TAKEN, MALFORMED, TOO_LARGE, NOT_WHOLE };

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static const struct unit *find_unit(const struct unit *units, const char *name)
{
    for (; units->name != NULL; units++) {
        if (strcmp(units->name, name) == 0) {
            return units;
        }
    }
    return NULL;
}

/* DIGITS[.DIGITS]UNIT as a whole number of the base unit. */
static enum outcome parse_scaled(const char *text, const struct unit *units, uint64_t *ret_value)
{
    const char *next = text;
    uint64_t whole = 0;
    bool overflow = false;
    if (!is_digit(*next)) {
        return MALFORMED;
    }
    for (; is_digit(*next); next++) {
        uint64_t digit = (uint64_t)(*next - '0');
        overflow = overflow || whole > (LARGEST - digit) / 10;
        whole = overflow ? whole : whole * 10 + digit;
    }
    uint64_t fraction = 0;
    uint64_t fraction_scale = 1;
    if (*next == '.') {
        const char *first = ++next;
        for (; is_digit(*next) && next - first < MOST_FRACTION_DIGITS; next++) {
            fraction = fraction * 10 + (uint64_t)(*next - '0');
            fraction_scale *= 10;
        }
        if (next == first) {
            return MALFORMED;
        }
    }
    const struct unit *unit = find_unit(units, next);
    if (unit == NULL) {
        return MALFORMED;
    }
    if (overflow || whole > LARGEST / unit->factor) {
        return TOO_LARGE;
    }
    uint64_t part = fraction * unit->factor;
    if (part % fraction_scale != 0) {
        return NOT_WHOLE;
    }
    uint64_t value = whole * unit->factor;
    if (value > LARGEST - part / fraction_scale) {
        return TOO_LARGE;
    }
    *ret_value = value + part / fraction_scale;
    return TAKEN;
}

/* How much of a refused text its message repeats: enough to recognise it, never too much to leave
 * no room for what was expected. */
#define SHOWN 80

static enum strata_status refuse(struct strata_error *error, const char *text, const char *reason)
{
    bool cut = strlen(text) > SHOWN;
    return strata_error_set(error, STRATA_USAGE, "'%.*s%s' %s", SHOWN, text, cut ? "..." : "",
                            reason);
}

enum strata_status strata_units_parse_size(const char *text, uint64_t *ret_bytes,
                                           struct strata_error *error)
{
    switch (parse_scaled(text, size_units, ret_bytes)) {
    case TAKEN:
        return STRATA_OK;
    case TOO_LARGE:
        return refuse(error, text, "is more than 9223372036854775807 bytes");
    case NOT_WHOLE:
        return refuse(error, text, "is not a whole number of bytes");
    case MALFORMED:
        break;
    }
    return refuse(error, text, "is not a size such as 512, 4KiB (4096), 4k (4096) or 4kB (4000)");
}

enum strata_status strata_units_parse_duration(const char *text, uint64_t *ret_ns,
                                               struct strata_error *error)
{
    if (strcmp(text, "0") == 0) {
        *ret_ns = 0;
        return STRATA_OK;
    }
    switch (parse_scaled(text, duration_units, ret_ns)) {
    case TAKEN:
        return STRATA_OK;
    case TOO_LARGE:
        return refuse(error, text, "is longer than 2562047h");
    case NOT_WHOLE:
        return refuse(error, text, "is not a whole number of nanoseconds");
    case MALFORMED:
        break;
    }
    return refuse(error, text, "is not a time such as 500ms, 30s, 5m or 1h");
}

enum strata_status strata_units_parse_count(const char *text, uint64_t *ret_count,
                                            struct strata_error *error)
{
    uint64_t count;
    enum outcome outcome =
        strchr(text, '.') == NULL ? parse_scaled(text, count_units, &count) : MALFORMED;
    if (outcome == TOO_LARGE) {
        return refuse(error, text, "is more than 9223372036854775807");
    }
    if (outcome != TAKEN) {
        return refuse(error, text, "is not a whole number such as 8");
    }
    *ret_count = count;
    return STRATA_OK;
}

/* DIGITS[.DIGITS] in the first `length` bytes, divided by 10^shift: digits as an integer and one
 * division, which IEEE 754 rounds correctly up to 15 digits. */
static bool parse_decimal(const char *text, size_t length, unsigned shift, double *ret_value)
{
    uint64_t digits = 0;
    size_t digit_count = 0;
    size_t point = length;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '.' && point == length && i > 0 && i + 1 < length) {
            point = i;
        } else if (is_digit(text[i]) && digit_count < MOST_DECIMAL_DIGITS) {
            digits = digits * 10 + (uint64_t)(text[i] - '0');
            digit_count++;
        } else {
            return false;
        }
    }
    if (digit_count == 0) {
        return false;
    }
    size_t after_point = point < length ? length - point - 1 : 0;
    double scale = 1;
    for (size_t i = 0; i < after_point + shift; i++) {
        scale *= 10;
    }
    *ret_value = (double)digits / scale;
    return true;
}

enum strata_status strata_units_parse_fraction(const char *text, double *ret_fraction,
                                               struct strata_error *error)
{
    size_t length = strlen(text);
    bool percent = length > 0 && text[length - 1] == '%';
    double fraction;
    if (!parse_decimal(text, percent ? length - 1 : length, percent ? 2 : 0, &fraction)) {
        return refuse(error, text, "is not a share such as 10% or 0.1");
    }
    if (fraction > 1) {
        return refuse(error, text, "is not between 0 and 1 (0% and 100%)");
    }
    *ret_fraction = fraction;
    return STRATA_OK;
}

enum strata_status strata_units_parse_decimal(const char *text, double *ret_value,
                                              struct strata_error *error)
{
    if (!parse_decimal(text, strlen(text), 0, ret_value)) {
        return refuse(error, text,
                      "is not a decimal number such as 1500 or 0.5 of at most 15 digits");
    }
    return STRATA_OK;
}

/* Three significant digits, without an exponent. */
static char *format_scaled(double value, const char *unit, char *buffer, size_t size)
{
    int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    (void)snprintf(buffer, size, "%.*f %s", decimals, value, unit);
    return buffer;
}

/* Scale by `step` until fewer than `step` remain after rounding to whole numbers. */
static double scale_down(double value, double step, size_t steps, size_t *ret_index)
{
    size_t index = 0;
    while (index + 1 < steps && value >= step - 0.5) {
        value /= step;
        index++;
    }
    *ret_index = index;
    return value;
}

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

char *strata_units_format_size(uint64_t bytes, char *buffer, size_t size)
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t exact = 0;
    while (exact + 1 < COUNT_OF(names) && bytes > 0 &&
           bytes % (UINT64_C(1) << (10 * (exact + 1))) == 0) {
        exact++;
    }
    uint64_t count = bytes >> (10 * exact);
    if (count < 10000 || exact + 1 == COUNT_OF(names)) { /* 1286 KiB stays what was asked for */
        (void)snprintf(buffer, size, "%" PRIu64 " %s", count, names[exact]);
        return buffer;
    }
    size_t index;
    double scaled = scale_down((double)bytes, 1024, COUNT_OF(names), &index);
    return format_scaled(scaled, names[index], buffer, size);
}

char *strata_units_format_byte_rate(double per_s, char *buffer, size_t size)
{
    static const char *const names[] = {"B/s",   "KiB/s", "MiB/s", "GiB/s",
                                        "TiB/s", "PiB/s", "EiB/s"};
    if (!isfinite(per_s)) {
        (void)snprintf(buffer, size, "-");
        return buffer;
    }
    size_t index;
    double scaled = scale_down(per_s, 1024, COUNT_OF(names), &index);
    return format_scaled(scaled, names[index], buffer, size);
}

char *strata_units_format_operation_rate(double per_s, char *buffer, size_t size)
{
    static const char *const names[] = {"/s", "k/s", "M/s", "G/s", "T/s"};
    if (!isfinite(per_s)) {
        (void)snprintf(buffer, size, "-");
        return buffer;
    }
    size_t index;
    double scaled = scale_down(per_s, 1000, COUNT_OF(names), &index);
    return format_scaled(scaled, names[index], buffer, size);
}

char *strata_units_format_duration(uint64_t ns, char *buffer, size_t size)
{
    static const char *const names[] = {"ns", "us", "ms", "s"};
    uint64_t seconds = ns / NS_PER_S + (ns % NS_PER_S >= NS_PER_S / 2 ? 1 : 0);
    if (seconds >= 3600) {
        (void)snprintf(buffer, size, "%" PRIu64 " h %02" PRIu64 " min", seconds / 3600,
                       seconds / 60 % 60);
        return buffer;
    }
    if (seconds >= 100) {
        (void)snprintf(buffer, size, "%" PRIu64 " min %02" PRIu64 " s", seconds / 60, seconds % 60);
        return buffer;
    }
    if (ns < 1000) {
        (void)snprintf(buffer, size, "%" PRIu64 " ns", ns);
        return buffer;
    }
    size_t index;
    double scaled = scale_down((double)ns, 1000, COUNT_OF(names), &index);
    return format_scaled(scaled, names[index], buffer, size);
}
