#include "common/host/facts.h"

#include "common/host/host_id.h"
#include "common/host/mount.h"
#include "tests/unit/fake_root.h"
#include "tests/unit/harness.h"

#include <gnu/libc-version.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The authors' vectors for lengths 0, 1, 15 and 63; `openssl mac SIPHASH` gives the same. */
static void hash_as_published(void)
{
    static const struct {
        size_t length;
        uint8_t hash[16];
    } vectors[] = {
        {0,
         {0xa3, 0x81, 0x7f, 0x04, 0xba, 0x25, 0xa8, 0xe6, 0x6d, 0xf6, 0x72, 0x14, 0xc7, 0x55, 0x02,
          0x93}},
        {1,
         {0xda, 0x87, 0xc1, 0xd8, 0x6b, 0x99, 0xaf, 0x44, 0x34, 0x76, 0x59, 0x11, 0x9b, 0x22, 0xfc,
          0x45}},
        {15,
         {0x54, 0x93, 0xe9, 0x99, 0x33, 0xb0, 0xa8, 0x11, 0x7e, 0x08, 0xec, 0x0f, 0x97, 0xcf, 0xc3,
          0xd9}},
        {63,
         {0x51, 0x50, 0xd1, 0x77, 0x2f, 0x50, 0x83, 0x4a, 0x50, 0x3e, 0x06, 0x9a, 0x97, 0x3f, 0xbd,
          0x7c}},
    };
    uint8_t bytes[64];
    for (uint8_t i = 0; i < 64; i++) {
        bytes[i] = i;
    }
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        uint8_t hash[16];
        strata_host_id_hash(bytes, bytes, vectors[i].length, hash);
        CU_ASSERT_EQUAL(memcmp(hash, vectors[i].hash, sizeof hash), 0);
    }
}

static void memory_names_the_kernels_drivers(void)
{
    struct strata_text text = {0};
    fake_begin();
    fake_file("/proc/crypto", "name         : xts(aes)\ndriver       : xts-aes-aesni\n"
                              "priority     : 401\n\nname         : chacha20\n"
                              "driver       : chacha20-simd\npriority     : 300\n\n");
    strata_facts_memory(fake_root, &text);
    CU_ASSERT_STRING_EQUAL(strata_text_string(&text),
                           "{\"kernel_ciphers\": {\"chacha20\": \"chacha20-simd\", "
                           "\"xts(aes)\": \"xts-aes-aesni\"}}");
    strata_text_done(&text);
    fake_end();
}

static void host_id(void)
{
    char first[33];
    char second[33];
    char machine[64] = "";
    strata_facts_host_id(first);
    strata_facts_host_id(second);
    CU_ASSERT_STRING_EQUAL(first, second);
    CU_ASSERT_EQUAL(strspn(first, "0123456789abcdef"), 32);
    FILE *file = fopen("/etc/machine-id", "re");
    if (file != NULL) {
        CU_ASSERT_PTR_NOT_NULL(fgets(machine, sizeof machine, file));
        CU_ASSERT_NOT_EQUAL(strncmp(machine, first, 32), 0);
        (void)fclose(file);
    }
}

/* What an independent JSON reader finds at `filter`; jq also fails on anything that is not JSON. */
static void expect(const char *document, const char *filter, const char *wanted)
{
    char path[] = "/tmp/strata-facts.XXXXXX";
    char command[512];
    char line[512] = "";
    int descriptor = mkstemp(path);
    CU_ASSERT_FATAL(descriptor >= 0);
    CU_ASSERT_EQUAL(write(descriptor, document, strlen(document)), (ssize_t)strlen(document));
    (void)close(descriptor);
    snprintf(command, sizeof command, "jq -r '%s' %s", filter, path);
    FILE *pipe = popen(command, "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(pipe);
    CU_ASSERT_PTR_NOT_NULL(fgets(line, sizeof line, pipe));
    CU_ASSERT_EQUAL(pclose(pipe), 0);
    (void)unlink(path);
    line[strcspn(line, "\n")] = '\0';
    CU_ASSERT_STRING_EQUAL(line, wanted);
}

static void environment(void)
{
    struct strata_text text = {0};
    struct utsname system;
    char cores[16];
    char host[256] = "";
    strata_facts_environment(&text);
    CU_ASSERT_EQUAL(uname(&system), 0);
    snprintf(cores, sizeof cores, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    expect(strata_text_string(&text), ".kernel", system.release);
    expect(strata_text_string(&text), ".cores", cores);
    expect(strata_text_string(&text), ".strata", STRATA_VERSION);
    expect(strata_text_string(&text), "keys_unsorted == keys and (.memory_bytes > 0)", "true");
    expect(strata_text_string(&text), ".libraries.libc", gnu_get_libc_version());
    (void)gethostname(host, sizeof host - 1);
    if (strlen(host) > 3) {
        CU_ASSERT_PTR_NULL(strstr(strata_text_string(&text), host));
    }
    strata_text_done(&text);
}

static void equal_facts_are_equal_texts(void)
{
    struct strata_text first = {0};
    struct strata_text second = {0};
    strata_facts_environment(&first);
    strata_facts_environment(&second);
    CU_ASSERT_STRING_EQUAL(strata_text_string(&first), strata_text_string(&second));
    strata_text_done(&first);
    strata_text_done(&second);
}

static void storage(void)
{
    struct strata_text text = {0};
    char type[64] = "";
    FILE *pipe = popen("stat -f -c %T /proc", "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(pipe);
    CU_ASSERT_PTR_NOT_NULL(fgets(type, sizeof type, pipe));
    (void)pclose(pipe);
    type[strcspn(type, "\n")] = '\0';
    strata_facts_storage("/proc", &text);
    expect(strata_text_string(&text), ".filesystem", type);
    expect(strata_text_string(&text), "has(\"stack\")", "false");
    strata_text_done(&text);

    struct strata_text here = {0};
    strata_facts_storage(".", &here);
    expect(strata_text_string(&here), "keys_unsorted == keys", "true");
    strata_text_done(&here);

    struct strata_text none = {0};
    strata_facts_storage("/nonexistent", &none);
    CU_ASSERT_STRING_EQUAL(strata_text_string(&none), "{}");
    strata_text_done(&none);
}

static void mounts(void)
{
    struct strata_mount mount;
    CU_ASSERT_TRUE(strata_mount_find("/proc/self", &mount));
    CU_ASSERT_STRING_EQUAL(mount.type, "proc");
    CU_ASSERT_FALSE(strata_mount_find("/nonexistent", &mount));
    char field[] = "/a\\040b\\134\\011c\\0";
    strata_mount_unescape(field);
    CU_ASSERT_STRING_EQUAL(field, "/a b\\\tc\\0");
}

static const struct harness_test tests[] = {
    {"memory names the kernel's drivers", memory_names_the_kernels_drivers},
    {"SipHash as its authors publish it", hash_as_published},
    {"a host's id is stable and not its machine id", host_id},
    {"facts about the machine", environment},
    {"equal facts are equal texts", equal_facts_are_equal_texts},
    {"facts about a path's storage", storage},
    {"mounts and their escapes", mounts},
};
HARNESS_MAIN("facts", tests)
