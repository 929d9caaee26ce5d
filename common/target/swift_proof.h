/* The proof that objects are encrypted before they leave the client. */
#ifndef STRATA_TARGET_SWIFT_PROOF_H
#define STRATA_TARGET_SWIFT_PROOF_H

#include "common/host/proof.h"
#include "common/target/swift_session.h"

/* Upload a known text through AES-256-GCM under a random key into a container of its own, read the
 * raw bytes back, look for the text in them, measure their entropy, decrypt them; remove both.
 * Level FUNCTIONAL when all of it is as it should be, else an error. Errors: STRATA_ENVIRONMENT. */
enum strata_status strata_swift_prove_client(struct strata_swift_session *session,
                                             struct strata_proof *ret_proof,
                                             struct strata_error *error);

#endif
