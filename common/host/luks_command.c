/* LUKS2 headers and mappings through the program cryptsetup.
 *
 * Always holds: a passphrase stands in no argument, no file and no environment, only in the pipe to
 * the program. */
#include "common/host/luks_command.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define GRACE_NS UINT64_C(10000000000) /* for a header that is half written */

static void run(const char *const *words, const struct strata_luks *luks,
                const uint8_t passphrase[STRATA_LUKS_KEY],
                struct strata_command_outcome *ret_outcome)
{
    const struct strata_command command = {.words = words,
                                           .input = passphrase,
                                           .input_bytes = STRATA_LUKS_KEY,
                                           .timeout_ns = luks->timeout_ns,
                                           .stop = luks->stop,
                                           .grace_ns = GRACE_NS};
    strata_command_run(&command, ret_outcome);
}

void strata_luks_format(const char *path, const struct strata_luks *luks,
                        const uint8_t passphrase[STRATA_LUKS_KEY],
                        struct strata_command_outcome *ret_outcome)
{
    char key_bits[16];
    snprintf(key_bits, sizeof(key_bits), "%u", luks->key_bits);
    bool fast = strcmp(luks->pbkdf, "fast") == 0;
    const char *const words[] = {
        "cryptsetup", "luksFormat", "--batch-mode", "--type", "luks2", "--key-file", "-",
        "--cipher", luks->cipher, "--key-size", key_bits, "--pbkdf", fast ? "pbkdf2" : luks->pbkdf,
        path,
        /* Not for the costly ones, which choose the number by their own benchmark. */
        fast ? "--pbkdf-force-iterations" : NULL, "1000", NULL};
    run(words, luks, passphrase, ret_outcome);
}

void strata_luks_open(const char *path, const char *name, const struct strata_luks *luks,
                      const uint8_t passphrase[STRATA_LUKS_KEY],
                      struct strata_command_outcome *ret_outcome)
{
    const char *const words[] = {"cryptsetup", "open", "--type", "luks2", "--key-file",
                                 "-",          path,   name,     NULL};
    run(words, luks, passphrase, ret_outcome);
}

bool strata_luks_is_header(int file)
{
    static const uint8_t expected[8] = {'L', 'U', 'K', 'S', 0xba, 0xbe, 0, 2};
    uint8_t found[sizeof(expected)];
    return pread(file, found, sizeof(found), 0) == (ssize_t)sizeof(found) &&
           memcmp(found, expected, sizeof(found)) == 0;
}
