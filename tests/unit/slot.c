// links: layers/user/slot.c
/* Slots of the day: the next one, over days and over changes of the clock. Moments are from
 * date(1): date -u -d @N. Berlin changes at 2026-03-29 01:00 UTC and 2026-10-25 01:00 UTC. */
#include "layers/user/user.h"
#include "tests/unit/harness.h"

#include <stdlib.h>
#include <time.h>

static void in_zone(const char *zone)
{
    setenv("TZ", zone, 1);
    tzset();
}

#define SECONDS(s) ((int64_t)(s)*1000000)

static void next_slot_is_today_or_tomorrow(void)
{
    in_zone("UTC");
    /* 2026-06-01 10:00:00 UTC = 1780308000 */
    CU_ASSERT_EQUAL(strata_user_slot_us(SECONDS(1780308000), 12 * 60, 0), SECONDS(1780315200));
    CU_ASSERT_EQUAL(strata_user_slot_us(SECONDS(1780308000), 8 * 60, 0), SECONDS(1780387200));
    CU_ASSERT_EQUAL(strata_user_slot_us(SECONDS(1780308000), 10 * 60, 0), SECONDS(1780308000));
    CU_ASSERT_EQUAL(strata_user_slot_us(SECONDS(1780308000), 12 * 60 + 30, 2),
                    SECONDS(1780317000 + 2 * 86400));
}

static void summer_time_keeps_the_local_hour(void)
{
    in_zone("CET-1CEST,M3.5.0,M10.5.0/3");
    /* 2026-03-28 12:00 CET = 11:00 UTC = 1774695600; the next noon is CEST = 10:00 UTC: 23 h later
     */
    CU_ASSERT_EQUAL(strata_user_slot_us(SECONDS(1774695600), 12 * 60, 1),
                    SECONDS(1774695600 + 23 * 3600));
    /* 2026-10-24 12:00 CEST = 10:00 UTC = 1792836000; the next noon is CET: 25 h later */
    CU_ASSERT_EQUAL(strata_user_slot_us(SECONDS(1792836000), 12 * 60, 1),
                    SECONDS(1792836000 + 25 * 3600));
}

static void skipped_hour_still_comes(void)
{
    in_zone("CET-1CEST,M3.5.0,M10.5.0/3");
    /* 2026-03-29 02:30 does not exist; 01:30 UTC is 03:30 CEST */
    int64_t slot = strata_user_slot_us(SECONDS(1774695600), 2 * 60 + 30, 0);
    CU_ASSERT_TRUE(slot == SECONDS(1774747800) || slot == SECONDS(1774744200));
}

static const struct harness_test tests[] = {
    {"next slot is today or tomorrow", next_slot_is_today_or_tomorrow},
    {"summer time keeps the local hour", summer_time_keeps_the_local_hour},
    {"skipped hour still comes", skipped_hour_still_comes},
};
HARNESS_MAIN("slot", tests)
