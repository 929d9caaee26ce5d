/* Facts that a number cannot be read without: the machine, its kernel, the libraries at work, and
 * what a path's storage is made of.
 *
 * Always holds: one JSON object, keys sorted, so that equal facts are equal texts; nothing that
 * names the host, its user or a secret. Libraries are asked through the dynamic linker, so that
 * their headers stay in the one place that uses them. */
#include "common/host/facts.h"

#include "common/base/json.h"
#include "common/host/kernel_cipher.h"
#include "common/host/kernel_file.h"
#include "common/host/mount.h"
#include "common/host/stack.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

static void member(struct strata_text *out, const char *name, const char *value)
{
    if (value[0] != '\0') {
        strata_json_name(out, name);
        strata_json_string(out, value);
    }
}

static void number_member(struct strata_text *out, const char *name, uint64_t value)
{
    strata_json_name(out, name);
    strata_text_format(out, "%" PRIu64, value);
}

/* ---- the machine ---- */

/* The value after "KEY", up to the end of its line, in a file of lines; "" when there is none. */
static void find_line(const char *path, const char *key, char *ret_value, size_t size)
{
    char *line = NULL;
    size_t capacity = 0;
    FILE *file = fopen(path, "re");
    ret_value[0] = '\0';
    while (file != NULL && getline(&line, &capacity, file) > 0) {
        if (strncmp(line, key, strlen(key)) == 0) {
            const char *value = line + strlen(key);
            value += strspn(value, " \t:=\"");
            snprintf(ret_value, size, "%.*s", (int)strcspn(value, "\"\n"), value);
            break;
        }
    }
    free(line);
    if (file != NULL) {
        (void)fclose(file);
    }
}

/* The hypervisor's own signature, from processor or firmware; "none" on bare metal. */
static void find_hypervisor(char *ret_name, size_t size)
{
#if defined(__x86_64__) || defined(__i386__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    const unsigned hypervisor_present = 1U << 31;
    if (__get_cpuid(1, &a, &b, &c, &d) != 0) {
        char signature[13] = {0};
        if ((c & hypervisor_present) == 0) {
            snprintf(ret_name, size, "none");
            return;
        }
        __cpuid(0x40000000, a, b, c, d);
        memcpy(signature, &b, 4);
        memcpy(signature + 4, &c, 4);
        memcpy(signature + 8, &d, 4);
        snprintf(ret_name, size, "%s", signature);
        return;
    }
#endif
    strata_kernel_file_read(ret_name, size, "/sys/hypervisor/type");
}

static void append_version(struct strata_text *out, const char *library, const char *function)
{
    const char *(*version)(void) = NULL;
    void *symbol = dlsym(RTLD_DEFAULT, function);
    if (symbol != NULL) {
        memcpy(&version, &symbol, sizeof version);
        member(out, library, version());
    }
}

/* libcurl's names those that it stands on too, OpenSSL for one. */
static void append_libraries(struct strata_text *out)
{
    strata_json_name(out, "libraries");
    strata_text_append(out, "{");
    member(out, "libc", gnu_get_libc_version());
    append_version(out, "libcurl", "curl_version");
    append_version(out, "sqlite", "sqlite3_libversion");
    strata_text_append(out, "}");
}

