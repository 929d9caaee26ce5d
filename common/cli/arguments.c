/* From argv to a plan: either a configuration file with overrides, or an ad hoc workload made of
 * the same option tables.
 *
 * Always: an argument is either in the table below or in common/plan/elements.c; nothing is
 * accepted and ignored. */
#include "common/cli/arguments.h"

#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/base/similar.h"
#include "common/base/text.h"
#include "common/report/paragraph.h"
#include <stdio.h>

#include <stdlib.h>
#include <string.h>

enum common_option {
    CONFIG,
    PLAIN,
    ENCRYPTED,
    ENCRYPT,
    VERSUS,
    SCENARIO,
    DB,
    JSON,
    QUIET,
    DRY_RUN,
    SET,
    PAIRS,
    DURATION,
    ALLOW_OVERWRITE,
    ALLOW_OVERWRITE_SIGNATURE,
    INSECURE,
    CAMPAIGN,
    HELP,
    VERSION
};

static const struct {
    const char *name;
    const char *value; /* what stands for the value in --help; NULL: a flag */
    const char *help;
} common_options[] = {
    [CONFIG] = {"config", "FILE", "run this layer's part of a configuration"},
    [PLAIN] = {"plain", "PLACE",
               "without --config: the plain back end (a path, or an auth URL; /A,/B: a set)"},
    [ENCRYPTED] = {"encrypted", "PLACE", "without --config: its encrypted twin, elsewhere"},
    [ENCRYPT] = {"encrypt", "KIND", "without --config: its encrypted twin, at the same place"},
    [VERSUS] = {"versus", "PLACE",
                "without --config: another back end, held against the plain one"},
    [SCENARIO] = {"scenario", "NAME", "without --config: which kind of workload"},
    [DB] = {"db", "FILE", "results database (default: results/strata.db)"},
    [JSON] = {"json", NULL, "print one JSON document on standard output"},
    [QUIET] = {"quiet", NULL, "no progress and no messages"},
    [DRY_RUN] = {"dry-run", NULL, "print the expanded plan, touch nothing"},
    [SET] = {"set", "NAME=VALUE",
             "override an option of the plan: OPTION=VALUE or ELEMENT.OPTION=VALUE"},
    [PAIRS] = {"pairs", "N", "pairs of plain and encrypted runs, or runs where there is no twin"},
    [DURATION] = {"duration", "TIME", "measured time of each run that has one"},
    [ALLOW_OVERWRITE] = {"allow-overwrite", "PATH", "write to exactly this device or file"},
    [ALLOW_OVERWRITE_SIGNATURE] =
        {"allow-overwrite-signature", NULL,
         "even if it bears a file system, partition table or LUKS header"},
    [INSECURE] = {"insecure", NULL, "do not verify TLS certificates; recorded"},
    [CAMPAIGN] = {"campaign", "UUID",
                  "add the runs to this campaign, and leave its findings to others"},
    [HELP] = {"help", NULL, "this text"},
    [VERSION] = {"version", NULL, "the version"},
};
enum { HELP_COLUMNS = 80 };
enum { COMMON_OPTIONS = sizeof(common_options) / sizeof(common_options[0]) };

/* An argument that is not among the common options, for the tables to take. */
struct other {
    const char *name;
    const char *value;
};

struct parse {
    const struct strata_layer *layer;
    struct strata_arguments *arguments;
    const char *config;
    const char *plain;
    const char *encrypted;
    const char *encrypt;
    const char *versus;
    const char *scenario;
    const char *pairs;
    const char *duration;
    const char **sets;
    size_t set_count;
    struct other *others;
    size_t other_count;
    bool given[COMMON_OPTIONS];
};

