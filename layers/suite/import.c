/* strata import: what fio or a publication measured, into the results database.
 *
 * Always holds: every file is read and found good before the database is opened, so a bad one
 * changes nothing and leaves no new database behind. */
#include "common/import/import.h"
#include "common/analysis/analysis.h"
#include "common/base/random.h"
#include "common/report/escape.h"
#include "layers/suite/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Files of a list that commas part. */
static enum strata_status read_list(const char *list, const char *backend, const char *encryption,
                                    struct strata_import_set *set, size_t *ret_files,
                                    struct strata_error *error)
{
    enum strata_status status = STRATA_OK;
    *ret_files = 0;
    for (const char *at = list; at != NULL && status == STRATA_OK; *ret_files += 1) {
        const char *comma = strchr(at, ',');
        int length = comma != NULL ? (int)(comma - at) : (int)strlen(at);
        char *path = strata_text_duplicate_format("%.*s", length, at);
        status = strata_import_read_fio(path, backend, encryption, set, error);
        free(path);
        at = comma != NULL ? comma + 1 : NULL;
    }
    return status;
}

static enum strata_status read_twins(const struct suite_request *request,
                                     struct strata_import_set *set, struct strata_error *error)
{
    const char *kind = suite_request_value(request, "encryption");
    size_t plain = 0;
    size_t encrypted = 0;
    enum strata_status status =
        read_list(suite_request_value(request, "plain"), suite_request_value(request, "backend"),
                  NULL, set, &plain, error);
    if (status == STRATA_OK) {
        status = read_list(suite_request_value(request, "encrypted"), NULL,
                           kind != NULL ? kind : "unknown", set, &encrypted, error);
    }
    if (status == STRATA_OK && plain != encrypted) {
        status = strata_error_set(
            error, STRATA_USAGE,
            "import: %zu files in --plain, %zu in --encrypted; expected as many", plain, encrypted);
    }
    return status == STRATA_OK ? strata_import_pair(set, error) : status;
}

static enum strata_status read_files(const struct suite_request *request,
                                     struct strata_import_set *set, struct strata_error *error)
{
    bool table = strcmp(request->operands[0], "table") == 0;
    enum strata_status status = STRATA_OK;
    for (size_t i = 1; i < request->operand_count && status == STRATA_OK; i++) {
        status = table ? strata_import_read_table(request->operands[i], set, error)
                       : strata_import_read_fio(request->operands[i],
                                                suite_request_value(request, "backend"), NULL, set,
                                                error);
    }
    return status;
}

/* Which words go together. */
static enum strata_status check_words(const struct suite_request *request,
                                      struct strata_error *error)
{
    const char *kind = request->operands[0];
    bool twins = suite_request_value(request, "plain") != NULL;
    bool of_fio = twins || suite_request_value(request, "encrypted") != NULL ||
                  suite_request_value(request, "encryption") != NULL ||
                  suite_request_value(request, "backend") != NULL;
    if (strcmp(kind, "fio") != 0 && strcmp(kind, "table") != 0) {
        return strata_error_set(error, STRATA_USAGE, "import: %.80s: expected fio or table", kind);
    }
    if (strcmp(kind, "table") == 0 && of_fio) {
        return strata_error_set(error, STRATA_USAGE,
                                "import: a table says itself what is plain and what encrypted; "
                                "--plain, --encrypted, --encryption and --backend are for fio");
    }
    if (twins != (suite_request_value(request, "encrypted") != NULL)) {
        return strata_error_set(error, STRATA_USAGE, "import: --plain and --encrypted go together");
    }
    if (!twins && suite_request_value(request, "encryption") != NULL) {
        return strata_error_set(error, STRATA_USAGE, "import: --encryption needs --encrypted");
    }
    if (twins ? request->operand_count > 1 : request->operand_count < 2) {
        return strata_error_set(error, STRATA_USAGE,
                                "import: expected files, or --plain and --encrypted, not %s",
                                twins ? "both" : "neither");
    }
    const char *uuid = suite_request_value(request, "campaign");
    if (uuid != NULL && suite_request_value(request, "name") != NULL) {
        return strata_error_set(error, STRATA_USAGE,
                                "import: --name is for a new campaign, not for --campaign");
    }
    return uuid == NULL || strata_random_is_uuid(uuid)
               ? STRATA_OK
               : strata_error_set(error, STRATA_USAGE,
                                  "import: --campaign: '%.80s' is not a UUID in lower case", uuid);
}

