-- What ran in memory: each cipher and direction, each derivation of a key. Means of the ok runs.
-- ?1 campaign id, ?2 layer or NULL.
SELECT 0 AS derivation, cipher AS name, direction, key_bits, cipher_key_bits, threads, block_bytes,
       sector_bytes,
       avg(bytes_per_s) AS per_s,
       NULL AS iterations_per_s,
       avg(cpu_ns_per_byte) AS cpu_ns,
       count(*) AS runs
FROM v_cipher
WHERE campaign_id = ?1 AND status = 'ok' AND (?2 IS NULL OR ?2 = 'device')
GROUP BY workload_id, direction
UNION ALL
SELECT 1, replace(workload, 'key derivation ', ''), 'derive', NULL, NULL, threads, NULL, NULL, avg(derivations_per_s),
       avg(iterations_per_s), avg(cpu_ns_per_derivation), count(*)
FROM v_key_derivation
WHERE campaign_id = ?1 AND status = 'ok' AND (?2 IS NULL OR ?2 = 'device')
GROUP BY workload_id
ORDER BY derivation, threads, name, block_bytes, sector_bytes, direction DESC;
