-- Schema 6: a campaign whose measuring times were scaled says so.

ALTER TABLE campaign ADD COLUMN time_scale REAL NOT NULL DEFAULT 1 CHECK (time_scale > 0);
