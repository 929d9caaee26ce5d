/* A disk that misbehaves as it is told: one file over FUSE, served from a backing file, for tests
 * to use as it is or below a loop device.
 *
 *   faulty_disk MOUNT-POINT BACKING-FILE [FAULT…]      serves MOUNT-POINT/disk until SIGTERM
 *
 *   fail=FROM-TO    EIO for what touches these bytes (sizes as Strata's options take them)
 *   hang=FROM-TO    what touches these bytes is not answered
 *   flip=BYTE       the byte there is read inverted
 *   short=BYTES     a read gives at most so many bytes
 *   delay=TIME      an operation takes so long (in parallel with others)
 *   slow=FROM-TO    only those that touch these bytes are delayed
 *   pace=TIME       likewise, also while the disk is well
 *   only=read|write the faults are those of one kind of operation
 *   after=TIME      the disk is well for so long after its first operation
 *   well            … until it is told otherwise
 *
 * SIGUSR1 turns the faults on or off; when they go, what hangs is answered. The end of the process
 * ends the mount, and what hangs then fails. No cache stands before the file. */
#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/memory.h"
#include "common/base/units.h"

#define FUSE_USE_VERSION 35
#include <errno.h>
#include <fcntl.h>
#include <fuse3/fuse_lowlevel.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_NAME  "disk"
#define FILE_INODE ((fuse_ino_t)2)
#define SECOND_NS  UINT64_C(1000000000)

enum { MOST_IN_FLIGHT = 4096, LARGEST_REQUEST = 1 << 20 };

/* Bytes from `from` up to, not including, `to`; none when both are equal. */
struct range {
    uint64_t from;
    uint64_t to;
};

struct request {
    struct request *next;
    fuse_req_t handle;
    bool writes;
    bool faulty; /* as the disk was when it came */
    uint64_t offset;
    size_t bytes;
    uint64_t due_ns; /* when it is answered; UINT64_MAX: not by itself */
    uint8_t data[];
};

struct disk {
    int file;
    struct stat status;
    struct range fail;
    struct range hang;
    struct range flip;
    struct range slow;
    uint64_t short_bytes;
    uint64_t delay_ns;
    uint64_t pace_ns;
    uint64_t after_ns;
    bool reads_suffer;
    bool writes_suffer;
    bool faulty;
    uint64_t first_ns; /* when the first operation came; 0 before */
    struct request *waiting;
};

static bool touches(const struct range *range, const struct request *request)
{
    return request->offset < range->to && range->from < request->offset + request->bytes;
}

static bool suffers(struct disk *disk, bool writes, uint64_t now_ns)
{
    bool kind = writes ? disk->writes_suffer : disk->reads_suffer;
    return disk->faulty && kind && now_ns - disk->first_ns >= disk->after_ns;
}

static void answer_read(struct disk *disk, struct request *request)
{
    size_t bytes = request->bytes;
    if (request->faulty && disk->short_bytes > 0 && bytes > disk->short_bytes) {
        bytes = disk->short_bytes;
    }
    ssize_t got = pread(disk->file, request->data, bytes, (off_t)request->offset);
    if (got < 0) {
        (void)fuse_reply_err(request->handle, errno);
        return;
    }
    if (request->faulty && touches(&disk->flip, request) &&
        disk->flip.from - request->offset < (uint64_t)got) {
        request->data[disk->flip.from - request->offset] ^= 0xff;
    }
    (void)fuse_reply_buf(request->handle, (const char *)request->data, (size_t)got);
}

static void answer(struct disk *disk, struct request *request)
{
    if (request->faulty && touches(&disk->fail, request)) {
        (void)fuse_reply_err(request->handle, EIO);
    } else if (request->writes) {
        ssize_t put = pwrite(disk->file, request->data, request->bytes, (off_t)request->offset);
        if (put < 0) {
            (void)fuse_reply_err(request->handle, errno);
        } else {
            (void)fuse_reply_write(request->handle, (size_t)put);
        }
    } else {
        answer_read(disk, request);
    }
    free(request);
}

/* Answer what is due. Returns when the next one is. */
static uint64_t answer_due(struct disk *disk)
{
    uint64_t now_ns = strata_clock_monotonic_ns();
    uint64_t next_ns = UINT64_MAX;
    struct request **link = &disk->waiting;
    while (*link != NULL) {
        struct request *request = *link;
        if (request->due_ns <= now_ns) {
            *link = request->next;
            answer(disk, request);
        } else {
            next_ns = request->due_ns < next_ns ? request->due_ns : next_ns;
            link = &request->next;
        }
    }
    return next_ns;
}

