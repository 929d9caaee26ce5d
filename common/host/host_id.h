/* The hash behind strata_facts_host_id. */
#ifndef STRATA_HOST_HOST_ID_H
#define STRATA_HOST_HOST_ID_H

#include <stddef.h>
#include <stdint.h>

/* SipHash-2-4 with 128 bits of output. */
void strata_host_id_hash(const uint8_t key[16], const uint8_t *message, size_t length,
                         uint8_t ret_hash[16]);

#endif
