/* A JPEG as a camera makes it: smooth shading with grain, encoded by libjpeg, of an exact size.
 *
 * The picture shrinks until its encoding is a little smaller than asked; comment segments, which
 * every decoder passes over, fill the rest. */
#include "layers/user/content.h"

#include "common/base/memory.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

/* libjpeg reports an error by not returning; this brings the way back with it. */
struct failure {
    struct jpeg_error_mgr manager; /* first, so that libjpeg's pointer is this struct's */
    jmp_buf way_back;
};

static void fail(j_common_ptr info)
{
    struct failure *failure = (struct failure *)info->err;
    longjmp(failure->way_back, 1);
}

static void shade_row(struct strata_random *random, unsigned width, unsigned row, uint8_t *pixels)
{
    for (unsigned x = 0; x < width; x++) {
        uint64_t grain = strata_random_next(random);
        for (unsigned channel = 0; channel < 3; channel++) {
            unsigned shade = (x * (channel + 1) / 4 + row * (3 - channel) / 3) % 200;
            pixels[3 * x + channel] = (uint8_t)(shade + ((grain >> (8 * channel)) & 31));
        }
    }
}

/* What an encoding owns; outside the function that may be jumped back into. */
struct encoding {
    struct jpeg_compress_struct encoder;
    struct failure failure;
    unsigned char *jpeg;
    unsigned long bytes;
    uint8_t *row;
};

static bool encode(struct encoding *encoding, struct strata_random *random, unsigned width,
                   unsigned height)
{
    struct jpeg_compress_struct *encoder = &encoding->encoder;
    encoder->err = jpeg_std_error(&encoding->failure.manager);
    encoding->failure.manager.error_exit = fail;
    if (setjmp(encoding->failure.way_back) != 0) {
        return false;
    }
    jpeg_create_compress(encoder);
    jpeg_mem_dest(encoder, &encoding->jpeg, &encoding->bytes);
    encoder->image_width = width;
    encoder->image_height = height;
    encoder->input_components = 3;
    encoder->in_color_space = JCS_RGB;
    jpeg_set_defaults(encoder);
    jpeg_set_quality(encoder, 85, TRUE);
    jpeg_start_compress(encoder, TRUE);
    while (encoder->next_scanline < height) {
        shade_row(random, width, encoder->next_scanline, encoding->row);
        JSAMPROW rows[] = {encoding->row};
        jpeg_write_scanlines(encoder, rows, 1);
    }
    jpeg_finish_compress(encoder);
    return true;
}

enum strata_status strata_content_encode_jpeg(struct strata_random *random, unsigned width,
                                              unsigned height, uint8_t **ret_jpeg,
                                              size_t *ret_bytes, struct strata_error *error)
{
    struct encoding *encoding = strata_memory_new(1, sizeof(*encoding));
    encoding->row = strata_memory_new(width, 3);
    enum strata_status status = STRATA_OK;
    if (encode(encoding, random, width, height)) {
        *ret_jpeg = encoding->jpeg;
        *ret_bytes = encoding->bytes;
    } else {
        free(encoding->jpeg);
        status = strata_error_set(error, STRATA_INTERNAL, "libjpeg cannot encode %ux%u pixels",
                                  width, height);
    }
    jpeg_destroy_compress(&encoding->encoder);
    free(encoding->row);
    free(encoding);
    return status;
}

/* Comment segments of together exactly `bytes` bytes: 0, or at least 4. */
static void write_comments(struct strata_random *random, uint8_t *buffer, size_t bytes)
{
    enum { SEGMENT_MOST = 2 + 65535, SEGMENT_LEAST = 4 };
    while (bytes > 0) {
        size_t segment = bytes <= SEGMENT_MOST ? bytes : SEGMENT_MOST;
        if (bytes > segment && bytes - segment < SEGMENT_LEAST) {
            segment -= SEGMENT_LEAST;
        }
        size_t counted = segment - 2;
        buffer[0] = 0xff;
        buffer[1] = JPEG_COM;
        buffer[2] = (uint8_t)(counted >> 8);
        buffer[3] = (uint8_t)(counted & 0xff);
        strata_random_fill(random, buffer + SEGMENT_LEAST, segment - SEGMENT_LEAST);
        buffer += segment;
        bytes -= segment;
    }
}

enum strata_status strata_content_make_image(struct strata_random *random, uint8_t *buffer,
                                             size_t bytes, struct strata_error *error)
{
    enum { START_OF_IMAGE = 2, COMMENT_LEAST = 4, WIDEST = 16384 };
    unsigned width = 16;
    while ((size_t)width * width < bytes && width < WIDEST) {
        width *= 2;
    }
    /* About one byte a pixel: tall enough to be too large at first, then cut to fit. */
    unsigned height = (unsigned)(bytes / width * 3 / 2 + 1);
    height = height < JPEG_MAX_DIMENSION ? height : JPEG_MAX_DIMENSION;
    for (;;) {
        uint8_t *jpeg = NULL;
        size_t encoded = 0;
        enum strata_status status =
            strata_content_encode_jpeg(random, width, height, &jpeg, &encoded, error);
        if (status != STRATA_OK) {
            return status;
        }
        if (encoded == bytes || encoded + COMMENT_LEAST <= bytes) {
            memcpy(buffer, jpeg, START_OF_IMAGE);
            write_comments(random, buffer + START_OF_IMAGE, bytes - encoded);
            memcpy(buffer + START_OF_IMAGE + bytes - encoded, jpeg + START_OF_IMAGE,
                   encoded - START_OF_IMAGE);
            free(jpeg);
            return STRATA_OK;
        }
        free(jpeg);
        if (height == 1) {
            return strata_error_set(error, STRATA_INTERNAL, "no JPEG fits into %zu bytes", bytes);
        }
        unsigned next = (unsigned)((double)height * 0.98 * (double)bytes / (double)encoded);
        height = next > 0 && next < height ? next : height - 1;
    }
}