static void take(fuse_req_t handle, bool writes, const void *data, size_t bytes, off_t offset)
{
    struct disk *disk = fuse_req_userdata(handle);
    uint64_t now_ns = strata_clock_monotonic_ns();
    disk->first_ns = disk->first_ns == 0 ? now_ns : disk->first_ns;
    struct request *request = strata_memory_new(1, sizeof(*request) + bytes);
    request->handle = handle;
    request->writes = writes;
    request->offset = (uint64_t)offset;
    request->bytes = bytes;
    request->faulty = suffers(disk, writes, now_ns);
    bool delayed = request->faulty && disk->delay_ns > 0 && touches(&disk->slow, request);
    request->due_ns = now_ns + (delayed ? disk->delay_ns : disk->pace_ns);
    if (request->faulty && touches(&disk->hang, request)) {
        request->due_ns = UINT64_MAX;
    }
    if (writes) {
        memcpy(request->data, data, bytes);
    }
    struct request **link = &disk->waiting; /* in the order of their coming */
    while (*link != NULL) {
        link = &(*link)->next;
    }
    *link = request;
}

static void release(struct disk *disk)
{
    for (struct request *request = disk->waiting; request != NULL; request = request->next) {
        request->faulty = false;
        request->due_ns = 0;
    }
}

/* --- the file system of one file ----------------------------------------------------------------
 */

static struct stat status_of(const struct disk *disk, fuse_ino_t inode)
{
    struct stat status = {.st_ino = inode, .st_mode = S_IFDIR | 0755, .st_nlink = 2};
    if (inode == FILE_INODE) {
        status = disk->status;
        status.st_ino = inode;
    }
    return status;
}

static void begin(void *userdata, struct fuse_conn_info *connection)
{
    (void)userdata;
    connection->max_background = MOST_IN_FLIGHT;
    connection->congestion_threshold = MOST_IN_FLIGHT;
    connection->max_write = LARGEST_REQUEST;
}

static void lookup(fuse_req_t handle, fuse_ino_t parent, const char *name)
{
    const struct disk *disk = fuse_req_userdata(handle);
    if (parent != FUSE_ROOT_ID || strcmp(name, FILE_NAME) != 0) {
        (void)fuse_reply_err(handle, ENOENT);
        return;
    }
    struct fuse_entry_param entry = {.ino = FILE_INODE,
                                     .attr = status_of(disk, FILE_INODE),
                                     .attr_timeout = 3600,
                                     .entry_timeout = 3600};
    (void)fuse_reply_entry(handle, &entry);
}

static void getattr(fuse_req_t handle, fuse_ino_t inode, struct fuse_file_info *info)
{
    (void)info;
    struct stat status = status_of(fuse_req_userdata(handle), inode);
    (void)fuse_reply_attr(handle, &status, 3600);
}

static void open_file(fuse_req_t handle, fuse_ino_t inode, struct fuse_file_info *info)
{
    if (inode != FILE_INODE) {
        (void)fuse_reply_err(handle, EISDIR);
        return;
    }
    info->direct_io = 1;
    (void)fuse_reply_open(handle, info);
}

static void read_file(fuse_req_t handle, fuse_ino_t inode, size_t bytes, off_t offset,
                      struct fuse_file_info *info)
{
    (void)inode, (void)info;
    take(handle, false, NULL, bytes, offset);
}

static void write_file(fuse_req_t handle, fuse_ino_t inode, const char *data, size_t bytes,
                       off_t offset, struct fuse_file_info *info)
{
    (void)inode, (void)info;
    take(handle, true, data, bytes, offset);
}

static void sync_file(fuse_req_t handle, fuse_ino_t inode, int data_only,
                      struct fuse_file_info *info)
{
    (void)inode, (void)data_only, (void)info;
    (void)fuse_reply_err(handle, 0);
}

static const struct fuse_lowlevel_ops operations = {.init = begin,
                                                    .lookup = lookup,
                                                    .getattr = getattr,
                                                    .open = open_file,
                                                    .read = read_file,
                                                    .write = write_file,
                                                    .fsync = sync_file};

/* --- what is asked -------------------------------------------------------------------------------
 */

static bool parse_range(char *text, struct range *range, struct strata_error *error)
{
    char *dash = strchr(text, '-');
    if (dash == NULL) {
        return false;
    }
    *dash = '\0';
    return strata_units_parse_size(text, &range->from, error) == STRATA_OK &&
           strata_units_parse_size(dash + 1, &range->to, error) == STRATA_OK;
}

