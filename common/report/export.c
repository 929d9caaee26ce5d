/* The results for other programs: every run as CSV or JSON, the findings as OpenMetrics.
 *
 * Always holds: numbers have a point, whatever the locale (the programs never leave the C locale,
 * and SQLite does not look at it); what is unknown is an empty field or no sample at all. */
#include "common/base/embedded.h"
#include "common/report/escape.h"
#include "common/report/model.h"
#include "common/report/report.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static enum strata_status write_csv(struct strata_store *store, const char *campaign,
                                    struct strata_text *out, struct strata_error *error)
{
    struct strata_campaign_row row;
    struct strata_query *query = NULL;
    enum strata_status status = strata_campaign_row_find(store, campaign, &row, error);
    if (status == STRATA_OK) {
        status =
            strata_query_open(store, strata_embedded_find("common/report/runs.sql"), &query, error);
    }
    if (status != STRATA_OK) {
        return status;
    }
    strata_query_bind_integer(query, 1, row.id);
    strata_query_bind_text(query, 2, NULL);
    int columns = strata_query_columns(query);
    for (int c = 0; c < columns; c++) {
        strata_text_append(out, c > 0 ? "," : "");
        strata_escape_csv(out, strata_query_column_name(query, c));
    }
    strata_text_append(out, "\r\n");
    while (strata_query_next(query)) {
        for (int c = 0; c < columns; c++) {
            bool text = strata_query_is_text(query, c);
            const char *value = strata_query_text(query, c);
            strata_text_append(out, c > 0 ? "," : "");
            if (value != NULL && text) {
                strata_escape_csv(out, value);
            } else if (value != NULL) {
                strata_text_append(out, value); /* a number: its sign is no formula */
            }
        }
        strata_text_append(out, "\r\n");
    }
    status = strata_query_status(query, error);
    strata_query_close(query);
    return status;
}

static void write_label(struct strata_text *out, const char *name, const char *value)
{
    strata_text_format(out, "%s=\"", name);
    strata_escape_label(out, value);
    strata_text_append(out, "\",");
}

static void write_sample(struct strata_text *out, const char *family,
                         const struct strata_report *report, const struct strata_report_cell *cell,
                         bool encrypted, const char *more, double value)
{
    const char *backend = encrypted ? cell->encrypted : cell->plain;
    const char *twin = encrypted ? cell->plain : cell->encrypted;
    if (backend == NULL || !isfinite(value)) {
        return;
    }
    strata_text_format(out, "%s{", family);
    write_label(out, "campaign", report->campaign.uuid);
    write_label(out, "layer", cell->layer);
    write_label(out, "workload", cell->workload);
    write_label(out, "phase", cell->phase);
    write_label(out, "operation", cell->operation);
    write_label(out, "backend", backend);
    write_label(out, "twin", twin != NULL ? twin : "");
    strata_text_format(out, "encrypted=\"%s\"%s} %.10g\n", encrypted ? "true" : "false", more,
                       value);
}

#define FIELD(name) offsetof(struct strata_report_cell, name)

/* A family of samples: a field of the cell, plain and encrypted, times a scale. */
static const struct family {
    const char *name;
    const char *help; /* NULL: further samples of the family before */
    const char *label;
    size_t plain;
    size_t encrypted;
    double scale;
} families[] = {
    {"strata_operations_per_second", "Median rate of the valid runs.", "", FIELD(plain_ops_per_s),
     FIELD(encrypted_ops_per_s), 1},
    {"strata_bytes_per_second", "Median payload rate of the valid runs.", "",
     FIELD(plain_bytes_per_s), FIELD(encrypted_bytes_per_s), 1},
    {"strata_latency_seconds", "Response time, percentile of the merged histograms.",
     ",quantile=\"0.5\"", FIELD(plain_p50_ns), FIELD(encrypted_p50_ns), 1e-9},
    {"strata_latency_seconds", NULL, ",quantile=\"0.99\"", FIELD(plain_p99_ns),
     FIELD(encrypted_p99_ns), 1e-9},
    {"strata_cpu_seconds_per_operation", "Processor time of the whole machine.", "",
     FIELD(plain_cpu_ns), FIELD(encrypted_cpu_ns), 1e-9},
    {"strata_loss_ratio", "Loss of throughput by encryption.", ",bound=\"estimate\"", 0,
     FIELD(loss_fraction), 1},
    {"strata_loss_ratio", NULL, ",bound=\"optimistic\"", 0, FIELD(loss_optimistic_fraction), 1},
    {"strata_loss_ratio", NULL, ",bound=\"pessimistic\"", 0, FIELD(loss_pessimistic_fraction), 1},
};

static double field_of(const struct strata_report_cell *cell, size_t offset)
{
    double value;
    memcpy(&value, (const char *)cell + offset, sizeof(value));
    return value;
}

static enum strata_status write_openmetrics(struct strata_store *store, const char *campaign,
                                            struct strata_text *out, struct strata_error *error)
{
    struct strata_report report;
    enum strata_status status = strata_report_read(store, campaign, NULL, &report, error);
    for (size_t f = 0; status == STRATA_OK && f < sizeof(families) / sizeof(families[0]); f++) {
        const struct family *family = &families[f];
        if (family->help != NULL) {
            strata_text_format(out, "# TYPE %s gauge\n# HELP %s %s\n", family->name, family->name,
                               family->help);
        }
        for (size_t i = 0; i < report.cell_count; i++) {
            const struct strata_report_cell *cell = &report.cells[i];
            if (family->plain != 0) {
                write_sample(out, family->name, &report, cell, false, family->label,
                             field_of(cell, family->plain) * family->scale);
            }
            write_sample(out, family->name, &report, cell, true, family->label,
                         field_of(cell, family->encrypted) * family->scale);
        }
    }
    strata_text_append(out, "# EOF\n");
    strata_report_done(&report);
    return status;
}

enum strata_status strata_report_export(struct strata_store *store, const char *campaign,
                                        const char *format, struct strata_text *out,
                                        struct strata_error *error)
{
    if (strcmp(format, "csv") == 0) {
        return write_csv(store, campaign, out, error);
    }
    if (strcmp(format, "json") == 0) {
        return strata_report_json(store, campaign, NULL, out, error);
    }
    if (strcmp(format, "openmetrics") == 0) {
        return write_openmetrics(store, campaign, out, error);
    }
    return strata_error_set(error, STRATA_USAGE,
                            "export: --format: %s: expected csv, json or openmetrics", format);
}
