/* Whether a word that is not known is a known one mistyped. */
#ifndef STRATA_BASE_SIMILAR_H
#define STRATA_BASE_SIMILAR_H

#include <stdbool.h>

/* True when at most two insertions, deletions or replacements of bytes (at most one in words of up
 * to four bytes) turn one word into the other. Source: Levenshtein, 1966. */
bool strata_similar(const char *word, const char *other);

#endif
