-- File systems in the latest campaign: metadata operations per second by kind.
.mode column
.headers on
SELECT workload, operation, backend, encryption, count(*) AS runs,
       round(avg(ops_per_s)) AS mean_ops_per_s,
       round(avg(bytes_per_s) / 1048576, 1) AS mean_mib_per_s,
       sum(failed + timed_out + abandoned) AS failed
FROM v_throughput
WHERE campaign_id = (SELECT max(id) FROM campaign)
  AND layer = 'filesystem' AND match_key IS NULL AND status = 'ok' AND cell <> 'control'
GROUP BY workload_id, phase, operation, backend_id
ORDER BY workload, min(phase_no), encrypted, backend;
