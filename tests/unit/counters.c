#include "common/host/counters.h"

#include "common/base/clock.h"
#include "common/host/counters_below.h"
#include "tests/unit/fake_root.h"
#include "tests/unit/harness.h"

#include <inttypes.h>
#include <stdint.h>
#include <sys/sysmacros.h>

/* One line of a command's output: the independent reader. */
static void ask(const char *command, char *ret_line, size_t size)
{
    FILE *pipe = popen(command, "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(pipe);
    ret_line[0] = '\0';
    if (fgets(ret_line, (int)size, pipe) != NULL) {
        ret_line[strcspn(ret_line, "\n")] = '\0';
    }
    (void)pclose(pipe);
}

static uint64_t ask_number(const char *command)
{
    char line[64];
    ask(command, line, sizeof line);
    return strtoull(line, NULL, 10);
}

/* Figures of proc(5)'s and stat.rst's layouts, each value different so that no two can be mixed up.
 */
static void fake_machine(void)
{
    fake_begin();
    fake_file("/proc/stat", "cpu  100 20 30 400 50 6 7 80 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\n");
    fake_file(
        "/proc/net/dev",
        "Inter-|   Receive                                                |  Transmit\n"
        " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs "
        "drop fifo colls carrier compressed\n"
        "    lo:    1000       1    2    3    4     5          6         7     2000       9   10 "
        "  11   12    13      14         15\n"
        "  eth0:18446744073709550000 1 2 3 4 5 6 7 500 9 10 11 12 13 14 15\n");
    fake_file("/proc/pressure/cpu", "some avg10=0.48 avg60=1.90 avg300=2.44 total=11\n"
                                    "full avg10=0.00 avg60=0.00 avg300=0.00 total=99\n");
    fake_file("/proc/pressure/io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=22\n");
    fake_file("/proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=33\n");
    fake_disk("sda", "8:0");
    fake_attribute(
        "sda", "stat",
        "   65957    10999  4728496    85066    28195    11233 62933510   551016        3  "
        "  35940   644771     8056       31 64739184     8094     3801      594\n");
    fake_attribute("sda", "queue/iostats", "0\n"); /* as device-mapper says, and counts */
    fake_disk("ram0", "1:0");
    fake_attribute("ram0", "queue/iostats", "0\n");
    struct strata_counter_disks disks = {.names = {"sda", "gone", "ram0"}, .count = 3};
    struct strata_counters counters;
    strata_counters_read_below(fake_root, &disks, &counters);
    CU_ASSERT_EQUAL(sysconf(_SC_CLK_TCK), 100);
    CU_ASSERT_EQUAL(counters.cpu_user_ns, UINT64_C(1200000000));
    CU_ASSERT_EQUAL(counters.cpu_system_ns, UINT64_C(430000000));
    CU_ASSERT_EQUAL(counters.cpu_idle_ns, UINT64_C(4500000000));
    CU_ASSERT_EQUAL(counters.cpu_steal_ns, UINT64_C(800000000));
    CU_ASSERT_EQUAL(counters.network_received_bytes, UINT64_C(18446744073709551000));
    CU_ASSERT_EQUAL(counters.network_sent_bytes, 2500);
    CU_ASSERT_TRUE(counters.has_pressure);
    CU_ASSERT_EQUAL(counters.pressure_cpu_some_ns, 11000);
    CU_ASSERT_EQUAL(counters.pressure_io_some_ns, 22000);
    CU_ASSERT_EQUAL(counters.pressure_memory_some_ns, 33000);
    CU_ASSERT_EQUAL(counters.disk_count, 3);
    CU_ASSERT_FALSE(counters.disks[0].uncounted);
    CU_ASSERT_TRUE(counters.disks[2].uncounted);
    CU_ASSERT_EQUAL(counters.disks[0].reads, 65957);
    CU_ASSERT_EQUAL(counters.disks[0].read_bytes, UINT64_C(4728496) * 512);
    CU_ASSERT_EQUAL(counters.disks[0].writes, 28195);
    CU_ASSERT_EQUAL(counters.disks[0].written_bytes, UINT64_C(62933510) * 512);
    CU_ASSERT_EQUAL(counters.disks[0].busy_ns, UINT64_C(35940000000));
    CU_ASSERT_STRING_EQUAL(counters.disks[1].name, "gone");
    CU_ASSERT_EQUAL(counters.disks[1].reads, 0);
    fake_end();
}

static void a_kernel_without_them(void)
{
    fake_begin();
    struct strata_counters counters;
    strata_counters_read_below(fake_root, NULL, &counters);
    CU_ASSERT_EQUAL(counters.cpu_idle_ns, 0);
    CU_ASSERT_EQUAL(counters.network_received_bytes, 0);
    CU_ASSERT_FALSE(counters.has_pressure);
    CU_ASSERT_EQUAL(counters.disk_count, 0);
    CU_ASSERT_TRUE(counters.at_ns > 0);
    fake_end();
}

/* A loop device over a file on a partition of a RAID of two disks; all names once, the top first.
 */
static void a_stack(void)
{
    char folder[128];
    char holder[64];
    struct stat status;
    fake_begin();
    fake_disk("sda", "8:0");
    fake_disk("sdb", "8:16");
    fake_disk("md0", "9:0");
    fake_slave("md0", "sdb");
    fake_slave("md0", "sda");
    fake_file("/sys/devices/md0/md0p1/partition", "1\n");
    fake_link("/sys/class/block/md0p1", "../../devices/md0/md0p1");
    CU_ASSERT_EQUAL_FATAL(stat(fake_root, &status), 0);
    snprintf(holder, sizeof holder, "/sys/dev/block/%u:%u", major(status.st_dev),
             minor(status.st_dev));
    fake_link(holder, "../../devices/md0/md0p1");
    fake_disk("loop7", "7:7");
    fake_file("/images/disk.img", "");
    fake_attribute("loop7", "loop/backing_file", "/images/disk.img\n");
    snprintf(folder, sizeof folder, "%s/images", fake_root);

    struct strata_counter_disks disks = {.count = 0};
    const char *const one[] = {folder};
    strata_counters_find_disks_below(fake_root, one, 1, &disks);
    CU_ASSERT_EQUAL_FATAL(disks.count, 4);
    CU_ASSERT_EQUAL(disks.top_count, 1);
    CU_ASSERT_STRING_EQUAL(disks.names[0], "md0p1");
    CU_ASSERT_STRING_EQUAL(disks.names[1], "md0");
    CU_ASSERT_STRING_EQUAL(disks.names[2], "sda");
    CU_ASSERT_STRING_EQUAL(disks.names[3], "sdb");

    /* A set: first its members, then what is below them, each once; of a member that lies on no
     * device nothing can be counted, so nothing is. */
    struct stat image;
    char file[160];
    snprintf(file, sizeof file, "%s/images/disk.img", fake_root);
    CU_ASSERT_EQUAL_FATAL(stat(file, &image), 0);
    const char *const same[] = {folder, file};
    strata_counters_find_disks_below(fake_root, same, 2, &disks);
    CU_ASSERT_EQUAL(disks.count, 4);
    CU_ASSERT_EQUAL(disks.top_count, 1);
    const char *const partly[] = {folder, "/proc"};
    strata_counters_find_disks_below(fake_root, partly, 2, &disks);
    CU_ASSERT_EQUAL(disks.count, 0);
    CU_ASSERT_EQUAL(disks.top_count, 0);
    fake_end();
}

static void no_device_below(void)
{
    struct strata_counter_disks disks = {.count = 0};
    const char *const paths[] = {"/proc", "/nonexistent"};
    strata_counters_find_disks(paths, 1, &disks);
    CU_ASSERT_EQUAL(disks.count, 0);
    strata_counters_find_disks(paths + 1, 1, &disks);
    CU_ASSERT_EQUAL(disks.count, 0);
}

/* The top of the current folder's stack is what findmnt and lsblk name. */
static void as_lsblk_sees_it(void)
{
    char wanted[64];
    ask("lsblk -no KNAME \"$(findmnt -no SOURCE -T .)\" 2>/dev/null | head -n 1", wanted,
        sizeof wanted);
    if (wanted[0] == '\0') {
        harness_skip("this folder lies on no block device that lsblk knows");
        return;
    }
    struct strata_counter_disks disks = {.count = 0};
    const char *const here[] = {"."};
    strata_counters_find_disks(here, 1, &disks);
    CU_ASSERT_EQUAL_FATAL(disks.count > 0, 1);
    CU_ASSERT_STRING_EQUAL(disks.names[0], wanted);
}

/* Between two looks of ours lies one of awk's: cumulative counters must hold it between them. */
static void as_awk_reads_it(void)
{
    struct strata_counters before;
    struct strata_counters after;
    strata_counters_read(NULL, &before);
    uint64_t user = ask_number("awk '/^cpu /{printf \"%.0f\", ($2+$3)*1e7}' /proc/stat");
    uint64_t idle = ask_number("awk '/^cpu /{printf \"%.0f\", ($5+$6)*1e7}' /proc/stat");
    uint64_t received =
        ask_number("awk -F'[: ]+' 'NR>2{s+=$3} END{printf \"%.0f\", s}' /proc/net/dev");
    strata_counters_read(NULL, &after);
    CU_ASSERT_TRUE(before.cpu_user_ns <= user && user <= after.cpu_user_ns);
    CU_ASSERT_TRUE(before.cpu_idle_ns <= idle && idle <= after.cpu_idle_ns);
    CU_ASSERT_TRUE(before.network_received_bytes <= received &&
                   received <= after.network_received_bytes);
    CU_ASSERT_TRUE(before.at_ns < after.at_ns);
}

/* 50 ms of work show as 50 ms of this process, of which the whole machine's figure knows too. */
static void work_shows(void)
{
    struct strata_counters before;
    struct strata_counters after;
    strata_counters_read(NULL, &before);
    uint64_t wanted_ns = UINT64_C(50000000);
    volatile uint64_t sink = 0;
    do {
        for (unsigned i = 0; i < 100000; i++) {
            sink += i;
        }
        strata_counters_read(NULL, &after);
    } while (after.process_user_ns - before.process_user_ns < wanted_ns);
    CU_ASSERT_TRUE(sink > 0);
    CU_ASSERT_TRUE(after.at_ns - before.at_ns >= wanted_ns);
    CU_ASSERT_TRUE(after.cpu_user_ns + after.cpu_system_ns -
                       (before.cpu_user_ns + before.cpu_system_ns) >=
                   wanted_ns - UINT64_C(20000000));
}

static void cheap(void)
{
    struct strata_counter_disks disks = {.count = 0};
    struct strata_counters counters;
    const char *const here[] = {"."};
    strata_counters_find_disks(here, 1, &disks);
    uint64_t best = UINT64_MAX;
    for (unsigned i = 0; i < 50; i++) {
        uint64_t begin = strata_clock_monotonic_ns();
        strata_counters_read(&disks, &counters);
        uint64_t took = strata_clock_monotonic_ns() - begin;
        best = took < best ? took : best;
    }
    printf(" %" PRIu64 " us ", best / 1000);
    CU_ASSERT_TRUE(best < UINT64_C(2000000));
}

struct seen {
    char rows[1024];
};

static void see(void *context, const char *metric, const char *instance, uint64_t value)
{
    struct seen *seen = context;
    size_t length = strlen(seen->rows);
    snprintf(seen->rows + length, sizeof seen->rows - length, "%s,%s,%" PRIu64 ";", metric,
             instance, value);
}

static void as_rows(void)
{
    struct strata_counters counters = {.cpu_user_ns = 1,
                                       .cpu_system_ns = 2,
                                       .cpu_idle_ns = 3,
                                       .cpu_steal_ns = 4,
                                       .process_user_ns = 5,
                                       .process_system_ns = 6,
                                       .network_received_bytes = 7,
                                       .network_sent_bytes = 8,
                                       .pressure_cpu_some_ns = 99,
                                       .disks = {{"loop0", 10, 11, 12, 13, 14, false}},
                                       .disk_count = 1};
    struct seen seen = {""};
    strata_counters_each(&counters, see, &seen);
    CU_ASSERT_STRING_EQUAL(
        seen.rows, "cpu_user_ns,,1;cpu_system_ns,,2;cpu_idle_ns,,3;cpu_steal_ns,,4;"
                   "process_user_ns,,5;process_system_ns,,6;network_received_bytes,,7;"
                   "network_sent_bytes,,8;disk_reads,loop0,10;disk_read_bytes,loop0,11;"
                   "disk_writes,loop0,12;disk_written_bytes,loop0,13;disk_busy_ns,loop0,14;");
    counters.has_pressure = true;
    seen.rows[0] = '\0';
    strata_counters_each(&counters, see, &seen);
    CU_ASSERT_PTR_NOT_NULL(strstr(seen.rows, "pressure_cpu_some_ns,,99;"));
}

static const struct harness_test tests[] = {
    {"every figure from its column", fake_machine},
    {"what a kernel lacks is 0", a_kernel_without_them},
    {"a stack of devices, each once, the top first", a_stack},
    {"no device below /proc", no_device_below},
    {"the device that lsblk names", as_lsblk_sees_it},
    {"the figures that awk reads", as_awk_reads_it},
    {"work done shows", work_shows},
    {"a look costs little", cheap},
    {"each metric by its name", as_rows},
};
HARNESS_MAIN("counters", tests)
