-- Loss by encryption in per cent at the device layer, by device, operation and block size. As both
-- sides have the same block size, IOPS and bandwidth lose the same.
.mode column
.headers on
SELECT encrypted_backend AS device, encryption, element, operation, block_bytes, concurrency AS depth, pairs,
       round(plain_mean_ops_per_s) AS plain_iops, round(encrypted_mean_ops_per_s) AS encrypted_iops,
       round(plain_mean_bytes_per_s / 1048576, 1) AS plain_mib_per_s,
       round(encrypted_mean_bytes_per_s / 1048576, 1) AS encrypted_mib_per_s,
       round(100 * loss_fraction, 1) AS loss_percent
FROM v_penalty
WHERE campaign_id = (SELECT max(id) FROM campaign)
  AND layer = 'device' AND metric = 'throughput' AND cell = 'pair'
ORDER BY device, operation, element, block_bytes, depth;
