/* Heap memory for cold paths: zeroed, or the process ends, since nothing sensible is left to do. */
#ifndef STRATA_BASE_MEMORY_H
#define STRATA_BASE_MEMORY_H

#include <stddef.h>

/* `count` * `size` zeroed bytes, overflow checked. Owns: the caller frees with free(). */
void *strata_memory_new(size_t count, size_t size);

/* `bytes` zeroed bytes aligned to 4096 for direct I/O, alone on their cache lines. Owns: the caller
 * frees with free(). */
void *strata_memory_new_aligned(size_t bytes);

/* Grow `*array` of `size`-byte items so that it holds at least `needed`, the new ones zeroed;
 * updates *capacity. */
void strata_memory_grow(void **array, size_t *capacity, size_t needed, size_t size);

#endif
