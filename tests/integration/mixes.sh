#!/bin/bash
# Runs of several kinds of operation, and of rounds: each rate counts once, under a name that says which
# it is, in the views, the ready queries and the report.
. "$(dirname "$0")/../lib.sh"
begin mixes
value() { sqlite3 "$db" "$1"; }
query() { sqlite3 -bail "$db" < "$top/results/queries/$1.sql"; }
head -c 16M /dev/urandom > "$scratch/disk"
head -c 16M /dev/urandom > "$scratch/other"
cat > "$scratch/mixes.xml" << END
<strata version="1">
  <campaign name="mixes" pairs="1" control="no"/>
  <backends>
    <device name="disk" path="$scratch/disk"/>
    <device name="secret" path="$scratch/disk" twin-of="disk" encryption="aes-xts-256"/>
  </backends>
  <device-layer>
    <workload operations="randread randrw" engine="sync" depth="1" block-size="4KiB" duration="200ms" warm-up="20ms"/>
    <workload operations="randrw" read-share="30%" engine="sync" depth="1" block-size="4KiB" duration="200ms" warm-up="20ms"/>
    <steady-state operations="randrw" engine="sync" depth="1" round="100ms" rounds="5" precondition="1"/>
    <cipher ciphers="aes-xts-512" duration="100ms" warm-up="20ms"/>
  </device-layer>
</strata>
END
# On a busy machine a run may be invalid, for time that was taken from it: then once more.
for try in 1 2 3 4; do
    db=$scratch/results$try.db
    "$bin/strata-device" --quiet --config "$scratch/mixes.xml" --db "$db" --allow-overwrite "$scratch/disk" \
        > "$scratch/text" 2> "$scratch/err"
    code=$?
    [ "$(value "SELECT count(*) FROM v_invalid")" != 0 ] || break
done
equal "a campaign of mixes and rounds: exit code" "$code|$(cat "$scratch/err")" "0|"

# ---- rounds and their precondition are no rates of a workload -------------------------------------------
# Whether five rounds were steady is for the machine to say; here they were.
value "UPDATE steady_state SET reached = 1"
equal "the writing before the rounds is not what a mix writes: no row beside the cipher" \
    "$(value "SELECT group_concat(DISTINCT phase) FROM v_cipher_headroom")" randread
equal "a run of rounds is one run of the device" \
    "$(query device | awk '/^steady-state/ { print $2, $3, $4, $5, $9 }' | sort -u)" "steady state read 4096 1
steady state write 4096 1"
equal "its rate is the mean of the five rounds" \
    "$(query device | awk '/^steady-state .* read .* secret / { print $10 }')" \
    "$(value "SELECT round(avg(ops_per_s)) FROM v_throughput WHERE phase LIKE 'round%' AND operation = 'read' AND backend = 'secret'")"
equal "memory is no device" "$(query device | grep -c memory)" 0
equal "nor are rounds points of capacity" "$(query capacity | grep -cE 'round|precondition')" 0
value "UPDATE steady_state SET reached = 0"
equal "not steady: no run, no rate" "$(query device | grep -c steady-state)" 0

# ---- a mix: reads and writes told apart -----------------------------------------------------------------
equal "random reads and those of a mix are two rows" \
    "$(query device | awk '/^workload .* secret / { print $2, $3 ~ /^[a-z]/ ? $3 : "" }' | sort -u)" "randread 
randrw read
randrw write"
equal "their losses" "$(query losses | grep -c 'randrw *\(read\|write\) *disk *secret *throughput')" 4
equal "two shares of reads are two rows of losses" "$(query loss_by_block_size | grep -oE 'randrw .* (read|write) ' | sort -u)" "randrw 30/70 read 
randrw 30/70 write 
randrw 70/30 read 
randrw 70/30 write "
equal "and of capacity, each with the run of its own" \
    "$(query capacity | awk '/randrw .* read .* secret / { for (i = 1; i < NF; i++) if ($i == "secret") print $(i + 2) }' | tr '\n' ' ')" "1 1 "
invalid="run_id IN (SELECT run_id FROM v_run WHERE workload LIKE 'randread%' AND backend = 'disk')"
value "UPDATE phase SET reason = 'by the test' WHERE $invalid"
equal "an invalid phase has no part in the cost" \
    "$(sed '/^HAVING/d' "$top/results/queries/cpu_cost.sql" | sqlite3 -bail "$db" | awk '/randread/ { print / disk +secret /, / secret +disk / }' | sort -u)" "0 1"
