#!/bin/bash
# Several devices at once: striped, side by side, one held against another; and sweeps at their ends.
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/support/loop.sh
. "$top/tests/support/loop.sh"
# shellcheck source=tests/support/refused.sh
. "$top/tests/support/refused.sh"
begin device_sets
db=$scratch/results.db
value() { sqlite3 "$db" "$1"; }
device() { timeout 120 "$bin/strata-device" --quiet --db "$db" "$@"; }
random_loop a 16M && a=$loop && random_loop b 16M && b=$loop && random_loop c 20M && c=$loop
if [ -z "${c:-}" ]; then
    skip "loop devices" "$missing"
    finish
fi
last="(SELECT max(id) FROM run)"

# ---- striped ------------------------------------------------------------------------------------------------
# The kernel's own counts: 96 chunks of a whole pass over three devices are 32 on each.
sectors_written() { awk '{print $7}' "/sys/block/${1#/dev/}/stat"; }
for engine in aio uring sync; do
    depth=$([ $engine = sync ] && echo 1 || echo 8)
    before=("$(sectors_written "$a")" "$(sectors_written "$b")" "$(sectors_written "$c")")
    device --plain "$a,$b,$c" --chunk 64KiB --op write --block-size 256KiB --engine $engine \
        --depth "$depth" --limit 24 --duration 60s --warm-up 0s --allow-overwrite "$a" \
        --allow-overwrite "$b" --allow-overwrite "$c" > /dev/null 2> "$scratch/err"
    equal "$engine: exit code" $? 0
    after=("$(sectors_written "$a")" "$(sectors_written "$b")" "$(sectors_written "$c")")
    equal "$engine: 24 blocks of 256 KiB are 2 MiB on each of three devices" \
        "$((after[0] - before[0])) $((after[1] - before[1])) $((after[2] - before[2]))" "4096 4096 4096"
done
equal "the set is stored with its members" \
    "$(value "SELECT location || ' ' || (storage ->> '\$.arrangement') || ' ' ||
        (storage ->> '\$.chunk_bytes') || ' ' || (storage ->> '\$.members[2].path') FROM backend
        WHERE id = (SELECT backend_id FROM run WHERE id = $last)")" \
    "$a and $b and $c striped 65536 $c"
# The smallest counts: 16 MiB of each, 48 MiB in all, are 192 blocks in one pass of 192 operations.
device --plain "$a,$c,$b" --op read --block-size 256KiB --depth 4 --limit 192 --duration 60s \
    --warm-up 0s > /dev/null 2> "$scratch/err"
equal "one pass reads the smallest member's size from each" \
    "$(value "SELECT group_concat(read_bytes, ' ') FROM v_disk WHERE run_id = $last
        AND disk IN ('${a#/dev/}', '${b#/dev/}', '${c#/dev/}')")" "16777216 16777216 16777216"
device --plain "$a,$b" --encrypt aes-xts-256 --op randrw --block-size 4KiB --depth 4 --pairs 1 \
    --duration 200ms --warm-up 0s --set control=no --allow-overwrite "$a" --allow-overwrite "$b" \
    > /dev/null 2> "$scratch/err"
equal "with the cipher over it: plain and encrypted" \
    "$(value "SELECT group_concat(status || ' ' || proof) FROM (SELECT * FROM v_run
        WHERE run_id > $last - 2 ORDER BY encrypted)")" "ok none,ok functional"

refused "the same device twice" 2 "are the same device" --plain "$a,$a"
ln -s "$a" "$scratch/link"
refused "the same device by another name" 2 "$a and $scratch/link are the same device" \
    --plain "$a,$scratch/link"
refused "a member that is not allowed" 2 "$b: is read only until --allow-overwrite $b" \
    --plain "$a,$b" --op write --allow-overwrite "$a"
refused "a member that is missing" 3 "$scratch/absent: No such file" --plain "$a,$scratch/absent"
mkfs.ext4 -q -F "$b"
refused "a member with a file system" 2 "$b: carries: ext4 file system" \
    --plain "$a,$b" --op write --allow-overwrite "$a" --allow-overwrite "$b"
refused "an arrangement of one device" 2 "arrangement: there is one device only" \
    --plain "$a" --arrangement striped
refused "half a sector as chunk" 2 "chunk: 768 is not a multiple of 512 bytes" \
    --plain "$a,$b" --chunk 768
random_loop wide 16M --sector-size 4096 && wide=$loop
device --plain "$a,$wide" --op randread --block-size 512 --duration 100ms > /dev/null 2>&1
equal "512 B on a set with a member of 4096 B sectors is stored as unsupported (D3)" \
    "$(value "SELECT status || ': ' || reason FROM run WHERE id = $last")" \
    "invalid: unsupported: $wide: block size 512 is not a multiple of its logical block, 4096 bytes"

