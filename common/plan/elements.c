/* Every option that a configuration file or a command line can hold.
 *
 * A row here is all that a new option needs: the parser, --help, config/strata.rng and
 * doc/configuration.md read these tables. What a layer does with a value is the layer's own. */
#include "common/plan/elements.h"

static const struct strata_option campaign_options[] = {
    {.name = "name",
     .type = STRATA_OPTION_TEXT,
     .fallback = "unnamed",
     .help = "what the report calls it"},
    {.name = "pairs",
     .type = STRATA_OPTION_COUNT,
     .fallback = "10",
     .minimum = 1,
     .maximum = 1000,
     .help = "runs on each of the plain and the encrypted back end, interleaved; below 5 every "
             "comparison is inconclusive"},
    {.name = "seed",
     .type = STRATA_OPTION_COUNT,
     .fallback = "1",
     .help = "of the pairs' order and of random offsets"},
    {.name = "loss-margin",
     .type = STRATA_OPTION_FRACTION,
     .fallback = "10%",
     .help = "largest acceptable loss of throughput by encryption; when it is given, a comparison "
             "that fails it makes the exit code 1"},
    {.name = "control",
     .type = STRATA_OPTION_CHOICE,
     .choices = "yes no",
     .fallback = "yes",
     .help =
         "run the A/A cell, plain against plain, that shows whether the machine is steady enough"},
    {.name = "error-budget",
     .type = STRATA_OPTION_FRACTION,
     .fallback = "0%",
     .help = "share of failed operations above which a run is invalid"},
    {.name = "time-scale",
     .type = STRATA_OPTION_DECIMAL,
     .fallback = "1",
     .help = "above 0; multiplies every time that a workload or ladder measures, warms up or goes "
             "round (kept within the option's limits, and at least 1ms unless it is 0); stored "
             "with the campaign and with each workload that has such a time"},
};

static const struct strata_option device_options[] = {
    BACKEND_COMMON,
    {.name = "path",
     .type = STRATA_OPTION_TEXT,
     .required = true,
     .help = "block device or regular file, opened with direct I/O"},
    {.name = "and",
     .type = STRATA_OPTION_TEXT,
     .list = true,
     .help =
         "paths of further devices that make a set with it; in them a blank is written \\040, a "
         "comma \\054 and a backslash \\134, as in fstab"},
    {.name = "arrangement",
     .type = STRATA_OPTION_CHOICE,
     .fallback = "striped",
     .choices = "striped side-by-side",
     .help = "of a set. striped: one address space in the order of RAID 0; side-by-side: all at "
             "once, job k on device k mod n, each with results of its own"},
    {.name = "chunk",
     .type = STRATA_OPTION_SIZE,
     .fallback = "64KiB",
     .minimum = 512,
     .maximum = UINT64_C(1) << 30,
     .help = "bytes of a striped set that lie on one device before the next one's turn"},
    {.name = "size",
     .type = STRATA_OPTION_SIZE,
     .minimum = 512,
     .help = "bytes of it (of a set: of each device) to use, from the offset; default: up to its "
             "end"},
    {.name = "offset", .type = STRATA_OPTION_SIZE, .fallback = "0", .help = "first byte to use"},
    {.name = "encryption",
     .type = STRATA_OPTION_CHOICE,
     .fallback = "none",
     .choices = "none aes-xts-128 aes-xts-256 dm-crypt self-encrypting provider",
     .help =
         "aes-xts-*: by Strata's own filter, as dm-crypt's aes-xts-plain64; the others: the path "
         "is encrypted itself"},
    {.name = "sector-size",
     .type = STRATA_OPTION_SIZE,
     .fallback = "512",
     .minimum = 512,
     .maximum = 4096,
     .help = "bytes encrypted under one tweak, for aes-xts-* and provision"},
    {.name = "key-file",
     .type = STRATA_OPTION_TEXT,
     .help = "file with the raw key for aes-xts-* (32 or 64 bytes); default: a random one"},
    {.name = "provision",
     .type = STRATA_OPTION_CHOICE,
     .fallback = "none",
     .choices = "none plain luks2",
     .help =
         "with dm-crypt: the path is a scratch device, over which Strata makes a mapping with a "
         "random key for each run and removes it; needs root, and --allow-overwrite"},
    {.name = "cipher",
     .type = STRATA_OPTION_TEXT,
     .fallback = "aes-xts-plain64",
     .help = "of the mapping that is provisioned, as dm-crypt spells it; cipher_null-ecb encrypts "
             "nothing and costs the plumbing alone"},
    {.name = "key-size",
     .type = STRATA_OPTION_COUNT,
     .minimum = 8,
     .maximum = 1024,
     .help = "bits of the mapping's key; default: 512 for XTS (two keys of 256), else 256"},
    {.name = "dm-flags",
     .type = STRATA_OPTION_CHOICE,
     .list = true,
     .choices = "same_cpu_crypt submit_from_crypt_cpus no_read_workqueue no_write_workqueue",
     .help = "flags of dm-crypt for the mapping, all of them at once"},
    {.name = "give-up",
     .type = STRATA_OPTION_DURATION,
     .fallback = "30s",
     .minimum = 1000000,
     .maximum = 3600 * SECOND,
     .help = "a device from which nothing comes back for so long hangs: the run has failed"},
};

