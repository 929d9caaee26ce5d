-- Users in the latest campaign: rates at different times of the day. Slots that were missed are in
-- v_invalid.
.mode column
.headers on
SELECT category AS slot, phase, backend, count(*) AS runs,
       round(avg(bytes_per_s) / 1048576, 2) AS mean_mib_per_s,
       round(min(bytes_per_s) / 1048576, 2) AS least_mib_per_s,
       round(max(bytes_per_s) / 1048576, 2) AS most_mib_per_s
FROM v_throughput
WHERE campaign_id = (SELECT max(id) FROM campaign)
  AND element = 'time-of-day' AND status = 'ok' AND cell <> 'control'
GROUP BY slot, phase, backend_id
ORDER BY phase, backend, slot;
