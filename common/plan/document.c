/* The option tables as prose: the lines of --help and doc/configuration.md.
 *
 * Always holds: every row of every table appears with its default (the preset's where there is
 * one), its limits and its unit, since the text is made from the row that the parser reads. */
#include "common/plan/option.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* What stands for a value in a line such as "--depth N". */
static const char *value_word(const struct strata_option *option)
{
    switch (option->type) {
    case STRATA_OPTION_SIZE:
        return "SIZE";
    case STRATA_OPTION_COUNT:
        return "N";
    case STRATA_OPTION_DURATION:
        return "TIME";
    case STRATA_OPTION_FRACTION:
        return "SHARE";
    case STRATA_OPTION_DECIMAL:
        return "NUMBER";
    case STRATA_OPTION_CHOICE:
        return "KIND";
    case STRATA_OPTION_CLOCK:
        return "HH:MM";
    case STRATA_OPTION_TEXT:
        break;
    }
    return "TEXT";
}

/* The choices with something between, before and after each. */
static void write_choices(const struct strata_option *option, const char *quote,
                          struct strata_text *out)
{
    for (const char *next = option->choices; *next != '\0';) {
        size_t length = strcspn(next, " ");
        strata_text_format(out, "%s%s%.*s%s", next == option->choices ? "" : ", ", quote,
                           (int)length, next, quote);
        next += length;
        next += strspn(next, " ");
    }
}

/* "1 to 1024", "at least 512", "at most 24h", or nothing. */
static void write_limits(const struct strata_option *option, struct strata_text *out)
{
    bool below = option->minimum > 0;
    bool above = option->maximum > 0;
    if (below) {
        strata_text_append(out, above ? "" : "at least ");
        strata_option_write_number(option, option->minimum, out);
    }
    if (above) {
        strata_text_append(out, below ? " to " : "at most ");
        strata_option_write_number(option, option->maximum, out);
    }
}

#define HELP_COLUMN 31
#define HELP_WIDTH  80

/* Words of `prose` from the help column on, however long the line before is. */
static void write_wrapped(const char *prose, size_t column, struct strata_text *out)
{
    if (column + 1 > HELP_COLUMN) {
        strata_text_append(out, "\n");
        column = 0;
    }
    strata_text_format(out, "%*s", (int)(HELP_COLUMN - column), "");
    column = HELP_COLUMN;
    for (const char *next = prose; *next != '\0';) {
        size_t length = strcspn(next, " ");
        if (column > HELP_COLUMN && column + 1 + length > HELP_WIDTH) {
            strata_text_format(out, "\n%*s", HELP_COLUMN, "");
            column = HELP_COLUMN;
        } else if (column > HELP_COLUMN) {
            strata_text_append(out, " ");
            column++;
        }
        strata_text_append_bytes(out, next, length);
        column += length;
        next += length;
        next += strspn(next, " ");
    }
    strata_text_append(out, "\n");
}

static void write_help_prose(const struct strata_element_type *type,
                             const struct strata_option *option, struct strata_text *out)
{
    strata_text_append(out, option->help);
    if (option->type == STRATA_OPTION_CHOICE) {
        strata_text_append(out, "; one of ");
        write_choices(option, "", out);
    }
    if (option->minimum > 0 || option->maximum > 0) {
        strata_text_append(out, "; ");
        write_limits(option, out);
    }
    char *fallback = strata_option_default(type, option);
    if (option->required) {
        strata_text_append(out, " (required)");
    } else if (fallback != NULL) {
        strata_text_format(out, " (default: %s)", fallback);
    }
    free(fallback);
}

void strata_option_write_help(const struct strata_element_type *type, struct strata_text *out)
{
    for (size_t i = 0; i < type->option_count; i++) {
        const struct strata_option *option = &type->options[i];
        if (option->required) {
            continue; /* the command line names the back ends itself, and --plain says where */
        }
        size_t start = out->length;
        strata_text_format(out, "  --%s %s%s", option->alias != NULL ? option->alias : option->name,
                           value_word(option), option->list ? ",..." : "");
        struct strata_text prose = {0};
        write_help_prose(type, option, &prose);
        write_wrapped(strata_text_string(&prose), out->length - start, out);
        strata_text_done(&prose);
    }
}

static const char *kind_in_words(const struct strata_option *option)
{
    switch (option->type) {
    case STRATA_OPTION_SIZE:
        return option->list ? "sizes" : "size";
    case STRATA_OPTION_COUNT:
        return option->list ? "whole numbers" : "whole number";
    case STRATA_OPTION_DURATION:
        return option->list ? "times" : "time";
    case STRATA_OPTION_FRACTION:
        return option->list ? "shares" : "share";
    case STRATA_OPTION_DECIMAL:
        return option->list ? "decimal numbers" : "decimal number";
    case STRATA_OPTION_CLOCK:
        return option->list ? "times of day" : "time of day";
    case STRATA_OPTION_CHOICE:
    case STRATA_OPTION_TEXT:
        break;
    }
    return option->list ? "texts" : "text";
}

static void write_markdown_values(const struct strata_option *option, struct strata_text *out)
{
    if (option->type == STRATA_OPTION_CHOICE) {
        strata_text_append(out, option->list ? "any of " : "one of ");
        write_choices(option, "`", out);
        return;
    }
    strata_text_append(out, kind_in_words(option));
    if (option->minimum > 0 || option->maximum > 0) {
        strata_text_append(out, ", ");
        write_limits(option, out);
    }
    if (option->scales) {
        strata_text_append(out, ", times `time-scale`");
    }
}

