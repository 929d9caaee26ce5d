#!/bin/bash
# Images written through the crypt filter are read by implementations that know nothing of Strata,
# and theirs by the filter: python3-cryptography, and cryptsetup with the kernel's dm-crypt.
. "$(dirname "$0")/../lib.sh"
begin crypt_image
tool=$top/build/tests/support/crypt_image
blocks=256
head -c $((blocks * 4096)) /dev/urandom > "$scratch/plain"
head -c 32 /dev/urandom > "$scratch/key128"
head -c 64 /dev/urandom > "$scratch/key256"

# by_hand encrypt|decrypt KEY SECTOR INPUT OUTPUT: with python3-cryptography, sector by sector, the
# tweak being the number of the sector's first 512 bytes (plain64).
by_hand() {
    /usr/bin/python3 - "$@" << 'END'
import sys
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
direction, key_file, sector, source, destination = sys.argv[1:]
sector = int(sector)
key = open(key_file, "rb").read()
data = open(source, "rb").read()
with open(destination, "wb") as out:
    for position in range(0, len(data), sector):
        tweak = (position // 512).to_bytes(8, "little") + bytes(8)
        cipher = Cipher(algorithms.AES(key), modes.XTS(tweak))
        run = cipher.encryptor() if direction == "encrypt" else cipher.decryptor()
        out.write(run.update(data[position:position + sector]) + run.finalize())
END
}

# both_ways KEY SECTOR BLOCK
both_ways() {
    local key=$scratch/$1 sector=$2 block=$3 name="$1, sector $2, block $3"
    rm -f "$scratch/image" "$scratch/theirs" "$scratch/back"
    check "$name: by hand" by_hand encrypt "$key" "$sector" "$scratch/plain" "$scratch/theirs"
    truncate -s "$(stat -c %s "$scratch/plain")" "$scratch/image"
    check "$name: write" "$tool" write "$key" "$sector" "$block" 0 "$scratch/image" "$scratch/plain"
    check "$name: same ciphertext" cmp "$scratch/image" "$scratch/theirs"
    check "$name: read theirs" "$tool" read "$key" "$sector" "$block" 0 "$scratch/theirs" "$scratch/back"
    check "$name: same plaintext" cmp "$scratch/back" "$scratch/plain"
}
both_ways key128 512 512
both_ways key256 512 4096
both_ways key256 4096 64KiB
both_ways key128 4096 4096

# The sector number counts from the region's first byte, not from the device's.
truncate -s $((blocks * 4096 + 8192)) "$scratch/shifted"
check "offset: write" "$tool" write "$scratch/key256" 512 4096 8KiB "$scratch/shifted" "$scratch/plain"
by_hand encrypt "$scratch/key256" 512 "$scratch/plain" "$scratch/theirs"
check "offset: counts from the region's start" cmp <(tail -c +8193 "$scratch/shifted") "$scratch/theirs"
check "offset: nothing before it" cmp -n 8192 "$scratch/shifted" /dev/zero

# What the kernel's dm-crypt makes of them, in a kernel of our own where the machine's has none. Each
# image is one of the four kinds, on a device of its own.
number=0
images=()
: > "$scratch/guest"
echo '$MODPROBE dm-crypt; $MODPROBE xts' >> "$scratch/guest"
for kind in "key128 512" "key128 4096" "key256 512" "key256 4096"; do
    read -r key sector <<< "$kind"
    image=$scratch/image$number
    letter=$(printf "\\$(printf %o $((97 + number)))")
    truncate -s "$(stat -c %s "$scratch/plain")" "$image"
    "$tool" write "$scratch/$key" "$sector" 4096 0 "$image" "$scratch/plain"
    cat >> "$scratch/guest" << END
cryptsetup open --type plain --readonly --cipher aes-xts-plain64 --sector-size $sector \
    --key-size $((8 * $(stat -c %s "$scratch/$key"))) --key-file $scratch/$key /dev/ubd$letter open &&
    cmp /dev/mapper/open $scratch/plain && echo "same $kind"
cryptsetup close open
END
    images+=("ubd$number=$image")
    number=$((number + 1))
done
"$top/tests/servers/uml" "$scratch/guest" "${images[@]}" > "$scratch/log" 2>&1
if [ $? = 77 ]; then
    skip "dm-crypt" "$(cat "$scratch/log")"
else
    for kind in "key128 512" "key128 4096" "key256 512" "key256 4096"; do
        if grep -qx "same $kind" "$scratch/log"; then pass "dm-crypt reads $kind"; else
            fail "dm-crypt reads $kind" "$(tail -n 3 "$scratch/log")"
        fi
    done
fi
finish
