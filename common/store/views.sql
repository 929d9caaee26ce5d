-- Views for analysts: rates, percentiles, pairs, the ladder. doc/results.md explains each of them.
-- Every program that writes replaces them when this text differs from what made them.
-- A rate counts successes only and is NULL where nothing succeeded. Units stand in the names.

-- One row a run: what was asked of whom, when, and how it ended.
CREATE VIEW v_run AS
SELECT run.id AS run_id,
       run.uuid AS run_uuid,
       campaign.id AS campaign_id,
       campaign.uuid AS campaign_uuid,
       campaign.name AS campaign,
       workload.layer,
       workload.id AS workload_id,
       workload.name AS workload,
       workload.element,
       workload.category,
       workload.object_bytes,
       workload.block_bytes,
       workload.concurrency,
       workload.arrival,
       nullif(workload.rate_per_s, 0) AS asked_rate_per_s,
       workload.match_key,
       backend.id AS backend_id,
       backend.name AS backend,
       backend.encrypted,
       backend.encryption,
       backend.proof,
       twin.id AS twin_backend_id,
       twin.name AS twin_backend,
       -- 'versus': a pair of back ends of which neither is the other's encryption.
       CASE WHEN run.cell = 'pair'
             AND (backend.versus_id = twin.id OR twin.versus_id = backend.id) THEN 'versus'
            ELSE run.cell END AS cell,
       -- The two sides of a pair; of a versus pair, the one that is held against the other. In the A/A
       -- cell both are the same plain back end, and the slots take the sides ABBA ABBA …, so that
       -- drift cancels there as it does in a real pair.
       CASE WHEN run.cell = 'control' THEN run.slot % 4 IN (2, 3)
            WHEN backend.versus_id = twin.id THEN 1
            WHEN twin.versus_id = backend.id THEN 0
            ELSE backend.encrypted END AS encrypted_side,
       run.pair_no,
       run.slot,
       run.slot = 1 AS cold, -- the first of its cell
       run.status,
       run.reason,
       run.source, -- '': measured by Strata; else what it was imported from
       campaign.time_scale,
       run.began_at_us,
       run.ended_at_us,
       strftime('%Y-%m-%dT%H:%M:%SZ', run.began_at_us / 1000000, 'unixepoch') AS began_at_utc,
       (run.ended_at_us - run.began_at_us) / 1e6 AS total_s, -- with preparing and cleaning up
       (SELECT sum(phase.elapsed_ns) FROM phase WHERE phase.run_id = run.id) / 1e9 AS measured_s
FROM run
JOIN campaign ON campaign.id = run.campaign_id
JOIN workload ON workload.id = run.workload_id
JOIN backend ON backend.id = run.backend_id
LEFT JOIN backend AS twin ON twin.id = run.twin_backend_id;

-- One row a run, phase and kind of operation. The rate is taken over the window in which every job
-- was at work; the total rate over the whole of the measured time, stragglers included. What is in
-- flight when a window ends is in no window's count: a window with fewer than 20 operations for each
-- one in flight would be wrong by more than 1 in 20, so the total rate stands in for it. Status and
-- reason are the phase's: a phase that broke a rule is invalid in a run that is ok.
CREATE VIEW v_throughput AS
SELECT v_run.run_id, run_uuid, campaign_id, campaign_uuid, campaign, layer, workload_id, workload,
       element, category, object_bytes, block_bytes, concurrency, arrival, asked_rate_per_s, match_key,
       backend_id, backend, encrypted, encryption, proof, twin_backend_id, twin_backend, cell,
       encrypted_side, pair_no, slot, cold,
       iif(v_run.status = 'ok' AND phase.reason <> '', 'invalid', v_run.status) AS status,
       iif(phase.reason <> '', phase.reason, v_run.reason) AS reason,
       source, time_scale, began_at_us, ended_at_us, began_at_utc, total_s, measured_s,
       phase.id AS phase_id,
       phase.phase_no,
       phase.name AS phase,
       operation_result.id AS operation_result_id,
       operation_result.operation,
       operation_result.started AS attempts,
       operation_result.ok,
       operation_result.failed,
       operation_result.timed_out,
       operation_result.abandoned,
       operation_result.skipped,
       operation_result.bytes,
       phase.elapsed_ns / 1e9 AS elapsed_s,
       phase.window_ns / 1e9 AS window_s,
       operation_result.window_ok,
       operation_result.window_bytes,
       iif(operation_result.window_ok >= 20 * concurrency,
           operation_result.window_ok * 1e9 / nullif(phase.window_ns, 0),
           nullif(operation_result.ok, 0) * 1e9 / nullif(phase.elapsed_ns, 0)) AS ops_per_s,
       iif(operation_result.window_ok >= 20 * concurrency,
           nullif(operation_result.window_bytes, 0) * 1e9 / nullif(phase.window_ns, 0),
           nullif(operation_result.bytes, 0) * 1e9 / nullif(phase.elapsed_ns, 0)) AS bytes_per_s,
       nullif(operation_result.ok, 0) * 1e9 / nullif(phase.elapsed_ns, 0) AS total_ops_per_s,
       nullif(operation_result.bytes, 0) * 1e9 / nullif(phase.elapsed_ns, 0) AS total_bytes_per_s,
       phase.mean_in_flight,
       phase.generator_busy_fraction,
       phase.region_bytes,
       1.0 * (operation_result.bytes + operation_result.warmup_bytes) / phase.region_bytes
           AS region_passes
FROM v_run
JOIN phase ON phase.run_id = v_run.run_id
JOIN operation_result ON operation_result.phase_id = phase.id;

-- One row a phase whose rate changed for good inside it: the rate before (a burst) and after (what is
-- sustained), of all kinds of operation together. The phase's own mean is neither, so it is invalid.
CREATE VIEW v_step AS
SELECT v_run.run_id, run_uuid, campaign_id, campaign_uuid, campaign, layer, workload_id, workload,
       backend_id, backend, encrypted, cell, pair_no, slot,
       iif(v_run.status = 'ok' AND phase.reason <> '', 'invalid', v_run.status) AS status,
       iif(phase.reason <> '', phase.reason, v_run.reason) AS reason,
       phase.phase_no,
       phase.name AS phase,
       phase.step_at_ns / 1e9 AS at_s,
       phase.window_ns / 1e9 AS window_s,
       phase.step_before_per_s AS before_ops_per_s,
       phase.step_after_per_s AS after_ops_per_s,
       nullif(phase.step_before_per_s * phase.bytes_per_operation, 0) AS before_bytes_per_s,
       nullif(phase.step_after_per_s * phase.bytes_per_operation, 0) AS after_bytes_per_s,
       phase.step_after_per_s / nullif(phase.step_before_per_s, 0) AS after_over_before
FROM v_run
JOIN phase ON phase.run_id = v_run.run_id
WHERE phase.step_at_ns IS NOT NULL;

