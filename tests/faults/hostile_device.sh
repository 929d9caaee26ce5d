#!/bin/bash
# strata-device against bad values, odd paths, small limits, signals at any moment, devices and databases
# that go away: one line that names the cause, the right exit code, a sound database, nothing left behind.
. "$(dirname "$0")/../lib.sh"
begin hostile_device
# shellcheck source=tests/support/faulty_disk.sh
. "$top/tests/support/faulty_disk.sh"
db=$scratch/results.db file=$scratch/file
head -c 16M /dev/urandom > "$file"
run() { timeout 60 "$bin/strata-device" --quiet --block-size 4096 --depth 8 --warm-up 0s "$@" > "$scratch/out" 2> "$scratch/err"; }
# refused NAME EXIT TEXT ARGUMENTS…: that exit code, one line on stderr that holds the text, no database
refused() {
    local name=$1 code=$2 text=$3 got
    shift 3
    rm -f "$db"
    run --db "$db" --duration 100ms "$@"
    got=$?
    equal "$name: exit, lines, database" "$got $(wc -l < "$scratch/err") $([ -e "$db" ] && echo left)" "$code 1 "
    if grep -qF -- "$text" "$scratch/err"; then pass "$name: says why"; else fail "$name: says why" "[$(cat "$scratch/err")] lacks [$text]"; fi
}

# ---- every attribute of a device and its workloads with values that nobody means ---------------------------
cat > "$scratch/evil.py" << 'PY'
import re, subprocess, sys
from xml.sax.saxutils import quoteattr
program, file, scratch = sys.argv[1:]
values = ["", " ", "-1", "0", "1e309", "NaN", "99999999999999999999", "18446744073709551615", "64EiB", "\u0664KiB", "\u202e",
          "%s%n%x", "'; --", "../../../etc/shadow", "/dev/null", "1 " * 300, "x" * 5000, "101%", "0.5", "1023"]
with open("config/strata.rng", encoding="utf-8") as schema:
    text = schema.read()
attributes = {}
for element in ("device", "workload", "steady-state", "cipher", "key-derivation"):
    part = text[text.index('<element name="%s">' % element):]
    attributes[element] = sorted(set(re.findall(r'<attribute name="([^"]+)"', part[:part.index("</element>")])))
wrong = count = 0
for element, names in attributes.items():
    for name in names:
        for value in values:
            given = {"name": "a", "path": file} if element == "device" else {"operations": "read"} if element in ("workload", "steady-state") else {}
            given[name] = value
            one = "<%s%s/>" % (element, "".join(" %s=%s" % (key, quoteattr(text)) for key, text in given.items()))
            device = one if element == "device" else '<device name="a" path=%s/>' % quoteattr(file)
            with open(scratch + "/evil.xml", "w", encoding="utf-8") as xml:
                xml.write('<strata version="1"><backends>%s</backends><device-layer>%s</device-layer></strata>' %
                          (device, '<workload operations="read"/>' if element == "device" else one))
            done = subprocess.run([program, "--config", scratch + "/evil.xml", "--dry-run"], capture_output=True, timeout=30)
            lines = done.stderr.count(b"\n")
            count += 1
            if not (done.returncode == 0 and lines == 0 or done.returncode in (2, 3) and lines == 1):
                wrong += 1
                print(element, name, repr(value)[:40], done.returncode, done.stderr[:200])
print(count > 500, wrong)
PY
equal "each attribute with each evil value: refused in one line, or taken" \
    "$(cd "$top" && /usr/bin/python3 "$scratch/evil.py" "$bin/strata-device" "$file" "$scratch" | tail -n 5)" "True 0"

