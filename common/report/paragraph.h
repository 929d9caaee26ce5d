/* Prose on a terminal: broken at blanks, so that no word is cut at the terminal's edge. */
#ifndef STRATA_REPORT_PARAGRAPH_H
#define STRATA_REPORT_PARAGRAPH_H

#include "common/base/text.h"

/* Append the text in lines of at most `width` columns (0: one line), `first` blanks before the
 * first and `others` before the others; a word that is wider stands alone. Control characters are
 * shown as in strata_escape_terminal. */
void strata_paragraph_write(unsigned first, unsigned others, const char *text, unsigned width,
                            struct strata_text *out);

#endif
