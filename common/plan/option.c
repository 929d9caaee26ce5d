/* One value of one option: from its text to a number within its limits, and back.
 *
 * Always holds: a value that comes out lies inside the row's limits and is one of its choices; a
 * message begins with the option's name and repeats the value. What several values or elements mean
 * together is left to plan.c and check.c. */
#include "common/plan/option.h"

#include "common/base/similar.h"
#include "common/base/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN 80 /* bytes of a refused value that a message repeats */

static enum strata_status refuse(const struct strata_option *option, const char *text,
                                 struct strata_error *error, const char *reason)
{
    return strata_error_set(error, STRATA_USAGE, "%s: '%.*s' %s", option->name, SHOWN, text,
                            reason);
}

static enum strata_status parse_text(const struct strata_option *option, const char *text,
                                     struct strata_error *error)
{
    if (text[0] == '\0') {
        return refuse(option, text, error, "is empty");
    }
    if (!strata_text_is_utf8(text, strlen(text))) {
        return strata_error_set(error, STRATA_USAGE, "%s: the value is not UTF-8", option->name);
    }
    for (const char *byte = text; *byte != '\0'; byte++) {
        if (strata_text_is_control(byte)) {
            return refuse(option, text, error, "holds a control character");
        }
    }
    return STRATA_OK;
}

/* The choice that begins at *next, its length in *ret_length; *next moves past it. NULL at the end.
 */
static const char *next_choice(const char **next, size_t *ret_length)
{
    const char *choice = *next + strspn(*next, " ");
    *ret_length = strcspn(choice, " ");
    *next = choice + *ret_length;
    return *ret_length > 0 ? choice : NULL;
}

static enum strata_status parse_choice(const struct strata_option *option, const char *text,
                                       uint64_t *ret_index, struct strata_error *error)
{
    struct strata_text expected = {0};
    char *meant = NULL;
    const char *next = option->choices;
    size_t length;
    uint64_t index = 0;
    bool found = false;
    for (const char *choice; !found && (choice = next_choice(&next, &length)) != NULL; index++) {
        char *name = strata_text_duplicate_format("%.*s", (int)length, choice);
        strata_text_format(&expected, "%s%s", index > 0 ? ", " : "", name);
        if (strcmp(name, text) == 0) {
            *ret_index = index;
            found = true;
        } else if (meant == NULL && strata_similar(name, text)) {
            meant = strata_text_duplicate(name);
        }
        free(name);
    }
    if (!found) {
        strata_error_set(error, STRATA_USAGE, "%s: '%.*s' is not one of %s%s%s%s", option->name,
                         SHOWN, text, strata_text_string(&expected),
                         meant != NULL ? "; did you mean " : "", meant != NULL ? meant : "",
                         meant != NULL ? "?" : "");
    }
    free(meant);
    strata_text_done(&expected);
    return found ? STRATA_OK : STRATA_USAGE;
}

static enum strata_status parse_clock(const struct strata_option *option, const char *text,
                                      uint64_t *ret_minutes, struct strata_error *error)
{
    static const char digits[] = "0123456789";
    bool shaped = strlen(text) == 5 && text[2] == ':' && strspn(text, digits) == 2 &&
                  strspn(text + 3, digits) == 2;
    if (shaped) {
        int hours = (text[0] - '0') * 10 + (text[1] - '0');
        int minutes = (text[3] - '0') * 10 + (text[4] - '0');
        if (hours < 24 && minutes < 60) {
            *ret_minutes = (uint64_t)(hours * 60 + minutes);
            return STRATA_OK;
        }
    }
    return refuse(option, text, error, "is not a time of day from 00:00 to 23:59");
}

static enum strata_status check_range(const struct strata_option *option, const char *text,
                                      uint64_t number, struct strata_error *error)
{
    bool below = number < option->minimum;
    bool above = option->maximum > 0 && number > option->maximum;
    if (!below && !above) {
        return STRATA_OK;
    }
    struct strata_text limit = {0};
    strata_option_write_number(option, below ? option->minimum : option->maximum, &limit);
    strata_error_set(error, STRATA_USAGE, "%s: %.*s is %s %s", option->name, SHOWN, text,
                     below ? "below" : "above", strata_text_string(&limit));
    strata_text_done(&limit);
    return STRATA_USAGE;
}

