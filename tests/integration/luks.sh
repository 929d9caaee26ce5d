#!/bin/bash
# Plain against LUKS, on real storage without device-mapper: the loss by block size of a pair that differs
# in the encryption alone, and what stands in the images behind it.
. "$(dirname "$0")/../lib.sh"
begin luks
db=$scratch/results.db lab=$scratch/luks
sql() { sqlite3 "$db" "$1"; }
at_exit '"$top/tests/servers/luks" down "$lab"'
"$top/tests/servers/luks" up "$lab" 32 2> "$scratch/err"
case $? in
0) ;;
3) skip "LUKS" "$(cat "$scratch/err")"; finish ;;
*) fail "LUKS" "$(cat "$scratch/err")"; finish ;;
esac
plain=$(readlink "$lab/plain") encrypted=$(readlink "$lab/encrypted")

cat > "$scratch/luks.xml" << XML
<strata version="1">
  <campaign name="luks" pairs="5" control="no"/>
  <backends>
    <device name="raw" path="$plain"/>
    <device name="luks" path="$encrypted" twin-of="raw" encryption="provider"
            evidence="qemu-storage-daemon deciphers $lab/images/encrypted.img, LUKS1 aes-xts-plain64"/>
  </backends>
  <device-layer>
    <workload operations="randread randwrite" block-size="4KiB 64KiB 1MiB" depth="1" duration="150ms" warm-up="0s"/>
  </device-layer>
</strata>
XML
timeout 100 "$bin/strata-device" --config "$scratch/luks.xml" --db "$db" --quiet --json \
    --allow-overwrite "$plain" --allow-overwrite "$encrypted" > "$scratch/json" 2> "$scratch/err"
check "the campaign ends with a verdict" test $? -le 1
equal "5 pairs of each of 6 workloads" "$(sql "SELECT count(*), count(DISTINCT workload_id), sum(status IN ('ok', 'invalid')) FROM run")" "60|6|60"
equal "the encryption is asserted, with its evidence" "$(sql "SELECT proof, evidence LIKE '%LUKS1 aes-xts-plain64%' FROM backend
    WHERE encrypted = 1")" "asserted|1"

# ---- the loss -------------------------------------------------------------------------------------------------
# On a crowded machine a run may be judged invalid, and its pair with it; fewer than 5 have no bounds.
equal "each workload has a loss, with bounds from 5 pairs" "$(sql "SELECT count(loss_fraction),
    count(*) FILTER (WHERE pairs = 5 AND NOT coalesce(loss_optimistic_fraction <= loss_fraction AND loss_fraction <= loss_pessimistic_fraction, 0))
    FROM v_penalty WHERE metric = 'throughput'")" "6|0"
equal "… and mean rates that are those of the pairs" "$(sql "SELECT count(*) FROM v_penalty JOIN
    (SELECT workload_id, avg(encrypted_ops_per_s) / avg(plain_ops_per_s) AS ratio FROM v_pair GROUP BY 1) USING (workload_id)
    WHERE metric = 'throughput' AND abs(encrypted_mean_ops_per_s / plain_mean_ops_per_s - ratio) < 1e-9")" 6
check "encryption costs something at 1 MiB" test "$(sql "SELECT min(loss_fraction) > 0 FROM v_penalty
    WHERE metric = 'throughput' AND workload LIKE '%1 MiB%'")" = 1
sqlite3 "$db" < "$top/results/queries/loss_by_block_size.sql" > "$scratch/table"
equal "one query prints the table of losses" "$? $(grep -c 'randread\|randwrite' "$scratch/table")" "0 4"
cat "$scratch/table"

# ---- what stands behind the devices --------------------------------------------------------------------------
# Pieces of what the devices hold now, which the runs wrote, looked for in the images as bytes.
cat > "$scratch/look.py" << 'PY'
import collections, math, os, sys
device, image = sys.argv[1:]
with open(image, "rb") as file:
    behind = file.read()
fd = os.open(device, os.O_RDONLY)
pieces = [os.pread(fd, 64, offset) for offset in range(4096, 16 << 20, 1 << 20)]
counts = collections.Counter(behind[-(4 << 20):])
bits = -sum(n / (4 << 20) * math.log2(n / (4 << 20)) for n in counts.values())
print(sum(piece in behind for piece in pieces), len(pieces), "high" if bits > 7.99 else "low")
PY
for device in "$plain" "$encrypted"; do blockdev --flushbufs "$device"; done
equal "the raw image holds what the plain device does" "$(/usr/bin/python3 "$scratch/look.py" "$plain" "$lab/images/plain.img")" "16 16 high"
equal "the LUKS image holds none of what the encrypted device does" \
    "$(/usr/bin/python3 "$scratch/look.py" "$encrypted" "$lab/images/encrypted.img")" "0 16 high"
printf 'S%.0s' {1..4096} | dd of="$encrypted" bs=4096 seek=8 oflag=direct conv=notrunc status=none
equal "… nor a pattern of one letter, which reads back through it" \
    "$(grep -c 'SSSSSSSS' "$lab/images/encrypted.img") $(dd if="$encrypted" bs=4096 skip=8 count=1 iflag=direct status=none | tr -d S | wc -c)" "0 0"
equal "cryptsetup sees LUKS with the cipher" "$(cryptsetup luksDump "$lab/images/encrypted.img" | sed -nE 's/^Cipher (name|mode):[[:space:]]*//p' | xargs)" \
    "aes xts-plain64"

# ---- nothing stays --------------------------------------------------------------------------------------------
"$top/tests/servers/luks" down "$lab"
equal "down leaves no loop device, mount, process or file" \
    "$(losetup -a | grep -c "$lab") $(grep -c " $lab" /proc/self/mounts) $(pgrep -f "qemu-storage-daemon.*$lab" | wc -l) $([ -e "$lab" ] && echo left)" "0 0 0 "
finish
