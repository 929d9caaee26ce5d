/* The ladder: one payload and concurrency at every layer, and what it says about the bottleneck. */
#ifndef STRATA_ANALYSIS_LADDER_H
#define STRATA_ANALYSIS_LADDER_H

#include "common/base/text.h"
#include "common/store/query.h"

/* One layer of a ladder. A fraction that is not known is NAN. Rates and fractions are means over
 * the ok runs; what is said of the layer below and of encryption's cost is that of the views
 * v_layer and v_layer_penalty. */
struct strata_rung {
    char layer[16];
    char *backend;
    long runs;
    double ops_per_s;
    double bytes_per_s;
    bool assumed;      /* nothing says that it stands on the layer below */
    double efficiency; /* of the rate of the layer below */
    bool contradicted; /* so much faster than the layer below that it does not stand on it */
    double share;      /* of the whole fall from the lowest layer to the highest, as logarithms */
    double loss_fraction; /* encrypted ladders: against the plain one; NAN where both have the same
                           * back end, since nothing was compared there */
    double hidden_log_ratio; /* encrypted ladders: how much of the cost below this layer hides */
    double cpu_busy_fraction;
    double pressure_io_fraction;
    char disk[40]; /* the busiest one below the back end; "" when there is none */
    double disk_busy_fraction;
    double amplification; /* bytes on that disk over payload, in the ladder's direction */
    bool bottleneck;      /* the lowest efficiency, as v_bottleneck says */
};

enum { STRATA_RUNGS = 4 };

struct strata_ladder {
    char *match_key; /* "262144 B x 8" */
    char *phase;     /* "read" | "write" */
    bool encrypted;
    char *chain;                            /* back end of the top layer */
    struct strata_rung rungs[STRATA_RUNGS]; /* from the lowest layer */
    size_t rung_count;
};

struct strata_ladders {
    struct strata_ladder *items;
    size_t count;
    size_t capacity;
};

/* Owns: the caller calls strata_ladders_done in every case. */
enum strata_status strata_ladders_read(struct strata_store *store, int64_t campaign_id,
                                       struct strata_ladders *ret_ladders,
                                       struct strata_error *error);
void strata_ladders_done(struct strata_ladders *ladders);

/* The rung that is called the bottleneck: the lowest efficiency of those that do not contradict
 * what is below them, if it is below 95 %; else NULL. */
const struct strata_rung *strata_ladder_bottleneck(const struct strata_ladder *ladder);

/* Two sentences: which layer holds the ladder back with the evidence, and what would refute it. A
 * resource is called the limit at 80 % of its time and above. Where a layer's rate contradicts that
 * it stands on the one below, that is said instead, and nothing below it is blamed. */
void strata_ladder_explain(const struct strata_ladder *ladder, struct strata_text *finding,
                           struct strata_text *refutation);

/* Where encryption's cost shows on an encrypted ladder; nothing when the plain one is missing. */
void strata_ladder_explain_cost(const struct strata_ladder *ladder, struct strata_text *finding);

#endif
