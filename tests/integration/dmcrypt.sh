#!/bin/bash
# dm-crypt as Strata makes, proves, uses and removes it: what is refused on this machine, and then real
# devices in one boot of User-mode Linux, whose kernel has what this one may lack. The parts of the
# guest are tests/integration/dmcrypt/*.guest, sourced in order by a shell with tests/lib.sh.
. "$(dirname "$0")/../lib.sh"
begin dmcrypt
db=$scratch/strata.db

# ---- refusals, before anything is touched -----------------------------------------------------------
configuration() { # configuration ENCRYPTION ATTRIBUTES: sets $config, a file that stands for a device and a twin
    config=$scratch/config.xml
    cat > "$config" << END
<strata version="1">
  <campaign name="refused" pairs="1" control="no"/>
  <backends>
    <device name="plain" path="$scratch/disk"/>
    <device name="twin" path="$scratch/disk" twin-of="plain" encryption="$1" $2/>
  </backends>
  <device-layer><iops operations="read" block-size="4096" duration="10ms"/></device-layer>
</strata>
END
}
refused() { # refused NAME WANTED-CODE TEXT OPTIONS…
    local name=$1 code=$2 text=$3
    shift 3
    timeout 60 "$bin/strata-device" --config "$config" --db "$db" --quiet "$@" \
        > "$scratch/out" 2> "$scratch/err"
    equal "$name: exit code" $? "$code"
    equal "$name: one line" "$(wc -l < "$scratch/err")" 1
    if grep -qF -- "$text" "$scratch/err"; then pass "$name: says why"; else
        fail "$name: says why" "[$(cat "$scratch/err")] lacks [$text]"
    fi
    check "$name: no database" test ! -e "$db"
}
head -c 8M /dev/urandom > "$scratch/disk"
sum=$(cksum < "$scratch/disk")
configuration dm-crypt 'provision="plain"'
refused "without permission, though it only reads" 2 "read only until --allow-overwrite $scratch/disk"
if [ "$(id -u)" = 0 ] && ! grep -q device-mapper /proc/misc; then
    refused "a kernel without device mapper" 3 "this kernel has no device mapper" \
        --allow-overwrite "$scratch/disk"
else
    skip "a kernel without device mapper" "this one has it, or the user is not root"
fi
configuration aes-xts-256 'provision="luks2"'
refused "another encryption" 2 "provision: is for encryption dm-crypt" --allow-overwrite "$scratch/disk"
configuration dm-crypt 'provision="plain" key-size="500"'
refused "half a byte of a key" 2 "key-size: 500 is not a multiple of 8 bits" --allow-overwrite "$scratch/disk"
configuration dm-crypt 'dm-flags="same_cpu_crypt" evidence="none"'
refused "flags of no mapping" 2 "dm-flags: is for a mapping that Strata makes itself"
configuration dm-crypt 'provision="luks2" dm-flags="no_queue"'
refused "an unknown flag" 2 "no_queue"
equal "the device is as it was" "$(cksum < "$scratch/disk")" "$sum"

# ---- the guest -----------------------------------------------------------------------------------------
cat > "$scratch/guest" << END
export TMPDIR=/run STRATA_BIN=$bin
. $top/tests/lib.sh
begin dmcrypt
for part in $top/tests/integration/dmcrypt/*.guest; do . \$part; done
finish
END
"$top/tests/servers/uml" "$scratch/guest" > "$scratch/log" 2>&1
code=$?
if [ $code = 77 ]; then
    skip "dm-crypt on real devices" "$(cat "$scratch/log")"
    finish
fi
grep -v '^\(ok \|skip\|dmcrypt: \)' "$scratch/log"
counts=$(sed -n 's/^dmcrypt: \([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped$/\1 \2 \3/p' "$scratch/log")
if [ -n "$counts" ]; then
    read -r guest_passed guest_failed guest_skipped <<< "$counts"
    passed=$((passed + guest_passed)) failed=$((failed + guest_failed)) skipped=$((skipped + guest_skipped))
    grep '^\(ok \|skip\)' "$scratch/log"
else
    fail "the guest reaches its end" "exit $code"
fi
finish
