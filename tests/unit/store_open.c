/* Opening the results database: what is refused and how it is said, what happens to runs whose
 * process is gone, locks, views of another text, and statements that fail. */
#include "tests/unit/harness.h"
#include "tests/unit/store_fixture.h"

#include "common/base/embedded.h"
#include "common/host/facts.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void expect_refused(const char *path, enum strata_store_mode mode, enum strata_status want,
                           const char *text)
{
    struct strata_store *store = NULL;
    struct strata_error error = {0};
    enum strata_status status = strata_store_open(path, mode, &store, &error);
    if (status != want || strstr(error.text, text) == NULL) {
        printf("\n    %s: got %d \"%s\", want %d \"…%s…\"\n", path, (int)status, error.text,
               (int)want, text);
        CU_FAIL("another refusal than expected");
    }
    CU_ASSERT_PTR_NULL(store);
    CU_ASSERT_PTR_NULL(strchr(error.text, '\n'));
}

static void write_file(const char *path, const char *content)
{
    FILE *file = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    fputs(content, file);
    fclose(file);
}

static void test_what_is_no_database_is_refused(void)
{
    struct fixture fixture;
    fixture_folder(&fixture);
    char path[128];
    expect_refused(fixture.folder, STRATA_STORE_WRITE, STRATA_USAGE, "is a directory");
    expect_refused("/dev/null", STRATA_STORE_WRITE, STRATA_USAGE, "is no regular file");
    expect_refused("", STRATA_STORE_WRITE, STRATA_USAGE, "empty");
    expect_refused(fixture.path, STRATA_STORE_READ, STRATA_ENVIRONMENT, "No such file");
    snprintf(path, sizeof(path), "%s/a/b/c.db", fixture.folder);
    expect_refused(path, STRATA_STORE_WRITE, STRATA_ENVIRONMENT, "cannot make the folder");
    write_file(fixture.path, "This is a letter, not a database, and it is long enough to be one."
                             " It must survive the attempt to open it unharmed.");
    expect_refused(fixture.path, STRATA_STORE_WRITE, STRATA_USAGE, "not an SQLite database");
    expect_refused(fixture.path, STRATA_STORE_READ, STRATA_USAGE, "not an SQLite database");
    char line[8] = "";
    FILE *file = fopen(fixture.path, "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_PTR_NOT_NULL(fgets(line, sizeof(line), file));
    fclose(file);
    CU_ASSERT_STRING_EQUAL(line, "This is");
    unlink(fixture.path);
    rmdir(fixture.folder);
}

static void test_a_foreign_database_is_left_alone(void)
{
    struct fixture fixture;
    fixture_folder(&fixture);
    fixture_shell(&fixture, "CREATE TABLE theirs (a); PRAGMA journal_mode = WAL;");
    expect_refused(fixture.path, STRATA_STORE_WRITE, STRATA_USAGE, "not one of Strata");
    expect_refused(fixture.path, STRATA_STORE_READ, STRATA_USAGE, "not one of Strata");
    CU_ASSERT_STRING_EQUAL(fixture_shell(&fixture, "SELECT group_concat(name) FROM sqlite_schema"),
                           "theirs");
    CU_ASSERT_STRING_EQUAL(fixture_shell(&fixture, "PRAGMA journal_mode"), "wal");
    fixture_close(&fixture);
}

static void test_an_empty_file_becomes_a_database_only_for_writing(void)
{
    struct fixture fixture;
    fixture_folder(&fixture);
    write_file(fixture.path, "");
    expect_refused(fixture.path, STRATA_STORE_READ, STRATA_USAGE, "not one of Strata");
    struct strata_error error;
    CU_ASSERT_EQUAL(strata_store_open(fixture.path, STRATA_STORE_WRITE, &fixture.store, &error),
                    STRATA_OK);
    CU_ASSERT_STRING_EQUAL(fixture_shell(&fixture, "PRAGMA user_version"), "8");
    /* "Stra" as a number. */
    CU_ASSERT_STRING_EQUAL(fixture_shell(&fixture, "PRAGMA application_id"), "1400140385");
    CU_ASSERT_STRING_EQUAL(fixture_shell(&fixture, "PRAGMA journal_mode"), "delete");
    fixture_close(&fixture);
}

static void test_a_newer_database_is_refused_with_both_numbers(void)
{
    struct fixture fixture;
    fixture_open(&fixture);
    strata_store_close(fixture.store);
    fixture.store = NULL;
    fixture_shell(&fixture, "PRAGMA user_version = 99");
    expect_refused(fixture.path, STRATA_STORE_WRITE, STRATA_USAGE,
                   "made by a newer Strata: its schema is 99, this program knows up to 8");
    expect_refused(fixture.path, STRATA_STORE_READ, STRATA_USAGE, "newer Strata");
    fixture_shell(&fixture, "PRAGMA user_version = 0");
    expect_refused(fixture.path, STRATA_STORE_READ, STRATA_USAGE, "older Strata");
    fixture_close(&fixture);
}

/* A database as the first schema left it, with a run in it. */
static void make_first_schema(const struct fixture *fixture)
{
    char command[160];
    snprintf(command, sizeof(command), "sqlite3 -bail '%s'", fixture->path);
    FILE *shell = popen(command, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(shell);
    fputs(strata_embedded_find("common/store/migrations/001_initial.sql"), shell);
    fputs("PRAGMA application_id = 1400140385; PRAGMA user_version = 1;"
          "INSERT INTO campaign (id, uuid, name, seed, loss_margin_fraction, planned_pairs,"
          " created_at_us, strata_version) VALUES (1, 'u', 'old', 1, 0.1, 5, 1, '0');"
          "INSERT INTO backend (id, campaign_id, name, layer, encrypted)"
          " VALUES (1, 1, 'disk', 'device', 0);"
          "INSERT INTO workload (id, layer, name, operation, object_bytes, block_bytes,"
          " concurrency, arrival, rate_per_s)"
          " VALUES (1, 'device', 'w', 'read', 512, 512, 1, 'closed', 0);"
          "INSERT INTO run VALUES (1, 'r', 1, NULL, 1, 1, 'single', NULL, 1, 1, 1, 'ok', '', 1, 2,"
          " 1, 1, 1, 'b');"
          "INSERT INTO phase VALUES (1, 1, 1, 'read', 0, 512, 1, 1000, 1000, 1.0, 0.1, 0);"
          "INSERT INTO operation_result VALUES (1, 1, 'read', 9, 0, 9, 9, 0, 0, 0, 4608, 9, 4608,"
          " 0, 0, 0);"
          "INSERT INTO comparison VALUES (1, 1, 1, 'read', 'read', 1, 1, 'control', 'throughput',"
          " 'hodges-lehmann', 5, 0.0, -0.1, 0.1, 0.0, -0.1, 0.1, 0.1, 'pass', 1);",
          shell);
    CU_ASSERT_EQUAL(pclose(shell), 0);
}

static void test_an_older_database_is_migrated_with_its_runs(void)
{
    struct fixture fixture;
    fixture_folder(&fixture);
    make_first_schema(&fixture);
    expect_refused(fixture.path, STRATA_STORE_READ, STRATA_USAGE,
                   "made by an older Strata: its schema is 1, this program reads 8");
    struct strata_error error = {0};
    CU_ASSERT_EQUAL(strata_store_open(fixture.path, STRATA_STORE_WRITE, &fixture.store, &error),
                    STRATA_OK);
    CU_ASSERT_STRING_EQUAL(fixture_shell(&fixture, "PRAGMA user_version"), "8");
    CU_ASSERT_STRING_EQUAL(fixture_text(&fixture, "SELECT campaign || ' ' || ops_per_s || ' ' ||"
                                                  " (SELECT warmup_ns IS NULL FROM phase)"
                                                  " || status ||"
                                                  " (SELECT stands_on IS NULL FROM backend)"
                                                  " || (SELECT verdict FROM comparison)"
                                                  " FROM v_throughput"),
                           "old 9000000.0 1ok1pass");
    fixture_close(&fixture);
}

static void test_a_missing_folder_is_made(void)
{
    struct fixture fixture;
    fixture_folder(&fixture);
    char folder[80];
    char path[96];
    snprintf(folder, sizeof(folder), "%s/new", fixture.folder);
    snprintf(path, sizeof(path), "%s/r.db", folder);
    struct strata_error error;
    CU_ASSERT_EQUAL(strata_store_open(path, STRATA_STORE_WRITE, &fixture.store, &error), STRATA_OK);
    CU_ASSERT_EQUAL(access(path, R_OK), 0);
    unlink(path);
    rmdir(folder);
    fixture_close(&fixture);
}

static void test_reading_changes_nothing(void)
{
    struct fixture fixture;
    fixture_open(&fixture);
    strata_store_close(fixture.store);
    fixture_shell(&fixture, "UPDATE setting SET value = 'other' WHERE name = 'views'");
    char before[512];
    snprintf(before, sizeof(before), "%s", fixture_shell(&fixture, ".sha3sum"));
    struct stat old;
    struct stat new;
    CU_ASSERT_EQUAL(stat(fixture.path, &old), 0);
    struct strata_error error;
    CU_ASSERT_EQUAL(strata_store_open(fixture.path, STRATA_STORE_READ, &fixture.store, &error),
                    STRATA_OK);
    CU_ASSERT_STRING_EQUAL(fixture_text(&fixture, "SELECT count(*) FROM campaign"), "1");
    CU_ASSERT_EQUAL(strata_query_execute(fixture.store, "DELETE FROM setting", &error),
                    STRATA_ENVIRONMENT);
    CU_ASSERT_EQUAL(stat(fixture.path, &new), 0);
    CU_ASSERT_EQUAL(old.st_mtim.tv_sec, new.st_mtim.tv_sec);
    CU_ASSERT_EQUAL(old.st_mtim.tv_nsec, new.st_mtim.tv_nsec);
    CU_ASSERT_STRING_EQUAL(fixture_shell(&fixture, ".sha3sum"), before);
    fixture_close(&fixture);
}

static void reopen(struct fixture *fixture)
{
    strata_store_close(fixture->store);
    OK(strata_store_open(fixture->path, STRATA_STORE_WRITE, &fixture->store, &fixture->error));
}

static void test_views_of_another_text_are_replaced(void)
{
    struct fixture fixture;
    fixture_open(&fixture);
    char ours[512];
    snprintf(ours, sizeof(ours), "%s",
             fixture_text(&fixture, "SELECT count(*) FROM sqlite_schema WHERE type = 'view'"));
    fixture_shell(&fixture, "DROP VIEW v_run; CREATE VIEW v_run AS SELECT 1 AS old;"
                            "CREATE VIEW v_left_over AS SELECT 1; CREATE VIEW my_own AS SELECT 1;"
                            "UPDATE setting SET value = 'other' WHERE name = 'views'");
    reopen(&fixture);
    CU_ASSERT_STRING_EQUAL(fixture_text(&fixture, "SELECT count(run_uuid) FROM v_run"), "0");
    CU_ASSERT_STRING_EQUAL(fixture_text(&fixture, "SELECT * FROM my_own"), "1");
    CU_ASSERT_STRING_EQUAL(fixture_text(&fixture,
                                        "SELECT count(*) FROM sqlite_schema WHERE type = 'view'"
                                        " AND name <> 'my_own'"),
                           ours);
    fixture_close(&fixture);
}

/* A child begins a run in the database and waits until it is killed. Returns its process id once
 * the run stands there. */
static pid_t child_that_measures(const struct fixture *fixture)
{
    int ready[2];
    CU_ASSERT_EQUAL_FATAL(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        struct fixture own = *fixture;
        if (strata_store_open(own.path, STRATA_STORE_WRITE, &own.store, &own.error) != STRATA_OK) {
            _exit(1);
        }
        fixture_begin(&own, false, 1, 1);
        if (write(ready[1], "", 1) != 1) {
            _exit(1);
        }
        pause();
        _exit(0);
    }
    close(ready[1]);
    char byte;
    CU_ASSERT_EQUAL(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return child;
}

static void test_a_run_whose_process_is_gone_is_marked(void)
{
    struct fixture fixture;
    fixture_open(&fixture);
    pid_t child = child_that_measures(&fixture);
    reopen(&fixture);
    CU_ASSERT_STRING_EQUAL(fixture_text(&fixture, "SELECT status FROM run"), "running");
    kill(child, SIGKILL);
    siginfo_t ended; /* but leave it as a zombie: it has the same id and start time */
    CU_ASSERT_EQUAL(waitid(P_PID, (id_t)child, &ended, WEXITED | WNOWAIT), 0);
    reopen(&fixture);
    char want[96];
    snprintf(want, sizeof(want), "aborted process %d ended before the run did 1", (int)child);
    CU_ASSERT_STRING_EQUAL(fixture_text(&fixture, "SELECT status || ' ' || reason || ' ' ||"
                                                  " (ended_at_us >= began_at_us) FROM run"),
                           want);
    waitpid(child, NULL, 0);
    fixture_close(&fixture);
}

static void test_a_process_id_used_again_is_not_the_same_process(void)
{
    struct fixture fixture;
    fixture_open(&fixture);
    fixture_begin(&fixture, false, 1, 1);
    reopen(&fixture);
    CU_ASSERT_STRING_EQUAL(fixture_text(&fixture, "SELECT status FROM run"), "running");
    /* The same id, started at another time. */
    fixture_shell(&fixture, "UPDATE run SET process_start_ticks = process_start_ticks - 1");
    reopen(&fixture);
    CU_ASSERT_STRING_EQUAL(fixture_text(&fixture, "SELECT status FROM run"), "aborted");
    fixture_close(&fixture);
}

static void test_runs_of_elsewhere_are_not_judged(void)
{
    struct fixture fixture;
    fixture_open(&fixture);
    fixture_begin(&fixture, false, 1, 1);
    /* Another boot of another machine: nobody here can know. */
    fixture_shell(&fixture, "UPDATE run SET boot_id = 'x', process_id = 999999999");
    reopen(&fixture);
    CU_ASSERT_STRING_EQUAL(fixture_text(&fixture, "SELECT status FROM run"), "running");
    /* Another process namespace of this boot: likewise. */
    fixture_shell(&fixture, "UPDATE run SET process_namespace = 1, boot_id ="
                            " (SELECT trim(cast(readfile('/proc/sys/kernel/random/boot_id') AS"
                            " TEXT), char(10)))");
    reopen(&fixture);
    CU_ASSERT_STRING_EQUAL(fixture_text(&fixture, "SELECT status FROM run"), "running");
    /* An earlier boot of this machine: certainly over. */
    char machine[33];
    char sql[160];
    strata_facts_host_id(machine);
    snprintf(sql, sizeof(sql), "UPDATE run SET boot_id = 'x'; UPDATE host SET machine_hash = '%s'",
             machine);
    fixture_shell(&fixture, sql);
    reopen(&fixture);
    CU_ASSERT_STRING_EQUAL(fixture_text(&fixture, "SELECT status FROM run"), "aborted");
    fixture_close(&fixture);
}

static void test_locks_hold_when_a_second_opening_is_closed(void)
{
    struct fixture fixture;
    fixture_open(&fixture);
    struct strata_store *second = NULL;
    CU_ASSERT_EQUAL(strata_store_open(fixture.path, STRATA_STORE_WRITE, &second, &fixture.error),
                    STRATA_OK);
    CU_ASSERT_EQUAL(strata_query_begin(fixture.store, &fixture.error), STRATA_OK);
    strata_store_close(second);
    CU_ASSERT_FALSE(strata_store_shares_device(fixture.path, "/proc/self"));
    CU_ASSERT_PTR_NOT_NULL(strstr(fixture_shell(&fixture, "BEGIN IMMEDIATE"), "locked"));
    strata_query_rollback(fixture.store);
    CU_ASSERT_STRING_EQUAL(fixture_shell(&fixture, "BEGIN IMMEDIATE"), "");
    fixture_close(&fixture);
}

static void test_a_database_on_the_target_is_recognised(void)
{
    struct fixture fixture;
    fixture_open(&fixture);
    char other[128];
    CU_ASSERT_TRUE(strata_store_shares_device(fixture.path, fixture.folder));
    CU_ASSERT_TRUE(strata_store_shares_device(fixture.path, fixture.path));
    CU_ASSERT_TRUE(strata_store_shares_device(fixture.path, "/tmp"));
    snprintf(other, sizeof(other), "%s/not-yet-made.db", fixture.folder);
    CU_ASSERT_TRUE(strata_store_shares_device(other, fixture.folder));
    snprintf(other, sizeof(other), "%s-neighbour", fixture.folder);
    CU_ASSERT_EQUAL(mkdir(other, 0700), 0);
    CU_ASSERT_FALSE(strata_store_shares_device(fixture.path, other));
    rmdir(other);
    snprintf(other, sizeof(other), "%s/link", fixture.folder);
    CU_ASSERT_EQUAL(symlink(fixture.folder, other), 0);
    CU_ASSERT_TRUE(strata_store_shares_device(fixture.path, other));
    unlink(other);
    CU_ASSERT_FALSE(strata_store_shares_device(fixture.path, "/no/such/place"));
    fixture_close(&fixture);
}

static void test_statements_that_fail_say_why(void)
{
    struct fixture fixture;
    fixture_open(&fixture);
    struct strata_query *query = NULL;
    struct strata_error error = {0};
    CU_ASSERT_EQUAL(strata_query_open(fixture.store, "SELECT missing", &query, &error),
                    STRATA_INTERNAL);
    CU_ASSERT_PTR_NULL(query);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "no such column: missing"));
    /* All of a script or nothing. */
    CU_ASSERT_EQUAL(strata_query_execute(fixture.store,
                                         "INSERT INTO setting VALUES ('a', 'b');"
                                         "INSERT INTO setting VALUES ('c', NULL)",
                                         &error),
                    STRATA_INTERNAL);
    CU_ASSERT_STRING_EQUAL(fixture_text(&fixture, "SELECT count(*) FROM setting"), "1");
    /* An error ends the rows and stays until reset. */
    CU_ASSERT_EQUAL(strata_query_open(fixture.store,
                                      "INSERT INTO setting VALUES (?1, ?2) RETURNING name", &query,
                                      &error),
                    STRATA_OK);
    strata_query_bind_text(query, 1, "views");
    strata_query_bind_text(query, 2, "x");
    CU_ASSERT_FALSE(strata_query_next(query));
    CU_ASSERT_FALSE(strata_query_next(query));
    CU_ASSERT_EQUAL(strata_query_status(query, &error), STRATA_INTERNAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "UNIQUE constraint failed: setting.name"));
    strata_query_reset(query);
    strata_query_bind_text(query, 1, "mine");
    CU_ASSERT_TRUE(strata_query_next(query));
    CU_ASSERT_STRING_EQUAL(strata_query_text(query, 0), "mine");
    CU_ASSERT_EQUAL(strata_query_status(query, &error), STRATA_OK);
    strata_query_close(query);
    fixture_close(&fixture);
}

