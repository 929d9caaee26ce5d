/* The runs of an import while they are in memory. */
#include "common/base/memory.h"
#include "common/import/import.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct strata_import_run *strata_import_add_run(struct strata_import_set *set)
{
    void *runs = set->runs;
    strata_memory_grow(&runs, &set->run_capacity, set->run_count + 1, sizeof(set->runs[0]));
    set->runs = runs;
    return &set->runs[set->run_count++];
}

size_t strata_import_backend(struct strata_import_set *set, const char *name, const char *location,
                             const char *encryption)
{
    for (size_t i = 0; i < set->backend_count; i++) {
        if (strcmp(set->backends[i].name, name) == 0 &&
            (set->backends[i].encryption != NULL) == (encryption != NULL)) {
            return i;
        }
    }
    void *backends = set->backends;
    strata_memory_grow(&backends, &set->backend_capacity, set->backend_count + 1,
                       sizeof(set->backends[0]));
    set->backends = backends;
    set->backends[set->backend_count] = (struct strata_import_backend){
        .name = strata_text_duplicate(name),
        .location = location != NULL ? strata_text_duplicate(location) : NULL,
        .encryption = encryption != NULL ? strata_text_duplicate(encryption) : NULL,
        .twin = STRATA_IMPORT_NO_TWIN};
    return set->backend_count++;
}

void strata_import_note(struct strata_import_set *set, const char *format, ...)
{
    char *line = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&line, format, arguments) >= 0) {
        for (char *at = line; *at != '\0'; at++) {
            *at = *at == '\n' ? ' ' : *at; /* a name with a line break in it */
        }
        strata_text_format(&set->notes, "%s\n", line);
        free(line);
    }
    va_end(arguments);
}

enum strata_status strata_import_pair(struct strata_import_set *set, struct strata_error *error)
{
    size_t plain = 0;
    for (size_t i = 0; i < set->backend_count; i++) {
        struct strata_import_backend *backend = &set->backends[i];
        if (backend->encryption == NULL) {
            continue;
        }
        while (plain < set->backend_count && set->backends[plain].encryption != NULL) {
            plain++;
        }
        if (plain == set->backend_count) {
            return strata_error_set(error, STRATA_USAGE,
                                    "%.80s: no plain back end is left that it is the twin of; "
                                    "expected as many plain as encrypted ones",
                                    backend->name);
        }
        backend->twin = plain++;
        if (strcmp(backend->name, set->backends[backend->twin].name) == 0) {
            char *name = strata_text_duplicate_format("%s, encrypted", backend->name);
            free(backend->name);
            backend->name = name;
        }
    }
    return STRATA_OK;
}

static void run_done(struct strata_import_run *run)
{
    for (size_t i = 0; i < run->result_count; i++) {
        free(run->results[i].bins);
    }
    free(run->workload);
    free(run->operation);
    free(run->parameters);
    free(run->source);
    free(run->reason);
}

void strata_import_set_done(struct strata_import_set *set)
{
    for (size_t i = 0; i < set->backend_count; i++) {
        free(set->backends[i].name);
        free(set->backends[i].location);
        free(set->backends[i].encryption);
    }
    for (size_t i = 0; i < set->run_count; i++) {
        run_done(&set->runs[i]);
    }
    free(set->backends);
    free(set->runs);
    strata_text_done(&set->notes);
    *set = (struct strata_import_set){0};
}
