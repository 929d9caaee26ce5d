/* The findings of a ladder in words: a claim, its evidence, and what would show it wrong.
 *
 * A claim never says more than its evidence: without a resource at its limit the cause is called
 * unexplained, and where a layer's rate contradicts that it stands on the one below, nothing below
 * is blamed. Source of the 80 %: above it queueing makes response times grow faster than the load
 * (M/M/1: response time = service time / (1 - utilisation), five times at 0.8). */
#include "common/analysis/ladder.h"

#include "common/base/units.h"

#include <math.h>
#include <string.h>

static const double limit_fraction = 0.8;

/* Below this fall between neighbours no layer is called a bottleneck. */
static const double worth_naming = 0.95;

/* Below this loss of the mean rate, quick runs cannot tell a cost of encryption from noise. */
static const double cost_worth_naming = 0.03;

static const char *layer_words(const char *layer)
{
    return strcmp(layer, "filesystem") == 0 ? "file-system" : layer;
}

static void append_rate(struct strata_text *out, const struct strata_rung *rung)
{
    char buffer[32];
    strata_text_append(
        out, isnan(rung->bytes_per_s)
                 ? strata_units_format_operation_rate(rung->ops_per_s, buffer, sizeof(buffer))
                 : strata_units_format_byte_rate(rung->bytes_per_s, buffer, sizeof(buffer)));
}

static void explain_cause(const struct strata_rung *rung, struct strata_text *finding,
                          struct strata_text *refutation)
{
    bool cpu = rung->cpu_busy_fraction >= limit_fraction; /* false for NAN */
    bool disk = rung->disk_busy_fraction >= limit_fraction;
    if (cpu) {
        strata_text_format(finding, "; the processors of this machine were %.0f %% busy",
                           100 * rung->cpu_busy_fraction);
    }
    if (disk) {
        strata_text_format(finding, "; disk %s was %.0f %% busy", rung->disk,
                           100 * rung->disk_busy_fraction);
    }
    if (cpu || disk) {
        strata_text_format(refutation, "%s%s%s leaves the rate as it is",
                           cpu ? "a machine with more or faster cores" : "",
                           cpu && disk ? " and " : "", disk ? "a faster disk below" : "");
    } else if (isnan(rung->cpu_busy_fraction) && isnan(rung->disk_busy_fraction)) {
        strata_text_append(finding, "; its phases were too short for the kernel's counters, so the "
                                    "cause is unexplained");
        strata_text_append(refutation, "longer runs bring the rate near that of the layer below");
    } else {
        strata_text_append(finding, "; no resource that was watched reached 80 %");
        if (!isnan(rung->cpu_busy_fraction)) {
            strata_text_format(finding, " (processors %.0f %%", 100 * rung->cpu_busy_fraction);
            if (!isnan(rung->pressure_io_fraction)) {
                strata_text_format(finding, ", waiting for I/O %.0f %% of the time",
                                   100 * rung->pressure_io_fraction);
            }
            strata_text_append(finding, ")");
        }
        strata_text_append(finding, ", so it is waiting or serialised, unexplained");
        strata_text_append(refutation,
                           "doubled concurrency raises the rate: then latency was the limit, not a "
                           "serial part");
    }
}

static const struct strata_rung *find_bottleneck(const struct strata_ladder *ladder, size_t *ret_no)
{
    for (size_t i = 1; i < ladder->rung_count; i++) {
        if (ladder->rungs[i].bottleneck) {
            *ret_no = i;
            return &ladder->rungs[i];
        }
    }
    return NULL;
}

const struct strata_rung *strata_ladder_bottleneck(const struct strata_ladder *ladder)
{
    size_t number = 0;
    const struct strata_rung *rung = find_bottleneck(ladder, &number);
    return rung != NULL && rung->efficiency < worth_naming ? rung : NULL;
}

static void explain_contradiction(const struct strata_rung *rung, const struct strata_rung *below,
                                  struct strata_text *finding)
{
    strata_text_format(finding, "%sthe %s layer (%s) contradicts what is below it: ",
                       finding->length > 0 ? "; " : "", layer_words(rung->layer), rung->backend);
    append_rate(finding, rung);
    strata_text_format(finding, " is %.0f %% of the ", 100 * rung->efficiency);
    append_rate(finding, below);
    strata_text_format(finding, " of the %s layer (%s)", layer_words(below->layer), below->backend);
    if (rung->assumed) {
        strata_text_format(finding,
                           ", so the assumption that it stands on it is wrong: declare with "
                           "stands-on what %s lies on",
                           rung->backend);
    } else if (strcmp(rung->backend, below->backend) == 0) {
        strata_text_append(finding, ", the same back end: one of the two rates is not steady, so "
                                    "measure longer");
    } else {
        strata_text_format(finding,
                           ", on which it is declared to stand: check the stands-on of %s, and "
                           "whether a cache answers for it",
                           rung->backend);
    }
}

/* The rung on which the part of the ladder stands that holds together: the highest contradicted
 * one, or the lowest. */
static size_t find_foot(const struct strata_ladder *ladder)
{
    size_t foot = 0;
    for (size_t i = 1; i < ladder->rung_count; i++) {
        foot = ladder->rungs[i].contradicted ? i : foot;
    }
    return foot;
}

