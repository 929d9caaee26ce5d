# Sourced by the tests of misbehaving devices, after tests/lib.sh and `begin`.
#
#   faulty_disk NAME BYTES FAULT…   serve a file of random bytes that has those faults
#                                   (tests/support/faulty_disk.c); sets $disk (its path), $server
#                                   (its process) and $backing (what stands behind it, without faults).
#                                   Fails, with the reason in $missing, where FUSE is not allowed.
#
# It goes at exit; what still hangs then fails. Brings tests/support/loop.sh with it.
# shellcheck shell=bash
# shellcheck source=tests/servers/processes.sh
. "$top/tests/servers/processes.sh" # wait_until
# shellcheck source=tests/support/loop.sh
. "$top/tests/support/loop.sh"

faulty_disk() {
    local name=$1 bytes=$2 mount=$scratch/$1.mount
    shift 2
    backing=$scratch/$name.backing disk=$mount/disk
    mkdir "$mount" && head -c "$bytes" /dev/urandom > "$backing" || return 1
    "$top/build/tests/support/faulty_disk" "$mount" "$backing" "$@" 2> "$scratch/$name.log" &
    server=$!
    at_exit "kill $server 2> /dev/null; wait $server 2> /dev/null; umount -l $mount 2> /dev/null"
    serves() { [ -e "$disk" ] || ! kill -0 $server 2> /dev/null; }
    if ! wait_until 10 serves || [ ! -e "$disk" ]; then
        missing="no FUSE here: $(tail -n 1 "$scratch/$name.log")"
        return 1
    fi
}
