-- Schema 2: how long the warm-up took, so that its last second has a length and a rate.

ALTER TABLE phase ADD COLUMN warmup_ns INTEGER CHECK (warmup_ns >= 0); -- NULL: stored by schema 1
