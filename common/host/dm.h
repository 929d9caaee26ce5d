/* What the device mapper says about a dm-crypt device. */
#ifndef STRATA_HOST_DM_H
#define STRATA_HOST_DM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the active table of a dm-crypt device says, but for its key. */
struct strata_dm_crypt {
    char cipher[128];      /* "aes-xts-plain64" */
    unsigned key_bits;     /* of the whole key: 512 is AES-256 in XTS */
    unsigned sector_bytes; /* under one initialisation vector */
    uint64_t offset_bytes; /* where on the device below the ciphertext begins */
};

/* Ask the kernel for the table of the dm device with this uuid. False when it cannot be known: no
 * device mapper, not root, not one dm-crypt target. */
bool strata_dm_crypt_read(const char *uuid, struct strata_dm_crypt *ret_crypt);

/* Likewise from the parameters of a crypt target: "CIPHER KEY IV-OFFSET DEVICE OFFSET [COUNT
 * OPTION…]", the key in hexadecimal digits, as ":BYTES:TYPE:DESCRIPTION" or "-", the offset in
 * sectors of 512 bytes. */
bool strata_dm_crypt_parse(const char *parameters, struct strata_dm_crypt *ret_crypt);

/* The kind of encryption that a dm uuid of cryptsetup's tells ("LUKS2" of "CRYPT-LUKS2-…"), into
 * `ret_kind`. False for other uuids: a bare "CRYPT-", integrity and verity devices (which encrypt
 * nothing), the temporary ones of key slots. */
bool strata_dm_crypt_kind(const char *uuid, char *ret_kind, size_t size);

/* Whether this kernel has a device mapper that this process may ask. Returns 0 or an errno. */
int strata_dm_available(void);

/* Have the kernel remove the mapping of this name when its last holder lets go of it, killed or
 * not. Returns 0 or an errno. */
int strata_dm_remove_at_last_close(const char *name);

#endif
