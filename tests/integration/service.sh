#!/bin/bash
# strata-service against a real Swift, plain and encrypting, and against servers that fail: objects are
# looked at with Swift's own client and on the server's disk, results in the database.
. "$(dirname "$0")/../lib.sh"
begin service
program=$bin/strata-service
db=$scratch/results.db
objects=${STRATA_BUILD:-$top/build}/tests/support/swift_objects

if [ -z "${STRATA_TEST_SWIFT_PLAIN:-}" ]; then
    at_exit '"$top/tests/servers/swift" down "$scratch/swift"'
    "$top/tests/servers/swift" up "$scratch/swift" --port "${STRATA_TEST_PORT:-17200}" || exit 1
    . "$scratch/swift/environment"
fi
plain_user=plain:tester encrypted_user=encrypted:tester

# run ARGUMENTS…: at most two minutes; output, messages and exit code in $scratch/out, said and $code.
run() {
    timeout 120 "$program" --quiet --db "$db" "$@" > "$scratch/out" 2> "$scratch/said"
    code=$?
}
said() { grep -qF -- "$1" "$scratch/said" || { cat "$scratch/said"; false; }; }
ask() { sqlite3 "$db" "$1"; }
# Exit code 0; or runs that were good but for the processors that the hypervisor took from this machine.
succeeded() {
    [ $code = 0 ] && return
    local reasons
    reasons=$(ask "SELECT reason FROM run WHERE status <> 'ok'" | sort -u)
    { [ $code = 1 ] && [ -n "$reasons" ] && ! grep -qv ': steal: ' <<< "$reasons"; } ||
        { echo "exit $code: $reasons"; cat "$scratch/said"; false; }
}
client() { # client AUTH-URL USER COMMAND…: Swift's own client
    local auth=$1 user=$2
    shift 2
    env -u ST_AUTH -u ST_USER /usr/bin/swift -A "$auth" -U "$user" -K "$ST_KEY" "$@"
}
nothing_left() { # nothing_left AUTH-URL USER: no container of Strata's in the account
    local listed
    listed=$(client "$1" "$2" list | grep '^strata-')
    [ -z "$listed" ] || { echo "$listed"; false; }
}

# --- objects, as Swift's client and its disk have them -----------------------------------------------------
# look_at NAME AUTH-URL USER RUN: put 5 objects of 1 MiB, fetch them with the client, look on the disk.
look_at() {
    local name=$1 auth=$2 user=$3 uuid=$4 line object md5 same=0 feed
    mkfifo "$scratch/$uuid.in"
    "$objects" "$auth" "$user" "$uuid" 1048576 5 < "$scratch/$uuid.in" > "$scratch/$uuid.out" 2>&1 &
    local pid=$!
    exec {feed}> "$scratch/$uuid.in"
    at_exit "kill $pid 2> /dev/null"
    local tries
    for ((tries = 0; tries < 300; tries++)); do
        if grep -qE '^(ready|failures)$|^swift_objects' "$scratch/$uuid.out"; then break; fi
        sleep 0.1
    done
    equal "$name: the objects are uploaded" "$(tail -n 1 "$scratch/$uuid.out")" ready
    check "$name: the container bears the run's UUID" \
        grep -q "Meta Strata-Run: $uuid" <(client "$auth" "$user" stat "strata-$uuid")
    mkdir "$scratch/$uuid"
    client "$auth" "$user" download "strata-$uuid" -D "$scratch/$uuid" > /dev/null 2>&1
    while read -r object md5; do
        [ "$(md5sum < "$scratch/$uuid/$object" | cut -c 1-32)" = "$md5" ] && same=$((same + 1))
    done < <(grep '^object' "$scratch/$uuid.out")
    equal "$name: Swift's client reads the same MD5s" "$same" 5
    on_disk=$(/usr/bin/python3 - "$STRATA_TEST_SWIFT_DATA" "$scratch/$uuid" << 'END'
import os, sys
blocks = set()
for name in os.listdir(sys.argv[2]):
    content = open(os.path.join(sys.argv[2], name), "rb").read()
    blocks.update(content[at:at + 4096] for at in range(0, len(content), 65536))
files = found = 0
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        if name.endswith(".data"):
            content = open(os.path.join(folder, name), "rb").read()
            files += len(content) >= 1048576
            found += any(block in content for block in blocks)
print(files, "files,", found, "with the payload")
END
    )
    exec {feed}>&-
    wait $pid
    equal "$name: cleaning up succeeds" $? 0
    check "$name: nothing is left" nothing_left "$auth" "$user"
}
look_at plain "$STRATA_TEST_SWIFT_PLAIN" $plain_user 00000000-0000-4000-8000-000000000001
equal "plain: the disk holds the payload" "$on_disk" "5 files, 5 with the payload"
look_at encrypted "$STRATA_TEST_SWIFT_ENCRYPTED" $encrypted_user 00000000-0000-4000-8000-000000000002
equal "encrypted: the disk holds none of the payload" "$on_disk" "5 files, 0 with the payload"

