#!/bin/bash
# strata import: fio's results and published rates as runs, held against fio's own JSON as sqlite3 reads
# it, and against numbers by hand; and what is refused, in one line, with nothing stored.
. "$(dirname "$0")/../lib.sh"
[ -w /dev/shm ] && export TMPDIR=/dev/shm # a file opened direct, and small syncs
begin import
strata=$bin/strata
db=$scratch/results.db
head -c 8M /dev/urandom > "$scratch/disk"
cd "$scratch" || exit 1
sql() { sqlite3 -bail "${2:-$db}" "$1" 2>&1; }
run_fio() { # run_fio FILE ARGUMENT…: at the disk, for 300 ms if nothing else is said
    local file=$1
    shift
    fio --filename=disk --size=8M --direct=1 --runtime=300ms --time_based --output-format=json+ "$@" > "$file" 2> fio.err
}
json() { sqlite3 :memory: "SELECT readfile('$1') ->> '$2'"; }
import() { "$strata" import "$@" --db "$db" > out 2> err; }
latest="campaign_id = (SELECT max(id) FROM campaign)"

# --- the numbers are fio's own -----------------------------------------------------------------------
run_fio plus.json --name=r --rw=randread --bs=4k --iodepth=4 --ioengine=libaio --stonewall \
    --name=m --rw=randrw --rwmixread=70 --bs=64k --ioengine=psync --stonewall
import fio plus.json
equal "two jobs are two runs" "$? $(sed 's/campaign .*/campaign/' out) $(sql "SELECT DISTINCT campaign FROM v_run")" "0 2 runs imported into campaign plus"
equal "a notice with their source" "$(sql "SELECT DISTINCT source FROM v_run")" "$(json plus.json '$."fio version"') plus.json; latency is fio's clat"
check_direction() { # check_direction FILE JOB DIRECTION
    local path="\$.jobs[$2].$3" where="$latest AND operation = '$3' AND workload LIKE '$4%'"
    equal "$1 job $2 $3: operations and bytes" "$(sql "SELECT ok, failed, bytes FROM v_throughput WHERE $where")" \
        "$(json "$1" "$path.total_ios")|0|$(json "$1" "$path.io_bytes")"
    equal "$1 job $2 $3: rate within fio's own rounding" "$(sql "SELECT abs(ops_per_s / $(json "$1" "$path.iops") - 1) < 0.005 FROM v_throughput WHERE $where")" 1
    equal "$1 job $2 $3: least, greatest and mean latency" \
        "$(sql "SELECT count, min_ns, max_ns, abs(mean_ns - $(json "$1" "$path.clat_ns.mean")) < 0.01 FROM v_latency WHERE $where")" \
        "$(json "$1" "$path.clat_ns.N")|$(json "$1" "$path.clat_ns.min")|$(json "$1" "$path.clat_ns.max")|1"
    # Each of fio's bins lies in one of ours, which holds as many; so do its percentiles.
    equal "$1 job $2 $3: bins, one for one" "$(sql "SELECT count(*), sum(own.count), sum(own.count IS NOT bin.value)
        FROM json_each(readfile('$1'), '$path.clat_ns.bins') AS bin LEFT JOIN (SELECT b.* FROM histogram_bin b JOIN histogram h ON h.id = histogram_id
        JOIN v_throughput USING (operation_result_id) WHERE $where) AS own ON CAST(bin.key AS INTEGER) BETWEEN own.lower_ns AND own.upper_ns WHERE bin.value > 0")" \
        "$(sql "SELECT count(*) FROM histogram_bin b JOIN histogram h ON h.id = histogram_id JOIN v_throughput USING (operation_result_id) WHERE $where")|$(json "$1" "$path.clat_ns.N")|0"
    equal "$1 job $2 $3: the median's bin holds fio's median" "$(sql "SELECT max($(json "$1" "$path.clat_ns.percentile.\"50.000000\"") BETWEEN b.lower_ns AND b.upper_ns AND b.upper_ns >= p50_ns)
        FROM v_latency l JOIN histogram h USING (operation_result_id) JOIN histogram_bin b ON b.histogram_id = h.id WHERE $where")" 1
}
check_direction plus.json 0 read randread
check_direction plus.json 1 read randrw
check_direction plus.json 1 write randrw
equal "workloads in our terms" "$(sql "SELECT workload, v_run.block_bytes, v_run.concurrency, parameters FROM v_run JOIN workload ON workload.id = workload_id ORDER BY run_id")" \
    'randread 4 KiB depth 4|4096|4|{"engine":"aio","order":"random","jobs":1,"depth":4,"warm_up_ns":0,"duration_ns":300000000}
