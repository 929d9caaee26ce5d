/* What a block device stands on, as sysfs draws it.
 *
 * Always holds: one step at a time, so that a walker sees branches (RAID legs) and can bound its
 * depth; devices are known by the kernel's name, found by number, never by the path's spelling. */
#include "common/host/stack.h"

#include "common/host/kernel_file.h"
#include "common/host/mount.h"

#include <dirent.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

static bool copy_name(char to[STRATA_STACK_NAME], const char *name)
{
    return (size_t)snprintf(to, STRATA_STACK_NAME, "%s", name) < STRATA_STACK_NAME;
}

static bool device_by_number(const char *root, dev_t device, char ret_name[STRATA_STACK_NAME])
{
    char link[STRATA_KERNEL_PATH_BYTES];
    char target[PATH_MAX];
    snprintf(link, sizeof link, "%s/sys/dev/block/%u:%u", root, major(device), minor(device));
    return realpath(link, target) != NULL && copy_name(ret_name, basename(target));
}

bool strata_stack_device_of(const char *root, const char *path, char ret_name[STRATA_STACK_NAME])
{
    struct stat status;
    ret_name[0] = '\0';
    if (stat(path, &status) != 0) {
        return false;
    }
    if (S_ISBLK(status.st_mode)) {
        return device_by_number(root, status.st_rdev, ret_name);
    }
    if (device_by_number(root, status.st_dev, ret_name)) {
        return true;
    }
    /* An anonymous device number: btrfs names its device as the mount's source, a FUSE file system
     * the folder below. */
    struct strata_mount mount;
    struct stat source;
    if (!strata_mount_find(path, &mount) || mount.source[0] != '/' ||
        stat(mount.source, &source) != 0) {
        return false;
    }
    return device_by_number(root, S_ISBLK(source.st_mode) ? source.st_rdev : source.st_dev,
                            ret_name);
}

static void add(struct strata_stack_below *below, const char *name)
{
    if (below->count < STRATA_STACK_WIDTH && copy_name(below->names[below->count], name)) {
        below->count++;
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void add_slaves(const char *root, const char *name, struct strata_stack_below *below)
{
    char path[STRATA_KERNEL_PATH_BYTES];
    snprintf(path, sizeof path, "%s/sys/class/block/%s/slaves", root, name);
    DIR *folder = opendir(path);
    if (folder == NULL) {
        return;
    }
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] != '.') {
            add(below, entry->d_name);
        }
    }
    (void)closedir(folder);
    qsort(below->names, below->count, sizeof below->names[0], by_name);
}

static void add_disk_of_partition(const char *root, const char *name,
                                  struct strata_stack_below *below)
{
    char number[16];
    char link[STRATA_KERNEL_PATH_BYTES];
    char target[PATH_MAX];
    snprintf(link, sizeof link, "%s/sys/class/block/%s", root, name);
    if (strata_kernel_file_read(number, sizeof number, "%s/partition", link) &&
        realpath(link, target) != NULL) {
        add(below, basename(dirname(target)));
    }
}

bool strata_stack_backing_file(const char *root, const char *name, char *ret_path, size_t size)
{
    char file[STRATA_KERNEL_PATH_BYTES];
    struct stat status;
    if (!strata_kernel_file_read(file, sizeof file, "%s/sys/class/block/%s/loop/backing_file", root,
                                 name)) {
        return false;
    }
    return (size_t)snprintf(ret_path, size, "%s%s", root, file) < size &&
           stat(ret_path, &status) == 0;
}

void strata_stack_find_below(const char *root, const char *name,
                             struct strata_stack_below *ret_below)
{
    char file[PATH_MAX];
    char holder[STRATA_STACK_NAME];
    ret_below->count = 0;
    add_slaves(root, name, ret_below);
    add_disk_of_partition(root, name, ret_below);
    if (strata_stack_backing_file(root, name, file, sizeof file) &&
        strata_stack_device_of(root, file, holder)) {
        add(ret_below, holder);
    }
}
