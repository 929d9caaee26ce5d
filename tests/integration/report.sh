#!/bin/bash
# Every format of the report on a database of known content: valid by its own reader, hostile names
# shown as text, no request to anywhere, a point in every locale; compare's exit codes.
. "$(dirname "$0")/../lib.sh"
begin report
make_results=$top/build/tests/support/make_results
[ -z "${STRATA_BIN:-}" ] || make_results=${STRATA_BIN%/bin}/tests/support/make_results
strata=$bin/strata
db=$scratch/known.db
one=11111111-1111-4111-8111-111111111111
two=22222222-2222-4222-8222-222222222222
"$make_results" "$db" $one known && "$strata" analyse --db "$db" || fail "prepare" "no database"

# --- JSON ---------------------------------------------------------------------------------------
"$strata" report --db "$db" --json > "$scratch/report.json"
check "JSON is valid" jq -e . "$scratch/report.json"
equal "JSON: schema, campaign, every run" \
    "$(jq -r '[.schema, .campaign, ([.runs[].run_id] | unique | length)] | join(" ")' "$scratch/report.json")" \
    "1 $one $(sqlite3 "$db" 'SELECT count(*) FROM run')"
equal "JSON: operations and rates are numbers, encrypted is a truth value" \
    "$(jq -r '[.runs[] | select(.status == "ok") | [(.operations | type), (.ops_per_s | type), (.encrypted | type)] | join(" ")] | unique | join(",")' "$scratch/report.json")" \
    "number number boolean"
equal "JSON: percentiles of too few operations are null" \
    "$(jq -r '[.runs[] | select(.operations < 1000) | .latency_ns.p99] | unique | tostring' "$scratch/report.json")" "[null]"
equal "JSON: no percentile above the maximum" \
    "$(jq '[.runs[].latency_ns | select(.p99 != null and .p99 > .max)] | length' "$scratch/report.json")" 0
equal "JSON: one layer alone" \
    "$("$strata" report --db "$db" --json --layer service | jq -r '[.runs[].layer, .comparisons[].layer] | unique | join(",")')" service
equal "JSON: a comparison" \
    "$(jq -r '.comparisons[] | select(.metric == "throughput" and .phase == "create") | "\(.loss_fraction.estimate * 10000 | round) \(.pairs) \(.verdict)"' "$scratch/report.json")" "1500 5 fail"

# --- a decimal comma (R4) -------------------------------------------------------------------------
mkdir "$scratch/locales"
if localedef -i de_DE -f UTF-8 "$scratch/locales/de_DE.UTF-8" 2> "$scratch/localedef.log"; then
    german() { LOCPATH=$scratch/locales LC_ALL=de_DE.UTF-8 "$@"; }
    equal "the locale has a decimal comma" "$(german bash -c 'printf %.1f 0,5')" "0,5"
    for what in "report --json" "export --format csv" "export --format openmetrics" report; do
        # shellcheck disable=SC2086
        german "$strata" $what --db "$db" > "$scratch/german"
        # shellcheck disable=SC2086
        "$strata" $what --db "$db" > "$scratch/plain"
        check "$what is the same with a decimal comma" cmp "$scratch/german" "$scratch/plain"
    done
else
    skip "a decimal comma" "localedef cannot make de_DE: $(head -1 "$scratch/localedef.log")"
fi

# --- on a terminal --------------------------------------------------------------------------------
# on_terminal COLUMNS COMMAND…: its output, as the terminal gets it
on_terminal() { script -qec "stty cols $1; ${*:2}" /dev/null < /dev/null | tr -d '\r'; }
widest() { /usr/bin/python3 -c 'import sys; print(max(len(line.rstrip("\n")) for line in sys.stdin))'; }
words() { tr -s ' \n' '\n\n' | grep -v '^$'; }
on_terminal 80 "$strata" report --db "$db" > "$scratch/narrow"
check "80 columns: no line is wider" test "$(widest < "$scratch/narrow")" -le 80
check "80 columns: it says what was left out" grep -q "Left out for the width" "$scratch/narrow"
on_terminal 300 "$strata" report --db "$db" > "$scratch/wide"
equal "300 columns: nothing is left out" "$(grep -c 'Left out\|p99' "$scratch/wide")" \
    "$("$strata" report --db "$db" | grep -c 'p99')"
"$strata" report --db "$db" > "$scratch/file"
equal "a file has whole sentences" "$(sed -n '/^Findings/,$p' "$scratch/file" | grep -c '[^.]$')" \
    "$(grep -c '^Findings\|^In short\|^  Ladder: \|^$' <(sed -n '/^Findings/,$p' "$scratch/file" | grep '[^.]$'))"
equal "the same words at any width" "$(sed -n '/^Findings/,$p' "$scratch/narrow" | words | sha256sum)" \
    "$(sed -n '/^Findings/,$p' "$scratch/file" | words | sha256sum)"

