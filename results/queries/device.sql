-- Devices in the latest campaign: IOPS and transfer rate, means over the consecutive runs. A mix has a row
-- for its reads and one for its writes; a run of rounds counts once, with its steady state.
.mode column
.headers on
SELECT element AS indicator,
       phase || iif(phase LIKE '%' || operation, '', ' ' || operation) AS operation,
       block_bytes, concurrency AS in_flight, backend AS device, encryption,
       count(ops_per_s) AS runs,
       round(avg(ops_per_s)) AS mean_iops,
       round(avg(bytes_per_s) / 1048576, 1) AS mean_mib_per_s,
       round(min(ops_per_s)) AS least_iops,
       round(max(ops_per_s)) AS most_iops,
       workload
FROM v_rate
WHERE campaign_id = (SELECT max(id) FROM campaign)
  AND layer = 'device' AND status = 'ok' AND cell <> 'control'
  AND element NOT IN ('cipher', 'key-derivation', 'volumes') -- no device's
GROUP BY workload_id, phase, v_rate.operation, backend_id
HAVING count(ops_per_s) > 0
ORDER BY element, v_rate.operation, block_bytes, in_flight, workload_id, encrypted, backend;