randrw 64 KiB depth 1 sync|65536|1|{"engine":"sync","order":"random","jobs":1,"depth":1,"read_percent":70,"warm_up_ns":0,"duration_ns":300000000}'

# fio's bins are 64 to a power of two, named by their middle; exact below 128 ns. 6496 = 101.5 * 64.
sqlite3 :memory: "SELECT json_set(readfile('plus.json'), '$.jobs', json_array(json_set(readfile('plus.json') -> '$.jobs[0]', '$.read.clat_ns.bins',
    json('{\"127\":1,\"129\":2,\"6496\":3}'), '$.read.clat_ns.N', 6, '$.read.clat_ns.min', 127, '$.read.clat_ns.max', 6500, '$.read.clat_ns.mean', 3000.5)))" > bins.json
import fio bins.json
equal "edges of fio's bins by hand" "$(sql "SELECT group_concat(lower_ns || '-' || upper_ns || ' ' || b.count, ', ') FROM histogram_bin b JOIN histogram h ON h.id = histogram_id
    JOIN v_throughput USING (operation_result_id) WHERE $latest")" "127-127 1, 128-129 2, 6464-6527 3"

run_fio plain.json --name=r --rw=read --bs=4k --ioengine=psync --output-format=json
import fio plain.json
equal "plain JSON: mean and extremes, no percentile made up" \
    "$(sql "SELECT count = $(json plain.json '$.jobs[0].read.lat_ns.N'), min_ns, max_ns, p50_ns IS NULL FROM v_latency WHERE $latest")" \
    "1|$(json plain.json '$.jobs[0].read.lat_ns.min')|$(json plain.json '$.jobs[0].read.lat_ns.max')|1"
equal "… nor in the merged latencies" "$(sql "SELECT p50_ns IS NULL, mean_ns > 0 FROM v_latency_merged WHERE $latest")" "1|1"

run_fio jobs.json --name=j --rw=read --bs=4k --iodepth=2 --ioengine=libaio --numjobs=2
import fio jobs.json
equal "processes that ran together are one run of two jobs" \
    "$(sql "SELECT count(*), max(concurrency), max(ok) FROM v_throughput WHERE $latest")" "1|4|$(($(json jobs.json '$.jobs[0].read.total_ios') + $(json jobs.json '$.jobs[1].read.total_ios')))"
run_fio deep.json --name=j --rw=read --bs=4k --iodepth=32 --ioengine=psync --nrfiles=1
import fio deep.json
equal "depth 32 with a synchronous engine is depth 1, and said (D10)" "$(sql "SELECT concurrency FROM v_run WHERE $latest") $(grep -c 'stored as depth 1' err)" "1 1"
equal "what else fio was told makes another workload" "$(sql "SELECT parameters ->> '$.fio' FROM workload JOIN v_run ON workload_id = workload.id WHERE $latest")" '{"nrfiles":"1"}'
fio --name=e --filename=/dev/full --size=1M --rw=rw --bs=64k --ioengine=psync --continue_on_error=all --output-format=json > full.out 2>&1
import fio full.out
equal "failed operations: in no rate, by cause, the run invalid (D8)" \
    "$? $(sql "SELECT sum(failed), max(status), max(reason) LIKE '% operations failed: ENOSPC: No space left on device' FROM v_throughput WHERE $latest") $(sql "SELECT sum(count), max(code) FROM error")" "0 1|invalid|1 1|28"
