/* What the files of option tables share; for common/plan/elements*.c alone. */
#ifndef STRATA_PLAN_ELEMENTS_H
#define STRATA_PLAN_ELEMENTS_H

#include "common/plan/option.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define SECOND          UINT64_C(1000000000)

/* Longest run: the per-second series holds a day. */
#define LONGEST (86400 * SECOND)

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

#define WORKLOAD(symbol, element, its_layer, backend, table, its_preset, text)                     \
    const struct strata_element_type symbol = {.name = element,                                    \
                                               .role = STRATA_ROLE_WORKLOAD,                       \
                                               .layer = its_layer,                                 \
                                               .options = table,                                   \
                                               .option_count = COUNT_OF(table),                    \
                                               .runs_on = backend,                                 \
                                               .preset = its_preset,                               \
                                               .help = text}

/* Workloads of the layers above devices (elements_upper.c). */
extern const struct strata_element_type strata_element_metadata;
extern const struct strata_element_type strata_element_transfer;
extern const struct strata_element_type strata_element_file_types;
extern const struct strata_element_type strata_element_file_sizes;
extern const struct strata_element_type strata_element_time_of_day;

#endif