/* Without the column of options for what no command line can add. */
static void write_markdown_table(const struct strata_element_type *type, struct strata_text *out)
{
    bool on_command_line = type->role != STRATA_ROLE_LADDER;
    strata_text_append(out, on_command_line
                                ? "| attribute | option | values | default | meaning |\n"
                                  "|---|---|---|---|---|\n"
                                : "| attribute | values | default | meaning |\n"
                                  "|---|---|---|---|\n");
    for (size_t i = 0; i < type->option_count; i++) {
        const struct strata_option *option = &type->options[i];
        strata_text_format(out, "| `%s` | ", option->name);
        if (on_command_line) {
            strata_text_format(out, "`--%s` | ",
                               option->alias != NULL ? option->alias : option->name);
        }
        write_markdown_values(option, out);
        char *fallback = strata_option_default(type, option);
        if (option->required) {
            strata_text_append(out, " | required");
        } else if (fallback != NULL) {
            strata_text_format(out, " | `%s`", fallback);
        } else {
            strata_text_append(out, " | unset");
        }
        free(fallback);
        strata_text_format(out, " | %s |\n", option->help);
    }
}

/* The first element type of the section with the same table, which a preset then refers to. */
static const struct strata_element_type *first_with_table(const struct strata_element_type *type)
{
    for (size_t i = 0; i < strata_element_type_count; i++) {
        if (strata_element_types[i]->options == type->options) {
            return strata_element_types[i];
        }
    }
    return type;
}

static void write_markdown_element(const struct strata_element_type *type, struct strata_text *out)
{
    strata_text_format(out, "\n### `<%s>`\n\n%c%s.\n\n", type->name, toupper(type->help[0]),
                       type->help + 1);
    const struct strata_element_type *first = first_with_table(type);
    if (first == type) {
        write_markdown_table(type, out);
        return;
    }
    strata_text_format(out, "The same attributes as `<%s>`, with other defaults: ", first->name);
    for (const char *next = type->preset; *next != '\0';) {
        size_t length = strcspn(next, " ");
        size_t name = strcspn(next, "=");
        strata_text_format(out, "%s`%.*s=\"%.*s\"`", next == type->preset ? "" : ", ", (int)name,
                           next, (int)(length - name - 1), next + name + 1);
        next += length;
        next += strspn(next, " ");
    }
    strata_text_append(out, ".\n");
}

static void write_markdown_role(enum strata_element_role role, struct strata_text *out)
{
    for (size_t i = 0; i < strata_element_type_count; i++) {
        if (strata_element_types[i]->role == role) {
            write_markdown_element(strata_element_types[i], out);
        }
    }
}

static void write_markdown_introduction(struct strata_text *out)
{
    strata_text_append(
        out, "# Configuration\n\n"
             "<!-- Written by `make docs` from common/plan/elements.c. Change the table, not this "
             "file. -->\n\n"
             "A configuration is an XML file in UTF-8 of at most 1 MiB, without a DOCTYPE:\n\n"
             "    <strata version=\"1\">\n"
             "      <campaign/>                               at most once\n");
    for (size_t i = 0; i < STRATA_SECTIONS; i++) {
        strata_text_format(out, "      <%s> … </%s>%*s%s\n", strata_sections[i].name,
                           strata_sections[i].name, (int)(34 - 2 * strlen(strata_sections[i].name)),
                           "", i == 0 ? "exactly once" : "at most once");
    }
    strata_text_append(
        out,
        "      <ladder/>                                 any number\n"
        "    </strata>\n\n"
        "The parts may come in any order. `config/strata.rng` is the RELAX NG schema for editors; "
        "the programs check more than it can say. What is unknown, out of range or contradictory "
        "is refused with file, line, attribute, value and what was expected.\n\n"
        "A value that is a list holds its items between blanks or commas, and the workload runs "
        "once for each combination. On the command line the same options are `--NAME VALUE` for an "
        "ad hoc workload, or `--set NAME.OPTION=VALUE` over a configuration, where NAME is an "
        "element or a back end's name; `--set OPTION=VALUE` reaches every element that has the "
        "option.\n\n"
        "| kind | written | |\n|---|---|---|\n"
        "| size | `512`, `4KiB`, `1.5MiB`, `4kB`, `4k` | bytes. `KiB MiB GiB TiB` are powers of "
        "1024, `kB MB GB TB` of 1000; `k K M G T` are powers of 1024, as fio and dd have them |\n"
        "| time | `500ms`, `1.5s`, `30s`, `5m`, `1h` | |\n"
        "| time of day | `08:00` | local, `00:00` to `23:59` |\n"
        "| share | `10%`, `0.1` | 0 to 1 |\n"
        "| whole number | `8` | decimal digits |\n"
        "| decimal number | `1500`, `0.5` | at most 15 digits |\n");
}

void strata_option_write_markdown(struct strata_text *out)
{
    write_markdown_introduction(out);
    strata_text_append(out, "\n## The campaign\n");
    write_markdown_role(STRATA_ROLE_CAMPAIGN, out);
    for (size_t i = 0; i < STRATA_SECTIONS; i++) {
        const struct strata_section *section = &strata_sections[i];
        strata_text_format(out, "\n## `<%s>`: %s\n", section->name, section->help);
        for (size_t t = 0; t < strata_element_type_count; t++) {
            if (strata_section_holds(section, strata_element_types[t])) {
                write_markdown_element(strata_element_types[t], out);
            }
        }
    }
    strata_text_append(out, "\n## The ladder\n");
    write_markdown_role(STRATA_ROLE_LADDER, out);
}
