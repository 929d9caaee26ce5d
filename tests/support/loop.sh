# Sourced by the tests of block devices, after tests/lib.sh and `begin`.
#
#   on_loop FILE OPTIONS…            a loop device over the file; sets $loop
#   random_loop NAME BYTES OPTIONS…  one with direct I/O over $scratch/NAME, which is filled with random
#                                    bytes, so that no block counts as never written
#
# The device goes at exit. Where there is none, they fail with the reason in $missing.
# shellcheck shell=bash
on_loop() {
    local file=$1
    shift
    loop=$(losetup --find --show "$@" "$file" 2> "$scratch/loop.log") || {
        missing="no loop device: $(tail -n 1 "$scratch/loop.log")"
        return 1
    }
    at_exit "losetup -d $loop 2> /dev/null"
}

random_loop() {
    local file=$scratch/$1 bytes=$2
    shift 2
    head -c "$bytes" /dev/urandom > "$file" && on_loop "$file" --direct-io=on "$@"
}
