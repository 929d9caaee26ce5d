/* The one thing about writing JSON that is easy to get wrong: strings. */
#ifndef STRATA_BASE_JSON_H
#define STRATA_BASE_JSON_H

#include "common/base/text.h"

/* Append `string` quoted and escaped; a byte that is not part of valid UTF-8 becomes U+FFFD. NULL
 * becomes null. Source: RFC 8259, 7; RFC 3629, 4. */
void strata_json_string(struct strata_text *out, const char *string);

/* Append `"name": ` with the comma that parts it from what stands before in the same object: none
 * right after `{`. The value is for the caller to append. */
void strata_json_name(struct strata_text *out, const char *name);

#endif