equal "what fio prints before its JSON is passed over, and said" "$(grep -c 'passed over what stands before the JSON: fio: io_u error' err)" 1
run_fio sizes.json --name=a --rw=randread --bssplit=4k/50:8k/50 --ioengine=psync --stonewall --name=b --rw=read --bs=4k --ioengine=psync --stonewall
import fio sizes.json
equal "a job that none of our workloads is like is left out, and said" "$? $(sql "SELECT count(*) FROM v_run WHERE $latest") $(grep -c "job 'a': left out" err)" "0 1 1"

# --- beside ours -------------------------------------------------------------------------------------
for i in 1 2 3 4 5; do run_fio "r$i.json" --name=r --rw=randread --bs=4k --iodepth=4 --ioengine=libaio; done
import fio r1.json r2.json r3.json r4.json r5.json --name by-fio --backend plain
imported=$(sed -E 's/.*campaign ([^ ]*) .*/\1/' out)
equal "several files are repetitions" "$(sql "SELECT group_concat(pair_no) FROM v_run WHERE $latest")" "1,2,3,4,5"
"$bin/strata-device" --plain disk --op randread --block-size 4KiB --depth 4 --duration 300ms --warm-up 0s --runs 5 --db "$db" --quiet > out 2> err
ours=$(sql "SELECT uuid FROM campaign ORDER BY id DESC LIMIT 1")
equal "the same workload is the same row" "$(sql "SELECT count(DISTINCT workload_id), count(DISTINCT campaign_id) FROM v_run WHERE campaign_uuid IN ('$imported', '$ours')")" "1|2"
"$strata" compare by-fio "$ours" --db "$db" > out 2> err
equal "compare: another machine, for all that is known" "$? $(cat out) $(grep -c 'on which machine it ran is not known; --force' err)" "2  1"
"$strata" compare by-fio "$ours" --db "$db" --force > out 2> err
equal "… and side by side with --force" "$(($? == 0 || $? == 1 || $? == 3)) $(grep -cE '^  randread read .* 5  (pass|fail|inconclusive)' out)" "1 1"
"$bin/strata-device" --plain disk --op randread --block-size 4KiB --depth 4 --duration 300ms --warm-up 100ms --runs 1 \
    --db "$db" --quiet > out 2> err
warm=$(sql "SELECT uuid FROM campaign ORDER BY id DESC LIMIT 1")
"$strata" compare by-fio "$warm" --db "$db" --force > out 2> err
equal "… never another workload of the same name, and in what it differs" \
    "$? $(grep -A1 'not comparable$' out | grep -cx ' *another workload: warm_up_ns 0 against 100000000')" "3 1"
"$bin/strata-device" --plain disk --op randread --block-size 8KiB --depth 4 --duration 300ms --warm-up 0s --runs 1 \
    --db "$db" --quiet > out 2> err
"$strata" compare "$ours" "$(sql "SELECT uuid FROM campaign ORDER BY id DESC LIMIT 1")" --db "$db" > out 2> err
equal "… nor where one has no such run, and which" "$? $(grep -cE '^ *no valid run of (base|new)$' out)" "3 2"
equal "analyse, report and export work" "$("$strata" analyse --db "$db" --campaign "$imported" && "$strata" report --db "$db" --campaign "$imported" | grep -c "^Imported, not measured by Strata: fio-3") \
$("$strata" export --db "$db" --campaign "$imported" | grep -c "latency is fio's clat") $("$strata" export --format json --db "$db" --campaign "$imported" | jq -r '[.runs[].source] | unique | length')" "1 5 5"
"$strata" report --db "$db" --campaign "$imported" --html page.html && "$strata" report --db "$db" --campaign "$imported" --markdown > page.md
equal "… page and Markdown say it, too" "$(grep -c '<b>Imported, not measured' page.html) $(grep -c '^\*\*Imported, not measured' page.md)" "1 1"

