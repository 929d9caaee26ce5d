/* What the files of the Swift target share: the run's objects, and the workers on them. */
#ifndef STRATA_TARGET_SWIFT_TARGET_H
#define STRATA_TARGET_SWIFT_TARGET_H

#include "common/target/swift.h"
#include "common/target/swift_session.h"

/* An object's name is this and its number. */
#define STRATA_SWIFT_OBJECT_PREFIX "object-"

/* What is known of an object on the server. */
enum strata_swift_object {
    STRATA_SWIFT_ABSENT,  /* never sent, or deleted */
    STRATA_SWIFT_UNKNOWN, /* sent, but the upload was not answered by success */
    STRATA_SWIFT_PRESENT
};

struct strata_swift_target {
    struct strata_target target;
    struct strata_swift_session *session;
    struct strata_body *body;
    char *container; /* path below the storage URL, escaped: "/strata-…" */
    char *run_uuid;
    uint64_t objects;
    uint8_t *states;     /* enum strata_swift_object of each */
    uint8_t (*md5s)[16]; /* of what each has on the wire; made by prepare */
    bool new_connections;
    bool created; /* the container is this run's */
};

/* A worker on given objects: operation item i is object objects[i], or first + i where `objects` is
 * NULL. Errors: STRATA_ENVIRONMENT. Owns: takes `objects`, also when it fails. */
enum strata_status strata_swift_worker_open(struct strata_swift_target *target,
                                            const struct strata_worker_setup *setup,
                                            uint64_t *objects, uint64_t first,
                                            struct strata_worker **ret_worker,
                                            struct strata_error *error);
void strata_swift_worker_close(struct strata_worker *worker);
int strata_swift_worker_submit(struct strata_worker *worker,
                               struct strata_operation *const *operations, unsigned count);
int strata_swift_worker_reap(struct strata_worker *worker, struct strata_operation **operations,
                             unsigned max, uint64_t deadline_ns);

#endif
