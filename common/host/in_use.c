/* Who uses a device: asked of the kernel's own tables, since one overlooked user means lost data.
 *
 * Always holds: devices are compared by number, whatever name leads to them; a device counts as in
 * use when a part of it, or the whole of which it is a part, is. What cannot be seen from here (a
 * mount in a hidden namespace) shows when the guard opens the device exclusively. */
#include "common/host/in_use.h"

#include "common/base/memory.h"
#include "common/host/dmcrypt.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* What is looked for: a file by its inode, or device numbers. */
struct subject {
    const struct stat *found;
    dev_t *numbers; /* the device, its partitions, its disk; none for a file */
    size_t count;
    size_t capacity;
};

/* The place for a finding. */
struct finding {
    char *text;
    size_t size;
};

static bool report(const struct finding *finding, const char *what, const char *detail)
{
    (void)snprintf(finding->text, finding->size, "%s%s", what, detail);
    return true;
}

static bool has_number(const struct subject *subject, dev_t number)
{
    for (size_t i = 0; i < subject->count; i++) {
        if (subject->numbers[i] == number) {
            return true;
        }
    }
    return false;
}

static bool is_subject(const struct subject *subject, const struct stat *other)
{
    if (S_ISBLK(other->st_mode)) {
        return has_number(subject, other->st_rdev);
    }
    return S_ISREG(subject->found->st_mode) && S_ISREG(other->st_mode) &&
           subject->found->st_dev == other->st_dev && subject->found->st_ino == other->st_ino;
}

static bool path_is_subject(const struct subject *subject, const char *path)
{
    struct stat other;
    return stat(path, &other) == 0 && is_subject(subject, &other);
}

/* The first line of a small file, without its newline. */
static bool read_line(const char *path, char *line, size_t size)
{
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return false;
    }
    bool got = fgets(line, (int)size, file) != NULL;
    (void)fclose(file);
    if (got) {
        line[strcspn(line, "\n")] = '\0';
    }
    return got;
}

/* "8:16" as a device number. */
static bool parse_number(const char *text, dev_t *ret_number)
{
    unsigned major_number;
    unsigned minor_number;
    if (sscanf(text, "%u:%u", &major_number, &minor_number) != 2) {
        return false;
    }
    *ret_number = makedev(major_number, minor_number);
    return true;
}

/* Add the number that stands in the file `dev` of a directory of sysfs. */
static void add_number(struct subject *subject, const char *dev_file)
{
    char line[32];
    dev_t number;
    if (read_line(dev_file, line, sizeof(line)) && parse_number(line, &number) &&
        !has_number(subject, number)) {
        void *numbers = subject->numbers;
        strata_memory_grow(&numbers, &subject->capacity, subject->count + 1, sizeof(dev_t));
        subject->numbers = numbers;
        subject->numbers[subject->count++] = number;
    }
}

static void add_device_family(struct subject *subject)
{
    dev_t number = subject->found->st_rdev;
    char directory[64];
    char path[sizeof(directory) + NAME_MAX + 16];
    (void)snprintf(directory, sizeof(directory), "/sys/dev/block/%u:%u", major(number),
                   minor(number));
    (void)snprintf(path, sizeof(path), "%s/dev", directory);
    add_number(subject, path);
    (void)snprintf(path, sizeof(path), "%s/partition", directory);
    if (access(path, F_OK) == 0) {
        (void)snprintf(path, sizeof(path), "%s/../dev", directory);
        add_number(subject, path);
        return;
    }
    DIR *parts = opendir(directory);
    for (struct dirent *part; parts != NULL && (part = readdir(parts)) != NULL;) {
        (void)snprintf(path, sizeof(path), "%s/%s/partition", directory, part->d_name);
        if (access(path, F_OK) == 0) {
            (void)snprintf(path, sizeof(path), "%s/%s/dev", directory, part->d_name);
            add_number(subject, path);
        }
    }
    if (parts != NULL) {
        (void)closedir(parts);
    }
}

