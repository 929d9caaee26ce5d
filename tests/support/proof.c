/* Say what common/host/proof.h finds, for tests on real devices and file systems.
 *
 *   proof PATH…             "PATH: LEVEL: EVIDENCE", its cipher where known,
 *                           and "PATH: disks NAME…" for each
 *   proof --opal PATH       "locks" or "does not lock"
 *   proof --fscrypt FOLDER  encrypt the empty folder by the kernel, with a key that nobody knows */
#include "common/host/proof.h"
#include "common/host/counters.h"
#include "common/host/fscrypt.h"
#include "common/host/opal.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int encrypt(const char *path)
{
    struct strata_error error;
    struct strata_fscrypt_key key;
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) {
        perror(path);
        return 1;
    }
    if (strata_fscrypt_key_add(folder, path, &key, &error) != STRATA_OK ||
        strata_fscrypt_policy_set(folder, path, &key, &error) != STRATA_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    return close(folder);
}

static void show(const char *path)
{
    struct stat status;
    struct strata_proof proof;
    struct strata_counter_disks disks = {.count = 0};
    if (stat(path, &status) == 0 && S_ISBLK(status.st_mode)) {
        strata_proof_device(path, &proof);
    } else {
        strata_proof_directory(path, &proof);
    }
    printf("%s: %s: %s\n", path, strata_proof_name(proof.level), proof.evidence);
    if (proof.cipher.cipher[0] != '\0') {
        printf("%s: cipher %s, key of %u bits, sectors of %u bytes\n", path, proof.cipher.cipher,
               proof.cipher.key_bits, proof.cipher.sector_bytes);
    }
    strata_counters_find_disks(&path, 1, &disks);
    printf("%s: disks", path);
    for (size_t i = 0; i < disks.count; i++) {
        printf(" %s", disks.names[i]);
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--fscrypt") == 0) {
        return encrypt(argv[2]);
    }
    if (argc == 3 && strcmp(argv[1], "--opal") == 0) {
        puts(strata_opal_locks(argv[2]) ? "locks" : "does not lock");
        return 0;
    }
    for (int i = 1; i < argc; i++) {
        show(argv[i]);
    }
    return argc < 2;
}
