#!/bin/bash
# A comparison of which one side cannot do what is asked is named as such, everywhere (D3): 512 B on an
# encryption with sectors of 4096 B.
. "$(dirname "$0")/../lib.sh"
begin not_comparable
db=$scratch/strata.db
head -c 8M /dev/urandom > "$scratch/disk"
cat > "$scratch/config.xml" << END
<strata version="1">
  <campaign name="sectors" pairs="2" control="no"/>
  <backends>
    <device name="plain" path="$scratch/disk"/>
    <device name="large" path="$scratch/disk" twin-of="plain" encryption="aes-xts-256" sector-size="4096"/>
  </backends>
  <device-layer>
    <iops engine="sync" depth="1" operations="randread" block-size="512 4096" duration="150ms" warm-up="0s"/>
  </device-layer>
</strata>
END
"$bin/strata-device" --config "$scratch/config.xml" --db "$db" --quiet > "$scratch/out" 2> "$scratch/err"
equal "the campaign ends well" $? 0
sql() { sqlite3 -readonly "$db" "$1"; }
equal "the plain side has all its runs, the other says once that it cannot" \
    "$(sql "SELECT backend, status, count(*) FROM v_run WHERE block_bytes = 512 GROUP BY backend ORDER BY backend")" \
    "large|invalid|1
plain|ok|2"
equal "nothing is stored as zero" "$(sql "SELECT count(*) FROM v_throughput WHERE block_bytes = 512 AND encrypted")" 0
equal "the view" "$(sql "SELECT workload, plain_backend, encrypted_backend, unable_backend, reason FROM v_not_comparable")" \
    "iops randread 512 B depth 1 sync|plain|large|large|randread: unsupported: block size 512 is not a multiple of the encryption sector, 4096 bytes"
row=$("$bin/strata" report --db "$db" --markdown | grep '512 B' | head -n 1)
if [[ $row == *"plain / large"*"not comparable"* ]]; then pass "the report's row"; else fail "the report's row" "$row"; fi
check "the report counts it" grep -q "1 cannot be made" <("$bin/strata" report --db "$db" | tr '\n' ' ' | tr -s ' ')
check "the page is drawn" "$bin/strata" report --db "$db" --html "$scratch/page.html"
equal "no picture of a loss that is not known" "$(grep -ci '>nan' "$scratch/page.html")" 0
"$bin/strata" compare --db "$db" plain large > "$scratch/compared" 2>&1
equal "compare: exit code" $? 3
check "compare: says so" grep -q "not comparable" "$scratch/compared"
check "compare: and counts" grep -q "1 inconclusive, 1 not comparable" "$scratch/compared"
finish
