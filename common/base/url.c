/* A URL stands in configurations, messages, the database and reports, so it must hold no secret;
 * and a library that fetches it must not take it for a file, another protocol or another host.
 *
 * Always holds: what passes has a scheme, so that no reader guesses one, and no "@" before the
 * path. Leaves the host's and the path's own grammar to whoever connects. */
#include "common/base/url.h"

#include "common/base/text.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

static const char *after_scheme(const char *url)
{
    static const char *const schemes[] = {"http://", "https://"};
    for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
        if (strncasecmp(url, schemes[i], strlen(schemes[i])) == 0) {
            return url + strlen(schemes[i]);
        }
    }
    return NULL;
}

/* Without a scheme nobody can tell where the user and the host end. */
static bool holds_credentials(const char *url)
{
    const char *authority = after_scheme(url);
    return authority == NULL ? strchr(url, '@') != NULL
                             : memchr(authority, '@', strcspn(authority, "/?#")) != NULL;
}

enum strata_status strata_url_check(const char *name, const char *url, struct strata_error *error)
{
    if (holds_credentials(url)) {
        return strata_error_set(error, STRATA_USAGE,
                                "%s: the URL holds credentials; expected none, since it is shown "
                                "and stored",
                                name);
    }
    const char *authority = after_scheme(url);
    if (authority == NULL || strcspn(authority, "/?#") == 0) {
        return strata_error_set(error, STRATA_USAGE,
                                "%s: '%.200s' is no URL such as http://HOST:PORT/auth/v1.0", name,
                                url);
    }
    for (const char *at = url; *at != '\0'; at++) {
        if (*at == ' ' || strata_text_is_control(at)) {
            return strata_error_set(error, STRATA_USAGE,
                                    "%s: '%.200s' holds a blank or a control character", name, url);
        }
    }
    return STRATA_OK;
}
