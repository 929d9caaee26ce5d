/* A name for this host that tells nothing about it: SipHash keyed with the machine id, which is
 * meant to stay private. As a keyed hash of a fixed message it is the same in every run and does
 * not give the key away. Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012,
 * with the authors' 128-bit output; machine-id(5), which asks for such a derivation. */
#include "common/host/host_id.h"

#include "common/host/facts.h"
#include "common/host/kernel_file.h"

#include <stdio.h>
#include <string.h>

struct siphash {
    uint64_t v[4];
};

static uint64_t rotate(uint64_t value, unsigned bits)
{
    return value << bits | value >> (64 - bits);
}

static void rounds(struct siphash *state, unsigned count)
{
    uint64_t *v = state->v;
    for (unsigned i = 0; i < count; i++) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = rotate(v[1], 13) ^ v[0];
        v[3] = rotate(v[3], 16) ^ v[2];
        v[0] = rotate(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = rotate(v[1], 17) ^ v[2];
        v[3] = rotate(v[3], 21) ^ v[0];
        v[2] = rotate(v[2], 32);
    }
}

/* Up to 8 bytes, little endian. */
static uint64_t word(const uint8_t *bytes, size_t count)
{
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++) {
        value |= (uint64_t)bytes[i] << (8 * i);
    }
    return value;
}

static void absorb(struct siphash *state, uint64_t value)
{
    state->v[3] ^= value;
    rounds(state, 2);
    state->v[0] ^= value;
}

static uint64_t squeeze(struct siphash *state, uint64_t mark, unsigned lane)
{
    state->v[lane] ^= mark;
    rounds(state, 4);
    return state->v[0] ^ state->v[1] ^ state->v[2] ^ state->v[3];
}

void strata_host_id_hash(const uint8_t key[16], const uint8_t *message, size_t length,
                         uint8_t ret_hash[16])
{
    uint64_t k0 = word(key, 8);
    uint64_t k1 = word(key + 8, 8);
    struct siphash state = {{UINT64_C(0x736f6d6570736575) ^ k0,
                             UINT64_C(0x646f72616e646f6d) ^ k1 ^ 0xEE,
                             UINT64_C(0x6c7967656e657261) ^ k0, UINT64_C(0x7465646279746573) ^ k1}};
    size_t whole = length - length % 8;
    for (size_t at = 0; at < whole; at += 8) {
        absorb(&state, word(message + at, 8));
    }
    absorb(&state, word(message + whole, length - whole) | (uint64_t)(length & 0xFF) << 56);
    uint64_t halves[2] = {squeeze(&state, 0xEE, 2), squeeze(&state, 0xDD, 1)};
    for (size_t i = 0; i < 16; i++) {
        ret_hash[i] = (uint8_t)(halves[i / 8] >> (8 * (i % 8)));
    }
}

/* 32 hex digits, with or without dashes; false for anything else ("uninitialized"). */
static bool parse_id(const char *text, uint8_t ret_key[16])
{
    size_t digits = 0;
    for (const char *next = text; *next != '\0'; next++) {
        const char *hex = "0123456789abcdef";
        const char *digit = strchr(hex, *next);
        if (*next == '-') {
            continue;
        }
        if (digit == NULL || digits == 32) {
            return false;
        }
        uint8_t value = (uint8_t)(digit - hex);
        ret_key[digits / 2] = (uint8_t)(digits % 2 == 0 ? value << 4 : ret_key[digits / 2] | value);
        digits++;
    }
    return digits == 32;
}

void strata_facts_host_id(char ret_host_id[33])
{
    static const char message[] = "strata host";
    /* A machine without an id, a container for one, is known until it boots again. */
    static const char *const sources[] = {"/etc/machine-id", "/var/lib/dbus/machine-id",
                                          "/proc/sys/kernel/random/boot_id"};
    uint8_t key[16] = {0};
    uint8_t hash[16];
    char text[64];
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        if (strata_kernel_file_read(text, sizeof text, "%s", sources[i]) && parse_id(text, key)) {
            break;
        }
    }
    strata_host_id_hash(key, (const uint8_t *)message, sizeof message - 1, hash);
    for (size_t i = 0; i < sizeof hash; i++) {
        snprintf(ret_host_id + 2 * i, 3, "%02x", hash[i]);
    }
}