-- One row a round of a run that goes on until it is steady: all kinds of operation together, the rate
-- as v_throughput has it.
CREATE VIEW v_steady_round AS
SELECT v_run.run_id, run_uuid, campaign_id, campaign_uuid, campaign, layer, workload_id, workload,
       backend_id, backend, encrypted, cell, pair_no, slot, v_run.status, phase.reason,
       phase.phase_no,
       phase.name AS phase,
       CAST(substr(phase.name, 7) AS INTEGER) AS round,
       coalesce(CAST(substr(phase.name, 7) AS INTEGER) >= steady_state.window_first_round, 0)
           AS in_window,
       iif(done.window_ok >= 20 * concurrency,
           done.window_ok * 1e9 / nullif(phase.window_ns, 0),
           nullif(done.ok, 0) * 1e9 / nullif(phase.elapsed_ns, 0)) AS ops_per_s,
       iif(done.window_ok >= 20 * concurrency,
           nullif(done.window_bytes, 0) * 1e9 / nullif(phase.window_ns, 0),
           nullif(done.bytes, 0) * 1e9 / nullif(phase.elapsed_ns, 0)) AS bytes_per_s
FROM steady_state
JOIN v_run ON v_run.run_id = steady_state.run_id
JOIN phase ON phase.run_id = steady_state.run_id AND phase.name LIKE 'round %'
JOIN (SELECT phase_id, sum(ok) AS ok, sum(bytes) AS bytes, sum(window_ok) AS window_ok,
             sum(window_bytes) AS window_bytes
      FROM operation_result
      GROUP BY phase_id) AS done ON done.phase_id = phase.id;

-- One row a run of rounds: whether it became steady, and only then the steady rate. The window is of
-- the last five rounds, steady or not.
CREATE VIEW v_steady_state AS
SELECT v_run.run_id, run_uuid, campaign_id, campaign_uuid, campaign, layer, workload_id, workload,
       block_bytes, concurrency, backend_id, backend, encrypted, twin_backend, cell, pair_no, slot,
       v_run.status, v_run.reason, procedure, missing, capacity_bytes, preconditioned_bytes,
       1.0 * preconditioned_bytes / capacity_bytes AS precondition_passes,
       rounds, reached, window_first_round,
       mean_ops_per_s AS window_ops_per_s,
       range_fraction, slope_fraction,
       CASE WHEN reached AND v_run.status = 'ok' THEN mean_ops_per_s END AS steady_ops_per_s,
       CASE WHEN reached AND v_run.status = 'ok' THEN mean_ops_per_s * block_bytes END
           AS steady_bytes_per_s
FROM steady_state
JOIN v_run ON v_run.run_id = steady_state.run_id;

-- The rates that reports and comparisons speak of: one row a run, phase and kind of operation as in
-- v_throughput; but a run of rounds has the phase 'steady state' alone, with the mean over the five
-- rounds where it was reached, else without a rate.
CREATE VIEW v_rate AS
SELECT measured.run_id, run_uuid, campaign_id, campaign_uuid, campaign, layer, workload_id, workload,
       element, category, object_bytes, block_bytes, concurrency, match_key, backend_id, backend,
       encrypted, encryption, proof, twin_backend_id, twin_backend, cell, encrypted_side, pair_no,
       slot, status, measured.reason, phase_no,
       iif(steady.run_id IS NULL, phase, 'steady state') AS phase,
       operation,
       operation_result_id,
       CASE WHEN steady.run_id IS NULL THEN ops_per_s
            WHEN steady.reached THEN (
                SELECT avg(round.ops_per_s) FROM v_throughput AS round
                WHERE round.run_id = measured.run_id AND round.operation = measured.operation
                  AND round.phase_no > measured.phase_no - 5) END AS ops_per_s,
       CASE WHEN steady.run_id IS NULL THEN bytes_per_s
            WHEN steady.reached THEN (
                SELECT avg(round.bytes_per_s) FROM v_throughput AS round
                WHERE round.run_id = measured.run_id AND round.operation = measured.operation
                  AND round.phase_no > measured.phase_no - 5) END AS bytes_per_s
FROM v_throughput AS measured
LEFT JOIN steady_state AS steady ON steady.run_id = measured.run_id
WHERE steady.run_id IS NULL
   OR phase_no = (SELECT max(phase_no) FROM phase WHERE phase.run_id = measured.run_id);

-- What each device of a set that was measured side by side delivered, while all of them were at work.
-- Rates as in v_throughput; a device has its even share of the jobs.
CREATE VIEW v_member AS
SELECT v_throughput.run_id,
       v_throughput.campaign_id,
       v_throughput.campaign_uuid,
       v_throughput.campaign,
       v_throughput.layer,
       v_throughput.workload_id,
       v_throughput.workload,
       v_throughput.backend_id,
       v_throughput.backend,
       v_throughput.cell,
       v_throughput.pair_no,
       v_throughput.status,
       v_throughput.phase,
       v_throughput.operation,
       member_result.member_no,
       member_result.member,
       member_result.ok,
       member_result.failed,
       member_result.bytes,
       iif(member_result.window_ok * members >= 20 * v_throughput.concurrency,
           member_result.window_ok / v_throughput.window_s,
           nullif(member_result.ok, 0) / nullif(v_throughput.elapsed_s, 0)) AS ops_per_s,
       iif(member_result.window_ok * members >= 20 * v_throughput.concurrency,
           member_result.window_bytes / v_throughput.window_s,
           nullif(member_result.bytes, 0) / nullif(v_throughput.elapsed_s, 0)) AS bytes_per_s,
       1.0 * member_result.sum_ns / nullif(member_result.ok, 0) AS mean_latency_ns,
       CASE WHEN member_result.ok > 0 THEN member_result.max_ns END AS max_latency_ns
FROM (SELECT *, count(*) OVER (PARTITION BY phase_id, operation) AS members
      FROM member_result) AS member_result
JOIN v_throughput ON v_throughput.phase_id = member_result.phase_id
                 AND v_throughput.operation = member_result.operation;

-- One row a histogram. The q-quantile is the upper edge of the bin that holds the ceil(q n)-th
-- smallest value, at most the exact maximum; NULL where fewer than 10 values lie above it,
-- n (1 - q) < 10.
CREATE VIEW v_latency AS
SELECT v_run.run_id,
       v_run.campaign_id,
       v_run.campaign_uuid,
       v_run.campaign,
       v_run.layer,
       v_run.workload_id,
       v_run.workload,
       v_run.backend_id,
       v_run.backend,
       v_run.encrypted,
       v_run.twin_backend,
       v_run.cell,
       v_run.pair_no,
       v_run.slot,
       iif(v_run.status = 'ok' AND phase.reason <> '', 'invalid', v_run.status) AS status,
       phase.name AS phase,
       operation_result.id AS operation_result_id,
       operation_result.operation,
       histogram.kind,
       histogram.count,
       histogram.min_ns,
       1.0 * histogram.sum_ns / histogram.count AS mean_ns,
       CASE WHEN histogram.count >= 20 THEN min(histogram.max_ns, (
           SELECT upper_ns
           FROM (SELECT upper_ns, sum(count) OVER (ORDER BY lower_ns) AS reached
                 FROM histogram_bin WHERE histogram_id = histogram.id)
           WHERE reached >= (histogram.count * 50 + 99) / 100 LIMIT 1)) END AS p50_ns,
       CASE WHEN histogram.count >= 100 THEN min(histogram.max_ns, (
           SELECT upper_ns
           FROM (SELECT upper_ns, sum(count) OVER (ORDER BY lower_ns) AS reached
                 FROM histogram_bin WHERE histogram_id = histogram.id)
           WHERE reached >= (histogram.count * 90 + 99) / 100 LIMIT 1)) END AS p90_ns,
       CASE WHEN histogram.count >= 1000 THEN min(histogram.max_ns, (
           SELECT upper_ns
           FROM (SELECT upper_ns, sum(count) OVER (ORDER BY lower_ns) AS reached
                 FROM histogram_bin WHERE histogram_id = histogram.id)
           WHERE reached >= (histogram.count * 99 + 99) / 100 LIMIT 1)) END AS p99_ns,
       CASE WHEN histogram.count >= 10000 THEN min(histogram.max_ns, (
           SELECT upper_ns
           FROM (SELECT upper_ns, sum(count) OVER (ORDER BY lower_ns) AS reached
                 FROM histogram_bin WHERE histogram_id = histogram.id)
           WHERE reached >= (histogram.count * 999 + 999) / 1000 LIMIT 1)) END AS p99_9_ns,
       histogram.max_ns