value "UPDATE phase SET reason = '' WHERE $invalid"
for operation in read write; do
    rate=$(value "SELECT ops_per_s FROM v_rate WHERE phase = 'randrw' AND operation = '$operation' AND backend = 'disk' AND workload NOT LIKE '%30/70%'")
    shown=$(grep -m1 -oE "randrw $operation +[0-9.]+" "$scratch/text" | awk '{ print $3 }')
    equal "the report says which row is the ${operation}s" \
        "$(awk -v rate="$rate" -v shown="$shown" 'BEGIN { r = rate; while (r >= 1000) r /= 1000; d = shown - r; print (d < 0 ? -d : d) <= 0.01 * r + 0.001 }')" 1
done
check "a phase of one kind keeps its name" grep -qE "^ +randread  +[0-9.]" "$scratch/text"
"$bin/strata" report --db "$db" --markdown > "$scratch/page.md" 2>&1
"$bin/strata" report --db "$db" --html "$scratch/page.html" 2>&1
check "Markdown says it, too" grep -q "| randrw write " "$scratch/page.md"
check "HTML says it, too" grep -q "randrw write" "$scratch/page.html"
check "processor time of the machine and of threads in memory are told apart" \
    grep -q "CPU of what ran in memory is that of Strata's own threads" "$scratch/text"

# ---- a back end with two partners: its cost beside the one is not that beside the other -------------------
sed -e 's|</backends>|<device name="other" path="'"$scratch"'/other" versus="disk"/>&|' -e '/steady-state\|<cipher\|randrw/d' \
    -e 's|pairs="1"|pairs="2"|; s|<device-layer>|&<workload operations="randread" engine="sync" depth="1" block-size="4KiB" duration="400ms" warm-up="20ms"/>|' \
    "$scratch/mixes.xml" > "$scratch/partners.xml"
for try in 1 2 3 4; do
    db=$scratch/partners$try.db
    "$bin/strata-device" --quiet --config "$scratch/partners.xml" --db "$db" > "$scratch/text" 2> "$scratch/err"
    code=$?
    [ "$(value "SELECT count(*) FROM v_invalid")" != 0 ] || break
done
equal "a back end with a twin and a rival: exit code" "$code|$(cat "$scratch/err")" "0|"
value "UPDATE counter SET value = value + 60000000000 WHERE metric = 'cpu_user_ns'
    AND run_id IN (SELECT run_id FROM v_run WHERE cell = 'versus')
    AND look = (SELECT max(look) FROM counter AS c WHERE c.run_id = counter.run_id)"
want=$(value "SELECT round(1.0 * sum(cpu_ns) / sum(ok)) FROM v_resource JOIN v_run USING (run_id) WHERE cell = 'pair' AND backend = 'disk'")
equal "the cost is that of the runs beside the twin" \
    "$("$bin/strata" export --db "$db" --format openmetrics | awk -v want="$want" '/^strata_cpu_seconds_per_operation{.*encrypted="false"/ {
        print ($NF * 1e9 > want * 0.99 && $NF * 1e9 < want * 1.01) }')" 1

# ---- what else a layer without a table may have had ------------------------------------------------------
"$bin/strata-device" --quiet --plain "$scratch/disk" --versus "$scratch/other" --op randread --engine sync --depth 1 \
    --block-size 4KiB --duration 50ms --warm-up 0 --pairs 1 --set control=no --db "$db" > "$scratch/text" 2> "$scratch/err"
equal "one against another alone: exit code" $? 0
check "runs of one back end against another are runs" \
    grep -qx "Device layer: no run but those of one back end against another" "$scratch/text"
"$bin/strata-device" --quiet --plain "$scratch/disk" --block-size 513 --duration 50ms --pairs 1 --db "$db" \
    > "$scratch/text" 2> "$scratch/err"
equal "what cannot be done: exit code" $? 1
check "runs without a rate are no valid ones" grep -qx "Device layer: no valid run" "$scratch/text"
equal "nobody's processor time is explained" "$(grep -c CPU "$scratch/text")" 0
finish