# ---- side by side ----------------------------------------------------------------------------------------------
cat > "$scratch/side.xml" << EOF
<strata version="1"><backends>
  <device name="both" path="$a" and="$c" arrangement="side-by-side"/>
  <device name="one" path="$a"/>
</backends><device-layer>
  <workload operations="read randread" block-size="4KiB" depth="4" jobs="2 4 3" duration="300ms"
            warm-up="0s" repetitions="1"/>
</device-layer></strata>
EOF
device --config "$scratch/side.xml" > /dev/null 2> "$scratch/err"
equal "jobs that the devices cannot share evenly are stored as unsupported" \
    "$(value "SELECT reason FROM run WHERE reason LIKE '%unsupported%'
        AND backend_id = (SELECT max(id) FROM backend WHERE name = 'both')")" \
    "read: unsupported: jobs: 3 is not a multiple of the 2 devices side by side
randread: unsupported: jobs: 3 is not a multiple of the 2 devices side by side"
equal "each device has results, which add up to the whole" \
    "$(value "SELECT count(*) || ' ' || sum(parts = 2 AND ok = part_ok AND bytes = part_bytes)
        FROM (SELECT t.ok, t.bytes, count(*) AS parts, sum(m.ok) AS part_ok, sum(m.bytes) AS part_bytes
              FROM v_throughput t JOIN v_member m USING (run_id, phase, operation)
              WHERE t.backend = 'both' AND t.ok > 0 GROUP BY run_id)")" "4 4"
equal "the kernel counted the same bytes on each device" \
    "$(value "SELECT count(*) || ' ' || sum(abs(d.read_bytes - m.bytes) <= 4 * 4096 * 4)
        FROM v_member m JOIN v_disk d ON d.run_id = m.run_id AND '/dev/' || d.disk = m.member
        WHERE m.phase = 'randread'")" "4 4"
equal "a single device has no members" \
    "$(value "SELECT count(*) FROM v_member WHERE backend = 'one'")" 0

# A member that lies on no device below (tmpfs) makes no cache of the other member's disk.
head -c 16M /dev/urandom > "/dev/shm/strata-test.$$"
at_exit "rm -f /dev/shm/strata-test.$$"
if on_loop "/dev/shm/strata-test.$$" --direct-io=on; then
    device --plain "$loop,$c" --arrangement side-by-side --jobs 2 --op randread --block-size 4KiB --depth 4 \
        --duration 300ms --warm-up 0s > /dev/null 2> "$scratch/err"
    equal "memory beside a disk: not called cached" \
        "$(value "SELECT count(*) FROM run WHERE id = $last AND reason LIKE '%cached%'")" 0
else
    skip "memory beside a disk" "$missing"
fi

# ---- read-share and the ends of the sweeps -----------------------------------------------------------------------
device --plain "$c" --op randrw --read-share 0%,50%,100% --limit 1000 --duration 60s --warm-up 0s \
    --block-size 512 --depth 1024 --allow-overwrite "$c" > /dev/null 2> "$scratch/err"
equal "the share of reads sweeps, exact at its ends, at depth 1024" \
    "$(value "SELECT group_concat(workload || ': ' || status || ' ' || o, '; ') FROM
        (SELECT workload, status, group_concat(operation || ' ' || ok) AS o FROM
           (SELECT * FROM v_throughput WHERE run_id > $last - 3 ORDER BY run_id, operation)
         GROUP BY run_id)")" \
    "randrw 0/100 512 B depth 1024: ok write 1000; randrw 50/50 512 B depth 1024: ok read 500,write 500; randrw 100/0 512 B depth 1024: ok read 1000"
device --plain "$c" --op read --block-size 64MiB --depth 1 > /dev/null 2> "$scratch/err"
equal "64 MiB on 20 MiB is refused by name" "$(grep -c 'do not hold a block of 67108864' "$scratch/err")" 1
truncate -s 192M "$scratch/c" && losetup -c "$c" && dd if=/dev/urandom of="$c" bs=1M count=192 status=none
device --plain "$c" --op read,randread --block-size 512 --depth 1,256 --jobs 1,8 --duration 200ms \
    --warm-up 0s > /dev/null 2> "$scratch/err"
device --plain "$c" --op read,randread --block-size 64MiB --depth 1,3 --limit 6 --duration 60s \
    --warm-up 0s > /dev/null 2> "$scratch/err"
equal "512 B at depth 1 to 256 with 1 and 8 jobs, and 64 MiB: none failed" \
    "$(value "SELECT count(*) || ' ' || sum(failed + timed_out + abandoned) || ' ' || sum(ok > 0)
        FROM v_throughput WHERE run_id > $last - 12")" "12 0 12"
finish
