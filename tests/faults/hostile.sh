#!/bin/bash
# The environment turns against a run: signals, limits, a device or a database that goes away, a server
# that never ends its answer. Each time: bounded time, the right exit code, one line that names the
# cause, a sound database, and no tree left behind.
. "$(dirname "$0")/../lib.sh"
[ -w /dev/shm ] && export TMPDIR=/dev/shm
begin hostile-faults
strata=$bin/strata device=$bin/strata-device filesystem=$bin/strata-filesystem
disk=$scratch/disk directory=$scratch/directory db=$scratch/results.db
head -c 16M /dev/urandom > "$disk"
mkdir "$directory"
sql() { sqlite3 -bail "$db" "$1" 2>&1; }
stored() { [ "$(sqlite3 "$1" "SELECT count(*) FROM run WHERE status = 'running'" 2> /dev/null)" = 1 ]; }
wait_until_measured() { # DATABASE PID
    local tries=0
    until stored "$1" || ! kill -0 "$2" 2> /dev/null || [ $((tries += 1)) -gt 3000 ]; do :; done
}
holds() { find "$directory" -mindepth "$1" | read -r; }

# --- signals in each part of a file-system run: its tree is gone, its run is stored (F8) -------------------
# At once (arguments, preparing), when the tree stands, when it has files, when it has been there a while.
for signal in HUP INT TERM XCPU; do
    for depth in 0 1 2 3; do
        rm -f "$db"
        setsid "$filesystem" --plain "$directory" --files 300000 --jobs 2 --quiet --db "$db" \
            > "$scratch/out" 2> "$scratch/err" &
        pid=$!
        tries=0
        until [ "$(awk '/^SigCgt/ {print substr($2, 16)}' "/proc/$pid/status" 2> /dev/null)" != 0 ] ||
            [ $((tries += 1)) -gt 3000 ]; do :; done # its handlers stand
        [ $depth = 0 ] || { tries=0; until holds $depth || [ $((tries += 1)) -gt 3000 ]; do :; done; }
        [ $depth != 3 ] || timeout 0.7 tail --pid=$pid -f /dev/null
        kill -$signal $pid
        begun=$SECONDS
        wait $pid
        equal "SIG$signal with the tree at depth $depth: exit, one line, the tree (F8)" \
            "$? $(cat "$scratch/err") $(ls -A "$directory")" "130 strata-filesystem: interrupted "
        check "… within 20 s" test $((SECONDS - begun)) -le 20
        [ ! -e "$db" ] || equal "… no run is left as running" "$(sql "SELECT count(*) FROM run WHERE status = 'running'")" 0
    done
done
(trap '' HUP; exec "$filesystem" --plain "$directory" --files 2000 --jobs 1 --quiet --db "$scratch/nohup.db" \
    > "$scratch/out" 2> "$scratch/err") &
pid=$!
wait_until_measured "$scratch/nohup.db" $pid
kill -HUP $pid
wait $pid
check "under nohup SIGHUP ends nothing" test $? -le 1

# The front command passes it on to the program that measures.
cat > "$scratch/long.xml" << XML
<strata version="1">
  <backends><device name="disk" path="$disk"/></backends>
  <device-layer><workload operations="randread" duration="60s"/></device-layer>
</strata>
XML
setsid "$strata" run "$scratch/long.xml" --quiet --db "$scratch/hup.db" > "$scratch/out" 2> "$scratch/err" &
pid=$!
wait_until_measured "$scratch/hup.db" $pid
child=$(pgrep -P $pid strata-device)
kill -HUP $pid
wait $pid
equal "SIGHUP to strata alone: exit, run, child" \
    "$? $(sqlite3 "$scratch/hup.db" 'SELECT DISTINCT status FROM run') $([ -e "/proc/${child:-none}" ] && echo left)" "130 aborted "

# --- limits --------------------------------------------------------------------------------------------------
(ulimit -n 10; timeout 60 "$filesystem" --plain "$directory" --files 20 --jobs 8 --quiet --db "$db" \
    > "$scratch/out" 2> "$scratch/err")