# ---- paths (D2) ------------------------------------------------------------------------------------------------
mkdir "$scratch/directory"
/usr/bin/python3 -c "import socket; socket.socket(socket.AF_UNIX).bind('$scratch/socket')"
ln -s loop-b "$scratch/loop-a" && ln -s loop-a "$scratch/loop-b" && ln -s nowhere "$scratch/dangling"
touch "$scratch/empty"
head -c 100 "$file" > "$scratch/tiny"
refused "a socket" 2 "is a socket" --plain "$scratch/socket"
refused "a directory" 2 "is a directory" --plain "$scratch/directory"
refused "a ring of links" 3 "Too many levels of symbolic links" --plain "$scratch/loop-a"
refused "a link to nothing" 3 "No such file" --plain "$scratch/dangling"
refused "below a file" 3 "Not a directory" --plain "$file/below"
refused "an empty file" 2 "is empty" --plain "$scratch/empty"
refused "a file shorter than a block" 2 "do not hold a block" --plain "$scratch/tiny"
refused "a file of the kernel's" 3 "does not do direct I/O" --plain /proc/self/maps
refused "the standard input" 2 "expected a block device or a regular file" --plain /dev/stdin

# ---- limits ------------------------------------------------------------------------------------------------------
truncate -s 512M "$scratch/large"
timeout 60 "$bin/strata-device" --plain "$scratch/large" --op read --depth 1024 --block-size 64MiB --jobs 256 \
    --duration 100ms --db "$db" > "$scratch/out" 2> "$scratch/err"
equal "more buffers than there is memory: exit" $? 1
check "… refused before they are allocated, with the sum" \
    grep -q "unsupported: 256 jobs with 1024 operations of 64 MiB in flight need 16 TiB of memory" "$scratch/err"
equal "… no figures stand for it" "$(sqlite3 "$db" "SELECT count(*) FROM phase WHERE run_id = (SELECT max(id) FROM run)")" 0
strace -f -qq -e trace=io_setup -e inject=io_setup:error=EAGAIN -o "$scratch/trace" "$bin/strata-device" --quiet --db "$db" \
    --plain "$file" --op read --duration 100ms > "$scratch/out" 2> "$scratch/err"
equal "no asynchronous I/O left: exit" $? 3
check "… says which limit" grep -q "fs.aio-max-nr is used up" "$scratch/err"
for engine in sync aio uring; do
    (ulimit -n 10; run --db "$db" --plain "$file" --op randread --engine $engine --depth 1 --jobs 16 --duration 100ms)
    code=$?
    check "10 descriptors for 16 jobs by $engine: no crash, one line" test $code -le 3 -a "$(wc -l < "$scratch/err")" -le 1
done

# ---- signals at any moment ------------------------------------------------------------------------------------------
# 143 and 129: before there was a handler. No crash, one line, no run left as running, no process left.
for signal in TERM HUP; do
    for moment in 0.0001 0.005 0.01 0.015 0.02 0.03 0.05 0.1 0.2 0.4; do
        rm -f "$db"
        "$bin/strata-device" --quiet --db "$db" --plain "$file" --encrypt aes-xts-256 --op randrw --block-size 4096 --depth 8 \
            --duration 200ms --warm-up 0s --pairs 2 --allow-overwrite "$file" > "$scratch/out" 2> "$scratch/err" &
        pid=$!
        until [ "$(cat /proc/$pid/comm 2> /dev/null)" = strata-device ] || [ ! -e /proc/$pid ]; do :; done
        timeout $moment tail --pid=$pid -f /dev/null
        kill -$signal $pid 2> /dev/null
        wait $pid 2> /dev/null
        code=$?
        early=$([ $signal = TERM ] && echo 143 || echo 129)
        check "SIG$signal after $moment s: exit $code" test $code = 130 -o $code = "$early"
        [ $code = "$early" ] || equal "… one line" "$(cat "$scratch/err")" "strata-device: interrupted"
        [ ! -e "$db" ] || equal "… no run is left as running, the database is sound" \
            "$(sqlite3 "$db" "SELECT count(*) FROM run WHERE status NOT IN ('ok', 'invalid', 'aborted'); PRAGMA integrity_check" | xargs)" "0 ok"
    done
