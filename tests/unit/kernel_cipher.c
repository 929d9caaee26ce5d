/* Which driver does the work, from files laid out as the kernel lays out /proc/crypto. */
#include "common/host/kernel_cipher.h"

#include "tests/unit/fake_root.h"
#include "tests/unit/harness.h"

#define PARAGRAPH(name, driver, priority)                                                          \
    "name         : " name "\ndriver       : " driver                                              \
    "\nmodule       : kernel\npriority     : " priority "\nrefcnt       : 1\n\n"

static const char *driver_of(const char *algorithm)
{
    static char driver[64];
    strata_kernel_cipher_driver(fake_root, algorithm, driver, sizeof(driver));
    return driver;
}

static void highest_priority_is_at_work(void)
{
    fake_begin();
    fake_file("/proc/crypto", PARAGRAPH("xts(aes)", "xts(ecb(aes-fixed-time))", "101")
                                  PARAGRAPH("xts(aes)", "xts-aes-vaes-avx512", "800")
                                      PARAGRAPH("xts(aes)", "xts-aes-aesni", "400")
                                          PARAGRAPH("cbc(aes)", "cbc-aes-aesni", "900"));
    CU_ASSERT_STRING_EQUAL(driver_of("xts(aes)"), "xts-aes-vaes-avx512");
    CU_ASSERT_STRING_EQUAL(driver_of("cbc(aes)"), "cbc-aes-aesni");
    CU_ASSERT_STRING_EQUAL(driver_of("aes"), "");
    fake_end();
}

static void without_the_file_there_is_none(void)
{
    fake_begin();
    CU_ASSERT_STRING_EQUAL(driver_of("xts(aes)"), "");
    fake_end();
}

static const struct harness_test tests[] = {
    {"the highest priority is at work", highest_priority_is_at_work},
    {"without the file there is none", without_the_file_there_is_none},
};
HARNESS_MAIN("kernel_cipher", tests)