# --- twins ---------------------------------------------------------------------------------------------
# The same result with twice the time: half the rate, to the last digit.
for i in 1 2 3 4 5; do sqlite3 :memory: "SELECT json_set(readfile('r$i.json'), '$.jobs[0].read.runtime', 2 * (readfile('r$i.json') ->> '$.jobs[0].read.runtime'))" > "s$i.json"; done
import fio --plain r1.json,r2.json --encrypted s1.json,s2.json --encryption dm-crypt
equal "two pairs: the loss, and inconclusive (R8)" "$(sql "SELECT pairs, round(loss_fraction, 9), verdict, encryption, proof FROM v_penalty WHERE $latest AND metric = 'throughput'")" "2|0.5|inconclusive|dm-crypt|asserted"
campaign=$(sed -E 's/.*campaign ([^ ]*) .*/\1/' out)
import fio --plain r3.json,r4.json,r5.json --encrypted s3.json,s4.json,s5.json --encryption dm-crypt --campaign "$campaign"
equal "three more, added: five pairs, a verdict" "$? $(sql "SELECT pairs, round(loss_fraction, 9), verdict FROM v_penalty WHERE campaign_uuid = '$campaign' AND metric = 'throughput'")" "0 5|0.5|fail"

# --- what is refused -----------------------------------------------------------------------------------
before=$(sha256sum < "$db")
refused() { # refused NAME CODE WORDS ARGUMENT…
    local name=$1 code=$2 words=$3 got
    shift 3
    "$strata" import "$@" --db "$db" > out 2> err < /dev/null
    got="$? $(wc -c < out) $(wc -l < err) $(grep -c -- "$words" err) $(sha256sum < "$db")"
    equal "$name" "$got" "$code 0 1 1 $before"
    "$strata" import "$@" --db new.db > out 2> err < /dev/null
    equal "… and leaves no new database" "$(ls new.db 2>&1 | grep -c 'No such file')" 1
}
broken() { sqlite3 :memory: "SELECT $2" > "$1"; }
of="readfile('r1.json')"
: > empty.json
echo 'hello' > words.json
head -c 3000 r1.json > cut.json
cat r1.json r2.json > two.json
printf '{"fio version":"fio-3.33","jobs":[{"jobname":"\377"}]}' > bytes.json
broken foreign.json "json('{\"hello\":[1,2]}')"
broken old.json "json_set($of, '$.\"fio version\"', 'fio-2.21')"
broken jobs5.json "json_set($of, '$.jobs', 5)"
broken jobsarray.json "json_set($of, '$.jobs', json('[5]'))"
broken negative.json "json_set($of, '$.jobs[0].read.total_ios', -1)"
broken text.json "json_set($of, '$.jobs[0].read.io_bytes', '12')"
broken huge.json "json_set($of, '$.jobs[0].read.total_ios', 9223372036854775807)"
broken long.json "json_set($of, '$.jobs[0].read.runtime', 9007199254740992)"
broken missing.json "json_remove($of, '$.jobs[0].read')"
broken unlike.json "json_set($of, '$.jobs[0].read.clat_ns.N', 1)"
broken mean.json "json_set($of, '$.jobs[0].read.clat_ns.min', 9000000000)"
broken bin.json "json_set($of, '$.jobs[0].read.clat_ns.bins', json_object('6497', $of ->> '$.jobs[0].read.clat_ns.N'))"
printf '{\n"fio version":"fio-3.33","jobs":%s\n}\n' "$(printf '[%.0s' {1..3000}; printf ']%.0s' {1..3000})" > nested.json
{ head -c 66M /dev/zero | tr '\0' ' '; cat r1.json; } > large.json
printf '\33[31m' > "$(printf 'esc\33[2J.json')"
refused "no file" 2 "cannot be opened" fio none.json
refused "a directory" 2 "cannot be read" fio .
refused "an empty file" 2 "holds no JSON" fio empty.json
refused "no JSON" 2 "holds no JSON" fio words.json
refused "JSON cut off" 2 "damaged" fio cut.json
refused "two documents" 2 "more than one document" fio two.json
refused "not UTF-8" 2 "not a text in UTF-8" fio bytes.json
refused "another program's JSON" 2 "expected the .fio version." fio foreign.json
refused "fio 2" 2 "expected fio 3, found fio-2.21" fio old.json
refused "jobs that are a number" 2 "expected the .fio version." fio jobs5.json
refused "a job that is a number" 2 "read: total_ios is missing" fio jobsarray.json
refused "a negative count" 2 "job 'r': read: total_ios is missing, or no whole number" fio negative.json
refused "a count that is a text" 2 "read: io_bytes is missing, or no whole number" fio text.json
refused "a count past 2^53" 2 "read: total_ios" fio huge.json
refused "a time past 31 years" 2 "read: runtime" fio long.json
refused "a direction that is missing" 2 "read: total_ios is missing" fio missing.json
refused "bins that do not add up" 2 "the bins hold .* latencies, N is 1" fio unlike.json
refused "a minimum above the maximum" 2 "contradict each other" fio mean.json
refused "a bin that fio does not have" 2 "the bins are none of fio's" fio bin.json
refused "nested 3000 deep" 2 "damaged" fio nested.json
refused "more than 64 MiB" 2 "larger than 64 MiB" fio large.json
refused "a good file and a bad one: nothing of either" 2 "damaged" fio r1.json cut.json
refused "neither fio nor a table" 2 "expected fio or table" iozone r1.json
refused "--plain alone" 2 "go together" fio --plain r1.json
refused "fewer encrypted than plain" 2 "2 files in --plain, 1 in --encrypted" fio --plain r1.json,r2.json --encrypted s1.json
refused "two devices under one name" 2 "an earlier one on disk; --backend names one" fio r1.json full.out --backend x
refused "measured and imported never mix" 2 "is no import" fio r1.json --campaign "$ours"
refused "a campaign that is not there" 2 "there is no campaign" fio r1.json --campaign 00000000-0000-4000-8000-000000000000
equal "a measuring program does not join an import either" "$("$bin/strata-device" --plain disk --op read --duration 20ms --db "$db" --campaign "$imported" --quiet 2>&1 | grep -c 'with another configuration')" 1
sed -i 's/"jobname" : "r"/"jobname" : "\\u001b[2J<\/script>\\n"/; s/"filename" : "disk"/"filename" : "\\u001b[31m"/' r1.json
import fio r1.json
equal "names that would move the cursor are shown, not obeyed" "$? $("$strata" report --db "$db" 2>&1 | grep -c "$(printf '\33')")" "0 0"

