/* The kernel's facilities: files of /proc, /sys and /dev, and one system call that only fails. */
#include "layers/suite/probes.h"

#include "common/host/dmcrypt.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Whether a line of the file has `word` as its last word. */
static bool file_names(const char *path, const char *word)
{
    FILE *file = fopen(path, "re");
    char line[256];
    bool found = false;
    while (file != NULL && !found && fgets(line, sizeof(line), file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        const char *last = strrchr(line, ' ');
        const char *tab = strrchr(line, '\t');
        last = tab > last ? tab : last;
        found = strcmp(last != NULL ? last + 1 : line, word) == 0;
    }
    if (file != NULL) {
        fclose(file);
    }
    return found;
}

static bool first_line(const char *path, char *line, size_t size)
{
    FILE *file = fopen(path, "re");
    bool there = file != NULL && fgets(line, (int)size, file) != NULL;
    if (there) {
        line[strcspn(line, "\n")] = '\0';
    }
    if (file != NULL) {
        fclose(file);
    }
    return there;
}

static bool look_loop(char *detail, size_t size)
{
    (void)detail;
    (void)size;
    return access("/dev/loop-control", F_OK) == 0;
}

static bool look_device_mapper(char *detail, size_t size)
{
    (void)detail;
    (void)size;
    return file_names("/proc/misc", "device-mapper");
}

static bool look_xfs(char *detail, size_t size)
{
    (void)detail;
    (void)size;
    return file_names("/proc/filesystems", "xfs");
}

static bool look_fscrypt(char *detail, size_t size)
{
    (void)detail;
    (void)size;
    return access("/sys/fs/ext4/features/encryption", F_OK) == 0;
}

static bool look_fuse(char *detail, size_t size)
{
    (void)detail;
    (void)size;
    return access("/dev/fuse", R_OK | W_OK) == 0;
}

/* With no parameters the call must fail: EFAULT where it is there, ENOSYS or EPERM where not. */
static bool look_uring(char *detail, size_t size)
{
    errno = 0;
    long outcome = syscall(SYS_io_uring_setup, 1, NULL);
    bool there = outcome < 0 && errno == EFAULT;
    if (!there) {
        snprintf(detail, size, "io_uring_setup: %s", strerror(errno));
    }
    return there;
}

static bool look_aio(char *detail, size_t size)
{
    char most[32];
    char used[32];
    if (!first_line("/proc/sys/fs/aio-max-nr", most, sizeof(most)) ||
        !first_line("/proc/sys/fs/aio-nr", used, sizeof(used))) {
        return false;
    }
    snprintf(detail, size, "%s of %s requests in use", used, most);
    return strtoull(used, NULL, 10) < strtoull(most, NULL, 10);
}

static bool look_pressure(char *detail, size_t size)
{
    (void)detail;
    (void)size;
    char line[128];
    return first_line("/proc/pressure/cpu", line, sizeof(line));
}

/* Good when there is none. Runs that go on have theirs, too: which is which only the user knows. */
static bool look_mappings(char *detail, size_t size)
{
    DIR *disks = opendir("/sys/block");
    size_t length = 0;
    for (struct dirent *disk; disks != NULL && (disk = readdir(disks)) != NULL;) {
        char path[sizeof(disk->d_name) + 32];
        char name[128];
        snprintf(path, sizeof(path), "/sys/block/%s/dm/name", disk->d_name);
        if (first_line(path, name, sizeof(name)) &&
            strncmp(name, STRATA_DMCRYPT_PREFIX, strlen(STRATA_DMCRYPT_PREFIX)) == 0 &&
            length < size) {
            length += (size_t)snprintf(detail + length, size - length, "%s%s",
                                       length > 0 ? " " : "", name);
        }
    }
    if (disks != NULL) {
        closedir(disks);
    }
    return length == 0;
}

const struct suite_probe suite_probes[] = {
    {"loop devices", look_loop, "files as disks, in 'make run' and the tests"},
    {"device-mapper", look_device_mapper, "dm-crypt volumes"},
    {"no mapping left", look_mappings,
     "those of killed runs hold their device: 'cryptsetup close' removes one"},
    {"XFS", look_xfs, "the plain file system of 'make run'"},
    {"fscrypt", look_fscrypt, "encrypted directories on ext4"},
    {"FUSE", look_fuse, "gocryptfs"},
    {"io_uring", look_uring, "--engine uring"},
    {"asynchronous I/O", look_aio, "--engine aio"},
    {"pressure (PSI)", look_pressure, "waiting for CPU, I/O and memory, stored with each run"},
    {NULL, NULL, NULL},
};

bool suite_find_program(const char *name)
{
    const char *path = getenv("PATH");
    const char *const lists[] = {path != NULL ? path : "", "/usr/local/sbin:/usr/sbin:/sbin"};
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        for (const char *at = lists[i]; *at != '\0';) {
            size_t length = strcspn(at, ":");
            char candidate[4096];
            snprintf(candidate, sizeof(candidate), "%.*s/%s", (int)length, at, name);
            if (length > 0 && access(candidate, X_OK) == 0) {
                return true;
            }
            at += length + (at[length] == ':');
        }
    }
    return false;
}
