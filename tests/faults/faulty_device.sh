#!/bin/bash
# Devices that fail, lie, forget or differ in speed: what did not succeed is in no rate, has a name and a
# count, and the document on stdout stays one.
. "$(dirname "$0")/../lib.sh"
begin faulty_device
# shellcheck source=tests/support/faulty_disk.sh
. "$top/tests/support/faulty_disk.sh"
db=$scratch/results.db
value() { sqlite3 "$db" "$1"; }
last="(SELECT max(id) FROM run)"
outcome="SELECT status || ': ' || reason FROM run WHERE id = $last"
device() { timeout 60 "$bin/strata-device" --db "$db" --block-size 4096 --warm-up 0s "$@" > "$scratch/out" 2> "$scratch/err"; }
if [ "$(id -u)" != 0 ] || [ ! -e /dev/fuse ]; then
    skip "faulty devices" "loop devices over FUSE need root and /dev/fuse"
    finish
fi

# ---- the upper half fails with EIO (D8), with --json (D7) -------------------------------------------------
if ! faulty_disk half 16M fail=8MiB-16MiB || ! on_loop "$disk" --direct-io=on; then
    skip "faulty devices" "$missing"
    finish
fi
for engine in sync aio uring; do
    depth=$([ $engine = sync ] && echo 1 || echo 8)
    device --plain "$loop" --op randread --engine $engine --depth "$depth" --limit 4000 --duration 30s --json
    equal "$engine: half the operations fail: exit code" $? 1
    equal "$engine: stdout is one document with the status (D7)" "$(jq -rs 'length, .[0].runs[0].status' "$scratch/out" | xargs)" \
        "1 invalid"
    equal "$engine: … with the failures in it" "$(jq '.runs[0].failed' "$scratch/out")" \
        "$(value "SELECT sum(failed) FROM operation_result JOIN phase ON phase.id = phase_id WHERE run_id = $last")"
    check "$engine: the warning is on stderr (D7)" grep -q "invalid: randread: errors: [0-9]* of 4000 operations failed" "$scratch/err"
    equal "$engine: the errors have a name and the right number (D8)" \
        "$(value "SELECT message, count = (SELECT sum(attempts - ok) FROM v_throughput WHERE run_id = $last), count(*)
            FROM v_error WHERE run_id = $last")" "EIO: Input/output error|1|1"
    check "$engine: about half of 4000 failed" test "$(value "SELECT sum(ok) FROM v_throughput WHERE run_id = $last")" -gt 1700 -a \
        "$(value "SELECT sum(ok) FROM v_throughput WHERE run_id = $last")" -lt 2300
    equal "$engine: the rate and the bytes are those of successes" \
        "$(value "SELECT bytes = 4096 * ok AND abs(ops_per_s * window_s - window_ok) < 1 FROM v_throughput WHERE run_id = $last")" 1
done
device --plain "$loop" --op randwrite --depth 8 --limit 4000 --duration 30s --json --set error-budget=100% --allow-overwrite "$loop"
equal "an error budget of all: the failures are counted all the same" \
    "$(value "SELECT message, count > 1700 FROM v_error WHERE run_id = $last")" "EIO: Input/output error|1"
device --plain "$loop" --op read --offset 8MiB --depth 8 --duration 1s --json
equal "all of it fails: no success, no rate, no latency" \
    "$? $(value "SELECT status, ok, coalesce(ops_per_s, 0) FROM v_throughput WHERE run_id = $last")" "1 failed|0|0"
check "… and stdout is a document" jq -e '.runs[-1].operations == 0' "$scratch/out"

# ---- reads that give less than was asked ---------------------------------------------------------------------
faulty_disk meager 16M short=1024
device --plain "$disk" --op randread --depth 4 --limit 500 --duration 30s
equal "short reads are failures with a name" "$(value "SELECT message, count FROM v_error WHERE run_id = $last")" \
    "fewer bytes than asked|500"

