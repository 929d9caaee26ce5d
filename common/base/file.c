/* Reading a file that a user names, whatever it turns out to be.
 *
 * Always holds: at most the allowed bytes are read and a pipe is waited for in bounded time; what
 * comes out is UTF-8 without NUL. What the text means is left to the callers. */
#include "common/base/file.h"

#include "common/base/memory.h"
#include "common/base/stop.h"
#include "common/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE_MS = 10000, PIECE_BYTES = 1 << 16 };

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

/* Read to the end or past the most. */
static enum strata_status read_all(int file, const char *path, size_t most_bytes,
                                   struct strata_text *text, struct strata_error *error)
{
    char *piece = strata_memory_new(PIECE_BYTES, 1);
    enum strata_status status = STRATA_OK;
    ssize_t got = 1;
    while (status == STRATA_OK && got != 0 && text->length <= most_bytes) {
        status = wait_for_text(file, path, error);
        if (status == STRATA_OK) {
            got = read(file, piece, PIECE_BYTES);
            if (got > 0) {
                strata_text_append_bytes(text, piece, (size_t)got);
            } else if (got < 0 && errno != EINTR && errno != EAGAIN) {
                status = strata_error_set(error, STRATA_USAGE, "%s: cannot be read: %s", path,
                                          strerror(errno));
            }
        }
    }
    free(piece);
    return status;
}

static enum strata_status check_text(const char *path, size_t most_bytes,
                                     const struct strata_text *text, struct strata_error *error)
{
    if (text->length > most_bytes) {
        return strata_error_set(error, STRATA_USAGE, "%s: is larger than %zu MiB", path,
                                most_bytes >> 20);
    }
    if (text->length > 0 && (!strata_text_is_utf8(text->bytes, text->length) ||
                             memchr(text->bytes, '\0', text->length) != NULL)) {
        return strata_error_set(error, STRATA_USAGE, "%s: is not a text in UTF-8", path);
    }
    return STRATA_OK;
}

enum strata_status strata_file_read(const char *path, size_t most_bytes, char **ret_text,
                                    size_t *ret_length, struct strata_error *error)
{
    *ret_text = NULL;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file < 0) {
        return strata_error_set(error, STRATA_USAGE, "%s: cannot be opened: %s", path,
                                strerror(errno));
    }
    struct strata_text text = {0};
    enum strata_status status = read_all(file, path, most_bytes, &text, error);
    close(file);
    if (status == STRATA_OK) {
        status = check_text(path, most_bytes, &text, error);
    }
    if (status != STRATA_OK) {
        strata_text_done(&text);
        return status;
    }
    *ret_length = text.length;
    *ret_text = text.bytes != NULL ? text.bytes : strata_text_duplicate("");
    return STRATA_OK;
}
