/* Encrypt a file into an image, or decrypt an image into a file, through Strata's own filter over a
 * synchronous block target, for comparison with other implementations.
 *
 *   crypt_image write|read KEY-FILE SECTOR-SIZE BLOCK-SIZE OFFSET IMAGE PLAIN
 *
 * The image must exist and be as long as OFFSET and the plain file together. */
#include "common/base/memory.h"
#include "common/base/units.h"
#include "common/target/block.h"
#include "common/target/crypt.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct arguments {
    bool writes;
    uint8_t key[64];
    size_t key_bytes;
    uint64_t sector_size;
    uint64_t block_bytes;
    uint64_t offset_bytes;
    const char *image;
    const char *plain;
};

static bool parse(char **argv, struct arguments *arguments, struct strata_error *error)
{
    arguments->writes = strcmp(argv[1], "write") == 0;
    arguments->image = argv[6];
    arguments->plain = argv[7];
    FILE *file = fopen(argv[2], "rb");
    if (file == NULL) {
        (void)strata_error_set(error, STRATA_ENVIRONMENT, "%s: cannot be opened", argv[2]);
        return false;
    }
    arguments->key_bytes = fread(arguments->key, 1, sizeof(arguments->key), file);
    (void)fclose(file);
    return strata_units_parse_size(argv[3], &arguments->sector_size, error) == STRATA_OK &&
           strata_units_parse_size(argv[4], &arguments->block_bytes, error) == STRATA_OK &&
           strata_units_parse_size(argv[5], &arguments->offset_bytes, error) == STRATA_OK;
}

static bool do_item(struct strata_worker *worker, struct strata_operation *operation)
{
    const struct strata_target_type *type = worker->target->type;
    struct strata_operation *back;
    return type->submit(worker, &operation, 1) == 1 && type->reap(worker, &back, 1, 0) == 1 &&
           operation->result == STRATA_RESULT_OK;
}

/* Move every block between the plain file and the filter. */
static bool move_all(const struct arguments *arguments, struct strata_target *target,
                     struct strata_worker *worker, int plain)
{
    size_t bytes = arguments->block_bytes;
    uint8_t *buffer = strata_memory_new_aligned(bytes);
    uint64_t items = target->type->items(target, 0, 1, STRATA_OPERATION_READ);
    bool right = true;
    for (uint64_t item = 0; right && item < items; item++) {
        struct strata_operation operation = {.item = item,
                                             .bytes = bytes,
                                             .buffer = buffer,
                                             .kind = arguments->writes ? STRATA_OPERATION_WRITE
                                                                       : STRATA_OPERATION_READ};
        right = (!arguments->writes || read(plain, buffer, bytes) == (ssize_t)bytes) &&
                do_item(worker, &operation) &&
                (arguments->writes || write(plain, buffer, bytes) == (ssize_t)bytes);
    }
    free(buffer);
    return right;
}

static enum strata_status run(const struct arguments *arguments, struct strata_error *error)
{
    const struct strata_block_options options = {.path = arguments->image,
                                                 .engine = STRATA_BLOCK_SYNC,
                                                 .writable = arguments->writes,
                                                 .offset_bytes = arguments->offset_bytes,
                                                 .block_bytes = arguments->block_bytes};
    const struct strata_crypt_options cipher = {.key = arguments->key,
                                                .key_bytes = arguments->key_bytes,
                                                .sector_size = arguments->sector_size};
    const struct strata_worker_setup setup = {.jobs = 1,
                                              .depth = 1,
                                              .bytes = arguments->block_bytes,
                                              .kinds = 1U << STRATA_OPERATION_READ |
                                                       1U << STRATA_OPERATION_WRITE};
    struct strata_target *target;
    struct strata_worker *worker;
    enum strata_status status = strata_block_open(&options, &target, error);
    if (status == STRATA_OK) {
        status = strata_crypt_open(target, &cipher, &target, error);
    }
    if (status == STRATA_OK) {
        status = target->type->worker_open(target, &setup, &worker, error);
    }
    if (status != STRATA_OK) {
        return status;
    }
    int plain = open(arguments->plain, arguments->writes ? O_RDONLY : O_WRONLY | O_CREAT, 0600);
    if (plain < 0 || !move_all(arguments, target, worker, plain)) {
        status =
            strata_error_set(error, STRATA_ENVIRONMENT, "%s: cannot be moved", arguments->plain);
    }
    close(plain);
    target->type->worker_close(worker);
    target->type->close(target);
    return status;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {0};
    struct strata_error error = {0};
    if (argc != 8) {
        fprintf(stderr, "usage: crypt_image write|read KEY SECTOR BLOCK OFFSET IMAGE PLAIN\n");
        return STRATA_USAGE;
    }
    if (!parse(argv, &arguments, &error) || run(&arguments, &error) != STRATA_OK) {
        fprintf(stderr, "crypt_image: %s\n", error.text);
        return 1;
    }
    return 0;
}
