/* Is it encrypted? Only what the kernel shows counts here; what a user asserts and what a pattern
 * written through proves is added by those who call.
 *
 * Must always hold: a device counts as encrypted when it is one of dm-crypt's with a real cipher,
 * or when *every* device below it is; one plain leg of a RAID makes the whole plain. A doubt is
 * level NONE with its reason. */
#include "common/host/proof.h"

#include "common/host/dm.h"
#include "common/host/fscrypt.h"
#include "common/host/kernel_cipher.h"
#include "common/host/kernel_file.h"
#include "common/host/mount.h"
#include "common/host/proof_below.h"
#include "common/host/stack.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *strata_proof_name(enum strata_proof_level level)
{
    static const char *const names[] = {"none", "asserted", "structure", "functional"};
    return names[level];
}

static bool conclude(struct strata_proof *proof, enum strata_proof_level level)
{
    proof->level = level;
    return level != STRATA_PROOF_NONE;
}

/* Say which of the kernel's implementations encrypts, where it is known. */
static void add_driver(const char *root, struct strata_proof *proof)
{
    char driver[64];
    strata_kernel_cipher_driver(root, "xts(aes)", driver, sizeof driver);
    size_t length = strlen(proof->evidence);
    if (driver[0] != '\0') {
        snprintf(proof->evidence + length, sizeof proof->evidence - length, ", by %s", driver);
    }
}

/* ---- what a file system says ---- */

static bool judge_fscrypt(const char *path, struct strata_proof *proof)
{
    struct strata_fscrypt_policy policy;
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    bool found = descriptor >= 0 && strata_fscrypt_policy_get(descriptor, &policy);
    if (descriptor >= 0) {
        (void)close(descriptor);
    }
    if (!found) {
        return false;
    }
    snprintf(proof->evidence, sizeof proof->evidence,
             "fscrypt policy version %u, contents %s, names %s", policy.version,
             strata_fscrypt_mode_name(policy.contents_mode),
             strata_fscrypt_mode_name(policy.filenames_mode));
    add_driver("", proof);
    return conclude(proof, STRATA_PROOF_STRUCTURE);
}

static bool judge_fuse(const char *path, struct strata_proof *proof)
{
    struct strata_mount mount;
    if (!strata_mount_find(path, &mount) || strcmp(mount.type, "fuse.gocryptfs") != 0) {
        return false;
    }
    snprintf(proof->evidence, sizeof proof->evidence, "FUSE file system gocryptfs over %.200s",
             mount.source);
    return conclude(proof, STRATA_PROOF_STRUCTURE);
}

/* ---- what the block devices say ---- */

static bool judge_device(const char *root, const char *name, unsigned depth,
                         struct strata_proof *proof);

/* A dm uuid of cryptsetup's decides, one way or the other; without one the question goes down. */
static bool decided_by_uuid(const char *root, const char *name, struct strata_proof *proof)
{
    char uuid[256];
    char kind[16];
    const char *cipher = proof->cipher.cipher;
    if (!strata_kernel_file_read(uuid, sizeof uuid, "%s/sys/class/block/%s/dm/uuid", root, name) ||
        !strata_dm_crypt_kind(uuid, kind, sizeof kind)) {
        return false;
    }
    if (!strata_dm_crypt_read(uuid, &proof->cipher)) {
        proof->cipher = (struct strata_dm_crypt){.cipher = ""};
        cipher = "cipher not known";
    }
    if (strstr(cipher, "cipher_null") != NULL) {
        snprintf(proof->evidence, sizeof proof->evidence,
                 "%s is CRYPT-%s, but its cipher is %s: nothing is encrypted", name, kind, cipher);
        proof->level = STRATA_PROOF_NONE;
    } else {
        snprintf(proof->evidence, sizeof proof->evidence, "%s is CRYPT-%s (%s)", name, kind,
                 cipher);
        proof->level = STRATA_PROOF_STRUCTURE;
    }
    return true;
}

static bool judge_below(const char *root, const char *name, unsigned depth,
                        struct strata_proof *proof)
{
    struct strata_stack_below below;
    strata_stack_find_below(root, name, &below);
    struct strata_proof first_good = {.level = STRATA_PROOF_NONE};
    struct strata_proof first_bad = {.level = STRATA_PROOF_NONE};
    size_t good = 0;
    for (size_t i = 0; i < below.count; i++) {
        struct strata_proof one;
        if (judge_device(root, below.names[i], depth + 1, &one)) {
            first_good = good++ == 0 ? one : first_good;
        } else {
            first_bad = i == good ? one : first_bad;
        }
    }
    if (below.count > 0 && good == below.count) {
        *proof = first_good;
        return true;
    }
    if (good > 0) {
        snprintf(proof->evidence, sizeof proof->evidence,
                 "of the %zu devices below %s only %zu are encrypted (%.100s)", below.count, name,
                 good, first_good.evidence);
    } else if (first_bad.evidence[0] != '\0') {
        *proof = first_bad;
    }
    return conclude(proof, STRATA_PROOF_NONE);
}

/* Returns whether it is encrypted; the evidence stays empty where there is nothing to say. */
static bool judge_device(const char *root, const char *name, unsigned depth,
                         struct strata_proof *proof)
{
    char file[PATH_MAX];
    memset(proof, 0, sizeof *proof);
    if (depth > STRATA_STACK_DEPTH) {
        return false;
    }
    if (decided_by_uuid(root, name, proof)) {
        return proof->level != STRATA_PROOF_NONE;
    }
    if (strata_stack_backing_file(root, name, file, sizeof file) &&
        (judge_fscrypt(file, proof) || judge_fuse(file, proof))) {
        return true;
    }
    return judge_below(root, name, depth, proof);
}

void strata_proof_device_below(const char *root, const char *name, struct strata_proof *ret_proof)
{
    if (!judge_device(root, name, 0, ret_proof) && ret_proof->evidence[0] == '\0') {
        snprintf(ret_proof->evidence, sizeof ret_proof->evidence,
                 "no dm-crypt device at or below %s", name);
    }
}

static void judge_path_device(const char *path, struct strata_proof *ret_proof)
{
    char name[STRATA_STACK_NAME];
    if (strata_stack_device_of("", path, name)) {
        strata_proof_device_below("", name, ret_proof);
    } else {
        snprintf(ret_proof->evidence, sizeof ret_proof->evidence,
                 "no block device that this machine knows holds it");
    }
}

void strata_proof_device(const char *path, struct strata_proof *ret_proof)
{
    memset(ret_proof, 0, sizeof *ret_proof);
    judge_path_device(path, ret_proof);
}

bool strata_proof_device_under(const char *path, char *ret_device, size_t size,
                               uint64_t *ret_offset_bytes)
{
    char name[STRATA_STACK_NAME];
    char uuid[256];
    struct strata_dm_crypt crypt;
    struct strata_stack_below below;
    if (!strata_stack_device_of("", path, name) ||
        !strata_kernel_file_read(uuid, sizeof uuid, "/sys/class/block/%s/dm/uuid", name) ||
        !strata_dm_crypt_read(uuid, &crypt)) {
        return false;
    }
    strata_stack_find_below("", name, &below);
    *ret_offset_bytes = crypt.offset_bytes;
    return below.count == 1 && (size_t)snprintf(ret_device, size, "/dev/%s", below.names[0]) < size;
}

void strata_proof_directory(const char *path, struct strata_proof *ret_proof)
{
    memset(ret_proof, 0, sizeof *ret_proof);
    if (!judge_fscrypt(path, ret_proof) && !judge_fuse(path, ret_proof)) {
        judge_path_device(path, ret_proof);
    }
}
