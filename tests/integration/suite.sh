#!/bin/bash
# The front command: usage, documents, the order of the layers, one campaign for all of them, signals.
. "$(dirname "$0")/../lib.sh"
begin suite
strata=$bin/strata
disk=$scratch/disk
truncate -s 4M "$disk"

one_line() { # one_line NAME WANTED-CODE ARGUMENT…
    local name=$1 code=$2 output
    shift 2
    output=$("$strata" "$@" 2>&1 > "$scratch/stdout")
    equal "$name: exit $code, one line, nothing on stdout" "$? $(grep -c . <<< "$output") $(wc -c < "$scratch/stdout")" "$code 1 0"
}

# --- words -------------------------------------------------------------------------------------------
one_line "no command" 2
one_line "unknown command" 2 measure
one_line "unknown option" 2 run "$disk" --fast
one_line "option without its value" 2 report --db
one_line "flag with a value" 2 report --json=yes
one_line "operand too many" 2 report now
one_line "operand missing" 2 compare base
one_line "configuration that is not there" 2 run "$scratch/none.xml"
one_line "unknown document" 2 document novel
equal "--version" "$("$strata" --version | grep -cE '^strata [0-9]+\.[0-9]+\.[0-9]+$')" 1
for command in run report compare export analyse doctor document completion; do
    check "help names $command" grep -q "^  $command " <("$strata" help)
    check "$command --help" grep -q "^usage: strata $command" <("$strata" $command --help)
done
equal "completion offers commands" "$(bash -c "source <('$strata' completion)
    COMP_WORDS=(strata com) COMP_CWORD=1; _strata; echo \${COMPREPLY[*]}")" "compare completion"
equal "completion offers options" "$(bash -c "source <('$strata' completion)
    COMP_WORDS=(strata report --ht) COMP_CWORD=2; _strata; echo \${COMPREPLY[*]}")" "--html"

# --- documents -----------------------------------------------------------------------------------------
"$strata" document schema > "$scratch/schema.rng"
check "the schema in config/ is the tables' own" cmp "$scratch/schema.rng" "$top/config/strata.rng"
check "config/quick.xml is valid by it, says an independent program" jing "$scratch/schema.rng" "$top/config/quick.xml"
"$strata" document configuration > "$scratch/configuration.md"
check "doc/configuration.md is the tables' own" cmp "$scratch/configuration.md" "$top/doc/configuration.md"

# --- doctor --------------------------------------------------------------------------------------------
check "doctor finds its programs" "$strata" doctor
equal "doctor: a closed port is told" "$(ST_AUTH=http://127.0.0.1:9/auth "$strata" doctor | grep -c 'ST_AUTH *no .*refused')" 1
equal "doctor: a wrong URL is told" "$(ST_AUTH=cloud "$strata" doctor | grep -c 'is no URL')" 1
mkfifo "$scratch/port" "$scratch/end"
/usr/bin/python3 -c '
import socket, sys
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
sys.stdin.read()' < "$scratch/end" > "$scratch/port" &
server=$!
exec 7> "$scratch/end"
read -r port < "$scratch/port"
equal "doctor: an open port is told" \
    "$(ST_AUTH=http://127.0.0.1:$port/auth "$strata" doctor | grep -c 'ST_AUTH *yes .*accepts connections')" 1
exec 7>&-
wait $server

# --- a campaign over two layers ---------------------------------------------------------------------------
mkdir "$scratch/directory"
cat > "$scratch/small.xml" <<XML
<strata version="1">
  <campaign name="small" pairs="2"/>
  <backends>
    <device name="disk" path="$disk"/>
    <device name="disk-aes" path="$disk" twin-of="disk" encryption="aes-xts-256"/>
    <filesystem name="directory" path="$scratch/directory"/>
  </backends>
  <device-layer><workload engine="null" operations="read" duration="20ms" warm-up="0s"/></device-layer>
  <filesystem-layer><metadata files="50"/></filesystem-layer>
</strata>
XML
db=$scratch/results/small.db
mkdir "$scratch/results"
before=$(md5sum < "$disk")
"$strata" run "$scratch/small.xml" --db "$db" --dry-run > "$scratch/plan" 2> "$scratch/messages"
equal "dry run: exit 0, a plan for both layers, nothing stored" \
    "$? $(grep -c '^campaign small' "$scratch/plan") $(ls "$scratch/results" "$scratch/directory" | grep -vc :)" "0 2 1"
