/* /proc/self/mountinfo, asked by mount id, so that mounts over mounts and bind mounts come out
 * right. Source: proc(5), statx(2). */
#include "common/host/mount.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void strata_mount_unescape(char *field)
{
    char *to = field;
    for (const char *from = field; *from != '\0';) {
        if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] >= '0' &&
            from[2] <= '7' && from[3] >= '0' && from[3] <= '7') {
            *to++ = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
            from += 4;
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
}

static bool mount_id(const char *path, uint64_t *ret_id)
{
    struct statx status;
    if (statx(AT_FDCWD, path, 0, STATX_MNT_ID, &status) != 0 ||
        (status.stx_mask & STATX_MNT_ID) == 0) {
        return false;
    }
    *ret_id = status.stx_mnt_id;
    return true;
}

/* 36 35 98:0 /root /mount/point OPTIONS [optional…] - TYPE SOURCE SUPER-OPTIONS */
static bool parse_line(char *line, uint64_t wanted, struct strata_mount *mount)
{
    uint64_t id = 0;
    char options[512];
    char type[sizeof mount->type];
    char source[sizeof mount->source];
    char more[512];
    if (sscanf(line, "%" SCNu64 " %*s %*s %*s %*s %511s", &id, options) != 2 || id != wanted) {
        return false;
    }
    const char *separator = strstr(line, " - ");
    if (separator == NULL || sscanf(separator, " - %63s %1023s %511s", type, source, more) != 3) {
        return false;
    }
    strata_mount_unescape(source);
    snprintf(mount->type, sizeof mount->type, "%s", type);
    snprintf(mount->source, sizeof mount->source, "%s", source);
    snprintf(mount->options, sizeof mount->options, "%s,%s", options, more);
    return true;
}

bool strata_mount_find(const char *path, struct strata_mount *ret_mount)
{
    memset(ret_mount, 0, sizeof *ret_mount);
    uint64_t id = 0;
    FILE *file = mount_id(path, &id) ? fopen("/proc/self/mountinfo", "re") : NULL;
    if (file == NULL) {
        return false;
    }
    char *line = NULL;
    size_t capacity = 0;
    bool found = false;
    while (!found && getline(&line, &capacity, file) > 0) {
        found = parse_line(line, id, ret_mount);
    }
    free(line);
    (void)fclose(file);
    return found;
}
