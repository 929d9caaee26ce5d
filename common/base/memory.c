/* Memory for cold paths that need not think about exhaustion.
 *
 * Always holds: what is returned is zeroed and large enough; a product that overflows counts as
 * exhaustion. Hot paths allocate nothing, so they never come here. */
#include "common/base/memory.h"

#include "common/base/error.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DIRECT_IO_ALIGNMENT 4096
#define CACHE_LINE_BYTES    64

/* Without a core dump: it would hold keys, and says nothing about a limit of the machine. */
static _Noreturn void exhausted(void)
{
    static const char message[] = "strata: out of memory\n";
    ssize_t written = write(STDERR_FILENO, message, sizeof message - 1);
    (void)written;
    _exit(STRATA_ENVIRONMENT);
}

void *strata_memory_new(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size > 0 ? size : 1);
    if (memory == NULL) {
        exhausted();
    }
    return memory;
}

void *strata_memory_new_aligned(size_t bytes)
{
    void *memory = NULL;
    size_t beyond = bytes % CACHE_LINE_BYTES;
    size_t whole = bytes > 0 && beyond == 0 ? bytes : bytes - beyond + CACHE_LINE_BYTES;
    if (whole < bytes || posix_memalign(&memory, DIRECT_IO_ALIGNMENT, whole) != 0) {
        exhausted();
    }
    memset(memory, 0, bytes);
    return memory;
}

void strata_memory_grow(void **array, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity) {
        return;
    }
    size_t wanted = *capacity < 8 ? 8 : *capacity + *capacity / 2;
    if (wanted < needed) {
        wanted = needed;
    }
    if (size > 0 && wanted > SIZE_MAX / size) {
        exhausted();
    }
    char *grown = realloc(*array, wanted * size);
    if (grown == NULL) {
        exhausted();
    }
    memset(grown + *capacity * size, 0, (wanted - *capacity) * size);
    *array = grown;
    *capacity = wanted;
}