"$strata" run "$scratch/small.xml" --db "$db" --json > "$scratch/document.json" 2> "$scratch/messages"
code=$?
# Runs this short may be judged invalid, which is no fault of the front command: 0 or 1.
equal "a run of two layers ends" "$((code <= 1))" 1
equal "its stdout is one JSON document with both" \
    "$(jq -s -r 'length, ([.[0].runs[].layer] | unique | join(" "))' "$scratch/document.json" | paste -sd' ')" "1 device filesystem"
equal "layers without work are skipped with a line" "$(grep -c 'layer skipped: no workload and no ladder' "$scratch/messages")" 2
equal "one campaign holds all of it" \
    "$(sqlite3 "$db" 'SELECT count(*), (SELECT count(DISTINCT layer) FROM v_run) FROM campaign')" "1|2"
equal "the device was only read" "$(md5sum < "$disk")" "$before"
equal "the directory is empty again" "$(ls -A "$scratch/directory" | wc -l)" 0
"$strata" run "$scratch/small.xml" --db "$db" --layers filesystem --quiet > "$scratch/stdout" 2> "$scratch/messages"
equal "--layers: one layer, --quiet: no progress" \
    "$(sqlite3 "$db" "SELECT group_concat(DISTINCT layer) FROM v_run WHERE campaign_id = (SELECT max(id) FROM campaign)") $(grep -vc invalid "$scratch/messages")" \
    "filesystem 0"
one_line "unknown layer" 2 run "$scratch/small.xml" --layers cloud
one_line "nothing to do" 2 run "$scratch/small.xml" --layers user --quiet
"$strata" run "$scratch/small.xml" --db "$db" --set nonsense=1 > "$scratch/stdout" 2> "$scratch/messages"
equal "an override that matches nothing: exit 2, said once" "$? $(grep -c nonsense "$scratch/messages") $(wc -c < "$scratch/stdout")" "2 1 0"

# A back end that is not there fails its layer (exit 3); the others run.
sed "s|path=\"$disk\"|path=\"$scratch/gone\"|" "$scratch/small.xml" > "$scratch/gone.xml"
"$strata" run "$scratch/gone.xml" --db "$scratch/gone.db" > "$scratch/stdout" 2> "$scratch/messages"
equal "a missing device: exit 3, named, the file-system layer ran" \
    "$? $(grep -c "$scratch/gone" "$scratch/messages" | sed 's/[1-9][0-9]*/named/') $(sqlite3 "$scratch/gone.db" 'SELECT DISTINCT layer FROM v_run')" \
    "3 named filesystem"

# --- signals --------------------------------------------------------------------------------------------------
sed 's/duration="20ms"/duration="60s"/' "$scratch/small.xml" > "$scratch/long.xml"
measuring() { [ "$(sqlite3 "$1" "SELECT count(*) FROM run WHERE status = 'running'" 2> "$scratch/poll")" = 1 ]; }
interrupted() { # interrupted NAME SIGNAL RECIPIENT: sent to strata alone, or to the group as a terminal does
    local name=$1 signal=$2 recipient=$3 db=$scratch/$1.db child strata_pid tries=0 begun code
    setsid "$strata" run "$scratch/long.xml" --db "$db" > "$scratch/stdout" 2> "$scratch/messages" &
    strata_pid=$!
    at_exit "kill -KILL $strata_pid 2> $scratch/poll"
    until measuring "$db" || [ $((tries += 1)) -gt 2000 ]; do :; done
    child=$(pgrep -P $strata_pid strata-device)
    begun=$SECONDS
    case $recipient in
    strata) kill "-$signal" $strata_pid ;;
    group) kill "-$signal" -- -$strata_pid ;;
    esac
    wait $strata_pid
    code=$?
    equal "$name: exit 130 within 10 s, the run stored as aborted, no child left" \
        "$code $((SECONDS - begun < 10)) $(sqlite3 "$db" "SELECT group_concat(DISTINCT status) FROM run WHERE status <> 'ok'") $([ -e "/proc/${child:-none}" ] && echo left)" \
        "130 1 aborted "
}
interrupted interrupt-group INT group
interrupted interrupt-alone INT strata
interrupted terminate-alone TERM strata
# A killed front command takes its child along.
setsid "$strata" run "$scratch/long.xml" --db "$scratch/killed.db" > "$scratch/stdout" 2> "$scratch/messages" &
strata_pid=$!
tries=0
until measuring "$scratch/killed.db" || [ $((tries += 1)) -gt 2000 ]; do :; done
child=$(pgrep -P $strata_pid strata-device)
kill -KILL $strata_pid
wait $strata_pid 2> "$scratch/poll"
tries=0
while [ -e "/proc/$child" ] && [ $((tries += 1)) -lt 2000000 ]; do :; done
equal "killed: the child ends by itself" "$([ -e "/proc/${child:-none}" ] && echo left)" ""
finish
