/* Volumes of this machine: a sparse file, on a loop device while it is attached, with LUKS where
 * asked.
 *
 *   PATH/strata-<uuid>/           the run's folder
 *       strata-<uuid8>-<n>        a volume's file
 *
 * Must always hold: loop devices and mappings are held by descriptors of this process alone and
 * vanish with it, so that a run that is killed leaves files and nothing else; a step has ended when
 * its effect is there: the header on the file, the device's node, the device gone. */
#include "common/target/volume.h"

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/host/dm.h"
#include "common/host/loop.h"
#include "common/host/luks_command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define LOOK_NS UINT64_C(1000000) /* between two looks whether a mapping is gone */

struct device {
    struct strata_loop loop;
    int mapping; /* held open: the kernel removes the mapping when this is closed; -1: none */
    uint8_t passphrase[STRATA_LUKS_KEY];
};

struct loop_driver {
    struct strata_volume_driver base;
    struct strata_volume_loop_options options;
    bool opens; /* LUKS volumes are mapped when attached */
    char folder[PATH_MAX];
    struct device *devices; /* by the volumes' numbers */
};

static struct loop_driver *loop_of(struct strata_volume_driver *driver)
{
    return (struct loop_driver *)driver;
}

bool strata_volume_loop_opens(void)
{
    return strata_dm_available() == 0;
}

static void path_of_file(const struct loop_driver *loop, const struct strata_volume *volume,
                         char *path, size_t size)
{
    (void)snprintf(path, size, "%s/%s", loop->folder, volume->name);
}

void strata_volume_loop_device(const struct strata_volume_driver *driver,
                               const struct strata_volume *volume, char *path, size_t size)
{
    const struct loop_driver *loop = (const struct loop_driver *)driver;
    const struct device *device = &loop->devices[volume->number];
    char node[32];
    if (device->mapping >= 0) {
        (void)snprintf(path, size, "/dev/mapper/%s", volume->name);
    } else {
        (void)snprintf(path, size, "%s", strata_loop_path(&device->loop, node));
    }
}

/* What failed, for who reads it; returns the code. */
static int32_t failed(struct strata_volume_step *step, const char *what, int32_t code)
{
    char text[160];
    (void)snprintf(step->cause, sizeof(step->cause), "%.120s: %.160s", what,
                   strata_result_describe(code, text, sizeof(text)));
    return code;
}

static struct strata_luks luks_of(const struct loop_driver *loop,
                                  const struct strata_volume_step *step)
{
    return (struct strata_luks){.cipher = loop->options.cipher,
                                .key_bits = loop->options.key_bits,
                                .pbkdf = loop->options.pbkdf,
                                .timeout_ns = loop->options.timeout_ns,
                                .stop = step->stop};
}

static int32_t format(struct loop_driver *loop, const struct strata_volume *volume,
                      const char *path, int file, struct strata_volume_step *step)
{
    struct strata_command_outcome outcome;
    const struct strata_luks luks = luks_of(loop, step);
    uint8_t *passphrase = loop->devices[volume->number].passphrase;
    strata_random_secret(passphrase, STRATA_LUKS_KEY);
    uint64_t begin_ns = strata_clock_monotonic_ns();
    strata_luks_format(path, &luks, passphrase, &outcome);
    step->stage = STRATA_STAGE_CIPHER;
    step->stage_ns = strata_clock_monotonic_ns() - begin_ns;
    int32_t result = strata_volume_judge(&outcome, "cryptsetup luksFormat", step);
    if (result == STRATA_RESULT_OK && !strata_luks_is_header(file)) {
        return failed(step, "no LUKS2 header stands on the file", STRATA_RESULT_CONTENT);
    }
    return result;
}

static int32_t create(struct loop_driver *loop, const struct strata_volume *volume,
                      struct strata_volume_step *step)
{
    char path[PATH_MAX + 64];
    path_of_file(loop, volume, path, sizeof(path));
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) {
        return failed(step, path, errno);
    }
    int32_t result = STRATA_RESULT_OK;
    if (ftruncate(file, (off_t)loop->options.size_bytes) != 0) {
        result = failed(step, path, errno);
    } else if (loop->options.luks) {
        result = format(loop, volume, path, file, step);
    }
    (void)close(file);
    return result;
}

