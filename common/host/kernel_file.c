/* The kernel speaks in small text files.
 *
 * Always holds: one open, one read, one close; no stdio buffers, since counters are read while a
 * run is measured. What a file means is left to its reader. */
#include "common/host/kernel_file.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool read_formatted(char *buffer, size_t size, const char *format, va_list arguments)
{
    char path[STRATA_KERNEL_PATH_BYTES];
    buffer[0] = '\0';
    int length = vsnprintf(path, sizeof path, format, arguments);
    if (length < 0 || (size_t)length >= sizeof path) {
        return false;
    }
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    ssize_t count = read(file, buffer, size - 1);
    (void)close(file);
    if (count < 0) {
        return false;
    }
    if (count > 0 && buffer[count - 1] == '\n') {
        count--;
    }
    buffer[count] = '\0';
    return true;
}

bool strata_kernel_file_read(char *buffer, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    bool read = read_formatted(buffer, size, format, arguments);
    va_end(arguments);
    return read;
}

bool strata_kernel_file_number(uint64_t *ret_number, const char *format, ...)
{
    char text[32];
    char *end = text;
    va_list arguments;
    va_start(arguments, format);
    bool read = read_formatted(text, sizeof text, format, arguments);
    va_end(arguments);
    *ret_number = strtoull(text, &end, 10);
    return read && end != text;
}
