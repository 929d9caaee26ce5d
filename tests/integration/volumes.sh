#!/bin/bash
# The life cycle of volumes: loop devices and LUKS of this machine, and the command lines of four clouds
# against a program that stands in for them; what is there is counted by strace, /sys and the stand-in's own
# log, and nothing stays behind, whatever happens.
. "$(dirname "$0")/../lib.sh"
begin volumes
db=$scratch/strata.db
sql() { sqlite3 -readonly "$db" "$1"; }
mkdir "$scratch/images"
# run ARGUMENTS…: strata-device on a database of its own; its exit code is $code.
run() {
    rm -f "$db"
    timeout 100 "$bin/strata-device" --db "$db" --quiet "$@" > "$scratch/out" 2> "$scratch/err"
    code=$?
}
attached() { cat /sys/block/loop*/loop/backing_file 2> /dev/null | grep -c "$scratch/images"; }
counts() { sql "SELECT group_concat(phase || ' ' || ok || '+' || failed || '+' || timed_out, ' ') FROM
    (SELECT phase, sum(ok) AS ok, sum(failed) AS failed, sum(timed_out) AS timed_out FROM v_throughput
     WHERE $1 GROUP BY phase ORDER BY min(phase_no))"; }
query() { sed 's/^\.mode box/.mode list/' "$top/results/queries/volumes.sql" | sqlite3 -readonly "$db"; }
nothing_left() { # nothing_left NAME
    equal "$1: no loop device" "$(attached)" 0
    equal "$1: no file" "$(ls "$scratch/images")" ""
}
# wait_until SECONDS COMMAND…
wait_until() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do [ $SECONDS -lt $end ] || return 1; done
}

# ---- what is refused, before anything is made ---------------------------------------------------------
refused() { # refused NAME CODE TEXT ARGUMENTS…
    local name=$1 want=$2 text=$3
    shift 3
    run --scenario volumes "$@"
    equal "$name: exit code" $code "$want"
    equal "$name: one line" "$(wc -l < "$scratch/err")" 1
    if grep -qF -- "$text" "$scratch/err"; then pass "$name: says why"; else fail "$name: says why" "$(cat "$scratch/err")"; fi
    check "$name: no database" test ! -e "$db"
}
commands=(--driver command --create true --delete true --attach true --detach true)
refused "no directory" 2 "path: missing; driver loop needs a directory"
refused "a missing directory" 3 "$scratch/no: No such file" --plain "$scratch/no"
refused "a file for a directory" 2 "is no directory" --plain "$top/README.md"
refused "a LUKS volume that its header fills" 2 "size: 16 MiB is below 32MiB" --plain "$scratch/images" --encrypt luks --size 16MiB
refused "a provider's encryption on loop devices" 2 "provider is for driver command" --plain "$scratch/images" --encrypt provider
refused "detaching what was never attached" 2 "detach needs attach before it" --plain "$scratch/images" --steps create,detach,delete
refused "a command that is missing" 2 "detach: missing" --driver command --create true --delete true --attach true
refused "an unknown placeholder" 2 "ready: {nmae} is none of {name}" "${commands[@]}" --ready "test {nmae}"
refused "too few names of devices" 2 "devices: 2 for 3 volumes" "${commands[@]}" --attached "test {device}" --devices a,b --count 3
refused "a cipher that there is not" 3 "cryptsetup luksFormat" --plain "$scratch/images" --encrypt luks --cipher no-such-cipher
nothing_left "after refusals"

# ---- loop devices, plain and LUKS --------------------------------------------------------------------------
if [ "$(id -u)" != 0 ] || [ ! -w /dev/loop-control ]; then
    skip "loop devices" "they need root"
