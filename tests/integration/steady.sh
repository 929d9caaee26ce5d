#!/bin/bash
# Steady state, ends by bytes, and steps, on a loop device whose rate the kernel's block throttle sets:
# what is stored against what the throttle allows and what the kernel counted at the device.
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/support/loop.sh
. "$top/tests/support/loop.sh"
# shellcheck source=tests/support/refused.sh
. "$top/tests/support/refused.sh"
# shellcheck source=tests/support/throttle.sh
. "$top/tests/support/throttle.sh"
begin steady
db=$scratch/results.db
capacity=$((16 << 20))
space=$(mktemp -d /dev/shm/strata-test.XXXXXX)
at_exit 'rm -rf "$space"'
head -c $capacity /dev/urandom > "$space/file"
if ! on_loop "$space/file" || ! throttle_group; then
    skip "steady state" "$missing"
    finish
fi
name=${loop#/dev/}

device() { throttled "$bin/strata-device" --quiet --db "$db" --plain "$loop" "$@" > "$scratch/out" 2> "$scratch/err"; }
value() { sqlite3 "$db" "$1"; }
last="run_id = (SELECT max(id) FROM run)"
# near NAME GOT WANT PERCENT
near() {
    if awk "BEGIN { exit !(\"$2\" != \"\" && $2 + 0 >= $3 * (1 - $4 / 100) && $2 + 0 <= $3 * (1 + $4 / 100)) }"; then
        pass "$1 ($2, $3)"
    else
        fail "$1" "$2 against $3"
    fi
}
# Fields of the kernel's count: sectors read, sectors written, sectors discarded.
count() { awk -v field="$1" '{ print $field }' "/sys/block/$name/stat"; }
READ=3 WRITTEN=7 DISCARDED=14
rounds=(--scenario steady-state --round 500ms --allow-overwrite "$loop")

# --- refused before anything is written ---------------------------------------------------------------
before=$(count $WRITTEN)
refused "no leave to overwrite" 2 "--allow-overwrite" --scenario steady-state --round 500ms
refused "reading rounds write, too: their precondition" 2 "--allow-overwrite" --scenario steady-state --op randread
refused "a purge without a precondition" 2 "purge: discard needs" "${rounds[@]}" --purge discard --precondition 0
refused "engine null" 2 "engine: null touches no device" "${rounds[@]}" --engine null
refused "more than 25 rounds" 2 "rounds: 26 is above 25" "${rounds[@]}" --rounds 26
refused "rounds that cannot be judged" 2 "rounds: 4 is below 5" "${rounds[@]}" --rounds 4
refused "an end by bytes and by operations" 2 "amount: 1MiB and limit: 5" --amount 1MiB --limit 5
equal "nothing was written" "$(count $WRITTEN)" "$before"

# --- steady at once -----------------------------------------------------------------------------------
throttle "$loop" 2000
before=$(count $WRITTEN) discarded=$(count $DISCARDED)
device "${rounds[@]}" --purge discard
equal "a device of one rate: exit code" $? 0
equal "steady after the fifth round, or few more" "$(value "SELECT reached, rounds BETWEEN 5 AND 8, rounds - window_first_round
    FROM v_steady_state WHERE $last")" "1|1|4"
near "the steady rate is the throttle's" "$(value "SELECT steady_ops_per_s FROM v_steady_state WHERE $last")" 2200 15
equal "the whole device was written twice before" \
    "$(value "SELECT preconditioned_bytes, capacity_bytes, precondition_passes FROM v_steady_state WHERE $last")" \
    "$((2 * capacity))|$capacity|2.0"
equal "the kernel counted the precondition and the rounds, no more" $((512 * ($(count $WRITTEN) - before))) \
    "$(value "SELECT sum(bytes) FROM v_throughput WHERE $last")"
equal "the kernel counted the purge" $((512 * ($(count $DISCARDED) - discarded))) "$capacity"
equal "never called by the standard's name, with what was left out" \
    "$(value "SELECT procedure, missing FROM v_steady_state WHERE $last")" "|a physical device; rounds of 60 s (0.5 s)"
equal "the five rounds are stored" "$(value "SELECT count(*), max(round) - min(round), max(reason) FROM v_steady_round
    WHERE $last AND in_window AND abs(ops_per_s - 2200) < 500")" "5|4|"
equal "their mean is the window's" "$(value "SELECT (SELECT round(avg(ops_per_s), 3) FROM v_steady_round WHERE $last AND in_window)
    = round(window_ops_per_s, 3) FROM v_steady_state WHERE $last")" 1
equal "range by the five stored rounds" "$(value "SELECT round((SELECT (max(ops_per_s) - min(ops_per_s)) / avg(ops_per_s)
    FROM v_steady_round WHERE $last AND in_window), 9) = round(range_fraction, 9) FROM v_steady_state WHERE $last")" 1
# Least squares by sums, over the window 4 times the slope.
equal "slope by the five stored rounds" "$(value "SELECT round((SELECT 4 * (5 * sum(round * ops_per_s) - sum(round) * sum(ops_per_s))
    / (5 * sum(round * round) - sum(round) * sum(round)) / avg(ops_per_s) FROM v_steady_round WHERE $last AND in_window), 9)
    = round(slope_fraction, 9) FROM v_steady_state WHERE $last")" 1
equal "one rate stands in reports and comparisons" \
    "$(value "SELECT count(*), min(phase), round(max(ops_per_s)) = round((SELECT steady_ops_per_s FROM v_steady_state WHERE $last))
        FROM v_rate WHERE $last")" "1|steady state|1"
check "the report says so" grep -qE "steady after round [5-8] +2\.[0-9]+ k/s" "$scratch/out"

# --- a part of the device, without a purge ------------------------------------------------------------
device "${rounds[@]}" --size 8MiB --precondition 1 --op randread
equal "a region: exit code" $? 0
equal "each step that was left out is named" "$(value "SELECT missing FROM v_steady_state WHERE $last")" \
    "purge; the whole of a device; a physical device; preconditioning with twice the capacity (8388608 of 16777216 bytes); rounds of 60 s (0.5 s)"

# --- steady later: fast for a while, then slow --------------------------------------------------------
throttle "$loop" 4000
device "${rounds[@]}" &
run=$!
sleep 1.8
throttle "$loop" 1000
wait $run
equal "a device that slows down: exit code" $? 0
near "steady at the later rate" "$(value "SELECT steady_ops_per_s FROM v_steady_state WHERE $last")" 1100 15
check "only after the change" test "$(value "SELECT reached AND window_first_round > 1 AND rounds = window_first_round + 4
    FROM v_steady_state WHERE $last")" = 1

# --- never steady -------------------------------------------------------------------------------------
device "${rounds[@]}" --rounds 7 &
run=$!
while kill -0 $run 2> /dev/null; do
    for rate in 500 3000; do
        throttle "$loop" $rate
        sleep 0.35
    done
done
wait $run
equal "a device that goes to and fro: exit code" $? 0
equal "not reached is an answer of a valid run, without a rate" \
    "$(value "SELECT status, rounds, reached, steady_ops_per_s IS NULL, window_first_round FROM v_steady_state WHERE $last")" "ok|7|0|1|3"
equal "nor one in reports and comparisons" "$(value "SELECT count(*), count(ops_per_s) FROM v_rate WHERE $last")" "1|0"
check "the report says so" grep -qF "not reached in 7 rounds" "$scratch/out"

# --- a step in the middle of a run (D15) --------------------------------------------------------------
throttle "$loop" 3000
device --op randread --block-size 4KiB --depth 32 --duration 11s --warm-up 500ms &
run=$!
sleep 5.7
throttle "$loop" 1000
wait $run
equal "three times slower in the middle: exit code" $? 1
near "the rate before the step" "$(value "SELECT step_before_per_s FROM phase WHERE $last")" 3000 15
near "the rate after the step" "$(value "SELECT step_after_per_s FROM phase WHERE $last")" 1000 15
near "the time of the step" "$(value "SELECT step_at_ns / 1e9 FROM phase WHERE $last")" 5.2 15
equal "both in a view, the phase invalid" "$(value "SELECT status, round(before_ops_per_s / 500) * 500,
    round(after_ops_per_s / 500) * 500 FROM v_step WHERE $last")" "invalid|3000.0|1000.0"
check "the report says so" grep -qE "randread +[45]\.[0-9] s +[23]\.[0-9]+ k/s" "$scratch/out"

# --- ends by bytes, and a region smaller than the run (D5) ---------------------------------------------
throttle "$loop" 100000
before=$(count $READ)
device --op read --block-size 64KiB --depth 4 --amount 40MiB --warm-up 0s
equal "an end by bytes: exit code" $? 0
equal "exactly so many bytes" "$(value "SELECT bytes, ok FROM v_throughput WHERE $last")" "$((40 << 20))|640"
equal "as the kernel counted them, beside 64 blocks that were looked at before" \
    $((512 * ($(count $READ) - before))) $((44 << 20))
equal "two and a half times over the device" "$(value "SELECT region_passes, region_bytes FROM v_throughput WHERE $last")" "2.5|$capacity"
device --op read --block-size 64KiB --depth 4 --amount 1000001 --warm-up 0s
equal "whole blocks" "$(value "SELECT bytes FROM v_throughput WHERE $last")" $((16 * 65536))
throttle "$loop" 1000
device --op read --block-size 64KiB --depth 4 --duration 1s --warm-up 0s
near "a device smaller than the time needs: the time is kept" "$(value "SELECT window_s FROM v_throughput WHERE $last")" 1 1
near "and how often it was gone over is recorded" "$(value "SELECT region_passes FROM v_throughput WHERE $last")" 3.9 10
device --op read --block-size 64KiB --depth 4 --amount 1GiB --duration 500ms --warm-up 0s
near "bytes and a time: the first of both ends it" "$(value "SELECT window_s FROM v_throughput WHERE $last")" 0.5 1
refused "a size beyond the end" 2 "beyond its end" --size 3GiB

# --- the ready configuration, scaled down ---------------------------------------------------------------
throttle "$loop" 2000
throttled "$bin/strata-device" --quiet --db "$db" --config "$top/config/steady_state.xml" \
    --set "drive.path=$loop" --set time-scale=0.005 --allow-overwrite "$loop" > "$scratch/out" 2> "$scratch/err"
equal "config/steady_state.xml: exit code" $? 0
equal "… three answers, none by the standard's name" "$(value "SELECT count(*), max(procedure), max(missing)
    FROM v_steady_state WHERE campaign = 'steady state'")" "3||a physical device; rounds of 60 s (0.3 s)"
equal "… a mix has a rate for reads and one for writes where it is steady" "$(value "SELECT count(ops_per_s) = 2 * reached
    FROM v_rate JOIN steady_state USING (run_id) WHERE campaign = 'steady state' AND workload LIKE '%randrw%'")" 1

# --- interrupted --------------------------------------------------------------------------------------
throttle "$loop" 2000
(
    join_group
    exec "$bin/strata-device" --quiet --db "$db" --plain "$loop" --scenario steady-state --round 10s \
        --allow-overwrite "$loop"
) > "$scratch/out" 2> "$scratch/err" &
run=$!
sleep 1.5
kill -INT $run
wait $run
equal "interrupted in a round: exit code" $? 130
equal "kept, and neither steady nor valid" "$(value "SELECT status, rounds, reached, steady_ops_per_s IS NULL FROM v_steady_state WHERE $last")" "aborted|1|0|1"
equal "the database is sound" "$(value 'PRAGMA integrity_check')" ok
finish
