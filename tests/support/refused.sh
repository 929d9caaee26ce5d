# Sourced by tests of what strata-device refuses; they define `device ARGUMENTS…` (the program, its
# database $db) and `value SQL` (what the database says).
#
#   refused NAME EXIT-CODE TEXT ARGUMENTS…   that exit code, one line on stderr that holds the text, and
#                                            no run stored
# shellcheck shell=bash
refused() {
    local name=$1 code=$2 text=$3 before got
    shift 3
    before=$(value "SELECT count(*) FROM run" 2> /dev/null)
    device "$@" > "$scratch/out" 2> "$scratch/err"
    got=$?
    equal "$name: exit code" "$got" "$code"
    if [ "$(wc -l < "$scratch/err")" = 1 ] && grep -qF -- "$text" "$scratch/err"; then
        pass "$name: says why"
    else
        fail "$name: says why" "[$(cat "$scratch/err")] lacks [$text]"
    fi
    equal "$name: no run" "$(value "SELECT count(*) FROM run" 2> /dev/null)" "$before"
}
