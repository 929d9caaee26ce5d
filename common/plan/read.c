/* A configuration file becomes a checked plan: reading the file, and the order of the checks.
 *
 * Always holds: at most 1 MiB is read and a pipe waited for in bounded time, whatever the path
 * names; a parser sees nothing but UTF-8. */
#include "common/base/memory.h"
#include "common/base/stop.h"
#include "common/plan/xml.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_BYTES (1U << 20)
enum { PATIENCE_MS = 10000 };

/* Wait until a pipe has something to say; a regular file always has.
 *
 * Nobody need ever write into a named pipe, so the wait has an end. */
static enum strata_status wait_for_text(int file, const char *path, struct strata_error *error)
{
    struct pollfd waiting = {.fd = file, .events = POLLIN};
    int ready = poll(&waiting, 1, PATIENCE_MS);
    if (ready < 0 && strata_stop_signal != 0) {
        return strata_error_set(error, STRATA_INTERRUPTED, "%s: interrupted", path);
    }
    return ready == 0 ? strata_error_set(error, STRATA_USAGE,
                                         "%s: nothing arrived in %d s, expected a file", path,
                                         PATIENCE_MS / 1000)
                      : STRATA_OK;
}

/* Read to the end or one byte past the most. */
static enum strata_status read_all(int file, const char *path, char *text, size_t *ret_length,
                                   struct strata_error *error)
{
    size_t length = 0;
    ssize_t got = 1;
    while (got != 0 && length <= MOST_BYTES) {
        enum strata_status status = wait_for_text(file, path, error);
        if (status != STRATA_OK) {
            return status;
        }
        got = read(file, text + length, MOST_BYTES + 1 - length);
        if (got < 0 && errno != EINTR && errno != EAGAIN) {
            return strata_error_set(error, STRATA_USAGE, "%s: cannot be read: %s", path,
                                    strerror(errno));
        }
        length += got > 0 ? (size_t)got : 0;
    }
    *ret_length = length;
    return STRATA_OK;
}

/* The whole file, terminated; *ret_length without the terminator. */
static enum strata_status read_file(const char *path, char **ret_text, size_t *ret_length,
                                    struct strata_error *error)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file < 0) {
        return strata_error_set(error, STRATA_USAGE, "%s: cannot be opened: %s", path,
                                strerror(errno));
    }
    char *text = strata_memory_new(MOST_BYTES + 2, 1);
    enum strata_status status = read_all(file, path, text, ret_length, error);
    close(file);
    if (status != STRATA_OK) {
        free(text);
        return status;
    }
    *ret_text = text;
    return STRATA_OK;
}

/* What can be told before any parser sees the text. */
static enum strata_status check_text(const char *path, const char *text, size_t length,
                                     struct strata_error *error)
{
    if (length == 0) {
        return strata_error_set(error, STRATA_USAGE,
                                "%s: is empty, expected <strata version=\"1\">", path);
    }
    if (length > MOST_BYTES) {
        return strata_error_set(error, STRATA_USAGE, "%s: is larger than 1 MiB", path);
    }
    if (!strata_text_is_utf8(text, length) || memchr(text, '\0', length) != NULL) {
        return strata_error_set(error, STRATA_USAGE, "%s: is not a text in UTF-8", path);
    }
    return STRATA_OK;
}

enum strata_status strata_plan_read(const char *path, struct strata_plan **ret_plan,
                                    struct strata_error *error)
{
    char *text = NULL;
    size_t length = 0;
    enum strata_status status = read_file(path, &text, &length, error);
    if (status != STRATA_OK) {
        return status;
    }
    status = check_text(path, text, length, error);
    if (status != STRATA_OK) {
        free(text);
        return status;
    }
    struct strata_plan *plan = strata_plan_new(text);
    free(text);
    free(plan->source);
    plan->source = strata_text_duplicate(path);
    status = strata_plan_parse_xml(plan, error);
    if (status == STRATA_OK) {
        strata_plan_add_implied(plan);
        status = strata_plan_check(plan, error);
    }
    if (status != STRATA_OK) {
        strata_plan_free(plan);
        return status;
    }
    *ret_plan = plan;
    return STRATA_OK;
}
