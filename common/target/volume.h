/* One volume of a run, and what makes and removes volumes: a table of functions for each driver. */
#ifndef STRATA_TARGET_VOLUME_H
#define STRATA_TARGET_VOLUME_H

#include "common/base/error.h"
#include "common/host/command.h"
#include "common/measure/operation.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct strata_volume {
    char name[32];   /* "strata-0123abcd-17", from the run's UUID: needs no quoting anywhere */
    unsigned number; /* from 0 */

    /* Between steps; the target's to set. `may_`: begun, and not known to be undone. */
    bool made;
    bool attached;
    bool may_exist;
    bool may_be_attached;
};

/* CREATE, ATTACH, DETACH, DELETE: the steps of a volume's life, in their order. */
enum { STRATA_VOLUME_STEPS = 4 };
extern const enum strata_operation_kind strata_volume_steps[STRATA_VOLUME_STEPS];

/* Its place among them; -1 when it is none. */
int strata_volume_step_index(enum strata_operation_kind kind);

/* One step on one volume: what is asked, and what became of it. */
struct strata_volume_step {
    enum strata_operation_kind kind;   /* CREATE, ATTACH, DETACH or DELETE */
    const volatile sig_atomic_t *stop; /* NULL while cleaning up: then a step has succeeded when
                                          its end is reached, whoever brought that about */
    uint64_t end_ns;                   /* when its end was seen; 0: when the call returned */
    uint64_t stage_ns;                 /* of `stage`, which is a part of it; 0: none was timed */
    enum strata_stage stage;
    char cause[320]; /* why it failed, one line */
};

/* What becomes of a step by the end of a command that it ran: its result as operations have it, and
 * step->cause in words, beginning with `what`. */
int32_t strata_volume_judge(const struct strata_command_outcome *outcome, const char *what,
                            struct strata_volume_step *step);

struct strata_volume_driver;

struct strata_volume_driver_type {
    const char *name; /* "loop" */

    /* Untimed, before the first volume. */
    enum strata_status (*prepare)(struct strata_volume_driver *driver, struct strata_error *error);

    /* Returns a result as operations have it; fills step->cause when that is not 0. Threads: any,
     * each with volumes of its own. */
    int32_t (*perform)(struct strata_volume_driver *driver, const struct strata_volume *volume,
                       struct strata_volume_step *step);

    /* After the last volume: remove what prepare made. */
    enum strata_status (*cleanup)(struct strata_volume_driver *driver, struct strata_error *error);

    void (*close)(struct strata_volume_driver *driver);
};

/* A driver embeds it first in its own struct. */
struct strata_volume_driver {
    const struct strata_volume_driver_type *type;
};

/* Sparse files, each on a loop device while it is attached. */
struct strata_volume_loop_options {
    const char *path; /* an existing directory; the run makes one of its own below it */
    const char *run_uuid;
    unsigned count; /* volumes */
    uint64_t size_bytes;
    uint64_t timeout_ns;
    bool luks; /* formatted when created, opened when attached where there is a device mapper */
    const char *cipher;
    unsigned key_bits;
    const char *pbkdf; /* as in struct strata_luks */
};

/* Errors: STRATA_ENVIRONMENT. Owns: the caller closes *ret_driver; text is borrowed until then. */
enum strata_status strata_volume_loop_open(const struct strata_volume_loop_options *options,
                                           struct strata_volume_driver **ret_driver,
                                           struct strata_error *error);

/* Path of a volume's device while it is attached: the mapping where there is one, else the loop
 * device; into `path`. */
void strata_volume_loop_device(const struct strata_volume_driver *driver,
                               const struct strata_volume *volume, char *path, size_t size);

/* Whether LUKS volumes are opened when attached: the kernel has a device mapper. */
bool strata_volume_loop_opens(void);

/* The user's own command lines, each with the question whether its end is reached. */
struct strata_volume_command_options {
    /* In the order of strata_volume_steps. A line is run by /bin/sh -c. */
    const char *lines[STRATA_VOLUME_STEPS];  /* NULL: there is no such step */
    const char *checks[STRATA_VOLUME_STEPS]; /* NULL: the line's own end is the step's */
    unsigned count;                          /* volumes */
    uint64_t size_bytes;
    bool encrypted;
    const char *const *devices; /* one for each volume, for {device}; NULL: none. The array is
                                   copied, the texts are borrowed */
    uint64_t timeout_ns;        /* of a step, its check included */
    uint64_t poll_ns;           /* between two checks */
};

enum strata_status strata_volume_command_open(const struct strata_volume_command_options *options,
                                              struct strata_volume_driver **ret_driver,
                                              struct strata_error *error);

/* Exit status of a check: reached; never to be reached. Any other: not yet. */
enum { STRATA_VOLUME_CHECK_REACHED = 0, STRATA_VOLUME_CHECK_NEVER = 100 };

/* Look for placeholders in a command line: {name}, {number}, {size}, {size_gib}, {encrypted}, {id},
 * {device}. Returns the length of one that is none of these ("{nmae}") and sets *ret_wrong to it; 0
 * when there is none. *ret_device: whether {device} is asked for. */
size_t strata_volume_command_check(const char *line, const char **ret_wrong, bool *ret_device);

#endif
