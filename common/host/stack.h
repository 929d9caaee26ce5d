/* The block devices that stand on one another: what lies below a path, and below a device. */
#ifndef STRATA_HOST_STACK_H
#define STRATA_HOST_STACK_H

#include <stdbool.h>
#include <stddef.h>

enum { STRATA_STACK_WIDTH = 64, STRATA_STACK_NAME = 32, STRATA_STACK_DEPTH = 16 };

/* Directly below a device: its slaves (dm, md), the disk of a partition, the device that holds a
 * loop's file. */
struct strata_stack_below {
    char names[STRATA_STACK_WIDTH][STRATA_STACK_NAME];
    size_t count;
};

/* Name of the block device that `path` is, or whose file system it lies on ("dm-0"); for a FUSE
 * file system over a folder, of that folder. False when there is none (tmpfs, network). `root` is
 * "" for this machine. */
bool strata_stack_device_of(const char *root, const char *path, char ret_name[STRATA_STACK_NAME]);

void strata_stack_find_below(const char *root, const char *name,
                             struct strata_stack_below *ret_below);

/* The file behind a loop device, with the root before it; false when `name` is no loop device or
 * the file is gone. */
bool strata_stack_backing_file(const char *root, const char *name, char *ret_path, size_t size);

#endif