/* Undo the kernel's octal escapes ("\040") in place. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; to++) {
        if (from[0] == '\\' && isdigit((unsigned char)from[1]) && isdigit((unsigned char)from[2]) &&
            isdigit((unsigned char)from[3])) {
            *to = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
            from += 4;
        } else {
            *to = *from++;
        }
    }
    *to = '\0';
}

/* One line of mountinfo: "27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw". */
static bool mount_uses(const struct subject *subject, char *line, const struct finding *finding)
{
    char *fields[5] = {NULL};
    char *rest = line;
    for (size_t i = 0; i < 5; i++) {
        fields[i] = strsep(&rest, " ");
    }
    char *tail = rest == NULL ? NULL : strstr(rest, " - ");
    dev_t number;
    bool uses =
        fields[2] != NULL && parse_number(fields[2], &number) && has_number(subject, number);
    if (!uses && tail != NULL) {
        /* File systems over several devices (btrfs) show a number of no device, but a source. */
        char *after = tail + 3;
        (void)strsep(&after, " ");
        char *source = after == NULL ? NULL : strsep(&after, " ");
        if (source != NULL && source[0] == '/') {
            unescape(source);
            uses = path_is_subject(subject, source);
        }
    }
    if (!uses || fields[4] == NULL) {
        return false;
    }
    unescape(fields[4]);
    return report(finding, "mounted at ", fields[4]);
}

static bool mounts_use(const struct subject *subject, const char *mountinfo,
                       const struct finding *finding)
{
    FILE *file = fopen(mountinfo, "re");
    if (file == NULL) {
        return false;
    }
    char *line = NULL;
    size_t capacity = 0;
    bool uses = false;
    while (!uses && getline(&line, &capacity, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        uses = mount_uses(subject, line, finding);
    }
    free(line);
    (void)fclose(file);
    return uses;
}

static bool swap_uses(const struct subject *subject, const struct finding *finding)
{
    FILE *file = fopen("/proc/swaps", "re");
    if (file == NULL) {
        return false;
    }
    char *line = NULL;
    size_t capacity = 0;
    bool uses = false;
    while (!uses && getline(&line, &capacity, file) > 0) {
        line[strcspn(line, " \t\n")] = '\0';
        unescape(line);
        uses = path_is_subject(subject, line) && report(finding, "swap space: ", line);
    }
    free(line);
    (void)fclose(file);
    return uses;
}

/* "held by dm-0 (strata-1a2b3c4d)": a device-mapper device has a name that says more. */
static bool report_holder(const struct finding *finding, const char *holder)
{
    char path[NAME_MAX + 64];
    char name[128];
    char detail[NAME_MAX + 256];
    (void)snprintf(path, sizeof(path), "/sys/class/block/%s/dm/name", holder);
    bool mapped = read_line(path, name, sizeof(name));
    bool ours = mapped && strncmp(name, STRATA_DMCRYPT_PREFIX, strlen(STRATA_DMCRYPT_PREFIX)) == 0;
    (void)snprintf(detail, sizeof(detail), "%s%s%s%s%s", holder, mapped ? " (" : "",
                   mapped ? name : "",
                   ours ? ", a mapping of Strata's, at work or left by a killed run: 'cryptsetup "
                          "close' removes it"
                        : "",
                   mapped ? ")" : "");
    return report(finding, "held by ", detail);
}

static bool holders_use(const struct subject *subject, const struct finding *finding)
{
    bool uses = false;
    for (size_t i = 0; !uses && i < subject->count; i++) {
        char path[64];
        (void)snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/holders",
                       major(subject->numbers[i]), minor(subject->numbers[i]));
        DIR *holders = opendir(path);
        for (struct dirent *holder;
             !uses && holders != NULL && (holder = readdir(holders)) != NULL;) {
            uses = holder->d_name[0] != '.' && report_holder(finding, holder->d_name);
        }
        if (holders != NULL) {
            (void)closedir(holders);
        }
    }
    return uses;
}

/* Whether the loop device of that name lies over the subject. The kernel is asked for the inode,
 * as the path may lead elsewhere by now; the path serves where the device may not be opened. */
static bool loop_uses(const struct subject *subject, const char *name)
{
    char path[NAME_MAX + 64];
    (void)snprintf(path, sizeof(path), "/dev/%s", name);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0) {
        struct loop_info64 info;
        bool told = ioctl(fd, LOOP_GET_STATUS64, &info) == 0;
        close(fd);
        if (told && has_number(subject, (dev_t)info.lo_rdevice)) {
            return true;
        }
        if (told && S_ISREG(subject->found->st_mode) && info.lo_inode == subject->found->st_ino &&
            (dev_t)info.lo_device == subject->found->st_dev) {
            return true;
        }
    }
    char backing[4096];
    (void)snprintf(path, sizeof(path), "/sys/block/%s/loop/backing_file", name);
    return read_line(path, backing, sizeof(backing)) && path_is_subject(subject, backing);
}

