-- The rungs of every ladder of a campaign, from the lowest layer: rate, efficiency against the layer
-- below, what encryption costs there, and which one is the bottleneck. ?1 campaign id.
SELECT rung.match_key, rung.phase, rung.encrypted, rung.chain, rung.layer, rung.backend_id,
       rung.backend, rung.runs, rung.mean_ops_per_s, rung.mean_bytes_per_s, rung.efficiency,
       rung.share, cost.loss_fraction, cost.hidden_log_ratio, worst.end_to_end_efficiency,
       coalesce(worst.layer = rung.layer, 0) AS bottleneck
FROM v_layer AS rung
LEFT JOIN (SELECT * FROM v_layer_penalty WHERE campaign_id = ?1) AS cost
       ON rung.encrypted AND cost.match_key = rung.match_key AND cost.phase = rung.phase
      AND cost.encrypted_chain = rung.chain AND cost.layer = rung.layer
LEFT JOIN (SELECT * FROM v_bottleneck WHERE campaign_id = ?1) AS worst
       ON worst.match_key = rung.match_key AND worst.phase = rung.phase
      AND worst.encrypted = rung.encrypted AND worst.chain = rung.chain
WHERE rung.campaign_id = ?1
GROUP BY rung.match_key, rung.phase, rung.encrypted, rung.chain, rung.layer_no
ORDER BY rung.match_key, rung.phase, rung.encrypted, rung.chain, rung.layer_no
