-- For each encrypted device and direction the workload that came closest to what the cipher could do.
-- ?1 campaign id, ?2 layer or NULL.
SELECT encrypted_backend, workload, operation, cipher, key_bits, direction, cipher_threads,
       cipher_bytes_per_s, plain_bytes_per_s, encrypted_bytes_per_s
FROM (SELECT *,
             row_number() OVER (PARTITION BY encrypted_backend, operation
                                ORDER BY encrypted_bytes_per_s DESC) AS place
      FROM v_cipher_headroom
      WHERE campaign_id = ?1 AND (?2 IS NULL OR ?2 = 'device'))
WHERE place = 1
ORDER BY encrypted_backend, operation;
