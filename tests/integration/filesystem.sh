#!/bin/bash
# strata-filesystem on real XFS, ext4 with fscrypt and gocryptfs: what it counts against what strace and
# the disk images show, and how it ends when space, permission or the user stops it.
. "$(dirname "$0")/../lib.sh"
begin filesystem
chmod 711 "$scratch" # another user's test looks below it
program=$bin/strata-filesystem
db=$scratch/results.db

# run DATABASE ARGUMENTS…: at most a minute; its messages and exit code in $scratch/said and $code.
run() {
    local database=$1
    shift
    timeout 60 "$program" --quiet --db "$database" "$@" > "$scratch/out" 2> "$scratch/said"
    code=$?
}
said() { grep -q -- "$1" "$scratch/said" || { cat "$scratch/said"; false; }; }
ask() { sqlite3 "$1" "$2"; } # ask DATABASE SQL
ok_of() { # ok_of DATABASE PHASE: successes of that phase in the last run
    ask "$1" "SELECT sum(o.ok) FROM operation_result o JOIN phase p ON p.id = o.phase_id
              WHERE p.name = '$2' AND p.run_id = (SELECT max(id) FROM run)"
}
is_empty() { [ -z "$(ls -A "$1" | grep -v '^lost+found$')" ] || { ls -lA "$1"; false; }; }

# attach NAME SIZE MKFS…: a file system in an image of that size, mounted at $scratch/NAME.
attach() {
    local name=$1 size=$2 device
    shift 2
    truncate -s "$size" "$scratch/$name.img" && "$@" "$scratch/$name.img" > "$scratch/mkfs.log" 2>&1 &&
        device=$(losetup --find --show "$scratch/$name.img") || return 1
    at_exit "losetup -d $device"
    mkdir "$scratch/$name" && mount "$device" "$scratch/$name" || return 1
    at_exit "mountpoint -q $scratch/$name && umount $scratch/$name"
    chmod 755 "$scratch/$name"
}

# --- counts, against strace (F2, F3) ----------------------------------------------------------------------------
# traced PATTERN: system calls that succeeded and match it.
traced() { cat "$scratch"/trace.* | grep -E -- "$1" | grep -c -v ' = -1 '; }

