/* Reading comma-separated values, a record at a time. */
#ifndef STRATA_BASE_CSV_H
#define STRATA_BASE_CSV_H

#include "common/base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum { STRATA_CSV_MOST_FIELDS = 64 };

/* Zero-initialised but for `next`, which is the text to read; it is taken apart in place. */
struct strata_csv {
    char *next;
    unsigned line; /* of the record, from 1 */
    char *fields[STRATA_CSV_MOST_FIELDS];
    size_t field_count;
};

/* The next record that is not an empty line: true while there is one. *error is set, and false
 * returned, for a quoted field that does not end on its line or for more than 64 fields. Source:
 * RFC 4180, without line breaks inside of fields; a line ends with LF or CRLF, and a UTF-8 mark
 * before the first is passed over. */
bool strata_csv_read(struct strata_csv *csv, struct strata_error *error);

#endif
