/* A command line taken apart by its command's table: "--name value" and "--name=value" alike. */
#include "common/base/memory.h"
#include "layers/suite/suite.h"

#include <stdlib.h>
#include <string.h>

static const char default_database[] = "results/strata.db";

static const struct suite_option *find_option(const struct suite_command *command, const char *name,
                                              size_t length)
{
    for (size_t i = 0; i < command->option_count; i++) {
        const char *known = command->options[i].name;
        if (strlen(known) == length && strncmp(known, name, length) == 0) {
            return &command->options[i];
        }
    }
    return NULL;
}

/* One option beginning at argv[0]. Returns how many words it took, 0 with an error. */
static int parse_option(const struct suite_command *command, int argc, char **argv,
                        struct suite_request *request, struct strata_error *error)
{
    const char *name = argv[0] + 2;
    const char *equals = strchr(name, '=');
    size_t length = equals != NULL ? (size_t)(equals - name) : strlen(name);
    const struct suite_option *option = find_option(command, name, length);
    if (option == NULL) {
        strata_error_set(error, STRATA_USAGE, "%s: no such option: %s; see 'strata %s --help'",
                         command->name, argv[0], command->name);
        return 0;
    }
    if (option->argument == NULL && equals != NULL) {
        strata_error_set(error, STRATA_USAGE, "%s: --%s takes no value", command->name,
                         option->name);
        return 0;
    }
    /* What is passed on is checked by whom it is passed to. */
    if (option->argument != NULL && !option->passed_on &&
        request->values[option - command->options] != NULL) {
        strata_error_set(error, STRATA_USAGE, "%s: --%s is given twice, expected once",
                         command->name, option->name);
        return 0;
    }
    int words = option->argument != NULL && equals == NULL ? 2 : 1;
    if (words > argc) {
        strata_error_set(error, STRATA_USAGE, "%s: --%s needs a value: %s", command->name,
                         option->name, option->argument);
        return 0;
    }
    const char *value = equals != NULL ? equals + 1 : words == 2 ? argv[1] : "";
    request->values[option - command->options] = value;
    for (int i = 0; option->passed_on && i < words; i++) {
        request->passed_on[request->passed_on_count++] = argv[i];
    }
    return words;
}

enum strata_status suite_request_parse(const struct suite_command *command, int argc, char **argv,
                                       struct suite_request *ret_request,
                                       struct strata_error *error)
{
    *ret_request = (struct suite_request){.command = command};
    ret_request->passed_on = strata_memory_new((size_t)argc + 1, sizeof(char *));
    for (int i = 0; i < argc;) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            ret_request->help = true;
            return STRATA_OK;
        }
        if (strncmp(argv[i], "--", 2) == 0) {
            int words = parse_option(command, argc - i, argv + i, ret_request, error);
            if (words == 0) {
                return error->status;
            }
            i += words;
        } else if (ret_request->operand_count < command->most_operands) {
            ret_request->operands[ret_request->operand_count++] = argv[i++];
        } else {
            return strata_error_set(error, STRATA_USAGE, "%s: one argument too many: %s",
                                    command->name, argv[i]);
        }
    }
    if (ret_request->operand_count < command->fewest_operands) {
        return strata_error_set(error, STRATA_USAGE, "%s: needs %s", command->name,
                                command->operands);
    }
    return STRATA_OK;
}

void suite_request_done(struct suite_request *request)
{
    free(request->passed_on);
    *request = (struct suite_request){0};
}

const char *suite_request_value(const struct suite_request *request, const char *name)
{
    const struct suite_option *option = find_option(request->command, name, strlen(name));
    return option == NULL ? NULL : request->values[option - request->command->options];
}

const char *suite_request_database(const struct suite_request *request)
{
    const char *given = suite_request_value(request, "db");
    return given != NULL ? given : default_database;
}
