#!/bin/bash
# What the analysis makes of databases of known content (tests/support/make_results.c): the losses, the
# bounds, the A/A verdict, the ladder. Python recomputes every comparison from the pairs.
. "$(dirname "$0")/../lib.sh"
begin analysis
make_results=$top/build/tests/support/make_results
[ -z "${STRATA_BIN:-}" ] || make_results=${STRATA_BIN%/bin}/tests/support/make_results
db=$scratch/known.db
one=11111111-1111-4111-8111-111111111111
ask() { sqlite3 "$db" "$1"; }
loss() { # loss WORKLOAD PHASE ENCRYPTED
    ask "SELECT printf('%.4f %.4f %.4f %d %s', loss_fraction, loss_optimistic_fraction,
             loss_pessimistic_fraction, pairs, verdict)
         FROM v_penalty WHERE workload LIKE '$1%' AND phase = '$2' AND encrypted_backend = '$3'
          AND metric = 'throughput' AND cell = 'pair' AND campaign_uuid = '$one'"
}

check "a database of known content is made" "$make_results" "$db" $one known
check "it is analysed" "$bin/strata" analyse --db "$db"

# The ratio is 0.85 with log ratios spread by -0.02, -0.01, 0, 0.01, 0.02: the bounds of five pairs are
# the ends, 1 - 0.85 e^0.02 = 0.1328 and 1 - 0.85 e^-0.02 = 0.1668.
equal "a loss of 15 % is found, with its bounds" "$(loss metadata create ext4-fscrypt)" "0.1500 0.1328 0.1668 5 fail"
equal "a loss of 1 % passes" "$(loss metadata stat ext4-fscrypt)" "0.0100 -0.0100 0.0296 5 pass"
equal "a loss on the margin decides nothing" "$(loss metadata unlink ext4-fscrypt)" "0.1000 0.0818 0.1178 5 inconclusive"
equal "two twins of one back end are kept apart" \
    "$(loss 'transfer 4 KiB' upload swift-server; loss 'transfer 4 KiB' upload swift-client)" \
    "0.0500 0.0308 0.0688 5 pass
0.0700 0.0512 0.0884 5 pass"

cat > "$scratch/recompute.py" <<'PYTHON'
# Each comparison again, by listing and sorting all Walsh averages.
import itertools, math, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
def rank(n):
    ways = [1]
    for r in range(1, n + 1):
        ways = [(ways[t] if t < len(ways) else 0) + (ways[t - r] if t >= r else 0) for t in range(len(ways) + r)]
    k, total = -1, 0
    while (total + ways[k + 1]) * 20 <= 2 ** n:
        k += 1
        total += ways[k]
    return k
columns = {"throughput": ("v_pair", "log_ratio"), "latency_p99": ("v_pair_cost", "p99_log_ratio"),
           "latency_p50": ("v_pair_cost", "ln(encrypted_p50_ns) - ln(plain_p50_ns)"),
           "cpu_ns_per_operation": ("v_pair_cost", "cpu_log_ratio"),
           "cpu_ns_per_byte": ("v_pair_cost", "cpu_byte_log_ratio")}
rows = db.execute("SELECT metric, campaign_id, workload_id, phase, operation, plain_backend_id, encrypted_backend_id,"
                  " cell, pairs, estimate, lower_bound, upper_bound FROM comparison").fetchall()