done
"$bin/strata-device" --quiet --db "$db" --plain "$file" --op randread --block-size 4096 --duration 60s > "$scratch/out" 2>&1 &
pid=$!
begun() { child=$(pgrep -P $pid); }
wait_until 10 begun
kill -KILL $pid
wait $pid 2> /dev/null
gone() { [ ! -e "/proc/${child:-none}" ]; }
check "SIGKILL of the program takes the process that works along" wait_until 10 gone

# ---- what is measured goes away -----------------------------------------------------------------------------------------
# during COMMAND ARGUMENTS…: run a second in the background, the command in the middle of it
during() {
    local command=$1 pid
    shift
    rm -f "$db"
    run --db "$db" --json --duration 1s "$@" &
    pid=$!
    measures() { [ "$(sqlite3 "$db" "SELECT count(*) FROM run WHERE status = 'running'" 2> /dev/null)" = 1 ]; }
    wait_until 10 measures
    timeout 0.4 tail --pid=$pid -f /dev/null
    eval "$command"
    wait $pid
}
cp "$file" "$scratch/shrinks"
during ': > "$scratch/shrinks"' --plain "$scratch/shrinks" --op randread
equal "a file that shrinks to nothing: exit, errors (D8)" \
    "$? $(sqlite3 "$db" "SELECT message, count = (SELECT sum(failed) FROM operation_result) FROM error")" "1 fewer bytes than asked|1"
check "… stdout is a document (D7)" jq -e '.runs[0].status == "invalid"' "$scratch/out"
if [ "$(id -u)" != 0 ] || ! faulty_disk vanishes 16M; then
    skip "a device that vanishes" "needs root, FUSE and loop devices"
else
    during 'kill -KILL $server' --plain "$disk" --op randread --repetitions 2
    equal "a file whose file system dies: exit" $? 1
    equal "… each run says so" "$(sqlite3 "$db" "SELECT count(*), sum(reason <> '') FROM run WHERE status IN ('invalid', 'failed')")" "2|2"
    check "… stdout is a document (D7)" jq -e '.runs | length == 2' "$scratch/out"
    if faulty_disk vanishes-too 16M && on_loop "$disk" --direct-io=on; then
        during 'kill -KILL $server' --plain "$loop" --op randread --repetitions 2
        equal "a device that vanishes: exit" $? 1
        equal "… the errors have a name (D8)" "$(sqlite3 "$db" "SELECT DISTINCT message FROM error")" "EIO: Input/output error"
        equal "… each run says so" "$(sqlite3 "$db" "SELECT count(*), sum(reason <> '') FROM run WHERE status IN ('invalid', 'failed')")" "2|2"
    fi
fi

# ---- where the results go, goes away --------------------------------------------------------------------------------------
mkdir "$scratch/small"
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=800k tmpfs "$scratch/small" 2> "$scratch/log"; then
    at_exit 'umount -l "$scratch/small" 2> /dev/null'
    db=$scratch/small/results.db
    during 'head -c 1M /dev/zero > "$scratch/small/fill" 2> /dev/null' --plain "$file" --op randread --repetitions 2
    equal "the disk of the database fills up: exit, words" "$? $(cat "$scratch/err")" "3 strata-device: $db: no space left for the results"
    rm "$scratch/small/fill"
    equal "… it is sound" "$(sqlite3 "$db" 'PRAGMA integrity_check')" ok
    run --db "$db" --plain "$file" --op randread --duration 100ms
    check "… takes results when there is room, and knows what became of the run" test \
        "$(sqlite3 "$db" "SELECT group_concat(status, ' ') FROM (SELECT status FROM run ORDER BY id)" | grep -cE '^aborted (ok|invalid)$')" = 1
    mount -o remount,ro "$scratch/small"
    run --db "$db" --plain "$file" --op randread --duration 100ms
    equal "a read-only database: exit, lines" "$? $(wc -l < "$scratch/err")" "3 1"
else
    skip "a full disk" "needs root and tmpfs"
fi
finish
