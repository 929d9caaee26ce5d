#!/bin/bash
# What strata-device must never overwrite: each case is refused with the finding named, and the bytes
# of the device are the same afterwards.
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/support/loop.sh
. "$top/tests/support/loop.sh"
begin device_safety
db=$scratch/results.db

# image NAME BYTES: a file full of random bytes, which carries no signature.
image() { head -c "$2" /dev/urandom > "$scratch/$1" && echo "$scratch/$1"; }

write_to() { # write_to TARGET ARGUMENTS…
    local target=$1
    shift
    timeout 60 "$bin/strata-device" --plain "$target" --op write --block-size 4096 --depth 1 \
        --duration 100ms --warm-up 0s --quiet --db "$db" "$@"
}

# refused NAME TARGET EXIT-CODE TEXT ARGUMENTS…: one line on stderr that holds the text, nothing on
# stdout, that exit code, and the target's content untouched.
refused() {
    local name=$1 target=$2 code=$3 text=$4 before after got
    shift 4
    before=$(sha256sum < "$target")
    write_to "$target" "$@" > "$scratch/out" 2> "$scratch/err"
    got=$?
    after=$(sha256sum < "$target")
    equal "$name: exit code" "$got" "$code"
    equal "$name: one line" "$(wc -l < "$scratch/err")" 1
    if grep -qF -- "$text" "$scratch/err"; then pass "$name: says why"; else
        fail "$name: says why" "[$(cat "$scratch/err")] lacks [$text]"
    fi
    equal "$name: nothing written" "$after" "$before"
}

# written NAME TARGET ARGUMENTS…: it goes through, and the content is another one. Exit code 1 is a
# verdict on the run (these are short, and a loop device may be cached), not a refusal.
written() {
    local name=$1 target=$2 before
    shift 2
    before=$(sha256sum < "$target")
    write_to "$target" "$@" > "$scratch/out" 2> "$scratch/err"
    if [ $? -le 1 ]; then pass "$name: runs"; else fail "$name: runs" "$(cat "$scratch/err")"; fi
    if [ "$(sha256sum < "$target")" != "$before" ]; then pass "$name: is written"; else
        fail "$name: is written" "the content is as before"
    fi
}

# ---- kinds of path that are no device (D2; no root needed) -------------------------------------------
mkfifo "$scratch/fifo"
for wrong in /dev/null /dev/zero /dev/ "$scratch" "$scratch/fifo" ""; do
    for operation in read write; do
        timeout 60 "$bin/strata-device" --plain "$wrong" --op $operation --duration 100ms --quiet \
            --allow-overwrite "$wrong" --db "$db" > "$scratch/out" 2> "$scratch/err"
        equal "$operation of [${wrong#"$scratch"}]: exit code" $? 2
        equal "$operation of [${wrong#"$scratch"}]: one line" "$(wc -l < "$scratch/err")" 1
    done
done

# ---- files ---------------------------------------------------------------------------------------
file=$(image file 16M)
refused "file without permission" "$file" 2 "read only until --allow-overwrite $file"
other=$(image other 1M)
refused "permission for another file" "$file" 2 "read only until" --allow-overwrite "$other"
ln -s "$file" "$scratch/link"
written "permission by another name of the file" "$file" --allow-overwrite "$scratch/link"
equal "a permitted file keeps its size" "$(stat -c %s "$file")" $((16 << 20))
mkfs.ext4 -q -F "$file"
refused "file with ext4" "$file" 2 "ext4 file system" --allow-overwrite "$file"
written "file with ext4, signature given up" "$file" --allow-overwrite "$file" \
    --allow-overwrite-signature
sleep_holder() { exec sleep 60 5<>"$1"; }
held=$(image held 1M)
sleep_holder "$held" &
holder=$!
at_exit "kill $holder 2>/dev/null; wait $holder 2>/dev/null"
# wait_for_open: until the holder has the file open.
wait_for_open() {
    local tries=0
    until [ -e /proc/$holder/fd/5 ] || [ $((tries += 1)) -gt 100000 ]; do :; done
}
wait_for_open
refused "file open for writing elsewhere" "$held" 3 "open for writing in process $holder" \
    --allow-overwrite "$held"
kill $holder && wait $holder 2>/dev/null

# ---- devices (D1) -------------------------------------------------------------------------------------
if [ "$(id -u)" != 0 ]; then
    skip "devices" "loop devices need root"
    finish
fi

if ! on_loop "$(image plain 16M)"; then
    skip "devices" "$missing"
    finish
fi

refused "device without permission" "$loop" 2 "read only until --allow-overwrite $loop"
refused "file below a loop device" "$scratch/plain" 3 "the storage of loop device ${loop#/dev/}" \
    --allow-overwrite "$scratch/plain"
written "permitted device without a signature" "$loop" --allow-overwrite "$loop"