static void test_columns_have_names_and_kinds(void)
{
    struct fixture fixture;
    fixture_open(&fixture);
    struct strata_query *query = NULL;
    CU_ASSERT_EQUAL(strata_query_open(fixture.store, "SELECT ?1 AS a, ?2 AS b, ?3 AS c, NULL AS d",
                                      &query, &fixture.error),
                    STRATA_OK);
    strata_query_bind_text(query, 1, "é \"'");
    strata_query_bind_integer(query, 2, INT64_MIN);
    strata_query_bind_decimal(query, 3, 0.1);
    CU_ASSERT_EQUAL(strata_query_columns(query), 4);
    CU_ASSERT_TRUE(strata_query_next(query));
    CU_ASSERT_STRING_EQUAL(strata_query_column_name(query, 2), "c");
    CU_ASSERT_TRUE(strata_query_is_text(query, 0));
    CU_ASSERT_FALSE(strata_query_is_text(query, 1));
    CU_ASSERT_STRING_EQUAL(strata_query_text(query, 0), "é \"'");
    CU_ASSERT_EQUAL(strata_query_integer(query, 1), INT64_MIN);
    CU_ASSERT_EQUAL(strata_query_decimal(query, 2), 0.1);
    CU_ASSERT_TRUE(strata_query_is_null(query, 3));
    CU_ASSERT_PTR_NULL(strata_query_text(query, 3));
    CU_ASSERT_FALSE(strata_query_next(query));
    strata_query_close(query);
    fixture_close(&fixture);
}

