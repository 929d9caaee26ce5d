/* When rounds are steady, and what may be called so.
 *
 * Always: a round that broke a rule of doc/methods.md is in no steady window; the standard's name
 * is given only where nothing of its procedure was left out, else what was is listed. How long a
 * round is and what it does is the layer's. */
#include "common/campaign/steady.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PROCEDURE "SNIA PTS 2.0.2 steady state, purged by discard"

/* What the standard asks for, beside the window and its limits. */
#define PRECONDITION_BLOCK_BYTES UINT64_C(131072)
#define PRECONDITION_TIMES       2
#define ROUND_NS                 UINT64_C(60000000000)

/* With the mean m = sum / n, and S the sum of (2i - (n - 1)) y_i over i = 0 to n - 1, the line
 * moves (n - 1) slope = 6 S / (n (n + 1)). Multiplied out, whole numbers are compared with whole
 * numbers:
 *
 * - max - min <= m / 5 is 5 n (max - min) <= sum;
 * - |6 S / (n (n + 1))| <= m / 10 is 60 |S| <= (n + 1) sum. */
struct strata_steady_window strata_steady_judge(const double *per_s, size_t count)
{
    double n = (double)count;
    double least = per_s[0];
    double most = per_s[0];
    double sum = 0;
    double tilt = 0;
    for (size_t i = 0; i < count; i++) {
        least = fmin(least, per_s[i]);
        most = fmax(most, per_s[i]);
        sum += per_s[i];
        tilt += (2 * (double)i - (n - 1)) * per_s[i];
    }
    struct strata_steady_window window = {
        .mean_per_s = sum / n,
        .range_fraction = (most - least) * n / sum,
        .slope_fraction = 6 * tilt / ((n + 1) * sum),
        .steady = sum > 0 && 5 * n * (most - least) <= sum && 60 * fabs(tilt) <= (n + 1) * sum,
    };
    return window;
}

/* Of the last rounds; there must be so many. */
static struct strata_steady_window last_window(const double *per_s, size_t rounds)
{
    return strata_steady_judge(per_s + rounds - STRATA_STEADY_WINDOW, STRATA_STEADY_WINDOW);
}

bool strata_steady_reached(const double *per_s, size_t rounds)
{
    return rounds >= STRATA_STEADY_WINDOW && last_window(per_s, rounds).steady;
}

double strata_steady_rate(const struct strata_store_phase *round, unsigned concurrency)
{
    const struct strata_load_result *result = round->result;
    uint64_t ok = 0;
    uint64_t window_ok = 0;
    for (int k = 0; k < STRATA_OPERATION_KINDS; k++) {
        const struct strata_record *record = result->recorder.records[k];
        ok += record != NULL ? record->tally.ok : 0;
        window_ok += record != NULL ? record->tally.window_ok : 0;
    }
    if (round->reason[0] != '\0' || ok == 0) {
        return NAN;
    }
    return window_ok >= UINT64_C(20) * concurrency
               ? (double)window_ok * 1e9 / (double)result->window_ns
               : (double)ok * 1e9 / (double)result->elapsed_ns;
}

static uint64_t bytes_written(const struct strata_store_phase *precondition)
{
    const struct strata_record *record =
        precondition != NULL ? precondition->result->recorder.records[STRATA_OPERATION_WRITE]
                             : NULL;
    return record != NULL ? record->tally.bytes : 0;
}

static void leave_out(struct strata_store_steady *steady, const char *step)
{
    size_t length = strlen(steady->missing);
    snprintf(steady->missing + length, sizeof(steady->missing) - length, "%s%s",
             length > 0 ? "; " : "", step);
}

/* A region need not be a multiple of 128 KiB: what each pass leaves of it is less than one block.
 */
static bool preconditioned(const struct strata_store_phase *precondition,
                           const struct strata_store_steady *steady)
{
    return precondition != NULL && precondition->bytes_per_operation == PRECONDITION_BLOCK_BYTES &&
           steady->preconditioned_bytes + PRECONDITION_TIMES * (PRECONDITION_BLOCK_BYTES - 1) >=
               PRECONDITION_TIMES * steady->capacity_bytes;
}

/* The standard's steps that were left out: those that the layer knows, then those of the load. */
static void list_missing(const struct strata_run_context *context,
                         const struct strata_store_phase *precondition,
                         struct strata_store_steady *steady)
{
    const struct strata_workload *workload = context->workload;
    uint64_t round_ns = workload->phases[workload->phase_count - 1].duration_ns;
    char text[128];
    snprintf(steady->missing, sizeof(steady->missing), "%s", context->left_out);
    if (!preconditioned(precondition, steady)) {
        snprintf(text, sizeof(text),
                 "preconditioning with twice the capacity (%" PRIu64 " of %" PRIu64 " bytes)",
                 steady->preconditioned_bytes, PRECONDITION_TIMES * steady->capacity_bytes);
        leave_out(steady, text);
    }
    if (round_ns < ROUND_NS) {
        snprintf(text, sizeof(text), "rounds of 60 s (%.3g s)", (double)round_ns / 1e9);
        leave_out(steady, text);
    }
}

void strata_steady_conclude(const struct strata_run_context *context,
                            const struct strata_store_phase *precondition, const double *per_s,
                            size_t rounds, struct strata_store_steady *ret_steady)
{
    *ret_steady = (struct strata_store_steady){
        .preconditioned_bytes = bytes_written(precondition),
        .capacity_bytes = context->region_bytes,
        .rounds = (unsigned)rounds,
        .mean_per_s = NAN,
        .range_fraction = NAN,
        .slope_fraction = NAN,
    };
    list_missing(context, precondition, ret_steady);
    if (ret_steady->missing[0] == '\0') {
        snprintf(ret_steady->procedure, sizeof(ret_steady->procedure), PROCEDURE);
    }
    if (rounds >= STRATA_STEADY_WINDOW) {
        struct strata_steady_window window = last_window(per_s, rounds);
        ret_steady->reached = window.steady;
        ret_steady->window_first_round = (unsigned)(rounds - STRATA_STEADY_WINDOW) + 1;
        ret_steady->mean_per_s = window.mean_per_s;
        ret_steady->range_fraction = window.range_fraction;
        ret_steady->slope_fraction = window.slope_fraction;
    }
}