static const struct strata_option memory_options[] = {
    {.name = "name", .type = STRATA_OPTION_TEXT, .required = true, .help = "unique name"},
};

static const struct strata_option filesystem_options[] = {
    BACKEND_COMMON,
    {.name = "path",
     .type = STRATA_OPTION_TEXT,
     .required = true,
     .help = "an existing directory; the run makes and removes one of its own below it"},
    {.name = "encryption",
     .type = STRATA_OPTION_CHOICE,
     .fallback = "none",
     .choices = "none fscrypt gocryptfs dm-crypt provider",
     .help = "fscrypt: Strata sets a policy with a random key on the directory that it makes; the "
             "others: the path is encrypted already"},
};

static const struct strata_option swift_options[] = {
    BACKEND_COMMON,
    {.name = "auth-url",
     .type = STRATA_OPTION_TEXT,
     .help = "TempAuth (v1) URL; default: the environment's ST_AUTH"},
    {.name = "user",
     .type = STRATA_OPTION_TEXT,
     .help = "account:user; default: the environment's ST_USER"},
    {.name = "key-variable",
     .type = STRATA_OPTION_TEXT,
     .fallback = "ST_KEY",
     .help = "environment variable that holds the key; secrets never stand in a file like this"},
    {.name = "ca-file",
     .type = STRATA_OPTION_TEXT,
     .help = "certificates to trust, PEM; default: the system's"},
    {.name = "policy", .type = STRATA_OPTION_TEXT, .help = "storage policy of the container"},
    {.name = "encryption",
     .type = STRATA_OPTION_CHOICE,
     .fallback = "none",
     .choices = "none server client",
     .help = "client: by Strata with AES-256-GCM before the upload; server: by the cloud, as the "
             "evidence says"},
    {.name = "connect-timeout",
     .type = STRATA_OPTION_DURATION,
     .fallback = "5s",
     .minimum = 1000000,
     .maximum = 600 * SECOND,
     .help = "for a connection to be made"},
    {.name = "timeout",
     .type = STRATA_OPTION_DURATION,
     .fallback = "60s",
     .minimum = 1000000,
     .maximum = 3600 * SECOND,
     .help = "for one request without any progress"},
};

