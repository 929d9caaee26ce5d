/* Help and completion, made from the table of commands so that they cannot fall behind it. */
#include "layers/suite/suite.h"

#include <stdio.h>

void suite_help_overview(struct strata_text *out)
{
    strata_text_append(out, "usage: strata COMMAND [OPTION]…\n\n"
                            "Measures cloud storage layer by layer, plain against encrypted.\n\n");
    for (size_t i = 0; i < suite_command_count; i++) {
        strata_text_format(out, "  %-11s %s\n", suite_commands[i].name, suite_commands[i].summary);
    }
    strata_text_append(
        out, "\n'strata COMMAND --help' lists its options. One layer alone: strata-device,\n"
             "strata-filesystem, strata-service, strata-user.\n"
             "Exit codes: 0 done; 1 a criterion failed; 2 usage or configuration; 3 the\n"
             "environment; 4 internal; 130 interrupted.\n");
}

void suite_help_command(const struct suite_command *command, struct strata_text *out)
{
    strata_text_format(out, "usage: strata %s%s%s%s\n\n%s.\n", command->name,
                       command->operands[0] != '\0' ? " " : "", command->operands,
                       command->option_count > 0 ? " [OPTION]…" : "", command->summary);
    if (command->option_count > 0) {
        strata_text_append(out, "\n");
    }
    for (size_t i = 0; i < command->option_count; i++) {
        const struct suite_option *option = &command->options[i];
        char left[64];
        snprintf(left, sizeof(left), "--%s%s%s", option->name, option->argument ? " " : "",
                 option->argument ? option->argument : "");
        strata_text_format(out, "  %-27s %s\n", left, option->help);
    }
}

enum strata_status suite_help(const struct suite_request *request, struct strata_error *error)
{
    struct strata_text text = {0};
    if (request->operand_count == 0) {
        suite_help_overview(&text);
    } else {
        const struct suite_command *command = suite_command_find(request->operands[0]);
        if (command == NULL) {
            return strata_error_set(error, STRATA_USAGE, "no such command: %s; see 'strata help'",
                                    request->operands[0]);
        }
        suite_help_command(command, &text);
    }
    enum strata_status status = suite_print(&text, error);
    strata_text_done(&text);
    return status;
}

enum strata_status suite_completion(const struct suite_request *request, struct strata_error *error)
{
    (void)request;
    struct strata_text text = {0};
    strata_text_append(&text, "# source <(strata completion)\n_strata() {\n    local words=\n"
                              "    case $COMP_CWORD,${COMP_WORDS[1]} in\n    1,*) words=\"");
    for (size_t i = 0; i < suite_command_count; i++) {
        strata_text_format(&text, "%s ", suite_commands[i].name);
    }
    strata_text_append(&text, "--help --version\" ;;\n");
    for (size_t i = 0; i < suite_command_count; i++) {
        const struct suite_command *command = &suite_commands[i];
        strata_text_format(&text, "    *,%s) words=\"", command->name);
        for (size_t j = 0; j < command->option_count; j++) {
            strata_text_format(&text, "--%s ", command->options[j].name);
        }
        strata_text_append(&text, "--help\" ;;\n");
    }
    strata_text_append(&text, "    esac\n    COMPREPLY=($(compgen -W \"$words\" -- "
                              "\"${COMP_WORDS[COMP_CWORD]}\"))\n}\n"
                              "complete -o default -F _strata strata\n");
    enum strata_status status = suite_print(&text, error);
    strata_text_done(&text);
    return status;
}
