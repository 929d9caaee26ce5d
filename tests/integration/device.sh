#!/bin/bash
# strata-device against independent witnesses: the kernel's counts, strace, and what it must refuse.
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/support/loop.sh
. "$top/tests/support/loop.sh"
# shellcheck source=tests/support/refused.sh
. "$top/tests/support/refused.sh"
begin device
db=$scratch/results.db

# Direct I/O needs a file system that has it: tmpfs since Linux 6.6, else a disk.
space=$(mktemp -d /dev/shm/strata-test.XXXXXX)
at_exit 'rm -rf "$space"'
if ! dd if=/dev/zero of="$space/probe" oflag=direct bs=4096 count=1 status=none 2> /dev/null; then
    space=$scratch
fi
file=$space/file
head -c 16M /dev/urandom > "$file"

device() { timeout 120 "$bin/strata-device" --quiet --db "$db" "$@"; }
value() { sqlite3 "$db" "$1"; }
last="(SELECT max(id) FROM run)"
attempts="SELECT sum(attempts) FROM v_throughput WHERE run_id = $last"

# within NAME GOT WANT: equal to one in a hundred
within() {
    if [ "${3:-0}" -gt 0 ] && [ $((($2 - $3) * 100)) -le "$3" ] && [ $((($3 - $2) * 100)) -le "$3" ]; then
        pass "$1 ($2, $3)"
    else
        fail "$1" "$2 against $3"
    fi
}

# ---- the number of operations ---------------------------------------------------------------------
strace -f -qq -e trace=io_submit -e raw=io_submit -o "$scratch/trace" \
    "$bin/strata-device" --quiet --db "$db" --plain "$file" --op randread --block-size 512 \
    --depth 32 --duration 500ms --warm-up 0s --json > "$scratch/json" 2> "$scratch/err"
equal "512 B random reads at depth 32: exit code" $? 0
submitted=$(sed -n 's/.*io_submit.*= \(0x[0-9a-f]*\|[0-9]*\)$/\1/p' "$scratch/trace" |
    while read -r taken; do echo $((taken)); done | awk '{sum += $1} END {print sum}')
within "operations are those that io_submit took" "$(jq '.runs[0].operations' "$scratch/json")" \
    "$submitted"
equal "bytes are 512 for each" "$(jq '.runs[0].bytes' "$scratch/json")" \
    $((512 * $(jq '.runs[0].operations' "$scratch/json")))
equal "status" "$(jq -r '.runs[0].status' "$scratch/json")" ok
equal "the JSON is one document" "$(jq -s length "$scratch/json")" 1

device --plain "$file" --op randrw --read-share 70% --limit 10000 --duration 60s --warm-up 0s \
    --allow-overwrite "$file" > /dev/null 2> "$scratch/err"
equal "randrw keeps its share exactly" \
    "$(value "SELECT group_concat(operation || ' ' || ok, ', ') FROM (SELECT operation, ok FROM
        operation_result o JOIN phase p ON p.id = o.phase_id WHERE run_id = $last ORDER BY 1)")" \
    "read 7000, write 3000"

# ---- jobs (D12) and engines (D10, D11) -----------------------------------------------------------------------------
strace -f -qq -e trace=pread64 -e raw=pread64 -o "$scratch/trace" \
    "$bin/strata-device" --quiet --db "$db" --plain "$file" --op read --engine sync --jobs 4 \
    --block-size 8KiB --limit 2000 --duration 60s --warm-up 0s > /dev/null 2> "$scratch/err"
# Which fourth of the file each thread read from (a call that strace split begins on its own line).
ranges=$(sed -n 's/^\([0-9]*\) *pread64(0x[0-9a-f]*, 0x[0-9a-f]*, 0x2000, \(0x[0-9a-f]*\|0\).*/\1 \2/p' \
    "$scratch/trace" | while read -r thread offset; do
    echo "$thread $((offset / (4 << 20)))"
done | sort -u)
equal "4 sequential jobs read 4 ranges" "$(echo "$ranges" | wc -l)" 4
equal "each range by one job" "$(echo "$ranges" | cut -d' ' -f2 | sort -u | tr '\n' ' ')" "0 1 2 3 "
refused "sync at depth 32" 2 "depth: 32" --plain "$file" --engine sync --depth 32
device --plain "$file" --engine sync --duration 50ms --warm-up 0s > /dev/null 2>&1
equal "sync is recorded at depth 1" \
    "$(value "SELECT w.concurrency FROM run r JOIN workload w ON w.id = workload_id WHERE r.id = $last")" 1

