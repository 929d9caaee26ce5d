/* What machine this is, at this moment: facts that a number cannot be read without. */
#ifndef STRATA_HOST_FACTS_H
#define STRATA_HOST_FACTS_H

#include "common/base/text.h"

/* `ret_host_id`: a hash of the machine id, 32 hex digits. */
void strata_facts_host_id(char ret_host_id[33]);

/* One JSON object with sorted keys: kernel, distribution, processor model, cores, memory_bytes,
 * governor, hypervisor, libraries' versions, Strata's version. Nothing secret, no host name. */
void strata_facts_environment(struct strata_text *out);

/* One JSON object about a path's storage: file system type and mount options, device number,
 * model, rotational, scheduler, logical and physical block size, the stack of slaves below. Keys
 * that do not apply are absent. `path` may not exist: "{}". */
void strata_facts_storage(const char *path, struct strata_text *out);

/* One JSON object about what works in memory: `kernel_ciphers`, which driver the kernel has for
 * each cipher ({"xts(aes)": "xts-aes-aesni"}), since dm-crypt's is not OpenSSL's. `root` is "" but
 * in tests. */
void strata_facts_memory(const char *root, struct strata_text *out);

#endif