FROM histogram
JOIN operation_result ON operation_result.id = histogram.operation_result_id
JOIN phase ON phase.id = operation_result.phase_id
JOIN v_run ON v_run.run_id = phase.run_id;

-- The same over all ok runs of a workload on a back end: the histograms merged, not the percentiles
-- averaged. Each percentile looks for the bins of its own row only, so that a condition on the campaign
-- or the workload saves the work for all others.
CREATE VIEW v_latency_merged AS
WITH member AS NOT MATERIALIZED (
    SELECT run.campaign_id, run.workload_id, run.backend_id, phase.name AS phase,
           operation_result.operation, histogram.kind, histogram.id AS histogram_id,
           histogram.count, histogram.sum_ns, histogram.min_ns, histogram.max_ns,
           EXISTS (SELECT 1 FROM histogram_bin WHERE histogram_id = histogram.id) AS binned
    FROM run
    JOIN phase ON phase.run_id = run.id
    JOIN operation_result ON operation_result.phase_id = phase.id
    JOIN histogram ON histogram.operation_result_id = operation_result.id
    WHERE run.status = 'ok' AND phase.reason = ''
),
bin AS NOT MATERIALIZED (
    SELECT campaign_id, workload_id, backend_id, phase, operation, kind, upper_ns,
           histogram_bin.count
    FROM member
    JOIN histogram_bin USING (histogram_id)
),
merged AS (
    SELECT campaign_id, workload_id, backend_id, phase, operation, kind, count(*) AS runs,
           sum(count) AS count, sum(sum_ns) AS sum_ns, min(min_ns) AS min_ns, max(max_ns) AS max_ns,
           min(binned) AS binned -- an import may lack the bins of some; then nothing is known of all
    FROM member
    GROUP BY campaign_id, workload_id, backend_id, phase, operation, kind
)
SELECT merged.campaign_id,
       campaign.uuid AS campaign_uuid,
       campaign.name AS campaign,
       workload.layer,
       merged.workload_id,
       workload.name AS workload,
       merged.backend_id,
       backend.name AS backend,
       backend.encrypted,
       merged.phase,
       merged.operation,
       merged.kind,
       merged.runs,
       merged.count,
       merged.min_ns,
       1.0 * merged.sum_ns / merged.count AS mean_ns,
       CASE WHEN merged.binned AND merged.count >= 20 THEN min(merged.max_ns, (
           SELECT upper_ns
           FROM (SELECT upper_ns, sum(count) OVER (ORDER BY upper_ns) AS reached
                 FROM bin
                 WHERE (campaign_id, workload_id, backend_id, phase, operation, kind)
                     = (merged.campaign_id, merged.workload_id, merged.backend_id, merged.phase,
                        merged.operation, merged.kind))
           WHERE reached >= (merged.count * 50 + 99) / 100 LIMIT 1)) END AS p50_ns,
       CASE WHEN merged.binned AND merged.count >= 100 THEN min(merged.max_ns, (
           SELECT upper_ns
           FROM (SELECT upper_ns, sum(count) OVER (ORDER BY upper_ns) AS reached
                 FROM bin
                 WHERE (campaign_id, workload_id, backend_id, phase, operation, kind)
                     = (merged.campaign_id, merged.workload_id, merged.backend_id, merged.phase,
                        merged.operation, merged.kind))
           WHERE reached >= (merged.count * 90 + 99) / 100 LIMIT 1)) END AS p90_ns,
       CASE WHEN merged.binned AND merged.count >= 1000 THEN min(merged.max_ns, (
           SELECT upper_ns
           FROM (SELECT upper_ns, sum(count) OVER (ORDER BY upper_ns) AS reached
                 FROM bin
                 WHERE (campaign_id, workload_id, backend_id, phase, operation, kind)
                     = (merged.campaign_id, merged.workload_id, merged.backend_id, merged.phase,
                        merged.operation, merged.kind))
           WHERE reached >= (merged.count * 99 + 99) / 100 LIMIT 1)) END AS p99_ns,
       CASE WHEN merged.binned AND merged.count >= 10000 THEN min(merged.max_ns, (
           SELECT upper_ns
           FROM (SELECT upper_ns, sum(count) OVER (ORDER BY upper_ns) AS reached
                 FROM bin
                 WHERE (campaign_id, workload_id, backend_id, phase, operation, kind)
                     = (merged.campaign_id, merged.workload_id, merged.backend_id, merged.phase,
                        merged.operation, merged.kind))
           WHERE reached >= (merged.count * 999 + 999) / 1000 LIMIT 1)) END AS p99_9_ns,
       merged.max_ns
FROM merged
JOIN campaign ON campaign.id = merged.campaign_id
JOIN workload ON workload.id = merged.workload_id
JOIN backend ON backend.id = merged.backend_id;

-- What the kernel counted between the first and the last look at each phase. Counters only grow, so
-- that the extremes are those of the first and the last look.
CREATE VIEW v_counter AS
SELECT run_id, phase, metric, instance,
       (max(at_ns) - min(at_ns)) / 1e9 AS between_s,
       max(value) - min(value) AS delta,
       max(value) AS last_value
FROM counter
GROUP BY run_id, phase, metric, instance
HAVING count(*) > 1;

