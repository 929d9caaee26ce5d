#!/bin/bash
# Ciphers and key derivation in memory, against openssl speed and Python's hashlib on this machine.
. "$(dirname "$0")/../lib.sh"
begin cipher
db=$scratch/results.db
device() { timeout 120 "$bin/strata-device" --quiet --db "$db" "$@"; }
value() { sqlite3 "$db" "$1"; }
last="(SELECT max(id) FROM run)"

# ---- as fast as openssl speed, both directions --------------------------------------------------
# openssl speed counts processor time, so the rate here is also that of the processor time: what else
# runs on the machine is in neither. The best of two of each, in turn.
compare() { # compare CIPHER OPENSSL-NAME BYTES
    local cipher=$1 name=$2 bytes=$3 direction option
    for direction in encrypt decrypt; do
        option=$([ $direction = decrypt ] && echo -decrypt)
        for _ in 1 2; do
            openssl speed -mr -seconds 1 -bytes "$bytes" $option -evp "$name" 2> /dev/null |
                sed -n 's/^+F:.*:\([0-9.]*\)$/\1/p' >> "$scratch/theirs.$cipher.$direction"
            device --scenario cipher --ciphers "$cipher" --directions $direction --block-size "$bytes" \
                --sector-size "$bytes" --duration 700ms > /dev/null
            value "SELECT bytes * 1e9 / process_cpu_ns FROM v_resource WHERE run_id = $last" \
                >> "$scratch/ours.$cipher.$direction"
        done
        between "$cipher $direction of $bytes B over openssl speed" \
            "$(sort -gr "$scratch/ours.$cipher.$direction" | head -n 1 | awk -v theirs="$(sort -gr \
                "$scratch/theirs.$cipher.$direction" | head -n 1)" '{ printf "%.3f", $1 / theirs }')" 0.8 1.3
    done
}
compare aes-xts-512 aes-256-xts 65536
compare aes-cbc-128 aes-128-cbc 65536

# ---- what is stored -----------------------------------------------------------------------------
device --scenario cipher --jobs 1,2 --duration 200ms --warm-up 20ms > "$scratch/out"
equal "five ciphers, one and two threads, both directions: exit code" $? 0
equal "each of them has a rate" \
    "$(value "SELECT count(*), count(DISTINCT category), min(ops_per_s > 0) FROM v_throughput
        WHERE campaign_id = (SELECT max(id) FROM campaign)")" "20|5|1"
equal "no rule on devices or on the tool is held against them" \
    "$(value "SELECT count(*) FROM v_invalid WHERE reason LIKE '%cached%' OR reason LIKE '%depth%' OR reason LIKE '%tool-bound%'")" 0
equal "the key's bits stand with each" \
    "$(value "SELECT group_concat(category || ' ' || (parameters ->> 'key_bits') || ' ' ||
        (parameters ->> 'cipher_key_bits'), ', ') FROM (SELECT category, parameters FROM workload
        WHERE element = 'cipher' AND concurrency = 1 AND parameters ->> 'sector_bytes' = 512 ORDER BY category)")" \
    "aes-cbc-128 128 128, aes-cbc-256 256 256, aes-xts-256 256 128, aes-xts-512 512 256, chacha20 256 256"
equal "memory is nowhere, and plain" \
    "$(value "SELECT DISTINCT name, layer, location, encrypted, proof, json_type(storage, '\$.kernel_ciphers')
        FROM backend")" "memory|device||0|none|object"
