-- The control plane: mean seconds of each step of a volume's life, plain and encrypted, over the volumes
-- of a run and then over the valid runs (groups); their difference, and whether it is below 1 s; failed
-- steps of all runs. A time is too long by at most poll_s and the duration of one check.
.mode box
SELECT workload,
       encrypted_backend,
       phase,
       count(*) FILTER (WHERE status = 'ok') AS valid_runs,
       round(avg(mean_s) FILTER (WHERE NOT encrypted AND status = 'ok'), 6) AS plain_s,
       round(avg(mean_s) FILTER (WHERE encrypted AND status = 'ok'), 6) AS encrypted_s,
       round(avg(mean_s) FILTER (WHERE encrypted AND status = 'ok')
             - avg(mean_s) FILTER (WHERE NOT encrypted AND status = 'ok'), 6) AS difference_s,
       abs(avg(mean_s) FILTER (WHERE encrypted AND status = 'ok')
           - avg(mean_s) FILTER (WHERE NOT encrypted AND status = 'ok')) < 1 AS below_1_s,
       sum(lost) FILTER (WHERE NOT encrypted) AS plain_failed,
       sum(lost) FILTER (WHERE encrypted) AS encrypted_failed,
       max(poll_s) AS poll_s
FROM (SELECT v.workload_id, v.workload, v.phase_no, v.phase, v.encrypted, v.status,
             iif(v.encrypted, v.backend, v.twin_backend) AS encrypted_backend,
             v.failed + v.timed_out AS lost,
             h.sum_ns / 1e9 / h.count AS mean_s,
             json_extract(workload.parameters, '$.poll_ns') / 1e9 AS poll_s
      FROM v_throughput v
      JOIN workload ON workload.id = v.workload_id
      LEFT JOIN histogram h ON h.operation_result_id = v.operation_result_id AND h.kind = 'response'
      WHERE v.element = 'volumes' AND v.cell <> 'control'
        AND v.campaign_id = (SELECT max(id) FROM campaign))
GROUP BY workload_id, encrypted_backend, phase
ORDER BY workload_id, encrypted_backend, phase_no;