for metric, *key, pairs, estimate, lower, upper in rows:
    view, column = columns[metric]
    d = [x for x, in db.execute(f"SELECT {column} FROM {view} WHERE campaign_id = ? AND workload_id = ? AND phase = ?"
         " AND operation = ? AND plain_backend_id = ? AND encrypted_backend_id = ? AND cell = ?", key) if x is not None]
    assert len(d) == pairs, (metric, key, pairs, len(d))
    walsh = sorted((d[i] + d[j]) / 2 for i in range(pairs) for j in range(i, pairs))
    median = (walsh[(len(walsh) - 1) // 2] + walsh[len(walsh) // 2]) / 2
    assert math.isclose(estimate, median, abs_tol=1e-12), (metric, key)
    if pairs < 5:
        assert lower is None and upper is None
    else:
        k = rank(pairs)
        assert math.isclose(lower, walsh[k], abs_tol=1e-12), (metric, key)
        assert math.isclose(upper, walsh[-1 - k], abs_tol=1e-12), (metric, key)
print(len(rows))
PYTHON
check "every comparison equals an independent program's" /usr/bin/python3 "$scratch/recompute.py" "$db"
rows=$(ask "SELECT count(*) FROM comparison")
equal "there is one for each cell and metric" "$((rows > 80))" 1
"$bin/strata" analyse --db "$db"
equal "analysing again changes nothing" "$(ask 'SELECT count(*) FROM comparison')" "$rows"

equal "CPU of the whole machine: half as much again" \
    "$(ask "SELECT DISTINCT printf('%.4f', exp(log_ratio_estimate)), margin_fraction IS NULL FROM v_penalty
            WHERE metric IN ('cpu_ns_per_operation', 'cpu_ns_per_byte') AND cell = 'pair'")" "1.5000|1"
equal "per byte where there are bytes, and only there" \
    "$(ask "SELECT count(*), sum(object_bytes > 0) FROM v_penalty WHERE metric = 'cpu_ns_per_byte'")" \
    "$(ask "SELECT count(*), count(*) FROM v_penalty WHERE metric = 'cpu_ns_per_operation' AND object_bytes > 0")"
equal "the report says it beside the loss" \
    "$("$bin/strata" report --db "$db" | tr -s ' \n' ' ' | grep -oE 'estimated losses 2\.0 % to 50\.0 %, at 1\.5 times the CPU per byte' | head -n 1)" \
    "estimated losses 2.0 % to 50.0 %, at 1.5 times the CPU per byte"
# Twice as long, exactly as the rate of that cell halves, within the histogram's bins of 0.8 %.
equal "latency doubles where the rate halves, and fails its margin" \
    "$(ask "SELECT exp(log_ratio_estimate) BETWEEN 1.98 AND 2.02, loss_fraction IS NULL, verdict FROM v_penalty
            WHERE metric = 'latency_p50' AND workload LIKE 'transfer read%' AND cell = 'pair'")" "1|1|fail"

equal "plain against plain shows no difference" \
    "$(ask "SELECT control_verdict FROM campaign WHERE uuid = '$one'")" pass
two=22222222-2222-4222-8222-222222222222
"$make_results" "$db" $two slower 0.85
"$bin/strata" analyse --db "$db" --campaign $two
equal "a difference of 15 % between plain and plain is shown" \
    "$(ask "SELECT control_verdict FROM campaign WHERE uuid = '$two'")" fail
equal "and the report calls the campaign invalid" \
    "$("$bin/strata" report --db "$db" --campaign $two | grep -c 'CAMPAIGN IS INVALID')" 1
equal "the other campaign is untouched" "$(ask "SELECT count(*) FROM comparison JOIN campaign ON
    campaign.id = campaign_id WHERE uuid = '$one'")" "$rows"

# The ladder's truth: 4000 3200 400 360 reads and 2000 1600 200 160 writes per second, from below.
report=$("$bin/strata" report --db "$db" --campaign $one)
equal "the service layer is the bottleneck of all four ladders" \
    "$(grep -c 'Bottleneck: the service layer (' <<< "$report")" 4
equal "and the last lines say so in short" "$(grep -A 1 '^In short' <<< "$report" | tail -n 1)" \
    "  Bottleneck: the service layer on 4 of 4 ladders."
equal "with its efficiency against the layer below" \
    "$(grep -c '102 MiB/s, 12 % of the 816 MiB/s of the file-system layer below' <<< "$report")" 1
equal "encryption's cost shows at the device for reads" \
    "$(grep -c 'costs most at the device layer: 50.0 % of the mean rate; the service layer hides' <<< "$report")" 1
equal "each finding says what would refute it" "$(grep -c 'Refuted if' <<< "$report")" 4

# What stands on what. A chain's rungs from below, each with its efficiency, ? where it is assumed to stand
# there and ! where its rate contradicts that.
chain() { # chain DATABASE CHAIN
    sqlite3 "$1" "SELECT group_concat(backend || iif(efficiency IS NULL, '', printf(' %.4f', efficiency)) || iif(assumed, '?', '') ||
            iif(contradicted, '!', ''), ', ')
        FROM (SELECT * FROM v_layer WHERE chain = '$2' AND phase = 'read' AND campaign_uuid = '$one' ORDER BY layer_no)"
}
costs() { # costs DATABASE: of encryption, of the layers of the ladder's reads
    sqlite3 "$1" "SELECT group_concat(layer || ' ' || iif(loss_fraction IS NULL, '-', printf('%.2f', loss_fraction)) || ' ' ||
            iif(hidden_log_ratio IS NULL, '-', printf('%.2f', hidden_log_ratio)), ', ')
        FROM (SELECT * FROM v_layer_penalty WHERE phase = 'read' AND campaign_uuid = '$one' ORDER BY layer_no)"
}
bottleneck() { # bottleneck DATABASE
    sqlite3 "$1" "SELECT layer, layer_below, assumed, printf('%.4f %.4f', efficiency, end_to_end_efficiency)
        FROM v_bottleneck WHERE chain = 'swift-server' AND phase = 'read' AND campaign_uuid = '$one'"
}
report() { "$bin/strata" report --db "$1" --campaign $one | grep -A 3 'Ladder: read, .*encrypted (swift-server)$'; }

