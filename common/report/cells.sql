-- What each workload and phase delivered, plain and encrypted: medians of the ok runs, percentiles of
-- the merged histograms, CPU of the whole machine per operation, the loss with its verdict, and how
-- many times the CPU per byte encryption takes.
-- ?1 campaign id, ?2 layer or NULL.
WITH side AS (
    SELECT layer, workload_id, workload, element, category, object_bytes, match_key, phase_no, phase,
           operation, backend_id, backend, encrypted, encryption, proof, twin_backend_id,
           count(ops_per_s) AS runs,
           count(*) FILTER (WHERE status <> 'ok') AS bad_runs,
           avg(ops_per_s) FILTER (WHERE place IN ((rated + 1) / 2, rated / 2 + 1)) AS ops_per_s,
           avg(bytes_per_s) FILTER (WHERE place IN ((rated + 1) / 2, rated / 2 + 1)) AS bytes_per_s
    FROM (SELECT layer, workload_id, workload, element, category, object_bytes, match_key, phase_no,
                 phase, operation, backend_id, backend, encrypted, encryption, proof,
                 twin_backend_id, status,
                 CASE WHEN status = 'ok' THEN ops_per_s END AS ops_per_s,
                 CASE WHEN status = 'ok' THEN bytes_per_s END AS bytes_per_s,
                 row_number() OVER (alike ORDER BY status <> 'ok', ops_per_s IS NULL, ops_per_s)
                     AS place,
                 count(ops_per_s) FILTER (WHERE status = 'ok') OVER alike AS rated
          FROM v_rate
          WHERE campaign_id = ?1 AND cell NOT IN ('control', 'versus')
            AND (?2 IS NULL OR layer = ?2)
            AND (match_key IS NULL OR phase IN ('read', 'write'))
            AND element NOT IN ('cipher', 'key-derivation') -- in memory: baselines.sql
          WINDOW alike AS (PARTITION BY workload_id, phase, operation, backend_id, twin_backend_id))
    GROUP BY workload_id, phase, operation, backend_id, twin_backend_id
),
cost AS ( -- of the runs whose rates stand beside it, not of those with another partner
    SELECT v_run.workload_id, v_run.backend_id, v_run.twin_backend_id, v_resource.phase,
           1.0 * sum(v_resource.cpu_ns) / nullif(sum(v_resource.ok), 0) AS cpu_ns_per_operation
    FROM v_resource
    JOIN v_run ON v_run.run_id = v_resource.run_id
    JOIN phase ON phase.run_id = v_run.run_id AND phase.name = v_resource.phase
    WHERE v_run.campaign_id = ?1 AND v_run.status = 'ok'
      AND v_run.cell NOT IN ('control', 'versus') AND phase.reason = ''
    GROUP BY v_run.workload_id, v_run.backend_id, v_run.twin_backend_id, v_resource.phase
    HAVING sum(v_resource.between_s) >= 0.5 -- the kernel counts processor time in steps of 10 ms
),
latency AS (
    SELECT workload_id, backend_id, phase, operation, p50_ns, p99_ns
    FROM v_latency_merged
    WHERE campaign_id = ?1 AND kind = 'response'
)
SELECT coalesce(plain.layer, secret.layer) AS layer,
       coalesce(plain.workload, secret.workload) AS workload,
       coalesce(plain.phase, secret.phase) AS phase,
       coalesce(plain.operation, secret.operation) AS operation,
       coalesce(plain.object_bytes, secret.object_bytes) AS object_bytes,
       coalesce(plain.backend, unable.plain_backend) AS plain_backend,
       coalesce(secret.backend, unable.encrypted_backend) AS encrypted_backend,
       secret.encryption AS encryption,
       secret.proof AS proof,
       coalesce(plain.runs, 0) AS plain_runs,
       coalesce(secret.runs, 0) AS encrypted_runs,
       coalesce(plain.bad_runs, 0) + coalesce(secret.bad_runs, 0) AS bad_runs,
       plain.ops_per_s AS plain_ops_per_s,
       secret.ops_per_s AS encrypted_ops_per_s,
       plain.bytes_per_s AS plain_bytes_per_s,
       secret.bytes_per_s AS encrypted_bytes_per_s,
       plain_latency.p50_ns AS plain_p50_ns,
       secret_latency.p50_ns AS encrypted_p50_ns,
       plain_latency.p99_ns AS plain_p99_ns,
       secret_latency.p99_ns AS encrypted_p99_ns,
       plain_cost.cpu_ns_per_operation AS plain_cpu_ns_per_operation,
       secret_cost.cpu_ns_per_operation AS encrypted_cpu_ns_per_operation,
       coalesce(comparison.pairs, 0) AS pairs,
       comparison.loss_fraction AS loss_fraction,
       comparison.loss_optimistic_fraction AS loss_optimistic_fraction,
       comparison.loss_pessimistic_fraction AS loss_pessimistic_fraction,
       coalesce(comparison.verdict, iif(unable.reason IS NOT NULL, 'not comparable', NULL)) AS verdict,
       exp(cpu.estimate) AS cpu_per_byte_ratio,
       -- what tells the row apart: a mix has one for its reads and one for its writes
       coalesce(plain.phase, secret.phase) ||
           iif(count(*) OVER (PARTITION BY coalesce(plain.workload_id, secret.workload_id),
                                           coalesce(plain.phase, secret.phase), plain.backend_id,
                                           secret.backend_id) > 1,
               ' ' || coalesce(plain.operation, secret.operation), '') AS title
