/* What the files of the device layer share. */
#ifndef STRATA_LAYERS_DEVICE_DEVICE_H
#define STRATA_LAYERS_DEVICE_DEVICE_H

#include "common/campaign/campaign.h"
#include "common/target/block.h"

#include <stdbool.h>
#include <stdint.h>

/* The functions of the layer's table; see struct strata_layer. */
enum strata_status strata_device_expand(const struct strata_element *element,
                                        const struct strata_backend *plain,
                                        const struct strata_backend *encrypted,
                                        struct strata_cells *cells, struct strata_error *error);
enum strata_status strata_device_inspect(struct strata_backend *backend, bool writes,
                                         struct strata_error *error);
enum strata_status strata_device_open(struct strata_run_context *context,
                                      struct strata_target **ret_target,
                                      struct strata_error *error);
void strata_device_findings(struct strata_target *target, struct strata_run_context *context);

/* Whether Strata's own cipher stands before this back end. */
bool strata_device_has_filter(const struct strata_backend *backend);

/* Ask the guard whether the back end may be read, or overwritten. */
enum strata_status strata_device_guard(const struct strata_backend *backend, bool writes,
                                       struct strata_error *error);

/* Open the back end's region in blocks of `block_bytes` (0: its logical block), without a filter.
 * Owns: the caller closes it. */
enum strata_status strata_device_open_block(const struct strata_backend *backend,
                                            enum strata_block_engine engine, bool writable,
                                            uint64_t block_bytes, struct strata_target **ret_target,
                                            struct strata_error *error);

/* Put the back end's cipher over `inner`, with the key of its key-file or a random one. Owns: on
 * success the result owns `inner`; on failure `inner` is closed. */
enum strata_status strata_device_add_filter(const struct strata_backend *backend,
                                            struct strata_target *inner,
                                            struct strata_target **ret_target,
                                            struct strata_error *error);

#endif
