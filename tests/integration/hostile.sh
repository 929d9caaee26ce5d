#!/bin/bash
# Wrong words, odd files and a hostile environment, as a user would meet them: each is refused with one
# line on stderr that names the thing, with the right exit code, in bounded time, with nothing lost.
# Real faults in the middle of a run are in tests/faults/hostile.sh.
. "$(dirname "$0")/../lib.sh"
begin hostile
strata=$bin/strata device=$bin/strata-device service=$bin/strata-service
db=$scratch/results.db
disk=$scratch/disk
head -c 4M /dev/urandom > "$disk"
quick=(--plain "$disk" --op read --block-size 4096 --depth 1 --duration 20ms --warm-up 0s --quiet)

# Runs of 20 ms may be judged invalid on a crowded machine, which is no fault here: 0 or 1.
ran() { timeout 60 "$@" > "$scratch/out" 2> "$scratch/err"; [ $? -le 1 ]; }

# refused NAME EXIT TEXT COMMAND…: that exit code, one line on stderr that holds the text, no control
# character in it, nothing on stdout.
refused() {
    local name=$1 code=$2 text=$3 got said
    shift 3
    timeout -k 5 30 "$@" > "$scratch/out" 2> "$scratch/err"
    got=$?
    said=$(cat "$scratch/err")
    equal "$name: exit code, one line, nothing else" \
        "$got $(wc -l < "$scratch/err") $(wc -c < "$scratch/out")" "$code 1 0"
    if [[ $said == *"$text"* ]]; then pass "$name: says why"; else fail "$name: says why" "[$said] lacks [$text]"; fi
    if LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$scratch/err"; then
        fail "$name: no control character reaches the terminal" "$(cat -v "$scratch/err")"
    fi
}

# --- words -------------------------------------------------------------------------------------------------
refused "a mistyped option" 2 "unknown option --dept, did you mean --depth; see --help" "$device" "${quick[@]}" --dept 2
refused "a mistyped common option" 2 "unknown option --jsn, did you mean --json; see --help" "$device" "${quick[@]}" --jsn 2
refused "an option like no other" 2 "unknown option --zebra; see --help" "$device" "${quick[@]}" --zebra 2
refused "--db twice" 2 "--db is given twice" "$device" "${quick[@]}" --db "$db" --db "$scratch/other.db"
refused "--depth twice" 2 "--depth is given twice" "$device" "${quick[@]}" --depth 2 --db "$db"
refused "strata: --db twice" 2 "--db is given twice" "$strata" report --db "$db" --db "$scratch/other.db"
check "… and no database came of it" test ! -e "$db" -a ! -e "$scratch/other.db"
refused "a device that is not there" 3 "/no/such: No such file" "$device" --plain /no/such --db "$db"
refused "writing without permission" 2 "--allow-overwrite" "$device" --plain "$disk" --op write --db "$db"
check "… and a refused command leaves no database" test ! -e "$db"
for uuid in x "" "'; DROP TABLE run; --" 11111111-1111-4111-8111-11111111111g "$(printf '1%.0s' {1..60})"; do
    refused "campaign '$uuid'" 2 "is not a UUID" "$device" "${quick[@]}" --db "$db" --campaign "$uuid"
done
check "… and no database came of it" test ! -e "$db"
long=$(printf 'x%.0s' {1..5000})
refused "a path of 5000 characters" 3 "File name too long" "$device" --plain "$long" --op read --db "$db"
refused "a path with an escape" 2 "control character" "$device" --plain $'a\e[31mb' --op read --db "$db"
refused "a path with an escape in two bytes" 2 "control character" "$device" --plain $'a\xc2\x9b31mb' --op read --db "$db"
refused "a path that is not UTF-8" 2 "UTF-8" "$device" --plain $'a\xff' --op read --db "$db"
refused "an escape where a number is due" 2 "depth" "$device" --plain "$disk" --depth $'\xc2\x9b1' --db "$db"

refused "a scenario that there is not" 2 "'zzz' is not one of workload, iops, transfer" \
    "$device" --plain "$disk" --scenario zzz --db "$db"