else
    rm -f "$db"
    timeout 100 strace -ff -qq -e trace=ioctl,execve,unlink -o "$scratch/trace" "$bin/strata-device" --db "$db" --quiet \
        --scenario volumes --plain "$scratch/images" --driver loop --count 8 --concurrency 4 --groups 2 --size 64MiB \
        --encrypt luks --set control=no > "$scratch/out" 2> "$scratch/err"
    equal "loop and LUKS: exit code" $? 0
    for side in 0 1; do
        equal "every step of every volume, encrypted $side" "$(counts "encrypted = $side")" \
            "create 16+0+0 attach 16+0+0 detach 16+0+0 delete 16+0+0"
    done
    traced() { cat "$scratch"/trace.* | grep -cE "$1"; }
    equal "loop devices that the kernel set up" "$(traced 'LOOP_CONFIGURE.* = 0$')" 32
    equal "all of them cleared by the kernel at their last close" "$(traced 'LOOP_CONFIGURE, .*AUTOCLEAR')" "$(traced 'LOOP_CONFIGURE, ')"
    # One more on each side is the trial before the first run.
    equal "headers that cryptsetup wrote" "$(traced 'execve\(.*"luksFormat".* = 0$')" 17
    equal "files removed" "$(traced 'unlink\(".*/images/strata-[0-9a-f-]*/strata-[0-9a-f]{8}-[0-9]+"\) = 0$')" 34
    check "no passphrase is an argument" bash -c "! cat '$scratch'/trace.* | grep execve | grep cryptsetup | grep -v '\"--key-file\", \"-\"'"
    nothing_left "loop and LUKS"
    opened=$( (exec 3<> /dev/mapper/control) 2> /dev/null && echo "loop device, opened" || echo "loop device; no device mapper: formatted, not opened")
    equal "what an attached LUKS volume is" "$(sql "SELECT parameters ->> '$.luks.attach' FROM workload")" "$opened"
    equal "the header is the proof" "$(sql "SELECT proof, evidence LIKE '%LUKS2%' FROM backend WHERE encrypted")" "structure|1"
    equal "formatting is timed apart" "$(sql "SELECT sum(operations), min(total_ns) > 0 FROM stage WHERE stage = 'cipher'")" "16|1"
    equal "the workload says what decides its times" "$(sql "SELECT parameters ->> '$.driver', parameters ->> '$.count',
        parameters ->> '$.volume_bytes', parameters ->> '$.luks.pbkdf', concurrency FROM workload")" \
        "loop|8|67108864|pbkdf2, 1000 iterations|4"
    # The same means from the raw rows, without the views.
    query > "$scratch/query"
    for phase in create attach detach delete; do
        equal "mean seconds of $phase, plain, encrypted, difference" "$(awk -F'|' -v p=$phase '$3 == p { printf "%.6f %.6f %.6f %d", $5, $6, $7, $8 }' "$scratch/query")" \
            "$(sql "SELECT printf('%.6f %.6f %.6f %d', round(p, 6), round(e, 6), round(e - p, 6), abs(e - p) < 1) FROM (SELECT
                avg(CASE WHEN NOT encrypted THEN 1.0 * sum_ns / count END) / 1e9 AS p,
                avg(CASE WHEN encrypted THEN 1.0 * sum_ns / count END) / 1e9 AS e
                FROM run JOIN backend ON backend.id = backend_id JOIN phase ON phase.run_id = run.id
                JOIN operation_result o ON o.phase_id = phase.id JOIN histogram ON operation_result_id = o.id
                WHERE phase.name = '$phase' AND phase.reason = '')")"
    done

    # Ended while volumes are attached, by whatever signal: the devices go, and what was made is removed;
    # after SIGKILL there is nobody to remove the files.
    for signal in INT TERM KILL; do
        rm -f "$db"
        "$bin/strata-device" --db "$db" --quiet --scenario volumes --plain "$scratch/images" --count 40 --concurrency 1 \
            --size 1MiB --runs 1000 > "$scratch/out" 2> "$scratch/err" &
        pid=$!
        # Held still to see that it is there: with five devices it is neither before nor after a run.
        five() {
            [ "$(attached)" -ge 5 ] || return 1
            kill -STOP $(pgrep -P $pid)
            [ "$(attached)" -ge 5 ] && return 0
            kill -CONT $(pgrep -P $pid)
            return 1
        }
        check "SIG$signal: while volumes are attached" wait_until 20 five
        worker=$(pgrep -P $pid)
        kill -$signal $pid
        kill -CONT $worker 2> /dev/null
        wait $pid 2> /dev/null
        got=$?
        none() { [ "$(attached)" = 0 ]; }
        check "SIG$signal: every loop device is gone" wait_until 10 none
        if [ $signal = KILL ]; then
            check "SIGKILL: only files are left" test -n "$(find "$scratch/images" -type f -name 'strata-*')"
            rm -r "$scratch"/images/*
        else
            equal "SIG$signal: exit code" $got 130
            equal "SIG$signal: files" "$(ls "$scratch/images")" ""
            equal "SIG$signal: the run is stored" "$(sql "SELECT status, reason FROM run ORDER BY id DESC LIMIT 1")" "aborted|interrupted"
        fi
    done
    run --scenario volumes --plain "$scratch/images" --count 3 --steps create,attach --size 1MiB
    equal "only two steps are timed" "$(counts 1)" "create 3+0+0 attach 3+0+0"
    nothing_left "two steps only"
fi

# ---- commands ----------------------------------------------------------------------------------------------
mkdir "$scratch/bin"
for name in openstack aws aliyun tccli; do ln -s "$top/tests/servers/clouds" "$scratch/bin/$name"; done
export PATH=$scratch/bin:$PATH SERVER=bench INSTANCE=i-1 PLAIN_TYPE=ssd ENCRYPTED_TYPE=luks ZONE=zone-a REGION=region-1
cloud() { # cloud NAME ARGUMENTS…: a run of config/volumes_NAME.xml against the stand-in, 4 volumes, one group
    export CLOUD=$scratch/cloud
    rm -rf "$CLOUD"
    mkdir "$CLOUD"
    local name=$1
    shift
    run --config "$top/config/volumes_$name.xml" --set count=4 --set groups=1 --set poll=20ms "$@"
}
left() { ls "$CLOUD/volumes" 2> /dev/null | wc -l; }
said() { grep -cE -- "$1" "$CLOUD/log"; }
for name in openstack aws alibaba tencent; do
    check "volumes_$name.xml fits the schema" xmllint --noout --relaxng "$top/config/strata.rng" "$top/config/volumes_$name.xml"
    "$bin/strata-device" --config "$top/config/volumes_$name.xml" --dry-run > "$scratch/out" 2>&1
    equal "volumes_$name.xml: the plan" "$(sed -n 's/.*: volumes command \([0-9]*\) of 100 GiB, .*, \(.*\)/\1, \2/p' "$scratch/out")" \
        "$([ $name = alibaba ] && echo 16 || echo 20), 5 pair(s)"
    cloud $name
    equal "$name: exit code" $code 0
    [ $code = 0 ] || { cat "$scratch/err"; sort "$CLOUD/log" | uniq -c | tail; }
    equal "$name: steps of both sides" "$(counts 1)" "create 8+0+0 attach 8+0+0 detach 8+0+0 delete 8+0+0"
    equal "$name: nothing left" "$(left)" 0
    equal "$name: proof" "$(sql "SELECT group_concat(proof) FROM (SELECT proof FROM backend ORDER BY encrypted)")" "none,asserted"
done
equal "tencent: half of them encrypted" "$(said 'CreateDisks .*--Encrypt ENCRYPT')" 4
cloud aws --set count=2
equal "aws: half of them encrypted" "$(said 'create-volume --encrypted') $(said 'create-volume --no-encrypted')" "2 2"
equal "aws: each at a device of its own" "$(grep -oE 'device /dev/sd.' "$CLOUD/log" | sort | uniq -c | awk '{ printf "%s %s ", $3, $1 }')" "/dev/sdf 2 /dev/sdg 2 "
# The stand-in answers "not yet" once: two checks of each step, and the pause between them is in its time.
equal "aws: waiting is a stage of its own, at least one pause each" "$(sql "SELECT sum(operations), min(total_ns / operations) >= 20000000
    FROM stage WHERE stage = 'wait'")" "16|1"
equal "aws: the pause is stored" "$(sql "SELECT parameters ->> '$.poll_ns' FROM workload")" 20000000

CLOUD_FAIL="create 3" cloud openstack --set count=6
equal "creates that fail: exit code" $code 1
equal "creates that fail: counted, and the others go on" "$(counts 'NOT encrypted')" "create 4+2+0 attach 4+0+0 detach 4+0+0 delete 4+0+0"
equal "creates that fail: cause" "$(sql "SELECT DISTINCT code, count, message FROM v_error")" "3001|2|the command ended with status 1"
equal "creates that fail: what the command said" "$(sql "SELECT count(*) FROM run WHERE status = 'invalid' AND
    reason LIKE 'create: errors: 2 of 6 operations failed; create of strata-%-0: the command ended with status 1: Quota exceeded for volume 0'")" 2
equal "creates that fail: nothing left" "$(left)" 0
query > "$scratch/query"
equal "creates that fail: in the query" "$(awk -F'|' '$3 == "create" { print $4, $5 == "", $9, $10 }' "$scratch/query")" "0 1 2 2"
CLOUD_FAIL="create 3" cloud openstack --set count=6 --set error-budget=50%
equal "creates that fail within the budget: exit code" $code 0
equal "creates that fail within the budget: valid" "$(sql "SELECT DISTINCT status, reason FROM run")" "ok|"

begin_s=$SECONDS
CLOUD_HANG=attach cloud openstack --set timeout=2s --set count=2
equal "attaching hangs: exit code" $code 1
equal "attaching hangs: counted as timed out" "$(counts 1)" "create 4+0+0 attach 0+0+4"
check "attaching hangs: in bounded time" test $((SECONDS - begin_s)) -lt 20
no_process() { ! env -u CLOUD grep -qaF "CLOUD=$CLOUD" /proc/[0-9]*/environ 2> /dev/null; }
check "attaching hangs: no process stays" wait_until 5 no_process
equal "attaching hangs: nothing left" "$(left)" 0

