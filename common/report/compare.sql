-- Rates of two campaigns (or of two back ends) side by side, one row a pair of runs with the same
-- number; a side without such a run is NULL. ?1 and ?3: campaign ids; ?2 and ?4: back end ids, or NULL
-- to compare each back end with the one of the same name.
WITH rate AS (
    SELECT campaign_id, layer, workload_id, workload, object_bytes, phase_no, phase, operation,
           backend_id, backend, pair_no, ops_per_s, bytes_per_s,
           CASE WHEN ?2 IS NULL THEN coalesce(twin_backend, '') ELSE '' END AS twin,
           row_number() OVER (
               PARTITION BY campaign_id, workload_id, phase, operation, backend_id, pair_no,
                            CASE WHEN ?2 IS NULL THEN twin_backend_id END
               ORDER BY twin_backend_id IN (?2, ?4) DESC, run_id) AS choice
    FROM v_rate
    WHERE status = 'ok' AND cell <> 'control' AND ops_per_s > 0 AND campaign_id IN (?1, ?3)
      -- what runs in memory says nothing of a back end
      AND workload_id NOT IN (SELECT id FROM workload WHERE element IN ('cipher', 'key-derivation'))
),
base AS (
    SELECT * FROM rate
    WHERE choice = 1 AND campaign_id = ?1 AND (?2 IS NULL OR backend_id = ?2)
),
other AS (
    SELECT * FROM rate
    WHERE choice = 1 AND campaign_id = ?3 AND (?4 IS NULL OR backend_id = ?4)
)
SELECT coalesce(base.layer, other.layer) AS layer,
       coalesce(base.workload_id, other.workload_id) AS workload_id,
       coalesce(base.workload, other.workload) AS workload,
       coalesce(base.object_bytes, other.object_bytes) AS object_bytes,
       coalesce(base.phase, other.phase) AS phase,
       coalesce(base.operation, other.operation) AS operation,
       CASE WHEN ?2 IS NULL THEN coalesce(base.backend, other.backend) ELSE '' END AS backend,
       coalesce(base.twin, other.twin) AS twin,
       base.ops_per_s AS base_ops_per_s,
       other.ops_per_s AS other_ops_per_s,
       base.bytes_per_s AS base_bytes_per_s,
       other.bytes_per_s AS other_bytes_per_s
FROM base
FULL JOIN other
       ON other.workload_id = base.workload_id AND other.phase = base.phase
      AND other.operation = base.operation AND other.pair_no = base.pair_no
      AND other.twin = base.twin AND (?2 IS NOT NULL OR other.backend = base.backend)
ORDER BY CASE coalesce(base.layer, other.layer)
             WHEN 'device' THEN 1 WHEN 'filesystem' THEN 2 WHEN 'service' THEN 3 ELSE 4 END,
         7, 8, 2, coalesce(base.phase_no, other.phase_no), 6, coalesce(base.pair_no, other.pair_no)