void strata_facts_environment(struct strata_text *out)
{
    char text[256];
    struct utsname system = {0};
    (void)uname(&system);
    strata_text_append(out, "{");
    number_member(out, "cores", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
    find_line("/etc/os-release", "PRETTY_NAME", text, sizeof text);
    member(out, "distribution", text);
    strata_kernel_file_read(text, sizeof text,
                            "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    member(out, "governor", text);
    find_hypervisor(text, sizeof text);
    member(out, "hypervisor", text);
    member(out, "kernel", system.release);
    append_libraries(out);
    member(out, "machine", system.machine);
    number_member(out, "memory_bytes",
                  (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE));
    find_line("/proc/cpuinfo", "model name", text, sizeof text);
    member(out, "processor", text);
    member(out, "strata", STRATA_VERSION);
    strata_text_append(out, "}");
}

void strata_facts_memory(const char *root, struct strata_text *out)
{
    static const char *const algorithms[] = {"cbc(aes)", "chacha20", "xts(aes)"};
    strata_text_append(out, "{");
    strata_json_name(out, "kernel_ciphers");
    strata_text_append(out, "{");
    for (size_t i = 0; i < sizeof algorithms / sizeof algorithms[0]; i++) {
        char driver[64];
        strata_kernel_cipher_driver(root, algorithms[i], driver, sizeof driver);
        member(out, algorithms[i], driver);
    }
    strata_text_append(out, "}}");
}

/* ---- a path's storage ---- */

static void append_stack(struct strata_text *out, const char *name, unsigned depth)
{
    struct strata_stack_below below;
    strata_stack_find_below("", name, &below);
    if (out->bytes[out->length - 1] != '[') {
        strata_text_append(out, ", ");
    }
    strata_json_string(out, name);
    for (size_t i = 0; i < below.count && depth < STRATA_STACK_DEPTH; i++) {
        append_stack(out, below.names[i], depth + 1);
    }
}

/* The attribute of the device, or of the disk that it is a partition of. */
static void attribute(const char *name, const char *file, char *ret_text, size_t size)
{
    if (!strata_kernel_file_read(ret_text, size, "/sys/class/block/%s/%s", name, file)) {
        strata_kernel_file_read(ret_text, size, "/sys/class/block/%s/../%s", name, file);
    }
}

static void append_attribute(struct strata_text *out, const char *key, const char *name,
                             const char *file)
{
    char text[256];
    attribute(name, file, text, sizeof text);
    text[strcspn(text, "\n")] = '\0';
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ') {
        text[--length] = '\0';
    }
    member(out, key, text);
}

static void append_number_attribute(struct strata_text *out, const char *key, const char *name,
                                    const char *file)
{
    uint64_t value = 0;
    if (strata_kernel_file_number(&value, "/sys/class/block/%s/%s", name, file) ||
        strata_kernel_file_number(&value, "/sys/class/block/%s/../%s", name, file)) {
        number_member(out, key, value);
    }
}

static void append_size(struct strata_text *out, const char *name)
{
    uint64_t sectors = 0;
    if (strata_kernel_file_number(&sectors, "/sys/class/block/%s/size", name)) {
        number_member(out, "size_bytes", sectors * 512);
    }
}

/* "none [mq-deadline] kyber": the one in brackets is at work. */
static void append_scheduler(struct strata_text *out, const char *name)
{
    char text[256];
    attribute(name, "queue/scheduler", text, sizeof text);
    char *chosen = strchr(text, '[');
    if (chosen != NULL) {
        chosen[strcspn(chosen, "]")] = '\0';
        member(out, "scheduler", chosen + 1);
    } else {
        member(out, "scheduler", text);
    }
}

void strata_facts_storage(const char *path, struct strata_text *out)
{
    struct stat status;
    struct strata_mount mount;
    char name[STRATA_STACK_NAME];
    char number[32];
    strata_text_append(out, "{");
    if (stat(path, &status) != 0) {
        strata_text_append(out, "}");
        return;
    }
    bool device = S_ISBLK(status.st_mode);
    bool mounted = !device && strata_mount_find(path, &mount);
    bool known = strata_stack_device_of("", path, name);
    dev_t id = device ? status.st_rdev : status.st_dev;
    snprintf(number, sizeof number, "%u:%u", major(id), minor(id));
    member(out, "device", known ? name : "");
    member(out, "device_number", number);
    if (mounted) {
        member(out, "filesystem", mount.type);
    }
    if (known) {
        append_number_attribute(out, "logical_block_bytes", name, "queue/logical_block_size");
        append_attribute(out, "model", name, "device/model");
    }
    if (mounted) {
        member(out, "mount_options", mount.options);
    }
    if (known) {
        append_number_attribute(out, "physical_block_bytes", name, "queue/physical_block_size");
        append_number_attribute(out, "rotational", name, "queue/rotational");
        append_scheduler(out, name);
        append_size(out, name);
        strata_json_name(out, "stack");
        strata_text_append(out, "[");
        append_stack(out, name, 0);
        strata_text_append(out, "]");
    }
    strata_text_append(out, "}");
}
