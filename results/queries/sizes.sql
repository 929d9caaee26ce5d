-- Objects in the latest campaign: upload and download rates by size and concurrency.
.mode column
.headers on
SELECT phase, backend, encryption, concurrency, object_bytes, count(*) AS runs,
       round(avg(bytes_per_s) / 1048576, 2) AS mean_mib_per_s,
       round(avg(ops_per_s), 1) AS mean_objects_per_s
FROM v_throughput
WHERE campaign_id = (SELECT max(id) FROM campaign)
  AND layer IN ('service', 'user') AND operation IN ('put', 'get') AND match_key IS NULL
  AND status = 'ok' AND cell <> 'control'
GROUP BY layer, phase, backend_id, concurrency, object_bytes
ORDER BY layer, phase, encrypted, backend, concurrency, object_bytes;
