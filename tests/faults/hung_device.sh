#!/bin/bash
# A device that stops answering in the middle of a run: the run ends in bounded time, what had
# finished is stored, what had not is counted as abandoned and is in no rate.
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/servers/processes.sh
. "$top/tests/servers/processes.sh" # wait_until
begin hung_device
db=$scratch/results.db
if [ "$(id -u)" != 0 ] || [ ! -e /dev/fuse ]; then
    skip "hung device" "a loop device over FUSE needs root and /dev/fuse"
    finish
fi

# The device is a loop device over a file of gocryptfs, which can be stopped like any process.
# The daemon is continued before anything else is undone, whatever happens.
mkdir "$scratch/below" "$scratch/mount"
echo secret > "$scratch/password"
gocryptfs -q -init -passfile "$scratch/password" "$scratch/below" > "$scratch/log" 2>&1
gocryptfs -q -fg -passfile "$scratch/password" "$scratch/below" "$scratch/mount" >> "$scratch/log" 2>&1 &
daemon=$!
at_exit 'kill -CONT $daemon 2>/dev/null; kill $daemon 2>/dev/null; wait $daemon 2>/dev/null'
if ! wait_until 10 mountpoint -q "$scratch/mount"; then
    skip "hung device" "gocryptfs does not mount here: $(tail -n 1 "$scratch/log")"
    finish
fi
at_exit 'kill -CONT $daemon 2>/dev/null; umount -l "$scratch/mount" 2>/dev/null'
head -c 16M /dev/urandom > "$scratch/mount/image"
device=$(losetup --find --show "$scratch/mount/image")
at_exit 'kill -CONT $daemon 2>/dev/null; losetup -d $device 2>/dev/null'
writes() { awk '{print $5}' "/sys/block/${device#/dev/}/stat"; }
before=$(writes)

"$bin/strata-device" --quiet --db "$db" --plain "$device" --op randwrite --block-size 4096 --depth 8 \
    --duration 2s --warm-up 0s --allow-overwrite "$device" > "$scratch/out" 2> "$scratch/err" &
run=$!
at_exit 'kill -CONT $daemon 2>/dev/null; kill $run 2>/dev/null; wait $run 2>/dev/null'
wrote() { [ "$(writes)" -gt $((before + 100)) ]; }
check "the run has begun" wait_until 10 wrote
kill -STOP $daemon
begun=$SECONDS
finished() {
    [ "$(sqlite3 "$db" "SELECT count(*) FROM run WHERE status NOT IN ('running', 'ok')" 2>/dev/null)" = 1 ]
}
check "the run ends although the device does not answer" wait_until 60 finished
check "the program waited for the device before that" test $((SECONDS - begun)) -ge 20
equal "what was in flight is abandoned" \
    "$(sqlite3 "$db" "SELECT abandoned, started - ok - failed - timed_out - abandoned FROM operation_result")" "8|0"
check "what had finished is kept" test "$(sqlite3 "$db" "SELECT ok FROM operation_result")" -gt 100
equal "the run is invalid" "$(sqlite3 "$db" "SELECT status FROM run")" invalid
kill -CONT $daemon
wait $run
equal "exit code" $? 1
equal "the database is sound" "$(sqlite3 "$db" 'PRAGMA integrity_check')" ok
finish
