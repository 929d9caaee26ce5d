/* The rules by which a run is called invalid, each with its reason.
 *
 * Always: a rule compares two independent counts of the same thing (the tool's and the kernel's,
 * the depth asked and the depth seen); nothing is dropped or corrected here, only named. The
 * percentile's own rule (too few samples) is in the view v_latency. */
#include "common/campaign/judge.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Rules about averages need so many operations for each one in flight, and so long a window: else
 * the ramp at both ends, where jobs wait for a processor before their first operation and after
 * their last, outweighs the middle. Nothing is judged from a phase of a few milliseconds. */
enum { OPERATIONS_FOR_AVERAGES = 20 };
#define WINDOW_FOR_AVERAGES_NS UINT64_C(100000000)

/* A mean over all successes speaks for the window when so many of them ended in it. */
#define SHARE_IN_WINDOW 0.99

/* The kernel's unit of processor time in /proc/stat (USER_HZ is 100). */
#define TICK_NS 10e6

struct totals {
    uint64_t started;
    uint64_t ok;
    uint64_t lost; /* failed, timed out, abandoned */
    uint64_t bytes;
    uint64_t window_ok;
    uint64_t response_ns; /* sum over the successes */
    uint64_t service_ns;
    uint64_t cipher_ns;
};

static struct totals add_up(const struct strata_load_result *result)
{
    struct totals totals = {0};
    for (int k = 0; k < STRATA_OPERATION_KINDS; k++) {
        const struct strata_record *record = result->recorder.records[k];
        if (record == NULL) {
            continue;
        }
        const struct strata_tally *tally = &record->tally;
        totals.started += tally->started;
        totals.ok += tally->ok;
        totals.lost += tally->failed + tally->timed_out + tally->abandoned;
        totals.bytes += tally->bytes;
        totals.window_ok += tally->window_ok;
        totals.response_ns += record->response.sum_ns;
        totals.service_ns += record->service.sum_ns;
        totals.cipher_ns += tally->stage_ns[STRATA_STAGE_CIPHER];
    }
    return totals;
}

bool strata_judge_all_failed(const struct strata_load_result *result)
{
    struct totals totals = add_up(result);
    return totals.started > 0 && totals.ok == 0;
}

bool strata_judge_errors(const struct strata_load_result *result, double budget, char *reason,
                         size_t size)
{
    struct totals totals = add_up(result);
    if ((double)totals.lost <= budget * (double)totals.started) {
        return false;
    }
    snprintf(reason, size, "errors: %" PRIu64 " of %" PRIu64 " operations failed", totals.lost,
             totals.started);
    return true;
}

static uint64_t moved_bytes(const struct strata_phase_evidence *evidence, size_t disk)
{
    const struct strata_disk_counter *before = &evidence->before->disks[disk];
    const struct strata_disk_counter *after = &evidence->after->disks[disk];
    return after->read_bytes - before->read_bytes + after->written_bytes - before->written_bytes;
}

/* What the disks from `first` to before `end` moved together; false where there is none, or one
 * that the kernel keeps no counters of, which says nothing either way. */
static bool count_moved(const struct strata_phase_evidence *evidence, size_t first, size_t end,
                        uint64_t *ret_bytes)
{
    bool all_count = first < end;
    *ret_bytes = 0;
    for (size_t d = first; d < end; d++) {
        *ret_bytes += moved_bytes(evidence, d);
        all_count = all_count && !evidence->after->disks[d].uncounted;
    }
    return all_count;
}

/* The devices of a set share the work, and so do those below a device: the top ones together must
 * have moved at least half of the payload, and so must all below together, where each of the top
 * ones has any. */
static bool cached(const struct strata_phase_evidence *evidence, const struct totals *totals,
                   char *reason, size_t size)
{
    const struct strata_counters *after = evidence->after;
    size_t count = evidence->before->disk_count < after->disk_count ? evidence->before->disk_count
                                                                    : after->disk_count;
    size_t tops = after->top_count < count ? after->top_count : count;
    uint64_t moved;
    bool top = count_moved(evidence, 0, tops, &moved) && moved < totals->bytes / 2;
    if (!top && (after->partly_below || !count_moved(evidence, tops, count, &moved) ||
                 moved >= totals->bytes / 2)) {
        return false;
    }
    snprintf(reason, size, "cached: %s%s%s moved %" PRIu64 " bytes of %" PRIu64 " that were asked",
             top ? "" : "the devices below ", after->disks[0].name,
             tops > 1 ? " and the others of the set" : "", moved, totals->bytes);
    return true;
}