/* What is done to blocks, by whom. */
#define BLOCKS_COMMON                                                                              \
    {.name = "operations",                                                                         \
     .alias = "op",                                                                                \
     .type = STRATA_OPTION_CHOICE,                                                                 \
     .list = true,                                                                                 \
     .fallback = "read",                                                                           \
     .choices = "read write randread randwrite randrw",                                            \
     .help = "sequential or random; randrw mixes by the share of reads"},                          \
        {.name = "read-share",                                                                     \
         .type = STRATA_OPTION_FRACTION,                                                           \
         .list = true,                                                                             \
         .fallback = "70%",                                                                        \
         .help = "of randrw, exact to one in a hundred"},                                          \
        {.name = "block-size",                                                                     \
         .type = STRATA_OPTION_SIZE,                                                               \
         .list = true,                                                                             \
         .fallback = "512",                                                                        \
         .minimum = 512,                                                                           \
         .maximum = UINT64_C(64) << 20,                                                            \
         .help = "bytes of one operation"},                                                        \
        {.name = "depth",                                                                          \
         .type = STRATA_OPTION_COUNT,                                                              \
         .list = true,                                                                             \
         .fallback = "32",                                                                         \
         .minimum = 1,                                                                             \
         .maximum = 1024,                                                                          \
         .help = "queue depth: operations in flight of each job"},                                 \
        {.name = "jobs",                                                                           \
         .type = STRATA_OPTION_COUNT,                                                              \
         .list = true,                                                                             \
         .fallback = "1",                                                                          \
         .minimum = 1,                                                                             \
         .maximum = 256,                                                                           \
         .help = "threads, each with its own queue"},                                              \
        {.name = "engine",                                                                         \
         .type = STRATA_OPTION_CHOICE,                                                             \
         .fallback = "aio",                                                                        \
         .choices = "sync aio uring null",                                                         \
         .help = "sync has depth 1 only; null completes at once: the load generator's own "        \
                 "ceiling"},                                                                       \
        {.name = "batch",                                                                          \
         .type = STRATA_OPTION_COUNT,                                                              \
         .fallback = "1",                                                                          \
         .minimum = 1,                                                                             \
         .maximum = 1024,                                                                          \
         .help = "finished operations that aio and uring wait for before they start as many "      \
                 "again: fewer wake-ups, but the device sees depth - batch + 1 at times, and "     \
                 "those that wait count as in flight"},                                            \
    {                                                                                              \
        .name = "polled", .type = STRATA_OPTION_CHOICE, .fallback = "no", .choices = "no yes",     \
        .help = "engine uring asks the device's queues instead of being interrupted; unsupported " \
                "where the device has no polled queues"                                            \
    }

static const struct strata_option device_workload_options[] = {
    WORKLOAD_COMMON,
    BLOCKS_COMMON,
    {.name = "duration",
     .type = STRATA_OPTION_DURATION,
     .fallback = "30s",
     .minimum = 1000000,
     .maximum = LONGEST,
     .scales = true,
     .help = "measured time of one run"},
    {.name = "warm-up",
     .type = STRATA_OPTION_DURATION,
     .fallback = "1s",
     .maximum = LONGEST,
     .scales = true,
     .help = "load before the measured time, counted apart"},
    {.name = "limit",
     .type = STRATA_OPTION_COUNT,
     .help = "end a run after so many operations, if the duration is not over first"},
    {.name = "amount",
     .type = STRATA_OPTION_SIZE,
     .minimum = 512,
     .help =
         "end a run after so many bytes, in whole blocks; a duration ends it earlier only where "
         "it is given, too. A sequential run goes over a smaller region again"},
    {.name = "rate",
     .type = STRATA_OPTION_DECIMAL,
     .fallback = "0",
     .help = "operations per second due, whatever the answers take (open loop); 0: closed loop"},
    {.name = "verify",
     .type = STRATA_OPTION_CHOICE,
     .choices = "no yes",
     .fallback = "no",
     .help =
         "check every byte: blocks are stamped when written and checked when read; what is read "
         "is written before the run, what was only written is read back after it"},
};

static const struct strata_option steady_state_options[] = {
    WORKLOAD_COMMON,
    BLOCKS_COMMON,
    {.name = "round",
     .type = STRATA_OPTION_DURATION,
     .fallback = "60s",
     .minimum = 100000000,
     .maximum = LONGEST,
     .scales = true,
     .help = "measured time of one round"},
    {.name = "rounds",
     .type = STRATA_OPTION_COUNT,
     .fallback = "25",
     .minimum = 5,
     .maximum = 25,
     .help = "most rounds of a run; it ends earlier when five in a row are steady"},
    {.name = "precondition",
     .type = STRATA_OPTION_COUNT,
     .fallback = "2",
     .maximum = 100,
     .help = "how often the whole region is written, in sequence by 128 KiB, before the rounds"},
    {.name = "purge",
     .type = STRATA_OPTION_CHOICE,
     .choices = "none discard",
     .fallback = "none",
     .help = "discard: tell the device before each run that nothing of the region is needed"},
};

/* Of what is measured in memory: jobs and time. */
#define MEMORY_COMMON                                                                              \
    {.name = "jobs",                                                                               \
     .type = STRATA_OPTION_COUNT,                                                                  \
     .list = true,                                                                                 \
     .fallback = "1",                                                                              \
     .minimum = 1,                                                                                 \
     .maximum = 256,                                                                               \
     .help = "threads, each with its own key and memory"},                                         \
        {.name = "duration",                                                                       \
         .type = STRATA_OPTION_DURATION,                                                           \
         .fallback = "1s",                                                                         \
         .minimum = 1000000,                                                                       \
         .maximum = LONGEST,                                                                       \
         .scales = true,                                                                           \
         .help = "measured time of each direction of one run"},                                    \
    {                                                                                              \
        .name = "warm-up", .type = STRATA_OPTION_DURATION, .fallback = "100ms",                    \
        .maximum = LONGEST, .scales = true, .help = "load before the measured time, counted apart" \
    }

