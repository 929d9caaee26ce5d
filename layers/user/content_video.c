/* An AVI file of Motion JPEG frames, of an exact size.
 *
 * Source: Microsoft, "AVI RIFF File Reference" (main header `avih`, stream header `strh`, frames as
 * `00dc` chunks in the list `movi`, index `idx1`); a `JUNK` chunk, which players pass over, fills
 * the rest. */
#include "layers/user/content.h"

#include <stdlib.h>
#include <string.h>

enum {
    FRAMES_PER_S = 25,
    DISTINCT_FRAMES = 8, /* encoded afresh; a longer film repeats them in a changing order */
    CHUNK_HEADER = 8,
    LIST_HEADER = 12,
    INDEX_ENTRY = 16,
    MAIN_HEADER = 56,
    STREAM_HEADER = 56,
    FORMAT_HEADER = 40,
    STREAM_LIST = LIST_HEADER + CHUNK_HEADER + STREAM_HEADER + CHUNK_HEADER + FORMAT_HEADER,
    HEADER_LIST = LIST_HEADER + CHUNK_HEADER + MAIN_HEADER + STREAM_LIST,
    /* all but the frames, their index entries and the filler: RIFF, hdrl, movi, idx1, JUNK */
    FIXED_BYTES = LIST_HEADER + HEADER_LIST + LIST_HEADER + CHUNK_HEADER + CHUNK_HEADER
};

struct writer {
    uint8_t *at;
};

static void put_tag(struct writer *writer, const char *tag)
{
    memcpy(writer->at, tag, 4);
    writer->at += 4;
}

static void put_32(struct writer *writer, size_t value)
{
    for (int i = 0; i < 4; i++) {
        *writer->at++ = (uint8_t)(value >> (8 * i));
    }
}

static void put_16(struct writer *writer, unsigned value)
{
    *writer->at++ = (uint8_t)value;
    *writer->at++ = (uint8_t)(value >> 8);
}

static void put_zeros(struct writer *writer, size_t bytes)
{
    memset(writer->at, 0, bytes);
    writer->at += bytes;
}

/* A list's or chunk's header: its tag and the bytes that follow. */
static void put_chunk(struct writer *writer, const char *tag, size_t bytes)
{
    put_tag(writer, tag);
    put_32(writer, bytes);
}

struct frame {
    uint8_t *jpeg;
    size_t bytes;
};

struct film {
    unsigned side; /* pixels */
    struct frame frames[DISTINCT_FRAMES];
    size_t count;      /* frames shown */
    size_t movi_bytes; /* of all frame chunks */
};

static size_t padded(size_t bytes)
{
    return bytes + (bytes & 1);
}

static void put_main_header(struct writer *writer, const struct film *film)
{
    put_chunk(writer, "avih", MAIN_HEADER);
    put_32(writer, 1000000 / FRAMES_PER_S);
    put_zeros(writer, 8); /* most bytes per second, padding: not said */
    put_32(writer, 0x10); /* has an index */
    put_32(writer, film->count);
    put_32(writer, 0); /* initial frames */
    put_32(writer, 1); /* streams */
    put_32(writer, 0); /* suggested buffer */
    put_32(writer, film->side);
    put_32(writer, film->side);
    put_zeros(writer, 16);
}

static void put_stream_list(struct writer *writer, const struct film *film)
{
    put_chunk(writer, "LIST", STREAM_LIST - CHUNK_HEADER);
    put_tag(writer, "strl");
    put_chunk(writer, "strh", STREAM_HEADER);
    put_tag(writer, "vids");
    put_tag(writer, "MJPG");
    put_zeros(writer, 12); /* flags, priority, language, initial frames */
    put_32(writer, 1);     /* scale */
    put_32(writer, FRAMES_PER_S);
    put_32(writer, 0); /* start */
    put_32(writer, film->count);
    put_zeros(writer, 20); /* buffer, quality, sample size, rectangle */
    put_chunk(writer, "strf", FORMAT_HEADER);
    put_32(writer, FORMAT_HEADER);
    put_32(writer, film->side);
    put_32(writer, film->side);
    put_16(writer, 1);  /* planes */
    put_16(writer, 24); /* bits a pixel */
    put_tag(writer, "MJPG");
    put_32(writer, (size_t)film->side * film->side * 3);
    put_zeros(writer, 16);
}

