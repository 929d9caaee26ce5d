#include "common/host/dm.h"
#include "common/host/opal.h"
#include "common/host/proof_below.h"
#include "tests/unit/fake_root.h"
#include "tests/unit/harness.h"

#include <stdbool.h>

#define UUID "CRYPT-LUKS2-0123456789abcdef0123456789abcdef-bench\n"

static void expect(const char *device, enum strata_proof_level level, const char *evidence)
{
    struct strata_proof proof;
    strata_proof_device_below(fake_root, device, &proof);
    CU_ASSERT_EQUAL(proof.level, level);
    CU_ASSERT_PTR_NOT_NULL(strstr(proof.evidence, evidence));
    if (strstr(proof.evidence, evidence) == NULL) {
        printf(" [%s] is not in [%s] ", evidence, proof.evidence);
    }
}

static void crypt_device(const char *name, const char *number, const char *uuid, const char *below)
{
    fake_disk(name, number);
    fake_attribute(name, "dm/uuid", uuid);
    fake_slave(name, below);
}

static void uuids(void)
{
    static const struct {
        const char *uuid;
        const char *kind;
    } cases[] = {
        {"CRYPT-LUKS2-0123-name", "LUKS2"},
        {"CRYPT-LUKS1-0123-name", "LUKS1"},
        {"CRYPT-PLAIN-name", "PLAIN"},
        {"CRYPT-TCRYPT-x", "TCRYPT"},
        {"CRYPT-", NULL},
        {"CRYPT--name", NULL},
        {"CRYPT-LUKS22-x", NULL},
        {"CRYPT-LUK", NULL},
        {"CRYPT-VERITY-0123-name", NULL},
        {"CRYPT-INTEGRITY-name", NULL},
        {"CRYPT-TEMP-temporary", NULL},
        {"LVM-abcdef", NULL},
        {"mpath-3600", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char kind[16] = "";
        bool found = strata_dm_crypt_kind(cases[i].uuid, kind, sizeof kind);
        CU_ASSERT_EQUAL(found, cases[i].kind != NULL);
        CU_ASSERT_STRING_EQUAL(kind, cases[i].kind != NULL ? cases[i].kind : "");
    }
}

/* As dmsetup prints them: with the key in full, in the keyring, or without one. */
static void tables_without_their_keys(void)
{
#define KEY_256 "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF"
    static const struct {
        const char *parameters;
        struct strata_dm_crypt crypt; /* without a cipher: refused */
    } cases[] = {
        {"aes-xts-plain64 " KEY_256 KEY_256 " 0 7:0 32768",
         {"aes-xts-plain64", 512, 512, 16777216}},
        {"aes-xts-plain64 :32:logon:cryptsetup:1f-d0 0 7:0 0 2 sector_size:4096 no_read_workqueue",
         {"aes-xts-plain64", 256, 4096, 0}},
        {"capi:authenc(hmac(sha256),xts(aes))-plain64 :96:logon:cryptsetup:x 8 253:1 8 2 "
         "integrity:32:aead sector_size:4096",
         {"capi:authenc(hmac(sha256),xts(aes))-plain64", 768, 4096, 4096}},
        {"aes-cbc-essiv:sha256 " KEY_256 " 8 8:17 1 1 allow_discards",
         {"aes-cbc-essiv:sha256", 256, 512, 512}},
        {"cipher_null-ecb - 0 1:0 0", {"cipher_null-ecb", 0, 512, 0}},
        {"aes-xts-plain64 00ff 0 7:0", {.cipher = ""}},
        {"aes 00 0 7:0 36028797018963968", {.cipher = ""}}, /* 2^64 B */
        {"aes-xts-plain64 secret 0 7:0 0", {.cipher = ""}},
        {"aes-xts-plain64 :none 0 7:0 0", {.cipher = ""}},
        {"", {.cipher = ""}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct strata_dm_crypt *expected = &cases[i].crypt;
        struct strata_dm_crypt crypt;
        bool known = strata_dm_crypt_parse(cases[i].parameters, &crypt);
        CU_ASSERT_EQUAL(known, expected->cipher[0] != '\0');
        if (known) {
            CU_ASSERT_STRING_EQUAL(crypt.cipher, expected->cipher);
            CU_ASSERT_EQUAL(crypt.key_bits, expected->key_bits);
            CU_ASSERT_EQUAL(crypt.sector_bytes, expected->sector_bytes);
            CU_ASSERT_EQUAL(crypt.offset_bytes, expected->offset_bytes);
        }
    }
}

static void no_drive_without_opal_locks(void)
{
    CU_ASSERT_FALSE(strata_opal_locks("/dev/null"));
    CU_ASSERT_FALSE(strata_opal_locks("/dev/loop0"));
    CU_ASSERT_FALSE(strata_opal_locks("/nonexistent"));
}

static void plain_disk(void)
{
    fake_begin();
    fake_disk("sda", "8:0");
    expect("sda", STRATA_PROOF_NONE, "no dm-crypt device at or below sda");
    fake_end();
}

static void luks_directly_and_below_lvm(void)
{
    fake_begin();
    fake_disk("sda", "8:0");
    crypt_device("dm-0", "253:0", UUID, "sda");
    fake_disk("dm-1", "253:1");
    fake_attribute("dm-1", "dm/uuid", "LVM-abcdefgh\n");
    fake_slave("dm-1", "dm-0");
    expect("dm-0", STRATA_PROOF_STRUCTURE, "dm-0 is CRYPT-LUKS2");
    expect("dm-1", STRATA_PROOF_STRUCTURE, "dm-0 is CRYPT-LUKS2");
    fake_end();
}

static void bare_crypt_and_verity_prove_nothing(void)
{
    fake_begin();
    fake_disk("sda", "8:0");
    crypt_device("dm-0", "253:0", "CRYPT-\n", "sda");
    crypt_device("dm-1", "253:1", "CRYPT-VERITY-0123-root\n", "sda");
    expect("dm-0", STRATA_PROOF_NONE, "no dm-crypt");
    expect("dm-1", STRATA_PROOF_NONE, "no dm-crypt");
    fake_end();
}

static void a_plain_leg_makes_a_raid_plain(void)
{
    fake_begin();
    fake_disk("sda", "8:0");
    fake_disk("sdb", "8:16");
    crypt_device("dm-0", "253:0", UUID, "sda");
    crypt_device("dm-1", "253:1", "CRYPT-PLAIN-other\n", "sdb");
    fake_disk("md0", "9:0");
    fake_slave("md0", "dm-0");
    fake_slave("md0", "sdb");
    expect("md0", STRATA_PROOF_NONE, "of the 2 devices below md0 only 1 are encrypted");
    fake_disk("md1", "9:1");
    fake_slave("md1", "dm-0");
    fake_slave("md1", "dm-1");
    expect("md1", STRATA_PROOF_STRUCTURE, "dm-0 is CRYPT-LUKS2");
    fake_end();
}

static void partition_of_an_encrypted_disk(void)
{
    fake_begin();
    fake_disk("sda", "8:0");
    crypt_device("dm-0", "253:0", UUID, "sda");
    fake_file("/sys/devices/dm-0/dm-0p1/partition", "1\n");
    fake_link("/sys/class/block/dm-0p1", "../../devices/dm-0/dm-0p1");
    expect("dm-0p1", STRATA_PROOF_STRUCTURE, "dm-0 is CRYPT-LUKS2");
    fake_end();
}

/* Sysfs never draws a circle; a walker that would follow one must still end. */
static void a_circle_ends(void)
{
    fake_begin();
    fake_disk("dm-0", "253:0");
    fake_disk("dm-1", "253:1");
    fake_slave("dm-0", "dm-1");
    fake_slave("dm-1", "dm-0");
    expect("dm-0", STRATA_PROOF_NONE, "no dm-crypt");
    fake_end();
}

static void this_machine(void)
{
    struct strata_proof proof;
    strata_proof_directory("/proc", &proof);
    CU_ASSERT_EQUAL(proof.level, STRATA_PROOF_NONE);
    CU_ASSERT_PTR_NOT_NULL(strstr(proof.evidence, "no block device"));
    strata_proof_directory("/nonexistent", &proof);
    CU_ASSERT_EQUAL(proof.level, STRATA_PROOF_NONE);
    CU_ASSERT_STRING_EQUAL(strata_proof_name(STRATA_PROOF_NONE), "none");
    CU_ASSERT_STRING_EQUAL(strata_proof_name(STRATA_PROOF_FUNCTIONAL), "functional");
}

static const struct harness_test tests[] = {
    {"cryptsetup's uuids are told from others", uuids},
    {"a dm-crypt table's cipher and offset", tables_without_their_keys},
    {"what does not speak OPAL does not lock", no_drive_without_opal_locks},
    {"a plain disk", plain_disk},
    {"LUKS, and LVM on LUKS", luks_directly_and_below_lvm},
    {"a bare CRYPT- and dm-verity prove nothing", bare_crypt_and_verity_prove_nothing},
    {"one plain leg makes a RAID plain", a_plain_leg_makes_a_raid_plain},
    {"a partition of an encrypted disk", partition_of_an_encrypted_disk},
    {"a circle of devices ends", a_circle_ends},
    {"folders of this machine without a device", this_machine},
};
HARNESS_MAIN("proof", tests)
