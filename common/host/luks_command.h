/* LUKS2 by the program cryptsetup: a process for each volume, since libcryptsetup keeps state of
 * its own that threads may not share. */
#ifndef STRATA_HOST_LUKS_COMMAND_H
#define STRATA_HOST_LUKS_COMMAND_H

#include "common/host/command.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

enum { STRATA_LUKS_KEY = 32 }; /* bytes of a random passphrase */

struct strata_luks {
    const char *cipher; /* "aes-xts-plain64" */
    unsigned key_bits;  /* of the volume's key; 512 for AES-256 in XTS */
    const char *pbkdf;  /* "fast": PBKDF2 of 1000 iterations, enough for a passphrase that is
                           random; "pbkdf2", "argon2id": as costly as cryptsetup makes them */
    uint64_t timeout_ns;
    const volatile sig_atomic_t *stop; /* as in struct strata_command */
};

/* Write a header to the file or device `path`. The passphrase goes by standard input only. */
void strata_luks_format(const char *path, const struct strata_luks *luks,
                        const uint8_t passphrase[STRATA_LUKS_KEY],
                        struct strata_command_outcome *ret_outcome);

/* Map the device `path` as /dev/mapper/NAME. */
void strata_luks_open(const char *path, const char *name, const struct strata_luks *luks,
                      const uint8_t passphrase[STRATA_LUKS_KEY],
                      struct strata_command_outcome *ret_outcome);

/* Whether a LUKS2 header begins at the open file's first byte. Source: LUKS2 On-Disk Format
 * Specification, 2.1: magic "LUKS\xba\xbe", version 2, big-endian. */
bool strata_luks_is_header(int file);

#endif
