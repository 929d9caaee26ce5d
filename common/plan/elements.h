/* What the files of option tables share; for common/plan/elements*.c alone. */
#ifndef STRATA_PLAN_ELEMENTS_H
#define STRATA_PLAN_ELEMENTS_H

#include "common/plan/option.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define SECOND          UINT64_C(1000000000)

/* Longest run: the per-second series holds a day. */
#define LONGEST (86400 * SECOND)

/* Options that every back end has. */
#define BACKEND_COMMON                                                                             \
    {.name = "name", .type = STRATA_OPTION_TEXT, .required = true, .help = "unique name"},         \
        {.name = "twin-of",                                                                        \
         .type = STRATA_OPTION_TEXT,                                                               \
         .help = "name of the plain back end that this encrypted one is compared with"},           \
        {.name = "versus",                                                                         \
         .type = STRATA_OPTION_TEXT,                                                               \
         .help = "name of a back end of the same kind and encryption that this one is held "       \
                 "against, their runs in turn; no loss by encryption is taken from it"},           \
        {.name = "stands-on",                                                                      \
         .type = STRATA_OPTION_TEXT,                                                               \
         .help = "name of the back end of a lower layer whose storage it lies on; an encrypted "   \
                 "twin's is that of its plain one unless it names its own"},                       \
        {.name = "evidence",                                                                       \
         .type = STRATA_OPTION_TEXT,                                                               \
         .help = "why it is believed to be encrypted, where the host cannot see it; stored"},      \
    {                                                                                              \
        .name = "when-missing", .type = STRATA_OPTION_CHOICE, .choices = "fail skip",              \
        .fallback = "fail", .help = "what to do when it cannot be opened: end, or leave it out"    \
    }

/* Options that every workload has. */
#define WORKLOAD_COMMON                                                                            \
    {.name = "backends",                                                                           \
     .type = STRATA_OPTION_TEXT,                                                                   \
     .list = true,                                                                                 \
     .help = "names of the plain back ends it runs on (their twins follow); default: all of the "  \
             "layer's"},                                                                           \
    {                                                                                              \
        .name = "repetitions", .type = STRATA_OPTION_COUNT, .minimum = 1, .maximum = 100000,       \
        .alias = "runs",                                                                           \
        .help = "runs, or pairs of runs where there is a twin; default: the campaign's pairs"      \
    }

#define BACKEND(symbol, element, its_layer, table, its_place, text)                                \
    const struct strata_element_type symbol = {.name = element,                                    \
                                               .role = STRATA_ROLE_BACKEND,                        \
                                               .layer = its_layer,                                 \
                                               .options = table,                                   \
                                               .option_count = COUNT_OF(table),                    \
                                               .place = its_place,                                 \
                                               .help = text}

#define WORKLOAD(symbol, element, its_layer, backend, table, its_preset, text)                     \
    const struct strata_element_type symbol = {.name = element,                                    \
                                               .role = STRATA_ROLE_WORKLOAD,                       \
                                               .layer = its_layer,                                 \
                                               .options = table,                                   \
                                               .option_count = COUNT_OF(table),                    \
                                               .runs_on = backend,                                 \
                                               .preset = its_preset,                               \
                                               .help = text}

/* Volumes: where they can be made, and their life cycle (elements_volumes.c). */
extern const struct strata_element_type strata_element_volumes_backend;
extern const struct strata_element_type strata_element_volumes_workload;

/* Workloads of the layers above devices (elements_upper.c). */
extern const struct strata_element_type strata_element_metadata;
extern const struct strata_element_type strata_element_transfer;
extern const struct strata_element_type strata_element_file_types;
extern const struct strata_element_type strata_element_file_sizes;
extern const struct strata_element_type strata_element_time_of_day;

#endif