static bool parse_fault(char *text, struct disk *disk, struct strata_error *error)
{
    char *value = strchr(text, '=');
    if (value == NULL) {
        disk->faulty = strcmp(text, "well") != 0;
        return !disk->faulty;
    }
    *value++ = '\0';
    if (strcmp(text, "fail") == 0) {
        return parse_range(value, &disk->fail, error);
    }
    if (strcmp(text, "hang") == 0) {
        return parse_range(value, &disk->hang, error);
    }
    if (strcmp(text, "slow") == 0) {
        return parse_range(value, &disk->slow, error);
    }
    if (strcmp(text, "flip") == 0) {
        bool parsed = strata_units_parse_size(value, &disk->flip.from, error) == STRATA_OK;
        disk->flip.to = disk->flip.from + 1;
        return parsed;
    }
    if (strcmp(text, "short") == 0) {
        return strata_units_parse_size(value, &disk->short_bytes, error) == STRATA_OK;
    }
    if (strcmp(text, "only") == 0) {
        disk->reads_suffer = strcmp(value, "read") == 0;
        disk->writes_suffer = strcmp(value, "write") == 0;
        return disk->reads_suffer || disk->writes_suffer;
    }
    uint64_t *duration_ns = strcmp(text, "delay") == 0   ? &disk->delay_ns
                            : strcmp(text, "pace") == 0  ? &disk->pace_ns
                            : strcmp(text, "after") == 0 ? &disk->after_ns
                                                         : NULL;
    return duration_ns != NULL &&
           strata_units_parse_duration(value, duration_ns, error) == STRATA_OK;
}

static bool open_disk(char **argv, struct disk *disk)
{
    for (char **fault = argv + 3; *fault != NULL; fault++) {
        struct strata_error error = {.text = "no such fault"};
        if (!parse_fault(*fault, disk, &error)) {
            (void)fprintf(stderr, "faulty_disk: %s: %s\n", *fault, error.text);
            return false;
        }
    }
    disk->file = open(argv[2], O_RDWR | O_CLOEXEC);
    if (disk->file < 0 || fstat(disk->file, &disk->status) != 0) {
        (void)fprintf(stderr, "faulty_disk: %s: %s\n", argv[2], strerror(errno));
        return false;
    }
    return true;
}

/* --- serving -------------------------------------------------------------------------------------
 */

static int open_signals(void)
{
    sigset_t wanted;
    (void)sigemptyset(&wanted);
    (void)sigaddset(&wanted, SIGUSR1);
    (void)sigaddset(&wanted, SIGTERM);
    (void)sigaddset(&wanted, SIGINT);
    (void)sigaddset(&wanted, SIGHUP);
    (void)sigprocmask(SIG_BLOCK, &wanted, NULL);
    return signalfd(-1, &wanted, SFD_CLOEXEC);
}

/* Returns whether to go on. */
static bool heed_signal(struct disk *disk, int signals)
{
    struct signalfd_siginfo signal;
    if (read(signals, &signal, sizeof(signal)) != sizeof(signal) || signal.ssi_signo != SIGUSR1) {
        return false;
    }
    disk->faulty = !disk->faulty;
    if (!disk->faulty) {
        release(disk);
    }
    return true;
}

static void serve(struct disk *disk, struct fuse_session *session, int signals)
{
    struct fuse_buf buffer = {0};
    struct pollfd events[] = {{.fd = fuse_session_fd(session), .events = POLLIN},
                              {.fd = signals, .events = POLLIN}};
    while (!fuse_session_exited(session)) {
        uint64_t next_ns = answer_due(disk);
        uint64_t now_ns = strata_clock_monotonic_ns();
        uint64_t left_ns = next_ns > now_ns ? next_ns - now_ns : 0;
        struct timespec left = {.tv_sec = (time_t)(left_ns / SECOND_NS),
                                .tv_nsec = (long)(left_ns % SECOND_NS)};
        if (ppoll(events, 2, next_ns == UINT64_MAX ? NULL : &left, NULL) < 0) {
            break;
        }
        if (events[1].revents != 0 && !heed_signal(disk, signals)) {
            break;
        }
        if (events[0].revents != 0) {
            int got = fuse_session_receive_buf(session, &buffer);
            if (got > 0) {
                fuse_session_process_buf(session, &buffer);
            } else if (got != -EINTR && got != -EAGAIN) {
                break;
            }
        }
    }
    free(buffer.mem);
}

int main(int argc, char **argv)
{
    struct disk disk = {
        .slow = {.to = UINT64_MAX}, .reads_suffer = true, .writes_suffer = true, .faulty = true};
    if (argc < 3 || !open_disk(argv, &disk)) {
        (void)fputs("usage: faulty_disk MOUNT-POINT BACKING-FILE [FAULT…]\n", stderr);
        return 2;
    }
    int signals = open_signals();
    char *arguments[] = {argv[0], NULL};
    struct fuse_args none = FUSE_ARGS_INIT(1, arguments);
    struct fuse_session *session = fuse_session_new(&none, &operations, sizeof(operations), &disk);
    if (session == NULL || fuse_session_mount(session, argv[1]) != 0) {
        return 3;
    }
    serve(&disk, session, signals);
    fuse_session_unmount(session);
    fuse_session_destroy(session);
    return 0;
}
