/* The cipher's baseline in a report: what ran in memory, and encrypted devices beside it. */
#ifndef STRATA_REPORT_BASELINE_H
#define STRATA_REPORT_BASELINE_H

#include "common/report/model.h"
#include "common/report/table.h"

#define STRATA_REPORT_CIPHERS_HEADING     "The cipher alone, in memory"
#define STRATA_REPORT_DERIVATIONS_HEADING "Keys from passphrases, in memory"

/* Each fills an empty table; the caller calls strata_table_done. */
void strata_report_table_ciphers(const struct strata_report *report, struct strata_table *table);
void strata_report_table_derivations(const struct strata_report *report,
                                     struct strata_table *table);

/* "aes-xts-512 (AES-256) could decrypt 2.3 GiB/s on 1 thread, nvme-luks reads 0.4 GiB/s at most
 * (…), plain 0.9 GiB/s", without the full stop. */
void strata_report_headroom(const struct strata_report_headroom *headroom, struct strata_text *out);

#endif
