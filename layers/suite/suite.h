/* The front command: its table of commands, from which parsing, help and completion come. */
#ifndef STRATA_LAYERS_SUITE_SUITE_H
#define STRATA_LAYERS_SUITE_SUITE_H

#include "common/base/error.h"
#include "common/base/text.h"

#include <stdbool.h>
#include <stddef.h>

struct suite_option {
    const char *name;     /* without the dashes */
    const char *argument; /* what its value is called in help; NULL for a flag */
    const char *help;     /* one line, no full stop */
    bool passed_on;       /* also handed to the layers' programs, each time it is given */
};

struct suite_request;

struct suite_command {
    const char *name;
    const char *operands; /* as help shows them: "BASE NEW" */
    size_t fewest_operands;
    size_t most_operands;
    const char *summary; /* one line, no full stop */
    const struct suite_option *options;
    size_t option_count;

    /* Returns the status that becomes the exit code; anything but STRATA_OK with an empty
     * error->text is an outcome, not a message. */
    enum strata_status (*run)(const struct suite_request *request, struct strata_error *error);
};

/* Every command there is, in the order of the help. */
extern const struct suite_command suite_commands[];
extern const size_t suite_command_count;
const struct suite_command *suite_command_find(const char *name);

enum { SUITE_MOST_OPTIONS = 16, SUITE_MOST_OPERANDS = 65 };

/* A command line, taken apart. Everything borrows from argv. */
struct suite_request {
    const struct suite_command *command;
    bool help;
    const char *values[SUITE_MOST_OPTIONS]; /* by the option's place in the table; flags: "" */
    const char *operands[SUITE_MOST_OPERANDS];
    size_t operand_count;
    char **passed_on; /* words for the layers' programs; owned */
    size_t passed_on_count;
};

/* Take `argv` (what follows the command's name) apart. Errors: STRATA_USAGE naming the word. Owns:
 * the caller calls suite_request_done in every case. */
enum strata_status suite_request_parse(const struct suite_command *command, int argc, char **argv,
                                       struct suite_request *ret_request,
                                       struct strata_error *error);
void suite_request_done(struct suite_request *request);

/* The option's value, NULL when it was not given; the name must be one of the command's. */
const char *suite_request_value(const struct suite_request *request, const char *name);

/* --db, or the default. */
const char *suite_request_database(const struct suite_request *request);

/* Data to stdout, all of it. Errors: STRATA_ENVIRONMENT. */
enum strata_status suite_print(const struct strata_text *text, struct strata_error *error);

/* Replace the file by the text: all of it or nothing; "-" is stdout, and what is no regular file is
 * written into. The database must be closed. Errors, naming the file: STRATA_ENVIRONMENT;
 * STRATA_USAGE when it is an SQLite database, which is never replaced. */
enum strata_status suite_write_file(const char *path, const struct strata_text *text,
                                    struct strata_error *error);

/* Path of a program that lies beside this one. Owns: the caller frees. */
char *suite_sibling(const char *program);

/* Run a program to its end; SIGINT and SIGTERM sent to this process reach it once. Its stdout goes
 * to /dev/null when `silent`. `arguments` ends with NULL and begins with the path. Returns its exit
 * code; 4 when a signal killed it (with a message), 3 when it could not be started. */
int suite_child_run(char *const *arguments, bool silent, struct strata_error *error);

void suite_help_overview(struct strata_text *out);
void suite_help_command(const struct suite_command *command, struct strata_text *out);

enum strata_status suite_run(const struct suite_request *request, struct strata_error *error);
enum strata_status suite_report(const struct suite_request *request, struct strata_error *error);
enum strata_status suite_compare(const struct suite_request *request, struct strata_error *error);
enum strata_status suite_export(const struct suite_request *request, struct strata_error *error);
enum strata_status suite_analyse(const struct suite_request *request, struct strata_error *error);
enum strata_status suite_import(const struct suite_request *request, struct strata_error *error);
enum strata_status suite_doctor(const struct suite_request *request, struct strata_error *error);
enum strata_status suite_document(const struct suite_request *request, struct strata_error *error);
enum strata_status suite_completion(const struct suite_request *request,
                                    struct strata_error *error);
enum strata_status suite_help(const struct suite_request *request, struct strata_error *error);

#endif
