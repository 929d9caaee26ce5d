/* Which of the kernel's implementations of a cipher does the work: an encrypted file system or
 * device at 60 MiB/s says something else under AES instructions than under a portable one. */
#ifndef STRATA_HOST_KERNEL_CIPHER_H
#define STRATA_HOST_KERNEL_CIPHER_H

#include <stdbool.h>
#include <stddef.h>

/* The driver of `algorithm` ("xts(aes)") with the highest priority in ROOT/proc/crypto, as the
 * kernel chooses it ("xts-aes-aesni", "xts(ecb(aes-fixed-time))"), into `ret_driver`; "" when it
 * has none yet: the kernel lists an implementation from its first use on. `root` is "" but in
 * tests. */
void strata_kernel_cipher_driver(const char *root, const char *algorithm, char *ret_driver,
                                 size_t size);

#endif
