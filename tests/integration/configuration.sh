#!/bin/bash
# The schema, the reference and the ready configurations agree with the tables and with independent
# validators; the programs refuse what is wrong in one line, with exit code 2, and read nothing else.
. "$(dirname "$0")/../lib.sh"
begin configuration
cd "$top" || exit 1

one_line() { # one_line NAME WANT ARGUMENT…: strata-device refuses its arguments with exactly that line
    local name=$1 want=$2 code
    shift 2
    timeout 20 "$bin/strata-device" --db "$scratch/none.db" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
    code=$?
    equal "$name" "$code|$(cat "$scratch/out")|$(cat "$scratch/err")" "2||strata-device: $want"
}
valid() { # valid FILE: do both validators accept it?
    jing config/strata.rng "$1" >"$scratch/jing" 2>/dev/null && xmllint --nonet --noout --relaxng config/strata.rng "$1" 2>/dev/null
}
invalid() { # invalid FILE: do both refuse it?
    ! jing config/strata.rng "$1" >/dev/null 2>&1 && ! xmllint --nonet --noout --relaxng config/strata.rng "$1" 2>/dev/null
}
with_iops() { # with_iops NAME ATTRIBUTES: a file whose third line is <iops ATTRIBUTES/>
    printf '<strata version="1"><backends><device name="d" path="/nonexistent"/></backends>\n<device-layer>\n<iops %s/>\n</device-layer></strata>\n' "$2" >"$scratch/$1.xml"
}

equal "config/strata.rng is what the tables say" "$("$bin/strata" document schema | sha256sum)" "$(sha256sum <config/strata.rng)"
equal "doc/configuration.md is what the tables say" "$("$bin/strata" document configuration | sha256sum)" "$(sha256sum <doc/configuration.md)"

for file in config/*.xml; do
    check "two validators accept $file" valid "$file"
done
with_iops lists 'block-size="4KiB, 1.5MiB 64k,1286kB" depth=" 1 8,,32 " operations="read,randrw" duration="1.5s" rate="0.5" read-share="33%"'
check "two validators accept lists with commas and units" valid "$scratch/lists.xml"
check "the reader accepts lists with commas and units" timeout 20 "$bin/strata-device" --config "$scratch/lists.xml" --dry-run --db "$scratch/none.db"

number=0
while IFS= read -r attributes; do
    number=$((number + 1))
    with_iops "wrong$number" "$attributes"
    check "two validators refuse <iops $attributes/>" invalid "$scratch/wrong$number.xml"
done <<'ATTRIBUTES'
deepth="1"
depth="-1"
depth=""
block-size="4 KiB"
block-size="4Ki"
block-size="0x10"
duration="30"
duration="1s 2s"
operations="reed"
engine="libaio"
read-share="ten percent"
rate="1e3"
ATTRIBUTES
printf '<strata version="2"><backends/></strata>' >"$scratch/version.xml"
printf '<strata version="1"><device-layer/></strata>' >"$scratch/bare.xml"
printf '<strata version="1"><backends><device name="d"/></backends></strata>' >"$scratch/required.xml"
printf '<strata version="1"><backends/><backends/></strata>' >"$scratch/twice.xml"
printf '<strata version="1"><backends>text</backends></strata>' >"$scratch/text.xml"
printf '<strata version="1"><backends/><service-layer><iops/></service-layer></strata>' >"$scratch/layer.xml"
for name in version bare required twice text layer; do
    check "two validators refuse $name.xml" invalid "$scratch/$name.xml"
done

with_iops depth 'depth="0"'
one_line "a value below its limit is named" "$scratch/depth.xml:3: depth: 0 is below 1" --config "$scratch/depth.xml"
printf '<!DOCTYPE strata [<!ENTITY x SYSTEM "file:///etc/passwd">]>\n<strata version="1">&x;</strata>' >"$scratch/entity.xml"
one_line "an external entity is refused" "$scratch/entity.xml:1: a DOCTYPE is not accepted" --config "$scratch/entity.xml"
printf '<strata version="1"><backends></strata>' >"$scratch/open.xml"
one_line "a syntax error is one line" "$scratch/open.xml:1: Opening and ending tag mismatch: backends line 1 and strata" --config "$scratch/open.xml"
one_line "a directory is no configuration" "$scratch: cannot be read: Is a directory" --config "$scratch"
one_line "a missing file is named" "$scratch/none.xml: cannot be opened: No such file or directory" --config "$scratch/none.xml"
one_line "a wrong override is named" "--set: the plan has no option 'deepth'; did you mean depth?" --config "$scratch/lists.xml" --set deepth=1

# --- time-scale: one attribute for every time of measuring, said by the plan, the database, the report ---
head -c 4M /dev/urandom > "$scratch/disk"
cat > "$scratch/long.xml" <<XML
<strata version="1"><campaign name="long" pairs="1" time-scale="0.5"/>
<backends><device name="d" path="$scratch/disk"/></backends>
<device-layer><workload block-size="4KiB" depth="4" duration="20s" warm-up="10s"/></device-layer></strata>
XML
scaled() { "$bin/strata-device" --config "$scratch/long.xml" --db "$scratch/scale.db" --quiet "$@"; }
# 20 s and 10 s, halved, and 50 ms that a run takes beside them.
equal "the plan's time is scaled and says so" "$(scaled --dry-run | head -n 1)" "campaign long: 1 run, about 15.1 s, times scaled by 0.5"
scaled --set time-scale=0.01 > "$scratch/report" 2> "$scratch/err"
equal "a scaled run" "$?" 0
ask() { sqlite3 "$scratch/scale.db" "$1"; }
equal "… took 200 ms" "$(ask "SELECT round(elapsed_s, 1) FROM v_throughput")" 0.2
equal "… its campaign and its workload say so" \
    "$(ask "SELECT time_scale, parameters ->> '$.time_scale', parameters ->> '$.duration_ns' FROM v_run JOIN workload ON workload.id = workload_id")" "0.01|0.01|200000000"
equal "… so does the report" "$(grep -c 'The times of measuring were scaled by 0.01' "$scratch/report")" 1
equal "… the stored configuration has the override" "$(ask "SELECT configuration FROM campaign" | tail -n 1)" "<!-- command line: time-scale=0.01 -->"
ask "SELECT configuration FROM campaign" > "$scratch/again.xml"
check "… and is a configuration still" "$bin/strata-device" --config "$scratch/again.xml" --dry-run
one_line "a scale of 0 is refused" "$scratch/long.xml:1: time-scale: 0 is not above 0" --config "$scratch/long.xml" --set time-scale=0

# Nothing but the configuration is opened on its behalf: no DTD, no schema, no catalogue, no network.
if strace -o "$scratch/trace" true 2>/dev/null; then
    printf '<!DOCTYPE strata SYSTEM "http://127.0.0.1:9/x.dtd">\n<strata version="1"/>' >"$scratch/remote.xml"
    timeout 60 strace -f -e trace=openat,open,connect,socket -o "$scratch/trace" "$bin/strata-device" --config "$scratch/remote.xml" --db "$scratch/none.db" >/dev/null 2>&1
    equal "a DTD on the network is not fetched" "$(grep -cE 'socket\(|connect\(|catalog|\.dtd' "$scratch/trace")" 0
    equal "the configuration was opened once" "$(grep -c 'remote.xml' "$scratch/trace")" 1
else
    skip "a DTD on the network is not fetched" "strace cannot trace here"
fi
finish
