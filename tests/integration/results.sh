#!/bin/bash
# doc/results.md against the database: every query on the page and in results/queries runs with plain
# sqlite3 and answers, every table, view and column stands there; and the views' values against those
# that follow by hand from the table in tests/support/make_results.c.
. "$(dirname "$0")/../lib.sh"
[ -w /dev/shm ] && export TMPDIR=/dev/shm # two campaigns' syncs take long on a busy disk
begin results
page=$top/doc/results.md
db=$scratch/results.db
"$top/build/tests/support/make_results" "$db" 11111111-1111-4111-8111-111111111111 before 0.9
"$top/build/tests/support/make_results" "$db" 22222222-2222-4222-8222-222222222222 after
for uuid in 11111111-1111-4111-8111-111111111111 22222222-2222-4222-8222-222222222222; do
    check "analyse $uuid" "$bin/strata" analyse --db "$db" --campaign "$uuid"
done
sql() { sqlite3 -bail "$db" "$1" 2>&1; }
latest="campaign_id = (SELECT max(id) FROM campaign)"

# --- every query on the page runs and answers ---
awk -v folder="$scratch" '
    /^```sql$/ { number++; file = sprintf("%s/page-%03d.sql", folder, number); line = NR; next }
    /^```$/ { if (file) close(file); file = ""; next }
    file { print > file }' "$page"
cp "$db" "$scratch/unable.db"
sqlite3 "$scratch/unable.db" "DELETE FROM phase WHERE run_id IN (SELECT id FROM run WHERE status = 'invalid');
    UPDATE run SET reason = 'unsupported: made so' WHERE status = 'invalid'"
queries=0
for query in "$scratch"/page-*.sql; do
    queries=$((queries + 1))
    name=$(head -n 1 "$query" | cut -c 1-60)
    source=$db
    grep -q v_not_comparable "$query" && source=$scratch/unable.db
    if answer=$(sqlite3 -bail "$source" < "$query" 2>&1) && [ -n "$answer" ]; then
        pass "page query $queries: $name"
    else
        fail "page query $queries: $name" "${answer:-no row}"
    fi
done
check "the page has a query for each view and twelve questions" test $queries -ge $((12 + $(sql "SELECT count(*) FROM sqlite_schema WHERE type = 'view'")))

# --- the ready queries ---
cp "$db" "$scratch/other.db" # with elements that the made results lack
sqlite3 "$scratch/other.db" "UPDATE workload SET element = 'time-of-day', category = '08:00' WHERE category = 'text';
    UPDATE workload SET element = 'volumes' WHERE element = 'metadata'"
for query in "$top"/results/queries/*.sql; do
    name=$(basename "$query")
    case $name in time_of_day.sql | volumes.sql) from=$scratch/other.db ;; *) from=$db ;; esac
    answer=$(sqlite3 -bail "$from" < "$query" 2>&1)
    if [ $? -eq 0 ] && [ "$(printf '%s\n' "$answer" | wc -l)" -ge 3 ]; then pass "$name"; else fail "$name" "$answer"; fi
    check "$name stands on the page" grep -q "^| \`$name\` |" "$page"
done

# --- every table, view and column stands on the page ---
section() { # section HEADING: the lines below "### `HEADING`", up to the next heading
    awk -v heading="### \`$1\`" '$0 == heading { on = 1; next } /^##/ { on = 0 } on' "$page"
}
common=$(awk '/^## Views$/ { on = 1; next } /^###/ { on = 0 } on' "$page")
missing=
while IFS='|' read -r type object; do
    text=$(section "$object")
    [ -n "$text" ] || missing+=" $object"
    # What a view takes over whole is explained there.
    [ "$object" = v_throughput ] && text+=$(section v_run)
    [ "$type" = view ] && text+=$common
    rows=$(printf '%s\n' "$text" | sed -n 's/^| \(`[^|]*\) |.*/\1/p')
    for column in $(sql "SELECT name FROM pragma_table_info('$object')"); do
        [[ $rows == *"\`$column\`"* ]] || missing+=" $object.$column"
    done
done < <(sql "SELECT type, name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'")
equal "tables, views and columns that the page does not explain" "$missing" ""

