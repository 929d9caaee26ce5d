/* Opening and closing the results database, and what SQLite's answers mean to a user.
 *
 * Always: the busy timeout comes first of all; a rollback journal, never WAL: an analyst's own
 * sqlite3 may be one of those (before 3.51.3, 3.50.7, 3.44.6) whose WAL reset race can corrupt the
 * file, and with one short transaction a run nothing is gained by it. synchronous = EXTRA, so that
 * a run that was reported as stored survives a power cut. The file is opened by nobody but SQLite:
 * closing any other descriptor of it would drop SQLite's locks. Reading is left to query.c. */
#include "common/store/store.h"

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "common/host/facts.h"
#include "common/store/internal.h"
#include "common/store/query.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUSY_TIMEOUT_MS = 30000 };

void strata_store_hash(const char *text, char ret_hash[17])
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (const char *byte = text; *byte != '\0'; byte++) {
        hash = (hash ^ (unsigned char)*byte) * UINT64_C(0x100000001b3);
    }
    snprintf(ret_hash, 17, "%016" PRIx64, hash);
}

enum strata_status strata_store_error(const struct strata_store *store, int code,
                                      const char *message, struct strata_error *error)
{
    switch (code & 0xff) {
    case SQLITE_NOTADB:
        return strata_error_set(error, STRATA_USAGE, "%s: is not an SQLite database", store->path);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "%s: locked by another program for more than %d s", store->path,
                                BUSY_TIMEOUT_MS / 1000);
    case SQLITE_FULL:
        return strata_error_set(error, STRATA_ENVIRONMENT, "%s: no space left for the results",
                                store->path);
    case SQLITE_CORRUPT:
        return strata_error_set(error, STRATA_ENVIRONMENT, "%s: the database is damaged: %s",
                                store->path, message);
    case SQLITE_READONLY:
        if (sqlite3_extended_errcode(store->database) == SQLITE_READONLY_DBMOVED) {
            return strata_error_set(error, STRATA_ENVIRONMENT,
                                    "%s: was removed or replaced while it was in use", store->path);
        }
        return strata_error_set(error, STRATA_ENVIRONMENT, "%s: %s", store->path, message);
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_IOERR:
        return strata_error_set(error, STRATA_ENVIRONMENT, "%s: %s", store->path, message);
    default:
        return strata_error_set(error, STRATA_INTERNAL, "%s: %s", store->path, message);
    }
}

/* The folder of a database that is to be written: it may be missing, then one level of it is made;
 * it must be writable, since the journal lies there, too. */
static enum strata_status prepare_folder(const char *path, struct strata_error *error)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash == NULL ? strata_text_duplicate(".")
                   : slash == path
                       ? strata_text_duplicate("/")
                       : strata_text_duplicate_format("%.*s", (int)(slash - path), path);
    enum strata_status status = STRATA_OK;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        status = strata_error_set(error, STRATA_ENVIRONMENT, "%s: cannot make the folder %s: %s",
                                  path, folder, strerror(errno));
    } else if (access(folder, W_OK | X_OK) != 0) {
        status = strata_error_set(error, STRATA_ENVIRONMENT, "%s: cannot write into %s: %s", path,
                                  folder, strerror(errno));
    }
    free(folder);
    return status;
}

/* SQLite would say "unable to open database file" to all of these. */
static enum strata_status check_path(const char *path, enum strata_store_mode mode,
                                     struct strata_error *error)
{
    struct stat status;
    if (path[0] == '\0') {
        return strata_error_set(error, STRATA_USAGE,
                                "the database's path is empty, a file was expected");
    }
    bool exists = stat(path, &status) == 0;
    if (exists && !S_ISREG(status.st_mode)) {
        return strata_error_set(error, STRATA_USAGE, "%s: is %s, a database file was expected",
                                path, S_ISDIR(status.st_mode) ? "a directory" : "no regular file");
    }
    bool writes = mode == STRATA_STORE_WRITE;
    if ((!exists && (!writes || errno != ENOENT)) ||
        (exists && access(path, writes ? R_OK | W_OK : R_OK) != 0)) {
        return strata_error_set(error, STRATA_ENVIRONMENT, "%s: %s", path, strerror(errno));
    }
    return writes ? prepare_folder(path, error) : STRATA_OK;
}

static enum strata_status mark_one(struct strata_store *store, int64_t run_id, int64_t process_id,
                                   struct strata_error *error)
{
    struct strata_query *query;
    enum strata_status status =
        strata_query_open(store,
                          "UPDATE run SET status = 'aborted', ended_at_us = ?2,"
                          " reason = 'process ' || ?3 || ' ended before the run did' WHERE id = ?1",
                          &query, error);
    if (status == STRATA_OK) {
        strata_query_bind_integer(query, 1, run_id);
        strata_query_bind_integer(query, 2, strata_clock_wall_us());
        strata_query_bind_integer(query, 3, process_id);
        strata_query_next(query);
        status = strata_query_status(query, error);
        strata_query_close(query);
    }
    return status;
}

