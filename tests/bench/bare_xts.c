/* The least that a program can do to encrypt a disk's sectors with OpenSSL: AES-256-XTS over EVP
 * with the key schedule made once and the tweak set for each sector, over 128 KiB again and again,
 * which stay in the processor's cache. `openssl speed` sets no tweak at all.
 *
 *   bare_xts SECTOR-BYTES MILLISECONDS      prints bytes per second and processor time for each
 * byte
 */
#include "common/base/clock.h"
#include "common/base/memory.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { MEMORY_BYTES = 128 << 10 };

static int pass(EVP_CIPHER_CTX *context, uint8_t *memory, int sector_bytes)
{
    for (int at = 0; at < MEMORY_BYTES; at += sector_bytes) {
        uint8_t tweak[16] = {0};
        uint64_t number = (uint64_t)at / 512;
        int moved = 0;
        memcpy(tweak, &number, sizeof(number));
        if (EVP_CipherInit_ex(context, NULL, NULL, NULL, tweak, -1) != 1 ||
            EVP_CipherUpdate(context, memory + at, &moved, memory + at, sector_bytes) != 1) {
            return 0;
        }
    }
    return 1;
}

static double cpu_s(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

int main(int argc, char **argv)
{
    int sector_bytes = argc == 3 ? (int)strtol(argv[1], NULL, 10) : 0;
    uint64_t duration_ns = argc == 3 ? strtoull(argv[2], NULL, 10) * UINT64_C(1000000) : 0;
    if (sector_bytes < 16 || MEMORY_BYTES % sector_bytes != 0) {
        fprintf(stderr, "usage: bare_xts SECTOR-BYTES MILLISECONDS\n");
        return 2;
    }
    uint8_t key[64];
    for (size_t i = 0; i < sizeof(key); i++) {
        key[i] = (uint8_t)i;
    }
    uint8_t *memory = strata_memory_new_aligned(MEMORY_BYTES);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int good =
        context != NULL && EVP_CipherInit_ex(context, EVP_aes_256_xts(), NULL, key, NULL, 0) == 1;
    double begin_cpu_s = cpu_s();
    uint64_t begin_ns = strata_clock_monotonic_ns();
    uint64_t now_ns = begin_ns;
    double bytes = 0;
    while (good && now_ns - begin_ns < duration_ns) {
        good = pass(context, memory, sector_bytes);
        bytes += MEMORY_BYTES;
        now_ns = strata_clock_monotonic_ns();
    }
    if (good) {
        printf("%.0f %.4f\n", bytes * 1e9 / (double)(now_ns - begin_ns),
               (cpu_s() - begin_cpu_s) * 1e9 / bytes);
    } else {
        fprintf(stderr, "bare_xts: OpenSSL refuses AES-256-XTS\n");
    }
    EVP_CIPHER_CTX_free(context);
    free(memory);
    return good ? 0 : 3;
}
