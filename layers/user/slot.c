/* When a slot of the day comes next.
 *
 * Always in local time, as users live in it; the C library knows the zone and its changes. A time
 * that a change of the clock skips is the moment after the change. */
#include "layers/user/user.h"

#include <time.h>

static int64_t at_us(struct tm local, unsigned minutes, unsigned days)
{
    local.tm_mday += (int)days;
    local.tm_hour = (int)(minutes / 60);
    local.tm_min = (int)(minutes % 60);
    local.tm_sec = 0;
    local.tm_isdst = -1;
    return (int64_t)mktime(&local) * 1000000;
}

int64_t strata_user_slot_us(int64_t now_us, unsigned minutes, unsigned days)
{
    time_t now_s = (time_t)(now_us / 1000000);
    struct tm local;
    localtime_r(&now_s, &local);
    bool passed_today = at_us(local, minutes, 0) < now_us;
    return at_us(local, minutes, days + (passed_today ? 1 : 0));
}