# --- runs, plain and encrypted -----------------------------------------------------------------------------
cat > "$scratch/twins.xml" << END
<strata version="1">
  <campaign name="service" pairs="1" control="no"/>
  <backends>
    <swift name="swift" auth-url="$STRATA_TEST_SWIFT_PLAIN" user="$plain_user"/>
    <swift name="server" auth-url="$STRATA_TEST_SWIFT_ENCRYPTED" user="$encrypted_user" twin-of="swift"
           encryption="server" evidence="the test's proxy encrypts"/>
    <swift name="client" auth-url="$STRATA_TEST_SWIFT_PLAIN" user="$plain_user" twin-of="swift"
           encryption="client"/>
  </backends>
  <service-layer><transfer sizes="0 1 100kB" concurrency="1 4" objects="16"/></service-layer>
</strata>
END
run --config "$scratch/twins.xml" --json
check "plain, server's and client's encryption" succeeded
check "--json prints one document" /usr/bin/python3 -m json.tool "$scratch/out"
equal "every run has all its operations, each with its bytes" \
    "$(ask "SELECT count(*), sum(o.ok = 16 AND o.started = 16 AND o.bytes = iif(o.operation = 'delete', 0, 16 * w.object_bytes))
            FROM operation_result o JOIN phase p ON p.id = o.phase_id JOIN run r ON r.id = p.run_id
            JOIN workload w ON w.id = r.workload_id")" "72|72"
equal "nobody claims to know what the server's memory held" \
    "$(ask "SELECT DISTINCT parameters ->> 'data_cache_before_read' FROM workload")" unknown
equal "levels of proof" "$(ask "SELECT name, proof FROM backend ORDER BY name" | xargs)" \
    "client|functional server|asserted swift|none"
equal "the cipher's time is a stage of client-side encryption only" \
    "$(ask "SELECT DISTINCT b.name, op.operation FROM stage s
            JOIN operation_result op ON op.id = s.operation_result_id JOIN phase p ON p.id = op.phase_id
            JOIN run r ON r.id = p.run_id JOIN backend b ON b.id = r.backend_id
            WHERE s.stage = 'cipher' ORDER BY 1, 2" | xargs)" "client|get client|put"
equal "no run moved more bytes than the network saw (S14)" \
    "$(ask "SELECT count(*), sum(o.bytes > (SELECT max(c.value) - min(c.value) FROM counter c
                WHERE c.run_id = r.id AND c.phase = p.name AND c.metric = 'network_sent_bytes'))
            FROM operation_result o JOIN phase p ON p.id = o.phase_id JOIN run r ON r.id = p.run_id
            WHERE p.name IN ('upload', 'download')")" "48|0"
check "nothing is left of the plain side" nothing_left "$STRATA_TEST_SWIFT_PLAIN" $plain_user
check "nothing is left of the encrypted side" nothing_left "$STRATA_TEST_SWIFT_ENCRYPTED" $encrypted_user