FROM (SELECT * FROM side WHERE NOT encrypted) AS plain
FULL JOIN (SELECT * FROM side WHERE encrypted) AS secret
       ON secret.workload_id = plain.workload_id AND secret.phase = plain.phase
      AND secret.operation = plain.operation
      AND secret.backend_id = plain.twin_backend_id AND secret.twin_backend_id = plain.backend_id
LEFT JOIN latency AS plain_latency
       ON plain_latency.workload_id = plain.workload_id
      AND plain_latency.backend_id = plain.backend_id AND plain_latency.phase = plain.phase
      AND plain_latency.operation = plain.operation
LEFT JOIN latency AS secret_latency
       ON secret_latency.workload_id = secret.workload_id
      AND secret_latency.backend_id = secret.backend_id AND secret_latency.phase = secret.phase
      AND secret_latency.operation = secret.operation
LEFT JOIN cost AS plain_cost
       ON plain_cost.workload_id = plain.workload_id AND plain_cost.backend_id = plain.backend_id
      AND plain_cost.phase = plain.phase
      AND plain_cost.twin_backend_id IS plain.twin_backend_id
LEFT JOIN cost AS secret_cost
       ON secret_cost.workload_id = secret.workload_id
      AND secret_cost.backend_id = secret.backend_id AND secret_cost.phase = secret.phase
      AND secret_cost.twin_backend_id IS secret.twin_backend_id
LEFT JOIN comparison
       ON comparison.campaign_id = ?1 AND comparison.workload_id = plain.workload_id
      AND comparison.phase = plain.phase AND comparison.operation = plain.operation
      AND comparison.plain_backend_id = plain.backend_id
      AND comparison.encrypted_backend_id = secret.backend_id AND comparison.cell = 'pair'
      AND comparison.metric = 'throughput'
LEFT JOIN comparison AS cpu
       ON cpu.campaign_id = ?1 AND cpu.workload_id = plain.workload_id AND cpu.phase = plain.phase
      AND cpu.operation = plain.operation AND cpu.plain_backend_id = plain.backend_id
      AND cpu.encrypted_backend_id = secret.backend_id AND cpu.cell = 'pair'
      AND cpu.metric = 'cpu_ns_per_byte'
LEFT JOIN v_not_comparable AS unable
       ON unable.campaign_id = ?1
      AND unable.workload_id = coalesce(plain.workload_id, secret.workload_id)
      AND unable.plain_backend_id = coalesce(plain.backend_id, secret.twin_backend_id)
      AND unable.encrypted_backend_id = coalesce(secret.backend_id, plain.twin_backend_id)
ORDER BY CASE coalesce(plain.layer, secret.layer)
             WHEN 'device' THEN 1 WHEN 'filesystem' THEN 2 WHEN 'service' THEN 3 ELSE 4 END,
         coalesce(plain.backend_id, secret.backend_id), secret.backend_id,
         coalesce(plain.match_key, secret.match_key, '') <> '',
         coalesce(plain.workload_id, secret.workload_id),
         coalesce(plain.phase_no, secret.phase_no), coalesce(plain.operation, secret.operation);
