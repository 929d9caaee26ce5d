-- What the ciphers alone do in memory in the latest campaign, as `cryptsetup benchmark` prints it, with
-- the processor time of a byte; and keys from passphrases. The kernel's driver is what dm-crypt uses.
.mode column
.headers on
SELECT cipher, key_bits, threads, block_bytes, sector_bytes,
       round(avg(bytes_per_s) FILTER (WHERE direction = 'encrypt') / 1048576, 1) AS encrypt_mib_per_s,
       round(avg(bytes_per_s) FILTER (WHERE direction = 'decrypt') / 1048576, 1) AS decrypt_mib_per_s,
       round(avg(cpu_ns_per_byte), 3) AS cpu_ns_per_byte,
       kernel_driver
FROM v_cipher
WHERE campaign_id = (SELECT max(id) FROM campaign) AND status = 'ok'
GROUP BY workload_id
ORDER BY cipher, threads, block_bytes, sector_bytes;
SELECT workload, threads, status,
       round(derivations_per_s, 2) AS keys_per_s,
       round(iterations_per_s) AS iterations_per_s,
       round(cpu_ns_per_derivation / 1e6, 3) AS cpu_ms_per_key,
       reason
FROM v_key_derivation
WHERE campaign_id = (SELECT max(id) FROM campaign)
ORDER BY workload, threads;
