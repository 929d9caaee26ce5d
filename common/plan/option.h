/* Option tables: the one place where an option of the configuration and of the command line stands.
 * Parsing, --help, the RELAX NG schema and doc/configuration.md all come from these rows. */
#ifndef STRATA_PLAN_OPTION_H
#define STRATA_PLAN_OPTION_H

#include "common/base/error.h"
#include "common/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum strata_option_type {
    STRATA_OPTION_SIZE,     /* bytes: 512, 4KiB, 4kB */
    STRATA_OPTION_COUNT,    /* whole number */
    STRATA_OPTION_DURATION, /* 500ms, 30s, 5m, 1h; in ns */
    STRATA_OPTION_FRACTION, /* 10% or 0.1 */
    STRATA_OPTION_DECIMAL,  /* 1500 or 0.5 */
    STRATA_OPTION_CHOICE,   /* one of `choices` */
    STRATA_OPTION_TEXT,
    STRATA_OPTION_CLOCK /* time of day, HH:MM; in minutes */
};

struct strata_option {
    const char *name;  /* attribute name; long option "--name" */
    const char *alias; /* the long option where it differs from the attribute ("op"), or NULL */
    enum strata_option_type type;
    bool list; /* several values, separated by blanks (or commas); they sweep */
    bool required;
    const char *fallback; /* default as a user would write it; NULL: unset */
    const char *choices;  /* names separated by blanks; CHOICE only */
    uint64_t minimum;     /* of SIZE, COUNT, DURATION */
    uint64_t maximum;     /* 0: no limit */
    bool scales;      /* DURATION: how long to measure; multiplied by the campaign's time-scale */
    const char *help; /* one line, with the unit; ends without a full stop */
};

enum strata_element_role {
    STRATA_ROLE_CAMPAIGN, /* <campaign> */
    STRATA_ROLE_BACKEND,  /* in <backends> */
    STRATA_ROLE_WORKLOAD, /* in <device-layer>, <filesystem-layer>, <service-layer>, <user-layer> */
    STRATA_ROLE_LADDER    /* <ladder> */
};

enum strata_layer_id {
    STRATA_LAYER_DEVICE,
    STRATA_LAYER_FILESYSTEM,
    STRATA_LAYER_SERVICE,
    STRATA_LAYER_USER,
    STRATA_LAYERS
};

/* An element of the configuration: its options and, for a preset such as <iops>, the defaults that
 * differ ("block-size=512 depth=32", separated by blanks). */
struct strata_element_type {
    const char *name;
    enum strata_element_role role;
    enum strata_layer_id layer; /* of BACKEND (its lowest) and WORKLOAD */
    const struct strata_option *options;
    size_t option_count;
    const char *preset;  /* or NULL */
    const char *runs_on; /* of WORKLOAD: the type of back end that it takes: "device" */
    const char *place;   /* of BACKEND: the option that says where it is: "path"; NULL: nowhere */
    const char *help;
};

/* Every element type there is, in the order of the documentation. */
extern const struct strata_element_type *const strata_element_types[];
extern const size_t strata_element_type_count;

/* "device", "filesystem", "service", "user". */
const char *strata_layer_name(enum strata_layer_id layer);

/* A part of the configuration that holds elements: <backends>, <device-layer>, … */
struct strata_section {
    const char *name;
    enum strata_element_role role;
    enum strata_layer_id layer; /* of WORKLOAD */
    const char *help;
};

/* The sections in the order of the documentation. */
#define STRATA_SECTIONS 5
extern const struct strata_section strata_sections[STRATA_SECTIONS];

/* Whether elements of that type stand in the section. */
bool strata_section_holds(const struct strata_section *section,
                          const struct strata_element_type *type);

/* The type with this name and role (and layer, for a workload); NULL when there is none. */
const struct strata_element_type *strata_element_type_find(enum strata_element_role role,
                                                           enum strata_layer_id layer,
                                                           const char *name);

/* Whether back ends of that type have nothing to say but their name: a plan that needs one has it
 * without being told. */
bool strata_element_type_is_implied(const struct strata_element_type *type);

/* A value as parsed from its text. */
struct strata_value {
    char *text;      /* as the user wrote it */
    uint64_t number; /* SIZE, COUNT, DURATION, CLOCK; index of a CHOICE */
    double decimal;  /* FRACTION, DECIMAL */
};

/* Parse one value (not a list) of the option. Errors: STRATA_USAGE, "depth: 0 is below 1". Owns:
 * ret_value->text is the caller's to free. */
enum strata_status strata_option_parse(const struct strata_option *option, const char *text,
                                       struct strata_value *ret_value, struct strata_error *error);

/* Append a number as a user would write it for that option: 64MiB, 24h, 08:00, a choice's name. */
void strata_option_write_number(const struct strata_option *option, uint64_t number,
                                struct strata_text *out);

/* The default that an option has in elements of that type, as a user would write it: the preset's,
 * else the row's; NULL when it is unset. Owns: the caller frees. */
char *strata_option_default(const struct strata_element_type *type,
                            const struct strata_option *option);

/* Documents made from the tables: RELAX NG (XML syntax), Markdown, and the options of one element
 * as lines of --help. */
void strata_option_write_schema(struct strata_text *out);
void strata_option_write_markdown(struct strata_text *out);
void strata_option_write_help(const struct strata_element_type *type, struct strata_text *out);

#endif
