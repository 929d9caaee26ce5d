#!/bin/bash
# Verify mode on real storage: a byte that dd flips between writing and reading is named exactly; a
# disk that lies is caught by reading back; nothing is found where nothing is wrong.
. "$(dirname "$0")/../lib.sh"
. "$top/tests/support/faulty_disk.sh"
begin verify
db=$scratch/results.db
value() { sqlite3 "$db" "$1"; }
device() { timeout 120 "$bin/strata-device" --quiet --db "$db" --verify yes --warm-up 0s "$@"; }
last="(SELECT max(id) FROM run)"
outcome="SELECT status || ': ' || reason FROM run WHERE id = $last"

if ! random_loop below 16M; then
    skip "loop devices" "$missing"
    finish
fi

# ---- nothing is wrong ---------------------------------------------------------------------------------------
for operation in write randwrite read randread randrw; do
    device --plain "$loop" --op $operation --block-size 4KiB --depth 16 --jobs 2 --duration 300ms \
        --allow-overwrite "$loop" > /dev/null 2>> "$scratch/err"
done
device --plain "$loop" --encrypt aes-xts-256 --op randrw --block-size 64KiB --depth 4 --pairs 1 \
    --set control=no --duration 300ms --allow-overwrite "$loop" > /dev/null 2>> "$scratch/err"
# 16 operations at a time on 32 blocks meet on one block all the time.
device --plain "$loop" --op randrw --block-size 512KiB --depth 8 --jobs 2 --duration 500ms \
    --allow-overwrite "$loop" > /dev/null 2>> "$scratch/err"
equal "no false alarm: every run has measured" \
    "$(value "SELECT group_concat(reason, '; ') FROM run WHERE id NOT IN (SELECT run_id FROM phase)")" ""
equal "no false alarm: operations that failed" \
    "$(value "SELECT count(DISTINCT run_id) || ' ' || sum(failed) FROM v_throughput")" "8 0"
equal "no false alarm: findings" "$(value "SELECT count(*) FROM run WHERE reason LIKE '%verify%'")" 0
equal "the rate is labelled" \
    "$(value "SELECT workload.name || ' ' || (parameters ->> '\$.verify') FROM run JOIN workload
        ON workload.id = workload_id WHERE run.id = $last")" "randrw 512 KiB depth 8 jobs 2 verify 1"
equal "stamping and checking is a stage of its own" \
    "$(value "SELECT count(*) FROM stage JOIN v_throughput USING (operation_result_id)
        WHERE run_id = $last AND stage = 'verify' AND total_ns > 0")" 2
device --plain "$loop" --op read --block-size 4KiB > /dev/null 2> "$scratch/err"
equal "what is read is written first, so it must be permitted" \
    "$? $(grep -c "is read only until --allow-overwrite $loop" "$scratch/err")" "2 1"
device --plain "$loop" --op read --engine null > /dev/null 2> "$scratch/err"
equal "engine null has nothing to verify" "$? $(grep -c 'engine null keeps nothing' "$scratch/err")" "2 1"
device --plain "$loop" --op randrw --block-size 1MiB --depth 32 --allow-overwrite "$loop" \
    > /dev/null 2> "$scratch/err"
equal "more operations in flight than blocks are stored as unsupported" "$(value "$outcome")" \
    "invalid: randrw: unsupported: verify: 32 operations in flight need a block each, and there are 16"

# ---- dd flips one byte between the writing and the reading ----------------------------------------------------
# Reading has begun when the loop device has read what no preparation reads.
sectors_read() { awk '{print $3}' "/sys/block/${loop#/dev/}/stat"; }
flip_byte() { # flip_byte OFFSET: the byte of the device, which dd reads and writes; sets $was
    was=$(dd if="$scratch/below" bs=1 skip="$1" count=1 status=none | od -An -tu1 | tr -d ' ')
    printf "\\$(printf %03o $((was ^ 255)))" |
        dd of="$scratch/below" bs=1 seek="$1" conv=notrunc,fsync status=none
}
at=7654321 # of the device; block 820 from 1 MiB on, in blocks of 8 KiB
before=$(sectors_read)
device --plain "$loop" --offset 1MiB --op randread --block-size 8KiB --depth 8 --duration 4s \
    --allow-overwrite "$loop" > /dev/null 2> "$scratch/err" &