static bool depth_not_achieved(const struct strata_phase_evidence *evidence, char *reason,
                               size_t size)
{
    double asked = (double)evidence->load->jobs * evidence->load->depth;
    if (evidence->load->rate_per_s > 0 || evidence->result->mean_in_flight >= 0.9 * asked) {
        return false;
    }
    snprintf(reason, size, "depth: %.1f operations in flight on average, %.0f asked",
             evidence->result->mean_in_flight, asked);
    return true;
}

/* Little's law: throughput times time in the system equals the number in the system. */
static bool little_broken(const struct strata_phase_evidence *evidence, const struct totals *totals,
                          char *reason, size_t size)
{
    if (evidence->load->rate_per_s > 0 ||
        (double)totals->window_ok < SHARE_IN_WINDOW * (double)totals->ok) {
        return false;
    }
    double throughput = (double)totals->window_ok / (double)evidence->result->window_ns;
    double time_ns = (double)totals->response_ns / (double)totals->ok;
    double ratio = throughput * time_ns / evidence->result->mean_in_flight;
    if (fabs(ratio - 1) <= 0.05) {
        return false;
    }
    snprintf(reason, size, "Little's law: rate x latency is %.2f of the operations in flight",
             ratio);
    return true;
}

/* The cipher's own time is what an encrypted run is meant to spend, so it is no overhead. */
static bool tool_bound(const struct strata_phase_evidence *evidence, const struct totals *totals,
                       char *reason, size_t size)
{
    double cipher =
        (double)totals->cipher_ns / ((double)evidence->result->window_ns * evidence->load->jobs);
    double busy = evidence->result->generator_busy_fraction - cipher;
    if (busy <= 0.9) {
        return false;
    }
    snprintf(reason, size, "tool-bound: the load generator itself was busy for %.0f %% of the time",
             100 * busy);
    return true;
}

/* Of a short phase the kernel's ticks tell little: one at either end may belong to what was before
 * or after it, and does not count against it. */
static bool stolen(const struct strata_phase_evidence *evidence, char *reason, size_t size)
{
    const struct strata_counters *before = evidence->before;
    const struct strata_counters *after = evidence->after;
    double steal = (double)(after->cpu_steal_ns - before->cpu_steal_ns);
    double all = steal + (double)(after->cpu_user_ns - before->cpu_user_ns) +
                 (double)(after->cpu_system_ns - before->cpu_system_ns) +
                 (double)(after->cpu_idle_ns - before->cpu_idle_ns);
    if (all <= 0 || (steal - 2 * TICK_NS) / all <= 0.05) {
        return false;
    }
    snprintf(reason, size, "steal: the hypervisor took %.1f %% of the processors' time",
             100 * steal / all);
    return true;
}

/* A mean over two rates is neither; both are in the reason. */
static bool stepped(const struct strata_phase_evidence *evidence, const struct strata_step *step,
                    char *reason, size_t size)
{
    if (step->at_ns == 0) {
        return false;
    }
    double at_s = (double)step->at_ns / 1e9;
    snprintf(reason, size, "step: %.1f/s in the first %.1f s, %.1f/s in the %.1f s after",
             step->before_per_s, at_s, step->after_per_s,
             (double)evidence->result->window_ns / 1e9 - at_s);
    return true;
}

bool strata_judge_phase(const struct strata_phase_evidence *evidence, bool reaches_device,
                        struct strata_step *ret_step, char *reason, size_t size)
{
    struct totals totals = add_up(evidence->result);
    uint64_t in_flight = (uint64_t)evidence->load->jobs * evidence->load->depth;
    bool instant = (evidence->target->capabilities & STRATA_TARGET_INSTANT) != 0;
    bool averages_hold =
        !instant && totals.ok > 0 && totals.window_ok >= OPERATIONS_FOR_AVERAGES * in_flight &&
        evidence->result->window_ns >= WINDOW_FOR_AVERAGES_NS && !evidence->result->interrupted;
    *ret_step = (struct strata_step){0};
    if (averages_hold) {
        strata_step_find(&evidence->result->recorder, evidence->result->window_ns, ret_step);
    }
    if (evidence->before != NULL && evidence->after != NULL) {
        if (reaches_device && cached(evidence, &totals, reason, size)) {
            return true;
        }
        if (stolen(evidence, reason, size)) {
            return true;
        }
    }
    if (!averages_hold) {
        return false;
    }
    /* One call at a time is in flight by construction; the time between calls is the tool's. */
    bool queued = (evidence->target->capabilities & STRATA_TARGET_SYNCHRONOUS) == 0;
    return (queued && depth_not_achieved(evidence, reason, size)) ||
           little_broken(evidence, &totals, reason, size) ||
           tool_bound(evidence, &totals, reason, size) || stepped(evidence, ret_step, reason, size);
}