/* Open the mapping's node, so that the kernel may remove it as soon as we are gone. */
static int32_t hold_mapping(struct device *device, const struct strata_volume *volume,
                            struct strata_volume_step *step)
{
    char path[64];
    (void)snprintf(path, sizeof(path), "/dev/mapper/%s", volume->name);
    device->mapping = open(path, O_RDWR | O_CLOEXEC);
    if (device->mapping < 0) {
        return failed(step, path, errno);
    }
    step->end_ns = strata_clock_monotonic_ns();
    int code = strata_dm_remove_at_last_close(volume->name);
    return code == 0 ? STRATA_RESULT_OK : failed(step, "deferred removal of the mapping", code);
}

static int32_t open_luks(struct loop_driver *loop, const struct strata_volume *volume,
                         struct strata_volume_step *step)
{
    char path[32];
    struct strata_command_outcome outcome;
    struct device *device = &loop->devices[volume->number];
    const struct strata_luks luks = luks_of(loop, step);
    uint64_t begin_ns = strata_clock_monotonic_ns();
    strata_luks_open(strata_loop_path(&device->loop, path), volume->name, &luks, device->passphrase,
                     &outcome);
    step->stage = STRATA_STAGE_OPEN;
    step->stage_ns = strata_clock_monotonic_ns() - begin_ns;
    int32_t result = strata_volume_judge(&outcome, "cryptsetup open", step);
    return result == STRATA_RESULT_OK ? hold_mapping(device, volume, step) : result;
}

static int32_t attach(struct loop_driver *loop, const struct strata_volume *volume,
                      struct strata_volume_step *step)
{
    char path[PATH_MAX + 64];
    struct device *device = &loop->devices[volume->number];
    path_of_file(loop, volume, path, sizeof(path));
    int file = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0) {
        return failed(step, path, errno);
    }
    int code = strata_loop_attach(file, volume->name, &device->loop);
    (void)close(file);
    if (code != 0) {
        return failed(step, "loop device", code);
    }
    return loop->options.luks && loop->opens ? open_luks(loop, volume, step) : STRATA_RESULT_OK;
}

/* Let go of the mapping, and wait until the kernel has removed it. Without udev its node stays and
 * is ours to remove. */
static int32_t close_luks(struct loop_driver *loop, const struct strata_volume *volume,
                          struct strata_volume_step *step)
{
    struct device *device = &loop->devices[volume->number];
    struct stat status;
    struct stat left;
    char path[64];
    if (fstat(device->mapping, &status) != 0) {
        return failed(step, "mapping", errno);
    }
    uint64_t begin_ns = strata_clock_monotonic_ns();
    (void)close(device->mapping);
    device->mapping = -1;
    (void)snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(status.st_rdev),
                   minor(status.st_rdev));
    while (access(path, F_OK) == 0) {
        uint64_t now_ns = strata_clock_monotonic_ns();
        if (now_ns - begin_ns >= loop->options.timeout_ns) {
            return failed(step, path, STRATA_RESULT_TIMED_OUT);
        }
        strata_clock_sleep_until_ns(now_ns + LOOK_NS);
    }
    (void)snprintf(path, sizeof(path), "/dev/mapper/%s", volume->name);
    if (lstat(path, &left) == 0 && S_ISBLK(left.st_mode) && left.st_rdev == status.st_rdev) {
        (void)unlink(path);
    }
    step->stage = STRATA_STAGE_CLOSE;
    step->stage_ns = strata_clock_monotonic_ns() - begin_ns;
    return STRATA_RESULT_OK;
}

