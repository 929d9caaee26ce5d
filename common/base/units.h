/* Sizes, times, counts and fractions as users write and read them. */
#ifndef STRATA_BASE_UNITS_H
#define STRATA_BASE_UNITS_H

#include "common/base/error.h"

#include <stddef.h>
#include <stdint.h>

/* "512", "4KiB" = 4096, "4kB" = 4000, "4k" = "4K" = 4096 (as fio and dd have them), "1.5MiB" when
 * it is a whole number of bytes. Errors: STRATA_USAGE naming the text and what was expected;
 * nothing else is accepted: no sign, no space, no value past 2^63 - 1. */
enum strata_status strata_units_parse_size(const char *text, uint64_t *ret_bytes,
                                           struct strata_error *error);

/* "500ms", "30s", "5m", "1h", "1.5s"; "0" or "0s" is zero. Errors as above. */
enum strata_status strata_units_parse_duration(const char *text, uint64_t *ret_ns,
                                               struct strata_error *error);

/* A whole number in decimal digits, at most 2^63 - 1. Errors as above. */
enum strata_status strata_units_parse_count(const char *text, uint64_t *ret_count,
                                            struct strata_error *error);

/* "10%" = "0.1". From 0 to 1. Errors as above. */
enum strata_status strata_units_parse_fraction(const char *text, double *ret_fraction,
                                               struct strata_error *error);

/* A non-negative decimal number such as "1500" or "0.5". Errors as above. */
enum strata_status strata_units_parse_decimal(const char *text, double *ret_value,
                                              struct strata_error *error);

/* Each writes at most `size` bytes with the terminator into `buffer` and returns `buffer`.
 * 24 to 32 bytes are enough for any value. */
char *strata_units_format_size(uint64_t bytes, char *buffer, size_t size);    /* "256 KiB" */
char *strata_units_format_byte_rate(double per_s, char *buffer, size_t size); /* "1.23 MiB/s" */
char *strata_units_format_operation_rate(double per_s, char *buffer, size_t size); /* "12.3 k/s" */
char *strata_units_format_duration(uint64_t ns, char *buffer, size_t size);        /* "1.25 ms" */

#endif
