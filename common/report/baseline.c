/* What the cipher could do, as cells and as sentences.
 *
 * Always: of a cipher in XTS mode both names are said, since its key is twice that of the AES
 * inside and tools count one or the other. */
#include "common/report/baseline.h"

#include "common/base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* "aes-xts-512 (AES-256)" */
static void append_cipher(const char *name, long key_bits, struct strata_text *out)
{
    strata_text_append(out, name);
    if (strncmp(name, "aes-xts-", 8) == 0) {
        strata_text_format(out, " (AES-%ld)", key_bits / 2);
    }
}

static void add_size(struct strata_table *table, double bytes)
{
    char size[32];
    strata_table_add(table, strata_units_format_size((uint64_t)bytes, size, sizeof(size)));
}

static void add_operation_rate(struct strata_table *table, double per_s)
{
    char rate[32];
    strata_table_add(
        table, isnan(per_s) ? "" : strata_units_format_operation_rate(per_s, rate, sizeof(rate)));
}

void strata_report_table_ciphers(const struct strata_report *report, struct strata_table *table)
{
    static const struct strata_column columns[] = {
        {"cipher", false, STRATA_COLUMN_ABOVE},  {"direction", false, STRATA_COLUMN_BESIDE},
        {"threads", true, STRATA_COLUMN_BESIDE}, {"block", true, STRATA_COLUMN_BESIDE},
        {"sector", true, STRATA_COLUMN_BESIDE},  {"rate", true, STRATA_COLUMN_BESIDE},
        {"CPU", true, STRATA_COLUMN_BESIDE},     {"n", true, STRATA_COLUMN_SPARE},
    };
    table->columns = columns;
    table->column_count = COUNT_OF(columns);
    for (size_t i = 0; i < report->baseline_count; i++) {
        const struct strata_report_baseline *row = &report->baselines[i];
        if (row->derivation) {
            continue;
        }
        struct strata_text name = {0};
        char rate[32];
        append_cipher(row->name, row->key_bits, &name);
        strata_table_add(table, strata_text_string(&name));
        strata_text_done(&name);
        strata_table_add(table, row->direction);
        strata_table_format(table, "%ld", row->threads);
        add_size(table, row->block_bytes);
        add_size(table, row->sector_bytes);
        strata_table_add(table, strata_units_format_byte_rate(row->per_s, rate, sizeof(rate)));
        strata_table_format(table, "%.3f ns/B", row->cpu_ns);
        strata_table_format(table, "%ld", row->runs);
    }
}

void strata_report_table_derivations(const struct strata_report *report, struct strata_table *table)
{
    static const struct strata_column columns[] = {
        {"workload", false, STRATA_COLUMN_BESIDE},  {"threads", true, STRATA_COLUMN_BESIDE},
        {"rate", true, STRATA_COLUMN_BESIDE},       {"iterations", true, STRATA_COLUMN_BESIDE},
        {"CPU per key", true, STRATA_COLUMN_SPARE}, {"n", true, STRATA_COLUMN_SPARE},
    };
    table->columns = columns;
    table->column_count = COUNT_OF(columns);
    for (size_t i = 0; i < report->baseline_count; i++) {
        const struct strata_report_baseline *row = &report->baselines[i];
        if (!row->derivation) {
            continue;
        }
        char duration[32];
        strata_table_add(table, row->name);
        strata_table_format(table, "%ld", row->threads);
        add_operation_rate(table, row->per_s);
        add_operation_rate(table, row->iterations_per_s);
        strata_table_add(
            table, strata_units_format_duration((uint64_t)row->cpu_ns, duration, sizeof(duration)));
        strata_table_format(table, "%ld", row->runs);
    }
}

void strata_report_headroom(const struct strata_report_headroom *headroom, struct strata_text *out)
{
    char cipher[32];
    char encrypted[32];
    char plain[32];
    strata_units_format_byte_rate(headroom->cipher_bytes_per_s, cipher, sizeof(cipher));
    strata_units_format_byte_rate(headroom->encrypted_bytes_per_s, encrypted, sizeof(encrypted));
    append_cipher(headroom->cipher, headroom->key_bits, out);
    strata_text_format(out, " could %s %s on %ld thread%s, %s %ss %s at most (%s)",
                       headroom->direction, cipher, headroom->threads,
                       headroom->threads == 1 ? "" : "s", headroom->backend, headroom->operation,
                       encrypted, headroom->workload);
    if (!isnan(headroom->plain_bytes_per_s)) {
        strata_units_format_byte_rate(headroom->plain_bytes_per_s, plain, sizeof(plain));
        strata_text_format(out, ", plain %s", plain);
    }
}
