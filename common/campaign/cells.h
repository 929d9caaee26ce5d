/* From a layer's part of the plan to the list of cells that will be measured. */
#ifndef STRATA_CAMPAIGN_CELLS_H
#define STRATA_CAMPAIGN_CELLS_H

#include "common/campaign/backends.h"

/* Every workload of the layer on every plain back end that it names (default: all) and on each of
 * their twins, the ladder's rung, and the A/A cell when the campaign wants one and there is a twin.
 * Back ends that were removed are left out. Errors: STRATA_USAGE naming the element's line.
 * Owns: the caller frees with strata_cells_done. */
enum strata_status strata_cells_plan(const struct strata_layer *layer,
                                     const struct strata_plan *plan,
                                     const struct strata_backends *backends,
                                     struct strata_cells *cells, struct strata_error *error);

/* Number of runs, and about how long they take together. */
uint64_t strata_cells_runs(const struct strata_cells *cells);
uint64_t strata_cells_expected_ns(const struct strata_cells *cells);

/* Runs of one cell: two for each pair, or one for each repetition. */
unsigned strata_cell_runs(const struct strata_cell *cell);

#endif
