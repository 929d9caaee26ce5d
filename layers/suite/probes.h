/* What can be found out about a machine by looking, without changing it. */
#ifndef STRATA_LAYERS_SUITE_PROBES_H
#define STRATA_LAYERS_SUITE_PROBES_H

#include <stdbool.h>
#include <stddef.h>

/* A facility of the kernel. `look` says whether it is there and may add a detail. */
struct suite_probe {
    const char *name;
    bool (*look)(char *detail, size_t size);
    const char *purpose;
};

/* Ends with a NULL name. */
extern const struct suite_probe suite_probes[];

/* Whether the program is in PATH or in the directories of the system administrator. */
bool suite_find_program(const char *name);

/* Whether something accepts a TCP connection at the URL's host and port within two seconds.
 * `detail` gets the answer or the reason. Nothing is sent. */
bool suite_probe_url(const char *url, char *detail, size_t size);

#endif
