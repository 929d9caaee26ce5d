-- Schema 3: a phase is judged by itself, so that one that broke a rule does not take the run's others
-- with it.

ALTER TABLE phase ADD COLUMN reason TEXT NOT NULL DEFAULT ''; -- '': valid; else the rule it breaks
