/* What the files of the target `posix` share: the run's tree, who owns which part of it, how its
 * files and directories are called.
 *
 *   PATH/strata-<uuid>/            the run's root
 *       .strata-run                marker with the run's uuid
 *       t.<tree>/                  one for each job, or t.0 for all
 *           d.<n>/                 subdirectories, if asked
 *               f.<job>.<n>        a file
 *               r.<job>.<n>        the same file after a rename */
#ifndef STRATA_TARGET_POSIX_TREE_H
#define STRATA_TARGET_POSIX_TREE_H

#include "common/target/item_set.h"
#include "common/target/posix.h"

enum { STRATA_POSIX_NAME_BYTES = 96 }; /* "d.<20 digits>/f.<10 digits>.<20 digits>" fits */

#define STRATA_POSIX_MARKER ".strata-run"

/* Why a job could not make something for lack of room; code 0: it could. */
struct strata_posix_shortage {
    int code; /* ENOSPC or EDQUOT */
    uint64_t free_bytes;
    uint64_t free_inodes;
    uint64_t inodes; /* 0: this file system does not count them */
};

struct strata_posix_job {
    struct strata_item_set files;   /* those that exist */
    struct strata_item_set renamed; /* those that bear the other name */
    struct strata_posix_shortage shortage;
    uint64_t created; /* files made so far; not lowered by unlink */
};

struct strata_posix {
    struct strata_target base;
    struct strata_posix_options options;
    char root_name[48]; /* "strata-<uuid>" */
    int parent;         /* the directory `path` */
    int root;           /* the run's own; -1 while there is none */
    bool has_key;
    struct strata_fscrypt_key key;
    struct strata_posix_job *jobs;
    struct strata_item_set
        *trees; /* directories that exist: 0 is the tree's own, then d.0, d.1, … */
};

/* Trees of the run, and the one that a job works in. */
unsigned strata_posix_tree_count(const struct strata_posix *posix);
unsigned strata_posix_tree_of(const struct strata_posix *posix, unsigned job);

/* How many files job `job` has to make. */
uint64_t strata_posix_planned(const struct strata_posix *posix, unsigned job);

/* Files of the job before the one that directory `place` (rank among the subdirectories that exist)
 * begins with: the directory holds files first(place) to first(place + 1) - 1. */
uint64_t strata_posix_first_file(uint64_t files, uint64_t places, uint64_t place);

/* The directory that holds file number `file`: strata_posix_first_file's inverse; files > file. */
uint64_t strata_posix_place_of(uint64_t files, uint64_t places, uint64_t file);

/* Entries that a listing of the tree's directory number `directory` must show. */
uint64_t strata_posix_expected_entries(const struct strata_posix *posix, unsigned tree,
                                       uint64_t directory);

/* Path of the job's file below its tree's directory, under its first or its second name. */
void strata_posix_file_name(const struct strata_posix *posix, unsigned job, uint64_t file,
                            bool renamed, char ret_name[STRATA_POSIX_NAME_BYTES]);

/* Path of the tree's directory number `directory` below the run's root. */
void strata_posix_directory_name(unsigned tree, uint64_t directory,
                                 char ret_name[STRATA_POSIX_NAME_BYTES]);

/* Whether an entry found on level `level` (0: in the root, 1: in a tree, 2: in a subdirectory)
 * bears a name that this run gives to a directory (`is_directory`) or a file there. */
bool strata_posix_is_own_name(const struct strata_posix *posix, const char *name, int level,
                              bool is_directory);

/* Make the run's root with its marker, encrypted if asked. On failure nothing of it stays. */
enum strata_status strata_posix_make_root(struct strata_posix *posix, struct strata_error *error);

/* Remove the run's root and everything below it that bears the run's names. */
enum strata_status strata_posix_remove_root(struct strata_posix *posix, struct strata_error *error);

/* Remove the files of a tree but not its directories. What cannot be removed stays, unreported. */
void strata_posix_remove_files(struct strata_posix *posix, unsigned tree);

/* Fill `bytes` of a file's content at `offset`, a multiple of 4096, with its stamps: seed, file and
 * place in the first bytes of each 4 KiB, so that no two blocks of a run are equal. */
void strata_posix_stamp(uint8_t *content, uint64_t bytes, uint64_t offset, uint64_t seed,
                        unsigned job, uint64_t file);

/* Whether the stamps are those that strata_posix_stamp wrote. */
bool strata_posix_stamped(const uint8_t *content, uint64_t bytes, uint64_t offset, uint64_t seed,
                          unsigned job, uint64_t file);

/* Drop what the page cache holds of the job's files, or, by job 0, all of it where that is
 * possible. Returns 0 or an errno. */
int strata_posix_drop_cache(const struct strata_posix *posix, unsigned job, int tree);

#endif