static void explain_contradictions(const struct strata_ladder *ladder, struct strata_text *finding,
                                   struct strata_text *refutation)
{
    for (size_t i = 1; i < ladder->rung_count; i++) {
        if (ladder->rungs[i].contradicted) {
            explain_contradiction(&ladder->rungs[i], &ladder->rungs[i - 1], finding);
            strata_text_format(refutation,
                               "%slonger runs find the %s layer no faster than the one "
                               "below",
                               refutation->length > 0 ? " and " : "",
                               layer_words(ladder->rungs[i].layer));
        }
    }
}

static void append_assumptions(const struct strata_ladder *ladder, size_t foot,
                               struct strata_text *finding)
{
    const char *before = "; assumed, since no stands-on says otherwise:";
    for (size_t i = foot + 1; i < ladder->rung_count; i++) {
        if (ladder->rungs[i].assumed) {
            strata_text_format(finding, "%s %s on %s", before, ladder->rungs[i].backend,
                               ladder->rungs[i - 1].backend);
            before = ",";
        }
    }
}

static void explain_bottleneck(const struct strata_rung *worst, const struct strata_rung *below,
                               struct strata_text *finding, struct strata_text *refutation)
{
    strata_text_format(finding, "the %s layer (%s) holds it back: ", layer_words(worst->layer),
                       worst->backend);
    append_rate(finding, worst);
    strata_text_format(finding, ", %.0f %% of the ", 100 * worst->efficiency);
    append_rate(finding, below);
    strata_text_format(finding, " of the %s layer below", layer_words(below->layer));
    if (worst->share > 0 && worst->share < 1) {
        strata_text_format(finding, " (%.0f %% of the whole fall)", 100 * worst->share);
    }
    explain_cause(worst, finding, refutation);
}

void strata_ladder_explain(const struct strata_ladder *ladder, struct strata_text *finding,
                           struct strata_text *refutation)
{
    size_t number = 0;
    const struct strata_rung *worst = find_bottleneck(ladder, &number);
    const struct strata_rung *lowest = &ladder->rungs[0];
    size_t foot = find_foot(ladder);
    explain_contradictions(ladder, finding, refutation);
    bool named = worst != NULL && worst->efficiency < worth_naming;
    if (foot > 0 && !named) {
        return;
    }
    if (worst == NULL) {
        strata_text_format(
            finding, "nothing below the %s layer (%s) was measured, so no layer can be blamed",
            layer_words(lowest->layer), lowest->backend);
        return;
    }
    if (named) {
        strata_text_append(finding, foot > 0 ? "; above that, " : "");
        strata_text_append(refutation, foot > 0 ? "; or if " : "");
        explain_bottleneck(worst, &ladder->rungs[number - 1], finding, refutation);
    } else {
        strata_text_format(finding,
                           "no layer is more than 5 %% slower than the one below: the %s layer is "
                           "the limit, at ",
                           layer_words(lowest->layer));
        append_rate(finding, lowest);
        explain_cause(lowest, finding, refutation);
    }
    append_assumptions(ladder, foot, finding);
}

/* The lowest rung that belongs to the ladder: a contradiction between two back ends says that those
 * below do not; one between two layers of the same back end only that they are not steady. */
static size_t find_own_foot(const struct strata_ladder *ladder)
{
    size_t foot = 0;
    for (size_t i = 1; i < ladder->rung_count; i++) {
        const struct strata_rung *rung = &ladder->rungs[i];
        bool other = strcmp(rung->backend, ladder->rungs[i - 1].backend) != 0;
        foot = rung->contradicted && other ? i : foot;
    }
    return foot;
}

void strata_ladder_explain_cost(const struct strata_ladder *ladder, struct strata_text *finding)
{
    const struct strata_rung *most = NULL;
    const struct strata_rung *hides = NULL;
    for (size_t i = find_own_foot(ladder); i < ladder->rung_count; i++) {
        const struct strata_rung *rung = &ladder->rungs[i];
        if (!isnan(rung->loss_fraction) &&
            (most == NULL || rung->loss_fraction > most->loss_fraction)) {
            most = rung;
        }
        if (!rung->contradicted && rung->hidden_log_ratio > -log(1 - cost_worth_naming) &&
            (hides == NULL || rung->hidden_log_ratio > hides->hidden_log_ratio)) {
            hides = rung;
        }
    }
    if (most == NULL || !ladder->encrypted) {
        return;
    }
    if (most->loss_fraction < cost_worth_naming) {
        strata_text_format(
            finding,
            "no cost of encryption above %.0f %% shows in the mean rate of any layer "
            "that was compared",
            100 * cost_worth_naming);
        return;
    }
    strata_text_format(finding, "encryption costs most at the %s layer: %.1f %% of the mean rate",
                       layer_words(most->layer), 100 * most->loss_fraction);
    if (hides != NULL) {
        strata_text_format(finding,
                           "; the %s layer hides most of the cost below it (%.1f %% there)",
                           layer_words(hides->layer), 100 * hides->loss_fraction);
    }
}