driver=$(awk -F ' *: ' '$1 == "name" { wanted = $2 == "xts(aes)" } $1 == "driver" { driver = $2 }
    $1 == "priority" && wanted && $2 > best { best = $2; chosen = driver } END { print chosen }' /proc/crypto)
equal "the kernel's own driver is named" \
    "$(value "SELECT coalesce(storage -> 'kernel_ciphers' ->> 'xts(aes)', '') FROM backend ORDER BY id DESC LIMIT 1")" \
    "$driver"
equal "nothing is compared, no control" \
    "$(value "SELECT count(*) FROM comparison; SELECT count(*) FROM run WHERE cell <> 'single'")" "0
0"

# ---- key derivation, against hashlib ------------------------------------------------------------
device --scenario key-derivation --duration 700ms --iterations 20000 > "$scratch/out"
equal "key derivation: exit code" $? 0
cat > "$scratch/derive.py" << 'END'
import hashlib, time
def best(work):
    times = []
    for _ in range(5):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return 1 / min(times)
print(best(lambda: hashlib.pbkdf2_hmac("sha256", b"p" * 32, b"s" * 16, 20000, 32)),
      best(lambda: hashlib.pbkdf2_hmac("sha512", b"p" * 32, b"s" * 16, 20000, 32)),
      best(lambda: hashlib.scrypt(b"p" * 32, salt=b"s" * 16, n=16384, r=8, p=1, dklen=32, maxmem=1 << 26)))
END
read -r sha256 sha512 scrypt <<< "$(python3 "$scratch/derive.py")"
for pair in "pbkdf2-sha256 $sha256" "pbkdf2-sha512 $sha512" "scrypt $scrypt"; do
    read -r function theirs <<< "$pair"
    between "$function over hashlib" "$(value "SELECT round(ok * 1e9 / process_cpu_ns / $theirs, 3)
        FROM v_resource JOIN v_run USING (run_id) WHERE category = '$function'")" 0.6 1.7
done
version=$(openssl version | sed 's/^OpenSSL \([0-9]*\)\.\([0-9]*\).*/\1 \2/')
if [ "$(printf '%s\n3 2\n' "$version" | sort -V | head -n 1)" = "3 2" ]; then
    equal "Argon2id has a rate" "$(value "SELECT status, ops_per_s > 0 FROM v_throughput WHERE category = 'argon2id'")" "ok|1"
else
    equal "Argon2id is unsupported, not zero" \
        "$(value "SELECT status, reason LIKE 'unsupported: OpenSSL 3.% has no argon2id; 3.2 is the first' FROM v_run
            WHERE category = 'argon2id'; SELECT count(*) FROM v_throughput WHERE category = 'argon2id'")" "invalid|1
0"
fi

# ---- beside encrypted devices -------------------------------------------------------------------
# As Strata's filter names its ciphers, by the key of AES, and in a campaign with the ladder and all.
head -c 16M /dev/urandom > "$scratch/disk"
cat > "$scratch/headroom.xml" << END
<strata version="1">
  <campaign name="headroom" pairs="2"/>
  <backends>
    <device name="disk" path="$scratch/disk"/>
    <device name="disk-aes256" path="$scratch/disk" twin-of="disk" encryption="aes-xts-256"/>
    <device name="disk-aes128" path="$scratch/disk" twin-of="disk" encryption="aes-xts-128" sector-size="4096"/>
  </backends>
  <device-layer>
    <transfer operations="read" engine="sync" depth="1" block-size="64KiB" jobs="1 2" duration="150ms" warm-up="20ms"/>
    <cipher ciphers="aes-xts-256 aes-xts-512" jobs="1 2" duration="400ms" warm-up="20ms" repetitions="1"/>
    <cipher ciphers="aes-xts-256" sector-size="4096" duration="400ms" warm-up="20ms" repetitions="1"/>
  </device-layer>
  <ladder sizes="64KiB" concurrency="1" duration="100ms"/>
</strata>
END
check "the configuration is valid under the schema" xmllint --nonet --noout --relaxng "$top/config/strata.rng" "$scratch/headroom.xml"
# On a busy machine a run may be invalid, for time that was stolen from it: then once more.
for try in 1 2 3 4; do
    db=$scratch/headroom$try.db
    device --config "$scratch/headroom.xml" --allow-overwrite "$scratch/disk" > "$scratch/out" 2> "$scratch/err"
    code=$?
    [ "$(value "SELECT count(*) FROM v_invalid")" != 0 ] || break
done
equal "a campaign with devices and ciphers: exit code" "$code|$(cat "$scratch/err")" "0|"
equal "each device is held against its own cipher" \
    "$(value "SELECT DISTINCT encrypted_backend, jobs, cipher, key_bits, direction, cipher_threads, sector_bytes, cipher_sector_bytes
        FROM v_cipher_headroom WHERE workload LIKE 'transfer%' ORDER BY 1, 2")" \
    "disk-aes128|1|aes-xts-256|256|decrypt|1|4096|4096
disk-aes128|2|aes-xts-256|256|decrypt|1|4096|4096
disk-aes256|1|aes-xts-512|512|decrypt|1|512|512
disk-aes256|2|aes-xts-512|512|decrypt|2|512|512"
equal "the rates are those of the runs" \
    "$(value "SELECT count(*), max(abs(cipher_bytes_per_s - (SELECT avg(bytes_per_s) FROM v_throughput t
            WHERE t.operation = 'decrypt' AND t.category = h.cipher AND t.concurrency = h.cipher_threads AND t.status = 'ok'
              AND t.workload LIKE iif(h.cipher_sector_bytes = 512, '%sector 512 B%', '%sector 4 KiB%')))
          + abs(encrypted_bytes_per_s - (SELECT avg(bytes_per_s) FROM v_throughput t WHERE t.backend = h.encrypted_backend
              AND t.workload_id = h.workload_id AND t.status = 'ok' AND t.cell = 'pair' AND t.operation = 'read'))) < 1
        FROM v_cipher_headroom h WHERE operation = 'read'")" "$(value "SELECT count(*) FROM v_cipher_headroom
        WHERE operation = 'read'")|1"
equal "memory is on no ladder, in no comparison and no A/A cell" \
    "$(value "SELECT (SELECT count(*) FROM v_layer WHERE backend = 'memory'),
        (SELECT count(*) FROM v_penalty WHERE 'memory' IN (plain_backend, encrypted_backend)),
        (SELECT count(*) FROM v_run WHERE backend = 'memory' AND cell <> 'single')")" "0|0|0"
sentence='aes-xts-512 \(AES-256\) could decrypt [0-9.]+ .iB/s on [12] threads?, disk-aes256 reads [0-9.]+ .iB/s at most \([a-z].+\), plain [0-9.]+ .iB/s\.'
for format in text markdown html; do
    file=$scratch/report.$format
    if [ $format = text ]; then "$bin/strata" report --db "$db" > "$file"; else
        "$bin/strata" report --db "$db" --$format $([ $format = html ] && echo "$file") > "$scratch/stdout"
        [ $format = html ] || mv "$scratch/stdout" "$file"
    fi
    # Markdown writes a backslash before what would be its own sign.
    check "the report says it in words ($format)" grep -Eq "$sentence" <(tr -d '\\' < "$file")
    check "… and has the baselines in a table ($format)" grep -q "The cipher alone, in memory" "$file"
done
db=$scratch/results.db

# ---- what is refused ----------------------------------------------------------------------------
refused() { # refused NAME TEXT ARGUMENTS…: exit code 2 and that line
    local name=$1 text=$2
    shift 2
    device "$@" > "$scratch/out" 2> "$scratch/err"
    equal "$name" "$?|$(cat "$scratch/err")" "2|strata-device: $text"
}
refused "a sector that does not divide the block" "sector-size: 4KiB does not divide the block size 6KiB" \
    --scenario cipher --block-size 6KiB --sector-size 4KiB
refused "a cost of scrypt that is no power of two" "scrypt-n: 1000 is not a power of two" \
    --scenario key-derivation --functions scrypt --scrypt-n 1000
refused "a cost of scrypt beyond reason" \
    "scrypt-n: 16777216 with scrypt-r 8 takes 16384 MiB, expected 1024 at most" \
    --scenario key-derivation --functions scrypt --scrypt-n 16777216
refused "a place for what has none" \
    "--scenario cipher runs in memory: --plain, --encrypted and --encrypt do not go with it" \
    --scenario cipher --plain "$scratch/out"
finish