# --- ways in (S5, S9) -----------------------------------------------------------------------------------------------
one=(--pairs 1 --sizes 1KiB --concurrency 4 --objects 8)
rm -f "$db"
run "${one[@]}"
check "ST_AUTH, ST_USER and ST_KEY" succeeded

headers=$(curl -s --noproxy '*' -D - -o /dev/null -H "X-Auth-User: $ST_USER" -H "X-Auth-Key: $ST_KEY" \
    "$STRATA_TEST_SWIFT_PLAIN" | tr -d '\r')
rm -f "$db"
token=$(sed -n 's/^X-Auth-Token: //Ip' <<< "$headers")
(
    unset ST_AUTH ST_USER ST_KEY
    export OS_STORAGE_URL OS_AUTH_TOKEN=$token
    OS_STORAGE_URL=$(sed -n 's/^X-Storage-Url: //Ip' <<< "$headers")
    run "${one[@]}"
    succeeded
)
equal "a ready token and storage URL, no key" $? 0
equal "and the token is nowhere in the database" "$(ask .dump | grep -cF -- "$token")" 0

rm -f "$db"
http_proxy=http://127.0.0.1:1/ all_proxy=http://127.0.0.1:1/ run "${one[@]}"
check "proxies of the environment are not used" succeeded

run --plain "$STRATA_TEST_SWIFT_PLAIN" --user plain:nobody "${one[@]}"
equal "an unknown user: exit code" $code 3
check "an unknown user is named" said "user 'plain:nobody' with the given key was refused (HTTP 401)"
run --policy no-such-policy "${one[@]}"
equal "an unknown storage policy: exit code" $code 3
check "an unknown storage policy: the cause is named" said "is there such a storage policy?"
(unset ST_KEY && run "${one[@]}" && exit $code)
equal "no key: exit code" $? 2
check "no key: the variable is named" said ST_KEY
run --plain http://user:password@127.0.0.1/auth/v1.0 "${one[@]}"
equal "credentials in a URL: exit code" $code 2
equal "credentials in a URL: not repeated" "$(grep -c password "$scratch/said")" 0

# --- servers that are not there (S12) ------------------------------------------------------------------------------
run --plain http://127.0.0.1:1/auth/v1.0 "${one[@]}"
equal "nothing listens: exit code" $code 3
check "nothing listens: the URL is named" said "http://127.0.0.1:1/auth/v1.0: "