static void take_common(struct parse *parse, enum common_option option, const char *value)
{
    struct strata_arguments *arguments = parse->arguments;
    switch (option) {
    case CONFIG:
        parse->config = value;
        break;
    case PLAIN:
        parse->plain = value;
        break;
    case ENCRYPTED:
        parse->encrypted = value;
        break;
    case ENCRYPT:
        parse->encrypt = value;
        break;
    case VERSUS:
        parse->versus = value;
        break;
    case SCENARIO:
        parse->scenario = value;
        break;
    case DB:
        arguments->database = value;
        break;
    case JSON:
        arguments->json = true;
        break;
    case QUIET:
        arguments->quiet = true;
        break;
    case DRY_RUN:
        arguments->dry_run = true;
        break;
    case SET:
        parse->sets[parse->set_count++] = value;
        break;
    case PAIRS:
        parse->pairs = value;
        break;
    case DURATION:
        parse->duration = value;
        break;
    case ALLOW_OVERWRITE:
        arguments->overwrite[arguments->permissions.overwrite_count++] = value;
        break;
    case ALLOW_OVERWRITE_SIGNATURE:
        arguments->permissions.overwrite_signature = true;
        break;
    case INSECURE:
        arguments->permissions.insecure = true;
        break;
    case CAMPAIGN:
        arguments->campaign_uuid = value;
        break;
    case HELP:
        arguments->action = STRATA_ACTION_HELP;
        break;
    case VERSION:
        arguments->action = STRATA_ACTION_VERSION;
        break;
    }
}

/* The common option of that name; COMMON_OPTIONS when there is none. */
static size_t find_common(const char *name, size_t length)
{
    size_t option = 0;
    while (option < COMMON_OPTIONS && (strlen(common_options[option].name) != length ||
                                       strncmp(common_options[option].name, name, length) != 0)) {
        option++;
    }
    return option;
}

/* Two values for one option: neither may be dropped without a word. */
static bool is_given_twice(struct parse *parse, size_t option, const char *name, size_t length)
{
    if (option < COMMON_OPTIONS) {
        bool before = parse->given[option];
        parse->given[option] = true;
        return before && option != SET && option != ALLOW_OVERWRITE &&
               common_options[option].value != NULL;
    }
    for (size_t i = 0; i < parse->other_count; i++) {
        if (strcspn(parse->others[i].name, "=") == length &&
            strncmp(parse->others[i].name, name, length) == 0) {
            return true;
        }
    }
    return false;
}

/* Sort the words of the command line into common options and others. */
static enum strata_status sort_words(struct parse *parse, int argc, char **argv,
                                     struct strata_error *error)
{
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (strcmp(word, "-h") == 0) {
            word = "--help";
        }
        if (strncmp(word, "--", 2) != 0 || word[2] == '\0') {
            return strata_error_set(error, STRATA_USAGE, "unexpected argument \"%s\"; see --help",
                                    word);
        }
        const char *name = word + 2;
        const char *equals = strchr(name, '=');
        size_t length = equals != NULL ? (size_t)(equals - name) : strlen(name);
        size_t option = find_common(name, length);
        bool flag = option < COMMON_OPTIONS && common_options[option].value == NULL;
        if (flag && equals != NULL) {
            return strata_error_set(error, STRATA_USAGE, "--%s takes no value",
                                    common_options[option].name);
        }
        const char *value = equals != NULL ? equals + 1 : NULL;
        if (!flag && equals == NULL) {
            if (i + 1 == argc) {
                return strata_error_set(error, STRATA_USAGE, "%s needs a value; see --help", word);
            }
            value = argv[++i];
        }
        if (is_given_twice(parse, option, name, length)) {
            return strata_error_set(error, STRATA_USAGE, "--%.*s is given twice, expected once",
                                    (int)length, name);
        }
        if (option < COMMON_OPTIONS) {
            take_common(parse, (enum common_option)option, value);
        } else {
            parse->others[parse->other_count++] = (struct other){.name = name, .value = value};
        }
    }
    return STRATA_OK;
}

/* Whether the word "name" or "name=…" is the option's attribute name or its alias. */
static bool is_option(const struct strata_option *option, const char *word)
{
    size_t length = strcspn(word, "=");
    const char *long_name = option->alias != NULL ? option->alias : option->name;
    return (strlen(long_name) == length && strncmp(long_name, word, length) == 0) ||
           (strlen(option->name) == length && strncmp(option->name, word, length) == 0);
}

static const struct strata_option *find_option(const struct strata_element_type *type,
                                               const char *word)
{
    for (size_t i = 0; i < type->option_count; i++) {
        if (is_option(&type->options[i], word)) {
            return &type->options[i];
        }
    }
    return NULL;
}

static enum strata_status set(struct strata_element *element, const struct strata_option *option,
                              const struct other *other, struct strata_error *error)
{
    struct strata_error inner = {0};
    if (strata_element_set(element, option->name, other->value, &inner) == STRATA_OK) {
        return STRATA_OK;
    }
    return strata_error_set(error, inner.status, "command line: %s", inner.text);
}

