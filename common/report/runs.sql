-- Every run of a campaign with what each of its phases did; a run without phases has one row.
-- ?1 campaign id, ?2 layer or NULL.
SELECT v_run.run_id,
       v_run.run_uuid,
       v_run.layer,
       v_run.workload,
       v_run.category,
       v_run.object_bytes,
       v_run.concurrency,
       v_throughput.phase,
       v_throughput.operation,
       v_run.backend,
       v_run.encrypted,
       v_run.encryption,
       v_run.proof,
       v_run.cell,
       v_run.pair_no,
       v_run.slot,
       v_run.began_at_utc,
       v_run.source,
       coalesce(v_throughput.status, v_run.status) AS status,
       coalesce(v_throughput.reason, v_run.reason) AS reason,
       coalesce(v_throughput.ok, 0) AS operations,
       coalesce(v_throughput.failed + v_throughput.timed_out + v_throughput.abandoned, 0) AS failed,
       coalesce(v_throughput.bytes, 0) AS bytes,
       coalesce(operation_result.warmup_ok, 0) AS warmup_operations,
       v_throughput.elapsed_s AS seconds,
       v_throughput.ops_per_s,
       v_throughput.bytes_per_s,
       v_latency.min_ns,
       v_latency.mean_ns,
       v_latency.p50_ns,
       v_latency.p90_ns,
       v_latency.p99_ns,
       v_latency.p99_9_ns,
       v_latency.max_ns,
       v_resource.cpu_ns_per_operation,
       v_resource.cpu_busy_fraction
FROM v_run
LEFT JOIN v_throughput ON v_throughput.run_id = v_run.run_id
LEFT JOIN operation_result ON operation_result.id = v_throughput.operation_result_id
LEFT JOIN (SELECT * FROM v_latency WHERE campaign_id = ?1 AND kind = 'response') AS v_latency
       ON v_latency.operation_result_id = v_throughput.operation_result_id
LEFT JOIN v_resource ON v_resource.run_id = v_run.run_id AND v_resource.phase = v_throughput.phase
WHERE v_run.campaign_id = ?1 AND (?2 IS NULL OR v_run.layer = ?2)
ORDER BY v_run.run_id, v_throughput.phase_no, v_throughput.operation