# The encrypted reads: 2000 1920 380 342 per second.
equal "nothing declared: the first of the same encryption, and it says that this is assumed" \
    "$(chain "$db" swift-server)" "disk-aes, ext4-fscrypt 0.9600?, swift-server 0.1979?, swift-server 0.9000"
equal "and so does the report" \
    "$(report "$db" | grep -c 'assumed, since no stands-on says otherwise: ext4-fscrypt on disk-aes, swift-server on ext4-fscrypt')" 1

# A file system under fscrypt that is 20 times slower, 96 per second, cannot carry a service of 380.
cp "$db" "$scratch/slow.db"
sqlite3 "$scratch/slow.db" "UPDATE phase SET window_ns = window_ns * 20 WHERE name = 'read' AND run_id IN
    (SELECT run_id FROM v_run WHERE backend = 'ext4-fscrypt' AND match_key IS NOT NULL)"
equal "what is faster than the layer below contradicts it" "$(chain "$scratch/slow.db" swift-server)" \
    "disk-aes, ext4-fscrypt 0.0480?, swift-server 3.9583?!, swift-server 0.9000"
equal "nothing below the contradiction is the bottleneck" "$(bottleneck "$scratch/slow.db")" "user|service|0|0.9000 0.9000"
finding=$(report "$scratch/slow.db")
equal "the report says so, and what to do" "$(grep -o 'the service layer (swift-server).*declare.*lies on' <<< "$finding")" \
    "$(echo 'the service layer (swift-server) contradicts what is below it: 96.9 MiB/s is 396 % of the' \
        '24.5 MiB/s of the file-system layer (ext4-fscrypt), so the assumption that it stands on it is wrong:' \
        'declare with stands-on what swift-server lies on')"
equal "the file system is not blamed" "$(grep -c 'the file-system layer ([^)]*) holds it back\|at the file-system layer' <<< "$finding")" 0
"$bin/strata" report --db "$scratch/slow.db" --campaign $one --markdown > "$scratch/slow.md"
"$bin/strata" report --db "$scratch/slow.db" --campaign $one --html "$scratch/slow.html"
equal "Markdown and the page mark it, too" "$(for file in "$scratch"/slow.{md,html}; do
    grep -c 'contradiction.*assumed' "$file"; done | tr '\n' ' ')" "1 1 "

