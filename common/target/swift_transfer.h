/* One request in flight, with a handle of its own that is used again and again. */
#ifndef STRATA_TARGET_SWIFT_TRANSFER_H
#define STRATA_TARGET_SWIFT_TRANSFER_H

#include "common/target/swift_loop.h"
#include "common/target/swift_target.h"

struct strata_swift_transfer {
    CURL *easy;
    struct strata_swift_target *swift;
    struct strata_swift_loop *loop;
    char *url;
    size_t url_length;                  /* without the object's name */
    struct strata_operation *operation; /* NULL: the slot is free */
    struct strata_body_stream *stream;
    struct curl_slist *headers;
    uint64_t generation; /* of the token in the headers */
    int kind;            /* that the handle is set up for; -1: none */
    bool renewed;        /* sent again with a new token */
    bool reconnected;    /* sent again on a new connection */
    bool body_lost;      /* libcurl dropped a part of the upload's body */
    uint64_t object;
    uint64_t size;  /* on the wire */
    uint64_t moved; /* bytes of content sent or received */
    uint64_t progress_ns;
    uint64_t sent_ns;     /* when the last of the content was handed over; 0: not yet */
    uint64_t answered_ns; /* when the final answer's first line came */
    long status;          /* of the answer; 0: none yet */
    int32_t finding;      /* first result of the body's functions */
    char etag[33];
};

/* A transfer in the loop, for operations of those kinds of about so many bytes. Returns false when
 * memory is short; it is closed in either case. */
bool strata_swift_transfer_open(struct strata_swift_transfer *transfer,
                                struct strata_swift_target *swift, struct strata_swift_loop *loop,
                                unsigned kinds, uint64_t bytes);
void strata_swift_transfer_close(struct strata_swift_transfer *transfer);

/* Begin the operation on that object at the loop's next turn. False when libcurl refuses; then it
 * is for the caller to end. */
bool strata_swift_transfer_begin(struct strata_swift_transfer *transfer,
                                 struct strata_operation *operation, uint64_t object);

/* After the loop said that it ended: send it again when its token was refused and there is another,
 * or when it met a kept connection being closed; once for each cause. False when it is not sent
 * again. */
bool strata_swift_transfer_repeat(struct strata_swift_transfer *transfer, CURLcode code);

/* Fill in the operation's result, end and stages; the transfer is free again. */
void strata_swift_transfer_end(struct strata_swift_transfer *transfer, CURLcode code);

/* Take it out of the loop, timed out; the transfer is free again. */
void strata_swift_transfer_give_up(struct strata_swift_transfer *transfer);

#endif
