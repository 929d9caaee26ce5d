/* Reproducible random numbers (xoshiro256**) and the kernel's for what must be unique or secret. */
#ifndef STRATA_BASE_RANDOM_H
#define STRATA_BASE_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strata_random {
    uint64_t state[4];
};

/* Source: Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2021;
 * the state is filled by splitmix64 from the seed. */
void strata_random_seed(struct strata_random *random, uint64_t seed);
uint64_t strata_random_next(struct strata_random *random);

/* Uniform in [0, bound), bound > 0. Source: Lemire, "Fast random integer generation in an
 * interval", 2019. */
uint64_t strata_random_below(struct strata_random *random, uint64_t bound);

/* Fill `bytes` with incompressible content. */
void strata_random_fill(struct strata_random *random, void *buffer, size_t bytes);

/* Bytes from the kernel: keys, UUIDs. Ends the process when the kernel has none. */
void strata_random_secret(void *buffer, size_t bytes);

/* A version 4 UUID in lower case with its terminator. Source: RFC 9562, 5.4. */
void strata_random_uuid(char ret_uuid[37]);

/* Whether the text is a UUID in lower case, of any version. Source: RFC 9562, 4. */
bool strata_random_is_uuid(const char *text);

#endif
