#!/bin/bash
# The results database when things go wrong: many writers, kills, damage, no space, no permission.
. "$(dirname "$0")/../lib.sh"
# In memory: what is killed here is a process, not the machine, and a disk's syncs take minutes.
[ -w /dev/shm ] && export TMPDIR=/dev/shm
begin store-faults
make_results=$top/build/tests/support/make_results
sql() { sqlite3 -bail "$1" "$2" 2>&1; }

# One undisturbed campaign says how much a whole one is.
"$make_results" "$scratch/whole.db" || fail "a whole campaign" "exit $?"
runs=$(sql "$scratch/whole.db" "SELECT count(*) FROM run")
bins=$(sql "$scratch/whole.db" "SELECT count(*) FROM histogram_bin")
seconds=$(sql "$scratch/whole.db" "SELECT count(*) FROM sample")
check "a whole campaign has runs" test "$runs" -gt 200

# --- four programs write at once into one new file and one campaign (R1) ---
writers=()
for i in 1 2 3 4; do
    "$make_results" "$scratch/four.db" 22222222-2222-4222-8222-222222222222 &
    writers+=($!)
done
for pid in "${writers[@]}"; do
    wait "$pid"
    equal "a writer of four ends well" $? 0
done
equal "all runs of four writers are there" "$(sql "$scratch/four.db" "SELECT count(*) FROM run")" $((4 * runs))
equal "… with all their bins" "$(sql "$scratch/four.db" "SELECT count(*) FROM histogram_bin")" $((4 * bins))
equal "… and seconds" "$(sql "$scratch/four.db" "SELECT count(*) FROM sample")" $((4 * seconds))
equal "… in one campaign of as many back ends" \
    "$(sql "$scratch/four.db" "SELECT count(*), (SELECT count(*) FROM backend) FROM campaign")" "1|10"
equal "… and none is marked as running" "$(sql "$scratch/four.db" "SELECT count(*) FROM run WHERE status = 'running'")" 0
equal "the database of four writers is sound" "$(sql "$scratch/four.db" "PRAGMA integrity_check")" ok

# --- killed at any moment (R2) ---
kills=40 killed=0 unsound=0 unmarked=0 halves=0 marked=0 lost=0
db=$scratch/killed.db
whole() { # runs with a final status that lack data: none may exist
    sql "$db" "SELECT count(*) FROM run WHERE status = 'ok' AND (
        SELECT count(DISTINCT histogram_bin.histogram_id) FROM phase
        JOIN operation_result ON operation_result.phase_id = phase.id
        JOIN histogram ON histogram.operation_result_id = operation_result.id
        JOIN histogram_bin ON histogram_bin.histogram_id = histogram.id WHERE phase.run_id = run.id)
        <> coalesce((SELECT rounds FROM steady_state WHERE steady_state.run_id = run.id),
            (SELECT length(operation) - length(replace(operation, ' ', '')) + 1 FROM workload
            WHERE workload.id = run.workload_id))"
}
for ((i = 1; i <= kills; i++)); do
    before=0
    [ -e "$db" ] && before=$(sql "$db" "SELECT count(*) FROM run WHERE status <> 'running'")
    "$make_results" "$db" "33333333-3333-4333-8333-$(printf %012d $i)" &
    victim=$!
    timeout "$(printf '0.%03d' $((RANDOM % 300 + 2)))" tail --pid=$victim -f /dev/null
    kill -KILL $victim 2> /dev/null
    wait $victim 2> /dev/null
    [ $? -eq 137 ] && killed=$((killed + 1))
    [ -e "$db" ] || continue
    [ "$(sql "$db" "PRAGMA integrity_check")" = ok ] || unsound=$((unsound + 1))
    [ "$(sql "$db" "SELECT count(*) > 0 FROM sqlite_schema")" = 1 ] || continue # before the first commit
    [ "$(whole)" = 0 ] || halves=$((halves + 1))
    after=$(sql "$db" "SELECT count(*) FROM run WHERE status <> 'running'")
    [ "$after" -ge "$before" ] || lost=$((lost + 1))
done
check "most writers were killed in the middle" test $killed -ge $((kills / 2))
equal "the database is sound after each of $kills kills" $unsound 0
equal "no run is stored in part" $halves 0
equal "no finished run is lost" $lost 0
left=$(sql "$db" "SELECT count(*) FROM run WHERE status = 'running'")
marked=$(sql "$db" "SELECT count(*) FROM run WHERE status = 'aborted'")
check "killed runs were found and marked by the next writer" test "$marked" -ge 3
check "at most the last killed run still waits for a writer" test "$left" -le 1
"$make_results" "$db" 44444444-4444-4444-8444-444444444444
equal "after the next opening none is marked as running" "$(sql "$db" "SELECT count(*) FROM run WHERE status = 'running'")" 0
equal "the mark names the process" \
    "$(sql "$db" "SELECT count(*) FROM run WHERE status = 'aborted' AND reason NOT LIKE 'process % ended before the run did'")" 0