static bool loops_use(const struct subject *subject, const struct finding *finding)
{
    DIR *disks = opendir("/sys/block");
    bool uses = false;
    for (struct dirent *disk; !uses && disks != NULL && (disk = readdir(disks)) != NULL;) {
        char path[NAME_MAX + 64];
        (void)snprintf(path, sizeof(path), "/sys/block/%s/loop/backing_file", disk->d_name);
        uses = access(path, F_OK) == 0 && loop_uses(subject, disk->d_name) &&
               report(finding, "the storage of loop device ", disk->d_name);
    }
    if (disks != NULL) {
        (void)closedir(disks);
    }
    return uses;
}

/* Whether file descriptor `name` of the process allows writing. */
static bool open_for_writing(const char *process, const char *name)
{
    char path[2 * NAME_MAX + 32];
    (void)snprintf(path, sizeof(path), "/proc/%s/fdinfo/%s", process, name);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return false;
    }
    char line[128];
    unsigned flags = 0;
    while (fgets(line, sizeof(line), file) != NULL && sscanf(line, "flags: %o", &flags) != 1) {
    }
    (void)fclose(file);
    return (flags & O_ACCMODE) != O_RDONLY;
}

static bool process_uses(const struct subject *subject, const char *process,
                         const struct finding *finding)
{
    char directory[NAME_MAX + 16];
    (void)snprintf(directory, sizeof(directory), "/proc/%s/fd", process);
    DIR *files = opendir(directory);
    bool uses = false;
    for (struct dirent *file; !uses && files != NULL && (file = readdir(files)) != NULL;) {
        char path[sizeof(directory) + NAME_MAX + 1];
        (void)snprintf(path, sizeof(path), "%s/%s", directory, file->d_name);
        uses = file->d_name[0] != '.' && path_is_subject(subject, path) &&
               open_for_writing(process, file->d_name);
    }
    if (files != NULL) {
        (void)closedir(files);
    }
    if (uses) {
        char path[NAME_MAX + 16];
        char command[64] = "?";
        char detail[NAME_MAX + 96];
        (void)snprintf(path, sizeof(path), "/proc/%s/comm", process);
        (void)read_line(path, command, sizeof(command));
        (void)snprintf(detail, sizeof(detail), "%s (%s)", process, command);
        (void)report(finding, "open for writing in process ", detail);
    }
    return uses;
}

/* Every process: its mounts, once for each mount namespace, and its open files. */
static bool processes_use(const struct subject *subject, const struct finding *finding)
{
    DIR *processes = opendir("/proc");
    ino_t *seen = NULL;
    size_t seen_count = 0;
    size_t seen_capacity = 0;
    bool uses = false;
    for (struct dirent *process;
         !uses && processes != NULL && (process = readdir(processes)) != NULL;) {
        if (!isdigit((unsigned char)process->d_name[0])) {
            continue;
        }
        char path[NAME_MAX + 32];
        struct stat space;
        (void)snprintf(path, sizeof(path), "/proc/%s/ns/mnt", process->d_name);
        bool fresh = stat(path, &space) == 0;
        for (size_t i = 0; fresh && i < seen_count; i++) {
            fresh = seen[i] != space.st_ino;
        }
        if (fresh) {
            void *items = seen;
            strata_memory_grow(&items, &seen_capacity, seen_count + 1, sizeof(ino_t));
            seen = items;
            seen[seen_count++] = space.st_ino;
            (void)snprintf(path, sizeof(path), "/proc/%s/mountinfo", process->d_name);
            uses = mounts_use(subject, path, finding);
        }
        if (!uses && strtol(process->d_name, NULL, 10) != (long)getpid()) {
            uses = process_uses(subject, process->d_name, finding);
        }
    }
    free(seen);
    if (processes != NULL) {
        (void)closedir(processes);
    }
    return uses;
}

bool strata_in_use(const struct stat *found, char *ret_finding, size_t size)
{
    struct subject subject = {.found = found};
    struct finding finding = {.text = ret_finding, .size = size};
    if (S_ISBLK(found->st_mode)) {
        add_device_family(&subject);
    }
    bool uses = mounts_use(&subject, "/proc/self/mountinfo", &finding) ||
                swap_uses(&subject, &finding) || holders_use(&subject, &finding) ||
                loops_use(&subject, &finding) || processes_use(&subject, &finding);
    free(subject.numbers);
    return uses;
}