cloud openstack --set 'delete=echo denied >&2; exit 4' --set timeout=1s --set count=2
equal "what cannot be deleted: exit code" $code 1
names=$(cd "$CLOUD/volumes" && cat -- * | cut -d' ' -f1 | sort | paste -sd' ')
equal "what cannot be deleted: named with its cause" "$(sql "SELECT reason FROM run" | grep -oE 'strata-[0-9a-f]{8}-[0-9] \(the command ended with status 4: denied' | cut -d' ' -f1 | sort | paste -sd' ')" "$names"
equal "what cannot be deleted: 4 volumes" "$(wc -w <<< "$names")" 4

export CLOUD=$scratch/cloud
rm -rf "$CLOUD" "$db"
mkdir "$CLOUD"
"$bin/strata-device" --config "$top/config/volumes_openstack.xml" --db "$db" --quiet --set count=3 --set 'ready=openstack volume show -f value -c status {id}; exit 1' > "$scratch/out" 2> "$scratch/err" &
pid=$!
three() { [ "$(left)" = 3 ]; }
check "interrupted while waiting: three are made" wait_until 20 three
kill -INT $pid
wait $pid
equal "interrupted while waiting: exit code" $? 130
equal "interrupted while waiting: nothing left" "$(left)" 0
equal "interrupted while waiting: stored" "$(sql "SELECT status, reason FROM run")" "aborted|interrupted"
finish
