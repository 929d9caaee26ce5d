#!/bin/bash
# A device that stops answering, at each point where Strata touches one: the program says so and ends in
# bounded time although the kernel keeps its operations, what had finished is stored, what had not is
# counted as abandoned and is in no rate, and nothing more is asked of the device.
. "$(dirname "$0")/../lib.sh"
begin hung_device
# shellcheck source=tests/support/faulty_disk.sh
. "$top/tests/support/faulty_disk.sh"
if [ "$(id -u)" != 0 ] || [ ! -e /dev/fuse ]; then
    skip "hung devices" "a loop device over FUSE needs root and /dev/fuse"
    finish
fi
# Reads and writes between 1 and 8 MiB hang as soon as the faults are turned on by SIGUSR1.
if ! faulty_disk half 16M hang=1MiB-8MiB well || ! on_loop "$disk" --direct-io=on; then
    skip "hung devices" "$missing"
    finish
fi
half=$loop half_file=$disk half_server=$server

# hangs NAME WHEN EXIT TEXT ARGUMENTS…: the faults begin `before` the program, or `during` its run; it ends
# within 20 s with that exit code while the device still hangs; one line on stderr holds the text.
# Leaves the results in $db and standard output in $scratch/out; then the device is well again.
hangs() {
    local name=$1 when=$2 code=$3 text=$4 run begun=$SECONDS got
    shift 4
    db=$scratch/$((passed + failed)).db
    [ "$when" != before ] || kill -USR1 $half_server
    timeout -k 20 20 "$bin/strata-device" --quiet --db "$db" --give-up 2s --block-size 4096 --duration 60s \
        --warm-up 0s --allow-overwrite "$half" --allow-overwrite "$half_file" --json "$@" \
        > "$scratch/out" 2> "$scratch/err" &
    run=$!
    if [ "$when" = during ]; then
        moves() { [ "$(sqlite3 "$db" "SELECT count(*) FROM run WHERE status = 'running'" 2> /dev/null)" = 1 ]; }
        wait_until 10 moves
        timeout 0.5 tail --pid=$run -f /dev/null
        kill -USR1 $half_server
    fi
    "${while_it_hangs[@]}" $run
    wait $run
    got=$?
    equal "$name: exit code, one line, while it hangs" "$got $(wc -l < "$scratch/err")" "$code 1"
    check "$name: within 20 s" test $((SECONDS - begun)) -lt 20
    if grep -qF -- "$text" "$scratch/err"; then pass "$name: says so"; else
        fail "$name: says so" "[$(cat "$scratch/err")] lacks [$text]"
    fi
    kill -USR1 $half_server
}
while_it_hangs=(true)
sql() { sqlite3 "$db" "$1"; }
of_run() { sql "SELECT status || ': ' || reason FROM run"; }
kept() { # NAME ABANDONED: that many are abandoned, and what had finished is kept
    equal "$1: what was in flight is abandoned" "$(sql "SELECT sum(abandoned), sum(started - ok - failed -
        timed_out - abandoned) FROM operation_result")" "$2|0"
    check "$1: what had finished is kept" test "$(sql "SELECT sum(ok) FROM operation_result")" -gt 100
    equal "$1: the database is sound" "$(sql 'PRAGMA integrity_check')" ok
}

# ---- in the middle of a run --------------------------------------------------------------------------------
back="operations in flight did not come back within 2.00 s"
hangs "writes by aio" during 3 "randwrite: $half does not answer: 8 $back" --plain "$half" --op randwrite --depth 8
kept "writes by aio" 8
equal "the run has failed, with the reason" "$(of_run)" "failed: randwrite: $half does not answer: 8 $back"
check "stdout is JSON that says so (D7)" jq -e '.runs[0].status == "failed"' "$scratch/out"
hangs "reads by uring" during 3 "$half does not answer: 8 $back" --plain "$half" --op randread --depth 8 --engine uring
kept "reads by uring" 8
hangs "reads by sync" during 3 "$half does not answer: 1 operation in flight" --plain "$half" --op randread --engine sync
kept "reads by sync" 1
hangs "more than the device's queue holds" during 3 "$half does not answer: " --plain "$half" --op randread \
    --depth 256 --jobs 2