static const struct strata_option cipher_options[] = {
    WORKLOAD_COMMON,
    {.name = "ciphers",
     .type = STRATA_OPTION_CHOICE,
     .list = true,
     .fallback = "aes-xts-256 aes-xts-512 aes-cbc-128 aes-cbc-256 chacha20",
     .choices = "aes-xts-256 aes-xts-512 aes-cbc-128 aes-cbc-256 chacha20",
     .help = "named by the whole key, as cryptsetup benchmark does. AES-XTS has a key of two "
             "halves: aes-xts-256 is AES-128 (a device's encryption aes-xts-128), aes-xts-512 is "
             "AES-256 (aes-xts-256 there)"},
    {.name = "directions",
     .type = STRATA_OPTION_CHOICE,
     .list = true,
     .fallback = "encrypt decrypt",
     .choices = "encrypt decrypt",
     .help = "one after the other in each run"},
    {.name = "block-size",
     .type = STRATA_OPTION_SIZE,
     .list = true,
     .fallback = "64KiB",
     .minimum = 512,
     .maximum = UINT64_C(64) << 20,
     .help = "bytes of memory that the cipher works on again and again"},
    {.name = "sector-size",
     .type = STRATA_OPTION_SIZE,
     .fallback = "512",
     .minimum = 512,
     .maximum = UINT64_C(16) << 20,
     .help = "bytes under one initialisation vector, a divisor of the block size: 512 or 4096 as "
             "dm-crypt has it, 64KiB as cryptsetup benchmark, the block size as openssl speed"},
    MEMORY_COMMON,
};

static const struct strata_option key_derivation_options[] = {
    WORKLOAD_COMMON,
    {.name = "functions",
     .type = STRATA_OPTION_CHOICE,
     .list = true,
     .fallback = "pbkdf2-sha256 pbkdf2-sha512 scrypt argon2id",
     .choices = "pbkdf2-sha256 pbkdf2-sha512 scrypt argon2id",
     .help = "from a passphrase to a key of 32 bytes; argon2id needs OpenSSL 3.2"},
    {.name = "iterations",
     .type = STRATA_OPTION_COUNT,
     .fallback = "10000",
     .minimum = 1,
     .maximum = 1000000000,
     .help = "of PBKDF2 in one derivation; the rate is also told in iterations per second"},
    {.name = "scrypt-n",
     .type = STRATA_OPTION_COUNT,
     .fallback = "16384",
     .minimum = 2,
     .maximum = 1 << 24,
     .help = "cost N of scrypt, a power of two; it takes 128 N r bytes, 1 GiB at most"},
    {.name = "scrypt-r",
     .type = STRATA_OPTION_COUNT,
     .fallback = "8",
     .minimum = 1,
     .maximum = 64,
     .help = "block size r of scrypt"},
    {.name = "scrypt-p",
     .type = STRATA_OPTION_COUNT,
     .fallback = "1",
     .minimum = 1,
     .maximum = 64,
     .help = "parallelisation p of scrypt, one after the other here"},
    {.name = "argon2-memory",
     .type = STRATA_OPTION_SIZE,
     .fallback = "64MiB",
     .minimum = 1 << 20,
     .maximum = UINT64_C(1) << 30,
     .help = "memory m of Argon2id"},
    {.name = "argon2-passes",
     .type = STRATA_OPTION_COUNT,
     .fallback = "3",
     .minimum = 1,
     .maximum = 1000,
     .help = "passes t of Argon2id"},
    {.name = "argon2-lanes",
     .type = STRATA_OPTION_COUNT,
     .fallback = "4",
     .minimum = 1,
     .maximum = 64,
     .help = "lanes p of Argon2id, one after the other here"},
    MEMORY_COMMON,
};

