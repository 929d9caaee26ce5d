/* Making a file into a results database, and bringing an old one up to date.
 *
 * Always: application_id says whose file it is, user_version how many migrations it has seen; a
 * foreign or newer file is refused before anything in it is touched; everything happens in the
 * caller's one transaction, so that two programs that open a new file at once make it once. The
 * tables and views themselves are SQL files beside this one. */
#include "common/base/embedded.h"
#include "common/base/text.h"
#include "common/store/internal.h"
#include "common/store/query.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#define MIGRATIONS "common/store/migrations/" /* NNN_name.sql, applied in that order */
#define VIEWS      "common/store/views.sql"

enum { APPLICATION_ID = 0x53747261 }; /* "Stra" */

static enum strata_status run_script(struct strata_store *store, const char *sql,
                                     struct strata_error *error)
{
    int code = sqlite3_exec(store->database, sql, NULL, NULL, NULL);
    return code == SQLITE_OK
               ? STRATA_OK
               : strata_store_error(store, code, sqlite3_errmsg(store->database), error);
}

static enum strata_status read_number(struct strata_store *store, const char *sql,
                                      int64_t *ret_number, struct strata_error *error)
{
    struct strata_query *query;
    enum strata_status status = strata_query_open(store, sql, &query, error);
    if (status == STRATA_OK) {
        *ret_number = strata_query_next(query) ? strata_query_integer(query, 0) : 0;
        status = strata_query_status(query, error);
        strata_query_close(query);
    }
    return status;
}

/* The number of a migration, 0 for any other file. */
static int64_t migration_number(const struct strata_embedded *file)
{
    size_t folder = strlen(MIGRATIONS);
    return strncmp(file->path, MIGRATIONS, folder) == 0 ? strtoll(file->path + folder, NULL, 10)
                                                        : 0;
}

static int64_t latest_version(void)
{
    int64_t latest = 0;
    for (const struct strata_embedded *file = strata_embedded_files; file->path != NULL; file++) {
        int64_t number = migration_number(file);
        latest = number > latest ? number : latest;
    }
    return latest;
}

/* What the file says of itself. */
struct identity {
    int64_t application_id;
    int64_t version;
    int64_t objects; /* tables, indexes, views */
};

static enum strata_status read_identity(struct strata_store *store, struct identity *ret_identity,
                                        struct strata_error *error)
{
    enum strata_status status =
        read_number(store, "PRAGMA application_id", &ret_identity->application_id, error);
    if (status == STRATA_OK) {
        status = read_number(store, "PRAGMA user_version", &ret_identity->version, error);
    }
    if (status == STRATA_OK) {
        status =
            read_number(store, "SELECT count(*) FROM sqlite_schema", &ret_identity->objects, error);
    }
    return status;
}

static enum strata_status refuse_foreign(const struct strata_store *store,
                                         const struct identity *identity,
                                         struct strata_error *error)
{
    if (identity->application_id != APPLICATION_ID) {
        return strata_error_set(error, STRATA_USAGE,
                                "%s: is an SQLite database, but not one of Strata", store->path);
    }
    if (identity->version > latest_version()) {
        return strata_error_set(error, STRATA_USAGE,
                                "%s: made by a newer Strata: its schema is %" PRId64
                                ", this program knows up to %" PRId64,
                                store->path, identity->version, latest_version());
    }
    return STRATA_OK;
}

enum strata_status strata_store_check(struct strata_store *store, struct strata_error *error)
{
    struct identity identity;
    enum strata_status status = read_identity(store, &identity, error);
    if (status == STRATA_OK) {
        status = refuse_foreign(store, &identity, error);
    }
    if (status == STRATA_OK && identity.version < latest_version()) {
        status = strata_error_set(error, STRATA_USAGE,
                                  "%s: made by an older Strata: its schema is %" PRId64
                                  ", this program reads %" PRId64
                                  "; any run that writes into it brings it up to date",
                                  store->path, identity.version, latest_version());
    }
    return status;
}

static enum strata_status migrate(struct strata_store *store, int64_t version,
                                  struct strata_error *error)
{
    enum strata_status status = STRATA_OK;
    for (const struct strata_embedded *file = strata_embedded_files;
         file->path != NULL && status == STRATA_OK; file++) {
        int64_t number = migration_number(file);
        if (number <= version) {
            continue;
        }
        char *stamp = strata_text_duplicate_format("PRAGMA application_id = %d;"
                                                   "PRAGMA user_version = %" PRId64,
                                                   APPLICATION_ID, number);
        status = run_script(store, file->content, error);
        if (status == STRATA_OK) {
            status = run_script(store, stamp, error);
        }
        free(stamp);
    }
    return status;
}

static enum strata_status drop_views(struct strata_store *store, struct strata_error *error)
{
    struct strata_text drops = {0};
    struct strata_query *query;
    enum strata_status status =
        strata_query_open(store,
                          "SELECT name FROM sqlite_schema"
                          " WHERE type = 'view' AND name LIKE 'v\\_%' ESCAPE '\\'",
                          &query, error);
    if (status == STRATA_OK) {
        while (strata_query_next(query)) {
            strata_text_format(&drops, "DROP VIEW %s;", strata_query_text(query, 0));
        }
        status = strata_query_status(query, error);
        strata_query_close(query);
    }
    if (status == STRATA_OK) {
        status = run_script(store, strata_text_string(&drops), error);
    }
    strata_text_done(&drops);
    return status;
}

/* Replace the views when another text than this program's made them. */
static enum strata_status refresh_views(struct strata_store *store, struct strata_error *error)
{
    const char *views = strata_embedded_find(VIEWS);
    char hash[17];
    strata_store_hash(views, hash);
    struct strata_query *query;
    enum strata_status status =
        strata_query_open(store,
                          "INSERT INTO setting VALUES ('views', ?1) ON CONFLICT (name)"
                          " DO UPDATE SET value = ?1 WHERE value <> ?1 RETURNING 1",
                          &query, error);
    if (status != STRATA_OK) {
        return status;
    }
    strata_query_bind_text(query, 1, hash);
    bool differs = strata_query_next(query);
    status = strata_query_status(query, error);
    strata_query_close(query);
    if (status == STRATA_OK && differs) {
        status = drop_views(store, error);
        if (status == STRATA_OK) {
            status = run_script(store, views, error);
        }
    }
    return status;
}

enum strata_status strata_store_upgrade(struct strata_store *store, struct strata_error *error)
{
    struct identity identity;
    enum strata_status status = read_identity(store, &identity, error);
    bool empty = status == STRATA_OK && identity.application_id == 0 && identity.objects == 0;
    if (status == STRATA_OK && !empty) {
        status = refuse_foreign(store, &identity, error);
    }
    if (status == STRATA_OK) {
        status = migrate(store, empty ? 0 : identity.version, error);
    }
    if (status == STRATA_OK) {
        status = refresh_views(store, error);
    }
    return status;
}
