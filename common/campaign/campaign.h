/* The run loop: every cell of a layer's plan, plain and encrypted in turn, each run prepared,
 * measured, judged, stored. What a layer provides is the table of functions at the end.
 *
 *   plan -> layer->expand -> cells -> for each slot: layer->open -> target -> engine -> judge ->
 * store
 */
#ifndef STRATA_CAMPAIGN_CAMPAIGN_H
#define STRATA_CAMPAIGN_CAMPAIGN_H

#include "common/base/error.h"
#include "common/host/counters.h"
#include "common/host/proof.h"
#include "common/load/load.h"
#include "common/plan/plan.h"
#include "common/target/target.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the user allowed on the command line, never in a file. */
struct strata_permissions {
    const char *const *overwrite; /* paths named by --allow-overwrite */
    size_t overwrite_count;
    bool overwrite_signature; /* --allow-overwrite-signature */
    bool insecure;            /* --insecure: TLS not verified; recorded */
};

/* A place that is measured: one <device>, <filesystem> or <swift> of the plan. */
struct strata_backend {
    const char *name;                     /* borrowed from the plan */
    const struct strata_element *element; /* its options */
    enum strata_layer_id layer;
    bool encrypted;
    const char
        *encryption; /* "none", "dm-crypt", "aes-xts-256", "fscrypt", "client", "server", … */
    struct strata_proof proof;
    const struct strata_permissions *permissions;
    const struct strata_backend *twin;   /* the plain one, for an encrypted one; else NULL */
    const struct strata_backend *versus; /* the one that it is held against; else NULL */
    char **places;      /* its path or URL, of a set one for each member; owned by the list */
    size_t place_count; /* 0: from the environment */
    char *location;     /* all places in one text, for people and the database; likewise */
};

/* A workload: what is asked, the same on each back end. Shown and stored as it stands here. */
struct strata_workload {
    char name[128]; /* unique in its layer: "iops read 512 B depth 32" */
    enum strata_layer_id layer;
    const char *element;        /* "iops", "metadata", "transfer", "file-types", "ladder", … */
    uint64_t block_bytes;       /* device: block; else 0 */
    uint64_t object_bytes;      /* payload of one file or object; device: same as block */
    unsigned concurrency;       /* jobs x depth */
    const char *category;       /* a label inside the element: file type ("image"), slot; or "" */
    char match_key[48];         /* the same at every layer of a ladder: "262144 B x 8"; else "" */
    char *parameters;           /* JSON object of everything else; owned */
    struct strata_load *phases; /* in order; owned */
    size_t phase_count;
    unsigned rounds; /* the last phase is repeated as "round 1", "round 2", … until five
                        are steady, at most so often; 0: it runs once, by its name */
    unsigned
        precondition_passes; /* of rounds: so often the first phase goes over the whole region
                                before them, counted but no result; 0: there is no such phase */
    bool overwrites;         /* the target writes beside the phases, before they begin */
    uint64_t expected_ns;    /* about how long one run takes; for the time left */
    uint64_t seed;
    const struct strata_element *source; /* the plan's element that it was expanded from, set by
                                            `expand`, for options that do not sweep; borrowed */
};

/* A workload on a back end, and on its encrypted twin where there is one, or on one that is held
 * against it (versus). */
struct strata_cell {
    struct strata_workload workload;
    const struct strata_backend *plain;
    const struct strata_backend *encrypted; /* the second side; or NULL: the plain one alone */
    unsigned repetitions;                   /* pairs, or runs where there is no twin */
    unsigned round; /* how many cells with the same workload and back ends come before: its pairs
                       are numbered on from theirs, as those of a slot of the next day are */
    bool control;   /* the A/A cell: plain against plain */
    int64_t not_before_us; /* wall clock: wait until then; 0: begin at once */
    int64_t not_after_us;  /* begun later than this it is recorded as missed; 0: never */
};

struct strata_cells {
    struct strata_cell *items;
    size_t count;
    size_t capacity;
};

/* What is known when a run opens its target. */
struct strata_run_context {
    const struct strata_workload *workload;
    const struct strata_backend *backend;
    uint64_t run_seed;                     /* unique for each run: payload must not repeat */
    const char *run_uuid;                  /* for the marker of what the run makes */
    const struct strata_load *first_phase; /* of those that the target is opened for: all of them,
                                              or the precondition alone and then the rounds */
    uint64_t region_bytes; /* that the jobs share, once it is open; 0 where they share none */
    char left_out[192];    /* of rounds: the steps of the standard's procedure that the layer left
                              out, "; " between them; set by `open` */
    uint64_t give_up_ns;   /* set by `open`: when a target that is silent is given up; 0: never */
    char place[64];    /* device that the run really uses where it is not the back end's own path:
                          made by `open`, gone after `release`; else "" */
    void *provision;   /* what `open` made and `release` removes; the layer's own */
    char flags[256];   /* the target's own findings, "unwritten blocks read", …; "" if none.
                          The run is then invalid with this reason */
    char details[512]; /* what failed operations said, for the reason of a run that is not ok; "" if
                          nothing. By itself it makes no run invalid */
};

/* A layer: what strata-device and its like give to the shared main. All functions may be called
 * only from the main thread. */
struct strata_layer {
    enum strata_layer_id id;
    const char *program;  /* "strata-device" */
    const char *summary;  /* one line for --help */
    const char *examples; /* lines for --help */

    /* What an ad hoc command line makes: this workload, or the one that --scenario names, on back
     * ends of the type that it runs on. */
    const char *workload_element;
    const char *backend_element;   /* of the rungs of ladders */
    const char *encrypted_default; /* what --encrypted PLACE is, without --encryption: "dm-crypt" */
    bool may_hang; /* a back end may hold the process inside the kernel: see cli/supervise.h */

    /* What runs when the command line names no workload option: adds workloads to the plan. NULL:
     * one `workload_element` with its defaults. */
    enum strata_status (*default_workloads)(struct strata_plan *plan,
                                            const struct strata_permissions *permissions,
                                            struct strata_error *error);

    /* Turn one workload element of the layer, or the ladder's rung of this layer, into cells on
     * `plain` and its twin: sweep the lists, fill in phases. Appends to *cells. */
    enum strata_status (*expand)(const struct strata_element *element,
                                 const struct strata_backend *plain,
                                 const struct strata_backend *encrypted, struct strata_cells *cells,
                                 struct strata_error *error);

    /* Is the back end there, allowed, encrypted as it says? Fills backend->proof. Called once for
     * each back end before anything is measured; not for --dry-run. */
    enum strata_status (*inspect)(struct strata_backend *backend, bool writes,
                                  struct strata_error *error);

    /* Open the target of one run, filters included. */
    enum strata_status (*open)(struct strata_run_context *context,
                               struct strata_target **ret_target, struct strata_error *error);

    /* Findings after a run that make it invalid, into context->flags; may be NULL. */
    void (*findings)(struct strata_target *target, struct strata_run_context *context);

    /* Remove context->provision, after the target was closed or `open` failed; may be NULL. */
    enum strata_status (*release)(struct strata_run_context *context, struct strata_error *error);
};

/* Whether any phase of any cell on this back end or its twin writes: then the guard must allow it.
 */
bool strata_workload_writes(const struct strata_workload *workload);

/* Append an empty cell and return it; valid until the next call. */
struct strata_cell *strata_cells_add(struct strata_cells *cells);
void strata_cells_done(struct strata_cells *cells);

#endif
