-- Processor time of the whole machine for each operation and byte in the latest campaign, plain and
-- encrypted: what encryption costs even where throughput does not show it.
.mode column
.headers on
SELECT layer, workload, phase, operation, encrypted_backend, count(*) AS pairs,
       round(avg(plain_cpu_ns_per_operation)) AS plain_ns_per_op,
       round(avg(encrypted_cpu_ns_per_operation)) AS encrypted_ns_per_op,
       round(avg(plain_cpu_ns_per_byte), 3) AS plain_ns_per_byte,
       round(avg(encrypted_cpu_ns_per_byte), 3) AS encrypted_ns_per_byte,
       round(exp(avg(cpu_log_ratio)), 2) AS times
FROM v_pair_cost
WHERE campaign_id = (SELECT max(id) FROM campaign) AND cell = 'pair'
GROUP BY workload_id, phase, operation, encrypted_backend_id
ORDER BY layer, workload, phase;