/* The order in which the distinct frames are shown. */
static const struct frame *shown(const struct film *film, size_t number)
{
    return &film->frames[(number + number / DISTINCT_FRAMES) % DISTINCT_FRAMES];
}

static void put_frames(struct writer *writer, const struct film *film)
{
    put_chunk(writer, "LIST", 4 + film->movi_bytes);
    put_tag(writer, "movi");
    for (size_t i = 0; i < film->count; i++) {
        const struct frame *frame = shown(film, i);
        put_chunk(writer, "00dc", frame->bytes);
        memcpy(writer->at, frame->jpeg, frame->bytes);
        writer->at += frame->bytes;
        put_zeros(writer, padded(frame->bytes) - frame->bytes);
    }
    put_chunk(writer, "idx1", film->count * INDEX_ENTRY);
    size_t offset = 4; /* counted from the tag movi */
    for (size_t i = 0; i < film->count; i++) {
        const struct frame *frame = shown(film, i);
        put_chunk(writer, "00dc", 0x10); /* a key frame */
        put_32(writer, offset);
        put_32(writer, frame->bytes);
        offset += CHUNK_HEADER + padded(frame->bytes);
    }
}

/* Take as many frames as fit into the file. */
static void cut_film(struct film *film, size_t bytes)
{
    for (size_t used = FIXED_BYTES;;) {
        size_t frame = CHUNK_HEADER + padded(shown(film, film->count)->bytes);
        if (used + frame + INDEX_ENTRY > bytes) {
            return;
        }
        used += frame + INDEX_ENTRY;
        film->movi_bytes += frame;
        film->count++;
    }
}

static void put_film(struct strata_random *random, const struct film *film, uint8_t *buffer,
                     size_t bytes)
{
    struct writer writer = {.at = buffer};
    put_chunk(&writer, "RIFF", bytes - CHUNK_HEADER);
    put_tag(&writer, "AVI ");
    put_chunk(&writer, "LIST", HEADER_LIST - CHUNK_HEADER);
    put_tag(&writer, "hdrl");
    put_main_header(&writer, film);
    put_stream_list(&writer, film);
    put_frames(&writer, film);
    size_t junk = bytes - (size_t)(writer.at - buffer) - CHUNK_HEADER;
    put_chunk(&writer, "JUNK", junk);
    strata_random_fill(random, writer.at, junk);
}

enum strata_status strata_content_make_video(struct strata_random *random, uint8_t *buffer,
                                             size_t bytes, struct strata_error *error)
{
    enum { SMALL_FILE = 16384, LARGE_FILE = 262144 };
    struct film film = {.side = bytes < SMALL_FILE ? 8 : bytes < LARGE_FILE ? 64 : 256};
    enum strata_status status = STRATA_OK;
    for (size_t i = 0; i < DISTINCT_FRAMES && status == STRATA_OK; i++) {
        status = strata_content_encode_jpeg(random, film.side, film.side, &film.frames[i].jpeg,
                                            &film.frames[i].bytes, error);
    }
    if (status == STRATA_OK) {
        cut_film(&film, bytes);
        if (film.count > 0) {
            put_film(random, &film, buffer, bytes);
        } else {
            status =
                strata_error_set(error, STRATA_INTERNAL, "no frame fits into %zu bytes", bytes);
        }
    }
    for (size_t i = 0; i < DISTINCT_FRAMES; i++) {
        free(film.frames[i].jpeg);
    }
    return status;
}