equal "an aborted run stands in v_invalid and in no rate" \
    "$(sql "$db" "SELECT (SELECT count(*) FROM v_invalid WHERE status = 'aborted') =
        (SELECT count(*) FROM run WHERE status = 'aborted'), (SELECT count(*) FROM v_throughput WHERE status = 'aborted')")" "1|0"

# --- a writer waits for another's lock ---
coproc holder { sqlite3 -bail "$scratch/whole.db"; }
holder_pid=$holder_PID
echo "BEGIN IMMEDIATE; SELECT 'held';" >&"${holder[1]}"
read -r answer <&"${holder[0]}"
"$make_results" "$scratch/whole.db" 55555555-5555-4555-8555-555555555555 &
waiting=$!
timeout 0.7 tail --pid=$waiting -f /dev/null
equal "the writer waits while another holds the lock" "$answer $(kill -0 $waiting 2> /dev/null && echo waits)" "held waits"
echo "COMMIT;" >&"${holder[1]}"
eval "exec ${holder[1]}>&-"
wait "$holder_pid" 2> /dev/null
wait $waiting
equal "… and then goes on" $? 0
equal "… with all its runs" "$(sql "$scratch/whole.db" "SELECT count(*) FROM run")" $((2 * runs))

# --- damage ---
refusal() { # refusal NAME DATABASE EXIT WORDS: the writer ends with that code and one line
    local output code
    output=$("$make_results" "$2" 66666666-6666-4666-8666-666666666666 2>&1)
    code=$?
    equal "$1: exit code" $code "$3"
    equal "$1: one line" "$(printf '%s\n' "$output" | wc -l)" 1
    if [[ $output == *"$4"* ]]; then pass "$1: says why"; else fail "$1: says why" "$output"; fi
}
cp "$scratch/whole.db" "$scratch/head.db"
printf 'garbage garbage garbage' | dd of="$scratch/head.db" bs=1 conv=notrunc 2> /dev/null
refusal "a header overwritten" "$scratch/head.db" 2 "is not an SQLite database"
cp "$scratch/whole.db" "$scratch/schema.db"
head -c 3900 /dev/urandom | dd of="$scratch/schema.db" bs=1 seek=100 conv=notrunc 2> /dev/null
refusal "a schema overwritten" "$scratch/schema.db" 3 "damaged"
head -c 20000 "$scratch/whole.db" > "$scratch/short.db"
refusal "a file cut short" "$scratch/short.db" 3 "damaged"

# --- no permission, no space ---
if [ "$(id -u)" = 0 ] && setpriv --reuid=65534 --regid=65534 --clear-groups true 2> /dev/null; then
    chmod 755 "$scratch"
    cp "$make_results" "$scratch/as_nobody"
    mkdir "$scratch/closed"
    as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$scratch/as_nobody" "$@"; }
    output=$(as_nobody "$scratch/closed/new.db" 2>&1)
    equal "a folder without permission: exit code" $? 3
    equal "a folder without permission: says so" "$output" \
        "make_results: $scratch/closed/new.db: cannot write into $scratch/closed: Permission denied"
    cp "$scratch/four.db" "$scratch/closed/old.db"
    output=$(as_nobody "$scratch/closed/old.db" 2>&1)
    equal "a file without permission: exit code" $? 3
    check "a file without permission: unharmed" cmp "$scratch/four.db" "$scratch/closed/old.db"
else
    skip "no permission" "needs root and setpriv"
fi
if [ "$(id -u)" = 0 ] && mkdir "$scratch/small" && mount -t tmpfs -o size=600k strata-test "$scratch/small" 2> /dev/null; then
    at_exit 'umount "$scratch/small"'
    db=$scratch/small/full.db
    refusal "a full disk" "$db" 3 "no space left for the results"
    equal "what was stored before is sound" "$(sql "$db" "PRAGMA integrity_check")" ok
    stored=$(sql "$db" "SELECT count(*) FROM run WHERE status = 'ok'")
    check "… and there" test "$stored" -gt 0
    equal "… and whole" "$(whole)" 0
    mount -o remount,size=64m "$scratch/small"
    check "with space again it goes on" "$make_results" "$db" 77777777-7777-4777-8777-777777777777
    equal "the run that found no space is marked" "$(sql "$db" "SELECT count(*) FROM run WHERE status = 'running'")" 0
else
    skip "a full disk" "needs root and mount"
fi
finish