# --- HTML -------------------------------------------------------------------------------------------
page() { # page FILE: no request, no script, well-formed
    check "$2: well-formed" xmllint --noout "$1"
    equal "$2: asks for nothing from anywhere" "$(xmllint --xpath 'count(//script | //img | //link | //iframe |
        //object | //embed | //form | //base | //@src | //@href | //@action | //@style | //@*[starts-with(name(), "on")] |
        //style[contains(., "url(") or contains(., "@import")])' "$1")" 0
}
"$strata" report --db "$db" --html "$scratch/page.html"
page "$scratch/page.html" "page"
equal "page: its policy forbids every source" "$(grep -c "default-src 'none'" "$scratch/page.html")" 1
equal "page: a chart with its query for each layer twice and each ladder" \
    "$(grep -c '<svg' "$scratch/page.html") $(grep -c '<summary>SQL' "$scratch/page.html")" "12 12"
cat > "$scratch/queries.py" <<'PYTHON'
# Every query that the page shows runs as it stands, and gives the numbers of the page's table.
import html, re, sqlite3, sys
page = open(sys.argv[1], encoding="utf-8").read()
db = sqlite3.connect(sys.argv[2])
for query in map(html.unescape, re.findall(r"<pre>(.*?)</pre>", page, re.S)):
    cursor = db.execute(query)
    names = [column[0] for column in cursor.description]
    rows = cursor.fetchall()
    assert rows, query
    if "loss_pessimistic_fraction" in names:
        for row in rows:
            loss = row[names.index("loss_fraction")]
            assert loss is None or f"{100 * loss:.1f} %".replace("-0.0", "0.0") in page, loss
PYTHON
check "page: the queries run and give the page's numbers" /usr/bin/python3 "$scratch/queries.py" "$scratch/page.html" "$db"
equal "page: coordinates are numbers" "$(grep -cE '="(-?nan|-?inf)' "$scratch/page.html")" 0

# --- hostile names (R11) ------------------------------------------------------------------------------
cp "$db" "$scratch/hostile.db"
evil='</script><img src=x onerror=alert(1)>'
sqlite3 "$scratch/hostile.db" "UPDATE backend SET name = '$evil' WHERE name = 'disk-aes';
    UPDATE campaign SET name = '<b>]]>&' || char(27) || '[31m' || char(10) || '\"';
    UPDATE backend SET evidence = '=HYPERLINK(1)|\`x\`' WHERE name = 'ext4-fscrypt';
    UPDATE workload SET name = name || '\"},\\' WHERE layer = 'user'"
"$strata" report --db "$scratch/hostile.db" --html "$scratch/hostile.html"
page "$scratch/hostile.html" "hostile page"
check "hostile name is shown as text" grep -qF '&lt;/script&gt;&lt;img src=x onerror' "$scratch/hostile.html"
equal "hostile name moves no cursor" "$("$strata" report --db "$scratch/hostile.db" | tr -dc '\033' | wc -c)" 0
equal "hostile name is no HTML in Markdown" "$("$strata" report --db "$scratch/hostile.db" --markdown | grep -c '<img')" 0
equal "hostile name survives JSON" \
    "$("$strata" report --db "$scratch/hostile.db" --json | jq -r '[.runs[].backend] | unique | .[0]')" "$evil"
cat > "$scratch/read.py" <<'PYTHON'
import csv, io, re, subprocess, sys
strata, db, runs = sys.argv[1], sys.argv[2], int(sys.argv[3])
text = subprocess.run([strata, "export", "--db", db], capture_output=True, check=True).stdout.decode()
rows = list(csv.DictReader(io.StringIO(text, newline="")))
assert len({row["run_id"] for row in rows}) == runs and len(text.split("\r\n")[0].split(",")) == len(rows[0])
assert any(row["backend"].startswith("</script>") for row in rows)
assert all(float(row["ops_per_s"]) > 0 for row in rows if row["status"] == "ok")
text = subprocess.run([strata, "export", "--format", "openmetrics", "--db", db], capture_output=True, check=True).stdout.decode()
lines = text.split("\n")
assert lines[-2:] == ["# EOF", ""], lines[-3:]
label = r'[a-z_]+="(?:[^"\\\n]|\\["\\n])*"'
seen, family = set(), None
for line in lines[:-2]:
    if line.startswith("# TYPE "):
        assert line.split(" ")[2] not in seen
        seen.add(line.split(" ")[2])
    elif not line.startswith("# HELP "):
        match = re.fullmatch(r"([a-z_]+)\{" + label + "(?:," + label + r")*\} (-?[0-9.e+-]+)", line)
        assert match and match[1] in seen, line
        assert line.rsplit(" ", 1)[0] not in seen, line
        seen.add(line.rsplit(" ", 1)[0])
PYTHON
check "CSV and OpenMetrics read back whole" /usr/bin/python3 "$scratch/read.py" "$strata" "$scratch/hostile.db" \
    "$(sqlite3 "$db" 'SELECT count(*) FROM run')"

# --- few points, equal points (R10) -------------------------------------------------------------------
cp "$db" "$scratch/equal.db"
sqlite3 "$scratch/equal.db" "UPDATE phase SET window_ns = 1000000000, elapsed_ns = 1000000000;
    UPDATE operation_result SET window_ok = 1, window_bytes = 0, ok = 1, failed = 0, timed_out = 0, abandoned = 0,
        bytes = 0, due = 1 + skipped, started = 1"
