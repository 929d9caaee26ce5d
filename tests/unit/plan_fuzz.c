/* A configuration damaged at random is read or refused in one line, and nothing else happens. The
 * sanitizer builds see what a crash would not show. Runs from the seed 1, or the seed and number of
 * rounds in STRATA_FUZZ_SEED and STRATA_FUZZ_ROUNDS. */
#include "common/base/random.h"
#include "common/base/units.h"
#include "common/plan/plan.h"
#include "tests/unit/harness.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LONGEST 65536

struct document {
    char bytes[LONGEST];
    size_t length;
};

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    struct strata_error error;
    uint64_t value = otherwise;
    if (text != NULL) {
        CU_ASSERT_EQUAL_FATAL(strata_units_parse_count(text, &value, &error), STRATA_OK);
    }
    return value;
}

static void replace(struct document *document, size_t start, size_t end, const char *bytes,
                    size_t length)
{
    if (document->length - (end - start) + length > LONGEST) {
        return;
    }
    memmove(document->bytes + start + length, document->bytes + end, document->length - end);
    memcpy(document->bytes + start, bytes, length);
    document->length = document->length - (end - start) + length;
}

/* What changes the meaning more often than random bytes do. */
static const char *const pieces[] = {
    "\"",
    "'",
    "<",
    ">",
    "/>",
    "</",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<!DOCTYPE ",
    "<?xml ",
    "?>",
    "&amp;",
    "&#0;",
    "&#x10FFFF;",
    "&x;",
    "=",
    "\n",
    "\r",
    "\t",
    "\x01",
    "\xff",
    "\xc3",
    "\xed\xa0\x80",
    " -1",
    " 0",
    " 4 KiB",
    "9999999999999999999999",
    " 1.5",
    "%",
    ",,,",
    "<iops/>",
    "<backends>",
    "</strata>",
    " depth=\"8 8\"",
    " twin-of=\"disk\"",
    " name=\"disk\"",
    " xmlns:a=\"b\"",
    " a:b=\"c\"",
};

static void damage(struct document *document, struct strata_random *random)
{
    size_t at = strata_random_below(random, document->length + 1);
    size_t rest = document->length - at;
    size_t length = strata_random_below(random, (rest < 40 ? rest : 40) + 1);
    const char *piece = pieces[strata_random_below(random, sizeof pieces / sizeof pieces[0])];
    char byte = (char)strata_random_below(random, 256);
    char copy[40];
    size_t from = strata_random_below(random, document->length + 1);
    switch (strata_random_below(random, 5)) {
    case 0: /* cut out */
        replace(document, at, at + length, "", 0);
        break;
    case 1: /* overwrite a byte */
        replace(document, at, at + (rest > 0 ? 1 : 0), &byte, 1);
        break;
    case 2: /* insert a piece */
        replace(document, at, at, piece, strlen(piece));
        break;
    case 3: /* copy a part elsewhere */
        length = document->length - from < length ? document->length - from : length;
        memcpy(copy, document->bytes + from, length);
        replace(document, at, at, copy, length);
        break;
    default: /* cut off the end, rarely */
        if (strata_random_below(random, 10) == 0) {
            document->length = at;
        } else {
            replace(document, at, at + length, piece, strlen(piece));
        }
    }
}

/* The messages' contract, for whatever was refused. */
static void check_refusal(const char *path, const struct strata_error *error)
{
    CU_ASSERT_EQUAL(error->status, STRATA_USAGE);
    CU_ASSERT_EQUAL(strncmp(error->text, path, strlen(path)), 0);
    CU_ASSERT_TRUE(strata_text_is_utf8(error->text, strlen(error->text)));
    for (const char *byte = error->text; *byte != '\0'; byte++) {
        CU_ASSERT((unsigned char)*byte >= 0x20);
    }
}

static void read_damaged(int file, const char *path, const struct document *document,
                         unsigned *accepted)
{
    CU_ASSERT_EQUAL_FATAL(ftruncate(file, 0), 0);
    CU_ASSERT_EQUAL_FATAL(pwrite(file, document->bytes, document->length, 0),
                          (ssize_t)document->length);
    struct strata_plan *plan = NULL;
    struct strata_error error = {0};
    enum strata_status status = strata_plan_read(path, &plan, &error);
    if (status == STRATA_OK) {
        CU_ASSERT_EQUAL(strata_plan_check(plan, &error), STRATA_OK);
        CU_ASSERT_EQUAL(strlen(plan->text), document->length);
        strata_plan_free(plan);
        (*accepted)++;
    } else {
        CU_ASSERT_PTR_NULL(plan);
        check_refusal(path, &error);
    }
}

static void damaged_configurations_are_read_or_refused(void)
{
    static struct document original;
    static struct document damaged;
    int quick = open("config/quick.xml", O_RDONLY | O_CLOEXEC);
    if (quick < 0) {
        harness_skip("not started in the source tree");
        return;
    }
    ssize_t length = read(quick, original.bytes, LONGEST / 2);
    close(quick);
    CU_ASSERT_FATAL(length > 0);
    original.length = (size_t)length;

    int file = memfd_create("plan", MFD_CLOEXEC);
    CU_ASSERT_FATAL(file >= 0);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    struct strata_random random;
    strata_random_seed(&random, from_environment("STRATA_FUZZ_SEED", 1));
    uint64_t rounds = from_environment("STRATA_FUZZ_ROUNDS", 5000);
    unsigned accepted = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        damaged = original;
        for (uint64_t changes = 1 + strata_random_below(&random, 4); changes > 0; changes--) {
            damage(&damaged, &random);
        }
        read_damaged(file, path, &damaged, &accepted);
    }
    close(file);
    /* Damage in comments and texts leaves a good file; if none were good, or all, the test would
     * look at one side only. */
    printf(" %u of %lu accepted ", accepted, (unsigned long)rounds);
    CU_ASSERT(accepted > 0);
    CU_ASSERT(accepted < rounds);
}

static const struct harness_test tests[] = {
    {"damaged configurations are read or refused", damaged_configurations_are_read_or_refused},
};

HARNESS_MAIN("plan_fuzz", tests)
