/* The cipher alone, in memory: what encryption could do if nothing else took time. The baseline
 * that an encrypted device is held against. */
#ifndef STRATA_TARGET_CIPHER_H
#define STRATA_TARGET_CIPHER_H

#include "common/target/sector_cipher.h"
#include "common/target/target.h"

#include <stdint.h>

struct strata_cipher_options {
    const struct strata_cipher *cipher;
    uint64_t block_bytes;  /* of the memory that each job works on, again and again */
    uint64_t sector_bytes; /* under one initialisation vector; divides block_bytes */
};

/* Payload of one operation: whole blocks, 256 KiB at least, so that the engine's own time vanishes
 * beside the cipher's. */
uint64_t strata_cipher_operation_bytes(uint64_t block_bytes);

/* A target whose operations encrypt or decrypt the first block of their buffer in place, as often
 * as makes strata_cipher_operation_bytes: under a random key of the job's, and for each sector of
 * the block with a fresh initialisation vector, its number as in dm-crypt's plain64. The cipher has
 * passed its self test. Errors: STRATA_INTERNAL when it did not. Owns: the caller closes it. */
enum strata_status strata_cipher_open(const struct strata_cipher_options *options,
                                      struct strata_target **ret_target,
                                      struct strata_error *error);

#endif