check "… what had finished is kept" test "$(sql "SELECT sum(ok) FROM operation_result")" -gt 100
hangs "a file by aio" during 3 "$half_file does not answer: 8 $back" --plain "$half_file" --op randread --depth 8
kept "a file by aio" 8
hangs "pairs" during 3 "does not answer: 4 $back" --plain "$half" --encrypt aes-xts-256 --op randwrite --depth 4 --pairs 5
equal "pairs: nothing is asked of it afterwards" "$(sql "SELECT count(*), max(status) FROM run")" "1|failed"

# ---- before anything is measured ---------------------------------------------------------------------------
hangs "a read before the run" before 3 "$half does not answer: a read of block 256 did not come back within 2.00 s" \
    --plain "$half" --op randread
equal "… is stored as the run's failure" "$(of_run)" \
    "failed: $half does not answer: a read of block 256 did not come back within 2.00 s"

# ---- impatient users ---------------------------------------------------------------------------------------
terminate() { timeout 0.3 tail --pid="$1" -f /dev/null; kill -TERM "$1"; } # timeout passes it on
while_it_hangs=(terminate)
hangs "SIGTERM" during 130 interrupted --plain "$half" --op randwrite --depth 8
kept "SIGTERM" 8
equal "SIGTERM: the run is aborted, with the device's silence" "$(of_run)" \
    "aborted: interrupted; randwrite: $half does not answer: 8 $back"

db=$scratch/twice.db
"$bin/strata-device" --quiet --db "$db" --plain "$half" --op randwrite --block-size 4096 --depth 8 --duration 60s \
    --warm-up 0s --allow-overwrite "$half" > "$scratch/out" 2> "$scratch/err" &
run=$!
wait_until 10 moves
kill -USR1 $half_server
kill -INT $run
interrupted() { grep -q '^State:.Z' /proc/$run/status || ! kill -INT $run; } # again and again
check "SIGINT twice: the program is gone while its 30 s of patience last" wait_until 10 interrupted
wait $run
equal "SIGINT twice: exit code" $? 130
kill -USR1 $half_server

# ---- a device that hangs from its first byte ---------------------------------------------------------------
faulty_disk whole 16M hang=0-16MiB && on_loop "$disk" --direct-io=on
begun=$SECONDS
timeout -k 1 20 "$bin/strata-device" --quiet --db "$scratch/none.db" --give-up 2s --plain "$loop" --op randwrite \
    --allow-overwrite "$loop" > "$scratch/out" 2> "$scratch/err"
equal "the search for signatures: exit and words" "$? $(cat "$scratch/err")" \
    "3 strata-device: plain: $loop does not answer: looking at it did not end within 2.00 s"
check "… within 20 s, and no database came of it" test $((SECONDS - begun)) -lt 20 -a ! -e "$scratch/none.db"
kill -TERM $server

faulty_disk mute 16M hang=0-16MiB only=write && on_loop "$disk" --direct-io=on
timeout -k 1 20 "$bin/strata-device" --quiet --db "$scratch/none.db" --give-up 2s --plain "$loop" --op randwrite \
    --encrypt aes-xts-256 --allow-overwrite "$loop" > "$scratch/out" 2> "$scratch/err"
equal "the trial of the cipher: exit" $? 3
check "… and its words" grep -q "$loop does not answer: a write of block 4095 did not come back within 2.00 s" "$scratch/err"
kill -TERM $server

# ---- what answers late is no hang --------------------------------------------------------------------------
faulty_disk slow 16M pace=300ms
"$bin/strata-device" --quiet --db "$scratch/slow.db" --give-up 2s --plain "$disk" --op randread --block-size 4096 \
    --depth 8 --duration 2s --warm-up 0s > "$scratch/out" 2> "$scratch/err"
equal "300 ms an operation: nothing is abandoned" \
    "$(sqlite3 "$scratch/slow.db" "SELECT sum(abandoned), max(status) FROM operation_result, run")" "0|ok"
finish
