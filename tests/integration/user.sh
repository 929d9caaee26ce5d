#!/bin/bash
# seconds: 420
# strata-user against a real Swift: types, exact sizes, running means, slots of the day, missed slots,
# and what a user's mistakes get. Uploads are looked at on the server by Swift's own client.
. "$(dirname "$0")/../lib.sh"
begin user
program=$bin/strata-user
db=$scratch/results.db

if [ -z "${STRATA_TEST_SWIFT_PLAIN:-}" ]; then
    at_exit '"$top/tests/servers/swift" down "$scratch/swift"'
    "$top/tests/servers/swift" up "$scratch/swift" --port "${STRATA_TEST_PORT:-17400}" || exit 1
    . "$scratch/swift/environment"
fi
export ST_AUTH=$STRATA_TEST_SWIFT_PLAIN ST_USER=plain:tester

run() { # run ARGUMENTS…: output, messages and exit code in $scratch/out, $scratch/said and $code
    timeout 180 "$program" --quiet --db "$db" "$@" > "$scratch/out" 2> "$scratch/said"
    code=$?
}
ask() { sqlite3 "$db" "$1"; }
refused() { # refused NAME CODE TEXT ARGUMENTS…: one line that holds the text, and that exit code
    local name=$1 want=$2 text=$3
    shift 3
    run "$@"
    if [ $code = "$want" ] && [ "$(wc -l < "$scratch/said")" = 1 ] && grep -qF -- "$text" "$scratch/said"; then
        pass "$name"
    else
        fail "$name" "exit $code: $(cat "$scratch/said")"
    fi
}

# --- types and sizes (S16) ---------------------------------------------------------------------------------
run --scenario file-types --runs 5
equal "four types, five runs of each" \
    "$(ask "SELECT group_concat(category || ':' || n, ' ') FROM (SELECT category, count(*) AS n FROM v_run GROUP BY 1 ORDER BY 1)")" \
    "archive:5 image:5 text:5 video:5"
equal "S16: 1286 KiB are 1,316,864 bytes, each way" \
    "$(ask "SELECT group_concat(DISTINCT phase || ' ' || bytes) FROM v_throughput WHERE status = 'ok'")" \
    "upload 1316864,download 1316864"
equal "each file has its MIME type on record" \
    "$(ask "SELECT group_concat(DISTINCT parameters ->> 'mime') FROM workload")" \
    "text/plain,image/jpeg,application/zip,video/x-msvideo"
equal "nobody claims to know what the server's memory held" \
    "$(ask "SELECT DISTINCT parameters ->> 'data_cache_before_read' FROM workload")" unknown
equal "a user's transfer makes a connection of its own" \
    "$(ask "SELECT sum(operations) FROM stage WHERE stage = 'connect'")" "$(ask 'SELECT sum(ok) FROM operation_result')"
run --scenario file-types --types text --size 1286kB
equal "S16: 1286 kB are 1,286,000 bytes" \
    "$(ask "SELECT DISTINCT bytes FROM v_throughput WHERE object_bytes = 1286000")" 1286000
run --scenario file-sizes --sizes 16KiB,1MiB --runs 1
equal "sizes vary" "$(ask "SELECT group_concat(DISTINCT object_bytes) FROM workload WHERE element = 'file-sizes'")" "16384,1048576"

# --- running means ------------------------------------------------------------------------------------------
db=$scratch/means.db
run --scenario file-sizes --sizes 4KiB --runs 45
by_hand=$(ask "SELECT printf('%.6f', avg(ops_per_s)) FROM (SELECT ops_per_s FROM v_throughput
               WHERE phase = 'upload' AND status = 'ok' ORDER BY slot LIMIT 25)")
equal "the mean of the first 25 runs is theirs" \
    "$(ask "SELECT printf('%.6f', mean_ops_per_s) FROM v_segment_mean WHERE phase = 'upload' AND runs = 25")" "$by_hand"

