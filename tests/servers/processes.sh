# Sourced by the server scripts: processes that are found again by id *and* start time, so that a
# recycled id is never signalled. One file NAME.pid a process holds "PID STARTTIME".
# shellcheck shell=bash

# start_time PID: in clock ticks since boot; nothing when there is no such process.
start_time() { sed 's/.*) //' "/proc/$1/stat" 2> /dev/null | cut -d ' ' -f 20; }

# record FILE PID
record() { echo "$2 $(start_time "$2")" > "$1"; }

# recorded FILE: print the id when that very process still runs, else fail. A zombie has ended.
recorded() {
    local pid ticks
    { read -r pid ticks < "$1"; } 2> /dev/null && [ -n "$ticks" ] && [ "$(start_time "$pid")" = "$ticks" ] &&
        ! grep -q '^State:.Z' "/proc/$pid/status" 2> /dev/null && echo "$pid"
}

# wait_until SECONDS CMD…: poll until the command succeeds; fails when it has not after SECONDS.
wait_until() {
    local end=$((SECONDS + $1 + 1))
    shift
    until "$@"; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.05
    done
}

none_recorded() {
    local file
    for file; do if recorded "$file" > /dev/null; then return 1; fi; done
}
signal_recorded() {
    local signal=$1 file pid
    shift
    for file; do if pid=$(recorded "$file"); then kill "-$signal" "$pid" 2> /dev/null; fi; done
}

# end_recorded SECONDS FILE…: TERM to all, KILL to those left after SECONDS; removes the files.
end_recorded() {
    local patience=$1
    shift
    signal_recorded TERM "$@"
    if ! wait_until "$patience" none_recorded "$@"; then
        signal_recorded KILL "$@"
        wait_until 5 none_recorded "$@"
    fi
    rm -f "$@"
}

# port_open PORT: does anything accept connections on loopback?
port_open() { (exec 3<> "/dev/tcp/127.0.0.1/$1") 2> /dev/null; }
