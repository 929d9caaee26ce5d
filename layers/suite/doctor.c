/* strata doctor: what this machine offers and what is missing, each line with what follows from it.
 *
 * Only looks: it starts nothing, writes nothing, and of servers it only asks whether a connection
 * is accepted. Exit code 3 when a program of the suite itself is missing; all else is a choice. */
#include "common/base/url.h"
#include "common/plan/plan.h"
#include "layers/suite/probes.h"
#include "layers/suite/suite.h"
#include "strata_features.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static void line(struct strata_text *out, const char *name, bool good, const char *detail)
{
    strata_text_format(out, "  %-18s %-4s %s\n", name, good ? "yes" : "no", detail);
}

static bool check_programs(struct strata_text *out)
{
    static const char *const programs[] = {"strata-device", "strata-filesystem", "strata-service",
                                           "strata-user"};
    bool complete = true;
    strata_text_append(out, "Programs\n");
    for (size_t i = 0; i < COUNT_OF(programs); i++) {
        char *path = suite_sibling(programs[i]);
        bool there = access(path, X_OK) == 0;
        complete = complete && there;
        line(out, programs[i], there, path);
        free(path);
    }
    return complete;
}

static void check_features(struct strata_text *out)
{
    static const struct {
        const char *name;
        const char *state;
        const char *purpose;
    } features[] = {
        {"liburing", STRATA_FEATURE_LIBURING_STATE, "--engine uring"},
        {"libnfs", STRATA_FEATURE_LIBNFS_STATE, "NFS without a kernel client"},
        {"MPI", STRATA_FEATURE_MPI_STATE, "several hosts"},
        {"libcryptsetup", STRATA_FEATURE_LIBCRYPTSETUP_STATE, "LUKS volumes set up by Strata"},
    };
    strata_text_append(out, "Optional features\n");
    for (size_t i = 0; i < COUNT_OF(features); i++) {
        bool built = strcmp(features[i].state, "built in") == 0;
        char *detail =
            strata_text_duplicate_format("%s; for %s", features[i].state, features[i].purpose);
        line(out, features[i].name, built, detail);
        free(detail);
    }
}

static void check_kernel(struct strata_text *out)
{
    strata_text_append(out, "Kernel\n");
    line(out, "root", geteuid() == 0,
         geteuid() == 0 ? "can make loop devices and file systems"
                        : "no loop devices, no mounts, page cache not dropped");
    for (const struct suite_probe *probe = suite_probes; probe->name != NULL; probe++) {
        char detail[256] = "";
        bool there = probe->look(detail, sizeof(detail));
        char *text = strata_text_duplicate_format("%s%s%s", detail, detail[0] != '\0' ? "; " : "",
                                                  probe->purpose);
        line(out, probe->name, there, text);
        free(text);
    }
}

static void check_tools(struct strata_text *out)
{
    static const struct {
        const char *name;
        const char *purpose;
    } tools[] = {
        {"losetup", "package mount: loop devices of 'make run'"},
        {"mkfs.xfs", "package xfsprogs: the XFS file system of 'make run'"},
        {"mkfs.ext4", "package e2fsprogs: the fscrypt file system of 'make run'"},
        {"gocryptfs", "package gocryptfs: an encrypted directory without root"},
        {"sqlite3", "package sqlite3: queries on the results"},
        {"fio", "package fio: 'make bench' compares with it"},
    };
    strata_text_append(out, "Tools\n");
    for (size_t i = 0; i < COUNT_OF(tools); i++) {
        line(out, tools[i].name, suite_find_program(tools[i].name), tools[i].purpose);
    }
    /* Debian's package has the servers as a Python module, without programs. */
    line(out, "swift", access("/usr/lib/python3/dist-packages/swift/proxy", F_OK) == 0,
         "package python3-swift: the local cloud of 'make run'");
}

static void check_server(struct strata_text *out, const char *name, const char *url)
{
    struct strata_error error = {0};
    if (strata_url_check(name, url, &error) != STRATA_OK) {
        line(out, name, false, error.text + strlen(name) + strlen(": "));
        return;
    }
    char detail[256];
    bool answers = suite_probe_url(url, detail, sizeof(detail));
    char *text = strata_text_duplicate_format("%s: %s", url, detail);
    line(out, name, answers, text);
    free(text);
}

static void check_backends(struct strata_text *out, const struct strata_plan *plan)
{
    for (size_t i = 0; i < plan->backend_count; i++) {
        const struct strata_element *backend = &plan->backends[i];
        const char *name = strata_element_text(backend, "name");
        if (backend->type->layer != STRATA_LAYER_SERVICE) {
            char *path;
            for (size_t n = 0; (path = strata_element_place(backend, n)) != NULL; n++) {
                struct stat there;
                line(out, name, stat(path, &there) == 0, path);
                free(path);
            }
            continue;
        }
        const char *url = strata_element_text(backend, "auth-url");
        url = url != NULL ? url : getenv("ST_AUTH");
        if (url != NULL) {
            check_server(out, name, url);
        } else {
            line(out, name, false, "no auth-url, and ST_AUTH is not set");
        }
    }
}

/* The back ends of a configuration, or the server of the environment. */
static enum strata_status check_places(struct strata_text *out, const char *configuration,
                                       struct strata_error *error)
{
    if (configuration == NULL) {
        strata_text_append(out, "Back ends\n");
        if (getenv("ST_AUTH") != NULL) {
            check_server(out, "ST_AUTH", getenv("ST_AUTH"));
        } else {
            line(out, "ST_AUTH", false, "not set; 'strata doctor CONFIG' asks a configuration's");
        }
        return STRATA_OK;
    }
    struct strata_plan *plan = NULL;
    enum strata_status status = strata_plan_read(configuration, &plan, error);
    if (status == STRATA_OK) {
        strata_text_format(out, "Back ends of %s\n", configuration);
        check_backends(out, plan);
        strata_plan_free(plan);
    }
    return status;
}

enum strata_status suite_doctor(const struct suite_request *request, struct strata_error *error)
{
    struct strata_text text = {0};
    strata_text_append(&text, "strata " STRATA_VERSION "\n");
    bool complete = check_programs(&text);
    check_features(&text);
    check_kernel(&text);
    check_tools(&text);
    const char *configuration = request->operand_count > 0 ? request->operands[0] : NULL;
    enum strata_status status = check_places(&text, configuration, error);
    if (status == STRATA_OK) {
        status = suite_print(&text, error);
    }
    strata_text_done(&text);
    if (status == STRATA_OK && !complete) {
        status = strata_error_set(error, STRATA_ENVIRONMENT,
                                  "doctor: programs of the suite are missing");
    }
    return status;
}
