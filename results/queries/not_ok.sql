-- Runs of the latest campaign without a valid rate, and the causes of failed operations.
.mode column
.headers on
SELECT began_at_utc, layer, workload, backend, pair_no, status, reason
FROM v_invalid
WHERE campaign_id = (SELECT max(id) FROM campaign)
ORDER BY began_at_us;
.print
SELECT layer, workload, backend, phase, operation, code, message, sum(count) AS operations,
       round(100.0 * sum(count) / sum(attempts), 3) AS percent_of_attempts
FROM v_error
WHERE campaign_id = (SELECT max(id) FROM campaign)
GROUP BY layer, workload, backend, phase, operation, code
ORDER BY operations DESC;
