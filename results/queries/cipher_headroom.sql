-- Encrypted devices of the latest campaign beside what their cipher alone could do, in GiB/s: where the
-- cipher could do many times as much, it is not the cipher that costs.
.mode column
.headers on
SELECT encrypted_backend, workload, operation, cipher, jobs, cipher_threads,
       round(cipher_bytes_per_s / 1073741824, 3) AS cipher_gib_per_s,
       round(plain_bytes_per_s / 1073741824, 3) AS plain_gib_per_s,
       round(encrypted_bytes_per_s / 1073741824, 3) AS encrypted_gib_per_s,
       round(headroom, 2) AS cipher_over_encrypted
FROM v_cipher_headroom
WHERE campaign_id = (SELECT max(id) FROM campaign)
ORDER BY encrypted_backend, workload, operation;
