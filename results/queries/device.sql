-- Devices in the latest campaign: IOPS and transfer rate, means over the consecutive runs.
.mode column
.headers on
SELECT element AS indicator, operation, block_bytes, concurrency AS depth, backend AS device, encryption,
       count(*) AS runs,
       round(avg(ops_per_s)) AS mean_iops,
       round(avg(bytes_per_s) / 1048576, 1) AS mean_mib_per_s,
       round(min(ops_per_s)) AS least_iops,
       round(max(ops_per_s)) AS most_iops
FROM v_throughput
WHERE campaign_id = (SELECT max(id) FROM campaign)
  AND layer = 'device' AND status = 'ok' AND cell <> 'control'
GROUP BY workload_id, operation, backend_id
ORDER BY element, operation, block_bytes, depth, encrypted, backend;
