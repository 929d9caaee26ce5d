-- Schema 5: what the device layer knows beyond one rate a phase.

-- A step inside the measured time (burst credit used up, throttling). NULL: there was none.
ALTER TABLE phase ADD COLUMN step_at_ns INTEGER CHECK (step_at_ns > 0); -- from the begin of measuring
ALTER TABLE phase ADD COLUMN step_before_per_s REAL; -- operations per second before it: the burst
ALTER TABLE phase ADD COLUMN step_after_per_s REAL;  -- after it: what is sustained

-- Where a run's numbers come from. '': measured by this program; else the tool and file of an import.
ALTER TABLE run ADD COLUMN source TEXT NOT NULL DEFAULT '';

-- How a run that goes on until it is steady ended. Its rounds are the run's phases 'round 1', …
CREATE TABLE steady_state (
    run_id                INTEGER PRIMARY KEY REFERENCES run (id),
    procedure             TEXT NOT NULL,    -- the whole procedure that was followed; '': a part of it only
    missing               TEXT NOT NULL,    -- which steps were left out; '': none
    preconditioned_bytes  INTEGER NOT NULL CHECK (preconditioned_bytes >= 0),
    capacity_bytes        INTEGER NOT NULL CHECK (capacity_bytes > 0),
    rounds                INTEGER NOT NULL CHECK (rounds >= 0),
    reached               INTEGER NOT NULL CHECK (reached IN (0, 1)),
    window_first_round    INTEGER, -- of the five rounds that were judged last; NULL: fewer than five
    mean_ops_per_s        REAL,    -- of those five
    range_fraction        REAL,    -- (largest - smallest) / mean
    slope_fraction        REAL     -- what the least-squares line moves across them / mean
) STRICT;
