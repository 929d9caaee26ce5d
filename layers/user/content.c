/* The table of file types, and the body that holds files in memory.
 *
 * Always: a file is made before the clock runs, and compared byte by byte when it comes back. */
#include "layers/user/content.h"

#include "common/base/memory.h"
#include "common/measure/operation.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    const char *mime;
} content_types[STRATA_CONTENT_TYPES] = {
    [STRATA_CONTENT_TEXT] = {"text", "text/plain"},
    [STRATA_CONTENT_IMAGE] = {"image", "image/jpeg"},
    [STRATA_CONTENT_ARCHIVE] = {"archive", "application/zip"},
    [STRATA_CONTENT_VIDEO] = {"video", "video/x-msvideo"},
};

enum strata_content_type strata_content_find(const char *name)
{
    for (int type = 0; type < STRATA_CONTENT_TYPES; type++) {
        if (strcmp(content_types[type].name, name) == 0) {
            return (enum strata_content_type)type;
        }
    }
    abort(); /* the option table lets nothing else through */
}

const char *strata_content_mime(enum strata_content_type type)
{
    return content_types[type].mime;
}

enum strata_status strata_content_make(enum strata_content_type type, uint64_t seed,
                                       uint8_t *buffer, size_t bytes, struct strata_error *error)
{
    struct strata_random random;
    strata_random_seed(&random, seed);
    switch (type) {
    case STRATA_CONTENT_IMAGE:
        return strata_content_make_image(&random, buffer, bytes, error);
    case STRATA_CONTENT_ARCHIVE:
        return strata_content_make_archive(&random, buffer, bytes, error);
    case STRATA_CONTENT_VIDEO:
        return strata_content_make_video(&random, buffer, bytes, error);
    default:
        strata_content_make_text(&random, buffer, bytes);
        return STRATA_OK;
    }
}

struct file_body {
    struct strata_body body;
    size_t items;
    size_t bytes;
    uint8_t *files; /* items x bytes */
};

struct file_stream {
    const struct file_body *body;
    const uint8_t *file;
    size_t position;
};

static uint64_t file_size(const struct strata_body *body, uint64_t item)
{
    (void)item;
    return ((const struct file_body *)body)->bytes;
}

static struct strata_body_stream *file_stream_open(const struct strata_body *body)
{
    struct file_stream *stream = calloc(1, sizeof(*stream));
    if (stream != NULL) {
        stream->body = (const struct file_body *)body;
    }
    return (struct strata_body_stream *)stream;
}

static void file_stream_close(struct strata_body_stream *stream)
{
    free(stream);
}

static void file_start(struct strata_body_stream *base, uint64_t item)
{
    struct file_stream *stream = (struct file_stream *)base;
    stream->file = stream->body->files + (size_t)item % stream->body->items * stream->body->bytes;
    stream->position = 0;
}

static int32_t file_produce(struct strata_body_stream *base, uint8_t *bytes, size_t count)
{
    struct file_stream *stream = (struct file_stream *)base;
    if (count > stream->body->bytes - stream->position) {
        return STRATA_RESULT_SHORT;
    }
    memcpy(bytes, stream->file + stream->position, count);
    stream->position += count;
    return STRATA_RESULT_OK;
}

static int32_t file_check(struct strata_body_stream *base, uint8_t *bytes, size_t count)
{
    struct file_stream *stream = (struct file_stream *)base;
    if (count > stream->body->bytes - stream->position ||
        memcmp(bytes, stream->file + stream->position, count) != 0) {
        return STRATA_RESULT_CONTENT;
    }
    stream->position += count;
    return STRATA_RESULT_OK;
}

static int32_t file_finish(struct strata_body_stream *base)
{
    const struct file_stream *stream = (const struct file_stream *)base;
    return stream->position == stream->body->bytes ? STRATA_RESULT_OK : STRATA_RESULT_SHORT;
}

static void file_close(struct strata_body *base)
{
    struct file_body *body = (struct file_body *)base;
    free(body->files);
    free(body);
}

static const struct strata_body_type file_body_type = {
    .name = "file",
    .size = file_size,
    .stream_open = file_stream_open,
    .stream_close = file_stream_close,
    .start = file_start,
    .produce = file_produce,
    .check = file_check,
    .finish = file_finish,
    .close = file_close,
};

enum strata_status strata_content_body_open(enum strata_content_type type, uint64_t seed,
                                            size_t items, size_t bytes,
                                            struct strata_body **ret_body,
                                            struct strata_error *error)
{
    struct file_body *body = strata_memory_new(1, sizeof(*body));
    body->body.type = &file_body_type;
    body->items = items;
    body->bytes = bytes;
    body->files = strata_memory_new(items, bytes);
    for (size_t i = 0; i < items; i++) {
        enum strata_status status =
            strata_content_make(type, seed + i, body->files + i * bytes, bytes, error);
        if (status != STRATA_OK) {
            file_close(&body->body);
            return status;
        }
    }
    *ret_body = &body->body;
    return STRATA_OK;
}
