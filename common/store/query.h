/* Reading the database with one SQL statement at a time, without exposing sqlite3. */
#ifndef STRATA_STORE_QUERY_H
#define STRATA_STORE_QUERY_H

#include "common/store/database.h"

#include <stdbool.h>
#include <stdint.h>

struct strata_query;

/* Prepare `sql`; then bind, step, read. Errors: STRATA_INTERNAL with SQLite's message. */
enum strata_status strata_query_open(struct strata_store *store, const char *sql,
                                     struct strata_query **ret_query, struct strata_error *error);
void strata_query_close(struct strata_query *query);

/* Parameters by number from 1. Text is copied; NULL binds NULL. */
void strata_query_bind_text(struct strata_query *query, int number, const char *text);
void strata_query_bind_integer(struct strata_query *query, int number, int64_t value);
void strata_query_bind_decimal(struct strata_query *query, int number, double value);

/* Advance to the next row: true while there is one. An error ends the rows and is kept for
 * strata_query_status. */
bool strata_query_next(struct strata_query *query);
enum strata_status strata_query_status(struct strata_query *query, struct strata_error *error);

/* Begin again with the same or new parameters. */
void strata_query_reset(struct strata_query *query);

/* Columns from 0. Text is valid until the next step; NULL for NULL. */
int strata_query_columns(const struct strata_query *query);
const char *strata_query_column_name(const struct strata_query *query, int column);
bool strata_query_is_null(struct strata_query *query, int column);
bool strata_query_is_text(struct strata_query *query, int column);
const char *strata_query_text(struct strata_query *query, int column);
int64_t strata_query_integer(struct strata_query *query, int column);
double strata_query_decimal(struct strata_query *query, int column);

/* Run statements without rows, in a transaction of their own. */
enum strata_status strata_query_execute(struct strata_store *store, const char *sql,
                                        struct strata_error *error);
enum strata_status strata_query_begin(struct strata_store *store, struct strata_error *error);
enum strata_status strata_query_commit(struct strata_store *store, struct strata_error *error);
void strata_query_rollback(struct strata_store *store);

#endif
