/* Whether a server listens, found out by connecting and hanging up. */
#include "layers/suite/probes.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PATIENCE_MS = 2000 };

/* "scheme://host:port/…" or "scheme://[address]:port/…", with the scheme's own port by default. */
static bool take_apart(const char *url, char *host, size_t host_size, char *port, size_t port_size)
{
    const char *at = strstr(url, "://");
    if (at == NULL) {
        return false;
    }
    snprintf(port, port_size, "%s", strncmp(url, "https:", 6) == 0 ? "443" : "80");
    at += 3;
    size_t end = strcspn(at, "/?#");
    const char *bracket = *at == '[' ? memchr(at, ']', end) : NULL;
    const char *name = bracket != NULL ? at + 1 : at;
    size_t length = bracket != NULL ? (size_t)(bracket - name) : strcspn(at, ":/?#");
    const char *rest = bracket != NULL ? bracket + 1 : at + length;
    if (length == 0 || length >= host_size) {
        return false;
    }
    snprintf(host, host_size, "%.*s", (int)length, name);
    if (*rest == ':') {
        size_t digits = strspn(rest + 1, "0123456789");
        if (digits == 0 || digits >= port_size || rest + 1 + digits != at + end) {
            return false;
        }
        snprintf(port, port_size, "%.*s", (int)digits, rest + 1);
    }
    return true;
}

/* 0, or the errno of the connection. */
static int connect_to(const struct addrinfo *address)
{
    int file = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (file < 0) {
        return errno;
    }
    int failure = 0;
    if (connect(file, address->ai_addr, address->ai_addrlen) != 0) {
        failure = errno;
    }
    if (failure == EINPROGRESS) {
        struct pollfd waiting = {.fd = file, .events = POLLOUT};
        socklen_t length = sizeof(failure);
        if (poll(&waiting, 1, PATIENCE_MS) != 1) {
            failure = ETIMEDOUT;
        } else {
            getsockopt(file, SOL_SOCKET, SO_ERROR, &failure, &length);
        }
    }
    close(file);
    return failure;
}

bool suite_probe_url(const char *url, char *detail, size_t size)
{
    char host[256];
    char port[8];
    if (!take_apart(url, host, sizeof(host), port, sizeof(port))) {
        snprintf(detail, size, "not a URL: expected http://HOST:PORT/…");
        return false;
    }
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    int failure = getaddrinfo(host, port, &hints, &found);
    if (failure != 0) {
        snprintf(detail, size, "%s", gai_strerror(failure));
        return false;
    }
    int last = 0;
    for (const struct addrinfo *address = found; address != NULL; address = address->ai_next) {
        last = connect_to(address);
        if (last == 0) {
            break;
        }
    }
    freeaddrinfo(found);
    snprintf(detail, size, "%s", last == 0 ? "accepts connections" : strerror(last));
    return last == 0;
}
