#!/bin/bash
# The configurations that follow published evaluations: each plans as many runs as follow by hand, and two
# of them run for real, scaled down, on loop devices.
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/support/loop.sh
. "$top/tests/support/loop.sh"
[ -w /dev/shm ] && export TMPDIR=/dev/shm
begin sources
db=$scratch/results.db
sql() { sqlite3 -bail "$db" "$1" 2>&1; }

# --- plans -----------------------------------------------------------------------------------------
planned() { # planned NAME RUNS FACTORS: what the plan says against what follows from the file by hand
    local name=$1 runs=$2 factors=$3
    "$bin/strata-device" --config "$top/config/source_$name.xml" --dry-run > "$scratch/plan"
    equal "source_$name.xml: $factors" "$? $(sed -n '1s/.*: \([0-9]*\) runs, about .*/\1/p' "$scratch/plan") $((factors))" "0 $runs $runs"
    "$bin/strata-device" --config "$top/config/source_$name.xml" --dry-run --set time-scale=0.01 > "$scratch/plan"
    equal "source_$name.xml: scaled by one attribute" "$(sed -n '1s/.*, times scaled by //p' "$scratch/plan")" 0.01
    equal "source_$name.xml: devices to edit are marked" "$(($(grep -c 'EDIT' "$top/config/source_$name.xml") > 0))" 1
}
planned layers 72 "2*2*2*9"                          # elements, operations, devices, runs
planned encrypted_disk 110 "2*5*5*2+5*2"             # sizes, operations, pairs of two runs; the A/A cell
planned luks 2695 "5*5+4*5+2*4*6*5*5*2+2*3*4*5*2+5*2" # ciphers, derivations; depths, operations, sizes, twins; the second table; A/A
planned volumes 342 "4*4*2*5*2+3*2*2+5*2"            # operations, sizes, volumes; bursts; the A/A cell

# --- for real -----------------------------------------------------------------------------------------
random_loop first 64M && first=$loop && random_loop second 64M && second=$loop
if [ -z "${second:-}" ]; then
    skip "the sources on loop devices" "$missing"
    finish
fi

sed "s|path=\"/dev/sdb\"|path=\"$first\"|; s|path=\"/dev/md0\"|path=\"$second\"|" "$top/config/source_layers.xml" > "$scratch/layers.xml"
"$bin/strata-device" --config "$scratch/layers.xml" --set time-scale=0.001 --db "$db" --quiet \
    --allow-overwrite "$first" --allow-overwrite "$second" > "$scratch/report" 2> "$scratch/err"
equal "layers: 72 runs, none failed, each says that its times were scaled" \
    "$? $(sql "SELECT count(*), count(*) FILTER (WHERE status IN ('failed', 'aborted')), min(time_scale), max(time_scale) FROM v_run")" "0 72|0|0.001|0.001"
equal "layers: 9 runs of each indicator on each device" \
    "$(sql "SELECT count(*), min(n), max(n) FROM (SELECT count(*) AS n FROM v_run GROUP BY workload_id, backend_id)")" "8|9|9"
equal "layers: reading before writing, a run at a time" "$(sql "SELECT group_concat(phase, ' ') FROM (SELECT DISTINCT element, phase, min(run_id) OVER (PARTITION BY element, phase) AS first
    FROM v_throughput ORDER BY first)")" "read write read write"
sqlite3 -bail "$db" < "$top/results/queries/device.sql" > "$scratch/means"
equal "layers: the means of each, from the ready query" "$(grep -cE '^(iops|transfer) .* (local|array) ' "$scratch/means")" 8
"$bin/strata" compare local array --db "$db" > "$scratch/compared" 2>&1
equal "layers: device A against device B" "$(($? == 0 || $? == 1 || $? == 3)) $(grep -c ' 9  ' "$scratch/compared")" "1 4"

# The provider's encryption is played by Strata's own, at the same place.
sed "s|/dev/vd[bc]|$first|; s|/dev/vd[de]|$second|; s|encryption=\"provider\"|encryption=\"aes-xts-256\"|" "$top/config/source_volumes.xml" > "$scratch/volumes.xml"
"$bin/strata-device" --config "$scratch/volumes.xml" --set time-scale=0.0002 --pairs 1 --db "$db" --quiet \
    --allow-overwrite "$first" --allow-overwrite "$second" > "$scratch/report" 2> "$scratch/err"
code=$?
equal "volumes: 4*4*2*2+3*2*2+2 runs, none failed" "$((code <= 1)) $(sql "SELECT count(*), count(*) FILTER (WHERE status IN ('failed', 'aborted')) FROM v_run
    WHERE campaign_id = (SELECT max(id) FROM campaign)")" "1 78|0"
equal "volumes: 75 s before 60 s, by 0.0002" "$(sql "SELECT DISTINCT parameters ->> '$.warm_up_ns', parameters ->> '$.duration_ns' FROM workload
    WHERE parameters ->> '$.time_scale' = 0.0002 AND parameters ->> '$.depth' = 1")" "15000000|12000000"
sqlite3 -bail "$db" < "$top/results/queries/loss_by_block_size.sql" > "$scratch/losses"
equal "volumes: the loss table, device x block size, IOPS and bandwidth of four operations" \
    "$(grep -cE '^100 GB, encrypted  .* (IOPS|bandwidth) ' "$scratch/losses") $(grep -cE '^10000 GB, encrypted  .* (IOPS|bandwidth) ' "$scratch/losses")" "10 10"
equal "nothing is left of the run's making" "$(blkid -p "$first" "$second")" ""
finish