/* How it is encrypted is said of the twin, not of the plain back end beside it. */
static bool concerns(const struct strata_plan *plan, const struct strata_element *element,
                     const struct strata_option *option)
{
    return strcmp(option->name, "encryption") != 0 || plan->backend_count == 1 ||
           strata_element_find_text(element, "twin-of") != NULL;
}

/* The option that a mistyped name may stand for; NULL when there is none. */
static const char *find_meant(const char *name, struct strata_element *const *elements,
                              const size_t *counts)
{
    for (size_t group = 0; group < 3; group++) {
        for (size_t e = 0; e < counts[group]; e++) {
            const struct strata_element_type *type = elements[group][e].type;
            for (size_t i = 0; i < type->option_count; i++) {
                const struct strata_option *option = &type->options[i];
                const char *known = option->alias != NULL ? option->alias : option->name;
                if (strata_similar(name, known)) {
                    return known;
                }
            }
        }
    }
    for (size_t i = 0; i < COMMON_OPTIONS; i++) {
        if (strata_similar(name, common_options[i].name)) {
            return common_options[i].name;
        }
    }
    return NULL;
}

/* Give every other argument to the workload, else to the back ends, else to the campaign. */
static enum strata_status give_others(struct parse *parse, struct strata_plan *plan,
                                      struct strata_error *error)
{
    for (size_t i = 0; i < parse->other_count; i++) {
        const struct other *other = &parse->others[i];
        struct strata_element *elements[] = {plan->workloads, plan->backends, &plan->campaign};
        size_t counts[] = {plan->workload_count, plan->backend_count, 1};
        bool taken = false;
        for (size_t group = 0; group < 3 && !taken; group++) {
            for (size_t e = 0; e < counts[group]; e++) {
                struct strata_element *element = &elements[group][e];
                const struct strata_option *option = find_option(element->type, other->name);
                if (option == NULL || !concerns(plan, element, option)) {
                    continue;
                }
                taken = true;
                enum strata_status status = set(element, option, other, error);
                if (status != STRATA_OK) {
                    return status;
                }
            }
        }
        if (!taken) {
            char *name =
                strata_text_duplicate_format("%.*s", (int)strcspn(other->name, "="), other->name);
            const char *meant = find_meant(name, elements, counts);
            enum strata_status status = strata_error_set(
                error, STRATA_USAGE, "unknown option --%s%s%s; see --help", name,
                meant != NULL ? ", did you mean --" : "", meant != NULL ? meant : "");
            free(name);
            return status;
        }
    }
    return STRATA_OK;
}

/* A back end that the command line names. Texts that are NULL are left at their defaults. */
struct place {
    const char *name;
    const char *place;
    const char *twin_of;
    const char *encryption;
    const char *versus;
};

static enum strata_status add_backend(struct strata_plan *plan,
                                      const struct strata_element_type *type,
                                      const struct place *asked, struct strata_error *error)
{
    if (asked->place != NULL && type->place == NULL) {
        return strata_error_set(error, STRATA_USAGE, "%s: a back end of the kind <%s> has no place",
                                asked->place, type->name);
    }
    struct strata_element *backend = strata_plan_add(plan, type);
    const struct {
        const char *option;
        const char *value;
    } settings[] = {{"name", asked->name},
                    {"twin-of", asked->twin_of},
                    {"encryption", asked->encryption},
                    {"versus", asked->versus}};
    enum strata_status status =
        asked->place != NULL ? strata_element_set_place(backend, asked->place, error) : STRATA_OK;
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]) && status == STRATA_OK; i++) {
        if (settings[i].value != NULL) {
            status = strata_element_set(backend, settings[i].option, settings[i].value, error);
        }
    }
    return status;
}

/* Whether a back end of that type cannot be without being told where it is. */
static bool needs_place(const struct strata_element_type *type)
{
    return type->place != NULL && find_option(type, type->place)->required;
}

