/* What the device mapper says about a dm-crypt device. */
#ifndef STRATA_HOST_DM_H
#define STRATA_HOST_DM_H

#include <stdbool.h>
#include <stddef.h>

/* The cipher of the active table of the dm device with this uuid ("aes-xts-plain64"), asked of the
 * kernel. False when it cannot be known: no device mapper, not root, not a dm-crypt device. */
bool strata_dm_cipher(const char *uuid, char *ret_cipher, size_t size);

/* The kind of encryption that a dm uuid of cryptsetup's tells ("LUKS2" of "CRYPT-LUKS2-…"), into
 * `ret_kind`. False for other uuids: a bare "CRYPT-", integrity and verity devices (which encrypt
 * nothing), the temporary ones of key slots. */
bool strata_dm_crypt_kind(const char *uuid, char *ret_kind, size_t size);

#endif
