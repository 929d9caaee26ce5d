-- Schema 8: several devices: side by side in one run, and one held against another.

-- What the jobs of each member of a set that is measured side by side did in a phase; their sums are
-- the operation_result's.
CREATE TABLE member_result (
    phase_id     INTEGER NOT NULL REFERENCES phase (id),
    member_no    INTEGER NOT NULL CHECK (member_no >= 1),
    member       TEXT NOT NULL, -- its path
    operation    TEXT NOT NULL,
    ok           INTEGER NOT NULL CHECK (ok >= 0),
    failed       INTEGER NOT NULL CHECK (failed >= 0), -- timed out and abandoned ones among them
    bytes        INTEGER NOT NULL CHECK (bytes >= 0),
    window_ok    INTEGER NOT NULL CHECK (window_ok BETWEEN 0 AND ok),
    window_bytes INTEGER NOT NULL CHECK (window_bytes BETWEEN 0 AND bytes),
    sum_ns       INTEGER NOT NULL CHECK (sum_ns >= 0), -- response times of the successes
    max_ns       INTEGER NOT NULL CHECK (max_ns >= 0),
    PRIMARY KEY (phase_id, member_no, operation)
) STRICT, WITHOUT ROWID;

-- The back end that this one is held against, neither being the other's encryption.
ALTER TABLE backend ADD COLUMN versus_id INTEGER REFERENCES backend (id);

-- A comparison of such two has words of its own; SQLite widens no CHECK, so the table is made anew.
CREATE TABLE comparison_before AS SELECT * FROM comparison;
DROP TABLE comparison;
CREATE TABLE comparison (
    id                        INTEGER PRIMARY KEY,
    campaign_id               INTEGER NOT NULL REFERENCES campaign (id),
    workload_id               INTEGER NOT NULL REFERENCES workload (id),
    phase                     TEXT NOT NULL,
    operation                 TEXT NOT NULL,
    plain_backend_id          INTEGER NOT NULL REFERENCES backend (id), -- 'versus': the one held against
    encrypted_backend_id      INTEGER NOT NULL REFERENCES backend (id), -- the same in the A/A cell
    cell                      TEXT NOT NULL CHECK (cell IN ('pair', 'control', 'versus')),
    metric                    TEXT NOT NULL,    -- 'throughput', 'latency_p99', 'cpu_ns_per_byte', …
    method                    TEXT NOT NULL,    -- 'hodges-lehmann'
    pairs                     INTEGER NOT NULL CHECK (pairs >= 0),
    estimate                  REAL,             -- of ln(encrypted) - ln(plain); NULL without pairs
    lower_bound               REAL,             -- one-sided 5 %; NULL below 5 pairs
    upper_bound               REAL,
    loss_fraction             REAL,             -- 1 - e^estimate; negative is a gain; NULL of 'versus'
    loss_optimistic_fraction  REAL,
    loss_pessimistic_fraction REAL,
    margin_fraction           REAL,             -- NULL where there is no criterion
    verdict                   TEXT NOT NULL CHECK (verdict IN ('pass', 'fail', 'inconclusive', 'faster',
                                                               'slower', 'no difference shown')),
    computed_at_us            INTEGER NOT NULL,
    UNIQUE (campaign_id, workload_id, phase, operation, plain_backend_id, encrypted_backend_id,
            cell, metric)
) STRICT;
INSERT INTO comparison SELECT * FROM comparison_before;
DROP TABLE comparison_before;
CREATE INDEX comparison_by_workload ON comparison (workload_id);