static enum strata_status add_backends(const struct parse *parse, struct strata_plan *plan,
                                       const struct strata_element_type *type,
                                       struct strata_error *error)
{
    const char *kind = parse->encrypt;
    const char *place = parse->encrypted != NULL ? parse->encrypted : parse->plain;
    if (strata_element_type_is_implied(type)) {
        return place == NULL && kind == NULL
                   ? STRATA_OK
                   : strata_error_set(error, STRATA_USAGE,
                                      "--scenario %s runs in %s: --plain, --encrypted and "
                                      "--encrypt do not go with it",
                                      parse->scenario, type->name);
    }
    if (parse->plain == NULL && needs_place(type)) {
        return strata_error_set(error, STRATA_USAGE,
                                "--plain PATH or --config FILE is needed; see --help");
    }
    if (parse->encrypted != NULL && kind == NULL) {
        kind = parse->layer->encrypted_default;
    }
    if (parse->encrypted != NULL && parse->versus != NULL) {
        return strata_error_set(error, STRATA_USAGE,
                                "--encrypted does not go with --versus, whose encrypted twin would "
                                "be nowhere; use --encrypt KIND, or --config FILE");
    }
    const struct place asked[] = {
        {.name = "plain", .place = parse->plain},
        {.name = "encrypted", .place = place, .twin_of = "plain", .encryption = kind},
        {.name = "versus", .place = parse->versus, .versus = "plain"},
        {.name = "versus-encrypted",
         .place = parse->versus,
         .twin_of = "versus",
         .encryption = kind,
         .versus = "encrypted"},
    };
    const bool wanted[] = {true, kind != NULL, parse->versus != NULL,
                           kind != NULL && parse->versus != NULL};
    enum strata_status status = STRATA_OK;
    for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]) && status == STRATA_OK; i++) {
        status = wanted[i] ? add_backend(plan, type, &asked[i], error) : STRATA_OK;
    }
    return status;
}

/* Whether the command line says anything about the workload. */
static bool names_workload(const struct parse *parse, const struct strata_element_type *type)
{
    bool named = parse->scenario != NULL;
    for (size_t i = 0; i < parse->other_count; i++) {
        named = named || find_option(type, parse->others[i].name) != NULL;
    }
    return named;
}

static enum strata_status refuse_scenario(const struct strata_layer *layer, const char *name,
                                          struct strata_error *error)
{
    struct strata_text known = {0};
    for (size_t i = 0; i < strata_element_type_count; i++) {
        const struct strata_element_type *type = strata_element_types[i];
        if (type->role == STRATA_ROLE_WORKLOAD && type->layer == layer->id) {
            strata_text_format(&known, "%s%s", known.length > 0 ? ", " : "", type->name);
        }
    }
    strata_error_set(error, STRATA_USAGE, "--scenario: '%.80s' is not one of %s", name,
                     strata_text_string(&known));
    strata_text_done(&known);
    return error->status;
}

static enum strata_status add_workloads(const struct parse *parse, struct strata_plan *plan,
                                        const struct strata_element_type *type,
                                        struct strata_error *error)
{
    const struct strata_layer *layer = parse->layer;
    if (layer->default_workloads != NULL && !names_workload(parse, type)) {
        return layer->default_workloads(plan, &parse->arguments->permissions, error);
    }
    strata_plan_add(plan, type);
    return STRATA_OK;
}

/* Without --pairs and without a twin a workload runs once. */
static enum strata_status run_once(const struct parse *parse, struct strata_plan *plan,
                                   struct strata_error *error)
{
    enum strata_status status = STRATA_OK;
    bool twin = parse->encrypted != NULL || parse->encrypt != NULL || parse->versus != NULL;
    for (size_t w = 0; w < plan->workload_count && !twin && parse->pairs == NULL; w++) {
        if (status == STRATA_OK && !strata_element_given(&plan->workloads[w], "repetitions")) {
            status = strata_element_set(&plan->workloads[w], "repetitions", "1", error);
        }
    }
    return status;
}

static enum strata_status make_ad_hoc(struct parse *parse, struct strata_plan *plan,
                                      struct strata_error *error)
{
    const struct strata_layer *layer = parse->layer;
    const char *name = parse->scenario != NULL ? parse->scenario : layer->workload_element;
    const struct strata_element_type *type =
        strata_element_type_find(STRATA_ROLE_WORKLOAD, layer->id, name);
    if (type == NULL) {
        return refuse_scenario(layer, name, error);
    }
    const struct strata_element_type *backend =
        strata_element_type_find(STRATA_ROLE_BACKEND, STRATA_LAYER_DEVICE, type->runs_on);
    enum strata_status status = add_backends(parse, plan, backend, error);
    if (status == STRATA_OK) {
        status = add_workloads(parse, plan, type, error);
    }
    if (status == STRATA_OK) {
        strata_plan_add_implied(plan);
        status = give_others(parse, plan, error);
    }
    if (status == STRATA_OK) {
        status = run_once(parse, plan, error);
    }
    return status;
}