"$strata" analyse --db "$scratch/equal.db"
"$strata" report --db "$scratch/equal.db" --html "$scratch/equal.html"
page "$scratch/equal.html" "page of equal rates"
equal "page of equal rates: still draws" "$(grep -c '<svg' "$scratch/equal.html") $(grep -cE '="(-?nan|-?inf)' "$scratch/equal.html")" "12 0"
cp "$db" "$scratch/none.db"
sqlite3 "$scratch/none.db" "UPDATE run SET status = 'failed', reason = 'made so'"
"$strata" analyse --db "$scratch/none.db"
"$strata" report --db "$scratch/none.db" --html "$scratch/none.html"
page "$scratch/none.html" "page without a valid run"
equal "no valid run: no rate" "$("$strata" report --db "$scratch/none.db" | grep -cE '[0-9] (k/s|MiB/s)')" 0

# --- files are replaced whole or not at all ------------------------------------------------------------
echo old > "$scratch/kept.html"
output=$("$strata" report --db "$db" --campaign 99999999 --html "$scratch/kept.html" 2>&1)
equal "an error leaves the old page" "$? $(cat "$scratch/kept.html")" "2 old"
equal "and is one line" "$(wc -l <<< "$output")" 1
output=$("$strata" report --db "$db" --html "$scratch/no/page.html" 2>&1)
equal "a directory that is not there: exit 3, named" "$? $output" \
    "3 strata: $scratch/no/page.html: cannot write: No such file or directory"
ln -s kept.html "$scratch/link.html"
"$strata" report --db "$db" --html "$scratch/link.html"
equal "a link stays a link" "$(readlink "$scratch/link.html") $(grep -c '</html>' "$scratch/kept.html")" "kept.html 1"
"$strata" report --db "$db" --html /dev/null
equal "/dev/null stays a device" "$([ -c /dev/null ] && echo device)" device
equal "no temporary file is left" "$(find "$scratch" -name '*.html.*' | wc -l)" 0

# --- errors ------------------------------------------------------------------------------------------
one_line() { # one_line NAME WANTED-CODE ARGUMENT…
    local name=$1 code=$2 output
    shift 2
    output=$("$strata" "$@" 2>&1 > "$scratch/stdout")
    equal "$name: exit $code, one line, nothing on stdout" "$? $(grep -c . <<< "$output") $(wc -c < "$scratch/stdout")" "$code 1 0"
}
one_line "no database" 3 report --db "$scratch/none-such.db"
one_line "not a database" 2 report --db "$scratch/page.html"
one_line "unknown format" 2 export --db "$db" --format xml
one_line "unknown layer" 2 report --db "$db" --layer cloud
one_line "two formats" 2 report --db "$db" --json --markdown

# --- compare -------------------------------------------------------------------------------------------
compare() { # compare NAME WANTED-CODE ARGUMENT…
    local name=$1 code=$2
    shift 2
    "$strata" compare --db "$scratch/compare.db" "$@" > "$scratch/compared" 2> "$scratch/error"
    equal "compare, $name: exit $code" $? "$code"
}
cp "$db" "$scratch/compare.db"
"$make_results" "$scratch/compare.db" $two slower 0.85
compare "a campaign with itself" 0 known known
equal "no difference is a tilde, in each of the 56 cells" "$(grep -c '~ +0.0 %' "$scratch/compared")" 56
compare "15 % slower" 1 known slower
# Half of the cells are plain and unchanged, half lose 15 %: sqrt(0.85) = 0.922.
equal "the geometric mean of the changes" "$(grep geometric "$scratch/compared")" "geometric mean of 56 changes: -7.8 %"
compare "faster is no loss" 0 slower known
compare "by the begin of the uuid" 1 11111111 2222
compare "two back ends that differ by 20 to 50 %" 1 --margin 15% disk disk-aes
compare "within a wide margin" 0 --margin 90% disk disk-aes
compare "unknown names" 2 known nobody
equal "unknown names are named" "$(grep -c 'known and nobody: expected' "$scratch/error")" 1
for pairs in 2 1 0; do
    cp "$db" "$scratch/compare.db"
    "$make_results" "$scratch/compare.db" $two slower 0.85
    sqlite3 "$scratch/compare.db" "UPDATE run SET status = 'invalid', reason = 'made so' WHERE pair_no > $pairs"
    compare "$pairs pairs decide nothing" 3 known slower
done
cp "$db" "$scratch/compare.db"
"$make_results" "$scratch/compare.db" $two slower 0.85
sqlite3 "$scratch/compare.db" "INSERT INTO environment (host_id, facts_hash, facts)
        SELECT host_id, 'other', json_set(facts, '\$.kernel', '9.9') FROM environment LIMIT 1;
    UPDATE run SET environment_id = (SELECT max(id) FROM environment)
     WHERE campaign_id = (SELECT id FROM campaign WHERE uuid = '$two')"
compare "unlike environments are refused" 2 known slower
equal "with the fact that differs" "$(grep -c 'kernel is .* there, 9.9 here' "$scratch/error")" 1
compare "unless forced" 1 --force known slower
finish
