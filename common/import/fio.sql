-- What fio says of each job and direction, one row each, jobs of one run after another. ?1: its JSON.
--
-- Processes of one job (numjobs without group_reporting) stand in the file one by one; they ran
-- together, so they are one row: counts add up, the time is the longest. `wrong` names a figure that is
-- no whole number from 0 to 2^53, which fio never writes.
WITH entry AS MATERIALIZED (
    SELECT key AS entry_no,
           value AS job,
           value ->> '$.groupid' AS group_no,
           coalesce(value ->> '$.jobname', '') AS name,
           json_patch(coalesce(?1 -> '$."global options"', '{}'),
                      coalesce(value -> '$."job options"', '{}')) AS options
    FROM json_each(?1, '$.jobs')
),
part AS MATERIALIZED (
    SELECT entry.*, direction.value AS direction, job -> ('$.' || direction.value) AS done
    FROM entry, json_each('["read", "trim", "write"]') AS direction
),
-- The latency from handing over to the end (lat) is what Strata's is; fio gives bins of the part after
-- handing over (clat) unless it was told otherwise (lat_percentiles).
measured AS MATERIALIZED (
    SELECT *,
           CASE WHEN done ->> '$.lat_ns.N' > 0 AND (done -> '$.lat_ns.bins' IS NOT NULL
                                                    OR done -> '$.clat_ns.bins' IS NULL) THEN 'lat'
                WHEN done ->> '$.clat_ns.N' > 0 THEN 'clat' END AS measure
    FROM part
),
figure AS (
    SELECT *,
           done ->> '$.total_ios' AS total_ios,
           done ->> '$.io_bytes' AS io_bytes,
           done ->> '$.runtime' AS runtime_ms,
           done ->> ('$.' || measure || '_ns.N') AS latencies,
           done ->> ('$.' || measure || '_ns.min') AS min_ns,
           done ->> ('$.' || measure || '_ns.max') AS max_ns,
           done ->> ('$.' || measure || '_ns.mean') AS mean_ns,
           done -> ('$.' || measure || '_ns.bins') AS bins,
           (SELECT key.value
            FROM json_each('["total_ios", "io_bytes", "runtime", "lat_ns.N", "lat_ns.min", "lat_ns.max"]')
                     AS key
            WHERE (key.atom NOT LIKE 'lat%' OR measure IS NOT NULL)
              AND (typeof(done ->> ('$.' || replace(key.atom, 'lat_', coalesce(measure, '') || '_')))
                       <> 'integer'
                   OR done ->> ('$.' || replace(key.atom, 'lat_', coalesce(measure, '') || '_'))
                       NOT BETWEEN 0 AND 9007199254740992)
            LIMIT 1) AS wrong
    FROM measured
)
SELECT min(entry_no) AS first_entry,
       direction,
       name,
       max(wrong) AS wrong,
       count(*) AS processes,
       -- Other jobs of the same group, which ran at the same time.
       (SELECT count(DISTINCT other.name || other.options) - 1 FROM entry AS other
        WHERE other.group_no IS figure.group_no) AS beside,
       sum(total_ios) AS total_ios,
       sum(io_bytes) AS io_bytes,
       max(runtime_ms) AS runtime_ms,
       measure,
       sum(latencies) AS latencies,
       min(min_ns) AS min_ns,
       max(max_ns) AS max_ns,
       sum(mean_ns * latencies) AS sum_ns,
       CASE WHEN max(bins) IS NOT NULL THEN json_group_array(json(coalesce(bins, '{}'))) END AS bins,
       sum(coalesce(job ->> '$.total_err', (job ->> '$.error') <> 0)) AS errors,
       coalesce(nullif(max(job ->> '$.error'), 0), max(job ->> '$.first_error'), 0) AS error_code,
       coalesce(options ->> '$.rw', 'read') AS rw,
       coalesce(options ->> '$.ioengine', 'psync') AS engine,
       coalesce(options ->> '$.iodepth', '1') AS depth,
       coalesce(options ->> '$.numjobs', '1') AS numjobs,
       coalesce(options ->> '$.rwmixread', 100 - (options ->> '$.rwmixwrite'), '50') AS read_percent,
       coalesce(options ->> '$.ramp_time', '0') AS warm_up,
       coalesce(options ->> '$.runtime', '0') AS duration,
       coalesce((options ->> '$.direct') <> 0, (options ->> '$.buffered') = 0, 0) AS direct,
       coalesce(options ->> '$.bssplit', options ->> '$.bsrange') IS NOT NULL AS several_sizes,
       coalesce(options ->> '$.filename', options ->> '$.directory', 'fio') AS place,
       -- What has no column and no parameter of ours, and could change what is measured.
       json_remove(options, '$.rw', '$.bs', '$.ioengine', '$.iodepth', '$.numjobs', '$.rwmixread',
                   '$.rwmixwrite', '$.ramp_time', '$.direct', '$.buffered', '$.filename',
                   '$.directory', '$.name', '$.description', '$.group_reporting', '$.stonewall',
                   '$.new_group', '$.time_based', '$.thread', '$.percentile_list',
                   '$.clat_percentiles', '$.lat_percentiles', '$.write_bw_log',
                   '$.write_iops_log', '$.write_lat_log', '$.log_avg_msec') AS others,
       ?1 ->> '$."fio version"' AS version,
       iif(typeof(?1 ->> '$.timestamp_ms') = 'integer' AND ?1 ->> '$.timestamp_ms' BETWEEN 0 AND 1e14,
           ?1 ->> '$.timestamp_ms', 0) AS ended_ms
FROM figure
GROUP BY group_no, name, options, direction
ORDER BY first_entry, direction