enum strata_status strata_option_parse(const struct strata_option *option, const char *text,
                                       struct strata_value *ret_value, struct strata_error *error)
{
    struct strata_value value = {0};
    enum strata_status status = STRATA_OK;
    bool unit_error = false; /* the units' messages do not know the option's name */
    switch (option->type) {
    case STRATA_OPTION_SIZE:
        status = strata_units_parse_size(text, &value.number, error);
        unit_error = true;
        break;
    case STRATA_OPTION_COUNT:
        status = strata_units_parse_count(text, &value.number, error);
        unit_error = true;
        break;
    case STRATA_OPTION_DURATION:
        status = strata_units_parse_duration(text, &value.number, error);
        unit_error = true;
        break;
    case STRATA_OPTION_FRACTION:
        status = strata_units_parse_fraction(text, &value.decimal, error);
        unit_error = true;
        break;
    case STRATA_OPTION_DECIMAL:
        status = strata_units_parse_decimal(text, &value.decimal, error);
        unit_error = true;
        break;
    case STRATA_OPTION_CHOICE:
        status = parse_choice(option, text, &value.number, error);
        break;
    case STRATA_OPTION_CLOCK:
        status = parse_clock(option, text, &value.number, error);
        break;
    case STRATA_OPTION_TEXT:
        status = parse_text(option, text, error);
        break;
    }
    if (status != STRATA_OK) {
        return unit_error ? strata_error_prefix(error, "%s", option->name) : status;
    }
    status = check_range(option, text, value.number, error);
    if (status != STRATA_OK) {
        return status;
    }
    value.text = strata_text_duplicate(text);
    *ret_value = value;
    return STRATA_OK;
}

/* The largest unit that divides the number. */
static void write_scaled(uint64_t number, const char *const names[], const uint64_t factors[],
                         size_t count, struct strata_text *out)
{
    size_t unit = 0;
    while (unit + 1 < count && number > 0 && number % factors[unit + 1] == 0) {
        unit++;
    }
    strata_text_format(out, "%" PRIu64 "%s", number / factors[unit], names[unit]);
}

static void write_duration(uint64_t ns, struct strata_text *out)
{
    static const char *const names[] = {"ms", "s", "m", "h"};
    static const uint64_t factors[] = {1000000, 1000000000, UINT64_C(60000000000),
                                       UINT64_C(3600000000000)};
    if (ns % factors[0] == 0) {
        write_scaled(ns, names, factors, 4, out);
        return;
    }
    /* Below a millisecond: six decimals of it are nanoseconds. */
    strata_text_format(out, "%" PRIu64 ".%06" PRIu64 "ms", ns / factors[0], ns % factors[0]);
}

void strata_option_write_number(const struct strata_option *option, uint64_t number,
                                struct strata_text *out)
{
    static const char *const size_names[] = {"", "KiB", "MiB", "GiB", "TiB"};
    static const uint64_t size_factors[] = {1, UINT64_C(1) << 10, UINT64_C(1) << 20,
                                            UINT64_C(1) << 30, UINT64_C(1) << 40};
    switch (option->type) {
    case STRATA_OPTION_SIZE:
        write_scaled(number, size_names, size_factors, 5, out);
        break;
    case STRATA_OPTION_DURATION:
        write_duration(number, out);
        break;
    case STRATA_OPTION_CLOCK:
        strata_text_format(out, "%02" PRIu64 ":%02" PRIu64, number / 60, number % 60);
        break;
    case STRATA_OPTION_CHOICE: {
        const char *next = option->choices;
        size_t length = 0;
        const char *choice = next_choice(&next, &length);
        for (uint64_t i = 0; i < number && choice != NULL; i++) {
            choice = next_choice(&next, &length);
        }
        if (choice != NULL) {
            strata_text_append_bytes(out, choice, length);
        }
        break;
    }
    case STRATA_OPTION_COUNT:
    case STRATA_OPTION_FRACTION:
    case STRATA_OPTION_DECIMAL:
    case STRATA_OPTION_TEXT:
        strata_text_format(out, "%" PRIu64, number);
        break;
    }
}

char *strata_option_default(const struct strata_element_type *type,
                            const struct strata_option *option)
{
    size_t name_length = strlen(option->name);
    const char *next = type->preset != NULL ? type->preset : "";
    size_t length;
    for (const char *part; (part = next_choice(&next, &length)) != NULL;) {
        if (length > name_length && strncmp(part, option->name, name_length) == 0 &&
            part[name_length] == '=') {
            return strata_text_duplicate_format("%.*s", (int)(length - name_length - 1),
                                                part + name_length + 1);
        }
    }
    return option->fallback != NULL ? strata_text_duplicate(option->fallback) : NULL;
}
