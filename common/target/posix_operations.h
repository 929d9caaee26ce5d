/* A worker of the target `posix` and what it can do. */
#ifndef STRATA_TARGET_POSIX_OPERATIONS_H
#define STRATA_TARGET_POSIX_OPERATIONS_H

#include "common/target/posix_tree.h"
#include "common/target/synchronous.h"

struct strata_posix_worker {
    struct strata_synchronous_worker base;
    struct strata_posix *posix;
    unsigned job;
    unsigned jobs; /* of the phase */
    enum strata_operation_kind kind;
    int tree; /* the directory of the job's tree; -1 for directory operations */
    struct strata_item_set changes; /* items that this phase made, renamed or removed */
    struct strata_posix_shortage shortage;
    uint8_t *buffer;
    size_t buffer_bytes;
};

/* Bytes of the buffer that a worker of this kind needs; 0: none. */
size_t strata_posix_buffer_bytes(const struct strata_posix *posix, enum strata_operation_kind kind);

/* Whether the target knows this kind. */
bool strata_posix_can(enum strata_operation_kind kind);

/* Do the operation at once: sets its bytes, stages, end and result. */
void strata_posix_perform(struct strata_posix_worker *worker, struct strata_operation *operation);

#endif
