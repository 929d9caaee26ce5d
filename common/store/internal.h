/* What the files of this module share. Nobody else includes it. */
#ifndef STRATA_STORE_INTERNAL_H
#define STRATA_STORE_INTERNAL_H

#include "common/base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct sqlite3;

struct strata_store {
    struct sqlite3 *database;
    char *path; /* for messages */
};

/* Fill *error from SQLite's result code and its last message, the database's path first.
 * STRATA_USAGE: no database at all; STRATA_ENVIRONMENT: locked, full, unwritable, damaged;
 * STRATA_INTERNAL: anything else. */
enum strata_status strata_store_error(const struct strata_store *store, int code,
                                      const char *message, struct strata_error *error);

/* FNV-1a, 64 bits, of a text: whether it is still the same one. Source: Fowler, Noll, Vo, 1991. */
void strata_store_hash(const char *text, char ret_hash[17]);

/* Who measures a run: a process id alone is used again, with its start time, boot and namespace it
 * is not. */
struct strata_process {
    int64_t id;
    int64_t start_ticks; /* field 22 of /proc/PID/stat, clock ticks since boot */
    int64_t name_space;  /* inode of /proc/self/ns/pid */
    char boot_id[40];
};

void strata_process_self(struct strata_process *ret_process);

/* Whether a process of this boot and namespace with that id and start time is still at work; one
 * that has ended but was not waited for is not. */
bool strata_process_alive(int64_t id, int64_t start_ticks);

/* Bring an open database up to this program's schema and views, inside the caller's transaction; an
 * empty one becomes a results database. */
enum strata_status strata_store_upgrade(struct strata_store *store, struct strata_error *error);

/* Whether the database is one that this program can read: STRATA_USAGE with the reason if not. */
enum strata_status strata_store_check(struct strata_store *store, struct strata_error *error);

/* Mark runs whose process is gone as aborted, inside the caller's transaction. */
enum strata_status strata_store_mark_aborted(struct strata_store *store,
                                             struct strata_error *error);

#endif
