#!/bin/bash
# Open loop at the device layer: operations are due at the given rate, and latency counts from there, so
# that a device that cannot keep up does not hide its queue; against the kernel's block throttle.
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/support/loop.sh
. "$top/tests/support/loop.sh"
# shellcheck source=tests/support/throttle.sh
. "$top/tests/support/throttle.sh"
begin open_loop
db=$scratch/results.db
if ! random_loop below 16M || ! throttle_group; then
    skip "open loop" "$missing"
    finish
fi
device() {
    throttled "$bin/strata-device" --quiet --db "$db" --plain "$loop" --op randread --block-size 4KiB \
        --warm-up 0s "$@" > /dev/null 2> "$scratch/err"
}
value() { sqlite3 "$db" "$1"; }
last="run_id = (SELECT max(id) FROM run)"
accounts="FROM operation_result JOIN phase ON phase.id = phase_id WHERE $last"

# ---- a device that keeps up: every operation is started, and waits for nothing ----------------------------------
device --rate 200 --depth 4 --jobs 2 --duration 2s
equal "200 a second for 2 s are 400 due, none skipped" \
    "$(value "SELECT due || ' ' || skipped || ' ' || started $accounts")" "400 0 400"
between "which is the rate" "$(value "SELECT ops_per_s FROM v_throughput WHERE $last")" 196 201
equal "said with the workload" \
    "$(value "SELECT workload || ', ' || arrival || ' ' || asked_rate_per_s FROM v_run WHERE $last")" \
    "randread 4 KiB depth 4 jobs 2 at 200/s, open 200.0"

# ---- a device that does not: 200 of 400 a second ---------------------------------------------------------------
# Operation n is due after n / 400 s and ends after n / 200 s: its response time grows by 1 / 400 s from
# one to the next, to 1 s for the last of the 400 in 2 s, and is 0.5 s in the mean. The time in the
# device (service) never is longer than the 8 in flight take at 200 a second, 40 ms, and what the
# throttle lets pass at once moves both a little.
throttle "$loop" 200
device --rate 400 --depth 4 --jobs 2 --duration 2s
between "what the device does is what the throttle allows" \
    "$(value "SELECT ops_per_s FROM v_throughput WHERE $last")" 170 240
between "mean response from the due time, s" \
    "$(value "SELECT mean_ns / 1e9 FROM v_latency WHERE $last AND kind = 'response'")" 0.38 0.58
between "mean service from the start, s" \
    "$(value "SELECT mean_ns / 1e9 FROM v_latency WHERE $last AND kind = 'service'")" 0.025 0.12
equal "the accounts add up, with what was due and never started" \
    "$(value "SELECT due = skipped + started, skipped > 300, started = ok $accounts")" "1|1|1"
equal "no rule about the depth is held against it" \
    "$(value "SELECT count(*) FROM v_invalid WHERE $last AND reason LIKE '%depth%'")" 0
# The same in closed loop: the queue is as long as the depth, and nothing tells of the demand.
device --depth 4 --jobs 2 --duration 2s
between "closed loop: response is service, s" \
    "$(value "SELECT mean_ns / 1e9 FROM v_latency WHERE $last AND kind = 'response'")" 0.025 0.06
finish
