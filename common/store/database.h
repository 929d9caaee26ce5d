/* The results database as a file: opened, migrated, closed. Readers need no more than this and
 * common/store/query.h, so that analysis and reports do not see how loads are run. */
#ifndef STRATA_STORE_DATABASE_H
#define STRATA_STORE_DATABASE_H

#include "common/base/error.h"

#include <stdbool.h>

struct strata_store;

enum strata_store_mode {
    STRATA_STORE_READ, /* must exist; never written, not even migrated */
    STRATA_STORE_WRITE /* made when missing, migrated when old */
};

/* Open the database. Writing: busy timeout 30 s first of all; foreign keys on; rollback journal,
 * never WAL (store.c says why); application_id and user_version checked. Runs left `running` by a
 * process that is gone (pid and start time) are marked `aborted`. A missing folder is made, one
 * level of it. Errors: STRATA_ENVIRONMENT (cannot open, locked, disk), STRATA_USAGE (not a Strata
 * database; made by a newer Strata). Not to be used across a fork. */
enum strata_status strata_store_open(const char *path, enum strata_store_mode mode,
                                     struct strata_store **ret_store, struct strata_error *error);

/* A database in memory with nothing in it, for SQLite's functions over texts. */
enum strata_status strata_store_open_scratch(struct strata_store **ret_store,
                                             struct strata_error *error);
void strata_store_close(struct strata_store *store);

/* Whether the database is, lies below, or has its file system on `path`, a directory, file or block
 * device (partitions, dm and md followed): writing it would be measured, so such a database is
 * refused. A neighbour on the same file system is not: nothing is written during a run. */
bool strata_store_shares_device(const char *database_path, const char *path);

#endif
