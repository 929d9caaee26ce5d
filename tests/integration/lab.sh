#!/bin/bash
# tests/servers/swift and tests/servers/lab: real servers and storage come up, hold what they promise,
# and go without a trace, also after a failure, an interruption or a kill.
# seconds: 240
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
begin lab
lab=$scratch/lab port=16210
while (exec 3<> /dev/tcp/127.0.0.1/$port) 2> /dev/null || (exec 3<> /dev/tcp/127.0.0.1/$((port + 80))) 2> /dev/null; do
    port=$((port + 10))
done
at_exit '"$top/tests/servers/lab" down "$lab" 2> /dev/null'

traces() { # of this lab, wherever they may be
    losetup -a 2> /dev/null | grep -F "$scratch/"
    grep -F "$scratch/" /proc/self/mountinfo
    grep -slFf <(echo "$scratch/") /proc/[0-9]*/cmdline
    ls -A "$scratch"
}
lab() { timeout 60 "$top/tests/servers/lab" "$@" 2>> "$scratch.log"; }
at_exit 'rm -f "$scratch.log"'

# ---- what comes up ----
begun=$(date +%s%N)
check "a lab comes up" lab up "$lab" --port $port
echo "     in $((($(date +%s%N) - begun) / 1000000)) ms"
check "its state says so" lab status "$lab"
check "a second up changes nothing" lab up "$lab" --port $port
equal "the disk is fully written with what does not compress" \
    "$(head -c 1048576 "$lab/disk" | gzip -1 | wc -c | awk '{print ($1 > 1040000)}')" 1
blocks=$(stat -L -c '%b * %B' "$(readlink -f "$lab/images/disk.img" 2> /dev/null || echo "$lab/disk")" 2> /dev/null)
[ ! -d "$lab/images" ] || equal "no hole in its file" "$((blocks >= 268435456))" 1
# shellcheck disable=SC1091
. "$lab/environment"
if [ "$(cat "$lab/kind")" = devices ]; then
    equal "XFS is mounted" "$(stat -f -c %T "$lab/xfs")" xfs
    equal "ext4 may encrypt" "$(dumpe2fs -h "$(findmnt -no SOURCE "$lab/ext4")" 2> /dev/null | grep -c '^Filesystem features:.* encrypt')" 1
    equal "loop devices bypass the page cache" \
        "$(losetup -n -O BACK-FILE,DIO | awk -v d="$lab/" 'index($1, d) == 1 {n += $2} END {print n}')" 3
    check "Swift's objects lie in ext4" test "$(stat -c %d "$STRATA_TEST_SWIFT_DATA")" = "$(stat -c %d "$lab/ext4")"
else
    skip "XFS, ext4, loop devices" "not root, or no loop devices here"
fi

# ---- Swift: the plain side keeps the payload in the clear, the encrypted side does not ----
head -c 200000 /dev/zero | tr '\0' 'P' > "$scratch/payload"
for side in plain encrypted; do
    auth=STRATA_TEST_SWIFT_${side^^}
    token=$(curl -s --noproxy '*' -D - -o /dev/null -H "X-Auth-User: $side:tester" -H 'X-Auth-Key: testing' "${!auth}")
    url=$(tr -d '\r' <<< "$token" | sed -n 's/^X-Storage-Url: //Ip')
    token=$(tr -d '\r' <<< "$token" | sed -n 's/^X-Auth-Token: //Ip')
    request() { curl -s --noproxy '*' -o "$scratch/answer" -w '%{http_code}' -H "X-Auth-Token: $token" "$@"; }
    equal "$side: a container is made" "$(request -X PUT "$url/box")" 201
    equal "$side: an object is put" "$(request -T "$scratch/payload" "$url/box/one")" 201
    equal "$side: and got" "$(request "$url/box/one"):$(md5sum < "$scratch/answer")" "200:$(md5sum < "$scratch/payload")"
    equal "$side: a wrong key is refused" \
        "$(curl -s --noproxy '*' -o /dev/null -w '%{http_code}' -H "X-Auth-User: $side:tester" -H 'X-Auth-Key: x' "${!auth}")" 401
done
equal "one of the two files holds the payload" \
    "$(find "$STRATA_TEST_SWIFT_DATA" -name '*.data' -size +100k -exec grep -lE 'P{64}' {} + | wc -l)" 1
equal "both files are there" "$(find "$STRATA_TEST_SWIFT_DATA" -name '*.data' -size +100k | wc -l)" 2

# ---- what is refused ----
lab up "$scratch/second" --port $port
equal "ports in use are refused" "$?:$(ls -A "$scratch/second" 2> /dev/null)" "3:"
mkdir "$scratch/mine"
echo precious > "$scratch/mine/file"
lab up "$scratch/mine" --port $port
equal "a folder of the user's is refused" "$?:$(ls "$scratch/mine")" "3:file"
lab down "$scratch/mine"
equal "and not taken down" "$?:$(ls "$scratch/mine")" "3:file"
rm -r "$scratch/mine" "$scratch/payload" "$scratch/answer"

# ---- how it goes ----
check "it goes" lab down "$lab"
equal "without a trace" "$(traces)" ""
check "twice" lab down "$lab"

# Interrupted at several moments: undone at once. Killed: the next up starts afresh.
for moment in 0.2 0.8 1.5; do
    setsid "$top/tests/servers/lab" up "$lab" --port $port 2>> "$scratch.log" &
    pid=$!
    sleep $moment
    if kill -TERM $pid 2> /dev/null; then
        wait $pid
        equal "an up interrupted after $moment s is undone" "$?:$(traces)" "130:"
    else
        skip "an interruption after $moment s" "it was up by then"
        lab down "$lab"
    fi
done
setsid "$top/tests/servers/lab" up "$lab" --port $port 2>> "$scratch.log" &
pid=$!
sleep 1
kill -KILL $pid 2> /dev/null
wait $pid 2> /dev/null
tail -f /dev/null &
owner=$!
check "a killed up is cleared by the next" lab up "$lab" --port $port --owner $owner
lab up "$lab" --port $port --owner $$
equal "another's lab is refused while its owner runs" $? 3
kill -KILL $owner
wait $owner 2> /dev/null
check "and taken over when the owner is gone" lab up "$lab" --port $port --owner $$
check "then goes" lab down "$lab"
equal "without a trace" "$(traces)" ""
finish