-- What a phase cost the whole machine (kernel threads that encrypt included), per operation and per
-- byte that succeeded. The kernel counts processor time in ticks of 10 ms: a cost from fewer than 10
-- of them, or a share of less than 10 of them, would be wrong by more than a tenth and is NULL.
CREATE VIEW v_resource AS
WITH used AS (
    SELECT run_id,
           phase,
           max(between_s) AS between_s,
           sum(delta) FILTER (WHERE metric IN ('cpu_user_ns', 'cpu_system_ns')) AS cpu_ns,
           sum(delta) FILTER (WHERE metric IN ('cpu_user_ns', 'cpu_system_ns', 'cpu_idle_ns',
                                               'cpu_steal_ns')) AS cpu_available_ns,
           sum(delta) FILTER (WHERE metric = 'cpu_steal_ns') AS cpu_steal_ns,
           sum(delta) FILTER (WHERE metric IN ('process_user_ns', 'process_system_ns'))
               AS process_cpu_ns,
           sum(delta) FILTER (WHERE metric = 'network_received_bytes') AS network_received_bytes,
           sum(delta) FILTER (WHERE metric = 'network_sent_bytes') AS network_sent_bytes,
           sum(delta) FILTER (WHERE metric = 'pressure_cpu_some_ns') AS pressure_cpu_ns,
           sum(delta) FILTER (WHERE metric = 'pressure_io_some_ns') AS pressure_io_ns,
           sum(delta) FILTER (WHERE metric = 'pressure_memory_some_ns') AS pressure_memory_ns
    FROM v_counter
    GROUP BY run_id, phase
),
done AS (
    SELECT phase.run_id, phase.name AS phase, sum(operation_result.ok) AS ok,
           sum(operation_result.bytes) AS bytes
    FROM phase
    JOIN operation_result ON operation_result.phase_id = phase.id
    GROUP BY phase.run_id, phase.name
)
SELECT used.run_id,
       used.phase,
       used.between_s,
       done.ok,
       done.bytes,
       used.cpu_ns,
       used.process_cpu_ns,
       iif(cpu_ns >= 100000000, 1.0 * cpu_ns / nullif(done.ok, 0), NULL) AS cpu_ns_per_operation,
       iif(cpu_ns >= 100000000, 1.0 * cpu_ns / nullif(done.bytes, 0), NULL) AS cpu_ns_per_byte,
       iif(between_s >= 0.1, 1.0 * cpu_ns / nullif(cpu_available_ns, 0), NULL) AS cpu_busy_fraction,
       iif(between_s >= 0.1, 1.0 * cpu_steal_ns / nullif(cpu_available_ns, 0), NULL)
           AS steal_fraction,
       used.network_received_bytes,
       used.network_sent_bytes,
       used.pressure_cpu_ns / 1e9 / nullif(used.between_s, 0) AS pressure_cpu_fraction,
       used.pressure_io_ns / 1e9 / nullif(used.between_s, 0) AS pressure_io_fraction,
       used.pressure_memory_ns / 1e9 / nullif(used.between_s, 0) AS pressure_memory_fraction
FROM used
JOIN done USING (run_id, phase);

-- What each disk of the stack below the back end did in a phase. Amplification is the disk's bytes
-- over the payload; far below 1 for reads means that a cache served them. The kernel counts busy time
-- in ticks, too, and may charge a request with the idle time before it: a share of less than 10 ticks,
-- or of more than all of the time, is NULL. A disk that has never done anything since the machine
-- started is one that the kernel keeps no counters of (a RAM disk), and has no row.
CREATE VIEW v_disk AS
SELECT run_id,
       phase,
       disk,
       between_s,
       reads,
       read_bytes,
       writes,
       written_bytes,
       CASE WHEN between_s >= 0.1 AND busy_ns <= (between_s + 0.01) * 1e9
            THEN min(1, busy_ns / 1e9 / between_s) END AS busy_fraction,
       1.0 * read_bytes / nullif(payload_bytes, 0) AS read_amplification,
       1.0 * written_bytes / nullif(payload_bytes, 0) AS write_amplification
FROM (SELECT v_counter.run_id,
             v_counter.phase,
             v_counter.instance AS disk,
             max(between_s) AS between_s,
             sum(delta) FILTER (WHERE metric = 'disk_reads') AS reads,
             sum(delta) FILTER (WHERE metric = 'disk_read_bytes') AS read_bytes,
             sum(delta) FILTER (WHERE metric = 'disk_writes') AS writes,
             sum(delta) FILTER (WHERE metric = 'disk_written_bytes') AS written_bytes,
             sum(delta) FILTER (WHERE metric = 'disk_busy_ns') AS busy_ns,
             (SELECT sum(operation_result.bytes)
              FROM phase JOIN operation_result ON operation_result.phase_id = phase.id
              WHERE phase.run_id = v_counter.run_id AND phase.name = v_counter.phase)
                 AS payload_bytes
      FROM v_counter
      WHERE v_counter.metric LIKE 'disk\_%' ESCAPE '\'
      GROUP BY v_counter.run_id, v_counter.phase, v_counter.instance
      HAVING sum(v_counter.last_value) > 0);

-- One row a pair of ok runs: the replicate of every comparison. In the A/A cell (cell = 'control')
-- both back ends are the same; where one back end is held against another (cell = 'versus') the
-- "plain" side is the other one. A log ratio is ln(encrypted) - ln(plain). Of a ladder only its reads and
-- writes are paired: what else it does makes and removes what they need.
CREATE VIEW v_pair AS
SELECT plain.campaign_id,
       plain.campaign_uuid,
       plain.campaign,
       plain.layer,
       plain.workload_id,
       plain.workload,
       plain.phase,
       plain.operation,
       plain.cell,
       plain.backend_id AS plain_backend_id,
       plain.backend AS plain_backend,
       secret.backend_id AS encrypted_backend_id,
       secret.backend AS encrypted_backend,
       plain.pair_no,
       plain.run_id AS plain_run_id,
       secret.run_id AS encrypted_run_id,
       plain.ops_per_s AS plain_ops_per_s,
       secret.ops_per_s AS encrypted_ops_per_s,
       plain.bytes_per_s AS plain_bytes_per_s,
       secret.bytes_per_s AS encrypted_bytes_per_s,
       ln(secret.ops_per_s) - ln(plain.ops_per_s) AS log_ratio
FROM v_rate AS plain
JOIN v_rate AS secret
  ON secret.campaign_id = plain.campaign_id
 AND secret.workload_id = plain.workload_id
 AND secret.cell = plain.cell
 AND secret.pair_no = plain.pair_no
 AND secret.phase = plain.phase
 AND secret.operation = plain.operation
 AND secret.backend_id = coalesce(plain.twin_backend_id, plain.backend_id)
 AND plain.backend_id = coalesce(secret.twin_backend_id, secret.backend_id)
WHERE plain.status = 'ok'
  AND secret.status = 'ok'
  AND plain.cell <> 'single'
  AND plain.ops_per_s IS NOT NULL
  AND secret.ops_per_s IS NOT NULL
  AND (plain.match_key IS NULL OR plain.phase IN ('read', 'write'))
  AND NOT plain.encrypted_side
  AND secret.encrypted_side;

-- The pairs' other measures, each with its log ratio; a loss of throughput is not overhead.
CREATE VIEW v_pair_cost AS
SELECT pair.campaign_id,
       pair.campaign_uuid,
       pair.layer,
       pair.workload_id,
       pair.workload,
       pair.phase,
       pair.operation,
       pair.cell,
       pair.plain_backend_id,
       pair.plain_backend,
       pair.encrypted_backend_id,
       pair.encrypted_backend,
       pair.pair_no,
       pair.plain_run_id,
       pair.encrypted_run_id,
       plain_latency.p50_ns AS plain_p50_ns,
       secret_latency.p50_ns AS encrypted_p50_ns,
       plain_latency.p99_ns AS plain_p99_ns,
       secret_latency.p99_ns AS encrypted_p99_ns,
       ln(secret_latency.p99_ns) - ln(plain_latency.p99_ns) AS p99_log_ratio,
       plain_latency.mean_ns AS plain_mean_ns,
       secret_latency.mean_ns AS encrypted_mean_ns,
       ln(secret_latency.mean_ns) - ln(plain_latency.mean_ns) AS mean_log_ratio,
       plain_used.cpu_ns_per_operation AS plain_cpu_ns_per_operation,
       secret_used.cpu_ns_per_operation AS encrypted_cpu_ns_per_operation,
       plain_used.cpu_ns_per_byte AS plain_cpu_ns_per_byte,
       secret_used.cpu_ns_per_byte AS encrypted_cpu_ns_per_byte,
       ln(secret_used.cpu_ns_per_operation) - ln(plain_used.cpu_ns_per_operation) AS cpu_log_ratio,
       ln(secret_used.cpu_ns_per_byte) - ln(plain_used.cpu_ns_per_byte) AS cpu_byte_log_ratio
