# Sourced by every shell test: counting, scratch space, and cleaning up whatever happens.
#
#   begin NAME            names the test file; makes $scratch (removed at exit) and cds nowhere
#   check NAME CMD…       passes when CMD succeeds; else fails and shows its output
#   equal NAME GOT WANT   passes when the two strings are equal
#   between NAME GOT LEAST MOST  passes when the number is in that range
#   fail NAME REASON      counts a failure
#   pass NAME             counts a success
#   skip NAME REASON      counts a skip
#   at_exit CMD           evaluated at exit, last registered first, also after failure or a signal
#   finish                prints "suite: N passed, N failed, N skipped"; exit 1 on failure or nothing run
set -u
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bin=${STRATA_BIN:-$top/build/bin}
passed=0 failed=0 skipped=0 suite=unnamed cleanup_commands=()

clean_up() {
    local i
    for ((i = ${#cleanup_commands[@]} - 1; i >= 0; i--)); do eval "${cleanup_commands[i]}"; done
    cleanup_commands=()
}
at_exit() { cleanup_commands+=("$1"); }
trap clean_up EXIT
trap 'exit 130' INT TERM HUP

begin() {
    suite=$1
    scratch=$(mktemp -d "${TMPDIR:-/tmp}/strata-test.XXXXXX")
    at_exit 'rm -rf "$scratch"'
}
pass() { passed=$((passed + 1)); echo "ok   - $suite: $1"; }
fail() { failed=$((failed + 1)); echo "FAIL - $suite: $1${2:+: $2}"; }
skip() { skipped=$((skipped + 1)); echo "skip - $suite: $1: $2"; }
check() {
    local name=$1 output
    shift
    if output=$("$@" 2>&1); then pass "$name"; else fail "$name" "exit $?"; printf '%s\n' "$output" | tail -n 20 | sed 's/^/       /'; fi
}
equal() { if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "got [$2], want [$3]"; fi; }
between() {
    if awk -v got="$2" -v least="$3" -v most="$4" 'BEGIN { exit !(got != "" && got + 0 >= least && got + 0 <= most) }'; then
        pass "$1 ($2)"
    else
        fail "$1" "$2 is not from $3 to $4"
    fi
}
finish() {
    echo "$suite: $passed passed, $failed failed, $skipped skipped"
    [ $failed -eq 0 ] && [ $((passed + skipped)) -gt 0 ]
    exit
}
