/* Answers from the database, as text, JSON, CSV and HTML. */
#ifndef STRATA_REPORT_REPORT_H
#define STRATA_REPORT_REPORT_H

#include "common/base/text.h"
#include "common/store/query.h"

/* Each appends to *out. `campaign` is a uuid, or NULL for the latest; `layer` limits to one layer,
 * or NULL; `width` is that of the terminal in columns, 0 where there is none: then lines are as
 * long as they are. Errors: STRATA_USAGE when there is no such campaign. */
enum strata_status strata_report_text(struct strata_store *store, const char *campaign,
                                      const char *layer, unsigned width, struct strata_text *out,
                                      struct strata_error *error);
enum strata_status strata_report_markdown(struct strata_store *store, const char *campaign,
                                          struct strata_text *out, struct strata_error *error);
enum strata_status strata_report_html(struct strata_store *store, const char *campaign,
                                      struct strata_text *out, struct strata_error *error);

/* The document of --json; made by SQLite's JSON functions, so the point is a point in every locale.
 */
enum strata_status strata_report_json(struct strata_store *store, const char *campaign,
                                      const char *layer, struct strata_text *out,
                                      struct strata_error *error);

/* `strata compare BASE NEW`: two campaigns by uuid (or unique prefix), two back ends, or names.
 * *ret_verdict: 0 no loss beyond the margin, 1 a loss, 3 inconclusive. Errors: STRATA_USAGE when
 * one is unknown or ambiguous, or (unless `force`) when they were measured in unlike environments.
 */
enum strata_status strata_report_compare(struct strata_store *store, const char *base,
                                         const char *other, double margin, bool force,
                                         struct strata_text *out, int *ret_verdict,
                                         struct strata_error *error);

/* `strata export --format csv|json|openmetrics`. */
enum strata_status strata_report_export(struct strata_store *store, const char *campaign,
                                        const char *format, struct strata_text *out,
                                        struct strata_error *error);

#endif