# --- published rates -----------------------------------------------------------------------------------
# From a published table; 1 - 323.64 / 378.70 = 14.54 %, 1 - 5178.255373 / 6059.171598 = 14.54 %.
cat > volumes.csv <<'CSV'
encrypted,volume_gb,block_size,operation,iops,mib_per_s
1,100,4k,randread,1260.173983,4.92
1,100,64k,write,5178.255373,323.64
1,100,1M,randwrite,659.793814,659.79
1,10000,64k,write,5454.061252,340.88
0,100,4k,randread,1286.671333,5.03
0,100,64k,write,6059.171598,378.70
0,100,1M,randwrite,661.498708,661.50
0,10000,64k,write,6113.432836,382.09
CSV
import table volumes.csv
equal "eight rows are eight runs, and agree with themselves" "$? $(sed 's/campaign .*/campaign/' out) $(wc -c < err)" "0 8 runs imported into campaign 0"
equal "the rates are the table's to the last digit" "$(sql "SELECT printf('%.6f %.2f', ops_per_s, bytes_per_s / 1048576) FROM v_throughput WHERE $latest AND backend = '100 GB, encrypted' ORDER BY run_id")" \
    "1260.173983 4.92
5178.255373 323.64
659.793814 659.79"
equal "the source says what they are" "$(sql "SELECT DISTINCT source FROM v_run WHERE $latest")" "table volumes.csv: rates only, counts are nominal"
equal "no latency is made up" "$(sql "SELECT count(*) FROM v_latency WHERE $latest")" 0
sqlite3 -bail "$db" < "$top/results/queries/loss_by_block_size.sql" > losses
cell() { sqlite3 -bail "$db" ".mode list" ".read $scratch/query.sql" | grep "^$1|"; }
sed '/^\.mode/d' "$top/results/queries/loss_by_block_size.sql" > query.sql
equal "the loss table: 100 GB, 64k, write, bandwidth" "$(cell '100 GB, encrypted|workload|write|||1|bandwidth' | cut -d'|' -f 11)" 14.54
equal "… and IOPS" "$(cell '100 GB, encrypted|workload|write|||1|IOPS' | cut -d'|' -f 11)" 14.54
equal "… 10000 GB: 1 - 340.88 / 382.09" "$(cell '10000 GB, encrypted|workload|write|||1|bandwidth' | cut -d'|' -f 11)" 10.79
equal "… 100 GB, 1M, randwrite: 1 - 659.79 / 661.50" "$(cell '100 GB, encrypted|workload|randwrite|||1|bandwidth' | cut -d'|' -f 14)" 0.26
equal "one pair is inconclusive (R8)" "$(sql "SELECT DISTINCT pairs, verdict FROM v_penalty WHERE $latest")" "1|inconclusive"
printf 'block_size,operation,mib_per_s,iops,device\n4KiB,read,100,25600,"disk, old"\n4KiB,write,100,20000,"disk, old"\n' > odd.csv
import table odd.csv
equal "columns in any order, quotes; a row that contradicts itself is said" "$? $(sql "SELECT DISTINCT backend FROM v_run WHERE $latest") $(grep -c 'odd.csv: line 3: 100 MiB/s, but its iops times its block_size are 78.125' err) $(wc -l < err)" "0 disk, old 1 1"
printf 'operation,block_size,mib_per_s\nread,64KiB,12.5\n' > only.csv
import table only.csv
equal "bandwidth alone: operations follow from it" "$(sql "SELECT ops_per_s, bytes_per_s FROM v_throughput WHERE $latest")" "200.0|13107200.0"

