/* What fio counted and timed.
 *
 * Always holds: a number is fio's own, or the file is refused. Source: fio's HOWTO, "JSON+ output",
 * and the comment "Aggregate IO latency" in its stat.h: 64 bins to a power of two, named by their
 * middle. */
#include "common/base/memory.h"
#include "common/import/fio.h"

#include <inttypes.h>

#define EXACT_BELOW_NS 128 /* fio's bins are 1 ns wide up to there */

/* fio's bin, named by its middle. False for a number that names none. */
static bool bin_edges(uint64_t middle_ns, struct strata_import_bin *bin)
{
    uint64_t width_ns = 1;
    while (middle_ns / width_ns >= EXACT_BELOW_NS) {
        width_ns *= 2;
    }
    bin->lower_ns = middle_ns / width_ns * width_ns;
    bin->upper_ns = bin->lower_ns + (width_ns - 1);
    return middle_ns - bin->lower_ns == width_ns / 2;
}

static const char bins_sql[] =
    "SELECT CAST(bin.key AS INTEGER) AS middle_ns, sum(bin.value) AS held,"
    " min(bin.key NOT GLOB '*[^0-9]*' AND length(bin.key) BETWEEN 1 AND 16"
    "     AND typeof(bin.value) = 'integer' AND bin.value BETWEEN 0 AND 9007199254740992) AS good"
    " FROM json_each(?1) AS process, json_each(process.value) AS bin"
    " GROUP BY middle_ns HAVING held <> 0 OR NOT good ORDER BY middle_ns";

static enum strata_status read_bins(const struct strata_fio_reading *reading,
                                    struct strata_import_result *result)
{
    struct strata_query *rows = NULL;
    if (strata_query_open(reading->scratch, bins_sql, &rows, reading->error) != STRATA_OK) {
        return reading->error->status;
    }
    strata_query_bind_text(rows, 1, strata_fio_text(reading, BINS));
    size_t capacity = 0;
    uint64_t sum = 0;
    bool good = true;
    while (good && strata_query_next(rows)) {
        void *bins = result->bins;
        strata_memory_grow(&bins, &capacity, result->bin_count + 1, sizeof(result->bins[0]));
        result->bins = bins;
        struct strata_import_bin *bin = &result->bins[result->bin_count++];
        bin->count = (uint64_t)strata_query_integer(rows, 1);
        sum += bin->count;
        good = strata_query_integer(rows, 2) != 0 &&
               bin_edges((uint64_t)strata_query_integer(rows, 0), bin);
    }
    enum strata_status status = strata_query_status(rows, reading->error);
    strata_query_close(rows);
    if (status != STRATA_OK || !good) {
        return strata_fio_refuse(reading, "%s: the bins are none of fio's",
                                 strata_fio_text(reading, DIRECTION));
    }
    return sum == result->latencies
               ? STRATA_OK
               : strata_fio_refuse(reading,
                                   "%s: the bins hold %" PRIu64 " latencies, N is %" PRIu64,
                                   strata_fio_text(reading, DIRECTION), sum, result->latencies);
}

enum strata_status strata_fio_read_latency(const struct strata_fio_reading *reading,
                                           struct strata_import_result *result)
{
    if (strata_query_is_null(reading->rows, MEASURE)) {
        return STRATA_OK;
    }
    double sum_ns = strata_query_decimal(reading->rows, SUM_NS);
    result->latencies = (uint64_t)strata_fio_number(reading, LATENCIES);
    result->min_ns = (uint64_t)strata_fio_number(reading, MIN_NS);
    result->max_ns = (uint64_t)strata_fio_number(reading, MAX_NS);
    double mean_ns = sum_ns / (double)result->latencies;
    if (!(sum_ns < 9e18 && mean_ns >= 0.999 * (double)result->min_ns &&
          mean_ns <= 1.001 * (double)result->max_ns)) {
        return strata_fio_refuse(
            reading, "%s: minimum, mean and maximum of its latencies contradict each other",
            strata_fio_text(reading, DIRECTION));
    }
    result->sum_ns = (uint64_t)(sum_ns + 0.5);
    return strata_query_is_null(reading->rows, BINS) ? STRATA_OK : read_bins(reading, result);
}

/* fio counts a failed operation among total_ios, as its IOPS do; bytes and latencies are of
 * successes. */
bool strata_fio_count(const struct strata_fio_reading *reading, struct strata_import_result *result)
{
    uint64_t total = (uint64_t)strata_fio_number(reading, TOTAL_IOS);
    bool errors = strata_fio_number(reading, ERRORS) > 0;
    result->bytes = (uint64_t)strata_fio_number(reading, IO_BYTES);
    result->ok = total;
    if (errors && (result->latencies > 0 || result->bytes == 0)) {
        result->ok = result->latencies;
    }
    if (result->ok > total) {
        return false;
    }
    result->failed = total - result->ok;
    return result->ok == 0 ? result->bytes == 0 : result->bytes % result->ok == 0;
}
