/* Whether the database would be measured: it lies in, or on, what is put under load.
 *
 * Always: devices are compared by number, never by name; nothing is opened, since closing a
 * descriptor of the database would drop SQLite's locks on it. */
#include "common/store/store.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

enum { DEEPEST_STACK = 16 };

/* Whether the block device `wanted` is `device` or stands below it: a slave of dm or md, the disk
 * of a partition. */
static bool stands_on(const char *device, dev_t wanted, int depth)
{
    char path[PATH_MAX];
    unsigned found_major;
    unsigned found_minor;
    snprintf(path, sizeof(path), "%s/dev", device);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return false;
    }
    int fields = fscanf(file, "%u:%u", &found_major, &found_minor);
    fclose(file);
    if (fields == 2 && makedev(found_major, found_minor) == wanted) {
        return true;
    }
    if (depth == DEEPEST_STACK) {
        return false;
    }
    snprintf(path, sizeof(path), "%s/partition", device);
    struct stat status;
    if (stat(path, &status) == 0) {
        snprintf(path, sizeof(path), "%s/..", device);
        return stands_on(path, wanted, depth + 1);
    }
    snprintf(path, sizeof(path), "%s/slaves", device);
    DIR *slaves = opendir(path);
    bool found = false;
    for (struct dirent *slave; slaves != NULL && !found && (slave = readdir(slaves)) != NULL;) {
        if (slave->d_name[0] != '.' && snprintf(path, sizeof(path), "%s/slaves/%s", device,
                                                slave->d_name) < (int)sizeof(path)) {
            found = stands_on(path, wanted, depth + 1);
        }
    }
    if (slaves != NULL) {
        closedir(slaves);
    }
    return found;
}

/* The database's file, or the folder that it will be made in; as a path without symbolic links. */
static bool resolve(const char *database_path, char ret_path[PATH_MAX])
{
    if (realpath(database_path, ret_path) != NULL) {
        return true;
    }
    const char *slash = strrchr(database_path, '/');
    char folder[PATH_MAX];
    int length =
        snprintf(folder, sizeof(folder), "%.*s", slash != NULL ? (int)(slash - database_path) : 1,
                 slash != NULL ? database_path : ".");
    return length < (int)sizeof(folder) && realpath(length > 0 ? folder : "/", ret_path) != NULL;
}

bool strata_store_shares_device(const char *database_path, const char *path)
{
    char database[PATH_MAX];
    char target[PATH_MAX];
    struct stat database_status;
    struct stat target_status;
    if (!resolve(database_path, database) || realpath(path, target) == NULL ||
        stat(database, &database_status) != 0 || stat(target, &target_status) != 0) {
        return false;
    }
    if (S_ISBLK(target_status.st_mode)) {
        char device[64];
        snprintf(device, sizeof(device), "/sys/dev/block/%u:%u", major(database_status.st_dev),
                 minor(database_status.st_dev));
        return stands_on(device, target_status.st_rdev, 0);
    }
    size_t length = strlen(target);
    bool below = strncmp(database, target, length) == 0 &&
                 (database[length] == '/' || database[length] == '\0' || length == 1);
    return below;
}