# --- plain and encrypted --------------------------------------------------------------------------------------
db=$scratch/twins.db
run --scenario file-types --types image --size 64KiB --encrypt client --pairs 5
equal "five pairs, and the A/A cell beside them" \
    "$(ask "SELECT group_concat(cell || ':' || n, ' ') FROM (SELECT cell, count(*) AS n FROM run GROUP BY 1)")" "control:10 pair:10"
equal "encryption by the client is shown, not assumed" \
    "$(ask "SELECT proof FROM backend WHERE encryption = 'client'")" functional
equal "the cipher's own time stands beside the transfers" \
    "$(ask "SELECT count(DISTINCT stage) FROM stage JOIN operation_result o ON o.id = operation_result_id
            JOIN phase p ON p.id = phase_id JOIN run r ON r.id = run_id JOIN backend b ON b.id = backend_id
            WHERE stage = 'cipher' AND b.encrypted")" 1

# --- slots of the day (S15) --------------------------------------------------------------------------------------
# A minute that has not begun when the program has started, also on a busy machine.
next_minute() { date -d "+$((10#$(date +%S) > 40 ? 2 : 1)) minute" +%H:%M; }
db=$scratch/slots.db
soon=$(next_minute)
begun=$(date +%s)
timeout 180 "$program" --db "$db" --scenario time-of-day --size 64KiB --slots "$soon" --runs 2 \
    > "$scratch/out" 2> "$scratch/said"
equal "a slot is waited for" $? 0
check "… and said so" grep -q "waiting for $soon" "$scratch/said"
equal "its runs begin in the slot's minute" \
    "$(ask "SELECT group_concat(DISTINCT strftime('%H:%M', began_at_us / 1000000, 'unixepoch', 'localtime')) FROM run")" "$soon"
equal "… twice" "$(ask "SELECT count(*) FROM run WHERE status IN ('ok', 'invalid')")" 2
check "… within its time" test $(($(date +%s) - begun)) -lt 100
equal "the slot is the category" "$(ask 'SELECT DISTINCT category FROM v_run')" "$soon"

# Stopped in its slot, the program cannot begin in time: the slot is recorded as missed.
db=$scratch/missed.db
soon=$(next_minute)
timeout 150 "$program" --db "$db" --scenario time-of-day --size 64KiB --slots "$soon" --late 1s > "$scratch/out" 2> "$scratch/waiting" &
waiter=$!
for ((i = 0; i < 100; i++)); do [ -s "$scratch/waiting" ] && break; sleep 0.1; done
pid=$(pgrep -P $waiter)
kill -STOP "$pid"
for ((i = 0; i < 260; i++)); do
    [ "$(date +%H:%M)" = "$soon" ] && [ "$(date +%-S)" -ge 3 ] && break
    sleep 0.5
done
kill -CONT "$pid"
wait $waiter
equal "a slot that passed is recorded as missed" "$(ask 'SELECT status, reason FROM run')" "aborted|slot missed"

# --- mistakes ----------------------------------------------------------------------------------------------------
db=$scratch/none.db
refused "an unknown type" 2 "types: 'poem'" --scenario file-types --types poem
refused "an unknown scenario" 2 "--scenario" --scenario mixed-up
refused "a file too small for its kind" 2 "size" --scenario file-types --size 100
refused "a time that is none" 2 "slots" --scenario time-of-day --slots 25:00
refused "more files than memory holds" 2 "do not fit into 4 GiB" --scenario file-types --size 1GiB --concurrency 64
ST_KEY=wrong refused "a wrong key" 3 "401" --scenario file-types --runs 1
check "… of which nothing is told" bash -c "! grep -q wrong '$scratch/said'"
ST_AUTH=http://127.0.0.1:1/auth/v1.0 refused "S12: nothing listens" 3 "127.0.0.1:1" --scenario file-types --runs 1

left=$(env -u ST_AUTH -u ST_USER /usr/bin/swift -A "$STRATA_TEST_SWIFT_PLAIN" -U plain:tester -K testing list | grep '^strata-')
equal "no container is left" "$left" ""
finish