/* With a file, what is said elsewhere would be ambiguous: only overrides go with it. */
static enum strata_status check_alone(const struct parse *parse, struct strata_error *error)
{
    if (parse->plain != NULL || parse->encrypted != NULL || parse->encrypt != NULL ||
        parse->versus != NULL || parse->scenario != NULL) {
        return strata_error_set(error, STRATA_USAGE,
                                "--plain, --encrypted, --encrypt, --versus and --scenario do not "
                                "go with --config");
    }
    if (parse->other_count > 0) {
        const char *name = parse->others[0].name;
        return strata_error_set(error, STRATA_USAGE,
                                "--%.*s does not go with --config; use --set %.*s=VALUE",
                                (int)strcspn(name, "="), name, (int)strcspn(name, "="), name);
    }
    return STRATA_OK;
}

/* --duration reaches every workload and ladder that has one. */
static enum strata_status override_duration(const struct parse *parse, struct strata_plan *plan,
                                            struct strata_error *error)
{
    struct strata_element *groups[] = {plan->workloads, plan->ladders};
    size_t counts[] = {plan->workload_count, plan->ladder_count};
    struct other other = {.name = "duration", .value = parse->duration};
    for (size_t g = 0; g < 2 && parse->duration != NULL; g++) {
        for (size_t e = 0; e < counts[g]; e++) {
            const struct strata_option *option = find_option(groups[g][e].type, "duration");
            if (option != NULL && set(&groups[g][e], option, &other, error) != STRATA_OK) {
                return error->status;
            }
        }
    }
    return STRATA_OK;
}

/* A command line stands in the plan's text as it is; of a file it is what the text lacks. */
static void note_overrides(const struct parse *parse, struct strata_plan *plan)
{
    const struct other named[] = {{"duration", parse->duration}, {"pairs", parse->pairs}};
    for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
        if (named[i].value != NULL) {
            char *text = strata_text_duplicate_format("%s=%s", named[i].name, named[i].value);
            strata_plan_note_override(plan, text);
            free(text);
        }
    }
    for (size_t i = 0; i < parse->set_count; i++) {
        strata_plan_note_override(plan, parse->sets[i]);
    }
}

static enum strata_status override(const struct parse *parse, struct strata_plan *plan,
                                   struct strata_error *error)
{
    enum strata_status status = override_duration(parse, plan, error);
    if (status == STRATA_OK && parse->pairs != NULL) {
        status = strata_element_set(&plan->campaign, "pairs", parse->pairs, error);
        status = status == STRATA_OK ? status : strata_error_prefix(error, "command line");
    }
    for (size_t i = 0; i < parse->set_count && status == STRATA_OK; i++) {
        status = strata_plan_override(plan, parse->sets[i], error);
    }
    if (status == STRATA_OK) {
        status = strata_plan_check(plan, error);
    }
    if (status == STRATA_OK) {
        strata_plan_scale_times(plan);
    }
    if (status == STRATA_OK && parse->config != NULL) {
        note_overrides(parse, plan);
    }
    return status;
}

static char *join_words(int argc, char **argv)
{
    struct strata_text text = {0};
    for (int i = 0; i < argc; i++) {
        strata_text_format(&text, "%s%s", i > 0 ? " " : "", argv[i]);
    }
    char *words = strata_text_duplicate(strata_text_string(&text));
    strata_text_done(&text);
    return words;
}

static enum strata_status make_plan(struct parse *parse, int argc, char **argv,
                                    struct strata_error *error)
{
    struct strata_arguments *arguments = parse->arguments;
    enum strata_status status;
    if (parse->config != NULL) {
        status = check_alone(parse, error);
        if (status == STRATA_OK) {
            status = strata_plan_read(parse->config, &arguments->plan, error);
        }
    } else {
        char *words = join_words(argc, argv);
        arguments->plan = strata_plan_new(words);
        free(words);
        status = make_ad_hoc(parse, arguments->plan, error);
    }
    return status == STRATA_OK ? override(parse, arguments->plan, error) : status;
}

