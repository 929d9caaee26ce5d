/* A bar with the time left on a terminal, plain lines elsewhere, nothing when quiet. On stderr. */
#ifndef STRATA_CLI_PROGRESS_H
#define STRATA_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct strata_progress {
    bool quiet;
    bool terminal;
    const char *title;   /* "device" */
    char what[160];      /* the run that goes on */
    uint64_t total_ns;   /* planned for all runs */
    uint64_t done_ns;    /* planned for the runs that ended */
    uint64_t part_ns;    /* planned for the run that goes on */
    uint64_t started_ns; /* monotonic */
    uint64_t last_line_ns;
    bool drawn;
};

void strata_progress_start(struct strata_progress *progress, const char *title, uint64_t total_ns,
                           bool quiet);

/* A run begins that is planned to take `part_ns`; it has taken `elapsed_ns`; it ended. */
void strata_progress_begin(struct strata_progress *progress, const char *what, uint64_t part_ns);
void strata_progress_go_on(struct strata_progress *progress, uint64_t elapsed_ns);
void strata_progress_end(struct strata_progress *progress, uint64_t part_ns);

/* Print a line of its own, above the bar. */
void strata_progress_message(struct strata_progress *progress, const char *line);

/* Clear the bar. */
void strata_progress_finish(struct strata_progress *progress);

#endif
