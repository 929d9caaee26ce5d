/* Files as users have them: text, image, archive, video; valid of their kind, of an exact size. */
#ifndef STRATA_USER_CONTENT_H
#define STRATA_USER_CONTENT_H

#include "common/base/error.h"
#include "common/base/random.h"
#include "common/target/body.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum strata_content_type {
    STRATA_CONTENT_TEXT,
    STRATA_CONTENT_IMAGE,
    STRATA_CONTENT_ARCHIVE,
    STRATA_CONTENT_VIDEO,
    STRATA_CONTENT_TYPES
};

/* The type of that name ("image"), which must be one of the option table's; and its MIME type. */
enum strata_content_type strata_content_find(const char *name);
const char *strata_content_mime(enum strata_content_type type);

/* Make one file of exactly `bytes` bytes (at least 2048, so that every kind's headers fit) into
 * `buffer`; the same seed makes the same file, another seed another. Errors: STRATA_INTERNAL when a
 * library refuses. */
enum strata_status strata_content_make(enum strata_content_type type, uint64_t seed,
                                       uint8_t *buffer, size_t bytes, struct strata_error *error);

/* A body whose item i is a file of the type, unique for (seed, i), made now and kept in memory.
 * Errors: STRATA_INTERNAL. Owns: closed through its type. */
enum strata_status strata_content_body_open(enum strata_content_type type, uint64_t seed,
                                            size_t items, size_t bytes,
                                            struct strata_body **ret_body,
                                            struct strata_error *error);

/* The parts of strata_content_make; each fills `buffer` completely. */
void strata_content_make_text(struct strata_random *random, uint8_t *buffer, size_t bytes);
enum strata_status strata_content_make_image(struct strata_random *random, uint8_t *buffer,
                                             size_t bytes, struct strata_error *error);
enum strata_status strata_content_make_archive(struct strata_random *random, uint8_t *buffer,
                                               size_t bytes, struct strata_error *error);
enum strata_status strata_content_make_video(struct strata_random *random, uint8_t *buffer,
                                             size_t bytes, struct strata_error *error);

/* Encode a shaded, grainy picture as JPEG. On success *ret_jpeg holds *ret_bytes bytes; the caller
 * frees it. */
enum strata_status strata_content_encode_jpeg(struct strata_random *random, unsigned width,
                                              unsigned height, uint8_t **ret_jpeg,
                                              size_t *ret_bytes, struct strata_error *error);

#endif
