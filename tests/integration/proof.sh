#!/bin/bash
# What counts as encrypted, on real storage: dm-crypt in a kernel of its own, fscrypt and gocryptfs here.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
begin proof
tool=$top/build/tests/support/proof

found() { # found NAME PATTERN: a line of $scratch/found
    if grep -qxE "$2" "$scratch/found"; then pass "$1"; else fail "$1" "no line [$2] in: $(paste -sd'|' "$scratch/found")"; fi
}

# ---- dm-crypt, md, loop in User-mode Linux ----
for image in a b c; do truncate -s 32M "$scratch/$image"; done
head -c 64 /dev/urandom > "$scratch/key"
cat > "$scratch/guest" << END
\$MODPROBE dm-crypt; \$MODPROBE xts; \$MODPROBE dm-integrity; \$MODPROBE raid1; \$MODPROBE loop
cd $scratch
cryptsetup luksFormat -q --type luks2 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 --key-file key /dev/ubda
cryptsetup open --key-file key /dev/ubda luks
cryptsetup open --type plain --cipher aes-cbc-essiv:sha256 --key-size 256 --key-file key --keyfile-size 32 /dev/ubdb plain
cryptsetup open --type plain --cipher cipher_null-ecb --key-size 0 --key-file /dev/null /dev/ubdc null ||
    dmsetup create null --uuid CRYPT-PLAIN-null --table "0 65536 crypt cipher_null-ecb - 0 /dev/ubdc 0"
dmsetup create linear --table "0 4096 linear /dev/mapper/luks 0"
dmsetup create mixed --table "0 4096 linear /dev/mapper/luks 4096
4096 4096 linear /dev/ubdc 0"
dmsetup create bare --uuid CRYPT- --table "0 4096 linear /dev/ubdc 8192"
dmsetup mknodes
mount -t tmpfs tmpfs /mnt
mkfs.ext4 -q /dev/mapper/plain
mkdir /mnt/fs && mount /dev/mapper/plain /mnt/fs && truncate -s 1M /mnt/fs/image
loop=\$(losetup -f --show /mnt/fs/image) && ln -s \$loop /mnt/loop
$tool /dev/ubda /dev/mapper/{luks,plain,null,linear,mixed,bare} /mnt/fs /mnt/loop /mnt
losetup -d \$loop; umount /mnt/fs
END
timeout 200 "$top/tests/servers/uml" "$scratch/guest" ubd0="$scratch/a" ubd1="$scratch/b" ubd2="$scratch/c" > "$scratch/found" 2> "$scratch/err"
if [ $? = 77 ]; then
    skip "dm-crypt" "$(cat "$scratch/found")"
else
    found "the disk below LUKS is plain" '/dev/ubda: none: no dm-crypt device at or below ubda'
    found "LUKS2 with its cipher" '/dev/mapper/luks: structure: dm-0 is CRYPT-LUKS2 \(aes-xts-plain64\)'
    found "key and sectors of LUKS2" '/dev/mapper/luks: cipher aes-xts-plain64, key of 512 bits, sectors of (512|4096) bytes'
    found "key and sectors of plain mode" '/dev/mapper/plain: cipher aes-cbc-essiv:sha256, key of 256 bits, sectors of 512 bytes'
    found "they are those of the device below a volume" '/dev/mapper/linear: cipher aes-xts-plain64, key of 512 bits, .*'
    found "plain mode with its cipher" '/dev/mapper/plain: structure: dm-1 is CRYPT-PLAIN \(aes-cbc-essiv:sha256\)'
    found "a null cipher encrypts nothing" '/dev/mapper/null: none: dm-2 is CRYPT-PLAIN, but its cipher is cipher_null-ecb: nothing is encrypted'
    found "a volume on LUKS is encrypted" '/dev/mapper/linear: structure: dm-0 is CRYPT-LUKS2 .*'
    found "a volume half on LUKS is not" '/dev/mapper/mixed: none: of the 2 devices below dm-4 only 1 are encrypted .*'
    found "a bare CRYPT- proves nothing" '/dev/mapper/bare: none: no dm-crypt device at or below dm-5'
    found "a file system on dm-crypt" '/mnt/fs: structure: dm-1 is CRYPT-PLAIN .*'
    found "a loop device in it" '/mnt/loop: structure: dm-1 is CRYPT-PLAIN .*'
    found "tmpfs has no device" '/mnt: none: no block device that this machine knows holds it'
    found "the stack of a volume" '/dev/mapper/linear: disks dm-3 dm-0 ubda'
    found "the stack of two legs" '/dev/mapper/mixed: disks dm-4 dm-0 ubda ubdc'
    found "the stack of a loop device" '/mnt/loop: disks loop0 dm-1 ubdb'
    check "no key is in what was said" bash -c "! grep -aqF \"\$(xxd -p -l 16 '$scratch/key' 2>/dev/null || od -An -tx1 -N16 '$scratch/key' | tr -d ' ')\" '$scratch/found'"