static const struct harness_test tests[] = {
    {"what is no database is refused", test_what_is_no_database_is_refused},
    {"a foreign database is left alone", test_a_foreign_database_is_left_alone},
    {"an empty file becomes a database only for writing",
     test_an_empty_file_becomes_a_database_only_for_writing},
    {"a newer database is refused with both numbers",
     test_a_newer_database_is_refused_with_both_numbers},
    {"an older database is migrated with its runs",
     test_an_older_database_is_migrated_with_its_runs},
    {"a missing folder is made", test_a_missing_folder_is_made},
    {"reading changes nothing", test_reading_changes_nothing},
    {"views of another text are replaced, a user's own kept",
     test_views_of_another_text_are_replaced},
    {"a run whose process is gone is marked as aborted",
     test_a_run_whose_process_is_gone_is_marked},
    {"a process id used again is not the same process",
     test_a_process_id_used_again_is_not_the_same_process},
    {"runs of elsewhere are not judged", test_runs_of_elsewhere_are_not_judged},
    {"locks hold when a second opening is closed (R3)",
     test_locks_hold_when_a_second_opening_is_closed},
    {"a database on the target is recognised", test_a_database_on_the_target_is_recognised},
    {"statements that fail say why", test_statements_that_fail_say_why},
    {"columns have names and kinds", test_columns_have_names_and_kinds},
};

HARNESS_MAIN("store_open", tests)
