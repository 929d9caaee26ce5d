# Sourced by tests that need a device of a known speed, after tests/lib.sh and `begin`: the kernel's block
# throttle, which holds for the processes of one control group.
#
#   throttle_group                        makes the group; fails, with the reason in $missing, where
#                                         there is none to be had
#   throttle DEVICE OPERATIONS-PER-SECOND   reads and writes each
#   throttled COMMAND…                    runs the command in the group, within two minutes
#   join_group                            puts the subshell that calls it there
#
# The throttle lets about a tenth of a second's worth pass at once after a pause. What is left in the
# group is ended at exit, and the group goes.
# shellcheck shell=bash
# shellcheck source=tests/servers/processes.sh
. "$top/tests/servers/processes.sh" # wait_until

throttle_group() {
    local controller=/sys/fs/cgroup/blkio
    group=$controller/strata-$suite-$$
    if [ "$(id -u)" != 0 ] || [ ! -e $controller/blkio.throttle.read_iops_device ] || ! mkdir "$group"; then
        missing="root and the block throttle of cgroup 1 (blkio) are needed"
        return 1
    fi
    group_is_empty() { ! grep -q . "$group/cgroup.procs"; }
    at_exit 'kill $(cat "$group/cgroup.procs") 2> /dev/null; wait_until 20 group_is_empty; rmdir "$group"'
}

throttle() {
    local kind number
    number=$(stat -c '%Hr:%Lr' "$1")
    for kind in read write; do echo "$number $2" > "$group/blkio.throttle.${kind}_iops_device"; done
}

join_group() { echo "$BASHPID" > "$group/cgroup.procs"; }
throttled() { (join_group && exec timeout 120 "$@"); }
