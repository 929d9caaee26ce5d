/* Many transfers on one thread with as few system calls as there can be.
 *
 * libcurl takes its interest in a socket back after each request and takes it up again with the
 * next. A kept-alive connection stays registered in between: the kernel is told only when the
 * events differ, or when an idle connection has something to say. That is safe only where the loop
 * itself sees a descriptor opened and closed; for libcurl's inner ones (its resolver's) epoll
 * follows every change.
 *
 * What must always hold: `registered` is what the kernel has. */
#include "common/target/swift_loop.h"

#include "common/base/clock.h"
#include "common/base/memory.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 64, MS = 1000000 };

static const uint64_t SECOND_NS = UINT64_C(1000000000);

static struct strata_swift_socket *socket_of(struct strata_swift_loop *loop, int fd)
{
    void *sockets = loop->sockets;
    strata_memory_grow(&sockets, &loop->socket_capacity, (size_t)fd + 1, sizeof *loop->sockets);
    loop->sockets = sockets;
    return &loop->sockets[fd];
}

static void set_registered(struct strata_swift_loop *loop, int fd, uint32_t events)
{
    struct strata_swift_socket *state = &loop->sockets[fd];
    if (state->registered == events) {
        return;
    }
    struct epoll_event event = {.events = events, .data.fd = fd};
    int what = events == 0 ? EPOLL_CTL_DEL : state->registered == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
    epoll_ctl(loop->epoll_fd, what, fd, &event);
    state->registered = events;
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *context, void *unused)
{
    (void)easy;
    (void)unused;
    struct strata_swift_loop *loop = context;
    struct strata_swift_socket *state = socket_of(loop, fd);
    state->wanted = what == CURL_POLL_REMOVE ? 0
                                             : (what & CURL_POLL_IN ? (uint32_t)EPOLLIN : 0) |
                                                   (what & CURL_POLL_OUT ? (uint32_t)EPOLLOUT : 0);
    if (state->wanted != 0 || !state->connection) {
        set_registered(loop, fd, state->wanted);
    }
    return 0;
}

static int on_timer(CURLM *multi, long timeout_ms, void *context)
{
    (void)multi;
    struct strata_swift_loop *loop = context;
    loop->timer_ns =
        timeout_ms < 0 ? UINT64_MAX : strata_clock_monotonic_ns() + (uint64_t)timeout_ms * MS;
    return 0;
}

static curl_socket_t on_open(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
    (void)purpose;
    int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (fd < 0) {
        return CURL_SOCKET_BAD;
    }
    *socket_of(context, fd) = (struct strata_swift_socket){.connection = true};
    return fd;
}

/* The kernel forgets a closed descriptor by itself. */
static int on_close(void *context, curl_socket_t fd)
{
    *socket_of(context, fd) = (struct strata_swift_socket){0};
    return close(fd);
}

bool strata_swift_loop_open(struct strata_swift_loop *loop, unsigned connections)
{
    loop->timer_ns = UINT64_MAX;
    loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (loop->epoll_fd < 0) {
        return false;
    }
    loop->multi = curl_multi_init();
    if (loop->multi == NULL) {
        close(loop->epoll_fd);
        return false;
    }
    curl_multi_setopt(loop->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(loop->multi, CURLMOPT_SOCKETDATA, loop);
    curl_multi_setopt(loop->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(loop->multi, CURLMOPT_TIMERDATA, loop);
    curl_multi_setopt(loop->multi, CURLMOPT_MAXCONNECTS, (long)connections);
    curl_multi_setopt(loop->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING);
    return true;
}

void strata_swift_loop_close(struct strata_swift_loop *loop)
{
    curl_multi_cleanup(loop->multi);
    close(loop->epoll_fd);
    free(loop->sockets);
}

void strata_swift_loop_attach(struct strata_swift_loop *loop, CURL *easy)
{
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, loop);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, loop);
}

bool strata_swift_loop_add(struct strata_swift_loop *loop, CURL *easy)
{
    return curl_multi_add_handle(loop->multi, easy) == CURLM_OK;
}

void strata_swift_loop_remove(struct strata_swift_loop *loop, CURL *easy)
{
    curl_multi_remove_handle(loop->multi, easy);
}

/* Tell libcurl of an event, or of its timer, and take out what ended by it. */
static void act(struct strata_swift_loop *loop, curl_socket_t fd, int flags)
{
    int running;
    curl_multi_socket_action(loop->multi, fd, flags, &running);
    int left;
    for (const CURLMsg *message; (message = curl_multi_info_read(loop->multi, &left)) != NULL;) {
        if (message->msg == CURLMSG_DONE) {
            CURL *easy = message->easy_handle;
            CURLcode code = message->data.result; /* gone with the handle's removal */
            curl_multi_remove_handle(loop->multi, easy);
            loop->done(loop->context, easy, code);
        }
    }
}

void strata_swift_loop_turn(struct strata_swift_loop *loop)
{
    if (loop->timer_ns == UINT64_MAX) {
        return;
    }
    loop->now_ns = strata_clock_monotonic_ns();
    if (loop->timer_ns <= loop->now_ns) {
        loop->timer_ns = UINT64_MAX;
        act(loop, CURL_SOCKET_TIMEOUT, 0);
    }
}

static void handle(struct strata_swift_loop *loop, const struct epoll_event *event)
{
    int fd = event->data.fd;
    if ((size_t)fd >= loop->socket_capacity || loop->sockets[fd].registered == 0) {
        return; /* closed by what an earlier event of this batch led to */
    }
    if (loop->sockets[fd].wanted == 0) {
        set_registered(loop, fd, 0); /* an idle connection: libcurl looks before it uses it again */
        return;
    }
    int flags = (event->events & EPOLLIN ? CURL_CSELECT_IN : 0) |
                (event->events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
                (event->events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
    act(loop, fd, flags);
}

/* As precise as the kernel allows: before 5.11 (and in valgrind) to the millisecond after. */
static int wait_for_events(struct strata_swift_loop *loop, struct epoll_event *events,
                           uint64_t wait_ns)
{
    if (!loop->coarse) {
        struct timespec wait = {.tv_sec = (time_t)(wait_ns / SECOND_NS),
                                .tv_nsec = (long)(wait_ns % SECOND_NS)};
        int count = epoll_pwait2(loop->epoll_fd, events, EVENTS, &wait, NULL);
        if (count >= 0 || errno != ENOSYS) {
            return count;
        }
        loop->coarse = true;
    }
    uint64_t wait_ms = wait_ns / MS + (wait_ns % MS != 0);
    return epoll_wait(loop->epoll_fd, events, EVENTS, wait_ms < INT_MAX ? (int)wait_ms : INT_MAX);
}

int strata_swift_loop_wait(struct strata_swift_loop *loop, uint64_t until_ns)
{
    uint64_t wake_ns = loop->timer_ns < until_ns ? loop->timer_ns : until_ns;
    uint64_t now_ns = wake_ns > 0 ? strata_clock_monotonic_ns() : 0;
    uint64_t wait_ns = wake_ns > now_ns ? wake_ns - now_ns : 0;
    struct epoll_event events[EVENTS];
    int count = wait_for_events(loop, events, wait_ns);
    if (count < 0 && errno != EINTR) {
        return -errno;
    }
    loop->now_ns = strata_clock_monotonic_ns();
    for (int i = 0; i < count; i++) {
        handle(loop, &events[i]);
    }
    strata_swift_loop_turn(loop);
    return 0;
}