before=$(sha256sum < "$db")
csv() { printf '%s\n' "${@:2}" > "$1"; }
csv heading.csv 'operation,block_size,iops,colour' 'read,4k,1,red'
csv twice.csv 'operation,operation,block_size,iops' 'read,read,4k,1'
csv none.csv 'operation,block_size' 'read,4k'
csv bare.csv 'operation,block_size,iops'
csv short.csv 'operation,block_size,iops' 'read,4k'
csv number.csv 'operation,block_size,iops' 'read,4k,1e3'
csv minus.csv 'operation,block_size,iops' 'read,4k,-1'
csv zero.csv 'operation,block_size,iops' 'read,4k,0'
csv digits.csv 'operation,block_size,iops' 'read,4k,1.1234567'
csv size.csv 'operation,block_size,iops' 'read,4 KB,1'
csv verb.csv 'operation,block_size,iops' 'trim,4k,1'
csv flag.csv 'operation,block_size,iops,encrypted' 'read,4k,1,perhaps'
csv quote.csv 'operation,block_size,iops' '"read,4k,1'
csv much.csv 'operation,block_size,iops' 'read,1GiB,4000000000'
refused "an unknown heading" 2 "line 1: heading 'colour': expected" table heading.csv
refused "a heading twice" 2 "line 1: heading 'operation': expected, once each" table twice.csv
refused "no rate" 2 "needs the headings" table none.csv
refused "headings only" 2 "has headings only" table bare.csv
refused "a field too few" 2 "line 2: 2 fields, expected 3" table short.csv
refused "an exponent" 2 "line 2: iops: '1e3' is not a rate" table number.csv
refused "a negative rate" 2 "line 2: iops: '-1' is not a rate" table minus.csv
refused "a rate of 0" 2 "line 2: iops: '0' is not a rate" table zero.csv
refused "seven decimals" 2 "at most 6 decimals" table digits.csv
refused "an unclear size" 2 "line 2: block_size: '4 KB' is not a size" table size.csv
refused "an unknown operation" 2 "line 2: operation: 'trim' is not read, write" table verb.csv
refused "neither plain nor encrypted" 2 "line 2: encrypted: 'perhaps'" table flag.csv
refused "a quote without its end" 2 "line 2: a quoted field does not end" table quote.csv
refused "a rate past all bounds" 2 "not possible at this block_size" table much.csv
refused "an empty table" 2 "is empty" table empty.json
refused "fio's options with a table" 2 "are for fio" table volumes.csv --backend x
equal "the database is sound" "$(sql "PRAGMA integrity_check; PRAGMA foreign_key_check")" ok
finish
