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
enum strata_status strata_device_release(struct strata_run_context *context,
                                         struct strata_error *error);

/* Whether what the element says of its rounds fits together. Errors: STRATA_USAGE. */
enum strata_status strata_device_check_rounds(const struct strata_element *element,
                                              struct strata_error *error);

/* Make a workload whose one phase is a round one of rounds: as often as its element says, and after
 * the precondition that it asks for. */
void strata_device_add_rounds(struct strata_workload *workload);

/* Purge the block target where the element asks for it, before the run's first phase, and list in
 * the context what of the standard's procedure is left out. */
enum strata_status strata_device_begin_rounds(struct strata_run_context *context,
                                              struct strata_target *target,
                                              struct strata_error *error);

/* Whether Strata's own cipher stands before this back end. */
bool strata_device_has_filter(const struct strata_backend *backend);

/* How that cipher encrypts, in dm-crypt's words. */
void strata_device_filter_cipher(const struct strata_backend *backend,
                                 struct strata_dm_crypt *ret_cipher);

/* Ask the guard whether each device of the back end may be read, or overwritten, and whether all of
 * them are different ones. */
enum strata_status strata_device_guard(const struct strata_backend *backend, bool writes,
                                       struct strata_error *error);

/* Open the back end's region of options.path (its own, or that of its mapping), without a filter;
 * offset and size are the back end's. Owns: the caller closes it. */
enum strata_status strata_device_open_block(const struct strata_backend *backend,
                                            struct strata_block_options options,
                                            struct strata_target **ret_target,
                                            struct strata_error *error);

/* Whether the back end is several devices in one address space. */
bool strata_device_is_striped(const struct strata_backend *backend);

/* How many address spaces it has, each with filters of its own: one for each device of a set that
 * is measured side by side, else one. */
unsigned strata_device_stacks(const struct strata_backend *backend);

/* Whether what the workload writes and reads is verified. */
bool strata_device_verifies(const struct strata_workload *workload);

/* Put the verifying filter over the n-th address space where the workload asks for it, and after
 * the run read back what it wrote and put the first wrong byte, or that it cannot be read, into
 * context->flags. On failure the target is closed. */
enum strata_status strata_device_add_verify(const struct strata_run_context *context,
                                            unsigned stack, struct strata_target **target,
                                            struct strata_error *error);
void strata_device_judge_verify(struct strata_run_context *context, struct strata_target *target,
                                unsigned stack);

/* Open what is under the filters of the n-th of them; as strata_device_open_block, but that the
 * path is the back end's, and a striped set's blocks are its chunks where options.block_bytes is 0.
 */
enum strata_status strata_device_open_stack(const struct strata_backend *backend, unsigned stack,
                                            struct strata_block_options options,
                                            struct strata_target **ret_target,
                                            struct strata_error *error);

/* Put the back end's cipher over `inner`, with the key of its key-file or a random one. Owns: on
 * success the result owns `inner`; on failure `inner` is closed. */
enum strata_status strata_device_add_filter(const struct strata_backend *backend,
                                            struct strata_target *inner,
                                            struct strata_target **ret_target,
                                            struct strata_error *error);

/* Bytes that the trial below writes: of an operation on `above` and `below`. */
enum { STRATA_DEVICE_TRIAL_BYTES = 4096 };

/* Write a pattern into the last block of `above`, look at the same block of `below`, read it back.
 * On success backend->proof is functional, with evidence that names what it went `through`.
 * Errors: STRATA_ENVIRONMENT when it does not read back equal, stands below in plain, or the back
 * end does not answer within its `give-up`. */
enum strata_status strata_device_trial(struct strata_backend *backend, struct strata_target *above,
                                       struct strata_target *below, const char *through,
                                       struct strata_error *error);

/* Where a dm-crypt mapping puts its ciphertext. */
struct strata_device_under {
    const char *path;
    uint64_t offset_bytes; /* of the mapping's first byte */
};

/* Open for reading what the back end's region of its mapping stands on. Owns: the caller closes it.
 */
enum strata_status strata_device_open_under(const struct strata_backend *backend,
                                            const struct strata_device_under *under,
                                            uint64_t block_bytes, struct strata_target **ret_target,
                                            struct strata_error *error);

/* The trial above for the dm-crypt device `path`, of which backend->proof says what the kernel
 * shows. */
enum strata_status strata_device_prove_mapping(struct strata_backend *backend, const char *path,
                                               const struct strata_device_under *under,
                                               struct strata_error *error);

/* --- a mapping that Strata makes over the back end's device (option `provision`) --- */

struct strata_device_mapping;

bool strata_device_provisions(const struct strata_backend *backend);

/* Make a mapping, prove it by writing, remove it: the inspection of such a back end. */
enum strata_status strata_device_inspect_provisioned(struct strata_backend *backend,
                                                     struct strata_error *error);

/* Refuse options of a mapping on a back end that has none. */
enum strata_status strata_device_check_unprovisioned(const struct strata_backend *backend,
                                                     struct strata_error *error);

/* Make the mapping, after the guard allowed that the device is overwritten, and remove it.
 * Owns: what is made must be removed; unmap frees it in every case. */
enum strata_status strata_device_map(const struct strata_backend *backend,
                                     struct strata_device_mapping **ret_mapping,
                                     struct strata_error *error);
enum strata_status strata_device_unmap(struct strata_device_mapping *mapping,
                                       struct strata_error *error);

/* "/dev/mapper/strata-1a2b3c4d"; valid until it is removed. */
const char *strata_device_mapping_path(const struct strata_device_mapping *mapping);

/* Look for never-written blocks on the device below, and what was found; as strata_block_samples.
 */
enum strata_status strata_device_sample_below(const struct strata_backend *backend,
                                              struct strata_device_mapping *mapping,
                                              uint64_t block_bytes, struct strata_error *error);
void strata_device_mapping_samples(const struct strata_device_mapping *mapping,
                                   unsigned *ret_sampled, unsigned *ret_unwritten);

#endif