code=$?
check "10 descriptors for 8 jobs: no success" test $code = 1 -o $code = 3
equal "… one line, and the tree is gone" "$(wc -l < "$scratch/err") $(ls -A "$directory")" "1 "
(ulimit -f 100; timeout 60 "$device" --plain "$disk" --op randread --duration 50ms --quiet \
    --db "$scratch/limited.db" > "$scratch/out" 2> "$scratch/err")
equal "files of at most 100 KiB: exit, one line" "$? $(wc -l < "$scratch/err")" "3 1"
check "… that names the database" grep -q "$scratch/limited.db: " "$scratch/err"
check "… which is sound, or was not made" test ! -s "$scratch/limited.db" -o \
    "$(sqlite3 "$scratch/limited.db" 'PRAGMA integrity_check')" = ok
if grep -q __asan_init "$device"; then
    skip "too little memory" "the address sanitizer needs all of the address space"
else
    (ulimit -v 100000; timeout 60 "$device" --plain "$disk" --op randread --block-size 1MiB --depth 256 --jobs 4 \
        --duration 50ms --quiet --db "$db" > "$scratch/out" 2> "$scratch/err")
    code=$?
    check "too little memory: an exit code of its own, no signal" test $code = 3 -o $code = 127 # 127: not even the libraries
fi

# --- the database goes away while a run is measured ------------------------------------------------------------
for how in removed locked; do
    gone=$scratch/$how.db
    timeout 60 "$device" --plain "$disk" --op randread --duration 300ms --pairs 4 --quiet --db "$gone" \
        > "$scratch/out" 2> "$scratch/err" &
    pid=$!
    wait_until_measured "$gone" $pid
    if [ $how = removed ]; then
        rm "$gone"
        wait $pid
        equal "the database is removed: exit and words" "$? $(cat "$scratch/err")" \
            "3 strata-device: $gone: was removed or replaced while it was in use"
    else
        { echo "BEGIN EXCLUSIVE;"; timeout 2 tail --pid=$pid -f /dev/null; } | sqlite3 "$gone" 2> "$scratch/holder"
        wait $pid
        check "the database is locked for two seconds: the run waits" test $? -le 1
        equal "… and all four are stored" "$(sqlite3 "$gone" 'SELECT count(*) FROM run')" 4
    fi
done

# --- the device gets smaller (D5, D7, D8) ------------------------------------------------------------------------
if [ "$(id -u)" = 0 ] && loop=$(losetup --find --show "$disk" 2> /dev/null); then
    at_exit 'losetup -d "$loop" 2> /dev/null'
    rm -f "$db"
    timeout 60 "$device" --plain "$loop" --op randread --block-size 4096 --depth 4 --duration 2s --warm-up 0s \
        --json --db "$db" > "$scratch/out" 2> "$scratch/err" &
    pid=$!
    wait_until_measured "$db" $pid
    timeout 0.5 tail --pid=$pid -f /dev/null
    truncate -s 1M "$disk"
    wait $pid
    equal "half the device is gone: not a success" $? 1
    check "… stdout still is JSON (D7)" jq -e '.runs[0].status == "invalid"' "$scratch/out"
    equal "… the errors are counted by name (D8)" \
        "$(sql "SELECT code, count = (SELECT sum(failed) FROM operation_result), message FROM error")" "5|1|EIO: Input/output error"
    losetup -d "$loop"
else
    skip "a device that gets smaller" "needs root and a loop device"
fi
head -c 16M /dev/urandom > "$disk"

# --- a link that changes between looking and opening ------------------------------------------------------------------
head -c 16M /dev/urandom > "$scratch/other"
before=$(sha256sum < "$scratch/other")
ln -s disk "$scratch/link"
(while :; do
    ln -sfn other "$scratch/new" && mv -T "$scratch/new" "$scratch/link"
    ln -sfn disk "$scratch/new" && mv -T "$scratch/new" "$scratch/link"
done) &
racer=$!
at_exit 'kill $racer 2> /dev/null; wait $racer 2> /dev/null'
for _ in 1 2 3 4 5 6 7 8; do
    timeout 30 "$device" --plain "$scratch/link" --op randwrite --allow-overwrite "$disk" --duration 20ms \
        --warm-up 0s --quiet --db "$db" > "$scratch/out" 2> "$scratch/err"