enum strata_status strata_arguments_parse(const struct strata_layer *layer, int argc, char **argv,
                                          struct strata_arguments *ret_arguments,
                                          struct strata_error *error)
{
    size_t words = (size_t)argc + 1;
    *ret_arguments = (struct strata_arguments){
        .database = "results/strata.db", .overwrite = strata_memory_new(words, sizeof(char *))};
    ret_arguments->permissions.overwrite = ret_arguments->overwrite;
    struct parse parse = {.layer = layer,
                          .arguments = ret_arguments,
                          .sets = strata_memory_new(words, sizeof(char *)),
                          .others = strata_memory_new(words, sizeof(struct other))};
    enum strata_status status = sort_words(&parse, argc, argv, error);
    const char *uuid = ret_arguments->campaign_uuid;
    if (status == STRATA_OK && uuid != NULL && !strata_random_is_uuid(uuid)) {
        status = strata_error_set(error, STRATA_USAGE,
                                  "--campaign: '%.80s' is not a UUID in lower case such as "
                                  "f47ac10b-58cc-4372-a567-0e02b2c3d479",
                                  uuid);
    }
    if (status == STRATA_OK && ret_arguments->action == STRATA_ACTION_RUN) {
        status = make_plan(&parse, argc, argv, error);
    }
    free(parse.sets);
    free(parse.others);
    return status;
}

void strata_arguments_done(struct strata_arguments *arguments)
{
    strata_plan_free(arguments->plan);
    free(arguments->overwrite);
    *arguments = (struct strata_arguments){0};
}

/* Whether some workload of the layer runs on back ends of that type. */
static bool is_measured(const struct strata_layer *layer, const struct strata_element_type *backend)
{
    for (size_t i = 0; i < strata_element_type_count; i++) {
        const struct strata_element_type *type = strata_element_types[i];
        if (type->role == STRATA_ROLE_WORKLOAD && type->layer == layer->id &&
            strcmp(type->runs_on, backend->name) == 0) {
            return true;
        }
    }
    return false;
}

void strata_arguments_help(const struct strata_layer *layer, struct strata_text *out)
{
    bool path = needs_place(
        strata_element_type_find(STRATA_ROLE_BACKEND, layer->id, layer->backend_element));
    strata_text_format(out,
                       "%s: %s\n\nUsage: %s %s [--encrypted PLACE | --encrypt KIND] [options]\n"
                       "       %s --config FILE [options]\n\nOptions:\n",
                       layer->program, layer->summary, layer->program,
                       path ? "--plain PATH" : "[--plain AUTH-URL]", layer->program);
    for (size_t i = 0; i < COMMON_OPTIONS; i++) {
        char words[64];
        snprintf(words, sizeof(words), "--%s %s", common_options[i].name,
                 common_options[i].value != NULL ? common_options[i].value : "");
        char line[256];
        snprintf(line, sizeof(line), "%-28s %s", words, common_options[i].help);
        strata_paragraph_write(2, 31, line, HELP_COLUMNS, out);
    }
    const struct strata_option *told = NULL;
    for (size_t i = 0; i < strata_element_type_count; i++) {
        const struct strata_element_type *type = strata_element_types[i];
        bool backend = type->role == STRATA_ROLE_BACKEND && is_measured(layer, type);
        bool workload = type->role == STRATA_ROLE_WORKLOAD && type->layer == layer->id;
        if (!backend && !workload) {
            continue;
        }
        strata_text_format(out, "\n%s <%s>: %s\n", backend ? "Back end" : "Workload", type->name,
                           type->help);
        if (type->options == told) {
            strata_text_format(out, "  as the one above, with %s\n", type->preset);
        } else {
            strata_option_write_help(type, out);
        }
        told = type->options;
    }
    strata_text_format(out, "\nExamples:\n%s\n", layer->examples);
    strata_paragraph_write(0, 2,
                           "Sizes: 512, 4KiB = 4k = 4K = 4096, 4kB = 4000. Times: 500ms, 30s, 5m, "
                           "1h. Lists sweep: 1,8,32.",
                           HELP_COLUMNS, out);
    strata_paragraph_write(0, 2,
                           "Exit codes: 0 done; 1 a criterion failed; 2 usage or configuration; "
                           "3 the environment; 4 internal; 130 interrupted.",
                           HELP_COLUMNS, out);
}
