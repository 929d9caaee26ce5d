#!/bin/bash
# Sizes as users write them, and sectors as devices have them: 512 and 4096 B loop devices, plain and
# encrypted with sectors of 512 and 4096 B, at offsets and sizes that fit and that do not.
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/support/loop.sh
. "$top/tests/support/loop.sh"
# shellcheck source=tests/support/refused.sh
. "$top/tests/support/refused.sh"
begin sectors
db=$scratch/results.db
value() { sqlite3 "$db" "$1"; }
device() { timeout 60 "$bin/strata-device" --quiet --db "$db" --warm-up 0s --duration 100ms "$@"; }

# ---- each spelling of a size, on the command line (D6) ----------------------------------------------------
truncate -s 8M "$scratch/image"
taken() { # taken TEXT BYTES: as a block size, in the plan
    equal "block size '$1' is $2 bytes (D6)" "$("$bin/strata-device" --plain "$scratch/image" --op read --block-size "$1" \
        --engine null --duration 1ms --warm-up 0s --json --quiet --db "$db" 2> /dev/null | jq -c '[.runs[].bytes / .runs[].operations]')" "[$2]"
}
taken 4KiB 4096
taken 4k 4096
taken 4K 4096
taken 4kB 4000
taken 256KiB 262144
taken 1.5MiB 1572864
taken 512 512
for wrong in 4Ki -1 "4 KiB" 99999999999GiB "" 4kiB 0x1000 1e6 1.3KiB NaN inf +4096 $'4\u202fKiB' ٤KiB 4KiBB 18446744073709551616; do
    refused "size '$wrong' (D6)" 2 "block-size" --plain "$scratch/image" --op read --block-size "$wrong"
    [ -z "$wrong" ] || refused "offset '$wrong' (D6)" 2 "$wrong" --plain "$scratch/image" --op read --offset "$wrong"
done

for sector in 512 4096; do
    if ! random_loop below.$sector 8M --sector-size $sector; then
        skip "sectors of $sector" "$missing"
        continue
    fi
    # ---- regions (D4) ----
    refused "$sector B sectors: offset of half a sector (D4)" 2 "not a multiple of the logical block, $sector bytes" \
        --plain "$loop" --offset $((sector / 2))
    refused "$sector B sectors: size of one and a half (D4)" 2 "not a multiple of the logical block, $sector bytes" \
        --plain "$loop" --size $((sector + sector / 2))
    refused "$sector B sectors: an offset past the end (D4)" 2 "beyond its end at 8388608 bytes" --plain "$loop" --offset 8392704
    refused "$sector B sectors: an offset at the end (D4)" 2 "do not hold a block" --plain "$loop" --offset 8MiB
    refused "$sector B sectors: offset and size past the end (D4)" 2 "beyond its end at 8388608 bytes" \
        --plain "$loop" --offset 8257536 --size 256KiB
    # What is written stays within offset and size: the bytes around it are as before.
    around() { { head -c 1M "$scratch/below.$sector"; tail -c 6M "$scratch/below.$sector"; } | sha256sum; }
    inside() { tail -c +$((1048576 + 1)) "$scratch/below.$sector" | head -c 1M | sha256sum; }
    before=$(around) within=$(inside)
    device --plain "$loop" --op randwrite --block-size 64KiB --depth 4 --offset 1MiB --size 1MiB --allow-overwrite "$loop"
    equal "$sector B sectors: nothing is written outside of the region (D4)" "$(around)" "$before"
    check "$sector B sectors: … and the region is (D4)" test "$(inside)" != "$within"

    # ---- block sizes below a sector, plain and encrypted (D3) ----
    for tweak in 512 4096; do
        rm -f "$db"
        device --plain "$loop" --encrypt aes-xts-256 --sector-size $tweak --op randwrite --block-size 512,4096,64KiB --depth 4 \
            --pairs 1 --set control=no --allow-overwrite "$loop"
        check "$sector B sectors, $tweak B under a tweak: the sweep ends" test $? -le 1
        for side in 0 1; do
            least=$([ $side = 1 ] && [ $tweak -gt $sector ] && echo $tweak || echo $sector)
            equal "$sector B sectors, $tweak B under a tweak, encrypted $side: unsupported (D3)" \
                "$(value "SELECT group_concat(block_bytes) FROM (SELECT block_bytes FROM run JOIN workload ON workload.id = workload_id
                    JOIN backend ON backend.id = backend_id WHERE encrypted = $side AND run.reason LIKE '%unsupported: %' ORDER BY 1)")" \
                "$([ "$least" = 4096 ] && echo 512)"
            equal "… the others have figures" "$(value "SELECT count(DISTINCT block_bytes) FROM v_throughput
                WHERE encrypted = $side AND block_bytes >= $least AND ok > 0 AND ops_per_s > 0")" \
                "$([ "$least" = 4096 ] && echo 2 || echo 3)"
        done
        equal "… and no zeros stand for what cannot be (D3)" "$(value "SELECT count(*) FROM v_throughput WHERE ok = 0 OR ops_per_s = 0")" 0
    done
done
finish