FROM v_pair AS pair
LEFT JOIN v_latency AS plain_latency
       ON plain_latency.run_id = pair.plain_run_id AND plain_latency.phase = pair.phase
      AND plain_latency.operation = pair.operation AND plain_latency.kind = 'response'
LEFT JOIN v_latency AS secret_latency
       ON secret_latency.run_id = pair.encrypted_run_id AND secret_latency.phase = pair.phase
      AND secret_latency.operation = pair.operation AND secret_latency.kind = 'response'
LEFT JOIN v_resource AS plain_used
       ON plain_used.run_id = pair.plain_run_id AND plain_used.phase = pair.phase
LEFT JOIN v_resource AS secret_used
       ON secret_used.run_id = pair.encrypted_run_id AND secret_used.phase = pair.phase;

-- What encryption costs: one row a comparison, beside the mean rates of the pairs it stands on.
CREATE VIEW v_penalty AS
SELECT campaign.id AS campaign_id,
       campaign.uuid AS campaign_uuid,
       campaign.name AS campaign,
       workload.layer,
       workload.id AS workload_id,
       workload.name AS workload,
       workload.element,
       workload.category,
       workload.object_bytes,
       workload.block_bytes,
       workload.concurrency,
       workload.match_key,
       comparison.phase,
       comparison.operation,
       comparison.cell,
       plain.name AS plain_backend,
       secret.name AS encrypted_backend,
       secret.encryption,
       secret.proof,
       comparison.metric,
       comparison.method,
       comparison.pairs,
       rate.plain_mean_ops_per_s,
       rate.encrypted_mean_ops_per_s,
       rate.plain_mean_bytes_per_s,
       rate.encrypted_mean_bytes_per_s,
       comparison.estimate AS log_ratio_estimate,
       comparison.lower_bound AS log_ratio_lower_bound,
       comparison.upper_bound AS log_ratio_upper_bound,
       comparison.loss_fraction,
       comparison.loss_optimistic_fraction,
       comparison.loss_pessimistic_fraction,
       comparison.margin_fraction,
       comparison.verdict
FROM comparison
JOIN campaign ON campaign.id = comparison.campaign_id
JOIN workload ON workload.id = comparison.workload_id
JOIN backend AS plain ON plain.id = comparison.plain_backend_id
JOIN backend AS secret ON secret.id = comparison.encrypted_backend_id
LEFT JOIN (SELECT campaign_id, workload_id, phase, operation, cell, plain_backend_id,
                  encrypted_backend_id,
                  avg(plain_ops_per_s) AS plain_mean_ops_per_s,
                  avg(encrypted_ops_per_s) AS encrypted_mean_ops_per_s,
                  avg(plain_bytes_per_s) AS plain_mean_bytes_per_s,
                  avg(encrypted_bytes_per_s) AS encrypted_mean_bytes_per_s
           FROM v_pair
           GROUP BY campaign_id, workload_id, phase, operation, cell, plain_backend_id,
                    encrypted_backend_id) AS rate
       ON rate.campaign_id = comparison.campaign_id
      AND rate.workload_id = comparison.workload_id
      AND rate.phase = comparison.phase
      AND rate.operation = comparison.operation
      AND rate.cell = comparison.cell
      AND rate.plain_backend_id = comparison.plain_backend_id
      AND rate.encrypted_backend_id = comparison.encrypted_backend_id
WHERE comparison.cell <> 'versus';

-- One back end held against another, neither being the other's encryption: one row a comparison, as
-- change of the metric: 0.12 is 12 % more. Of throughput 'faster' is more, of a latency less.
CREATE VIEW v_versus AS
SELECT campaign.id AS campaign_id,
       campaign.uuid AS campaign_uuid,
       campaign.name AS campaign,
       workload.layer,
       workload.id AS workload_id,
       workload.name AS workload,
       workload.object_bytes,
       workload.block_bytes,
       workload.concurrency,
       comparison.phase,
       comparison.operation,
       backend.id AS backend_id,
       backend.name AS backend,
       against.id AS against_backend_id,
       against.name AS against_backend,
       backend.encryption, -- the same of both
       comparison.metric,
       comparison.method,
       comparison.pairs,
       rate.mean_ops_per_s,
       rate.against_mean_ops_per_s,
       rate.mean_bytes_per_s,
       rate.against_mean_bytes_per_s,
       exp(comparison.estimate) - 1 AS change_fraction,
       exp(comparison.lower_bound) - 1 AS change_lower_fraction,
       exp(comparison.upper_bound) - 1 AS change_upper_fraction,
       comparison.verdict
FROM comparison
JOIN campaign ON campaign.id = comparison.campaign_id
JOIN workload ON workload.id = comparison.workload_id
JOIN backend AS against ON against.id = comparison.plain_backend_id
JOIN backend ON backend.id = comparison.encrypted_backend_id
LEFT JOIN (SELECT campaign_id, workload_id, phase, operation, plain_backend_id,
                  encrypted_backend_id,
                  avg(plain_ops_per_s) AS against_mean_ops_per_s,
                  avg(encrypted_ops_per_s) AS mean_ops_per_s,
                  avg(plain_bytes_per_s) AS against_mean_bytes_per_s,
                  avg(encrypted_bytes_per_s) AS mean_bytes_per_s
           FROM v_pair
           WHERE cell = 'versus'
           GROUP BY campaign_id, workload_id, phase, operation, plain_backend_id,
                    encrypted_backend_id) AS rate
       ON rate.campaign_id = comparison.campaign_id
      AND rate.workload_id = comparison.workload_id
      AND rate.phase = comparison.phase
      AND rate.operation = comparison.operation
      AND rate.plain_backend_id = comparison.plain_backend_id
      AND rate.encrypted_backend_id = comparison.encrypted_backend_id
WHERE comparison.cell = 'versus';

-- Means of the first 5, 10, 25, 50, 75, … ok runs of a workload on a back end, in the order in which
-- they were measured.
CREATE VIEW v_segment_mean AS
SELECT campaign_id, campaign_uuid, campaign, layer, workload_id, workload, element, category,
       object_bytes, backend_id, backend, encrypted, twin_backend, phase, operation,
       run_no AS runs, mean_ops_per_s, mean_bytes_per_s, mean_latency_ns
FROM (SELECT v_throughput.*,
             row_number() OVER so_far AS run_no,
             avg(ops_per_s) OVER so_far AS mean_ops_per_s,
             avg(bytes_per_s) OVER so_far AS mean_bytes_per_s,
             avg(1.0 * histogram.sum_ns / histogram.count) OVER so_far AS mean_latency_ns
      FROM v_throughput
      LEFT JOIN histogram ON histogram.operation_result_id = v_throughput.operation_result_id
                         AND histogram.kind = 'response'
      WHERE status = 'ok' AND cell <> 'control'
      WINDOW so_far AS (PARTITION BY campaign_id, workload_id, backend_id, twin_backend_id, phase,
                                     operation
                        ORDER BY slot, run_id ROWS UNBOUNDED PRECEDING))
