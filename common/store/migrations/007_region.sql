-- Schema 7: how large the region is that a phase worked on, so that it shows when it was gone over
-- more than once.

ALTER TABLE phase ADD COLUMN region_bytes INTEGER CHECK (region_bytes > 0); -- NULL: no such region
