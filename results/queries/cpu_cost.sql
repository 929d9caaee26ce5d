-- Processor time of the whole machine for each operation and byte in the latest campaign, plain and
-- encrypted: what encryption costs even where throughput does not show it. Pooled over the runs, since
-- the kernel counts in ticks of 10 ms; what used fewer than 10 of them is left out.
.mode column
.headers on
SELECT layer, workload, v_resource.phase, backend, twin_backend AS paired_with, count(*) AS runs,
       round(1.0 * sum(cpu_ns) / sum(ok)) AS cpu_ns_per_operation,
       round(1.0 * sum(cpu_ns) / nullif(sum(bytes), 0), 3) AS cpu_ns_per_byte,
       round(1.0 * sum(process_cpu_ns) / sum(ok)) AS of_the_load_generator_ns
FROM v_resource
JOIN v_run USING (run_id)
JOIN phase ON phase.run_id = v_resource.run_id AND phase.name = v_resource.phase AND phase.reason = ''
WHERE campaign_id = (SELECT max(id) FROM campaign) AND status = 'ok' AND cell <> 'control'
GROUP BY workload_id, v_resource.phase, backend_id, twin_backend_id
HAVING sum(cpu_ns) >= 100000000
ORDER BY layer, workload, v_resource.phase, paired_with, encrypted;