fi

# ---- fscrypt and gocryptfs here ----
if [ "$(id -u)" != 0 ]; then
    skip "fscrypt" "not root"
else
    truncate -s 32M "$scratch/fs.img"
    mkfs.ext4 -q -F -O encrypt "$scratch/fs.img"
    mkdir "$scratch/fs"
    if loop=$(losetup -f --show "$scratch/fs.img" 2> /dev/null) && at_exit 'losetup -d "$loop"' &&
        mount "$loop" "$scratch/fs" && at_exit 'umount "$scratch/fs"'; then
        mkdir "$scratch/fs/plain" "$scratch/fs/secret"
        if "$tool" --fscrypt "$scratch/fs/secret" 2> "$scratch/err"; then
            truncate -s 1M "$scratch/fs/secret/image"
            inner=$(losetup -f --show "$scratch/fs/secret/image") && at_exit 'losetup -d "$inner"'
            "$tool" "$scratch/fs/plain" "$scratch/fs/secret" "$inner" > "$scratch/found"
            found "a folder beside the encrypted one" ".*/fs/plain: none: no dm-crypt device at or below ${loop#/dev/}"
            found "a folder under fscrypt" '.*/fs/secret: structure: fscrypt policy version 2, contents AES-256-XTS, names AES-256-CTS-CBC(, by .*aes.*)?'
            found "a loop device over a file under fscrypt" "$inner: structure: fscrypt policy version 2, .*"
            below=$(lsblk -no KNAME "$(findmnt -no SOURCE -T "$scratch")" 2> /dev/null | head -n 1)
            found "the stack down to the machine's disk" "$inner: disks ${inner#/dev/} ${loop#/dev/}${below:+ $below}.*"
        else
            skip "fscrypt" "$(cat "$scratch/err")"
        fi
    else
        skip "fscrypt" "no loop devices or mounts here"
    fi
fi
if ! command -v gocryptfs > /dev/null || ! (exec 3<> /dev/fuse) 2> /dev/null; then
    skip "gocryptfs" "not there, or /dev/fuse cannot be opened"
else
    mkdir "$scratch/cipher" "$scratch/clear"
    echo word > "$scratch/word"
    gocryptfs -q -init -scryptn 10 -passfile "$scratch/word" "$scratch/cipher" > /dev/null
    if gocryptfs -q -passfile "$scratch/word" "$scratch/cipher" "$scratch/clear" > /dev/null 2>&1; then
        at_exit 'fusermount3 -u "$scratch/clear"'
        "$tool" "$scratch/clear" "$scratch/cipher" > "$scratch/found"
        found "gocryptfs" ".*/clear: structure: FUSE file system gocryptfs over .*/cipher"
        found "its lower folder is not taken for it" ".*/cipher: none: .*"
    else
        skip "gocryptfs" "it does not mount here"
    fi
fi
# No drive here speaks OPAL; strace answers for one: supported and initialised, with and without locking.
opal() { # opal FLAGS: what is said when the kernel's status has these flags, in hexadecimal
    strace -qq -o "$scratch/calls" -e trace=ioctl -e "inject=ioctl:retval=0:poke_exit=@arg3=${1}00000000000000" \
        "$tool" --opal /dev/null
}
equal "OPAL: locking enabled" "$(opal 07)" locks
check "OPAL: the kernel is asked for its status" grep -q IOC_OPAL_GET_STATUS "$scratch/calls"
equal "OPAL: without locking" "$(opal 03)" "does not lock"
equal "OPAL: a device without it" "$("$tool" --opal /dev/null)" "does not lock"
finish
