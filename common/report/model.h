/* What a report says, read once, whatever format it is then written in. */
#ifndef STRATA_REPORT_MODEL_H
#define STRATA_REPORT_MODEL_H

#include "common/analysis/campaign_row.h"
#include "common/analysis/ladder.h"

/* One workload and phase on one pair of twins, or on a back end alone (then the other name is
 * NULL). Numbers that are not known are NAN. */
struct strata_report_cell {
    char *layer;
    char *workload;
    char *phase;
    char *operation;
    char *title; /* the phase, and of one with several kinds of operation which: "randrw read" */
    char *plain;
    char *encrypted;
    char *encryption;
    char *proof;
    double plain_ops_per_s, encrypted_ops_per_s;
    double plain_bytes_per_s, encrypted_bytes_per_s;
    double plain_p50_ns, encrypted_p50_ns;
    double plain_p99_ns, encrypted_p99_ns;
    double plain_cpu_ns, encrypted_cpu_ns; /* whole machine, per operation */
    double cpu_per_byte_ratio;             /* encrypted over plain, of the pairs */
    double loss_fraction, loss_optimistic_fraction, loss_pessimistic_fraction;
    long pairs, plain_runs, encrypted_runs, bad_runs;
    char *verdict; /* "" where nothing was compared, "not comparable" where nothing can be */
    bool by_bytes; /* large enough that bytes per second say more than operations */
};

/* Runs without a valid rate, alike ones together. */
struct strata_report_trouble {
    char *layer;
    char *workload;
    char *backend;
    char *status;
    char *reason;
    long runs;
};

/* A run of rounds. */
struct strata_report_steady {
    char *workload;
    char *backend;
    char *procedure; /* the standard that was followed, or what of it was left out */
    long rounds;
    bool reached;
    double ops_per_s, bytes_per_s; /* NAN where it was not reached */
    double range_fraction, slope_fraction;
    bool by_bytes;
};

/* A phase whose rate changed for good inside it. */
struct strata_report_step {
    char *workload;
    char *backend;
    char *phase;
    double at_s;
    double before_ops_per_s, before_bytes_per_s;
    double after_ops_per_s, after_bytes_per_s;
    bool by_bytes;
};

/* What ran in memory: a cipher in one direction, or the derivation of a key. */
struct strata_report_baseline {
    bool derivation;
    char *name;      /* the cipher, or the derivation's workload */
    char *direction; /* "encrypt", "decrypt" */
    long key_bits;   /* of the whole key */
    long threads;
    double block_bytes, sector_bytes; /* NAN for derivations, as is what follows where unknown */
    double per_s;                     /* bytes, or keys */
    double iterations_per_s;
    double cpu_ns; /* per byte, or per key */
    long runs;
};

/* An encrypted device beside what its cipher alone could do. */
struct strata_report_headroom {
    char *backend;
    char *workload;
    char *operation; /* "read", "write" */
    char *cipher;
    long key_bits;
    char *direction;
    long threads; /* of the cipher's baseline */
    double cipher_bytes_per_s, plain_bytes_per_s, encrypted_bytes_per_s;
};

/* One workload and phase of a back end that is held against another: throughput. */
struct strata_report_versus {
    char *layer;
    char *workload;
    char *phase;
    char *backend;
    char *against;
    double ops_per_s, bytes_per_s; /* means over the pairs */
    double against_ops_per_s, against_bytes_per_s;
    double change_fraction, change_lower_fraction, change_upper_fraction; /* 0.1: 10 % more */
    char *verdict;
    long pairs;
    bool by_bytes;
};

struct strata_report_backend {
    char *name;
    char *layer;
    char *location;
    char *encryption;
    char *proof;
    char *evidence;
    char *twin; /* "" for a plain one */
};

struct strata_report {
    struct strata_campaign_row campaign;
    char *name;
    char *started; /* "2026-11-30 13:00 UTC" */
    char *version;
    char *machine; /* one line of facts */
    char *notice;  /* what sets these runs apart: imported, times scaled; "" when nothing does */
    char *control_verdict;
    char *control_reason;
    long planned_pairs;
    long ok_runs;
    long other_runs;
    struct strata_report_cell *cells; /* layer after layer, back end after back end */
    size_t cell_count, cell_capacity;
    struct strata_report_trouble *troubles;
    size_t trouble_count, trouble_capacity;
    struct strata_report_steady *steadies;
    size_t steady_count, steady_capacity;
    struct strata_report_step *steps;
    size_t step_count, step_capacity;
    struct strata_report_versus *versuses; /* those of the same two one after the other */
    size_t versus_count, versus_capacity;
    struct strata_report_backend *backends;
    size_t backend_count, backend_capacity;
    struct strata_report_baseline *baselines;
    size_t baseline_count, baseline_capacity;
    struct strata_report_headroom *headrooms; /* the best of each encrypted device and direction */
    size_t headroom_count, headroom_capacity;
    struct strata_ladders ladders;
};

/* `campaign` and `layer` as in report.h. Owns: the caller calls strata_report_done in every case.
 */
enum strata_status strata_report_read(struct strata_store *store, const char *campaign,
                                      const char *layer, struct strata_report *ret_report,
                                      struct strata_error *error);
void strata_report_done(struct strata_report *report);

#endif
