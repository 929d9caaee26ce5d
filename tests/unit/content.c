// links: layers/user/content*.c
/* Files of the user layer: exact sizes, valid to independent readers, reproducible, never alike. */
#include "layers/user/content.h"
#include "tests/unit/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const size_t sizes[] = {2048, 2049, 4096, 65537, 1286 * 1024, 1286000, 4 << 20};
enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

/* Make the file, hand it to an independent reader, return the reader's exit status. */
static int read_by(const char *command, enum strata_content_type type, size_t bytes)
{
    char path[] = "/tmp/strata-test-content.XXXXXX";
    int file = mkstemp(path);
    CU_ASSERT_FATAL(file >= 0);
    uint8_t *buffer = malloc(bytes);
    struct strata_error error = {0};
    CU_ASSERT_EQUAL(strata_content_make(type, 7, buffer, bytes, &error), STRATA_OK);
    CU_ASSERT_EQUAL(write(file, buffer, bytes), (ssize_t)bytes);
    close(file);
    free(buffer);
    char line[1024];
    snprintf(line, sizeof(line), command, path);
    int status = system(line);
    unlink(path);
    return status;
}

static void every_type(const char *command, enum strata_content_type type)
{
    for (size_t i = 0; i < SIZES; i++) {
        int status = read_by(command, type, sizes[i]);
        if (status != 0) {
            printf("(%zu bytes) ", sizes[i]);
        }
        CU_ASSERT_EQUAL(status, 0);
    }
}

static void text_is_plain_text(void)
{
    every_type("test \"$(file --brief --mime-type %s)\" = text/plain", STRATA_CONTENT_TEXT);
}

/* Words of a natural language, deflated, shrink to between a quarter and three fifths. */
static void text_compresses_like_text(void)
{
    CU_ASSERT_EQUAL(read_by("python3 -c 'import sys, zlib; d = open(sys.argv[1], \"rb\").read(); "
                            "r = len(zlib.compress(d)) / len(d); sys.exit(not 0.25 < r < 0.6)' %s",
                            STRATA_CONTENT_TEXT, 1286 * 1024),
                    0);
}

static void image_is_a_jpeg(void)
{
    every_type("test \"$(file --brief --mime-type %s)\" = image/jpeg", STRATA_CONTENT_IMAGE);
}

/* A walk over the segments: every marker in place, and the last two bytes end the image. */
static void image_has_sound_segments(void)
{
    every_type("python3 -c 'import sys\n"
               "d = open(sys.argv[1], \"rb\").read(); p = 2\n"
               "assert d[:2] == b\"\\xff\\xd8\" and d[-2:] == b\"\\xff\\xd9\"\n"
               "while d[p + 1] != 0xda:\n"
               "    assert d[p] == 0xff; p += 2 + int.from_bytes(d[p + 2:p + 4], \"big\")\n' %s",
               STRATA_CONTENT_IMAGE);
}

static void archive_extracts(void)
{
    every_type("python3 -c 'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); "
               "sys.exit(z.testzip() is not None or len(z.namelist()) < 1)' %s",
               STRATA_CONTENT_ARCHIVE);
    every_type("test \"$(file --brief --mime-type %s)\" = application/zip", STRATA_CONTENT_ARCHIVE);
}

static void video_is_an_avi(void)
{
    every_type("test \"$(file --brief --mime-type %s)\" = video/x-msvideo", STRATA_CONTENT_VIDEO);
}

/* The chunks fill the file exactly, and each index entry points to a JPEG frame. */
static void video_has_sound_chunks(void)
{
    every_type("python3 -c 'import sys, struct\n"
               "d = open(sys.argv[1], \"rb\").read()\n"
               "assert struct.unpack(\"<I\", d[4:8])[0] == len(d) - 8\n"
               "p = 12; seen = {}\n"
               "while p + 8 <= len(d):\n"
               "    n = struct.unpack(\"<I\", d[p + 4:p + 8])[0]\n"
               "    seen[d[p:p + 4] if d[p:p + 4] != b\"LIST\" else d[p + 8:p + 12]] = (p + 8, n)\n"
               "    p += 8 + n + (n & 1 if p + 8 + n < len(d) else 0)\n"
               "assert p == len(d) and {b\"hdrl\", b\"movi\", b\"idx1\", b\"JUNK\"} <= set(seen)\n"
               "m = seen[b\"movi\"][0]; i, n = seen[b\"idx1\"]\n"
               "assert n >= 16\n"
               "for e in range(i, i + n, 16):\n"
               "    tag, flag, off, size = struct.unpack(\"<4sIII\", d[e:e + 16])\n"
               "    f = d[m + off + 8:m + off + 8 + size]\n"
               "    assert d[m + off:m + off + 4] == b\"00dc\" and f[:2] == b\"\\xff\\xd8\"\n"
               "    assert f[-2:] == b\"\\xff\\xd9\"\n' %s",
               STRATA_CONTENT_VIDEO);
}

static void seed_decides_the_content(void)
{
    enum { BYTES = 50000 };
    uint8_t *files = malloc(3 * BYTES);
    struct strata_error error = {0};
    for (int type = 0; type < STRATA_CONTENT_TYPES; type++) {
        strata_content_make((enum strata_content_type)type, 1, files, BYTES, &error);
        strata_content_make((enum strata_content_type)type, 1, files + BYTES, BYTES, &error);
        strata_content_make((enum strata_content_type)type, 2, files + 2 * BYTES, BYTES, &error);
        CU_ASSERT_EQUAL(memcmp(files, files + BYTES, BYTES), 0);
        CU_ASSERT_NOT_EQUAL(memcmp(files, files + 2 * BYTES, BYTES), 0);
    }
    free(files);
}

static void body_checks_what_comes_back(void)
{
    struct strata_body *body = NULL;
    struct strata_error error = {0};
    CU_ASSERT_EQUAL_FATAL(strata_content_body_open(STRATA_CONTENT_TEXT, 3, 2, 4096, &body, &error),
                          STRATA_OK);
    struct strata_body_stream *stream = body->type->stream_open(body);
    uint8_t bytes[4096];
    body->type->start(stream, 1);
    CU_ASSERT_EQUAL(body->type->produce(stream, bytes, sizeof(bytes)), 0);
    body->type->start(stream, 1);
    CU_ASSERT_EQUAL(body->type->check(stream, bytes, 1000), 0);
    CU_ASSERT_EQUAL(body->type->check(stream, bytes + 1000, 3096), 0);
    CU_ASSERT_EQUAL(body->type->finish(stream), 0);
    bytes[4095] ^= 1;
    body->type->start(stream, 1);
    CU_ASSERT_NOT_EQUAL(body->type->check(stream, bytes, sizeof(bytes)), 0);
    body->type->start(stream, 0);
    CU_ASSERT_NOT_EQUAL(body->type->check(stream, bytes, sizeof(bytes)), 0);
    body->type->stream_close(stream);
    body->type->close(body);
}

static const struct harness_test tests[] = {
    {"text is plain text to file(1)", text_is_plain_text},
    {"text compresses like text", text_compresses_like_text},
    {"image is a JPEG to file(1)", image_is_a_jpeg},
    {"image has sound segments", image_has_sound_segments},
    {"archive extracts with zipfile", archive_extracts},
    {"video is an AVI to file(1)", video_is_an_avi},
    {"video has sound chunks and index", video_has_sound_chunks},
    {"seed decides the content", seed_decides_the_content},
    {"body checks what comes back", body_checks_what_comes_back},
};
HARNESS_MAIN("content", tests)