for code in EPERM ENOSYS; do
    strace -f -qq -e trace=io_uring_setup -e inject=io_uring_setup:error=$code -o "$scratch/trace" \
        "$bin/strata-device" --quiet --db "$db" --plain "$file" --engine uring --duration 50ms \
        --warm-up 0s > /dev/null 2>&1
    equal "io_uring forbidden by $code: falls back to" \
        "$(value "SELECT json_extract(parameters, '\$.engine') || ', asked ' ||
            json_extract(parameters, '\$.engine_asked') FROM run r JOIN workload w
            ON w.id = workload_id WHERE r.id = $last")" "aio, asked uring"
    reason=$(value "SELECT json_extract(parameters, '\$.engine_reason') FROM run r JOIN workload w
        ON w.id = workload_id WHERE r.id = $last")
    if [ -n "$reason" ]; then pass "io_uring forbidden by $code: $reason"; else
        fail "io_uring forbidden by $code" "no reason stored"
    fi
done

# A kernel that knows less than all of io_uring: what it refuses is left out, the engine stays.
uring() { # uring WHEN [OPTION...]: with io_uring_setup refused WHEN, as strace counts
    local when=$1
    shift
    strace -f -qq -e trace=io_uring_setup,io_uring_register \
        ${when:+-e inject=io_uring_setup:error=EINVAL:when=$when} -o "$scratch/trace" \
        "$bin/strata-device" --quiet --db "$db" --plain "$file" --engine uring --duration 50ms \
        --warm-up 0s "$@" > /dev/null 2>&1
    value "SELECT json_extract(parameters, '\$.engine') || ' ' || r.status FROM run r
        JOIN workload w ON w.id = workload_id WHERE r.id = $last"
}
last_flags() { sed -n 's/.*io_uring_setup([0-9]*, {flags=\([^, ]*\).*/\1/p' "$scratch/trace" | tail -n 1; }
probe=$("$bin/strata-device" --dry-run --plain "$file" --engine uring --db "$db" 2>&1)
if [[ $probe == *uring* ]]; then
    equal "io_uring works" "$(uring "")" "uring ok"
    check "buffers are registered" grep -q 'IORING_REGISTER_BUFFERS.*= 0' "$scratch/trace"
    check "the file is registered" grep -q 'IORING_REGISTER_FILES.*= 0' "$scratch/trace"
    check "a single issuer with deferred work is asked for" grep -q \
        'flags=\(0x3000\|IORING_SETUP_SINGLE_ISSUER|IORING_SETUP_DEFER_TASKRUN\)' "$scratch/trace"
    equal "one refusal is stepped over" "$(uring 1+2)" "uring ok"
    equal "to a ring with" "$(last_flags)" IORING_SETUP_COOP_TASKRUN
    equal "a kernel that refuses all of it" "$(uring 1+)" "aio ok"
    equal "polled I/O of a file on tmpfs, or whose device has no polled queues" \
        "$(uring "" --polled yes)" "uring invalid"
    check "says why" grep -q '^unsupported: polled I/O on ' \
        <(value "SELECT reason FROM run WHERE id = $last")
    refused "polled I/O with another engine" 2 "polled: engine aio waits" --plain "$file" --polled yes
else
    skip "io_uring is not here: $probe"
fi

# ---- regions (D4, D5) --------------------------------------------------------------------------------------
refused "offset of half a block" 2 "not a multiple of the logical block, 512 bytes" \
    --plain "$file" --offset 256
refused "size of a block and a half" 2 "not a multiple of the logical block, 512 bytes" \
    --plain "$file" --size 768
refused "size beyond the end" 2 "beyond its end at 16777216 bytes" --plain "$file" --size 3GiB
refused "key of the wrong length" 2 "expected exactly 64 raw bytes" --plain "$file" \
    --encrypt aes-xts-256 --key-file "$db"
head -c 64 /dev/zero > "$scratch/zeros"
refused "key with equal halves" 2 "halves are equal" --plain "$file" --encrypt aes-xts-256 \
    --key-file "$scratch/zeros"
refused "a plain file called dm-crypt" 3 "is not seen to be encrypted" --plain "$file" --encrypted "$file"
refused "no such path" 3 "No such file or directory" --plain "$space/absent"

# ---- what must not be believed (D13, D8) --------------------------------------------------------------------
truncate -s 16M "$space/sparse"
device --plain "$space/sparse" --op randread --limit 320 --duration 60s --warm-up 0s > /dev/null 2>&1
equal "a file with no good run: exit code" $? 1
equal "unwritten blocks make a run invalid" \
    "$(value "SELECT status || ': ' || substr(reason, 1, 32) FROM run WHERE id = $last")" \
    "invalid: unwritten blocks were read: 64 o"

# Every second pread64 from the 1000th fails with EIO; the run ends by its limit.
strace -f -qq -e trace=pread64 -e inject=pread64:error=EIO:when=1000+2 -o "$scratch/trace" \
    "$bin/strata-device" --quiet --db "$db" --plain "$file" --op randread --engine sync \
    --limit 3000 --duration 60s --warm-up 0s --set error-budget=100% > /dev/null 2> "$scratch/err"
injected=$(grep -c 'EIO.*INJECTED' "$scratch/trace")
equal "EIO is counted as often as it came" \
    "$(value "SELECT message || ' ' || count FROM v_error WHERE run_id = $last")" \
    "EIO: Input/output error $injected"
equal "failures are in no rate" \
    "$(value "SELECT attempts - ok FROM v_throughput WHERE run_id = $last")" "$injected"

# ---- loop devices (D3, D4) ---------------------------------------------------------------------------------
if ! random_loop below 16M --sector-size 4096; then
    skip "loop devices" "$missing"
    finish
fi
device --plain "$loop" --op randread --block-size 512,4096 --duration 200ms --warm-up 0s \
    > "$scratch/out" 2> "$scratch/err"
equal "512 B on 4096 B sectors: the 512 B case is stored" \
    "$(value "SELECT status || ': ' || reason FROM run r JOIN workload w ON w.id = workload_id
        WHERE block_bytes = 512 AND r.id >= $last - 1")" \
    "invalid: unsupported: $loop: block size 512 is not a multiple of its logical block, 4096 bytes"
equal "512 B on 4096 B sectors: no figures for it" \
    "$(value "SELECT count(*) FROM phase WHERE run_id = $last - 1")" 0
check "512 B on 4096 B sectors: the 4096 B case has run" test "$(value "$attempts")" -gt 0
refused "offset of 512 on 4096 B sectors" 2 "not a multiple of the logical block, 4096 bytes" \
    --plain "$loop" --offset 512

# The kernel's own count of the device: completed reads before and after.
reads() { awk '{print $1}' "/sys/block/${loop#/dev/}/stat"; }
random_loop below 64M
before=$(reads)
device --plain "$loop" --op randread --block-size 512 --depth 32 --duration 500ms --warm-up 0s \
    > "$scratch/out" 2> "$scratch/err"
after=$(reads)
within "operations are those that the kernel counted" "$(value "$attempts")" $((after - before))

# Phases that are over before a look at the counters can be taken: the kernel counted every byte.
device --plain "$loop" --op read --block-size 4KiB --depth 4 --limit 40 --warm-up 20ms --runs 20 \
    > "$scratch/out" 2> "$scratch/err"
equal "phases of a millisecond are not called cached for a look that came late" \
    "$(value "SELECT count(*), count(*) FILTER (WHERE status = 'ok') FROM v_run WHERE campaign_id = (SELECT max(id) FROM campaign)")" "20|20"
equal "… nor is a look kept that saw less than the most of them" \
    "$(value "SELECT count(*) FROM v_disk JOIN v_run USING (run_id) WHERE read_amplification < 0.5
        AND campaign_id = (SELECT max(id) FROM campaign)")" 0
finish
