-- The rungs of every ladder of a campaign, from the lowest layer: rate, efficiency against the layer
-- below, what encryption costs there, which one is the bottleneck, and what the machine and the busiest
-- disk did meanwhile (means of the ok runs). ?1 campaign id.
WITH ladder_run AS (
    SELECT run.id AS run_id, run.backend_id, workload.match_key, workload.layer
    FROM run
    JOIN workload ON workload.id = run.workload_id
    WHERE run.campaign_id = ?1 AND run.status = 'ok' AND run.cell <> 'control'
      AND workload.match_key IS NOT NULL
),
machine AS MATERIALIZED (
    SELECT backend_id, match_key, layer, phase,
           avg(cpu_busy_fraction) AS cpu_busy_fraction,
           avg(pressure_io_fraction) AS pressure_io_fraction
    FROM v_resource
    JOIN ladder_run USING (run_id)
    GROUP BY backend_id, match_key, layer, phase
),
disk AS MATERIALIZED (
    SELECT backend_id, match_key, layer, phase, disk,
           avg(busy_fraction) AS busy_fraction,
           avg(iif(phase = 'read', read_amplification, write_amplification)) AS amplification,
           row_number() OVER (PARTITION BY backend_id, match_key, layer, phase
                              ORDER BY avg(busy_fraction) DESC, disk) AS place
    FROM v_disk
    JOIN ladder_run USING (run_id)
    GROUP BY backend_id, match_key, layer, phase, disk
)
SELECT rung.match_key, rung.phase, rung.encrypted, rung.chain, rung.layer, rung.backend, rung.runs,
       rung.mean_ops_per_s, rung.mean_bytes_per_s, rung.assumed, rung.efficiency, rung.contradicted,
       rung.share, cost.loss_fraction, cost.hidden_log_ratio,
       coalesce(worst.layer = rung.layer, 0) AS bottleneck,
       machine.cpu_busy_fraction, machine.pressure_io_fraction, disk.disk,
       disk.busy_fraction AS disk_busy_fraction, disk.amplification
FROM v_layer AS rung
LEFT JOIN (SELECT * FROM v_layer_penalty WHERE campaign_id = ?1) AS cost
       ON rung.encrypted AND cost.match_key = rung.match_key AND cost.phase = rung.phase
      AND cost.encrypted_chain = rung.chain AND cost.layer = rung.layer
LEFT JOIN (SELECT * FROM v_bottleneck WHERE campaign_id = ?1) AS worst
       ON worst.match_key = rung.match_key AND worst.phase = rung.phase
      AND worst.encrypted = rung.encrypted AND worst.chain = rung.chain
LEFT JOIN machine
       ON machine.backend_id = rung.backend_id AND machine.match_key = rung.match_key
      AND machine.layer = rung.layer AND machine.phase = rung.phase
LEFT JOIN disk
       ON disk.backend_id = rung.backend_id AND disk.match_key = rung.match_key
      AND disk.layer = rung.layer AND disk.phase = rung.phase AND disk.place = 1
WHERE rung.campaign_id = ?1
GROUP BY rung.match_key, rung.phase, rung.encrypted, rung.chain, rung.layer_no
ORDER BY rung.match_key, rung.phase, rung.encrypted, rung.chain, rung.layer_no;
