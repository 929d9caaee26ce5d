/* One error per failed call: a status that becomes the exit code, and one line for the user. */
#ifndef STRATA_BASE_ERROR_H
#define STRATA_BASE_ERROR_H

/* What a cold-path function returns; the numbers are the exit codes that doc/interface promises. */
enum strata_status {
    STRATA_OK = 0,
    STRATA_CRITERION_FAILED = 1, /* everything ran; a stated criterion was missed or a run failed */
    STRATA_USAGE = 2,            /* the command line or the configuration is wrong */
    STRATA_ENVIRONMENT = 3,      /* a device, a server, a permission, a full disk */
    STRATA_INTERNAL = 4,         /* a fault of Strata itself */
    STRATA_INTERRUPTED = 130     /* SIGINT or SIGTERM; what there was has been stored */
};

/* Stands in the text of what went wrong because a device hangs: nothing more is asked of it. */
#define STRATA_NO_ANSWER "does not answer: "

/* Begins the text of what a target cannot do at all (512 B on sectors of 4096): the run is stored
 * as invalid with this reason, not as failed, and the other cells go on. v_not_comparable
 * (common/store/views.sql) looks for it, too. */
#define STRATA_UNSUPPORTED "unsupported: "

struct strata_error {
    enum strata_status status;
    char text[1024]; /* one line, no newline, no program name; what was found and what was expected
                      */
};

/* Fill *error with the status and the formatted line. Returns the status, so that a caller can
 * write `return strata_error_set(error, STRATA_USAGE, "…")`. Newlines become spaces. */
enum strata_status strata_error_set(struct strata_error *error, enum strata_status status,
                                    const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Put "<formatted>: " before the text that is there. Returns the status that is there. */
enum strata_status strata_error_prefix(struct strata_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
