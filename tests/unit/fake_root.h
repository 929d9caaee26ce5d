/* A root with files of /proc and /sys as a test wants them, in a scratch folder. */
#ifndef STRATA_TESTS_UNIT_FAKE_ROOT_H
#define STRATA_TESTS_UNIT_FAKE_ROOT_H

#include <CUnit/CUnit.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char fake_root[64];

/* Make the folders that lead to `path` below the root. */
static inline void fake_parents(const char *path)
{
    char folder[512];
    for (const char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        snprintf(folder, sizeof folder, "%s%.*s", fake_root, (int)(slash - path), path);
        (void)mkdir(folder, 0755);
    }
}

static inline void fake_begin(void)
{
    snprintf(fake_root, sizeof fake_root, "/tmp/strata-root.XXXXXX");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(fake_root));
}

static inline void fake_end(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", fake_root);
    CU_ASSERT_EQUAL(system(command), 0);
}

static inline void fake_file(const char *path, const char *content)
{
    char full[512];
    fake_parents(path);
    snprintf(full, sizeof full, "%s%s", fake_root, path);
    FILE *file = fopen(full, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    fputs(content, file);
    CU_ASSERT_EQUAL(fclose(file), 0);
}

/* `target` is relative to the link's folder, as in sysfs. */
static inline void fake_link(const char *path, const char *target)
{
    char full[512];
    fake_parents(path);
    snprintf(full, sizeof full, "%s%s", fake_root, path);
    CU_ASSERT_EQUAL_FATAL(symlink(target, full), 0);
}

/* A whole disk with its number ("8:0"). */
static inline void fake_disk(const char *name, const char *number)
{
    char path[256];
    char target[256];
    snprintf(path, sizeof path, "/sys/devices/%s/dev", name);
    fake_file(path, number);
    snprintf(path, sizeof path, "/sys/class/block/%s", name);
    snprintf(target, sizeof target, "../../devices/%s", name);
    fake_link(path, target);
    snprintf(path, sizeof path, "/sys/dev/block/%s", number);
    fake_link(path, target);
}

/* `upper` stands on `lower`. */
static inline void fake_slave(const char *upper, const char *lower)
{
    char path[256];
    char target[256];
    snprintf(path, sizeof path, "/sys/devices/%s/slaves/%s", upper, lower);
    snprintf(target, sizeof target, "../../%s", lower);
    fake_link(path, target);
}

static inline void fake_attribute(const char *device, const char *name, const char *content)
{
    char path[256];
    snprintf(path, sizeof path, "/sys/devices/%s/%s", device, name);
    fake_file(path, content);
}

#endif