# --- a configuration that is no file --------------------------------------------------------------------
mkfifo "$scratch/silent"
begun=$SECONDS
refused "a pipe that nobody writes into" 2 "nothing arrived in 10 s" "$strata" run "$scratch/silent" --db "$db"
check "… in about ten seconds" test $((SECONDS - begun)) -le 15
"$device" --config "$scratch/silent" --db "$db" > "$scratch/out" 2> "$scratch/err" &
waiting=$!
asleep() { [ "$(awk '{print $3}' /proc/$waiting/stat 2> /dev/null)" = S ]; }
until asleep || ! kill -0 $waiting 2> /dev/null; do :; done
kill -TERM $waiting
wait $waiting
equal "a signal ends the wait" $? 130
refused "an endless file" 2 "larger than 1 MiB" "$strata" run /dev/zero --db "$db"
config=$scratch/small.xml
cat > "$config" << XML
<strata version="1">
  <campaign name="small" pairs="1"/>
  <backends><device name="disk" path="$disk"/></backends>
  <device-layer><workload operations="randread" duration="20ms" warm-up="0s"/></device-layer>
</strata>
XML
equal "a pipe that somebody writes into" \
    "$("$device" --config <(cat "$config") --dry-run | grep -c '^campaign small')" 1

# --- a campaign is one configuration ---------------------------------------------------------------------
uuid=11111111-1111-4111-8111-111111111111
check "a campaign by its UUID" ran "$device" --config "$config" --quiet --db "$db" --campaign $uuid
check "… once more with the same configuration" ran "$device" --config "$config" --quiet --db "$db" --campaign $uuid
refused "… with another number of pairs" 2 "another configuration" \
    "$device" --config "$config" --quiet --db "$db" --campaign $uuid --pairs 3
sed 's/randread/read/' "$config" > "$scratch/changed.xml"
refused "… with another text" 2 "another configuration" \
    "$device" --config "$scratch/changed.xml" --quiet --db "$db" --campaign $uuid
equal "… and no run came of those" "$(sqlite3 "$db" 'SELECT count(*) FROM run')" 2

# --- a report does not replace results -----------------------------------------------------------------------
before=$(sha256sum < "$db")
refused "the page over the database itself" 2 "is an SQLite database" "$strata" report --db "$db" --html "$db"
sqlite3 "$scratch/foreign.db" "CREATE TABLE precious(thing)"
refused "the page over another program's database" 2 "is an SQLite database" \
    "$strata" report --db "$db" --html "$scratch/foreign.db"
ln -s "$db" "$scratch/page.html"
refused "the page over a link to the database" 2 "is an SQLite database" \
    "$strata" report --db "$db" --html "$scratch/page.html"
equal "… and both are unharmed" "$(sha256sum < "$db") $(sqlite3 "$scratch/foreign.db" .tables)" "$before precious"
refused "analysing what is not there" 3 "No such file" "$strata" analyse --db "$scratch/none.db"
check "… and it was not made" test ! -e "$scratch/none.db"

# --- standard streams ---------------------------------------------------------------------------------------------
before=$(sha256sum < "$disk")
"$device" "${quick[@]}" --db "$db" > /dev/full 2> "$scratch/err"
equal "a full standard output" "$? $(grep -c 'standard output' "$scratch/err")" "3 1"
"$device" "${quick[@]}" --db "$db" >&- 2> "$scratch/err"
equal "a closed standard output" "$? $(grep -c 'standard output' "$scratch/err")" "3 1"
"$device" "${quick[@]}" --db "$db" 2> /dev/full | head -c 1 > "$scratch/out"
check "a reader that leaves early: ends" test "${PIPESTATUS[0]}" -le 3
(exec "$device" "${quick[@]}" --db "$db" <&- >&- 2>&-)
equal "all three closed" $? 3
equal "… the device and the database got none of the output" \
    "$(sha256sum < "$disk") $(sqlite3 "$db" 'PRAGMA integrity_check')" "$before ok"
"$strata" report --db "$db" > /dev/full 2> "$scratch/err"
equal "a report to a full standard output" "$? $(wc -l < "$scratch/err")" "3 1"

# --- the suite's programs ------------------------------------------------------------------------------------------
mkdir "$scratch/alone"
cp "$strata" "$scratch/alone/strata"
refused "a program of the suite is missing" 3 "strata-device: cannot be started" \
    "$scratch/alone/strata" run "$config" --db "$scratch/alone.db" --quiet
echo garbage > "$scratch/alone/strata-device"
chmod +x "$scratch/alone/strata-device"
refused "… is no program" 3 "strata-device: cannot be started: Exec format error" \
    "$scratch/alone/strata" run "$config" --db "$scratch/alone.db" --quiet