signature() { # signature NAME TEXT COMMAND…: the command marks $loop
    local name=$1 text=$2
    shift 2
    on_loop "$(image "$name" 16M)"
    if ! "$@" > "$scratch/log" 2>&1; then
        skip "$name" "$1 failed: $(tail -n 1 "$scratch/log")"
        return
    fi
    refused "$name" "$loop" 2 "$text" --allow-overwrite "$loop"
}
signature ext4 "ext4 file system" eval 'mkfs.ext4 -q -F "$loop"'
signature gpt "gpt partition table" eval 'printf "label: gpt\n,\n" | sfdisk -q --no-reread "$loop"'
signature dos "dos partition table" eval 'printf "label: dos\n,\n" | sfdisk -q --no-reread "$loop"'
signature luks "crypto_LUKS signature" eval \
    'printf key | cryptsetup -q luksFormat --type luks1 --pbkdf-force-iterations 1000 "$loop" -'
signature luks2 "crypto_LUKS signature" eval \
    'printf key | cryptsetup -q luksFormat --type luks2 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 \
    --luks2-metadata-size 16k --luks2-keyslots-size 256k "$loop" -'
signature swap "swap" eval 'mkswap "$loop"'
# LVM's label in sector 1, its checksum seeded as LVM does.
lvm_label() {
    /usr/bin/python3 - "$1" << 'END'
import struct, sys, zlib
content = struct.pack("<I8s", 32, b"LVM2 001") + b"0123456789abcdef" * 2
content += struct.pack("<QQQQQQ", 16 << 20, 1 << 20, 0, 0, 0, 0)
content = content.ljust(512 - 20, b"\0")
crc = zlib.crc32(content, 0xf597a6cf ^ 0xffffffff) ^ 0xffffffff
with open(sys.argv[1], "r+b") as device:
    device.seek(512)
    device.write(b"LABELONE" + struct.pack("<QI", 1, crc) + content)
END
}
signature lvm "LVM2_member signature" eval 'lvm_label "$loop"'

on_loop "$(image mounted 16M)"
mkfs.ext4 -q -F "$loop"
mkdir "$scratch/mnt"
if mount "$loop" "$scratch/mnt"; then
    at_exit "umount $scratch/mnt 2>/dev/null"
    refused "mounted device" "$loop" 3 "mounted at $scratch/mnt" --allow-overwrite "$loop" \
        --allow-overwrite-signature
    timeout 60 "$bin/strata-device" --plain "$loop" --op read --block-size 4096 --depth 1 \
        --duration 100ms --quiet --db "$db" > "$scratch/out" 2> "$scratch/err"
    if [ $? -le 1 ]; then pass "a mounted device may be read"; else
        fail "a mounted device may be read" "$(cat "$scratch/err")"
    fi
    umount "$scratch/mnt"
else
    skip "mounted device" "mount failed"
fi

# A mount that only another namespace sees.
mkfifo "$scratch/ready"
unshare --mount --propagation private sh -c "mount $loop $scratch/mnt && echo > $scratch/ready &&
    exec sleep 60" &
namespace=$!
at_exit "kill $namespace 2>/dev/null; wait $namespace 2>/dev/null"
if timeout 10 cat "$scratch/ready" > /dev/null; then
    refused "device mounted in another namespace" "$loop" 3 "mounted at" \
        --allow-overwrite "$loop" --allow-overwrite-signature
else
    skip "device mounted in another namespace" "unshare failed"
fi
kill $namespace 2>/dev/null
wait $namespace 2>/dev/null

on_loop "$(image swapping 16M)"
mkswap "$loop" > /dev/null 2>&1
if swapon "$loop" 2> "$scratch/log"; then
    at_exit "swapoff $loop 2>/dev/null"
    refused "swap in use" "$loop" 3 "swap space" --allow-overwrite "$loop" \
        --allow-overwrite-signature
    swapoff "$loop"
else
    skip "swap in use" "$(cat "$scratch/log")"
fi

on_loop "$(image disk 32M)" --partscan
printf 'label: gpt\nsize=16MiB\n,\n' | sfdisk -q "$loop" > /dev/null 2>&1
partx --update "$loop" 2> /dev/null
if [ -b "${loop}p1" ] && mkfs.ext4 -q -F "${loop}p1" && mount "${loop}p1" "$scratch/mnt"; then
    at_exit "umount $scratch/mnt 2>/dev/null"
    refused "whole disk with a mounted partition" "$loop" 3 "mounted at $scratch/mnt" \
        --allow-overwrite "$loop" --allow-overwrite-signature
    refused "mounted partition" "${loop}p1" 3 "mounted at $scratch/mnt" \
        --allow-overwrite "${loop}p1" --allow-overwrite-signature
    umount "$scratch/mnt"
else
    skip "partitions" "the kernel shows no partitions of loop devices"
fi

on_loop "$(image stacked 16M)"
below=$loop
on_loop "$below"
refused "device below a loop device" "$below" 3 "the storage of loop device ${loop#/dev/}" \
    --allow-overwrite "$below"

on_loop "$(image open 16M)"
sleep_holder "$loop" &
holder=$!
at_exit "kill $holder 2>/dev/null; wait $holder 2>/dev/null"
wait_for_open
refused "device open for writing elsewhere" "$loop" 3 "open for writing in process $holder" \
    --allow-overwrite "$loop"
finish
