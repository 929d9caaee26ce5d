/* Configurations: what a good one becomes, and the one line that each bad one gets. */
#include "common/plan/plan.h"
#include "tests/unit/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Read a configuration that consists of these bytes; its messages begin with "plan.xml". */
static enum strata_status read_bytes(const char *bytes, size_t length,
                                     struct strata_plan **ret_plan, struct strata_error *error)
{
    char folder[] = "/tmp/strata-plan.XXXXXX";
    char before[4096];
    if (getcwd(before, sizeof before) == NULL || mkdtemp(folder) == NULL || chdir(folder) != 0) {
        CU_FAIL_FATAL("no scratch directory");
    }
    FILE *file = fopen("plan.xml", "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_EQUAL(fwrite(bytes, 1, length, file), length);
    CU_ASSERT_EQUAL(fclose(file), 0);
    enum strata_status status = strata_plan_read("plan.xml", ret_plan, error);
    CU_ASSERT_EQUAL(unlink("plan.xml"), 0);
    CU_ASSERT_EQUAL(chdir(before), 0);
    CU_ASSERT_EQUAL(rmdir(folder), 0);
    return status;
}

static struct strata_plan *read_good(const char *text)
{
    struct strata_plan *plan = NULL;
    struct strata_error error = {0};
    if (read_bytes(text, strlen(text), &plan, &error) != STRATA_OK) {
        printf("\n    %s\n", error.text);
        CU_FAIL_FATAL("a good configuration was refused");
    }
    return plan;
}

static void expect_refusal(const char *bytes, size_t length, const char *message)
{
    struct strata_plan *plan = NULL;
    struct strata_error error = {0};
    CU_ASSERT_EQUAL(read_bytes(bytes, length, &plan, &error), STRATA_USAGE);
    CU_ASSERT_EQUAL(error.status, STRATA_USAGE);
    CU_ASSERT_PTR_NULL(plan);
    if (strcmp(error.text, message) != 0) {
        printf("\n    got  %s\n    want %s\n", error.text, message);
        CU_FAIL("another message");
    }
}

static void refuse(const char *text, const char *message)
{
    expect_refusal(text, strlen(text), message);
}

#define DEVICE "<device name=\"d\" path=\"/x\"/>"

/* A workload on line 3 of an otherwise good file. */
static void refuse_workload(const char *workload, const char *message)
{
    char text[4096];
    char expected[1200];
    snprintf(text, sizeof text,
             "<strata version=\"1\"><backends>" DEVICE "</backends>\n<device-layer>\n%s\n"
             "</device-layer></strata>",
             workload);
    snprintf(expected, sizeof expected, "plan.xml:3: %s", message);
    refuse(text, expected);
}

/* Back ends that begin on line 2. */
static void refuse_backends(const char *backends, const char *message)
{
    char text[4096];
    snprintf(text, sizeof text, "<strata version=\"1\"><backends>\n%s\n</backends></strata>",
             backends);
    refuse(text, message);
}

static void a_good_file_becomes_a_plan(void)
{
    static const char text[] =
        "\xef\xbb\xbf<?xml version='1.0' encoding='UTF-8'?>\r\n"
        "<!-- comments and <?instructions?> are skipped -->\r\n"
        "<?editor setting?>\r\n"
        "<strata version='1'>\r\n"
        "  <campaign name='n&amp;1 &lt;&#233;>' pairs=\"7\" loss-margin='12.5%'/>\r\n"
        "  <ladder sizes='1MiB'/>\r\n"
        "  <user-layer><time-of-day slots='06:30, 23:59'/></user-layer>\r\n"
        "  <backends>\r\n"
        "    <device name='a' path='/dev/a'/>\r\n"
        "    <device name='a-luks' path='/dev/b' twin-of='a' encryption='dm-crypt'/>\r\n"
        "    <swift name='s'/>\r\n"
        "  </backends>\r\n"
        "  <device-layer>\r\n"
        "    <workload block-size=' 4KiB,64k\t1.5MiB ' operations='randrw,read'\r\n"
        "       duration='1.5s' engine='sync'/>\r\n"
        "    <iops/>\r\n"
        "    <iops depth='1'></iops>\r\n"
        "  </device-layer>\r\n"
        "</strata>\r\n";
    struct strata_plan *plan = read_good(text);
    CU_ASSERT_STRING_EQUAL(plan->source, "plan.xml");
    CU_ASSERT_STRING_EQUAL(plan->text, text);
    CU_ASSERT_STRING_EQUAL(strata_element_text(&plan->campaign, "name"), "n&1 <\xc3\xa9>");
    CU_ASSERT_EQUAL(strata_element_number(&plan->campaign, "pairs"), 7);
    CU_ASSERT_DOUBLE_EQUAL(strata_element_decimal(&plan->campaign, "loss-margin"), 0.125, 0);
    CU_ASSERT_EQUAL(plan->campaign.line, 5);

    CU_ASSERT_EQUAL_FATAL(plan->backend_count, 3);
    const struct strata_element *plain = strata_plan_backend(plan, "a");
    CU_ASSERT_PTR_EQUAL_FATAL(plain, &plan->backends[0]);
    CU_ASSERT_PTR_EQUAL(strata_plan_twin(plan, plain, 0), &plan->backends[1]);
    CU_ASSERT_PTR_NULL(strata_plan_twin(plan, plain, 1));
    CU_ASSERT_PTR_NULL(strata_plan_twin(plan, &plan->backends[2], 0));
    CU_ASSERT_PTR_NULL(strata_plan_backend(plan, "b"));
    CU_ASSERT_EQUAL(strata_element_number(&plan->backends[1], "encryption"), 3);

    CU_ASSERT_EQUAL_FATAL(plan->workload_count, 4);
    const struct strata_element *slots = &plan->workloads[0];
    CU_ASSERT_STRING_EQUAL(slots->type->name, "time-of-day");
    CU_ASSERT_EQUAL_FATAL(strata_element_setting(slots, "slots")->count, 2);
    CU_ASSERT_EQUAL(strata_element_setting(slots, "slots")->values[0].number, 390);
    CU_ASSERT_EQUAL(strata_element_setting(slots, "slots")->values[1].number, 1439);

    const struct strata_element *workload = &plan->workloads[1];
    CU_ASSERT_EQUAL(workload->line, 14);
    const struct strata_setting *sizes = strata_element_setting(workload, "block-size");
    CU_ASSERT_EQUAL_FATAL(sizes->count, 3);
    CU_ASSERT_TRUE(sizes->given);
    CU_ASSERT_EQUAL(sizes->values[0].number, 4096);
    CU_ASSERT_EQUAL(sizes->values[1].number, 65536);
    CU_ASSERT_EQUAL(sizes->values[2].number, 1572864);
    CU_ASSERT_STRING_EQUAL(sizes->values[1].text, "64k");
    CU_ASSERT_EQUAL(strata_element_number(workload, "duration"), UINT64_C(1500000000));
    CU_ASSERT_EQUAL(strata_element_number(workload, "operations"), 4);
    CU_ASSERT_STRING_EQUAL(strata_element_text(workload, "engine"), "sync");
    CU_ASSERT_EQUAL(strata_element_number(workload, "depth"), 32);
    CU_ASSERT_FALSE(strata_element_given(workload, "depth"));
    CU_ASSERT_PTR_NULL(strata_element_text(workload, "backends"));
    CU_ASSERT_EQUAL(strata_element_number(workload, "limit"), 0);

    /* A preset's defaults differ from the table's, and what is given wins over both. */
    const struct strata_setting *operations =
        strata_element_setting(&plan->workloads[2], "operations");
    CU_ASSERT_EQUAL_FATAL(operations->count, 2);
    CU_ASSERT_STRING_EQUAL(operations->values[1].text, "write");
    CU_ASSERT_FALSE(operations->given);
    CU_ASSERT_EQUAL(strata_element_number(&plan->workloads[2], "depth"), 32);
    CU_ASSERT_EQUAL(strata_element_number(&plan->workloads[3], "depth"), 1);
    CU_ASSERT_EQUAL_FATAL(plan->ladder_count, 1);
    CU_ASSERT_EQUAL(strata_element_number(&plan->ladders[0], "sizes"), 1048576);
    strata_plan_free(plan);
}

static void the_campaign_has_defaults_without_an_element(void)
{
    struct strata_plan *plan = read_good("<strata version='1'><backends/></strata>");
    CU_ASSERT_EQUAL(strata_element_number(&plan->campaign, "pairs"), 10);
    CU_ASSERT_FALSE(strata_element_given(&plan->campaign, "pairs"));
    CU_ASSERT_EQUAL(plan->campaign.line, 0);
    strata_plan_free(plan);
}

static void every_element_type_has_sound_defaults(void)
{
    struct strata_plan *plan = strata_plan_new("");
    for (size_t i = 0; i < strata_element_type_count; i++) {
        const struct strata_element_type *type = strata_element_types[i];
        struct strata_element *element = strata_plan_add(plan, type); /* aborts if not */
        for (size_t o = 0; o < type->option_count; o++) {
            const struct strata_setting *setting = &element->settings[o];
            char *fallback = strata_option_default(type, &type->options[o]);
            CU_ASSERT_EQUAL(setting->count > 0, fallback != NULL);
            CU_ASSERT(setting->count <= 1 || setting->option->list);
            free(fallback);
        }
    }
    strata_plan_free(plan);
}

static void ready_configurations_are_good(void)
{
    static const char *const paths[] = {"config/quick.xml", "config/full.xml"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct strata_plan *plan = NULL;
        struct strata_error error = {0};
        if (access(paths[i], R_OK) != 0) {
            harness_skip("not started in the source tree");
            return;
        }
        CU_ASSERT_EQUAL_FATAL(strata_plan_read(paths[i], &plan, &error), STRATA_OK);
        bool layers[STRATA_LAYERS] = {false};
        for (size_t w = 0; w < plan->workload_count; w++) {
            layers[plan->workloads[w].type->layer] = true;
        }
        CU_ASSERT_TRUE(layers[0] && layers[1] && layers[2] && layers[3]);
        strata_plan_free(plan);
    }
}

static void wrong_values_are_named(void)
{
    refuse_workload("<iops depth='0'/>", "depth: 0 is below 1");
    refuse_workload("<iops depth='1 8 4096'/>", "depth: 4096 is above 1024 (in '1 8 4096')");
    refuse_workload("<iops block-size='4 KiB'/>", "block-size: 4 is below 512 (in '4 KiB')");
    refuse_workload("<iops depth='-1'/>", "depth: '-1' is not a whole number such as 8");
    refuse_workload("<iops depth=''/>", "depth: '' names no value");
    refuse_workload("<iops depth=' , '/>", "depth: ' , ' names no value");
    refuse_workload("<iops depth='8,08'/>", "depth: 08 is listed twice (in '8,08')");
    refuse_workload("<iops block-size='256'/>", "block-size: 256 is below 512");
    refuse_workload("<iops block-size='1GiB'/>", "block-size: 1GiB is above 64MiB");
    refuse_workload("<iops block-size='4Ki'/>",
                    "block-size: '4Ki' is not a size such as 512, 4KiB (4096), 4k (4096) or 4kB "
                    "(4000)");
    refuse_workload("<iops block-size='99999999999GiB'/>",
                    "block-size: '99999999999GiB' is more than 9223372036854775807 bytes");
    refuse_workload("<iops duration='30'/>",
                    "duration: '30' is not a time such as 500ms, 30s, 5m or 1h");
    refuse_workload("<iops duration='0.5ms'/>", "duration: 0.5ms is below 1ms");
    refuse_workload("<iops duration='25h'/>", "duration: 25h is above 24h");
    refuse_workload("<iops duration='1s 2s'/>",
                    "duration: '1s 2s' is not a time such as 500ms, 30s, 5m or 1h");
    refuse_workload("<iops read-share='170%'/>",
                    "read-share: '170%' is not between 0 and 1 (0% and 100%)");
    refuse_workload("<iops rate='fast'/>", "rate: 'fast' is not a decimal number such as 1500 or "
                                           "0.5 of at most 15 digits");
    refuse_workload("<iops engine='libaio'/>",
                    "engine: 'libaio' is not one of sync, aio, uring, null");
    refuse_workload("<iops engine='urng'/>",
                    "engine: 'urng' is not one of sync, aio, uring, null; did you mean uring?");
    refuse_backends("<device name='' path='/x'/>", "plan.xml:2: name: '' is empty");
    refuse_backends("<device name='a&#10;b' path='/x'/>",
                    "plan.xml:2: name: 'a b' holds a control character");
    refuse("<strata version='1'><backends><swift name='s'/></backends>\n<user-layer>"
           "<time-of-day slots='24:00'/></user-layer></strata>",
           "plan.xml:2: slots: '24:00' is not a time of day from 00:00 to 23:59");
    refuse("<strata version='1'><backends><swift name='s'/></backends>\n<user-layer>"
           "<time-of-day slots='8:00'/></user-layer></strata>",
           "plan.xml:2: slots: '8:00' is not a time of day from 00:00 to 23:59");
}

static void the_line_is_the_attributes_own(void)
{
    refuse_backends(
        "<device\n  name =\n  'a>b'\n  path=\"it's /x\"\n  size\n=\n'4 KiB'\n  offset='0'\n/>",
        "plan.xml:6: size: '4 KiB' is not a size such as 512, 4KiB (4096), 4k (4096) "
        "or 4kB (4000)");
    refuse_backends("<device name='size' path='size=\n' size=''/>",
                    "plan.xml:3: size: '' is not a size such as 512, 4KiB (4096), 4k (4096) or 4kB "
                    "(4000)");
}

static void sets_and_rivals_are_checked(void)
{
    static const char *const rival = "<device name='a' path='/x'/>\n";
    refuse_backends("<device name='a' path='/x' versus='b'/>",
                    "plan.xml:2: versus: no back end is called 'b'");
    refuse_backends("<device name='a' path='/x' versus='a'/>",
                    "plan.xml:2: versus: 'a' is this back end itself");
    char text[512];
    (void)snprintf(text, sizeof text, "%s<filesystem name='f' path='/y' versus='a'/>", rival);
    refuse_backends(text, "plan.xml:3: versus: 'a' is a <device>, not a <filesystem>");
    (void)snprintf(text, sizeof text,
                   "%s<device name='b' path='/y' encryption='provider' versus='a'/>", rival);
    refuse_backends(text, "plan.xml:3: versus: 'a' has encryption none, this one provider; "
                          "expected the same (a plain one and its encryption are twins: twin-of)");
    (void)snprintf(text, sizeof text,
                   "%s<device name='b' path='/y' versus='a'/><device name='c' path='/z' "
                   "versus='b'/>",
                   rival);
    refuse_backends(text, "plan.xml:3: versus: 'b' is itself held against 'a'; expected one that "
                          "is held against none");
    refuse_backends("<device name='a' path='/x' chunk='64KiB'/>",
                    "plan.xml:2: chunk: there is one device only; expected more in `and`");
    refuse_backends("<device name='a' path='/x' and='/y' chunk='700'/>",
                    "plan.xml:2: chunk: 700 is not a multiple of 512 bytes");
    refuse_backends("<device name='a' path='/x' and='/y /y'/>",
                    "plan.xml:2: and: /y is listed twice (in '/y /y')");
}

static void unknown_names_are_refused_with_those_expected(void)
{
    refuse_workload("<iops deepth='1'/>",
                    "deepth: no such attribute of <iops>; did you mean depth? expected backends, "
                    "repetitions, operations, read-share, block-size, depth, jobs, engine, "
                    "batch, polled, duration, warm-up, limit, amount, rate, verify");
    refuse_workload(
        "<iop/>",
        "<iop> is not known in <device-layer>; did you mean iops? expected "
        "<workload>, <iops>, <transfer>, <steady-state>, <cipher>, <key-derivation>, <volumes>");
    refuse_workload("<metadata/>",
                    "<metadata> is not known in <device-layer>; expected <workload>, <iops>, "
                    "<transfer>, <steady-state>, <cipher>, <key-derivation>, <volumes>");
    refuse_workload("<iops xml:lang='de'/>",
                    "xml:lang: no such attribute of <iops>; expected backends, repetitions, "
                    "operations, read-share, block-size, depth, jobs, engine, batch, polled, "
                    "duration, warm-up, limit, amount, rate, verify");
    refuse("<strata version='1'>\n<back-ends/></strata>",
           "plan.xml:2: <back-ends> is not known in <strata>; did you mean backends? expected "
           "<campaign>, <backends>, <device-layer>, <filesystem-layer>, <service-layer>, "
           "<user-layer>, <ladder>");
    refuse("<strata version='1'>\n<backends mode='x'/></strata>",
           "plan.xml:2: mode: <backends> has no attributes");
    refuse("<strata version='1'\nverbose='1'><backends/></strata>",
           "plan.xml:2: verbose: no such attribute of <strata>; expected version");
    refuse("<strata version='1' xmlns='urn:x'><backends/></strata>",
           "plan.xml:1: <strata>: namespaces are not expected");
    refuse("<strata version='1'><backends/><x:ladder xmlns:x='urn:x'/></strata>",
           "plan.xml:1: <ladder>: namespaces are not expected");
}

static void the_shape_of_the_file_is_checked(void)
{
    refuse("", "plan.xml: is empty, expected <strata version=\"1\">");
    refuse("  \n ", "plan.xml:2: Start tag expected, '<' not found");
    refuse("<stratum version='1'/>",
           "plan.xml:1: the root element is <stratum>, expected <strata version=\"1\">");
    refuse("\n<strata/>", "plan.xml:2: version: missing, expected version=\"1\"");
    refuse("<strata version='2'/>", "plan.xml:1: version: '2' is not 1");
    refuse("<strata version='1'/>", "plan.xml: <backends> is missing in <strata>");
    refuse("<strata version='1'><backends/>\n<backends/></strata>",
           "plan.xml:2: <backends> stands here a second time");
    refuse("<strata version='1'><campaign/>\n<campaign/><backends/></strata>",
           "plan.xml:2: <campaign> stands here a second time");
    refuse_workload("<iops><iops/></iops>", "<iops> stands in <iops>, which holds no elements");
    refuse_workload("fast please", "text 'fast please' is not expected, only elements");
    refuse_workload("<iops>x</iops>", "text 'x' is not expected, only elements");
    refuse_workload("<![CDATA[<iops/>]]>", "text '<iops/>' is not expected, only elements");
    refuse_workload("<iops depth='1' depth='2'/>", "Attribute depth redefined");
    refuse_workload("<iops depth='<'/>", "Unescaped '<' not allowed in attributes values");
    refuse("<strata version='1'><backends>\n<device name='d'>\n</backends></strata>",
           "plan.xml:3: Opening and ending tag mismatch: device line 2 and backends");
    refuse("<strata version='1'><backends/></strata>\n<strata version='1'/>",
           "plan.xml:2: Extra content at the end of the document");
}

static void elements_must_agree_with_each_other(void)
{
    refuse_backends("<device path='/x'/>",
                    "plan.xml:2: name: missing, <device> needs it (unique name)");
    refuse_backends("<device name='x'/>",
                    "plan.xml:2: path: missing, <device> needs it (block device or regular file, "
                    "opened with direct I/O)");
    refuse_backends(DEVICE "\n<filesystem name='d' path='/'/>",
                    "plan.xml:3: name: 'd' is the name of the back end in line 2 already");
    refuse_backends("<device name='e' path='/' twin-of='f' encryption='dm-crypt'/>",
                    "plan.xml:2: twin-of: no back end is called 'f'");
    refuse_backends("<device name='e' path='/' twin-of='e' encryption='dm-crypt'/>",
                    "plan.xml:2: twin-of: 'e' is this back end itself");
    refuse_backends(DEVICE "<filesystem name='e' path='/' twin-of='d' encryption='dm-crypt'/>",
                    "plan.xml:2: twin-of: 'd' is a <device>, not a <filesystem>");
    refuse_backends(DEVICE "<device name='e' path='/' twin-of='d' encryption='dm-crypt'/>\n"
                           "<device name='f' path='/' twin-of='e' encryption='dm-crypt'/>",
                    "plan.xml:3: twin-of: 'e' is a twin itself; expected a plain back end");
    refuse_backends(DEVICE "<swift name='s'/><swift name='t' twin-of='s'/>",
                    "plan.xml:2: encryption: a twin is encrypted; expected how, one of none server "
                    "client");
    refuse_backends(DEVICE "<filesystem name='f' path='/' stands-on='e'/>",
                    "plan.xml:2: stands-on: no back end is called 'e'");
    refuse_backends("<filesystem name='f' path='/' stands-on='f'/>",
                    "plan.xml:2: stands-on: 'f' is a <filesystem>; a <filesystem> stands on a back "
                    "end of a lower layer");
    refuse_backends("<swift name='s'/>\n<filesystem name='f' path='/' stands-on='s'/>",
                    "plan.xml:3: stands-on: 's' is a <swift>; a <filesystem> stands on a back end "
                    "of a lower layer");
    refuse_backends(DEVICE "<device name='e' path='/' stands-on='d'/>",
                    "plan.xml:2: stands-on: 'd' cannot be below a <device>, which is the lowest "
                    "layer; expected none");
    strata_plan_free(read_good("<strata version='1'><backends>" DEVICE
                               "<filesystem name='f' path='/' stands-on='d'/>"
                               "<swift name='s' stands-on='f'/><swift name='t' stands-on='d'/>"
                               "</backends></strata>"));
    refuse_workload("<iops backends='d e'/>", "backends: no back end is called 'e'");
    refuse("<strata version='1'><backends>" DEVICE "<swift name='s'/></backends><service-layer>\n"
           "<transfer backends='d'/></service-layer></strata>",
           "plan.xml:2: backends: 'd' is a <device>, expected a <swift>");
    refuse(
        "<strata version='1'><backends>" DEVICE
        "<device name='e' path='/' twin-of='d' encryption='dm-crypt'/></backends><device-layer>\n"
        "<iops backends='e'/></device-layer></strata>",
        "plan.xml:2: backends: 'e' is a twin and follows 'd'; name that one");
    refuse("<strata version='1'><backends>" DEVICE "</backends><user-layer>\n"
           "<file-types/></user-layer></strata>",
           "plan.xml:2: <file-types>: there is no <swift> back end to run it on");
    refuse("<strata version='1'><backends>" DEVICE "</backends>\n<ladder swift='d'/></strata>",
           "plan.xml:2: swift: 'd' is a <device>, expected a <swift>");
    strata_plan_free(read_good("<strata version='1'><backends/><device-layer>"
                               "<iops engine='null'/></device-layer></strata>"));
}

static void sweeps_are_bounded(void)
{
    char text[8192] = "<iops depth='";
    for (int i = 1; i <= 257; i++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d ", i);
    }
    snprintf(text + strlen(text), sizeof text - strlen(text), "'/>");
    refuse_workload(text, "depth: more than 256 values (in '1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 "
                          "17 18 19 20 21 22 23 24 25 26 27 28 29 30')");

    char wide[4096] = "<iops depth='";
    for (int i = 1; i <= 200; i++) {
        snprintf(wide + strlen(wide), sizeof wide - strlen(wide), "%d ", i);
    }
    snprintf(wide + strlen(wide), sizeof wide - strlen(wide), "' jobs='");
    for (int i = 1; i <= 26; i++) {
        snprintf(wide + strlen(wide), sizeof wide - strlen(wide), "%d ", i);
    }
    snprintf(wide + strlen(wide), sizeof wide - strlen(wide), "'/>");
    refuse_workload(wide, "<iops>: its lists make more than 10000 combinations");
}

static void entities_are_not_expanded(void)
{
    refuse("<!DOCTYPE strata [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;'>"
           "<!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;'>]>\n"
           "<strata version='1'><backends><device name='&c;' path='/'/></backends></strata>",
           "plan.xml:1: a DOCTYPE is not accepted");
    refuse("<?xml version='1.0'?>\n<!DOCTYPE strata [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>"
           "<strata version='1'><backends><device name='&x;' path='/'/></backends></strata>",
           "plan.xml:2: a DOCTYPE is not accepted");
    refuse("<!DOCTYPE strata SYSTEM 'http://127.0.0.1:9/x.dtd'>\n<strata version='1'/>",
           "plan.xml:1: a DOCTYPE is not accepted");
    refuse_workload("<iops depth='&x;'/>", "Entity 'x' not defined");
}

static void what_is_no_text_is_refused(void)
{
    static const char latin[] = "<strata version='1'><!-- caf\xe9 --></strata>";
    refuse(latin, "plan.xml: is not a text in UTF-8");
    static const char zero[] = "<strata version='1'>\0</strata>";
    expect_refusal(zero, sizeof zero - 1, "plan.xml: is not a text in UTF-8");
    static const char utf16[] = "\xff\xfe<\0s\0t\0r\0a\0t\0a\0/\0>\0";
    expect_refusal(utf16, sizeof utf16 - 1, "plan.xml: is not a text in UTF-8");

    struct strata_plan *plan = NULL;
    struct strata_error error = {0};
    CU_ASSERT_EQUAL(strata_plan_read("/tmp", &plan, &error), STRATA_USAGE);
    CU_ASSERT_STRING_EQUAL(error.text, "/tmp: cannot be read: Is a directory");
    CU_ASSERT_EQUAL(strata_plan_read("/nonexistent/plan.xml", &plan, &error), STRATA_USAGE);
    CU_ASSERT_STRING_EQUAL(error.text,
                           "/nonexistent/plan.xml: cannot be opened: No such file or directory");
    CU_ASSERT_EQUAL(strata_plan_read("", &plan, &error), STRATA_USAGE);
    CU_ASSERT_EQUAL(strata_plan_read("/dev/zero", &plan, &error), STRATA_USAGE);
    CU_ASSERT_STRING_EQUAL(error.text, "/dev/zero: is larger than 1 MiB");
    CU_ASSERT_PTR_NULL(plan);
}

static void size_and_depth_are_bounded(void)
{
    enum { LARGE = 2 << 20 };
    char *text = malloc(LARGE);
    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    memset(text, ' ', LARGE);
    static const char whole[] = "<strata version='1'><backends/></strata>";
    memcpy(text, whole, sizeof whole - 1);
    expect_refusal(text, LARGE, "plan.xml: is larger than 1 MiB");
    expect_refusal(text, (1 << 20) + 1, "plan.xml: is larger than 1 MiB");
    struct strata_plan *plan = NULL;
    struct strata_error error = {0};
    CU_ASSERT_EQUAL(read_bytes(text, 1 << 20, &plan, &error), STRATA_OK);
    strata_plan_free(plan);

    size_t length = 0;
    while (length + 3 < (1 << 20)) {
        memcpy(text + length, "<a>", 3);
        length += 3;
    }
    expect_refusal(text, length,
                   "plan.xml:1: the root element is <a>, expected <strata version=\"1\">");
    static const char open[] = "<strata version='1'><backends><device name='d' path='/'>";
    memcpy(text, open, sizeof open - 1);
    memset(text + sizeof open - 1, '<', 1);
    memcpy(text + sizeof open, "a>", 2);
    expect_refusal(text, 100, "plan.xml:1: <a> stands in <device>, which holds no elements");

    length = (size_t)snprintf(text, LARGE, "<strata version='1'><backends/>\n");
    for (int i = 0; i < 1001; i++) {
        length += (size_t)snprintf(text + length, LARGE - length, "<ladder/>\n");
    }
    length += (size_t)snprintf(text + length, LARGE - length, "</strata>");
    expect_refusal(text, length, "plan.xml:1002: <ladder>: more than 1000 elements of its kind");
    free(text);
}

static struct strata_plan *example(void)
{
    return read_good("<strata version='1'><backends><device name='d.1' path='/x'/><swift name='s'/>"
                     "</backends><device-layer><iops/><transfer depth='4'/></device-layer>"
                     "<service-layer><transfer/></service-layer></strata>");
}

static void overrides_reach_what_they_name(void)
{
    struct strata_plan *plan = example();
    struct strata_error error = {0};
    const struct strata_element *iops = &plan->workloads[0];
    const struct strata_element *device_transfer = &plan->workloads[1];
    const struct strata_element *transfer = &plan->workloads[2];
    CU_ASSERT_EQUAL(strata_plan_override(plan, "depth=2", &error), STRATA_OK);
    CU_ASSERT_EQUAL(strata_element_number(iops, "depth"), 2);
    CU_ASSERT_EQUAL(strata_element_number(device_transfer, "depth"), 2);
    CU_ASSERT_TRUE(strata_element_given(iops, "depth"));
    CU_ASSERT_EQUAL(strata_plan_override(plan, "iops.depth=1,8", &error), STRATA_OK);
    CU_ASSERT_EQUAL(strata_element_setting(iops, "depth")->count, 2);
    CU_ASSERT_EQUAL(strata_element_number(device_transfer, "depth"), 2);
    /* One name in two layers: where the option is. */
    CU_ASSERT_EQUAL(strata_plan_override(plan, "transfer.sizes=1k", &error), STRATA_OK);
    CU_ASSERT_EQUAL(strata_element_number(transfer, "sizes"), 1024);
    CU_ASSERT_EQUAL(strata_plan_override(plan, "campaign.pairs=3", &error), STRATA_OK);
    CU_ASSERT_EQUAL(strata_element_number(&plan->campaign, "pairs"), 3);
    /* A back end's name may hold points, a value equals signs. */
    CU_ASSERT_EQUAL(strata_plan_override(plan, "d.1.path=/a=b", &error), STRATA_OK);
    CU_ASSERT_STRING_EQUAL(strata_element_text(&plan->backends[0], "path"), "/a=b");
    CU_ASSERT_EQUAL(strata_plan_check(plan, &error), STRATA_OK);
    CU_ASSERT_EQUAL(strata_plan_override(plan, "name=same", &error), STRATA_OK);
    CU_ASSERT_EQUAL(strata_plan_check(plan, &error), STRATA_USAGE);
    strata_plan_free(plan);
}

static void wrong_overrides_are_named(void)
{
    static const char *const cases[][2] = {
        {"depth", "--set: 'depth' is not NAME.OPTION=VALUE or OPTION=VALUE"},
        {"depth=0", "--set: depth: 0 is below 1"},
        {"depth=", "--set: depth: '' names no value"},
        {"deepth=1", "--set: the plan has no option 'deepth'; did you mean depth?"},
        {"=1", "--set: the plan has no option ''"},
        {"iops.sizes=1", "--set: iops has no option 'sizes'"},
        {"metadata.files=1",
         "--set: 'metadata' is neither an element of the plan nor a back end's name"},
        {".depth=1", "--set: '' is neither an element of the plan nor a back end's name"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct strata_plan *plan = example();
        struct strata_error error = {0};
        CU_ASSERT_EQUAL(strata_plan_override(plan, cases[i][0], &error), STRATA_USAGE);
        CU_ASSERT_STRING_EQUAL(error.text, cases[i][1]);
        CU_ASSERT_EQUAL(strata_element_number(&plan->workloads[0], "depth"), 32);
        strata_plan_free(plan);
    }
}

static void a_plan_grows_from_the_command_line(void)
{
    struct strata_plan *plan = strata_plan_new("strata-device --plain /x");
    struct strata_error error = {0};
    CU_ASSERT_STRING_EQUAL(plan->source, "command line");
    CU_ASSERT_STRING_EQUAL(plan->text, "strata-device --plain /x");
    CU_ASSERT_EQUAL(strata_plan_check(plan, &error), STRATA_OK);
    const struct strata_element_type *type =
        strata_element_type_find(STRATA_ROLE_BACKEND, STRATA_LAYER_DEVICE, "device");
    for (int i = 0; i < 20; i++) {
        struct strata_element *device = strata_plan_add(plan, type);
        char name[16];
        snprintf(name, sizeof name, "d%d", i);
        CU_ASSERT_EQUAL(strata_element_set(device, "name", name, &error), STRATA_OK);
    }
    CU_ASSERT_EQUAL(strata_plan_check(plan, &error), STRATA_USAGE);
    CU_ASSERT_STRING_EQUAL(error.text, "path: missing, <device> needs it (block device or regular "
                                       "file, opened with direct I/O)");
    for (size_t i = 0; i < plan->backend_count; i++) {
        CU_ASSERT_EQUAL(strata_element_set(&plan->backends[i], "path", "/x", &error), STRATA_OK);
    }
    CU_ASSERT_EQUAL(strata_plan_check(plan, &error), STRATA_OK);
    CU_ASSERT_PTR_EQUAL(strata_plan_backend(plan, "d19"), &plan->backends[19]);
    CU_ASSERT_EQUAL(strata_element_set(&plan->backends[0], "deepth", "1", &error), STRATA_USAGE);
    CU_ASSERT_STRING_EQUAL(error.text, "no such option: deepth");
    CU_ASSERT_EQUAL(strata_element_set(&plan->backends[0], "path", "a\xff", &error), STRATA_USAGE);
    CU_ASSERT_STRING_EQUAL(error.text, "path: the value is not UTF-8");
    CU_ASSERT_STRING_EQUAL(strata_element_text(&plan->backends[0], "path"), "/x");
    CU_ASSERT_EQUAL(strata_element_set(&plan->backends[1], "name", "d0", &error), STRATA_OK);
    CU_ASSERT_EQUAL(strata_plan_check(plan, &error), STRATA_USAGE);
    CU_ASSERT_STRING_EQUAL(error.text, "name: two back ends are called 'd0'");
    strata_plan_free(plan);
    strata_plan_free(NULL);
}

/* Memory is there without being declared, once, and only where something runs in it. */
static void memory_is_implied(void)
{
    struct strata_plan *plan =
        read_good("<strata version='1'><backends/><device-layer><cipher/><key-derivation/>"
                  "</device-layer></strata>");
    CU_ASSERT_EQUAL_FATAL(plan->backend_count, 1);
    CU_ASSERT_STRING_EQUAL(plan->backends[0].type->name, "memory");
    CU_ASSERT_STRING_EQUAL(strata_element_text(&plan->backends[0], "name"), "memory");
    CU_ASSERT_PTR_NULL(strata_element_find_text(&plan->backends[0], "twin-of"));
    strata_plan_free(plan);

    plan = read_good("<strata version='1'><backends><memory name='ram'/></backends><device-layer>"
                     "<cipher backends='ram'/></device-layer></strata>");
    CU_ASSERT_EQUAL(plan->backend_count, 1);
    CU_ASSERT_STRING_EQUAL(strata_element_text(&plan->backends[0], "name"), "ram");
    strata_plan_free(plan);

    plan = read_good("<strata version='1'><backends>" DEVICE "</backends></strata>");
    CU_ASSERT_EQUAL(plan->backend_count, 1);
    strata_plan_free(plan);
    refuse("<strata version='1'><backends>" DEVICE
           "</backends><device-layer><cipher backends='d'/></device-layer></strata>",
           "plan.xml:1: backends: 'd' is a <device>, expected a <memory>");
    refuse("<strata version='1'><backends><memory name='m'/></backends><device-layer>"
           "<iops/></device-layer></strata>",
           "plan.xml:1: <iops>: there is no <device> back end to run it on");
    refuse("<strata version='1'><backends><memory name='m' twin-of='d'/>" DEVICE
           "</backends></strata>",
           "plan.xml:1: twin-of: no such attribute of <memory>; expected name");
}

static void help_lines_come_from_the_tables(void)
{
    struct strata_text text = {0};
    strata_option_write_help(
        strata_element_type_find(STRATA_ROLE_WORKLOAD, STRATA_LAYER_DEVICE, "transfer"), &text);
    CU_ASSERT_PTR_NOT_NULL(strstr(strata_text_string(&text),
                                  "  --block-size SIZE,...        bytes of one operation; 512 to "
                                  "64MiB (default:\n                               256KiB)\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(strata_text_string(&text), "  --op KIND,..."));
    CU_ASSERT_PTR_NOT_NULL(strstr(strata_text_string(&text), "(default: read,write)"));
    for (const char *line = strata_text_string(&text); *line != '\0';) {
        size_t length = strcspn(line, "\n");
        CU_ASSERT(length <= 80);
        line += length + 1;
    }
    strata_text_done(&text);
}

static const struct harness_test tests[] = {
    {"a good file becomes a plan", a_good_file_becomes_a_plan},
    {"the campaign has defaults without an element", the_campaign_has_defaults_without_an_element},
    {"every element type has sound defaults", every_element_type_has_sound_defaults},
    {"ready configurations are good", ready_configurations_are_good},
    {"wrong values are named", wrong_values_are_named},
    {"the line is the attribute's own", the_line_is_the_attributes_own},
    {"sets and rivals are checked", sets_and_rivals_are_checked},
    {"unknown names are refused with those expected",
     unknown_names_are_refused_with_those_expected},
    {"the shape of the file is checked", the_shape_of_the_file_is_checked},
    {"elements must agree with each other", elements_must_agree_with_each_other},
    {"sweeps are bounded", sweeps_are_bounded},
    {"entities are not expanded", entities_are_not_expanded},
    {"what is no text is refused", what_is_no_text_is_refused},
    {"size and depth are bounded", size_and_depth_are_bounded},
    {"overrides reach what they name", overrides_reach_what_they_name},
    {"wrong overrides are named", wrong_overrides_are_named},
    {"a plan grows from the command line", a_plan_grows_from_the_command_line},
    {"memory is implied", memory_is_implied},
    {"help lines come from the tables", help_lines_come_from_the_tables},
};

HARNESS_MAIN("plan", tests)
