/* A directory that the kernel encrypts, without the fscrypt tool and its files in every file
 * system.
 *
 * Always holds: the raw key exists only in this process's stack until the kernel has it, then only
 * in the kernel. Where the directory is and when the key goes is left to the caller. */
#include "common/host/fscrypt.h"

#include "common/base/random.h"

#include <errno.h>
#include <linux/fscrypt.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>

_Static_assert(sizeof(((struct strata_fscrypt_key *)0)->identifier) == FSCRYPT_KEY_IDENTIFIER_SIZE,
               "the kernel's identifiers have another size");

/* Why a file system refuses, in words that say what to do about it. */
static enum strata_status refused(int directory, const char *path, const char *what,
                                  struct strata_error *error)
{
    int code = errno;
    struct statfs facts;
    bool ext4 = fstatfs(directory, &facts) == 0 && facts.f_type == EXT4_SUPER_MAGIC;
    if (code == EOPNOTSUPP && ext4) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "%s: cannot %s: ext4 without the encrypt feature (mkfs.ext4 -O "
                                "encrypt, or tune2fs -O encrypt), or a kernel without fscrypt",
                                path, what);
    }
    if (code == EOPNOTSUPP || code == ENOTTY) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "%s: cannot %s: this file system has no fscrypt; ext4 with the "
                                "encrypt feature, f2fs and UBIFS have it",
                                path, what);
    }
    return strata_error_set(error, STRATA_ENVIRONMENT, "%s: cannot %s: %s", path, what,
                            strerror(code));
}

enum strata_status strata_fscrypt_key_add(int directory, const char *path,
                                          struct strata_fscrypt_key *ret_key,
                                          struct strata_error *error)
{
    union {
        struct fscrypt_add_key_arg argument;
        uint8_t bytes[sizeof(struct fscrypt_add_key_arg) + FSCRYPT_MAX_KEY_SIZE];
    } request;
    memset(&request, 0, sizeof(request));
    request.argument.key_spec.type = FSCRYPT_KEY_SPEC_TYPE_IDENTIFIER;
    request.argument.raw_size = FSCRYPT_MAX_KEY_SIZE;
    strata_random_secret(request.bytes + sizeof(request.argument), FSCRYPT_MAX_KEY_SIZE);
    int outcome = ioctl(directory, FS_IOC_ADD_ENCRYPTION_KEY, &request);
    int code = errno;
    memcpy(ret_key->identifier, request.argument.key_spec.u.identifier,
           sizeof(ret_key->identifier));
    explicit_bzero(&request, sizeof(request));
    errno = code;
    return outcome == 0 ? STRATA_OK : refused(directory, path, "add an encryption key", error);
}

enum strata_status strata_fscrypt_policy_set(int directory, const char *path,
                                             const struct strata_fscrypt_key *key,
                                             struct strata_error *error)
{
    struct fscrypt_policy_v2 policy = {
        .version = FSCRYPT_POLICY_V2,
        .contents_encryption_mode = FSCRYPT_MODE_AES_256_XTS,
        .filenames_encryption_mode = FSCRYPT_MODE_AES_256_CTS,
        .flags = FSCRYPT_POLICY_FLAGS_PAD_32,
    };
    memcpy(policy.master_key_identifier, key->identifier, sizeof(policy.master_key_identifier));
    if (ioctl(directory, FS_IOC_SET_ENCRYPTION_POLICY, &policy) != 0) {
        return refused(directory, path, "set an encryption policy", error);
    }
    return STRATA_OK;
}

bool strata_fscrypt_policy_get(int descriptor, struct strata_fscrypt_policy *ret_policy)
{
    struct fscrypt_get_policy_ex_arg request;
    memset(&request, 0, sizeof(request));
    request.policy_size = sizeof(request.policy);
    if (ioctl(descriptor, FS_IOC_GET_ENCRYPTION_POLICY_EX, &request) != 0) {
        return false;
    }
    *ret_policy = (struct strata_fscrypt_policy){.version = request.policy.version};
    if (request.policy.version == FSCRYPT_POLICY_V2) {
        ret_policy->version = 2;
        ret_policy->contents_mode = request.policy.v2.contents_encryption_mode;
        ret_policy->filenames_mode = request.policy.v2.filenames_encryption_mode;
        memcpy(ret_policy->identifier, request.policy.v2.master_key_identifier,
               sizeof(ret_policy->identifier));
    } else {
        ret_policy->version = 1; /* which the kernel stores as 0 */
        ret_policy->contents_mode = request.policy.v1.contents_encryption_mode;
        ret_policy->filenames_mode = request.policy.v1.filenames_encryption_mode;
    }
    return true;
}

enum strata_status strata_fscrypt_key_remove(int directory, const char *path,
                                             const struct strata_fscrypt_key *key,
                                             struct strata_error *error)
{
    struct fscrypt_remove_key_arg request;
    memset(&request, 0, sizeof(request));
    request.key_spec.type = FSCRYPT_KEY_SPEC_TYPE_IDENTIFIER;
    memcpy(request.key_spec.u.identifier, key->identifier, sizeof(key->identifier));
    if (ioctl(directory, FS_IOC_REMOVE_ENCRYPTION_KEY, &request) != 0) {
        return refused(directory, path, "remove the encryption key", error);
    }
    if ((request.removal_status_flags & FSCRYPT_KEY_REMOVAL_STATUS_FLAG_FILES_BUSY) != 0) {
        return strata_error_set(error, STRATA_ENVIRONMENT,
                                "%s: the encryption key is removed, but files under it are still "
                                "open and stay readable",
                                path);
    }
    return STRATA_OK;
}

const char *strata_fscrypt_mode_name(unsigned mode)
{
    switch (mode) {
    case FSCRYPT_MODE_AES_256_XTS:
        return "AES-256-XTS";
    case FSCRYPT_MODE_AES_256_CTS:
        return "AES-256-CTS-CBC";
    case FSCRYPT_MODE_AES_128_CBC:
        return "AES-128-CBC-ESSIV";
    case FSCRYPT_MODE_AES_128_CTS:
        return "AES-128-CTS-CBC";
    case FSCRYPT_MODE_ADIANTUM:
        return "Adiantum";
    case FSCRYPT_MODE_AES_256_HCTR2:
        return "AES-256-HCTR2";
    default:
        return "unknown";
    }
}
