/* What the tests of the store share: a scratch database with one campaign, and SQL's answers. */
#ifndef STRATA_TESTS_UNIT_STORE_FIXTURE_H
#define STRATA_TESTS_UNIT_STORE_FIXTURE_H

#include "common/base/random.h"
#include "common/store/query.h"
#include "common/store/store.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fixture {
    char folder[64];
    char path[96];
    struct strata_store *store;
    struct strata_error error;
    int64_t campaign_id, environment_id, plain_id, encrypted_id, workload_id;
};

/* `fixture` is the caller's. */
#define OK(call)                                                                                   \
    do {                                                                                           \
        if ((call) != STRATA_OK) {                                                                 \
            printf("%s ", fixture->error.text);                                                    \
            CU_FAIL(#call);                                                                        \
        }                                                                                          \
    } while (0)

static inline void fixture_folder(struct fixture *fixture)
{
    *fixture = (struct fixture){.folder = "/tmp/strata-store.XXXXXX"};
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(fixture->folder));
    snprintf(fixture->path, sizeof(fixture->path), "%s/results.db", fixture->folder);
}

/* Text arguments that a campaign with one twin pair of devices and one ladder workload has. */
static inline void fixture_open(struct fixture *fixture)
{
    fixture_folder(fixture);
    OK(strata_store_open(fixture->path, STRATA_STORE_WRITE, &fixture->store, &fixture->error));
    struct strata_store_campaign campaign = {.uuid = "11111111-1111-4111-8111-111111111111",
                                             .name = "test",
                                             .configuration = "<strata/>",
                                             .seed = 7,
                                             .loss_margin = 0.1,
                                             .planned_pairs = 5,
                                             .time_scale = 1};
    OK(strata_store_campaign(fixture->store, &campaign, &fixture->campaign_id, &fixture->error));
    OK(strata_store_environment(fixture->store, "machine", "{\"cores\":2}",
                                &fixture->environment_id, &fixture->error));
    struct strata_store_backend plain = {.name = "disk",
                                         .layer = "device",
                                         .location = "/dev/loop0",
                                         .encryption = "none",
                                         .proof = "none",
                                         .evidence = "",
                                         .storage = "{}"};
    OK(strata_store_backend(fixture->store, fixture->campaign_id, &plain, &fixture->plain_id,
                            &fixture->error));
    struct strata_store_backend encrypted = {.name = "disk-aes",
                                             .layer = "device",
                                             .location = "/dev/loop0",
                                             .encrypted = true,
                                             .encryption = "aes-xts-256",
                                             .proof = "functional",
                                             .evidence = "pattern absent",
                                             .twin_id = fixture->plain_id,
                                             .storage = "{}"};
    OK(strata_store_backend(fixture->store, fixture->campaign_id, &encrypted,
                            &fixture->encrypted_id, &fixture->error));
    struct strata_store_workload workload = {.layer = "device",
                                             .name = "iops read",
                                             .element = "iops",
                                             .operation = "read",
                                             .object_bytes = 512,
                                             .block_bytes = 512,
                                             .concurrency = 1,
                                             .category = "",
                                             .arrival = "closed",
                                             .match_key = "",
                                             .parameters = "{}"};
    OK(strata_store_workload(fixture->store, &workload, &fixture->workload_id, &fixture->error));
}

static inline void fixture_close(struct fixture *fixture)
{
    strata_store_close(fixture->store);
    unlink(fixture->path);
    char journal[128];
    snprintf(journal, sizeof(journal), "%s-journal", fixture->path);
    unlink(journal);
    CU_ASSERT_EQUAL(rmdir(fixture->folder), 0);
}

static inline int64_t fixture_begin(struct fixture *fixture, bool encrypted, unsigned pair_no,
                                    unsigned slot)
{
    char uuid[37];
    strata_random_uuid(uuid);
    struct strata_store_run run = {
        .uuid = uuid,
        .campaign_id = fixture->campaign_id,
        .environment_id = fixture->environment_id,
        .backend_id = encrypted ? fixture->encrypted_id : fixture->plain_id,
        .workload_id = fixture->workload_id,
        .cell = "pair",
        .twin_backend_id = encrypted ? fixture->plain_id : fixture->encrypted_id,
        .pair_no = pair_no,
        .slot = slot,
        .seed = 42};
    int64_t id = 0;
    OK(strata_store_run_begin(fixture->store, &run, &id, &fixture->error));
    return id;
}

/* The first column of the first row, as text; "NULL" for NULL, "no row" where there is none. The
 * result lives until the next call. */
static inline const char *fixture_text(struct fixture *fixture, const char *sql)
{
    static char text[512];
    struct strata_query *query = NULL;
    OK(strata_query_open(fixture->store, sql, &query, &fixture->error));
    if (query == NULL) {
        return "error";
    }
    snprintf(text, sizeof(text), "no row");
    if (strata_query_next(query)) {
        const char *value = strata_query_text(query, 0);
        snprintf(text, sizeof(text), "%s", value != NULL ? value : "NULL");
    }
    OK(strata_query_status(query, &fixture->error));
    strata_query_close(query);
    return text;
}

/* The answer of the sqlite3 program, an implementation apart from the store: the first line. */
static inline const char *fixture_shell(struct fixture *fixture, const char *sql)
{
    static char line[512];
    char command[1024];
    snprintf(command, sizeof(command), "sqlite3 '%s' \"%s\" 2>&1", fixture->path, sql);
    FILE *pipe = popen(command, "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(pipe);
    line[0] = '\0';
    if (fgets(line, sizeof(line), pipe) != NULL) {
        line[strcspn(line, "\n")] = '\0';
    }
    pclose(pipe);
    return line;
}

#endif