# --- values that follow by hand ---
# Rates drift by 1 % a pair: the mean of five is 1.02 times the first. Ladder, read: 4000, 3200, 400
# and 360 per second: efficiencies 0.8, 0.125, 0.9.
equal "efficiencies of the plain ladder" "$(sql "SELECT group_concat(layer || ' ' || coalesce(round(efficiency, 6), '-'), ', ')
    FROM (SELECT * FROM v_layer WHERE $latest AND phase = 'read' AND NOT encrypted ORDER BY layer_no)")" \
    "device -, filesystem 0.8, service 0.125, user 0.9"
equal "shares add up to one" "$(sql "SELECT group_concat(total) FROM (SELECT round(sum(share), 9) AS total FROM v_layer
    WHERE $latest GROUP BY match_key, phase, chain)")" "1.0,1.0,1.0,1.0"
# ln 0.125 / ln (0.8 * 0.125 * 0.9)
equal "the bottleneck and its share" "$(sql "SELECT layer, layer_below, round(share, 6), round(end_to_end_efficiency, 6)
    FROM v_bottleneck WHERE $latest AND phase = 'read' AND NOT encrypted")" "service|filesystem|0.863575|0.09"
# Read, encrypted over plain: device 0.5, file system 0.6: the file system hides ln 0.6 - ln 0.5.
equal "what the file system hides" "$(sql "SELECT round(hidden_log_ratio, 6) FROM v_layer_penalty
    WHERE $latest AND phase = 'read' AND layer = 'filesystem'")" 0.182322
equal "median rate of the device's rung" "$(sql "SELECT round(median_ops_per_s, 3) FROM v_layer
    WHERE $latest AND phase = 'read' AND layer = 'device' AND NOT encrypted")" 4080.0
equal "five pairs, also beside a sixth that is not ok" "$(sql "SELECT count(*), min(pair_no), max(pair_no) FROM v_pair
    WHERE $latest AND workload = 'iops read 512 B depth 32'")" "5|1|5"
equal "the third pair has the table's ratio" "$(sql "SELECT round(exp(log_ratio), 6) FROM v_pair
    WHERE $latest AND workload = 'iops read 512 B depth 32' AND pair_no = 3")" 0.8
equal "the first pair is 2 % below it" "$(sql "SELECT round(log_ratio - ln(0.8), 6) FROM v_pair
    WHERE $latest AND workload = 'iops read 512 B depth 32' AND pair_no = 1")" -0.02
equal "loss from the comparison" "$(sql "SELECT round(loss_fraction, 6), verdict FROM v_penalty WHERE $latest
    AND metric = 'throughput' AND cell = 'pair' AND workload = 'iops read 512 B depth 32'")" "0.2|fail"
# 1.6 times as fast with the same queue is 1 / 1.6 of the latency: 37.5 % less.
equal "one back end against another" "$(sql "SELECT group_concat(metric || ' ' || round(change_fraction, 3) || ' ' || verdict, ', ')
    FROM (SELECT * FROM v_versus WHERE $latest AND metric IN ('throughput', 'latency_p50') ORDER BY metric DESC)")" \
    "throughput 0.6 faster, latency_p50 -0.375 faster"
equal "which is in no penalty of encryption" "$(sql "SELECT count(*) FROM v_penalty WHERE encrypted_backend = 'disks'")" 0
equal "what each device of the set gave of it" "$(sql "SELECT group_concat(member || ' ' || round(ops_per_s / 16000, 3), ', ')
    FROM (SELECT * FROM v_member WHERE $latest ORDER BY pair_no, member_no LIMIT 2)")" "/dev/loop0 0.735, /dev/loop1 0.245"
equal "mean rates beside it" "$(sql "SELECT round(plain_mean_ops_per_s) FROM v_penalty WHERE $latest
    AND metric = 'throughput' AND cell = 'pair' AND workload = 'iops read 512 B depth 32'")" 102000.0
# 20 a second, 1 % more each run: the mean of the first n is 20 (1 + 0.01 (n - 1) / 2).
equal "means of the first 5, 10 and 25 runs" "$(sql "SELECT group_concat(runs || ' ' || round(mean_ops_per_s, 3), ', ')
    FROM (SELECT * FROM v_segment_mean WHERE $latest AND category = 'text' AND phase = 'upload' AND NOT encrypted ORDER BY runs)")" \
    "5 20.4, 10 20.9, 25 22.4"