WHERE run_no IN (5, 10) OR run_no % 25 = 0;

-- The ladder: the same payload, concurrency and direction (phase 'read' or 'write') at every layer,
-- each layer held against the one below. A chain goes down from a back end of the top layer. Below a
-- rung comes the same back end where a lower layer has it, else what it is declared to stand on; only
-- where nothing is declared, the layer's first back end of the same encryption is assumed to be below.
-- Efficiency is the mean rate over that of the layer below. A layer that is more than a quarter
-- faster does not stand on the one below (it is contradicted), and a new part of the chain begins
-- there; the shares ln(efficiency) / sum of ln(efficiency) of a part add up to 1.
CREATE VIEW v_layer AS
WITH RECURSIVE
rate AS (
    SELECT campaign_id, campaign_uuid, campaign, match_key, phase, encrypted, layer,
           CASE layer WHEN 'device' THEN 1 WHEN 'filesystem' THEN 2 WHEN 'service' THEN 3 ELSE 4 END
               AS layer_no,
           backend_id, backend, run_id,
           sum(bytes_per_s) AS bytes_per_s,
           sum(ops_per_s) AS ops_per_s
    FROM v_throughput
    WHERE status = 'ok' AND cell <> 'control' AND match_key IS NOT NULL
      AND phase IN ('read', 'write')
    GROUP BY campaign_id, match_key, phase, layer, backend_id, run_id
    HAVING sum(ops_per_s) IS NOT NULL
),
ranked AS (
    SELECT *,
           row_number() OVER (PARTITION BY campaign_id, match_key, phase, layer, backend_id
                              ORDER BY ops_per_s) AS place,
           count(*) OVER (PARTITION BY campaign_id, match_key, phase, layer, backend_id) AS runs
    FROM rate
),
rung AS MATERIALIZED (
    SELECT campaign_id, campaign_uuid, campaign, match_key, phase, encrypted, layer, layer_no,
           backend_id, backend, runs,
           avg(ops_per_s) AS mean_ops_per_s,
           avg(bytes_per_s) AS mean_bytes_per_s,
           avg(ops_per_s) FILTER (WHERE place IN ((runs + 1) / 2, runs / 2 + 1)) AS median_ops_per_s,
           avg(bytes_per_s) FILTER (WHERE place IN ((runs + 1) / 2, runs / 2 + 1))
               AS median_bytes_per_s
    FROM ranked
    GROUP BY campaign_id, match_key, phase, layer, backend_id
),
ground (backend_id, distance, ground_id) AS ( -- a back end, what it stands on, what that stands on
    SELECT DISTINCT backend_id, 0, backend_id
    FROM rung
    UNION ALL
    SELECT ground.backend_id, distance + 1, below.id
    FROM ground
    JOIN backend ON backend.id = ground_id
    JOIN backend AS below ON below.campaign_id = backend.campaign_id
                         AND below.name = backend.stands_on
    WHERE distance < 3
),
link AS ( -- each rung and the one below it
    SELECT campaign_id, match_key, phase, layer_no, backend_id, below_no, below_id, assumed
    FROM (SELECT rung.campaign_id, rung.match_key, rung.phase, rung.layer_no, rung.backend_id,
                 below.layer_no AS below_no,
                 below.backend_id AS below_id,
                 ground.distance IS NULL AS assumed,
                 row_number() OVER (PARTITION BY rung.campaign_id, rung.match_key, rung.phase,
                                                 rung.layer_no, rung.backend_id
                                    ORDER BY ground.distance NULLS LAST, below.layer_no DESC,
                                             below.backend_id) AS choice
          FROM rung
          JOIN backend ON backend.id = rung.backend_id
          JOIN rung AS below ON below.campaign_id = rung.campaign_id
                            AND below.match_key = rung.match_key
                            AND below.phase = rung.phase
                            AND below.layer_no < rung.layer_no
          LEFT JOIN ground ON ground.backend_id = rung.backend_id
                          AND ground.ground_id = below.backend_id
          WHERE ground.distance IS NOT NULL
             OR (backend.stands_on IS NULL AND below.encrypted = rung.encrypted))
    WHERE choice = 1
),
chain (campaign_id, match_key, phase, chain, encrypted, layer_no, backend_id) AS (
    SELECT campaign_id, match_key, phase, backend, encrypted, layer_no, backend_id
    FROM (SELECT *, max(layer_no) OVER (PARTITION BY campaign_id, match_key, phase, encrypted)
                        AS top_no
          FROM rung)
    WHERE layer_no = top_no
    UNION ALL
    SELECT chain.campaign_id, chain.match_key, chain.phase, chain, encrypted, below_no, below_id
    FROM chain
    JOIN link USING (campaign_id, match_key, phase, layer_no, backend_id)
),
step AS (
    SELECT rung.*,
           chain.chain,
           chain.encrypted AS chain_encrypted,
           coalesce(link.assumed, 0) AS assumed,
           lag(rung.layer) OVER upwards AS layer_below,
           rung.mean_ops_per_s / lag(rung.mean_ops_per_s) OVER upwards AS efficiency
    FROM chain
    JOIN rung USING (campaign_id, match_key, phase, layer_no, backend_id)
    LEFT JOIN link USING (campaign_id, match_key, phase, layer_no, backend_id)
    WINDOW upwards AS (PARTITION BY rung.campaign_id, rung.match_key, rung.phase, chain.chain
                       ORDER BY rung.layer_no)
),
part AS (
    SELECT *,
           coalesce(efficiency > 1.25, 0) AS contradicted,
           sum(coalesce(efficiency > 1.25, 0)) OVER (
               PARTITION BY campaign_id, match_key, phase, chain ORDER BY layer_no) AS part_no
    FROM step
)
SELECT campaign_id, campaign_uuid, campaign, match_key, phase, chain_encrypted AS encrypted, chain,
       layer_no, layer, backend_id, backend, runs, mean_ops_per_s, median_ops_per_s,
       mean_bytes_per_s, median_bytes_per_s, layer_below, assumed, efficiency, contradicted,
       CASE WHEN NOT contradicted
            THEN ln(efficiency) / nullif(sum(ln(efficiency)) FILTER (WHERE NOT contradicted) OVER (
                     PARTITION BY campaign_id, match_key, phase, chain, part_no), 0)
       END AS share
FROM part;

-- Which layer holds the chain back: the one with the lowest efficiency. Of a contradicted chain only
-- the part above the contradiction is looked at.
CREATE VIEW v_bottleneck AS
SELECT campaign_id, campaign_uuid, campaign, match_key, phase, encrypted, chain, layer, backend,
       layer_below, assumed, mean_bytes_per_s, below_mean_bytes_per_s, efficiency, share,
       end_to_end_efficiency
