#!/bin/bash
# Images written through the crypt filter are read by implementations that know nothing of Strata,
# and theirs by the filter: python3-cryptography, the kernel's own xts(aes) that dm-crypt uses, and
# cryptsetup where the kernel has device-mapper.
. "$(dirname "$0")/../lib.sh"
begin crypt_image
tool=$top/build/tests/support/crypt_image
blocks=256
head -c $((blocks * 4096)) /dev/urandom > "$scratch/plain"
head -c 32 /dev/urandom > "$scratch/key128"
head -c 64 /dev/urandom > "$scratch/key256"

# by_hand IMPLEMENTATION encrypt|decrypt KEY SECTOR INPUT OUTPUT: sector by sector, the tweak being
# the number of the sector's first 512 bytes (plain64). Exit code 77: not available here.
by_hand() {
    /usr/bin/python3 - "$@" << 'END'
import socket, sys
implementation, direction, key_file, sector, source, destination = sys.argv[1:]
sector = int(sector)
key = open(key_file, "rb").read()
data = open(source, "rb").read()

def by_library():
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    def one(tweak, block):
        cipher = Cipher(algorithms.AES(key), modes.XTS(tweak))
        run = cipher.encryptor() if direction == "encrypt" else cipher.decryptor()
        return run.update(block) + run.finalize()
    return one

def by_kernel():
    try:
        listener = socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET)
        listener.bind(("skcipher", "xts(aes)"))
    except OSError as error:
        print(error)
        sys.exit(77)
    listener.setsockopt(socket.SOL_ALG, socket.ALG_SET_KEY, key)
    operation = socket.ALG_OP_ENCRYPT if direction == "encrypt" else socket.ALG_OP_DECRYPT
    connection, _ = listener.accept()
    def one(tweak, block):
        connection.sendmsg_afalg([block], op=operation, iv=tweak)
        return connection.recv(len(block))
    return one

one = {"python": by_library, "kernel": by_kernel}[implementation]()
with open(destination, "wb") as out:
    for position in range(0, len(data), sector):
        tweak = (position // 512).to_bytes(8, "little") + bytes(8)
        out.write(one(tweak, data[position:position + sector]))
END
}

# both_ways IMPLEMENTATION KEY SECTOR BLOCK
both_ways() {
    local implementation=$1 key=$scratch/$2 sector=$3 block=$4 name="$1, $2, sector $3, block $4"
    rm -f "$scratch/image" "$scratch/theirs" "$scratch/back"
    if ! reason=$(by_hand "$implementation" encrypt "$key" "$sector" "$scratch/plain" \
        "$scratch/theirs" 2>&1); then
        skip "$name" "not available: $reason"
        return
    fi
    truncate -s "$(stat -c %s "$scratch/plain")" "$scratch/image"
    check "$name: write" "$tool" write "$key" "$sector" "$block" 0 "$scratch/image" "$scratch/plain"
    check "$name: same ciphertext" cmp "$scratch/image" "$scratch/theirs"
    by_hand "$implementation" decrypt "$key" "$sector" "$scratch/image" "$scratch/back"
    check "$name: they read it back" cmp "$scratch/back" "$scratch/plain"
    rm -f "$scratch/back"
    check "$name: read theirs" "$tool" read "$key" "$sector" "$block" 0 "$scratch/theirs" "$scratch/back"
    check "$name: same plaintext" cmp "$scratch/back" "$scratch/plain"
}
for implementation in python kernel; do
    both_ways $implementation key128 512 512
    both_ways $implementation key256 512 4096
    both_ways $implementation key256 4096 64KiB
    both_ways $implementation key128 4096 4096
done

# The sector number counts from the region's first byte, not from the device's.
truncate -s $((blocks * 4096 + 8192)) "$scratch/shifted"
check "offset: write" "$tool" write "$scratch/key256" 512 4096 8KiB "$scratch/shifted" "$scratch/plain"
by_hand python encrypt "$scratch/key256" 512 "$scratch/plain" "$scratch/theirs"
check "offset: counts from the region's start" cmp <(tail -c +8193 "$scratch/shifted") "$scratch/theirs"
check "offset: nothing before it" cmp -n 8192 "$scratch/shifted" /dev/zero

# What cryptsetup opens, where there is a device-mapper to open it.
if ! grep -qw device-mapper /proc/devices || [ "$(id -u)" != 0 ]; then
    skip "cryptsetup" "it needs root and the kernel's device-mapper"
else
    for sector in 512 4096; do
        truncate -s "$(stat -c %s "$scratch/plain")" "$scratch/image"
        "$tool" write "$scratch/key256" $sector 4096 0 "$scratch/image" "$scratch/plain"
        device=$(losetup --find --show "$scratch/image")
        at_exit "losetup -d $device 2>/dev/null"
        mapping=strata-test-$$
        at_exit "cryptsetup close $mapping 2>/dev/null"
        check "cryptsetup, sector $sector: open" cryptsetup open --type plain --readonly \
            --cipher aes-xts-plain64 --key-size 512 --sector-size $sector \
            --key-file "$scratch/key256" "$device" "$mapping"
        check "cryptsetup, sector $sector: same plaintext" cmp "/dev/mapper/$mapping" "$scratch/plain"
        cryptsetup close "$mapping"
    done
fi
finish
