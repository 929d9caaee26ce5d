/* Which addresses of servers may be used, shown and stored. */
#ifndef STRATA_BASE_URL_H
#define STRATA_BASE_URL_H

#include "common/base/error.h"

/* Whether the URL is one of HTTP or HTTPS without a user, a password, a blank or a control
 * character. Errors: STRATA_USAGE, with "<name>: " before it; a URL with credentials in it is not
 * repeated. */
enum strata_status strata_url_check(const char *name, const char *url, struct strata_error *error);

#endif