FROM (SELECT *,
             lag(mean_bytes_per_s) OVER (PARTITION BY campaign_id, match_key, phase, chain
                                         ORDER BY layer_no) AS below_mean_bytes_per_s,
             row_number() OVER (PARTITION BY campaign_id, match_key, phase, chain
                                ORDER BY iif(layer_no > foot_no, efficiency, NULL) NULLS LAST,
                                         layer_no) AS place,
             last_value(mean_ops_per_s) OVER whole / first_value(mean_ops_per_s) OVER whole
                 AS end_to_end_efficiency
      FROM (SELECT *,
                   max(iif(contradicted, layer_no, 0)) OVER (
                       PARTITION BY campaign_id, match_key, phase, chain) AS foot_no
            FROM v_layer)
      WHERE layer_no >= foot_no
      WINDOW whole AS (PARTITION BY campaign_id, match_key, phase, chain
                       ORDER BY layer_no ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING))
WHERE place = 1 AND efficiency IS NOT NULL AND layer_no > foot_no;

-- Where on the ladder encryption's cost shows: an encrypted chain against the plain one that holds the
-- plain twin of its top. ln(encrypted / plain) of each layer, and how much it differs from the layer
-- below; positive where a layer hides the cost of the one below. NULL where both chains have the same
-- back end, since nothing was compared there.
CREATE VIEW v_layer_penalty AS
WITH compared AS (
    SELECT secret.campaign_id,
           secret.campaign_uuid,
           secret.campaign,
           secret.match_key,
           secret.phase,
           secret.chain AS encrypted_chain,
           plain.chain AS plain_chain,
           secret.layer_no,
           secret.layer,
           plain.backend AS plain_backend,
           secret.backend AS encrypted_backend,
           plain.mean_ops_per_s AS plain_mean_ops_per_s,
           secret.mean_ops_per_s AS encrypted_mean_ops_per_s,
           CASE WHEN secret.backend_id <> plain.backend_id
                THEN ln(secret.mean_ops_per_s / plain.mean_ops_per_s) END AS log_ratio,
           max(head.twin_id = plain.backend_id) OVER (
               PARTITION BY secret.campaign_id, secret.match_key, secret.phase, secret.chain,
                            plain.chain) AS of_twins
    FROM v_layer AS secret
    JOIN v_layer AS plain
      ON plain.campaign_id = secret.campaign_id
     AND plain.match_key = secret.match_key
     AND plain.phase = secret.phase
     AND plain.layer_no = secret.layer_no
     AND NOT plain.encrypted
    JOIN backend AS head ON head.campaign_id = secret.campaign_id AND head.name = secret.chain
    WHERE secret.encrypted
)
SELECT campaign_id, campaign_uuid, campaign, match_key, phase, encrypted_chain, plain_chain,
       layer_no, layer, plain_backend, encrypted_backend, plain_mean_ops_per_s,
       encrypted_mean_ops_per_s, log_ratio,
       1 - exp(log_ratio) AS loss_fraction,
       log_ratio - lag(log_ratio) OVER (
           PARTITION BY campaign_id, match_key, phase, encrypted_chain, plain_chain
           ORDER BY layer_no) AS hidden_log_ratio
FROM compared
WHERE of_twins;

