/* What the whole machine did, from the kernel's own books: in dm-crypt kernel threads do the work,
 * and a process's own figures do not see it.
 *
 * Always holds: every value is cumulative, so that a reader subtracts two looks; what the kernel
 * does not have reads 0. Judging a difference is left to the campaign. Source: proc(5); Linux,
 * Documentation/block/stat.rst, Documentation/accounting/psi.rst. */
#include "common/host/counters.h"

#include "common/base/clock.h"
#include "common/host/counters_below.h"
#include "common/host/kernel_file.h"
#include "common/host/stack.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define NS_PER_S      UINT64_C(1000000000)
#define NS_PER_MS     UINT64_C(1000000)
#define NS_PER_US     UINT64_C(1000)
#define SECTOR_BYTES  UINT64_C(512) /* of /sys/block/…/stat, whatever the device's own sector */
#define NET_DEV_BYTES 16384

/* ---- which disks ---- */

static bool known(const struct strata_counter_disks *disks, const char *name)
{
    for (size_t i = 0; i < disks->count; i++) {
        if (strcmp(disks->names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static bool add(const char *name, struct strata_counter_disks *disks)
{
    if (disks->count == STRATA_COUNTERS_DISKS) {
        return false;
    }
    snprintf(disks->names[disks->count++], sizeof disks->names[0], "%s", name);
    return true;
}

/* Returns whether there is any. */
static bool add_below(const char *root, const char *name, struct strata_counter_disks *disks)
{
    struct strata_stack_below below;
    strata_stack_find_below(root, name, &below);
    for (size_t i = 0; i < below.count; i++) {
        if (!known(disks, below.names[i]) && add(below.names[i], disks)) {
            (void)add_below(root, below.names[i], disks);
        }
    }
    return below.count > 0;
}

void strata_counters_find_disks_below(const char *root, const char *const *paths, size_t count,
                                      struct strata_counter_disks *disks)
{
    *disks = (struct strata_counter_disks){.count = 0};
    for (size_t i = 0; i < count; i++) {
        char name[STRATA_STACK_NAME];
        if (!strata_stack_device_of(root, paths[i], name) ||
            (!known(disks, name) && !add(name, disks))) {
            disks->count = 0;
            return;
        }
    }
    disks->top_count = disks->count;
    for (size_t i = 0; i < disks->top_count; i++) {
        bool stands = add_below(root, disks->names[i], disks);
        disks->partly_below = disks->partly_below || !stands;
    }
}

void strata_counters_find_disks(const char *const *paths, size_t count,
                                struct strata_counter_disks *disks)
{
    strata_counters_find_disks_below("", paths, count, disks);
}

/* ---- one look ---- */

static void read_cpu(const char *root, struct strata_counters *counters)
{
    char text[256];
    uint64_t user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
    if (!strata_kernel_file_read(text, sizeof text, "%s/proc/stat", root) ||
        sscanf(text,
               "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
               " %" SCNu64 " %" SCNu64,
               &user, &nice, &system, &idle, &iowait, &irq, &softirq, &steal) < 4) {
        return;
    }
    uint64_t tick_ns = NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
    counters->cpu_user_ns = (user + nice) * tick_ns;
    counters->cpu_system_ns = (system + irq + softirq) * tick_ns;
    counters->cpu_idle_ns = (idle + iowait) * tick_ns;
    counters->cpu_steal_ns = steal * tick_ns;
}

static uint64_t timeval_ns(struct timeval time)
{
    return (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_usec * NS_PER_US;
}

static void read_process(struct strata_counters *counters)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        counters->process_user_ns = timeval_ns(usage.ru_utime);
        counters->process_system_ns = timeval_ns(usage.ru_stime);
    }
}

/* Two lines of titles, then "NAME: received-bytes 7 others sent-bytes 7 others". */
static void read_network(const char *root, struct strata_counters *counters)
{
    char text[NET_DEV_BYTES];
    strata_kernel_file_read(text, sizeof text, "%s/proc/net/dev", root);
    for (char *line = text, *next; *line != '\0'; line = next) {
        next = strchr(line, '\n');
        next = next == NULL ? line + strlen(line) : next + 1;
        uint64_t received = 0, sent = 0;
        char *colon = memchr(line, ':', (size_t)(next - line));
        if (colon != NULL && sscanf(colon, ": %" SCNu64 " %*u %*u %*u %*u %*u %*u %*u %" SCNu64,
                                    &received, &sent) == 2) {
            counters->network_received_bytes += received;
            counters->network_sent_bytes += sent;
        }
    }
}

/* The line "some avg10=0.00 avg60=0.00 avg300=0.00 total=MICROSECONDS". */
static bool read_pressure(const char *root, const char *resource, uint64_t *ret_ns)
{
    char text[256];
    uint64_t total_us = 0;
    if (!strata_kernel_file_read(text, sizeof text, "%s/proc/pressure/%s", root, resource) ||
        sscanf(text, "some %*s %*s %*s total=%" SCNu64, &total_us) != 1) {
        return false;
    }
    *ret_ns = total_us * NS_PER_US;
    return true;
}

/* The flag alone does not tell: device-mapper counts whatever it says. */
static bool keeps_no_counters(const char *root, const char *name)
{
    uint64_t counts;
    return strata_kernel_file_number(&counts, "%s/sys/class/block/%s/queue/iostats", root, name) &&
           counts == 0;
}

static void read_disk(const char *root, const char *name, struct strata_disk_counter *disk)
{
    char text[512];
    uint64_t reads = 0, sectors_read = 0, writes = 0, sectors_written = 0, busy_ms = 0;
    snprintf(disk->name, sizeof disk->name, "%s", name);
    if (strata_kernel_file_read(text, sizeof text, "%s/sys/class/block/%s/stat", root, name) &&
        sscanf(text, "%" SCNu64 " %*u %" SCNu64 " %*u %" SCNu64 " %*u %" SCNu64 " %*u %*u %" SCNu64,
               &reads, &sectors_read, &writes, &sectors_written, &busy_ms) == 5) {
        disk->reads = reads;
        disk->read_bytes = sectors_read * SECTOR_BYTES;
        disk->writes = writes;
        disk->written_bytes = sectors_written * SECTOR_BYTES;
        disk->busy_ns = busy_ms * NS_PER_MS;
    }
    disk->uncounted = reads == 0 && writes == 0 && keeps_no_counters(root, name);
}

void strata_counters_read_below(const char *root, const struct strata_counter_disks *disks,
                                struct strata_counters *ret_counters)
{
    memset(ret_counters, 0, sizeof *ret_counters);
    read_cpu(root, ret_counters);
    read_process(ret_counters);
    read_network(root, ret_counters);
    ret_counters->has_pressure =
        read_pressure(root, "cpu", &ret_counters->pressure_cpu_some_ns) &&
        read_pressure(root, "io", &ret_counters->pressure_io_some_ns) &&
        read_pressure(root, "memory", &ret_counters->pressure_memory_some_ns);
    ret_counters->top_count = disks != NULL ? disks->top_count : 0;
    ret_counters->partly_below = disks != NULL && disks->partly_below;
    for (size_t i = 0; disks != NULL && i < disks->count; i++) {
        read_disk(root, disks->names[i], &ret_counters->disks[i]);
        ret_counters->disk_count++;
    }
    ret_counters->at_ns = strata_clock_monotonic_ns(); /* nothing was read later than it says */
}

void strata_counters_read(const struct strata_counter_disks *disks,
                          struct strata_counters *ret_counters)
{
    strata_counters_read_below("", disks, ret_counters);
}

/* ---- as rows ---- */

void strata_counters_each(const struct strata_counters *counters,
                          void (*emit)(void *context, const char *metric, const char *instance,
                                       uint64_t value),
                          void *context)
{
    emit(context, "cpu_user_ns", "", counters->cpu_user_ns);
    emit(context, "cpu_system_ns", "", counters->cpu_system_ns);
    emit(context, "cpu_idle_ns", "", counters->cpu_idle_ns);
    emit(context, "cpu_steal_ns", "", counters->cpu_steal_ns);
    emit(context, "process_user_ns", "", counters->process_user_ns);
    emit(context, "process_system_ns", "", counters->process_system_ns);
    emit(context, "network_received_bytes", "", counters->network_received_bytes);
    emit(context, "network_sent_bytes", "", counters->network_sent_bytes);
    if (counters->has_pressure) {
        emit(context, "pressure_cpu_some_ns", "", counters->pressure_cpu_some_ns);
        emit(context, "pressure_io_some_ns", "", counters->pressure_io_some_ns);
        emit(context, "pressure_memory_some_ns", "", counters->pressure_memory_some_ns);
    }
    for (size_t i = 0; i < counters->disk_count; i++) {
        const struct strata_disk_counter *disk = &counters->disks[i];
        emit(context, "disk_reads", disk->name, disk->reads);
        emit(context, "disk_read_bytes", disk->name, disk->read_bytes);
        emit(context, "disk_writes", disk->name, disk->writes);
        emit(context, "disk_written_bytes", disk->name, disk->written_bytes);
        emit(context, "disk_busy_ns", disk->name, disk->busy_ns);
    }
}
