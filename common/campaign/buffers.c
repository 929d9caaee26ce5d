/* Jobs x depth x bytes grows faster than one thinks, and Linux promises memory that it does not
 * have: the process that then writes into it is killed, or another one is. So it is counted first.
 */
#include "common/campaign/buffers.h"

#include "common/base/units.h"
#include "common/host/kernel_file.h"
#include "common/load/payload.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* As the kernel estimates it, without swapping. Source: proc(5), MemAvailable. */
static bool available_bytes(uint64_t *ret_bytes)
{
    char text[1024];
    uint64_t kib = 0;
    (void)strata_kernel_file_read(text, sizeof(text), "/proc/meminfo");
    const char *line = strstr(text, "MemAvailable:");
    bool found = line != NULL && sscanf(line, "MemAvailable: %" SCNu64 " kB", &kib) == 1;
    *ret_bytes = kib * 1024;
    return found;
}

/* Of the jobs' own and the target's. */
static unsigned buffers_of_one(const struct strata_target *target, const struct strata_load *load)
{
    unsigned kinds = 0;
    for (unsigned m = 0; m < load->mix_count; m++) {
        kinds |= 1U << load->mix[m].kind;
    }
    bool copies = (target->type->capabilities & STRATA_TARGET_COPIES_WRITES) != 0 &&
                  (kinds & 1U << STRATA_OPERATION_WRITE) != 0;
    return strata_payload_buffers(kinds) + (copies ? 1U : 0U);
}

enum strata_status strata_buffers_check(const struct strata_target *target,
                                        const struct strata_load *load, struct strata_error *error)
{
    uint64_t available;
    if ((target->type->capabilities & STRATA_TARGET_NEEDS_BUFFER) == 0 ||
        !available_bytes(&available)) {
        return STRATA_OK;
    }
    double needed = (double)load->jobs * load->depth * (double)strata_payload_stride(load->bytes) *
                    buffers_of_one(target, load);
    if (needed <= (double)available) {
        return STRATA_OK;
    }
    char size[32];
    char need[32];
    char have[32];
    return strata_error_set(error, STRATA_ENVIRONMENT,
                            STRATA_UNSUPPORTED
                            "%u job%s with %u operations of %s in flight need %s of memory for "
                            "their buffers; %s are available",
                            load->jobs, load->jobs == 1 ? "" : "s", load->depth,
                            strata_units_format_size(load->bytes, size, sizeof(size)),
                            strata_units_format_size((uint64_t)needed, need, sizeof(need)),
                            strata_units_format_size(available, have, sizeof(have)));
}