/* Of the runs marked as running, those whose process could be seen from here if it were still
 * there: same boot and same namespace; or an earlier boot of this very machine. */
enum strata_status strata_store_mark_aborted(struct strata_store *store, struct strata_error *error)
{
    struct strata_process self;
    strata_process_self(&self);
    char machine[33];
    strata_facts_host_id(machine);
    struct strata_query *query;
    enum strata_status status = strata_query_open(
        store,
        "SELECT run.id, run.process_id, run.process_start_ticks, run.boot_id = ?1 FROM run"
        " LEFT JOIN environment ON environment.id = run.environment_id"
        " LEFT JOIN host ON host.id = environment.host_id"
        " WHERE run.status = 'running' AND (run.boot_id = ?1 AND run.process_namespace = ?2"
        " OR run.boot_id <> ?1 AND host.machine_hash = ?3)",
        &query, error);
    if (status != STRATA_OK) {
        return status;
    }
    strata_query_bind_text(query, 1, self.boot_id);
    strata_query_bind_integer(query, 2, self.name_space);
    strata_query_bind_text(query, 3, machine);
    while (status == STRATA_OK && strata_query_next(query)) {
        int64_t process_id = strata_query_integer(query, 1);
        bool this_boot = strata_query_integer(query, 3) != 0;
        if (!this_boot || !strata_process_alive(process_id, strata_query_integer(query, 2))) {
            status = mark_one(store, strata_query_integer(query, 0), process_id, error);
        }
    }
    if (status == STRATA_OK) {
        status = strata_query_status(query, error);
    }
    strata_query_close(query);
    return status;
}

/* Settings of the connection, none of which touches the file. */
static enum strata_status configure(struct strata_store *store, enum strata_store_mode mode,
                                    struct strata_error *error)
{
    sqlite3_busy_timeout(store->database, BUSY_TIMEOUT_MS);
    int code = sqlite3_exec(
        store->database,
        mode == STRATA_STORE_READ
            ? "PRAGMA trusted_schema = OFF; PRAGMA query_only = ON"
            : "PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON; PRAGMA synchronous = EXTRA",
        NULL, NULL, NULL);
    return code == SQLITE_OK
               ? STRATA_OK
               : strata_store_error(store, code, sqlite3_errmsg(store->database), error);
}

static enum strata_status prepare_writing(struct strata_store *store, struct strata_error *error)
{
    enum strata_status status = strata_query_begin(store, error);
    if (status != STRATA_OK) {
        return status;
    }
    status = strata_store_upgrade(store, error);
    if (status == STRATA_OK) {
        status = strata_store_mark_aborted(store, error);
    }
    if (status != STRATA_OK) {
        strata_query_rollback(store);
        return status;
    }
    status = strata_query_commit(store, error);
    if (status == STRATA_OK) {
        /* Now that the file is known to be Strata's; changes nothing unless somebody chose WAL. */
        sqlite3_exec(store->database, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    }
    return status;
}

enum strata_status strata_store_open(const char *path, enum strata_store_mode mode,
                                     struct strata_store **ret_store, struct strata_error *error)
{
    *ret_store = NULL;
    enum strata_status status = check_path(path, mode, error);
    if (status != STRATA_OK) {
        return status;
    }
    struct strata_store *store = strata_memory_new(1, sizeof(*store));
    store->path = strata_text_duplicate(path);
    /* A reader, too, must be able to write: a journal that a killed writer left behind is rolled
     * back by whoever opens next. SQLite falls back to reading where the file is read-only. */
    int flags = SQLITE_OPEN_READWRITE | (mode == STRATA_STORE_WRITE ? SQLITE_OPEN_CREATE : 0);
    int code = sqlite3_open_v2(path, &store->database, flags, NULL);
    if (code != SQLITE_OK) {
        status = strata_store_error(store, code, sqlite3_errmsg(store->database), error);
    }
    if (status == STRATA_OK) {
        status = configure(store, mode, error);
    }
    if (status == STRATA_OK) {
        status = mode == STRATA_STORE_READ ? strata_store_check(store, error)
                                           : prepare_writing(store, error);
    }
    if (status != STRATA_OK) {
        strata_store_close(store);
        return status;
    }
    *ret_store = store;
    return STRATA_OK;
}

enum strata_status strata_store_open_scratch(struct strata_store **ret_store,
                                             struct strata_error *error)
{
    struct strata_store *store = strata_memory_new(1, sizeof(*store));
    store->path = strata_text_duplicate("database in memory");
    enum strata_status status = STRATA_OK;
    int code = sqlite3_open(":memory:", &store->database);
    if (code != SQLITE_OK) {
        status = strata_store_error(store, code, sqlite3_errmsg(store->database), error);
        strata_store_close(store);
        store = NULL;
    }
    *ret_store = store;
    return status;
}

void strata_store_close(struct strata_store *store)
{
    if (store != NULL) {
        sqlite3_close(store->database);
        free(store->path);
        free(store);
    }
}