-- What the cipher alone does in memory (workloads of <cipher>): one row a run and direction. The cost
-- is the processor time of Strata's own threads, which do all of the work. A run without a rate has its
-- reason. (Of SQLite's JSON functions, only the table-valued ones are allowed in views everywhere.)
CREATE VIEW v_cipher AS
SELECT v_run.run_id, v_run.campaign_id, v_run.campaign_uuid, v_run.campaign, v_run.workload_id,
       v_run.workload, v_run.backend_id, v_run.backend, v_run.pair_no,
       coalesce(v_throughput.status, v_run.status) AS status,
       coalesce(v_throughput.reason, v_run.reason) AS reason,
       v_run.category AS cipher,
       v_throughput.operation AS direction,
       parameter.key_bits,
       parameter.cipher_key_bits,
       v_run.block_bytes,
       parameter.sector_bytes,
       v_run.concurrency AS threads,
       v_throughput.bytes_per_s,
       1.0 * v_resource.process_cpu_ns / nullif(v_resource.bytes, 0) AS cpu_ns_per_byte,
       parameter.provider,
       (SELECT value FROM json_each(backend.storage, '$.kernel_ciphers')
        WHERE key = parameter.kernel_name) AS kernel_driver
FROM v_run
JOIN (SELECT workload.id AS workload_id,
             max(value) FILTER (WHERE key = 'key_bits') AS key_bits,
             max(value) FILTER (WHERE key = 'cipher_key_bits') AS cipher_key_bits,
             max(value) FILTER (WHERE key = 'sector_bytes') AS sector_bytes,
             max(value) FILTER (WHERE key = 'provider') AS provider,
             max(value) FILTER (WHERE key = 'kernel_name') AS kernel_name
      FROM workload, json_each(workload.parameters)
      WHERE workload.element = 'cipher'
      GROUP BY workload.id) AS parameter USING (workload_id)
JOIN backend ON backend.id = v_run.backend_id
LEFT JOIN v_throughput ON v_throughput.run_id = v_run.run_id
LEFT JOIN v_resource
       ON v_resource.run_id = v_run.run_id AND v_resource.phase = v_throughput.phase;

-- What it takes to make a key from a passphrase (workloads of <key-derivation>): one row a run. Costs
-- that a function does not have are NULL.
CREATE VIEW v_key_derivation AS
SELECT v_run.run_id, v_run.campaign_id, v_run.campaign_uuid, v_run.campaign, v_run.workload_id,
       v_run.workload, v_run.backend_id, v_run.backend, v_run.pair_no,
       coalesce(v_throughput.status, v_run.status) AS status,
       coalesce(v_throughput.reason, v_run.reason) AS reason,
       v_run.category AS "function",
       parameter.iterations,
       parameter.memory_bytes,
       v_run.concurrency AS threads,
       v_throughput.ops_per_s AS derivations_per_s,
       v_throughput.ops_per_s * parameter.iterations AS iterations_per_s,
       1.0 * v_resource.process_cpu_ns / nullif(v_resource.ok, 0) AS cpu_ns_per_derivation
FROM v_run
JOIN (SELECT workload.id AS workload_id,
             max(value) FILTER (WHERE key = 'iterations') AS iterations,
             coalesce(128 * max(value) FILTER (WHERE key = 'n') * max(value) FILTER (WHERE key = 'r'),
                      1024 * max(value) FILTER (WHERE key = 'memory_kib')) AS memory_bytes
      FROM workload, json_each(workload.parameters)
      WHERE workload.element = 'key-derivation'
      GROUP BY workload.id) AS parameter USING (workload_id)
LEFT JOIN v_throughput ON v_throughput.run_id = v_run.run_id
LEFT JOIN v_resource
       ON v_resource.run_id = v_run.run_id AND v_resource.phase = v_throughput.phase;

-- An encrypted device beside what its cipher alone could do, for each workload that only reads or only
-- writes: means of the ok runs. Of the cipher's baselines in the campaign that one is taken which has
-- the device's cipher, key and direction, and of those first its sector size, then its number of jobs,
-- else the most threads below that. No row where the device's cipher is not known or was not measured.
CREATE VIEW v_cipher_headroom AS
WITH rate AS (
    SELECT campaign_id, campaign_uuid, campaign, workload_id, workload, block_bytes, backend_id, phase,
           operation, bytes_per_s,
           count(*) OVER (PARTITION BY run_id, phase) AS operations
    FROM v_rate
    WHERE layer = 'device' AND status = 'ok' AND cell <> 'control' AND operation IN ('read', 'write')
),
device AS (
    SELECT campaign_id, campaign_uuid, campaign, workload_id, workload, block_bytes,
           coalesce((SELECT value FROM workload, json_each(workload.parameters)
                     WHERE workload.id = rate.workload_id AND key = 'jobs'), 1) AS jobs,
           backend_id, phase, operation, count(*) AS runs, avg(bytes_per_s) AS bytes_per_s
    FROM rate
    WHERE operations = 1 AND bytes_per_s IS NOT NULL
    GROUP BY campaign_id, workload_id, backend_id, phase, operation
),
encrypted AS (
    SELECT backend.id AS backend_id, backend.name AS encrypted_backend, backend.encryption,
           backend.twin_id, plain.name AS plain_backend,
           max(value) FILTER (WHERE key = 'name') AS cipher_name, -- "aes-xts-plain64"
           max(value) FILTER (WHERE key = 'key_bits') AS key_bits,
           max(value) FILTER (WHERE key = 'sector_bytes') AS sector_bytes
    FROM backend
    JOIN json_each(backend.storage, '$.cipher')
    LEFT JOIN backend AS plain ON plain.id = backend.twin_id
    WHERE backend.encrypted
    GROUP BY backend.id
),
baseline AS (
    SELECT campaign_id, cipher, direction, block_bytes, sector_bytes, threads,
           avg(bytes_per_s) AS bytes_per_s
    FROM v_cipher
    WHERE status = 'ok'
    GROUP BY campaign_id, workload_id, direction
),
choice AS (
    SELECT secret.*, encrypted_backend, encryption, plain_backend, key_bits,
           encrypted.sector_bytes,
           baseline.cipher,
           baseline.direction,
           baseline.threads AS cipher_threads,
           baseline.block_bytes AS cipher_block_bytes,
           baseline.sector_bytes AS cipher_sector_bytes,
           baseline.bytes_per_s AS cipher_bytes_per_s,
           plain.bytes_per_s AS plain_bytes_per_s,
           row_number() OVER (PARTITION BY secret.workload_id, secret.backend_id, secret.phase
                              ORDER BY baseline.sector_bytes <> encrypted.sector_bytes,
                                       baseline.threads > secret.jobs,
                                       abs(baseline.threads - secret.jobs),
                                       abs(baseline.block_bytes - secret.block_bytes)) AS place
    FROM device AS secret
    JOIN encrypted USING (backend_id)
    JOIN baseline
      ON baseline.campaign_id = secret.campaign_id
     AND encrypted.cipher_name LIKE rtrim(baseline.cipher, '0123456789') || '%'
     AND baseline.cipher LIKE '%-' || encrypted.key_bits
     AND baseline.direction = iif(secret.operation = 'read', 'decrypt', 'encrypt')
    LEFT JOIN device AS plain
      ON plain.campaign_id = secret.campaign_id AND plain.workload_id = secret.workload_id
     AND plain.backend_id = encrypted.twin_id AND plain.phase = secret.phase
)
SELECT campaign_id, campaign_uuid, campaign, workload_id, workload, phase, operation, plain_backend,
       encrypted_backend, encryption, cipher, key_bits, direction, jobs, sector_bytes, cipher_threads,
       cipher_block_bytes, cipher_sector_bytes, cipher_bytes_per_s, plain_bytes_per_s,
       bytes_per_s AS encrypted_bytes_per_s,
       runs AS encrypted_runs,
       cipher_bytes_per_s / bytes_per_s AS headroom
FROM choice
WHERE place = 1;

-- Failed operations by cause.
CREATE VIEW v_error AS
SELECT v_throughput.campaign_id,
       v_throughput.campaign_uuid,
       v_throughput.campaign,
       v_throughput.run_id,
       v_throughput.layer,
       v_throughput.workload,
       v_throughput.backend,
       v_throughput.status,
       v_throughput.phase,
       v_throughput.operation,
       error.code,
       error.message,
       error.count,
       v_throughput.attempts,
       1.0 * error.count / nullif(v_throughput.attempts, 0) AS attempts_fraction
FROM error
JOIN v_throughput ON v_throughput.operation_result_id = error.operation_result_id;

-- Runs, and phases of runs that are ok, that no rate may be taken from, with the reason. A run still
-- 'running' is among them. The phase is NULL where the whole run is meant.
CREATE VIEW v_invalid AS
SELECT run_id, run_uuid, campaign_id, campaign_uuid, campaign, layer, workload, backend, cell,
       pair_no, slot, NULL AS phase, status, reason, began_at_us, began_at_utc
FROM v_run
WHERE status <> 'ok'
UNION ALL
SELECT v_run.run_id, run_uuid, campaign_id, campaign_uuid, campaign, layer, workload, backend, cell,
       pair_no, slot, phase.name, 'invalid', phase.reason, began_at_us, began_at_utc
FROM v_run
JOIN phase ON phase.run_id = v_run.run_id
WHERE v_run.status = 'ok' AND phase.reason <> '';

-- Comparisons that cannot be made, since one of the two back ends cannot do what is asked at all (512 B
-- on sectors of 4096 B), with what that one said.
CREATE VIEW v_not_comparable AS
SELECT campaign_id, campaign_uuid, layer, workload_id, workload,
       iif(encrypted, twin_backend_id, backend_id) AS plain_backend_id,
       iif(encrypted, twin_backend, backend) AS plain_backend,
       iif(encrypted, backend_id, twin_backend_id) AS encrypted_backend_id,
       iif(encrypted, backend, twin_backend) AS encrypted_backend,
       backend AS unable_backend,
       min(reason) AS reason
FROM v_run
WHERE cell = 'pair' AND status = 'invalid' AND reason LIKE '%unsupported: %' AND measured_s IS NULL
GROUP BY campaign_id, workload_id, backend_id, twin_backend_id;

-- Each second. The last one of the warm-up and of the measured time is shorter: its rate is taken
-- over what there is of it.
CREATE VIEW v_series AS
SELECT run_id, campaign_id, campaign_uuid, layer, workload, backend, encrypted, pair_no, status,
       phase, operation, warmup, second, length_ns / 1e9 AS length_s, length_ns = 1000000000 AS whole,
       ok, failed, bytes,
       ok * 1e9 / nullif(length_ns, 0) AS ops_per_s,
       bytes * 1e9 / nullif(length_ns, 0) AS bytes_per_s,
       1.0 * sum_ns / nullif(ok, 0) AS mean_latency_ns,
       CASE WHEN ok > 0 THEN max_ns END AS max_latency_ns
FROM (SELECT v_throughput.run_id, v_throughput.campaign_id, v_throughput.campaign_uuid,
             v_throughput.layer, v_throughput.workload, v_throughput.backend,
             v_throughput.encrypted, v_throughput.pair_no, v_throughput.status,
             v_throughput.phase, v_throughput.operation,
             sample.*,
             max(0, min(1000000000, iif(sample.warmup, phase.warmup_ns, phase.elapsed_ns)
                                        - sample.second * 1000000000)) AS length_ns
      FROM sample
      JOIN v_throughput ON v_throughput.operation_result_id = sample.operation_result_id
      JOIN phase ON phase.id = v_throughput.phase_id);
