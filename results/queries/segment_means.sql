-- Users in the latest campaign: means of the first 5, 10, 25, 50, 75, … runs by file type and size.
.mode column
.headers on
SELECT element, category, object_bytes, phase, backend, twin_backend AS paired_with, runs,
       round(mean_bytes_per_s / 1048576, 3) AS mean_mib_per_s,
       round(mean_latency_ns / 1e6, 2) AS mean_ms
FROM v_segment_mean
WHERE campaign_id = (SELECT max(id) FROM campaign) AND layer = 'user'
ORDER BY element, category, object_bytes, phase, encrypted, backend, twin_backend, runs;
