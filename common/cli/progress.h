/* A bar with the time left on a terminal, plain lines elsewhere, nothing when quiet. On stderr. */
#ifndef STRATA_CLI_PROGRESS_H
#define STRATA_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct strata_progress {
    bool quiet;
    bool terminal;
    const char *title;   /* "device" */
    uint64_t total_ns;   /* planned */
    uint64_t done_ns;    /* of the planned, by runs that ended */
    uint64_t started_ns; /* monotonic */
    uint64_t last_drawn_ns;
    int last_percent;
    bool drawn;
};

void strata_progress_start(struct strata_progress *progress, const char *title, uint64_t total_ns,
                           bool quiet);

/* `what`: "read 512 B, encrypted, pair 2 of 5"; `part_ns`: how far the run now is. */
void strata_progress_update(struct strata_progress *progress, const char *what, uint64_t part_ns);

/* A run with that plan ended, whatever it took. */
void strata_progress_advance(struct strata_progress *progress, uint64_t planned_ns);

/* Clear the bar's line so that a message can be printed. */
void strata_progress_clear(struct strata_progress *progress);
void strata_progress_finish(struct strata_progress *progress);

#endif
