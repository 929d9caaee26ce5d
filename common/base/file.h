/* A whole file as a text. */
#ifndef STRATA_BASE_FILE_H
#define STRATA_BASE_FILE_H

#include "common/base/error.h"

#include <stddef.h>

/* Read the file, or a pipe to its end, terminated; *ret_length without the terminator. Errors:
 * STRATA_USAGE naming the file, when it cannot be read, holds more than `most_bytes` (whole MiB),
 * is not a text in UTF-8, or when nothing arrives from a pipe in 10 s. STRATA_INTERRUPTED. Owns:
 * the caller frees *ret_text. */
enum strata_status strata_file_read(const char *path, size_t most_bytes, char **ret_text,
                                    size_t *ret_length, struct strata_error *error);

#endif