done
kill $racer
wait $racer 2> /dev/null
equal "a link that races: what was not named is not written" "$(sha256sum < "$scratch/other")" "$before"

# --- without /proc ------------------------------------------------------------------------------------------------------
if [ "$(id -u)" = 0 ] && unshare -m true 2> /dev/null; then
    sed 's/60s/20ms/' "$scratch/long.xml" > "$scratch/short.xml"
    unshare -m sh -c 'umount -l /proc; exec "$@"' sh timeout 60 "$strata" run "$scratch/short.xml" --pairs 1 \
        --quiet --db "$scratch/noproc.db" > "$scratch/out" 2> "$scratch/err"
    check "without /proc: strata finds its programs" test $? -le 1
    equal "… and the run is stored" "$(sqlite3 "$scratch/noproc.db" "SELECT count(*) FROM run")" 1
else
    skip "without /proc" "needs root and unshare"
fi

# --- a server that means no good ---------------------------------------------------------------------------------------------
cat > "$scratch/server.py" << 'PY'
import socket, sys, threading
answers = {
    "endless-headers": (b"HTTP/1.1 200 OK\r\n", b"X-A: " + b"a" * 60000 + b"\r\n"),
    "endless-body": (b"HTTP/1.1 200 OK\r\nX-Storage-Url: http://127.0.0.1:1/\r\nX-Auth-Token: t\r\n"
                     b"Content-Length: 99999999999\r\n\r\n", b"b" * 65536),
    "endless-continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "garbage": (b"\x00\xff\x1b[2J" * 1000, None),
    "redirect": (b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n", None),
    "file-storage": (b"HTTP/1.1 200 OK\r\nX-Storage-Url: file:///etc\r\nX-Auth-Token: sekret\r\nContent-Length: 0\r\n\r\n", None),
    "password-storage": (b"HTTP/1.1 200 OK\r\nX-Storage-Url: http://u:sekret@127.0.0.1:1/\r\nX-Auth-Token: sekret\r\n"
                         b"Content-Length: 0\r\n\r\n", None),
    "escape-storage": (b"HTTP/1.1 200 OK\r\nX-Storage-Url: http://h/\x1b[2J\xc2\x9b31m\r\nX-Auth-Token: t\r\n"
                       b"Content-Length: 0\r\n\r\n", None),
}
def serve(connection):
    try:
        path = connection.recv(65536).split()[1].decode().lstrip("/")
        first, rest = answers[path]
        connection.sendall(first)
        while rest:
            connection.sendall(rest)
    except OSError:
        pass
    connection.close()
def accept():
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
threading.Thread(target=accept, daemon=True).start()
sys.stdin.read()
PY
mkfifo "$scratch/port" "$scratch/end"
/usr/bin/python3 "$scratch/server.py" < "$scratch/end" > "$scratch/port" &
server=$!
at_exit 'kill $server 2> /dev/null; wait $server 2> /dev/null'
exec 7> "$scratch/end"
read -r port < "$scratch/port"
export ST_USER=user ST_KEY=sekret
for kind in endless-headers endless-body endless-continue garbage redirect file-storage password-storage escape-storage; do
    begun=$SECONDS
    ST_AUTH=http://127.0.0.1:$port/$kind timeout 40 "$bin/strata-service" --sizes 4KiB --objects 8 --timeout 2s \
        --connect-timeout 2s --quiet --db "$scratch/cloud.db" > "$scratch/out" 2> "$scratch/err"
    equal "$kind: exit, one line, no secret, no control character" \
        "$? $(wc -l < "$scratch/err") $(grep -c sekret "$scratch/err") $(LC_ALL=C grep -cP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$scratch/err")" "3 1 0 0"
    check "$kind: in bounded time" test $((SECONDS - begun)) -le 15
done
exec 7>&-
wait $server
check "no secret is stored" test ! -e "$scratch/cloud.db"
finish
