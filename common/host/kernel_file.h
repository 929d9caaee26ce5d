/* Small files of /proc and /sys, below a root that tests replace ("" is the machine's own). */
#ifndef STRATA_HOST_KERNEL_FILE_H
#define STRATA_HOST_KERNEL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STRATA_KERNEL_PATH_BYTES = 4096 };

/* Read the beginning of the file whose path is formatted into `buffer`, terminated, without the
 * newline at its end. Returns false, with an empty buffer, when it cannot be read. */
bool strata_kernel_file_read(char *buffer, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Likewise, one decimal number. */
bool strata_kernel_file_number(uint64_t *ret_number, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
