#!/bin/bash
# The evaluating programs themselves and one results database: several at once, and killed while they
# measure (tests/faults/store.sh does the same to the store alone, at finer moments).
. "$(dirname "$0")/../lib.sh"
[ -w /dev/shm ] && export TMPDIR=/dev/shm
begin program-faults
sql() { sqlite3 -bail "$1" "$2" 2>&1; }
head -c 16M /dev/urandom > "$scratch/disk"
mkdir "$scratch/a" "$scratch/b"
device=("$bin/strata-device" --plain "$scratch/disk" --op randread --block-size 4KiB --depth 4 --warm-up 0s --quiet)
files=("$bin/strata-filesystem" --files 200 --jobs 1 --quiet)

# --- four programs at once (R1) ---
db=$scratch/four.db
programs=()
"${device[@]}" --duration 100ms --pairs 12 --db "$db" > "$scratch/1" 2>&1 & programs+=($!)
"${device[@]}" --duration 100ms --pairs 12 --db "$db" > "$scratch/2" 2>&1 & programs+=($!)
"${files[@]}" --plain "$scratch/a" --pairs 12 --db "$db" > "$scratch/3" 2>&1 & programs+=($!)
"${files[@]}" --plain "$scratch/b" --pairs 12 --db "$db" > "$scratch/4" 2>&1 & programs+=($!)
for pid in "${programs[@]}"; do
    wait "$pid"
    # 1: on a crowded machine some run may be judged invalid; it is stored all the same.
    check "one of four ends with a verdict" test $? -le 1
done
equal "all runs of four programs are there" \
    "$(sql "$db" "SELECT layer, count(*), count(DISTINCT campaign_id) FROM v_run WHERE cell = 'single' GROUP BY layer")" \
    "device|24|2
filesystem|24|2"
equal "… each with its data" "$(sql "$db" "SELECT count(*) FROM run WHERE status IN ('ok', 'invalid')
    AND NOT EXISTS (SELECT 1 FROM v_latency WHERE v_latency.run_id = run.id)")" 0
equal "… and none is left as running" "$(sql "$db" "SELECT count(*) FROM run WHERE status = 'running'")" 0
equal "the database is sound" "$(sql "$db" "PRAGMA integrity_check; PRAGMA foreign_key_check")" ok

# --- killed while they measure (R2) ---
kills=20 unsound=0 lost=0 running=0
db=$scratch/killed.db
for ((i = 1; i <= kills; i++)); do
    before=0
    [ -e "$db" ] && before=$(sql "$db" "SELECT count(*) FROM run WHERE status IN ('ok', 'invalid')")
    "${device[@]}" --duration 80ms --pairs 50 --db "$db" > "$scratch/out" 2>&1 &
    victim=$!
    timeout "$(printf '0.%03d' $((RANDOM % 500 + 250)))" tail --pid=$victim -f /dev/null
    kill -KILL $victim
    wait $victim 2> /dev/null
    [ "$(sql "$db" "PRAGMA integrity_check")" = ok ] || unsound=$((unsound + 1))
    [ "$(sql "$db" "SELECT count(*) FROM run WHERE status IN ('ok', 'invalid')")" -ge "$before" ] || lost=$((lost + 1))
    running=$((running + $(sql "$db" "SELECT count(*) FROM run WHERE status = 'running'")))
done
equal "the database is sound after each of $kills kills" $unsound 0
equal "no finished run is lost" $lost 0
check "most were killed while they measured" test $running -ge $((kills / 2))
"${device[@]}" --duration 80ms --pairs 1 --db "$db" > "$scratch/out" 2>&1
equal "each run that was killed is marked" "$(sql "$db" "SELECT count(*) FROM run WHERE status = 'aborted'
    AND reason LIKE 'process % ended before the run did'")" $running
equal "none is left as running" "$(sql "$db" "SELECT count(*) FROM run WHERE status = 'running'")" 0
finish