/* "runs/luks.json" names the campaign "luks". */
static char *name_of(const struct suite_request *request)
{
    const char *given = suite_request_value(request, "name");
    const char *plain = suite_request_value(request, "plain");
    const char *path = given != NULL ? given : plain != NULL ? plain : request->operands[1];
    size_t length = strcspn(path, plain != NULL ? "," : "");
    char *name = strata_text_duplicate_format("%.*s", (int)length, path);
    if (given == NULL) {
        char *slash = strrchr(name, '/');
        char *base = strata_text_duplicate(slash != NULL ? slash + 1 : name);
        char *point = strrchr(base, '.');
        if (point != NULL && point != base) {
            *point = '\0';
        }
        free(name);
        name = base;
    }
    return name;
}

/* What was asked, as the campaign's configuration. */
static char *describe(const struct suite_request *request)
{
    struct strata_text text = {0};
    strata_text_append(&text, "strata import");
    for (size_t i = 0; i < request->operand_count; i++) {
        strata_text_format(&text, " %s", request->operands[i]);
    }
    for (size_t i = 0; i < request->command->option_count; i++) {
        if (request->values[i] != NULL) {
            strata_text_format(&text, " --%s %s", request->command->options[i].name,
                               request->values[i]);
        }
    }
    return text.bytes;
}

static enum strata_status store(const struct suite_request *request,
                                const struct strata_import_set *set, struct strata_text *out,
                                struct strata_error *error)
{
    const char *given = suite_request_value(request, "campaign");
    if (given != NULL && access(suite_request_database(request), F_OK) != 0) {
        return strata_error_set(error, STRATA_USAGE, "--campaign: there is no campaign %s in %s",
                                given, suite_request_database(request));
    }
    char uuid[37];
    strata_random_uuid(uuid);
    char *name = name_of(request);
    char *configuration = describe(request);
    const struct strata_import_campaign campaign = {.uuid = given != NULL ? given : uuid,
                                                    .added = given != NULL,
                                                    .name = name,
                                                    .configuration = configuration};
    struct strata_store *database = NULL;
    enum strata_status status =
        strata_store_open(suite_request_database(request), STRATA_STORE_WRITE, &database, error);
    if (status == STRATA_OK) {
        status = strata_import_store(database, &campaign, set, error);
    }
    if (status == STRATA_OK) {
        status = strata_analysis_campaign(database, campaign.uuid, error);
    }
    if (status == STRATA_OK) {
        strata_text_format(out, "%zu run%s imported into campaign %s%s", set->run_count,
                           set->run_count == 1 ? "" : "s", campaign.uuid,
                           given != NULL ? "" : " (");
        if (given == NULL) {
            strata_escape_terminal(out, name);
            strata_text_append(out, ")");
        }
        strata_text_append(out, "\n");
    }
    strata_store_close(database);
    free(name);
    free(configuration);
    return status;
}

static void print_notes(const struct strata_import_set *set)
{
    struct strata_text line = {0};
    for (const char *at = strata_text_string(&set->notes); *at != '\0';) {
        size_t length = strcspn(at, "\n");
        char *note = strata_text_duplicate_format("%.*s", (int)length, at);
        strata_escape_terminal(&line, note);
        fprintf(stderr, "strata: %s\n", strata_text_string(&line));
        strata_text_done(&line);
        free(note);
        at += length + 1;
    }
}

enum strata_status suite_import(const struct suite_request *request, struct strata_error *error)
{
    struct strata_import_set set = {0};
    struct strata_text out = {0};
    enum strata_status status = check_words(request, error);
    if (status == STRATA_OK) {
        status = suite_request_value(request, "plain") != NULL ? read_twins(request, &set, error)
                                                               : read_files(request, &set, error);
    }
    if (status == STRATA_OK) {
        print_notes(&set);
        status = set.run_count == 0
                     ? strata_error_set(error, STRATA_USAGE, "import: nothing of it can be stored")
                     : store(request, &set, &out, error);
    }
    if (status == STRATA_OK) {
        status = suite_print(&out, error);
    }
    strata_text_done(&out);
    strata_import_set_done(&set);
    return status;
}