runs=$!
begun() { [ $(($(sectors_read) - before)) -gt 20000 ]; }
if wait_until 20 begun; then
    flip_byte $at
    wait $runs
    equal "a flipped byte: exit code" $? 1
    equal "a flipped byte is named with block, device, expected and found" \
        "$(value "SELECT substr(reason, instr(reason, 'verify: '), instr(reason, ' (wrong') - instr(reason, 'verify: '))
            FROM run WHERE id = $last")" \
        "$(printf 'verify: block %d, byte %d of %s: expected 0x%02x, found 0x%02x; garbage: 1 of the sector'"'"'s 512 bytes are wrong' \
            $(((at - 1048576) / 8192)) $at "$loop" "$was" $((was ^ 255)))"
    equal "each reading of it is an error of its own" \
        "$(value "SELECT message || ', ' || (sum(count) = (SELECT sum(failed) FROM v_throughput WHERE run_id = $last))
            FROM v_error WHERE run_id = $last")" "what was read is not what was written, 1"
else
    wait $runs
    fail "a flipped byte" "the run never began to read: $(cat "$scratch/err")"
fi

# ---- a disk that lies (FUSE) is caught when what was written is read back ---------------------------------------
if ! faulty_disk lying 8M flip=3000000; then
    skip "a disk that lies" "$missing"
    finish
fi
device --plain "$disk" --op write --block-size 64KiB --depth 4 --limit 128 --duration 60s \
    --allow-overwrite "$disk" > /dev/null 2> "$scratch/err"
equal "written only, read back: exit code" $? 1
real=$(dd if="$backing" bs=1 skip=3000000 count=1 status=none | od -An -tu1 | tr -d ' ')
equal "written only, read back: the byte that is read inverted" "$(value "$outcome")" \
    "$(printf 'invalid: verify: block 45, byte 3000000 of %s: expected 0x%02x, found 0x%02x; garbage: 1 of the sector'"'"'s 512 bytes are wrong (wrong blocks: 1)' \
        "$disk" "$real" $((real ^ 255)))"
kill -USR1 $server
device --plain "$disk" --op write --block-size 64KiB --depth 4 --limit 128 --duration 60s \
    --allow-overwrite "$disk" > /dev/null 2> "$scratch/err"
equal "once it tells the truth" "$(value "$outcome")" "ok: "
# A striped set names the member. Byte 3000000 of the second, in chunks of 64 KiB: chunk 45 there.
kill -USR1 $server
second=$disk
head -c 8M /dev/urandom > "$scratch/first"
device --plain "$scratch/first,$second" --op write --block-size 64KiB --depth 4 --limit 256 \
    --duration 60s --allow-overwrite "$scratch/first" --allow-overwrite "$second" > /dev/null 2> "$scratch/err"
equal "in a striped set: block 91 of the set, byte 3000000 of the member" \
    "$(value "SELECT substr(reason, 1, instr(reason, ': exp') - 1) FROM run WHERE id = $last")" \
    "verify: block 91, byte 3000000 of $second"

# ---- the stamps stand where RAID 0 has them, which an independent program can read --------------------------
check_layout() { # check_layout CHUNK FILE…: sector s of the set must stand where RAID 0 has it
    python3 - "$@" << 'EOF'
import struct, sys
chunk, files = int(sys.argv[1]) // 512, [open(name, "rb").read() for name in sys.argv[2:]]
right = wrong = 0
for member, content in enumerate(files):
    for here in range(len(content) // 512):
        key, sector, generation, magic = struct.unpack_from("<QQII", content, here * 512)
        row, inside = divmod(here, chunk)
        wanted = (row * len(files) + member) * chunk + inside
        right, wrong = (right + 1, wrong) if magic == 0x414d5453 and sector == wanted else (right, wrong + 1)
print(right, wrong)
EOF
}
for name in 0 1 2; do head -c 6M /dev/urandom > "$scratch/member$name"; done
device --plain "$scratch/member0,$scratch/member1,$scratch/member2" --chunk 32KiB --op write \
    --block-size 128KiB --depth 4 --limit 144 --duration 60s --allow-overwrite "$scratch/member0" \
    --allow-overwrite "$scratch/member1" --allow-overwrite "$scratch/member2" > /dev/null 2> "$scratch/err"
equal "three devices in chunks of 32 KiB: sectors in their place, and others" \
    "$(check_layout 32768 "$scratch/member0" "$scratch/member1" "$scratch/member2")" "36864 0"
finish