static int32_t detach(struct loop_driver *loop, const struct strata_volume *volume,
                      struct strata_volume_step *step)
{
    struct device *device = &loop->devices[volume->number];
    int32_t result = STRATA_RESULT_OK;
    if (device->mapping >= 0) {
        result = close_luks(loop, volume, step);
    } else if (loop->options.luks && loop->opens) {
        (void)strata_dm_remove_at_last_close(volume->name); /* of an opening that went wrong */
    }
    if (device->loop.fd >= 0) {
        int code = strata_loop_detach(&device->loop, volume->name, loop->options.timeout_ns);
        if (code != 0 && result == STRATA_RESULT_OK) {
            result = failed(step, "loop device", code);
        }
    }
    return result;
}

static int32_t delete_file(struct loop_driver *loop, const struct strata_volume *volume,
                           struct strata_volume_step *step)
{
    char path[PATH_MAX + 64];
    path_of_file(loop, volume, path, sizeof(path));
    bool cleaning = step->stop == NULL;
    if (unlink(path) != 0 && !(cleaning && errno == ENOENT)) {
        return failed(step, path, errno);
    }
    return STRATA_RESULT_OK;
}

static int32_t loop_perform(struct strata_volume_driver *driver, const struct strata_volume *volume,
                            struct strata_volume_step *step)
{
    struct loop_driver *loop = loop_of(driver);
    switch (step->kind) {
    case STRATA_OPERATION_CREATE:
        return create(loop, volume, step);
    case STRATA_OPERATION_ATTACH:
        return attach(loop, volume, step);
    case STRATA_OPERATION_DETACH:
        return detach(loop, volume, step);
    default:
        return delete_file(loop, volume, step);
    }
}

static enum strata_status loop_prepare(struct strata_volume_driver *driver,
                                       struct strata_error *error)
{
    const struct loop_driver *loop = loop_of(driver);
    if (mkdir(loop->folder, 0700) != 0) {
        return strata_error_set(error, STRATA_ENVIRONMENT, "%s: cannot be made: %s", loop->folder,
                                strerrordesc_np(errno));
    }
    return STRATA_OK;
}

static enum strata_status loop_cleanup(struct strata_volume_driver *driver,
                                       struct strata_error *error)
{
    const struct loop_driver *loop = loop_of(driver);
    if (rmdir(loop->folder) != 0 && errno != ENOENT) {
        return strata_error_set(error, STRATA_ENVIRONMENT, "%s: cannot be removed: %s",
                                loop->folder, strerrordesc_np(errno));
    }
    return STRATA_OK;
}

/* Whatever is still held goes with its descriptors. */
static void loop_close(struct strata_volume_driver *driver)
{
    struct loop_driver *loop = loop_of(driver);
    for (unsigned n = 0; n < loop->options.count; n++) {
        struct device *device = &loop->devices[n];
        if (device->mapping >= 0) {
            (void)close(device->mapping);
        }
        if (device->loop.fd >= 0) {
            (void)close(device->loop.fd);
        }
    }
    explicit_bzero(loop->devices, loop->options.count * sizeof(*loop->devices));
    free(loop->devices);
    free(loop);
}

static const struct strata_volume_driver_type loop_type = {
    .name = "loop",
    .prepare = loop_prepare,
    .perform = loop_perform,
    .cleanup = loop_cleanup,
    .close = loop_close,
};

enum strata_status strata_volume_loop_open(const struct strata_volume_loop_options *options,
                                           struct strata_volume_driver **ret_driver,
                                           struct strata_error *error)
{
    struct loop_driver *loop = strata_memory_new(1, sizeof(*loop));
    loop->base.type = &loop_type;
    loop->options = *options;
    loop->opens = strata_volume_loop_opens();
    int length = snprintf(loop->folder, sizeof(loop->folder), "%s/strata-%s", options->path,
                          options->run_uuid);
    if (length >= (int)sizeof(loop->folder)) {
        free(loop);
        return strata_error_set(error, STRATA_USAGE, "path: is longer than %d bytes", PATH_MAX);
    }
    loop->devices = strata_memory_new(options->count, sizeof(*loop->devices));
    for (unsigned n = 0; n < options->count; n++) {
        loop->devices[n].loop.fd = -1;
        loop->devices[n].mapping = -1;
    }
    *ret_driver = &loop->base;
    return STRATA_OK;
}
