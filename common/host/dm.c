/* A dm-crypt table names its cipher, and its key beside it.
 *
 * Must always hold: the key never leaves this file; the kernel is told to wipe its copy of the
 * table (DM_SECURE_DATA_FLAG) and ours is wiped before it is freed. Source: Linux,
 * include/uapi/linux/dm-ioctl.h and Documentation/admin-guide/device-mapper/ dm-crypt.rst;
 * cryptsetup's names of uuids (lib/utils_devpath.c). */
#include "common/host/dm.h"

#include "common/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/dm-ioctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { TABLE_BYTES = 16384, SECTOR_BYTES = 512 };

static int open_control(void)
{
    return open("/dev/mapper/control", O_RDWR | O_CLOEXEC);
}

/* Only the length of a key counts. */
static bool parse_key(const char *key, size_t length, unsigned *ret_bits)
{
    if (key[0] == ':') {
        return sscanf(key, ":%u:", ret_bits) == 1 && (*ret_bits *= 8) > 0;
    }
    bool none = length == 1 && key[0] == '-';
    *ret_bits = none ? 0 : (unsigned)length * 4;
    return none || strspn(key, "0123456789abcdefABCDEF") == length;
}

bool strata_dm_crypt_parse(const char *parameters, struct strata_dm_crypt *ret_crypt)
{
    uint64_t sectors;
    int key = 0;
    int key_end = 0;
    if (sscanf(parameters, "%127s %n%*s%n %*s %*s %" SCNu64, ret_crypt->cipher, &key, &key_end,
               &sectors) != 2 ||
        sectors > UINT64_MAX / SECTOR_BYTES ||
        !parse_key(parameters + key, (size_t)(key_end - key), &ret_crypt->key_bits)) {
        return false;
    }
    ret_crypt->offset_bytes = sectors * SECTOR_BYTES;
    ret_crypt->sector_bytes = SECTOR_BYTES;
    const char *option = strstr(parameters + key_end, " sector_size:");
    return option == NULL || sscanf(option, " sector_size:%u", &ret_crypt->sector_bytes) == 1;
}

static bool read_table(const struct dm_ioctl *table, struct strata_dm_crypt *ret_crypt)
{
    const char *data = (const char *)table + table->data_start;
    const struct dm_target_spec *target = (const void *)data;
    return (table->flags & DM_BUFFER_FULL_FLAG) == 0 && table->target_count == 1 &&
           strcmp(target->target_type, "crypt") == 0 &&
           strata_dm_crypt_parse(data + sizeof *target, ret_crypt);
}

bool strata_dm_crypt_read(const char *uuid, struct strata_dm_crypt *ret_crypt)
{
    int control = open_control();
    if (control < 0) {
        return false;
    }
    struct dm_ioctl *table = strata_memory_new(1, TABLE_BYTES);
    table->version[0] = DM_VERSION_MAJOR;
    table->data_size = TABLE_BYTES;
    table->data_start = sizeof *table;
    table->flags = DM_STATUS_TABLE_FLAG | DM_SECURE_DATA_FLAG;
    snprintf(table->uuid, sizeof table->uuid, "%s", uuid);
    bool known = ioctl(control, DM_TABLE_STATUS, table) == 0 && read_table(table, ret_crypt);
    explicit_bzero(table, TABLE_BYTES);
    free(table);
    (void)close(control);
    return known;
}

int strata_dm_available(void)
{
    int control = open_control();
    if (control < 0) {
        return errno;
    }
    (void)close(control);
    return 0;
}

int strata_dm_remove_at_last_close(const char *name)
{
    struct dm_ioctl request = {.version = {DM_VERSION_MAJOR},
                               .data_size = sizeof(request),
                               .data_start = sizeof(request),
                               .flags = DM_DEFERRED_REMOVE};
    snprintf(request.name, sizeof(request.name), "%s", name);
    int control = open_control();
    int code = control < 0 || ioctl(control, DM_DEV_REMOVE, &request) != 0 ? errno : 0;
    if (control >= 0) {
        (void)close(control);
    }
    return code;
}

bool strata_dm_crypt_kind(const char *uuid, char *ret_kind, size_t size)
{
    static const char *const kinds[] = {"LUKS1",   "LUKS2", "PLAIN",  "TCRYPT",
                                        "LOOPAES", "BITLK", "FVAULT2"};
    static const char prefix[] = "CRYPT-";
    if (strncmp(uuid, prefix, sizeof prefix - 1) != 0) {
        return false;
    }
    const char *kind = uuid + sizeof prefix - 1;
    size_t length = strcspn(kind, "-");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strlen(kinds[i]) == length && strncmp(kind, kinds[i], length) == 0) {
            snprintf(ret_kind, size, "%s", kinds[i]);
            return true;
        }
    }
    return false;
}
