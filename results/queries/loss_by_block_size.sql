-- What encryption costs at the device layer in per cent, device x block size, of IOPS and of bandwidth,
-- for each operation, engine and depth: the table in which such comparisons are published. As there, it
-- is 100 (1 - encrypted / plain) of the mean rates of the pairs; a negative loss is a gain. With one
-- block size on both sides both measures lose the same, but for rounding where rates were published.
-- Bounds and verdict: losses.sql. Of the latest campaign; a block size without a
-- column stands last; pairs are those of the block size that has fewest.
.mode column
.headers on
WITH pair AS (
    SELECT v_penalty.*, parameters, parameters ->> '$.engine' AS engine,
           nullif(coalesce(parameters ->> '$.depth', v_penalty.concurrency), 0) AS depth,
           v_penalty.phase
               || iif(v_penalty.phase LIKE '%rw', format(' %d/%d ', parameters ->> '$.read_percent',
                      100 - (parameters ->> '$.read_percent')) || v_penalty.operation, '')
               || iif(parameters ->> '$.jobs' > 1, ', ' || (parameters ->> '$.jobs') || ' jobs', '') AS kind
    FROM v_penalty JOIN workload ON workload.id = workload_id
    WHERE campaign_id = (SELECT max(id) FROM campaign)
      AND v_penalty.layer = 'device' AND metric = 'throughput' AND cell = 'pair'
),
loss AS (
    SELECT 'IOPS' AS measure, *,
           round(100 * (1 - encrypted_mean_ops_per_s / plain_mean_ops_per_s), 2) AS percent
    FROM pair
    UNION ALL
    SELECT 'bandwidth', *,
           round(100 * (1 - encrypted_mean_bytes_per_s / plain_mean_bytes_per_s), 2)
    FROM pair
)
SELECT encrypted_backend AS device, element, kind AS operation, engine,
       depth, min(pairs) AS pairs, measure AS "loss in % of",
       max(percent) FILTER (WHERE block_bytes = 512) AS "512 B",
       max(percent) FILTER (WHERE block_bytes = 1024) AS "1 KiB",
       max(percent) FILTER (WHERE block_bytes = 4096) AS "4 KiB",
       max(percent) FILTER (WHERE block_bytes = 65536) AS "64 KiB",
       max(percent) FILTER (WHERE block_bytes = 262144) AS "256 KiB",
       max(percent) FILTER (WHERE block_bytes = 524288) AS "512 KiB",
       max(percent) FILTER (WHERE block_bytes = 1048576) AS "1 MiB",
       max(percent) FILTER (WHERE block_bytes = 4194304) AS "4 MiB",
       max(percent) FILTER (WHERE block_bytes = 8388608) AS "8 MiB",
       max(percent) FILTER (WHERE block_bytes = 16777216) AS "16 MiB",
       max(percent) FILTER (WHERE block_bytes = 67108864) AS "64 MiB",
       group_concat(block_bytes || ' B: ' || percent, ', ')
           FILTER (WHERE block_bytes NOT IN (512, 1024, 4096, 65536, 262144, 524288, 1048576,
                                             4194304, 8388608, 16777216, 67108864)) AS others
FROM loss
GROUP BY plain_backend, encrypted_backend, element, kind, concurrency, parameters, measure
ORDER BY device, element, operation, engine, depth, measure DESC;
