-- The ladder of the latest campaign: each layer against the one below, the bottleneck of each chain,
-- and where encryption's cost shows.
.mode column
.headers on
SELECT match_key, phase, chain, layer, backend, runs,
       round(mean_bytes_per_s / 1048576, 1) AS mean_mib_per_s,
       round(100 * efficiency, 1) AS percent_of_layer_below,
       round(100 * share, 1) AS percent_of_the_fall,
       CASE WHEN contradicted THEN 'contradicts the layer below'
            WHEN assumed THEN 'assumed to stand there' ELSE '' END AS note
FROM v_layer
WHERE campaign_id = (SELECT max(id) FROM campaign)
ORDER BY match_key, phase, encrypted, chain, layer_no;
.print
SELECT match_key, phase, chain, layer AS bottleneck, layer_below,
       round(100 * efficiency, 1) AS percent_of_layer_below,
       round(100 * end_to_end_efficiency, 1) AS percent_of_the_lowest,
       iif(assumed, 'assumed to stand there', '') AS note
FROM v_bottleneck
WHERE campaign_id = (SELECT max(id) FROM campaign)
ORDER BY match_key, phase, encrypted, chain;
.print
SELECT match_key, phase, layer, plain_backend, encrypted_backend,
       round(100 * loss_fraction, 1) AS loss_percent,
       round(hidden_log_ratio, 3) AS hidden_log_ratio
FROM v_layer_penalty
WHERE campaign_id = (SELECT max(id) FROM campaign)
ORDER BY match_key, phase, encrypted_chain, layer_no;
