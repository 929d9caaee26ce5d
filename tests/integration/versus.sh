#!/bin/bash
# Device against device: the same statistics as of twins, and never a word of a loss by encryption.
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/support/loop.sh
. "$top/tests/support/loop.sh"
# shellcheck source=tests/support/throttle.sh
. "$top/tests/support/throttle.sh"
begin versus
db=$scratch/results.db
value() { sqlite3 "$db" "$1"; }
random_loop a 16M && a=$loop && random_loop b 16M && b=$loop
if [ -z "${b:-}" ] || ! throttle_group; then
    skip "one device slower than the other" "$missing"
    finish
fi
throttle "$a" 600
throttle "$b" 300
device() { throttled "$bin/strata-device" --quiet --db "$db" "$@"; }

device --plain "$a" --versus "$b" --op randread --block-size 4KiB --depth 4 --pairs 5 --duration 400ms \
    --warm-up 0s --set control=no > "$scratch/text" 2> "$scratch/err"
equal "A against B: exit code, since no margin is applied" $? 0
equal "the runs are taken in pairs, ABBA or BAAB" \
    "$(value "SELECT count(*) || ' ' || count(DISTINCT pair_no) || ' ' || group_concat(DISTINCT cell) || ' ' ||
        sum(encrypted_side) FROM v_run")" "10 5 versus 5"
blocks=$(value "SELECT group_concat(encrypted_side, '') FROM (SELECT encrypted_side FROM v_run ORDER BY slot)")
if [[ $blocks =~ ^(0110|1001){2}(01|10)$ ]]; then pass "the order of the sides: $blocks"; else
    fail "the order of the sides" "$blocks"
fi
equal "the slower device is called slower" \
    "$(value "SELECT backend || ' ' || against_backend || ' ' || pairs || ' ' || verdict FROM v_versus
        WHERE metric = 'throughput'")" "versus plain 5 slower"
# 300 of 600 a second are 50 % less; the throttle lets a slice more through at the beginning.
equal "by about half, inside its bounds" \
    "$(value "SELECT change_fraction BETWEEN -0.6 AND -0.35, change_lower_fraction <= change_fraction,
        change_fraction <= change_upper_fraction, change_upper_fraction < 0 FROM v_versus
        WHERE metric = 'throughput'")" "1|1|1|1"
equal "the estimate is the median of the Walsh averages, by SQL alone" \
    "$(value "WITH d AS (SELECT pair_no, log_ratio FROM v_pair WHERE cell = 'versus'),
            walsh AS (SELECT (x.log_ratio + y.log_ratio) / 2 AS average FROM d AS x JOIN d AS y ON x.pair_no <= y.pair_no)
        SELECT abs(exp((SELECT average FROM walsh ORDER BY average LIMIT 1 OFFSET 7)) - 1 - change_fraction) < 1e-9
        FROM v_versus WHERE metric = 'throughput'")" 1
equal "nothing of it is a penalty of encryption" \
    "$(value "SELECT (SELECT count(*) FROM v_penalty) || ' ' || (SELECT count(loss_fraction) FROM comparison) || ' ' ||
        (SELECT count(*) FROM v_pair WHERE cell = 'pair')")" "0 0 0"
change=$(value "SELECT format('%+.1f %% (%.1f to %.1f), slower.', 100 * change_fraction,
    100 * change_lower_fraction, 100 * change_upper_fraction) FROM v_versus WHERE metric = 'throughput'")
equal "the report's last words" "$(tail -n 1 "$scratch/text")" "  versus against plain: $change"
check "and its table" grep -q "One back end against another" "$scratch/text"
equal "no word of a loss" "$(grep -ci 'loss\b.*encryption\|costs more' "$scratch/text")" 0
for form in markdown json "html $scratch/page.html"; do
    # shellcheck disable=SC2086
    "$bin/strata" report --db "$db" --$form > "$scratch/out" 2>&1
    [ "${form%% *}" = html ] && cp "$scratch/page.html" "$scratch/out"
    check "$form names it" grep -q 'versus against plain\|"against_backend": *"plain"' "$scratch/out"
done
"$bin/strata" compare --db "$db" plain versus > "$scratch/compared" 2>&1
equal "strata compare names the two: exit code 1, above the margin that it applies" "$?" 1
equal "strata compare: the same change" \
    "$(grep -o '[-+][0-9.]* % *[-+][0-9.]* to [-+][0-9.]* % *5 *fail' "$scratch/compared" | cut -d' ' -f1)" \
    "$(value "SELECT format('%+.1f', 100 * change_fraction) FROM v_versus WHERE metric = 'throughput'")"

# Both with the same encryption, and each against its plain one, in one command.
throttle "$a" 0
throttle "$b" 0
device --plain "$a" --versus "$b" --encrypt aes-xts-256 --op randread --block-size 4KiB --depth 4 --pairs 2 \
    --duration 100ms --warm-up 0s --set control=no > /dev/null 2> "$scratch/err"
equal "plain and encrypted, each against its rival and its twin" \
    "$(value "SELECT group_concat(what, ', ') FROM (SELECT DISTINCT cell || ' ' || plain_backend || '/' || encrypted_backend
        AS what FROM v_pair WHERE campaign_id = (SELECT max(id) FROM campaign) ORDER BY 1)")" \
    "pair plain/encrypted, pair versus/versus-encrypted, versus encrypted/versus-encrypted, versus plain/versus"
equal "below 5 pairs nothing is decided" \
    "$(value "SELECT DISTINCT verdict || ' ' || (change_lower_fraction IS NULL) FROM v_versus
        WHERE campaign_id = (SELECT max(id) FROM campaign)")" "inconclusive 1"
equal "the penalty of encryption is that of twins alone" \
    "$(value "SELECT group_concat(what, ', ') FROM (SELECT DISTINCT plain_backend || '/' || encrypted_backend AS what
        FROM v_penalty WHERE campaign_id = (SELECT max(id) FROM campaign) ORDER BY 1)")" \
    "plain/encrypted, versus/versus-encrypted"
"$bin/strata-device" --plain "$a" --versus "$b" --encrypted "$b" --dry-run > /dev/null 2> "$scratch/err"
equal "an encrypted twin elsewhere would be nobody's: refused" \
    "$? $(grep -c -- '--encrypted does not go with --versus' "$scratch/err")" "2 1"
finish
