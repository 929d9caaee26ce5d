/* The options of workloads of the layers above devices: file systems, objects, users' files. They
 * belong to the one table in elements.c. */
#include "common/plan/elements.h"

static const struct strata_option metadata_options[] = {
    WORKLOAD_COMMON,
    {.name = "layout",
     .type = STRATA_OPTION_CHOICE,
     .list = true,
     .fallback = "unique",
     .choices = "unique shared",
     .help = "a directory for each job, or one for all"},
    {.name = "files",
     .type = STRATA_OPTION_COUNT,
     .list = true,
     .fallback = "10000",
     .minimum = 1,
     .maximum = UINT64_C(1) << 40,
     .help = "files in total, divided among the jobs"},
    {.name = "directories",
     .type = STRATA_OPTION_COUNT,
     .fallback = "0",
     .maximum = 1U << 20,
     .help = "subdirectories of each job's tree over which its files spread; 0: none"},
    {.name = "jobs",
     .type = STRATA_OPTION_COUNT,
     .list = true,
     .fallback = "1",
     .minimum = 1,
     .maximum = 256,
     .help = "threads at work"},
    {.name = "file-size",
     .type = STRATA_OPTION_SIZE,
     .list = true,
     .fallback = "0",
     .maximum = UINT64_C(1) << 40,
     .help = "bytes written into each file and read from it"},
    {.name = "duration",
     .type = STRATA_OPTION_DURATION,
     .fallback = "0s",
     .maximum = LONGEST,
     .scales = true,
     .help =
         "end each phase after this time at the latest; 0: no limit. Later phases use the files "
         "that were really made"},
};

static const struct strata_option transfer_options[] = {
    WORKLOAD_COMMON,
    {.name = "sizes",
     .type = STRATA_OPTION_SIZE,
     .list = true,
     .fallback = "4KiB 1MiB 16MiB",
     .maximum = UINT64_C(5) << 30,
     .help = "bytes of one object"},
    {.name = "concurrency",
     .type = STRATA_OPTION_COUNT,
     .list = true,
     .fallback = "1 8",
     .minimum = 1,
     .maximum = 4096,
     .help = "requests in flight"},
    {.name = "objects",
     .type = STRATA_OPTION_COUNT,
     .fallback = "0",
     .maximum = UINT64_C(1) << 32,
     .help = "objects of one run; 0: as many as the amount holds, at least 8 and from 4 to 128 for "
             "each request in flight"},
    {.name = "amount",
     .type = STRATA_OPTION_SIZE,
     .fallback = "64MiB",
     .help = "bytes of one run that decide the number of objects"},
};

#define USER_COMMON                                                                                \
    {                                                                                              \
        .name = "concurrency", .type = STRATA_OPTION_COUNT, .fallback = "1", .minimum = 1,         \
        .maximum = 4096, .help = "users, each with one transfer at a time"                         \
    }

static const struct strata_option file_types_options[] = {
    WORKLOAD_COMMON,
    USER_COMMON,
    {.name = "types",
     .type = STRATA_OPTION_CHOICE,
     .list = true,
     .fallback = "text image archive video",
     .choices = "text image archive video",
     .help = "kinds of file"},
    {.name = "size",
     .type = STRATA_OPTION_SIZE,
     .fallback = "1286KiB",
     .minimum = 2048,
     .maximum = UINT64_C(1) << 30,
     .help = "bytes of every file: 1286KiB = 1316864 bytes, 1286kB = 1286000 bytes"},
};

static const struct strata_option file_sizes_options[] = {
    WORKLOAD_COMMON,
    USER_COMMON,
    {.name = "types",
     .type = STRATA_OPTION_CHOICE,
     .list = true,
     .fallback = "text",
     .choices = "text image archive video",
     .help = "kinds of file"},
    {.name = "sizes",
     .type = STRATA_OPTION_SIZE,
     .list = true,
     .fallback = "16KiB 64KiB 256KiB 1MiB 4MiB 16MiB",
     .minimum = 2048,
     .maximum = UINT64_C(1) << 30,
     .help = "bytes of a file"},
};

static const struct strata_option time_of_day_options[] = {
    WORKLOAD_COMMON,
    USER_COMMON,
    {.name = "types",
     .type = STRATA_OPTION_CHOICE,
     .fallback = "text",
     .choices = "text image archive video",
     .help = "kind of file"},
    {.name = "size",
     .type = STRATA_OPTION_SIZE,
     .fallback = "16MiB",
     .minimum = 2048,
     .maximum = UINT64_C(1) << 30,
     .help = "bytes of the file"},
    {.name = "slots",
     .type = STRATA_OPTION_CLOCK,
     .list = true,
     .fallback = "00:00 04:00 08:00 12:00 16:00 20:00",
     .help = "local times of day at which the runs begin"},
    {.name = "days",
     .type = STRATA_OPTION_COUNT,
     .fallback = "1",
     .minimum = 1,
     .maximum = 366,
     .help = "how many days the slots are repeated"},
    {.name = "late",
     .type = STRATA_OPTION_DURATION,
     .fallback = "10m",
     .maximum = LONGEST,
     .help = "a slot that cannot begin within this time is recorded as missed"},
};

WORKLOAD(strata_element_metadata, "metadata", STRATA_LAYER_FILESYSTEM, "filesystem",
         metadata_options, NULL,
         "make the tree; create, stat, read, rename, list and unlink files; remove the tree");
WORKLOAD(strata_element_transfer, "transfer", STRATA_LAYER_SERVICE, "swift", transfer_options, NULL,
         "upload, download and delete objects, sizes times concurrency");
WORKLOAD(strata_element_file_types, "file-types", STRATA_LAYER_USER, "swift", file_types_options,
         NULL, "upload and download files of one size, types varied");
WORKLOAD(strata_element_file_sizes, "file-sizes", STRATA_LAYER_USER, "swift", file_sizes_options,
         NULL, "upload and download files of one type, sizes varied");
WORKLOAD(strata_element_time_of_day, "time-of-day", STRATA_LAYER_USER, "swift", time_of_day_options,
         NULL, "upload and download one file at given times of the day");
