/* One back end held against another: a table of all comparisons, and a sentence for each two. */
#ifndef STRATA_REPORT_VERSUS_H
#define STRATA_REPORT_VERSUS_H

#include "common/report/model.h"
#include "common/report/table.h"

#define STRATA_REPORT_VERSUS_HEADING "One back end against another"

/* Fill an empty table; the caller calls strata_table_done. */
void strata_report_table_versus(const struct strata_report *report, struct strata_table *table);

/* What the comparisons of two back ends say, from the `first` on, without the full stop: "b against
 * a: +12.0 % (9.1 to 15.0), faster"; of several how many say what. Returns the first comparison of
 * the next two. */
size_t strata_report_versus_sentence(const struct strata_report *report, size_t first,
                                     struct strata_text *out);

#endif
