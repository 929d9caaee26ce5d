-- Capacity in the latest campaign: what grows and what fills up with the number of operations in
-- flight. Network bytes are those of all interfaces; the busiest disk of the stack stands for all.
.mode column
.headers on
SELECT layer, workload, object_bytes, phase, operation, backend, concurrency, count(*) AS runs,
       round(avg(ops_per_s), 1) AS mean_ops_per_s,
       round(avg(bytes_per_s) / 1048576, 1) AS mean_mib_per_s,
       round(avg(1.0 * histogram.sum_ns / histogram.count) / 1e6, 3) AS mean_ms,
       round(100 * avg(cpu_busy_fraction), 1) AS cpu_percent,
       round(avg(network_sent_bytes / between_s) / 1048576, 1) AS network_mib_per_s,
       round(100 * avg((SELECT max(busy_fraction) FROM v_disk
                        WHERE v_disk.run_id = v_throughput.run_id
                          AND v_disk.phase = v_throughput.phase)), 1) AS busiest_disk_percent
FROM v_throughput
LEFT JOIN v_resource USING (run_id, phase)
LEFT JOIN histogram ON histogram.operation_result_id = v_throughput.operation_result_id
                   AND histogram.kind = 'response'
WHERE campaign_id = (SELECT max(id) FROM campaign) AND status = 'ok' AND cell <> 'control'
  AND element <> 'steady-state' -- its phases are a way to a result: v_steady_state
GROUP BY workload_id, phase, operation, backend_id
ORDER BY layer, element, object_bytes, phase, operation, encrypted, backend, concurrency;
