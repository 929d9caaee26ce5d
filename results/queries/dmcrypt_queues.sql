-- What each kind of encryption adds to an operation in the latest campaign, and of what it is made:
-- plumbing = null cipher - plain, cipher = default - null cipher, saved = default - the one with flags.
-- For config/dmcrypt_queues.xml; where there is no null cipher or no default, its parts are empty.
.mode column
.headers on
WITH measured AS (
    SELECT rate.*, latency.mean_ns, latency.p99_ns, backend.twin_id,
           backend.storage ->> '$.options.dm-flags' AS flags,
           coalesce(backend.storage ->> '$.options.cipher' LIKE 'cipher_null%', 0) AS null_cipher
    FROM (SELECT campaign_id, workload_id, workload, phase, operation, backend_id, backend,
                 count(*) AS runs, avg(ops_per_s) AS ops_per_s, avg(bytes_per_s) AS bytes_per_s
          FROM v_throughput
          WHERE campaign_id = (SELECT max(id) FROM campaign)
            AND layer = 'device' AND status = 'ok' AND cell = 'pair'
            AND element <> 'steady-state'
          GROUP BY workload_id, phase, operation, backend_id) AS rate
    JOIN v_latency_merged AS latency USING (campaign_id, workload_id, phase, operation, backend_id)
    JOIN backend ON backend.id = backend_id
    WHERE latency.kind = 'response'
)
SELECT it.workload, it.phase, it.operation, it.backend, it.runs,
       round(it.ops_per_s) AS iops,
       round(it.bytes_per_s / 1048576, 1) AS mib_per_s,
       round(it.mean_ns / 1e3, 2) AS mean_us,
       round(it.p99_ns / 1e3, 2) AS p99_us,
       round(100 * (1 - it.ops_per_s / plain.ops_per_s), 1) AS loss_percent,
       round((it.mean_ns - plain.mean_ns) / 1e3, 2) AS added_us,
       round(iif(it.flags IS NULL, hollow.mean_ns - plain.mean_ns, NULL) / 1e3, 2) AS plumbing_us,
       round(iif(it.flags IS NULL AND NOT it.null_cipher, it.mean_ns - hollow.mean_ns, NULL) / 1e3, 2)
           AS cipher_us,
       round(iif(it.flags IS NOT NULL, usual.mean_ns - it.mean_ns, NULL) / 1e3, 2) AS saved_us
FROM measured AS it
LEFT JOIN measured AS plain
       ON plain.backend_id = it.twin_id AND plain.workload_id = it.workload_id
      AND plain.phase = it.phase AND plain.operation = it.operation
LEFT JOIN measured AS hollow
       ON hollow.twin_id = it.twin_id AND hollow.null_cipher AND hollow.flags IS NULL
      AND hollow.workload_id = it.workload_id AND hollow.phase = it.phase
      AND hollow.operation = it.operation
LEFT JOIN measured AS usual
       ON usual.twin_id = it.twin_id AND NOT usual.null_cipher AND usual.flags IS NULL
      AND usual.workload_id = it.workload_id AND usual.phase = it.phase
      AND usual.operation = it.operation
ORDER BY it.workload_id, it.phase, it.operation, it.backend_id;
