/* libcurl's multi interface driven by epoll: one loop for each worker, used by its thread only. */
#ifndef STRATA_TARGET_SWIFT_LOOP_H
#define STRATA_TARGET_SWIFT_LOOP_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strata_swift_socket {
    uint32_t wanted;     /* events that libcurl waits for */
    uint32_t registered; /* events that epoll knows of */
    bool connection;     /* opened and closed through the loop, not inside libcurl */
};

struct strata_swift_loop {
    CURLM *multi;
    int epoll_fd;
    bool coarse;       /* the kernel has no epoll_pwait2 */
    uint64_t timer_ns; /* when libcurl wants to be called; UINT64_MAX: not at all */
    uint64_t now_ns;   /* as of the last events */
    struct strata_swift_socket *sockets; /* by descriptor */
    size_t socket_capacity;

    /* Called for each transfer that ended, right after it did; it is out of the multi handle. */
    void (*done)(void *context, CURL *easy, CURLcode code);
    void *context;
};

/* Set up with `connections` kept alive at most; `done` and `context` are set by the caller. Returns
 * false when descriptors or memory are short; then nothing is left to close. */
bool strata_swift_loop_open(struct strata_swift_loop *loop, unsigned connections);
void strata_swift_loop_close(struct strata_swift_loop *loop);

/* Make the handle's connections belong to the loop; once for each handle. */
void strata_swift_loop_attach(struct strata_swift_loop *loop, CURL *easy);

/* Begin the transfer at the next turn. Returns false when libcurl refuses. */
bool strata_swift_loop_add(struct strata_swift_loop *loop, CURL *easy);
void strata_swift_loop_remove(struct strata_swift_loop *loop, CURL *easy);

/* Let libcurl do what is due, without waiting: new transfers send their requests. */
void strata_swift_loop_turn(struct strata_swift_loop *loop);

/* Wait for events until the monotonic clock reads `until_ns` (0: do not wait) and handle them.
 * Returns 0, also when there were none, or a negative errno. */
int strata_swift_loop_wait(struct strata_swift_loop *loop, uint64_t until_ns);

#endif
