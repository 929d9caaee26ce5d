/* Names come from configurations and servers: in each format they are shown, never obeyed. Each
 * format may end up on a terminal, so control characters become "?", a space or U+FFFD in all of
 * them. */
#ifndef STRATA_REPORT_ESCAPE_H
#define STRATA_REPORT_ESCAPE_H

#include "common/base/text.h"

/* For a terminal: control characters become "?", so that no name moves the cursor. */
void strata_escape_terminal(struct strata_text *out, const char *text);

/* For HTML and SVG, in content and in quoted attributes. */
void strata_escape_html(struct strata_text *out, const char *text);

/* For a cell of a Markdown table: a bar, HTML and emphasis are shown as they stand. */
void strata_escape_markdown(struct strata_text *out, const char *text);

/* A CSV field: quoted when it must be. Source: RFC 4180. A field that a spreadsheet would take for
 * a formula gets an apostrophe in front. */
void strata_escape_csv(struct strata_text *out, const char *text);

/* JSON that SQLite wrote: it leaves U+007F to U+009F and broken UTF-8 in strings as they are. */
void strata_escape_json(struct strata_text *out, const char *json);

/* A label's value, without the quotes. Source: OpenMetrics 1.0, "escaped-string". */
void strata_escape_label(struct strata_text *out, const char *text);

#endif
