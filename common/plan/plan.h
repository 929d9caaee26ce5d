/* The plan: what a configuration file or a command line asks for, checked and immutable. */
#ifndef STRATA_PLAN_PLAN_H
#define STRATA_PLAN_PLAN_H

#include "common/plan/option.h"

/* One option's values in one element; a single value unless the option is a list. */
struct strata_setting {
    const struct strata_option *option;
    bool given; /* by the user, not from the default */
    size_t count;
    struct strata_value *values;
};

struct strata_element {
    const struct strata_element_type *type;
    int line;                        /* in the file; 0 from the command line */
    struct strata_setting *settings; /* one for each of type->options, in that order */
};

struct strata_plan {
    char *source; /* file name, or "command line" */
    char *text;   /* the configuration's text as read, or the command line; for the database */
    struct strata_element campaign;
    struct strata_element *backends;
    size_t backend_count;
    struct strata_element *workloads; /* of every layer */
    size_t workload_count;
    struct strata_element *ladders;
    size_t ladder_count;
};

/* Read and check a file: XML without network, entities or DTDs, at most 1 MiB, bounded depth.
 * Checked beyond the tables: unique back-end names, twin-of names a back end of the same type that
 * is itself no twin. Errors: STRATA_USAGE, "config/x.xml:31: depth: 0 is below 1"; a file that
 * cannot be read: STRATA_USAGE naming it. Owns: the caller closes the plan. */
enum strata_status strata_plan_read(const char *path, struct strata_plan **ret_plan,
                                    struct strata_error *error);

/* A plan without a file: an empty campaign with defaults, to which elements are added. `text` is
 * the command line. */
struct strata_plan *strata_plan_new(const char *text);

/* Add an element with every option at its default. Returns it (valid until the next add). */
struct strata_element *strata_plan_add(struct strata_plan *plan,
                                       const struct strata_element_type *type);

/* Set an option of an element from text (a list's values separated by blanks or commas).
 * Errors: STRATA_USAGE, "depth: 0 is below 1"; "no such option: deepth". */
enum strata_status strata_element_set(struct strata_element *element, const char *option,
                                      const char *text, struct strata_error *error);

/* --set NAME.OPTION=VALUE or OPTION=VALUE: in every element whose type or `name` attribute is NAME
 * (every element that has the option). Errors: STRATA_USAGE also when nothing matches. */
enum strata_status strata_plan_override(struct strata_plan *plan, const char *assignment,
                                        struct strata_error *error);

/* Add the back ends that workloads of the plan need and that are implied, under their type's name.
 */
void strata_plan_add_implied(struct strata_plan *plan);

/* The checks between elements, after additions and overrides; strata_plan_read adds and
 * checks itself. */
enum strata_status strata_plan_check(const struct strata_plan *plan, struct strata_error *error);

/* Multiply each time of the workloads and ladders whose option scales by the campaign's time-scale;
 * once, after the last override. A result outside the option's limits becomes the limit; a time
 * that is not 0 becomes at least 1 ms, since 0 often means "no limit". */
void strata_plan_scale_times(struct strata_plan *plan);

/* Add a comment to the stored text that says what the command line changed: "duration=5s". */
void strata_plan_note_override(struct strata_plan *plan, const char *assignment);

void strata_plan_free(struct strata_plan *plan);

/* Values of an option by its name; the name must be one of the element's (else abort). For a list
 * the first value; unset is 0, "" or NULL (text). */
const struct strata_setting *strata_element_setting(const struct strata_element *element,
                                                    const char *option);
uint64_t strata_element_number(const struct strata_element *element, const char *option);
double strata_element_decimal(const struct strata_element *element, const char *option);
const char *strata_element_text(const struct strata_element *element, const char *option);
bool strata_element_given(const struct strata_element *element, const char *option);

/* The text of an option that elements of that type may lack: NULL then, too. */
const char *strata_element_find_text(const struct strata_element *element, const char *option);
/* The n-th place of a back end: its path or URL, then the further members of a set; NULL after the
 * last. Owns: the caller frees. */
char *strata_element_place(const struct strata_element *element, size_t n);

/* Set the place from one text, which must have an option for it: "/A,/B" are the devices of a set,
 * where elements of the type make sets. Errors: STRATA_USAGE. */
enum strata_status strata_element_set_place(struct strata_element *element, const char *text,
                                            struct strata_error *error);

/* The back end with that name, NULL when there is none. */
const struct strata_element *strata_plan_backend(const struct strata_plan *plan, const char *name);

/* The back end whose twin-of is `backend`'s name, the n-th such; NULL when there are no more. */
const struct strata_element *strata_plan_twin(const struct strata_plan *plan,
                                              const struct strata_element *backend, size_t n);

#endif