printf '#!/bin/sh\nkill -KILL $$\n' > "$scratch/alone/strata-device"
refused "… is killed" 4 "killed by signal 9" \
    "$scratch/alone/strata" run "$config" --db "$scratch/alone.db" --quiet

# --- secrets: no run comes of any of these, so no server is needed -----------------------------------------
export ST_USER=account:user ST_KEY=very-sekret ST_AUTH=http://127.0.0.1:9/auth/v1.0
secretly() { refused "$1" 2 "$2" "$service" --sizes 4KiB --quiet --db "$scratch/secret.db" "${@:3}"; }
ST_AUTH=http://user:sekret@127.0.0.1:9/auth secretly "a password in ST_AUTH" "ST_AUTH: the URL holds credentials"
ST_AUTH=user:sekret@127.0.0.1:9/auth secretly "… without a scheme" "ST_AUTH: the URL holds credentials"
secretly "… in --plain" "auth-url: the URL holds credentials" --plain http://user:sekret@127.0.0.1:9/auth
OS_STORAGE_URL=http://user:sekret@127.0.0.1:9/v1 OS_AUTH_TOKEN=sekret \
    secretly "… in OS_STORAGE_URL" "OS_STORAGE_URL: the URL holds credentials"
OS_STORAGE_URL=http://127.0.0.1:9/v1 OS_AUTH_TOKEN=$'sekret\r\nX-Evil: 1' \
    secretly "a header in OS_AUTH_TOKEN" "OS_AUTH_TOKEN: its value holds a control character"
ST_KEY=$'sekret\r\nX-Evil: 1' secretly "a header in ST_KEY" "ST_KEY: its value holds a control character"
ST_USER=$'user\r\nX-Evil: 1' secretly "a header in ST_USER" "ST_USER: its value holds a control character"
for url in file:///etc/passwd gopher://127.0.0.1/ ftp://127.0.0.1/ 127.0.0.1:9/auth "http://" "http://127.0.0.1/a b"; do
    ST_AUTH=$url secretly "ST_AUTH=$url" "ST_AUTH: '$url'"
done
cat > "$scratch/secret.xml" << XML
<strata version="1">
  <backends><device name="disk" path="$disk"/><swift name="cloud" auth-url="http://user:sekret@127.0.0.1:9/auth"/></backends>
  <device-layer><workload operations="read" duration="20ms" warm-up="0s"/></device-layer>
  <service-layer><transfer sizes="4KiB"/></service-layer>
</strata>
XML
refused "a password in a configuration of two layers" 2 "the URL holds credentials" \
    "$strata" run "$scratch/secret.xml" --db "$scratch/secret.db" --quiet
check "… and nothing of it is stored" test ! -e "$scratch/secret.db"
ST_AUTH=http://user:sekret@127.0.0.1:9/auth "$strata" doctor > "$scratch/out" 2>&1
equal "doctor does not show it either" "$(grep -c 'holds credentials' "$scratch/out") $(grep -c sekret "$scratch/out")" "1 0"

# --- names that a foreign database holds -----------------------------------------------------------------
cp "$db" "$scratch/evil.db"
sqlite3 "$scratch/evil.db" "UPDATE campaign SET name = char(27) || '[2J' || char(155) || '31m</script><script>alert(1)</script>';
    UPDATE backend SET name = '=cmd|x!A0', location = '</script><img src=x onerror=alert(1)>', evidence = char(27) || ']0;x' || char(7)"
for kind in "report" "report --json" "report --markdown" "report --html -" "export" "export --format json" \
    "export --format openmetrics"; do
    # shellcheck disable=SC2086 # two words are meant
    timeout 30 "$strata" $kind --db "$scratch/evil.db" --campaign $uuid > "$scratch/out" 2> "$scratch/err"
    equal "$kind: no control character goes out (R11)" \
        "$? $(LC_ALL=C grep -cP '[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]' "$scratch/out")" "0 0"
done
"$strata" report --db "$scratch/evil.db" --campaign $uuid --html - > "$scratch/out"
equal "the page shows HTML in names as text (R11)" \
    "$(grep -c '<script>alert\|<img src=x' "$scratch/out") $(grep -c '&lt;img src=x' "$scratch/out")" "0 1"
equal "the table's formula is a text" \
    "$("$strata" export --db "$scratch/evil.db" --campaign $uuid | sed 1d | grep -c "\"'=cmd|x!A0\"")" 2
finish
