/* The options of <volumes>: where volumes can be made, and how their life cycle is measured. */
#include "common/plan/elements.h"

static const struct strata_option volumes_options[] = {
    BACKEND_COMMON,
    {.name = "driver",
     .type = STRATA_OPTION_CHOICE,
     .fallback = "loop",
     .choices = "loop command",
     .help =
         "loop: sparse files and loop devices of this machine; command: the command lines below. "
         "What a twin does not say about its driver, size, time and commands is that of its "
         "plain one"},
    {.name = "path",
     .type = STRATA_OPTION_TEXT,
     .help = "for loop: an existing directory; the run makes and removes one of its own below it"},
    {.name = "size",
     .type = STRATA_OPTION_SIZE,
     .fallback = "1GiB",
     .minimum = 1U << 20,
     .help = "of one volume; with LUKS at least 32MiB"},
    {.name = "encryption",
     .type = STRATA_OPTION_CHOICE,
     .fallback = "none",
     .choices = "none luks provider",
     .help = "luks, for loop: LUKS2, formatted when a volume is created and opened when it is "
             "attached; for command either says only what its commands do"},
    {.name = "cipher",
     .type = STRATA_OPTION_TEXT,
     .fallback = "aes-xts-plain64",
     .help = "of LUKS, as cryptsetup calls it"},
    {.name = "key-size",
     .type = STRATA_OPTION_COUNT,
     .fallback = "512",
     .minimum = 128,
     .maximum = 512,
     .help = "bits of the volume's key; XTS takes two, so 512 is AES-256"},
    {.name = "pbkdf",
     .type = STRATA_OPTION_CHOICE,
     .fallback = "fast",
     .choices = "fast pbkdf2 argon2id",
     .help =
         "how LUKS derives its key: fast is PBKDF2 with 1000 iterations, which is enough for the "
         "random passphrases used here; the others are as costly as cryptsetup chooses"},
    {.name = "create",
     .type = STRATA_OPTION_TEXT,
     .help =
         "for command: makes the volume {name} of {size} bytes or {size_gib} GiB, {encrypted} true "
         "or false, {number} from 0; what it prints first is the volume's {id}. Run by /bin/sh, "
         "with secrets from the environment"},
    {.name = "ready",
     .type = STRATA_OPTION_TEXT,
     .help = "exit status 0 when it is made, 100 when it never will be, else asked again"},
    {.name = "attach",
     .type = STRATA_OPTION_TEXT,
     .help = "attaches it, as the volume's word of devices where {device} asks for it"},
    {.name = "attached", .type = STRATA_OPTION_TEXT, .help = "as ready: whether it is attached"},
    {.name = "detach", .type = STRATA_OPTION_TEXT, .help = "detaches it"},
    {.name = "detached", .type = STRATA_OPTION_TEXT, .help = "as ready: whether it is detached"},
    {.name = "delete", .type = STRATA_OPTION_TEXT, .help = "deletes it"},
    {.name = "gone",
     .type = STRATA_OPTION_TEXT,
     .help = "as ready: whether nothing is left of it; without it nobody can tell what a failed "
             "create left behind"},
    {.name = "devices",
     .type = STRATA_OPTION_TEXT,
     .list = true,
     .help = "a word for each volume, for {device}: /dev/sdf /dev/sdg"},
    {.name = "timeout",
     .type = STRATA_OPTION_DURATION,
     .fallback = "10m",
     .minimum = 1000000,
     .maximum = 24 * 3600 * SECOND,
     .help = "for one step of one volume, its check included; then its commands are ended"},
    {.name = "poll",
     .type = STRATA_OPTION_DURATION,
     .fallback = "500ms",
     .minimum = 1000000,
     .maximum = 3600 * SECOND,
     .help = "pause between two checks; with a check's own duration, what a step's time may be too "
             "long by"},
};

static const struct strata_option volumes_workload_options[] = {
    WORKLOAD_COMMON,
    {.name = "count",
     .type = STRATA_OPTION_COUNT,
     .fallback = "20",
     .minimum = 1,
     .maximum = 10000,
     .help = "volumes of one run"},
    {.name = "concurrency",
     .type = STRATA_OPTION_COUNT,
     .list = true,
     .fallback = "20",
     .minimum = 1,
     .maximum = 256,
     .help = "volumes at a time"},
    {.name = "groups",
     .type = STRATA_OPTION_COUNT,
     .maximum = 100000,
     .help = "how often all of it is done, on each side where there is a twin; goes before "
             "repetitions"},
    {.name = "steps",
     .type = STRATA_OPTION_CHOICE,
     .list = true,
     .fallback = "create attach detach delete",
     .choices = "create attach detach delete",
     .help = "steps that are timed; what is there after the last one is removed untimed"},
};

BACKEND(strata_element_volumes_backend, "volumes", STRATA_LAYER_DEVICE, volumes_options, "path",
        "where volumes can be made: a directory of this machine, or a cloud by its command line");

WORKLOAD(strata_element_volumes_workload, "volumes", STRATA_LAYER_DEVICE, "volumes",
         volumes_workload_options, NULL,
         "create, attach, detach and delete volumes, each step timed");
