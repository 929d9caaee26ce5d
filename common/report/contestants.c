/* From what a user types to rows of the database, and whether they may be held against each other.
 */
#include "common/report/contestants.h"

#include <stdio.h>

static const char campaign_sql[] =
    "SELECT id, name || ' (' || substr(uuid, 1, 8) || ')' FROM campaign"
    " WHERE name = ?1 OR (length(?1) >= 4 AND substr(uuid, 1, length(?1)) = lower(?1))"
    " ORDER BY uuid = lower(?1) DESC, created_at_us DESC, id DESC LIMIT 1";

/* The campaign must have both back ends; the latest one that has. */
static const char backends_sql[] =
    "SELECT base.campaign_id, base.id, other.id FROM backend AS base"
    " JOIN backend AS other ON other.campaign_id = base.campaign_id AND other.name = ?2"
    " WHERE base.name = ?1 ORDER BY base.campaign_id DESC LIMIT 1";

/* Facts that differ between the machines of two campaigns. */
static const char facts_sql[] =
    "WITH fact AS (SELECT DISTINCT run.campaign_id, json_each.key, json_each.value"
    " FROM run JOIN environment ON environment.id = run.environment_id"
    " JOIN json_each(json_insert(environment.facts, '$.machine', environment.host_id))"
    " WHERE run.campaign_id IN (?1, ?2))"
    " SELECT base.key, base.value, other.value FROM (SELECT * FROM fact WHERE campaign_id = ?1) AS "
    "base"
    " FULL JOIN (SELECT * FROM fact WHERE campaign_id = ?2) AS other ON other.key = base.key"
    " WHERE base.value IS NOT other.value ORDER BY base.key = 'machine' DESC, base.key LIMIT 1";

/* Nobody knows on which machine other tools ran. */
static const char imported_sql[] =
    "SELECT source FROM run WHERE campaign_id IN (?1, ?2) AND source <> '' AND ?1 <> ?2 LIMIT 1";

static enum strata_status find_campaign(struct strata_store *store, const char *name,
                                        struct strata_contestant *contestant,
                                        struct strata_error *error)
{
    struct strata_query *query = NULL;
    enum strata_status status = strata_query_open(store, campaign_sql, &query, error);
    if (status != STRATA_OK) {
        return status;
    }
    strata_query_bind_text(query, 1, name);
    *contestant = (struct strata_contestant){0};
    if (strata_query_next(query)) {
        contestant->campaign_id = strata_query_integer(query, 0);
        (void)snprintf(contestant->label, sizeof(contestant->label), "%s",
                       strata_query_text(query, 1));
    }
    status = strata_query_status(query, error);
    strata_query_close(query);
    return status;
}

static enum strata_status find_backends(struct strata_store *store, const char *base,
                                        const char *other, struct strata_contestants *found,
                                        struct strata_error *error)
{
    struct strata_query *query = NULL;
    enum strata_status status = strata_query_open(store, backends_sql, &query, error);
    if (status != STRATA_OK) {
        return status;
    }
    strata_query_bind_text(query, 1, base);
    strata_query_bind_text(query, 2, other);
    if (strata_query_next(query)) {
        found->base.campaign_id = found->other.campaign_id = strata_query_integer(query, 0);
        found->base.backend_id = strata_query_integer(query, 1);
        found->other.backend_id = strata_query_integer(query, 2);
        (void)snprintf(found->base.label, sizeof(found->base.label), "%s", base);
        (void)snprintf(found->other.label, sizeof(found->other.label), "%s", other);
    }
    status = strata_query_status(query, error);
    strata_query_close(query);
    return status;
}

enum strata_status strata_contestants_find(struct strata_store *store, const char *base,
                                           const char *other,
                                           struct strata_contestants *ret_contestants,
                                           struct strata_error *error)
{
    enum strata_status status = find_campaign(store, base, &ret_contestants->base, error);
    if (status == STRATA_OK) {
        status = find_campaign(store, other, &ret_contestants->other, error);
    }
    bool campaigns =
        ret_contestants->base.campaign_id != 0 && ret_contestants->other.campaign_id != 0;
    if (status == STRATA_OK && !campaigns) {
        *ret_contestants = (struct strata_contestants){0};
        status = find_backends(store, base, other, ret_contestants, error);
    }
    if (status == STRATA_OK && ret_contestants->base.campaign_id == 0) {
        return strata_error_set(error, STRATA_USAGE,
                                "compare: %s and %s: expected two campaigns (uuid, its begin, or "
                                "name) or two back ends of one campaign",
                                base, other);
    }
    return status;
}

static enum strata_status refuse_imported(struct strata_store *store,
                                          const struct strata_contestants *contestants,
                                          struct strata_error *error)
{
    struct strata_query *query = NULL;
    enum strata_status status = strata_query_open(store, imported_sql, &query, error);
    if (status != STRATA_OK) {
        return status;
    }
    strata_query_bind_integer(query, 1, contestants->base.campaign_id);
    strata_query_bind_integer(query, 2, contestants->other.campaign_id);
    if (strata_query_next(query)) {
        status =
            strata_error_set(error, STRATA_USAGE,
                             "compare: imported from %s: on which machine it ran is not known; "
                             "--force compares all the same",
                             strata_query_text(query, 0));
    } else {
        status = strata_query_status(query, error);
    }
    strata_query_close(query);
    return status;
}

enum strata_status strata_contestants_alike(struct strata_store *store,
                                            const struct strata_contestants *contestants,
                                            struct strata_error *error)
{
    struct strata_query *query = NULL;
    enum strata_status status = refuse_imported(store, contestants, error);
    if (status != STRATA_OK) {
        return status;
    }
    status = strata_query_open(store, facts_sql, &query, error);
    if (status != STRATA_OK) {
        return status;
    }
    strata_query_bind_integer(query, 1, contestants->base.campaign_id);
    strata_query_bind_integer(query, 2, contestants->other.campaign_id);
    if (strata_query_next(query)) {
        const char *texts[3];
        for (int i = 0; i < 3; i++) {
            const char *text = strata_query_text(query, i);
            texts[i] = text != NULL ? text : "none";
        }
        strata_error_set(error, STRATA_USAGE,
                         "compare: measured in unlike environments: %s is %s there, %s here; "
                         "--force compares all the same",
                         texts[0], texts[1], texts[2]);
        strata_query_close(query);
        return STRATA_USAGE;
    }
    status = strata_query_status(query, error);
    strata_query_close(query);
    return status;
}
