-- What encryption costs in the latest campaign: every comparison with bounds and verdict.
.mode column
.headers on
SELECT layer, workload, phase, operation, plain_backend AS plain, encrypted_backend AS encrypted, metric, pairs,
       round(100 * loss_fraction, 1) AS loss_percent,
       round(100 * loss_optimistic_fraction, 1) AS at_best,
       round(100 * loss_pessimistic_fraction, 1) AS at_worst,
       round(exp(log_ratio_estimate), 3) AS encrypted_over_plain,
       verdict
FROM v_penalty
WHERE campaign_id = (SELECT max(id) FROM campaign) AND cell = 'pair'
ORDER BY metric <> 'throughput', metric, layer, workload, phase, operation;
