/* Two kinds of random numbers: reproducible ones for offsets, orders and payload, and the kernel's
 * for keys and UUIDs.
 *
 * Always holds: the same seed gives the same sequence on every machine. Nothing secret comes from
 * the reproducible kind. */
#include "common/base/random.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static uint64_t splitmix64(uint64_t *state)
{
    *state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t mixed = *state;
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94D049BB133111EB);
    return mixed ^ (mixed >> 31);
}

void strata_random_seed(struct strata_random *random, uint64_t seed)
{
    for (size_t i = 0; i < 4; i++) {
        random->state[i] = splitmix64(&seed);
    }
}

static uint64_t rotate_left(uint64_t value, unsigned bits)
{
    return (value << bits) | (value >> (64 - bits));
}

uint64_t strata_random_next(struct strata_random *random)
{
    uint64_t *state = random->state;
    uint64_t result = rotate_left(state[1] * 5, 7) * 9;
    uint64_t shifted = state[1] << 17;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= shifted;
    state[3] = rotate_left(state[3], 45);
    return result;
}

uint64_t strata_random_below(struct strata_random *random, uint64_t bound)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)strata_random_next(random) * bound;
    if ((uint64_t)product < bound) {
        uint64_t uneven = (0 - bound) % bound; /* 2^64 mod bound: these would come up too often */
        while ((uint64_t)product < uneven) {
            product = (wide)strata_random_next(random) * bound;
        }
    }
    return (uint64_t)(product >> 64);
}

void strata_random_fill(struct strata_random *random, void *buffer, size_t bytes)
{
    unsigned char *next = buffer;
    while (bytes > 0) {
        uint64_t word = strata_random_next(random);
        size_t piece = bytes < sizeof word ? bytes : sizeof word;
        memcpy(next, &word, piece);
        next += piece;
        bytes -= piece;
    }
}

void strata_random_secret(void *buffer, size_t bytes)
{
    unsigned char *next = buffer;
    while (bytes > 0) {
        ssize_t got = getrandom(next, bytes, 0);
        if (got > 0) {
            next += got;
            bytes -= (size_t)got;
        } else if (got == 0 || errno != EINTR) {
            static const char message[] = "strata: the kernel has no random numbers\n";
            ssize_t written = write(STDERR_FILENO, message, sizeof message - 1);
            (void)written;
            abort();
        }
    }
}

static bool is_dash_at(size_t position)
{
    return position == 8 || position == 13 || position == 18 || position == 23;
}

bool strata_random_is_uuid(const char *text)
{
    size_t length = 0;
    while (text[length] != '\0' &&
           (is_dash_at(length) ? text[length] == '-'
                               : strchr("0123456789abcdef", text[length]) != NULL)) {
        length++;
    }
    return length == 36 && text[length] == '\0';
}

void strata_random_uuid(char ret_uuid[37])
{
    unsigned char bytes[16];
    strata_random_secret(bytes, sizeof bytes);
    bytes[6] = (unsigned char)((bytes[6] & 0x0FU) | 0x40U); /* version 4 */
    bytes[8] = (unsigned char)((bytes[8] & 0x3FU) | 0x80U); /* the RFC's variant */
    static const char digits[] = "0123456789abcdef";
    size_t length = 0;
    for (size_t i = 0; i < sizeof bytes; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            ret_uuid[length++] = '-';
        }
        ret_uuid[length++] = digits[bytes[i] >> 4];
        ret_uuid[length++] = digits[bytes[i] & 0x0FU];
    }
    ret_uuid[length] = '\0';
}
