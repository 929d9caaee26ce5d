/* What the user watches while runs go on.
 *
 * Always: nothing of it reaches stdout; off a terminal at most one line every ten seconds, so that
 * a log stays readable. The time left is the planned rest, scaled by how the plan has held so far.
 */
#include "common/cli/progress.h"

#include "common/base/clock.h"
#include "common/cli/terminal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BAR_CELLS = 24, NARROW_BAR_CELLS = 10, NARROW_COLUMNS = 110 };
static const uint64_t line_interval_ns = UINT64_C(10000000000);

void strata_progress_start(struct strata_progress *progress, const char *title, uint64_t total_ns,
                           bool quiet)
{
    *progress = (struct strata_progress){.quiet = quiet,
                                         .terminal = strata_terminal_columns(STDERR_FILENO) > 0,
                                         .title = title,
                                         .total_ns = total_ns,
                                         .started_ns = strata_clock_monotonic_ns()};
}

/* Planned work done, of the plan, with the part of the run that goes on. */
static double share_done(const struct strata_progress *progress, uint64_t elapsed_ns)
{
    uint64_t part_ns = elapsed_ns < progress->part_ns ? elapsed_ns : progress->part_ns;
    double share = progress->total_ns > 0
                       ? (double)(progress->done_ns + part_ns) / (double)progress->total_ns
                       : 0;
    return share < 1 ? share : 1;
}

static void format_left(const struct strata_progress *progress, double share, char *buffer,
                        size_t size)
{
    uint64_t spent_ns = strata_clock_monotonic_ns() - progress->started_ns;
    /* Below two per cent the plan says more about the rest than the time spent does. */
    double left_ns = share > 0.02 ? (double)spent_ns * (1 - share) / share
                                  : (double)progress->total_ns * (1 - share);
    uint64_t seconds = (uint64_t)(left_ns / 1e9 + 0.5);
    snprintf(buffer, size, "%" PRIu64 ":%02" PRIu64 " left", seconds / 60, seconds % 60);
}

static void draw(struct strata_progress *progress, uint64_t elapsed_ns)
{
    double share = share_done(progress, elapsed_ns);
    char left[32];
    format_left(progress, share, left, sizeof(left));
    if (!progress->terminal) {
        uint64_t now_ns = strata_clock_monotonic_ns();
        if (progress->last_line_ns != 0 && now_ns - progress->last_line_ns < line_interval_ns) {
            return;
        }
        progress->last_line_ns = now_ns;
        fprintf(stderr, "%s: %3.0f %%, %s: %s\n", progress->title, 100 * share, left,
                progress->what);
        return;
    }
    unsigned columns = strata_terminal_columns(STDERR_FILENO);
    unsigned cells = columns < NARROW_COLUMNS ? NARROW_BAR_CELLS : BAR_CELLS;
    char bar[BAR_CELLS + 1] = "";
    memset(bar, '.', cells);
    memset(bar, '#', (size_t)(share * cells));
    char line[320];
    snprintf(line, sizeof(line), "%s [%s] %3.0f %% %s: %s", progress->title, bar, 100 * share, left,
             progress->what);
    fprintf(stderr, "\r%.*s\033[K", (int)columns - 1, line);
    fflush(stderr);
    progress->drawn = true;
}

void strata_progress_begin(struct strata_progress *progress, const char *what, uint64_t part_ns)
{
    snprintf(progress->what, sizeof(progress->what), "%s", what);
    progress->part_ns = part_ns;
    strata_progress_go_on(progress, 0);
}

void strata_progress_go_on(struct strata_progress *progress, uint64_t elapsed_ns)
{
    if (!progress->quiet) {
        draw(progress, elapsed_ns);
    }
}

void strata_progress_end(struct strata_progress *progress, uint64_t part_ns)
{
    progress->done_ns += part_ns;
    progress->part_ns = 0;
}

void strata_progress_message(struct strata_progress *progress, const char *line)
{
    if (progress->quiet) {
        return;
    }
    strata_progress_finish(progress);
    fprintf(stderr, "%s: %s\n", progress->title, line);
}

void strata_progress_finish(struct strata_progress *progress)
{
    if (progress->drawn) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        progress->drawn = false;
    }
}