# Swift's objects lie on the plain ext4.
sqlite3 "$scratch/slow.db" "UPDATE backend SET stands_on = 'disk' WHERE layer = 'filesystem';
    UPDATE backend SET stands_on = 'ext4' WHERE layer = 'service'"
equal "declared: the encrypted service stands on the plain file system" "$(chain "$scratch/slow.db" swift-server)" \
    "disk, ext4 0.8000, swift-server 0.1188, swift-server 0.9000"
equal "and the plain one as well" "$(chain "$scratch/slow.db" swift)" "disk, ext4 0.8000, swift 0.1250, swift 0.9000"
equal "the service is the bottleneck" "$(bottleneck "$scratch/slow.db")" "service|filesystem|0|0.1188 0.0855"
equal "shares add up to one" "$(sqlite3 "$scratch/slow.db" "SELECT DISTINCT round(total, 9) FROM
    (SELECT sum(share) AS total FROM v_layer GROUP BY campaign_id, match_key, phase, chain)")" 1.0
equal "encryption's cost is compared where the back ends differ" "$(costs "$scratch/slow.db")" \
    "device - -, filesystem - -, service 0.05 -, user 0.05 -0.00"
finding=$(report "$scratch/slow.db")
equal "the report blames the service" \
    "$(grep -o 'the service layer (swift-server) holds it back: .* below' <<< "$finding") $(grep -c assumed <<< "$finding")" \
    "the service layer (swift-server) holds it back: 96.9 MiB/s, 12 % of the 816 MiB/s of the file-system layer below 0"
equal "and finds encryption's cost where it was compared, alike in both layers" "$(grep -c 'costs most at the \(service\|user\) layer: 5.0 %' <<< "$finding")" 1

# Declared to stand on what the ladder did not measure: what that stands on, or nothing.
sqlite3 "$scratch/slow.db" "INSERT INTO backend (campaign_id, name, layer, encrypted, stands_on)
        SELECT id, 'xfs', 'filesystem', 0, 'disk' FROM campaign;
    UPDATE backend SET stands_on = 'xfs' WHERE name = 'swift-server';
    UPDATE backend SET stands_on = 'nowhere' WHERE name = 'swift'"
equal "a layer that was not measured is passed over" "$(chain "$scratch/slow.db" swift-server)" \
    "disk, swift-server 0.0950, swift-server 0.9000"
equal "the chain ends where nothing is known" "$(chain "$scratch/slow.db" swift)" "swift, swift 0.9000"
equal "each layer is compared with that of the plain twin" "$(costs "$scratch/slow.db")" "service 0.05 -, user 0.05 -0.00"

# R8: fewer than five pairs, one, none.
for pairs in 4 1 0; do
    cp "$db" "$scratch/few.db"
    sqlite3 "$scratch/few.db" "UPDATE run SET status = 'invalid', reason = 'made so' WHERE pair_no > $pairs"
    check "$pairs pairs: analysed" "$bin/strata" analyse --db "$scratch/few.db" --campaign $one
    equal "$pairs pairs: nothing but inconclusive, no bounds" \
        "$(sqlite3 "$scratch/few.db" "SELECT group_concat(DISTINCT verdict || ' ' || (lower_bound IS NULL)) FROM comparison
            JOIN campaign ON campaign.id = campaign_id WHERE uuid = '$one'")" \
        "$([ $pairs = 0 ] || echo 'inconclusive 1')"
    check "$pairs pairs: reported" "$bin/strata" report --db "$scratch/few.db" --campaign $one
    check "$pairs pairs: page drawn" "$bin/strata" report --db "$scratch/few.db" --campaign $one --html "$scratch/few.html"
done

output=$("$bin/strata" analyse --db "$db" --campaign 33333333 2>&1)
equal "an unknown campaign: exit 2 and one line" "$? $output" "2 strata: no campaign 33333333: expected a uuid or its begin"
finish
