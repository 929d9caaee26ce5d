/* Finding a campaign by what a user types. */
#include "common/analysis/campaign_row.h"

#include <stdio.h>
#include <string.h>

/* A prefix is compared by length, so that no character of it is a pattern. */
static const char find_sql[] =
    "SELECT id, uuid, loss_margin_fraction FROM campaign"
    " WHERE ?1 IS NULL OR (length(?1) > 0 AND substr(uuid, 1, length(?1)) = lower(?1))"
    " ORDER BY uuid = ?1 DESC, created_at_us DESC, id DESC";

enum strata_status strata_campaign_row_find(struct strata_store *store, const char *uuid,
                                            struct strata_campaign_row *ret_row,
                                            struct strata_error *error)
{
    struct strata_query *query = NULL;
    if (strata_query_open(store, find_sql, &query, error) != STRATA_OK) {
        return error->status;
    }
    strata_query_bind_text(query, 1, uuid);
    bool found = strata_query_next(query);
    if (found) {
        ret_row->id = strata_query_integer(query, 0);
        (void)snprintf(ret_row->uuid, sizeof(ret_row->uuid), "%s", strata_query_text(query, 1));
        ret_row->margin = strata_query_decimal(query, 2);
    }
    bool whole = found && uuid != NULL && sizeof(ret_row->uuid) == strlen(uuid) + 1;
    bool several = found && uuid != NULL && !whole && strata_query_next(query);
    enum strata_status status = strata_query_status(query, error);
    strata_query_close(query);
    if (status == STRATA_OK && !found) {
        return uuid == NULL
                   ? strata_error_set(error, STRATA_USAGE, "the database has no campaign")
                   : strata_error_set(error, STRATA_USAGE,
                                      "no campaign %s: expected a uuid or its begin", uuid);
    }
    if (status == STRATA_OK && several) {
        return strata_error_set(error, STRATA_USAGE,
                                "campaign %s: more than one uuid begins like this", uuid);
    }
    return status;
}