count_calls() { # count_calls TITLE DIRECTORY LAYOUT ARGUMENTS…
    local title=$1 directory=$2 layout=$3 trees=2
    shift 3
    [ "$layout" = shared ] && trees=1
    rm -f "$scratch"/trace.* "$db"
    timeout 120 strace -ff -qq -o "$scratch/trace" \
        -e trace=mkdirat,openat,newfstatat,renameat,renameat2,unlinkat,syncfs,fadvise64 \
        "$program" --quiet --db "$db" --plain "$directory" --layout "$layout" --jobs 2 "$@" > /dev/null 2>&1
    equal "$title: every phase has its operations" \
        "$(for phase in mkdir create sync stat read rename unlink rmdir; do ok_of "$db" $phase; done | xargs)" \
        "$trees 301 1 301 301 301 301 $trees"
    # Who may not drop the page cache opens each file once more, untimed, to advise the kernel.
    local advised
    advised=$(traced 'fadvise64\([0-9]+, 0, 0, POSIX_FADV_DONTNEED')
    equal "$title: strace sees as many calls" \
        "$(for call in 'mkdirat\([0-9]+, "t\.' 'openat\([0-9]+, "f\..*O_EXCL' 'syncfs\(' 'newfstatat\([0-9]+, "f\.' \
            'openat\([0-9]+, "f\..*O_RDONLY' 'renameat2?\([0-9]+, "f\.' 'unlinkat\([0-9]+, "r\.' \
            'unlinkat\([0-9]+, "t\..*AT_REMOVEDIR'; do traced "$call"; done | xargs)" \
        "$trees 301 1 301 $((301 + advised)) 301 301 $trees"
    equal "$title: strace sees no failure of these calls" \
        "$(cat "$scratch"/trace.* | grep -E '"(t|f|r)\.' | grep -c ' = -1 ')" 0
    equal "$title: the counters are looked at before each phase and after it" \
        "$(ask "$db" 'SELECT count(*), min(between_s >= elapsed_s) FROM v_resource
                      JOIN v_throughput USING (run_id, phase)')" "9|1"
    check "$title: the tree is gone" is_empty "$directory"
}

# --- any directory -------------------------------------------------------------------------------------
mkdir "$scratch/plain"
count_calls "unique, empty files" "$scratch/plain" unique --files 301
count_calls "shared, 5000 B files" "$scratch/plain" shared --files 301 --file-size 5000
equal "bytes read are the files'" \
    "$(ask "$db" "SELECT sum(o.bytes) FROM operation_result o JOIN phase p ON p.id = o.phase_id WHERE p.name = 'read'")" \
    $((301 * 5000))
equal "the parts of create and read fit into its time, and none is zero" \
    "$(ask "$db" "SELECT count(*), sum(total <= h.sum_ns), min(least > 0) FROM
        (SELECT operation_result_id id, sum(total_ns) total, min(total_ns) least FROM stage GROUP BY 1) s
        JOIN histogram h ON h.operation_result_id = s.id AND h.kind = 'response'")" "2|2|1"
equal "an operation faster than a microsecond is not zero" \
    "$(ask "$db" "SELECT count(*) > 0 AND min(min_ns) > 0 FROM histogram")" 1

rm -f "$db"
run "$db" --plain "$scratch/plain" --files 200000 --jobs 2 --duration 40ms --directories 3
equal "a time limit cuts create: later phases address what was made" \
    "$(ask "$db" "SELECT sum(failed), sum(ok) FILTER (WHERE operation = 'create') BETWEEN 1 AND 199999,
        sum(ok) FILTER (WHERE operation = 'create') >= sum(ok) FILTER (WHERE operation = 'stat')
        FROM operation_result")" "0|1|1"
check "a time limit: the tree is gone" is_empty "$scratch/plain"
check "a dry run of 2^40 files overflows nothing" \
    timeout 10 "$program" --plain "$scratch/plain" --files 1099511627776 --file-size 1TiB --jobs 256 --dry-run
run "$db" --plain "$scratch/plain" --files 3 --jobs 8
equal "fewer files than jobs" "$code $(ok_of "$db" create) $(ok_of "$db" unlink)" "0 3 3"

run "$db" --plain "$scratch/nowhere"
equal "a directory that is not there: exit code" $code 3
check "a directory that is not there: named" said "$scratch/nowhere: No such file"
run "$db" --plain nfs://host/export
equal "an NFS address: exit code" $code 2
check "an NFS address: says what to give instead" said "where it is mounted"
mkdir "$scratch/other"
run "$db" --plain "$scratch/plain" --encrypted "$scratch/other" --files 10
equal "a twin that nothing tells apart from its plain one: exit code" $code 3
check "a twin that nothing tells apart: says so" said "same file system as its plain twin"
run "$db" --plain /etc/passwd
equal "no directory: exit code" $code 3

# --- interrupted (F8) ---------------------------------------------------------------------------------------
rm -f "$db"
timeout --foreground 60 "$program" --quiet --db "$db" --plain "$scratch/plain" --files 5000000 --jobs 2 \
    > /dev/null 2> "$scratch/said" &
pid=$!
for _ in {1..400}; do
    [ -e "$(echo "$scratch"/plain/strata-*/t.0/f.0.100)" ] && break
    sleep 0.05 # until the phase that makes files has begun
done
kill -INT $pid # timeout passes it on, once as it is in the foreground
wait $pid
equal "SIGINT: exit code" $? 130
equal "SIGINT: what there was is stored" \
    "$(ask "$db" "SELECT r.status, sum(o.ok) > 100 FROM run r JOIN phase p ON p.run_id = r.id
        JOIN operation_result o ON o.phase_id = p.id WHERE o.operation = 'create'")" "aborted|1"
check "SIGINT: the tree is gone" is_empty "$scratch/plain"

# --- somebody else's file in the tree --------------------------------------------------------------------
rm -f "$db"
for _ in {1..2000}; do
    tree=$(echo "$scratch"/plain/strata-*)
    [ -e "$tree/t.0" ] && touch "$tree/t.0/notes" && break
    sleep 0.01 # until there is a tree
done &
run "$db" --plain "$scratch/plain" --files 20000
wait $!
equal "a foreign file stays, alone" "$(cd "$scratch/plain" && find strata-* -type f ! -name .strata-run | cut -d/ -f2-)" \
    "t.0/notes"
equal "a foreign file: the run says where it is" \
    "$(ask "$db" "SELECT count(*) FROM run WHERE reason LIKE '%t.0/notes: not made by this run%'")" 1
rm -rf "$scratch"/plain/strata-*

# --- quota, by an injected fault (each of the two jobs' syncs fails from the third on) ------------------
cat > "$scratch/ladder.xml" << XML
<strata version="1"><campaign name="quota" pairs="1" control="no"/>
<backends><filesystem name="plain" path="$scratch/plain"/></backends>
<ladder sizes="64KiB" concurrency="2" amount="1MiB"/></strata>
XML
rm -f "$db"
timeout 60 strace -f -qq -o /dev/null -e trace=fsync -e inject=fsync:error=EDQUOT:when=3+ \
    "$program" --quiet --db "$db" --config "$scratch/ladder.xml" > /dev/null 2>&1
equal "quota: what was made, what failed, what was read" \
    "$(ask "$db" "SELECT group_concat(ok || ' ' || failed, ', ') FROM operation_result WHERE operation IN ('create', 'read')")" \
    "4 12, 4 0"
equal "quota: named" \
    "$(ask "$db" "SELECT status, reason LIKE '%quota used up: % 4 of 16 files were made' FROM run")" "invalid|1"
check "quota: the tree is gone" is_empty "$scratch/plain"

# --- gocryptfs -----------------------------------------------------------------------------------------
mkdir "$scratch/cipher" "$scratch/clear"
echo "a password of the test" > "$scratch/password"
if gocryptfs -q -init -scryptn 10 -passfile "$scratch/password" "$scratch/cipher" > /dev/null 2>&1 &&
    gocryptfs -q -passfile "$scratch/password" "$scratch/cipher" "$scratch/clear" > /dev/null 2>&1; then
    at_exit "fusermount3 -u $scratch/clear"
    rm -f "$db"
    run "$db" --plain "$scratch/plain" --encrypted "$scratch/clear" --encrypt gocryptfs --pairs 1 \
        --files 100 --file-size 10000
    equal "gocryptfs: measured beside its plain twin" \
        "$(ask "$db" "SELECT b.name, sum(o.ok) FROM run r JOIN backend b ON b.id = r.backend_id
            JOIN phase p ON p.run_id = r.id JOIN operation_result o ON o.phase_id = p.id
            WHERE o.operation IN ('create', 'read') AND r.cell = 'pair' GROUP BY b.id ORDER BY b.encrypted" | wc -l)" 2
    equal "gocryptfs: proof" \
        "$(ask "$db" "SELECT proof, evidence LIKE '%gocryptfs%' FROM backend WHERE encrypted")" "structure|1"
    equal "gocryptfs: no failure" "$(ask "$db" "SELECT sum(failed) FROM operation_result")" 0
    check "gocryptfs: the tree is gone" is_empty "$scratch/clear"
    cat > "$scratch/stands.xml" << XML
<strata version="1"><campaign name="stands" pairs="1" control="no"/>
<backends><device name="disk" path="$scratch/none"/><device name="other" path="$scratch/none"/>
<filesystem name="plain" path="$scratch/plain" stands-on="disk"/>
<filesystem name="twin" path="$scratch/clear" twin-of="plain" encryption="gocryptfs"/>
</backends><filesystem-layer><metadata files="10"/></filesystem-layer></strata>
XML
    for own in twin.evidence=x twin.stands-on=other; do
        timeout 60 "$program" --quiet --db "$db" --config "$scratch/stands.xml" --set $own > /dev/null
    done
    equal "an encrypted twin stands where its plain one does, unless it says so itself" \
        "$(ask "$db" "SELECT backend.name, stands_on FROM backend JOIN campaign ON campaign.id = campaign_id
            WHERE campaign.name = 'stands' ORDER BY backend.id" | tr '\n' ' ')" \
        "plain|disk twin|disk plain|disk twin|other "
else
    skip "gocryptfs" "it cannot be mounted here (needs /dev/fuse and fusermount3)"
fi
run "$db" --plain "$scratch/plain" --encrypted "$scratch/cipher" --encrypt gocryptfs --files 10
equal "no gocryptfs where it is said to be: refused" $code 3

# --- what only root can set up -------------------------------------------------------------------------
if [ "$(id -u)" != 0 ] || ! attach xfs 300M mkfs.xfs -q; then
    for part in XFS ext4 "full file systems" "another user" "read-only mount"; do
        skip "$part" "loop devices and mounts need root"
    done
    finish
fi
count_calls "XFS, unique" "$scratch/xfs" unique --files 301 --file-size 4096
count_calls "XFS, shared" "$scratch/xfs" shared --files 301

run "$db" --plain "$scratch/xfs" --encrypt fscrypt --files 10
equal "fscrypt on XFS: refused" $code 3
check "fscrypt on XFS: says why" said "no fscrypt"

# fscrypt: two images of one kind; what stands on their devices afterwards.
attach ext4 64M mkfs.ext4 -q -O encrypt && attach secret 64M mkfs.ext4 -q -O encrypt
count_calls "ext4" "$scratch/ext4" unique --files 301
rm -f "$db"
run "$db" --plain "$scratch/ext4" --encrypted "$scratch/secret" --encrypt fscrypt --pairs 1 --files 301 \
    --jobs 2 --file-size 5000
equal "fscrypt: all operations done on both" \
    "$(ask "$db" "SELECT count(*), min(o.ok), max(o.ok), sum(o.failed) FROM run r JOIN phase p ON p.run_id = r.id
        JOIN operation_result o ON o.phase_id = p.id WHERE o.operation IN ('create', 'stat', 'unlink')
        AND r.cell = 'pair'")" "6|301|301|0"
equal "fscrypt: proof" \
    "$(ask "$db" "SELECT proof, evidence LIKE '%loop% as 7.9_ bits%AES-256-XTS%' FROM backend WHERE encrypted")" \
    "functional|1"
check "fscrypt: the tree is gone" is_empty "$scratch/secret"
rm -f "$scratch"/trace.*
strace -ff -qq -o "$scratch/trace" -e trace=ioctl "$program" --quiet --db "$scratch/keys.db" \
    --plain "$scratch/ext4" --encrypted "$scratch/secret" --encrypt fscrypt --pairs 2 --files 5 \
    > /dev/null 2>&1
equal "fscrypt: every key that the kernel got was removed (an inspection and two runs)" \
    "$(traced FS_IOC_ADD_ENCRYPTION_KEY) $(traced FS_IOC_REMOVE_ENCRYPTION_KEY)" "3 3"
# Each block of a file begins with the run's seed, little-endian; names are f.<job>.<number>.
seen() { # seen IMAGE ENCRYPTED: blocks with the seed of that run, names of files
    ask "$db" "SELECT r.seed FROM run r JOIN backend b ON b.id = r.backend_id WHERE b.encrypted = $2
               ORDER BY r.id DESC LIMIT 1" | python3 -c '
import re, struct, sys
seed = struct.pack("<q", int(sys.stdin.read()))
image = open(sys.argv[1], "rb").read()
print(image.count(seed) > 0, len(re.findall(rb"[fr]\.[01]\.[0-9]", image)) > 0)' "$scratch/$1.img"
}
umount "$scratch/ext4" "$scratch/secret"
equal "plain: content and names stand on the device" "$(seen ext4 0)" "True True"
equal "fscrypt: neither stands on the device" "$(seen secret 1)" "False False"
umount "$scratch/xfs"

attach simple 32M mkfs.ext4 -q -O ^encrypt -N 128
run "$db" --plain "$scratch/simple" --encrypt fscrypt --files 10
equal "ext4 without the feature: refused" $code 3
check "ext4 without the feature: says what is missing" said "without the encrypt feature"

# F4: which limit, how far; both directions.
rm -f "$db"
run "$db" --plain "$scratch/simple" --files 1000 --jobs 2
equal "out of inodes: the run is invalid and says so" \
    "$(ask "$db" "SELECT status, reason LIKE '%out of inodes: % and 0 inodes were free; % of 1000 files%' FROM run")" \
    "invalid|1"
equal "out of inodes: what was made is stored, the rest is ENOSPC" \
    "$(ask "$db" "SELECT o.ok > 50, o.ok + e.count FROM operation_result o JOIN phase p ON p.id = o.phase_id
        JOIN error e ON e.operation_result_id = o.id WHERE o.operation = 'create' AND e.code = 28")" "1|1000"
equal "out of inodes: only what was made was used later" \
    "$(ask "$db" "SELECT count(DISTINCT ok), sum(failed) FILTER (WHERE operation <> 'create')
        FROM operation_result WHERE operation IN ('create', 'stat', 'read', 'rename', 'unlink')")" "1|0"
check "out of inodes: the tree is gone" is_empty "$scratch/simple"
rm -f "$db"
run "$db" --plain "$scratch/simple" --files 60 --file-size 1MiB
equal "out of space: the run is invalid and says so" \
    "$(ask "$db" "SELECT status, reason LIKE '%out of space: % of 60 files%' FROM run")" "invalid|1"
check "out of space: the tree is gone" is_empty "$scratch/simple"
equal "out of space: exit code" $code 1

# F10: as that user.
mkdir "$scratch/of-nobody"
chown nobody "$scratch/of-nobody"
cp "$program" "$scratch/program"
as_nobody() {
    timeout 60 setpriv --reuid=65534 --regid=65534 --clear-groups "$scratch/program" --quiet \
        --db "$scratch/of-nobody/results.db" "$@" > "$scratch/out" 2> "$scratch/said"
    code=$?
}
as_nobody --plain "$scratch/simple" --files 10
equal "a directory that the user may not write: exit code" $code 3
check "a directory that the user may not write: named" said "$scratch/simple: user 65534 may not write there"

mount -o remount,ro "$scratch/simple"
run "$db" --plain "$scratch/simple" --files 10
equal "a read-only mount: exit code" $code 3
check "a read-only mount: named" said "mounted read-only"
finish
