/* The kernel's own counters, beside the tool's: what the machine did while a run was measured. */
#ifndef STRATA_HOST_COUNTERS_H
#define STRATA_HOST_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { STRATA_COUNTERS_DISKS = 32 };

struct strata_disk_counter {
    char name[32]; /* "nvme0n1", "loop0", "dm-0" */
    uint64_t reads;
    uint64_t read_bytes;
    uint64_t writes;
    uint64_t written_bytes;
    uint64_t busy_ns; /* io_ticks */
    bool uncounted;   /* the kernel keeps none of these for it, so that they stay 0: a RAM disk */
};

/* One look; cumulative since boot (process: since start). What the kernel does not have is 0 and
 * its flag false. */
struct strata_counters {
    uint64_t at_ns;         /* monotonic */
    uint64_t cpu_user_ns;   /* whole machine, all cores: user and nice */
    uint64_t cpu_system_ns; /* system, irq, softirq */
    uint64_t cpu_idle_ns;   /* idle and iowait */
    uint64_t cpu_steal_ns;
    uint64_t process_user_ns; /* this process */
    uint64_t process_system_ns;
    uint64_t network_received_bytes; /* all interfaces, loopback included */
    uint64_t network_sent_bytes;
    bool has_pressure;
    uint64_t pressure_cpu_some_ns;
    uint64_t pressure_io_some_ns;
    uint64_t pressure_memory_some_ns;
    struct strata_disk_counter disks[STRATA_COUNTERS_DISKS];
    size_t disk_count;
    size_t top_count;  /* the first disks are the back end itself; the others are below */
    bool partly_below; /* some of the first stand on none: those below saw a part of the bytes */
};

/* Which disks to look at: the device of a path and its slaves, walking down (dm, md, loop and the
 * device that holds the loop's file). */
struct strata_counter_disks {
    char names[STRATA_COUNTERS_DISKS][32];
    size_t count;
    size_t top_count;  /* of the first ones, those that are the paths themselves */
    bool partly_below; /* some of those stand on no other: a loop device over tmpfs in a set */
};

/* Find the stacks below the paths (block devices, files or directories; several are a set): first
 * what each path is or lies on, then what is below, each name once. Where a path has no block
 * device (tmpfs, network) there is none at all, since the others' would be a part of the whole. */
void strata_counters_find_disks(const char *const *paths, size_t count,
                                struct strata_counter_disks *disks);

/* Read all counters. Cheap enough for once a second (about 100 us). `disks` may be NULL. */
void strata_counters_read(const struct strata_counter_disks *disks,
                          struct strata_counters *ret_counters);

/* Call `emit` for each metric with its name and instance ("cpu_user_ns", ""; "disk_read_bytes",
 * "loop0"); the names are those of the table `counter`. */
void strata_counters_each(const struct strata_counters *counters,
                          void (*emit)(void *context, const char *metric, const char *instance,
                                       uint64_t value),
                          void *context);

#endif