# ---- never-written blocks (D13) -------------------------------------------------------------------------------
never="invalid: unwritten blocks were read: 64 of 64 sampled ones were never written; write the whole of it first"
truncate -s 16M "$scratch/sparse"
on_loop "$scratch/sparse" --direct-io=on
device --plain "$loop" --op randread --depth 4 --limit 320 --duration 30s
equal "a loop device over a file without blocks (D13)" "$(value "$outcome" | grep -o "unwritten.*")" "${never#invalid: }"
dd if=/dev/urandom of="$loop" bs=1M count=16 oflag=direct status=none
device --plain "$loop" --op randread --depth 4 --limit 320 --duration 30s
check "… after it was written whole" test "$(value "SELECT reason LIKE '%unwritten%' FROM run WHERE id = $last")" = 0
if blkdiscard "$loop" 2> "$scratch/log"; then
    device --plain "$loop" --op randread --depth 4 --limit 320 --duration 30s
    equal "… after it was discarded (D13)" "$(value "$outcome" | grep -o "unwritten.*")" "${never#invalid: }"
    device --plain "$loop" --op randread --encrypt aes-xts-256 --pairs 1 --set control=no --depth 4 --limit 320 --duration 30s
    equal "… through the cipher, where it reads as noise (D13)" \
        "$(value "SELECT count(*) FROM run WHERE id >= $last - 1 AND reason LIKE '%unwritten blocks were read: 64 of 64%'")" 2
else
    skip "a discarded device" "$(cat "$scratch/log")"
fi

# ---- served by the page cache (D14) ----------------------------------------------------------------------------
disk_below=$(lsblk -no KNAME "$(findmnt -no SOURCE -T "$scratch")" 2> /dev/null | head -n 1)
if [ -z "$disk_below" ]; then
    skip "reads served by the page cache" "no disk below $scratch"
else
    head -c 32M /dev/urandom > "$scratch/warm"
    sync "$scratch/warm"
    cat "$scratch/warm" > /dev/null
    on_loop "$scratch/warm" # without direct I/O
    device --plain "$loop" --op randread --depth 8 --duration 1s
    equal "a loop device that reads from the page cache (D14)" "$(value "$outcome" | sed -E 's/[0-9]+ bytes of [0-9]+/N bytes of N/')" \
        "invalid: randread: cached: the devices below ${loop#/dev/} moved N bytes of N that were asked"
    losetup --direct-io=on "$loop"
    device --plain "$loop" --op randread --depth 8 --duration 1s
    equal "… is not called so with direct I/O" "$(value "SELECT reason LIKE '%cached%' FROM run WHERE id = $last")" 0
fi
memory=$(mktemp -d /dev/shm/strata-test.XXXXXX)
at_exit 'rm -rf "$memory"'
head -c 16M /dev/urandom > "$memory/file"
on_loop "$memory/file"
device --plain "$loop" --op randread --depth 8 --duration 300ms
equal "over memory nothing else is below: not called cached, and the stack says so" \
    "$(value "SELECT reason LIKE '%cached%', json(storage ->> '\$.stack') FROM run JOIN backend ON backend.id = backend_id WHERE run.id = $last")" \
    "0|[\"${loop#/dev/}\"]"

# ---- two jobs of different speed (D16) --------------------------------------------------------------------------
# One job reads the lower half at 2 ms, one the upper at 12 ms: of 14 operations 12 are fast. So the median
# of all is 2 ms, and the 90th percentile 12 ms; a mean of the jobs' medians would be 7 ms.
faulty_disk lame 16M pace=2ms delay=12ms slow=8MiB-16MiB
device --plain "$disk" --op read --jobs 2 --depth 1 --duration 3s
equal "percentiles are those of both jobs' samples together (D16)" \
    "$(value "SELECT p50_ns / 1000000 BETWEEN 2 AND 4, p90_ns / 1000000 BETWEEN 12 AND 16 FROM v_latency WHERE run_id = $last")" "1|1"
check "… of which about 12 of 14 are fast" test "$(value "SELECT ops_per_s BETWEEN 350 AND 590 FROM v_throughput WHERE run_id = $last")" = 1
finish