# A listener whose queue is full: the kernel drops what else comes, as a firewall does.
coproc FULL { /usr/bin/python3 -c '
import socket, sys
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(0)
waiting = []
for _ in range(8):
    waiting.append(socket.socket())
    waiting[-1].setblocking(False)
    waiting[-1].connect_ex(listener.getsockname())
print(listener.getsockname()[1], flush=True)
sys.stdin.read()'; }
read -r port <&"${FULL[0]}"
began=$(date +%s%N)
run --plain "http://127.0.0.1:$port/auth/v1.0" --connect-timeout 500ms "${one[@]}"
taken_ms=$((($(date +%s%N) - began) / 1000000))
equal "packets are dropped: exit code" $code 3
check "packets are dropped: ends within the connect timeout" test $taken_ms -lt 3000 -a $taken_ms -ge 500
eval "exec ${FULL[1]}>&-"
wait "$FULL_PID"

# --- servers that fail (S4, S7, R7; S2 at the end) ---------------------------------------------------------------------------------------
start_answers() { # start_answers [CERTIFICATE KEY]: the port in $port, its log in $scratch/answers.log
    coproc ANSWERS { /usr/bin/python3 "$top/tests/servers/answers.py" "$scratch/answers.log" "$@"; }
    answers_pid=$ANSWERS_PID answers_input=${ANSWERS[1]}
    read -r port <&"${ANSWERS[0]}"
}
stop_answers() {
    eval "exec $answers_input>&-"
    wait "$answers_pid"
}
start_answers
export ST_USER=test:tester
rm -f "$db"
ST_KEY=very-secret-key run --plain "http://127.0.0.1:$port/auth/as-put-alternating" "${one[@]}"
equal "every other upload answered by 503: the run is invalid" "$(ask "SELECT status FROM run")" invalid
equal "causes are counted" \
    "$(ask "SELECT phase, code, count, message FROM v_error")" "upload|503|4|HTTP 503 Service Unavailable"
equal "rates count successes only" \
    "$(ask "SELECT phase, ok, failed, abs(total_ops_per_s * elapsed_s - ok) < 0.01 FROM v_throughput
            ORDER BY phase_no" | xargs)" "upload|4|4|1 download|4|0|1 delete|4|0|1"
equal "one token for the inspection, one for the run" "$(grep -c '^GET /auth/' "$scratch/answers.log")" 2
equal "the key is in no output and not in the database" \
    "$({ ask .dump; cat "$scratch/out" "$scratch/said"; } | grep -c very-secret)" 0

rm -f "$db"
: > "$scratch/answers.log"
run --plain "http://127.0.0.1:$port/auth/as-shared" --pairs 1 --sizes 1KiB --concurrency 64 --objects 256
check "64 requests in flight" succeeded
equal "64 requests in flight: one token request in the run" \
    "$(grep -c '^GET /auth/' "$scratch/answers.log")" 2

rm -f "$db"
(
    ulimit -S -n 100
    run --plain "http://127.0.0.1:$port/auth/as-many" --pairs 1 --sizes 1 --concurrency 150 --objects 300
)
equal "more requests in flight than the soft limit of descriptors: successes" \
    "$(ask "SELECT sum(ok) FROM operation_result")" 900

rm -f "$db"
run --plain "http://127.0.0.1:$port/auth/as-put-507" "${one[@]}"
equal "every upload fails: exit code" $code 1
equal "every upload fails: the run failed, and has no rate" \
    "$(ask "SELECT r.status, t.total_ops_per_s FROM run r JOIN v_throughput t ON t.run_id = r.id
            WHERE t.total_ops_per_s > 0 OR r.status <> 'failed'")" ""
stop_answers

openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 \
    -keyout "$scratch/key.pem" -out "$scratch/certificate.pem" 2> /dev/null
rm -f "$db"
start_answers "$scratch/certificate.pem" "$scratch/key.pem"
auth=https://127.0.0.1:$port/auth/v1.0
run --plain "$auth" "${one[@]}"
equal "a self-signed certificate: exit code" $code 3
check "a self-signed certificate: the cause is named" said "SSL certificate problem: self-signed certificate"
run --plain "$auth" --ca-file "$scratch/certificate.pem" "${one[@]}"
check "a self-signed certificate that is given" succeeded
run --plain "$auth" --insecure "${one[@]}"
check "TLS not verified on request" succeeded
stop_answers

# --- interrupted ---------------------------------------------------------------------------------------------
rm -f "$db"
ST_USER=$plain_user
timeout 120 "$program" --quiet --db "$db" --pairs 1 --sizes 4KiB --concurrency 8 --objects 4000 \
    > /dev/null 2> "$scratch/said" &
pid=$!
for ((tries = 0; tries < 300; tries++)); do
    if client "$STRATA_TEST_SWIFT_PLAIN" $plain_user list | grep -q '^strata-'; then break; fi
    sleep 0.1
done
kill -INT $(ps -o pid= --ppid $pid)
began=$SECONDS
wait $pid
equal "SIGINT: exit code" $? 130
check "SIGINT: ends soon" test $((SECONDS - began)) -lt 60
equal "SIGINT: the run is stored as aborted" "$(ask "SELECT status, count(*) FROM run")" "aborted|1"
check "SIGINT: nothing is left" nothing_left "$STRATA_TEST_SWIFT_PLAIN" $plain_user
finish