static const struct strata_option ladder_options[] = {
    {.name = "sizes",
     .type = STRATA_OPTION_SIZE,
     .list = true,
     .fallback = "256KiB",
     .minimum = 4096,
     .maximum = UINT64_C(64) << 20,
     .help = "payload of one operation at every layer"},
    {.name = "concurrency",
     .type = STRATA_OPTION_COUNT,
     .list = true,
     .fallback = "8",
     .minimum = 1,
     .maximum = 256,
     .help = "operations in flight at every layer"},
    {.name = "duration",
     .type = STRATA_OPTION_DURATION,
     .fallback = "5s",
     .minimum = 1000000,
     .maximum = LONGEST,
     .scales = true,
     .help = "measured time of a run at the device layer"},
    {.name = "amount",
     .type = STRATA_OPTION_SIZE,
     .fallback = "64MiB",
     .help = "bytes of a run at the layers above"},
    {.name = "repetitions",
     .alias = "runs",
     .type = STRATA_OPTION_COUNT,
     .minimum = 1,
     .maximum = 100000,
     .help = "pairs of runs at each layer; default: the campaign's pairs"},
    {.name = "device",
     .type = STRATA_OPTION_TEXT,
     .help = "plain back end of the device layer; default: the first with a twin, else the first"},
    {.name = "filesystem",
     .type = STRATA_OPTION_TEXT,
     .help = "likewise, of the file-system layer"},
    {.name = "swift",
     .type = STRATA_OPTION_TEXT,
     .help = "likewise, of the service and user layers"},
};

static const struct strata_element_type campaign = {
    .name = "campaign",
    .role = STRATA_ROLE_CAMPAIGN,
    .options = campaign_options,
    .option_count = COUNT_OF(campaign_options),
    .help = "how often, in which order, and against which margin"};

static BACKEND(device, "device", STRATA_LAYER_DEVICE, device_options, "path",
               "a block device, or a file that stands for one");
static BACKEND(
    memory, "memory", STRATA_LAYER_DEVICE, memory_options, NULL,
    "this machine's memory and processors, for what needs no device; there without being "
    "declared, under this name");
static BACKEND(filesystem, "filesystem", STRATA_LAYER_FILESYSTEM, filesystem_options, "path",
               "a directory of a mounted file system");
static BACKEND(swift, "swift", STRATA_LAYER_SERVICE, swift_options, "auth-url",
               "an OpenStack Swift endpoint; serves the service and the user layer");

static WORKLOAD(device_workload, "workload", STRATA_LAYER_DEVICE, "device", device_workload_options,
                NULL, "any block workload");
static WORKLOAD(iops, "iops", STRATA_LAYER_DEVICE, "device", device_workload_options,
                "block-size=512 depth=32 operations=read,write",
                "operations per second at small blocks");
static WORKLOAD(device_transfer, "transfer", STRATA_LAYER_DEVICE, "device", device_workload_options,
                "block-size=256KiB depth=8 operations=read,write",
                "bytes per second at large blocks");
static WORKLOAD(steady_state, "steady-state", STRATA_LAYER_DEVICE, "device", steady_state_options,
                "operations=randwrite block-size=4KiB",
                "rounds of one workload until five in a row are steady");
static WORKLOAD(cipher, "cipher", STRATA_LAYER_DEVICE, "memory", cipher_options, NULL,
                "what the cipher alone could do, in memory");
static WORKLOAD(key_derivation, "key-derivation", STRATA_LAYER_DEVICE, "memory",
                key_derivation_options, NULL, "what it takes to make a key from a passphrase");
static const struct strata_element_type ladder = {
    .name = "ladder",
    .role = STRATA_ROLE_LADDER,
    .options = ladder_options,
    .option_count = COUNT_OF(ladder_options),
    .help = "the same payload and concurrency at every layer, to find the bottleneck"};

const struct strata_element_type *const strata_element_types[] = {
    &campaign,
    &device,
    &memory,
    &strata_element_volumes_backend,
    &filesystem,
    &swift,
    &device_workload,
    &iops,
    &device_transfer,
    &steady_state,
    &cipher,
    &key_derivation,
    &strata_element_volumes_workload,
    &strata_element_metadata,
    &strata_element_transfer,
    &strata_element_file_types,
    &strata_element_file_sizes,
    &strata_element_time_of_day,
    &ladder,
};
const size_t strata_element_type_count = COUNT_OF(strata_element_types);

bool strata_element_type_is_implied(const struct strata_element_type *type)
{
    return type->role == STRATA_ROLE_BACKEND && type->option_count == 1;
}
