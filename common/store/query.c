/* One SQL statement at a time, without sqlite3 in anybody else's sight.
 *
 * Always: the first error of a statement is kept until it is reset or closed; a transaction that
 * writes takes its lock at once (BEGIN IMMEDIATE), since a lock asked for later can only be
 * refused. What statements mean is left to the callers. */
#include "common/store/query.h"

#include "common/base/memory.h"
#include "common/store/internal.h"

#include <sqlite3.h>
#include <stdlib.h>

struct strata_query {
    const struct strata_store *store;
    sqlite3_stmt *statement;
    int code; /* of the first error; SQLITE_OK while there is none */
    struct strata_error failure;
};

enum strata_status strata_query_open(struct strata_store *store, const char *sql,
                                     struct strata_query **ret_query, struct strata_error *error)
{
    *ret_query = NULL;
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL);
    if (code != SQLITE_OK) {
        return strata_store_error(store, code, sqlite3_errmsg(store->database), error);
    }
    struct strata_query *query = strata_memory_new(1, sizeof(*query));
    query->store = store;
    query->statement = statement;
    *ret_query = query;
    return STRATA_OK;
}

void strata_query_close(struct strata_query *query)
{
    if (query != NULL) {
        sqlite3_finalize(query->statement);
        free(query);
    }
}

static void keep(struct strata_query *query, int code)
{
    if (code != SQLITE_OK && query->code == SQLITE_OK) {
        query->code = code;
        strata_store_error(query->store, code, sqlite3_errmsg(query->store->database),
                           &query->failure);
    }
}

void strata_query_bind_text(struct strata_query *query, int number, const char *text)
{
    keep(query, sqlite3_bind_text(query->statement, number, text, -1, SQLITE_TRANSIENT));
}

void strata_query_bind_integer(struct strata_query *query, int number, int64_t value)
{
    keep(query, sqlite3_bind_int64(query->statement, number, value));
}

void strata_query_bind_decimal(struct strata_query *query, int number, double value)
{
    keep(query, sqlite3_bind_double(query->statement, number, value));
}

bool strata_query_next(struct strata_query *query)
{
    if (query->code != SQLITE_OK) {
        return false;
    }
    int code = sqlite3_step(query->statement);
    if (code == SQLITE_ROW) {
        return true;
    }
    keep(query, code == SQLITE_DONE ? SQLITE_OK : code);
    return false;
}

enum strata_status strata_query_status(struct strata_query *query, struct strata_error *error)
{
    if (query->code == SQLITE_OK) {
        return STRATA_OK;
    }
    *error = query->failure;
    return error->status;
}

void strata_query_reset(struct strata_query *query)
{
    sqlite3_reset(query->statement);
    query->code = SQLITE_OK;
}

int strata_query_columns(const struct strata_query *query)
{
    return sqlite3_column_count(query->statement);
}

const char *strata_query_column_name(const struct strata_query *query, int column)
{
    return sqlite3_column_name(query->statement, column);
}

bool strata_query_is_null(struct strata_query *query, int column)
{
    return sqlite3_column_type(query->statement, column) == SQLITE_NULL;
}

bool strata_query_is_text(struct strata_query *query, int column)
{
    return sqlite3_column_type(query->statement, column) == SQLITE_TEXT;
}

const char *strata_query_text(struct strata_query *query, int column)
{
    return (const char *)sqlite3_column_text(query->statement, column);
}

int64_t strata_query_integer(struct strata_query *query, int column)
{
    return sqlite3_column_int64(query->statement, column);
}

double strata_query_decimal(struct strata_query *query, int column)
{
    return sqlite3_column_double(query->statement, column);
}

static enum strata_status run_script(struct strata_store *store, const char *sql,
                                     struct strata_error *error)
{
    int code = sqlite3_exec(store->database, sql, NULL, NULL, NULL);
    return code == SQLITE_OK
               ? STRATA_OK
               : strata_store_error(store, code, sqlite3_errmsg(store->database), error);
}

enum strata_status strata_query_execute(struct strata_store *store, const char *sql,
                                        struct strata_error *error)
{
    enum strata_status status = strata_query_begin(store, error);
    if (status != STRATA_OK) {
        return status;
    }
    status = run_script(store, sql, error);
    if (status == STRATA_OK) {
        status = strata_query_commit(store, error);
    } else {
        strata_query_rollback(store);
    }
    return status;
}

enum strata_status strata_query_begin(struct strata_store *store, struct strata_error *error)
{
    return run_script(store, "BEGIN IMMEDIATE", error);
}

enum strata_status strata_query_commit(struct strata_store *store, struct strata_error *error)
{
    enum strata_status status = run_script(store, "COMMIT", error);
    if (status != STRATA_OK) {
        strata_query_rollback(store);
    }
    return status;
}

void strata_query_rollback(struct strata_store *store)
{
    /* SQLite has rolled back by itself after a full disk or an I/O error. */
    if (!sqlite3_get_autocommit(store->database)) {
        sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
    }
}