# 240 and 360 ms for 12000 operations.
equal "CPU per operation, plain and encrypted" "$(sql "SELECT plain_cpu_ns_per_operation, encrypted_cpu_ns_per_operation
    FROM v_pair_cost WHERE $latest AND workload = 'iops read 512 B depth 32' AND pair_no = 1")" "20000.0|30000.0"
# ... and for 12000 operations of 512 B.
equal "CPU per byte, plain and encrypted" "$(sql "SELECT plain_cpu_ns_per_byte, encrypted_cpu_ns_per_byte,
    round(exp(cpu_byte_log_ratio), 9) FROM v_pair_cost WHERE $latest AND workload = 'iops read 512 B depth 32' AND pair_no = 1")" \
    "39.0625|58.59375|1.5"
# 10000 operations of 256 KiB a second; a tenth of 240 ms of processor time for 2000 of them.
equal "the cipher's rate and cost" "$(sql "SELECT cipher, direction, key_bits, cipher_key_bits, sector_bytes, threads,
    round(bytes_per_s), round(cpu_ns_per_byte, 6), kernel_driver FROM v_cipher
    WHERE $latest AND sector_bytes = 512 AND direction = 'encrypt'")" \
    "aes-xts-512|encrypt|512|256|512|1|2621440000.0|0.045776|xts-aes-aesni"
equal "iterations per second" "$(sql "SELECT \"function\", derivations_per_s, iterations_per_s, cpu_ns_per_derivation
    FROM v_key_derivation WHERE $latest")" "pbkdf2-sha256|400.0|4000000.0|120000.0"
# Decrypted 12000 times a second; read 2000 (1 + 0.01 (n - 1)) e^(0.01 (n - 3)) times in pair n. Of two
# baselines that of the device's sector size is taken, with fewer threads.
equal "the cipher could do 5.88 times as much" "$(sql "SELECT cipher, direction, cipher_threads, round(headroom, 3),
    round(plain_bytes_per_s / encrypted_bytes_per_s, 3) FROM v_cipher_headroom
    WHERE $latest AND workload = 'transfer read 256 KiB depth 8'")" \
    "aes-xts-512|decrypt|1|$(awk 'BEGIN { for (n = 1; n <= 5; n++) { plain += 4000 * (1 + 0.01 * (n - 1))
        read += 2000 * (1 + 0.01 * (n - 1)) * exp(0.01 * (n - 3)) }
        printf "%.3f|%.3f", 12000 / (read / 5), plain / read }')"
equal "each device's workload that only reads or writes has a row" "$(sql "SELECT group_concat(DISTINCT encrypted_backend),
    count(*) FROM v_cipher_headroom WHERE $latest")" "disk-aes|6"
equal "amplification" "$(sql "SELECT round(read_amplification, 6), write_amplification FROM v_disk
    JOIN v_run USING (run_id) WHERE $latest AND workload = 'iops read 512 B depth 32' AND slot = 1 AND cell = 'pair'")" "1.1|0.0"
equal "seconds add up to the totals everywhere" "$(sql "SELECT count(*) FROM operation_result r WHERE r.ok <>
    (SELECT coalesce(sum(ok), 0) FROM sample s WHERE s.operation_result_id = r.id AND NOT warmup)")" 0
# Half a second of warm-up with 10 operations.
equal "the warm-up's rate" "$(sql "SELECT DISTINCT length_s, ok, ops_per_s FROM v_series WHERE warmup AND second = 0")" "0.5|10|20.0"
equal "no percentile lies above the maximum" "$(sql "SELECT count(*) FROM v_latency
    WHERE p50_ns > max_ns OR p90_ns > max_ns OR p99_ns > max_ns OR p99_9_ns > max_ns")" 0
equal "a run of failures has no rate" "$(sql "SELECT count(*), count(ops_per_s), count(bytes_per_s), count(total_ops_per_s)
    FROM v_throughput WHERE $latest AND status = 'failed'")" "1|0|0|0"
equal "the database is sound" "$(sql "PRAGMA integrity_check; PRAGMA foreign_key_check")" ok
# Whoever opens it with an untrusted schema (as a cautious analyst does) reads every view.
unreadable=
for view in $(sql "SELECT name FROM sqlite_schema WHERE type = 'view'"); do
    sqlite3 -bail "$db" "PRAGMA trusted_schema = OFF; SELECT * FROM $view" > /dev/null 2>&1 || unreadable+=" $view"
done
equal "views that need a trusted schema" "$unreadable" ""
finish
