-- The results database, schema 1. Raw facts only: rates and percentiles are views (../views.sql).
-- Times in ns of the monotonic clock, wall stamps in us since the epoch, sizes in bytes.

CREATE TABLE setting (
    name  TEXT PRIMARY KEY, -- 'views': hash of the text that made the views
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A machine, by a hash of its machine id.
CREATE TABLE host (
    id           INTEGER PRIMARY KEY,
    machine_hash TEXT NOT NULL UNIQUE
) STRICT;

-- The machine's facts at the time: kernel, processor, libraries.
CREATE TABLE environment (
    id         INTEGER PRIMARY KEY,
    host_id    INTEGER NOT NULL REFERENCES host (id),
    facts_hash TEXT NOT NULL, -- of `facts`
    facts      TEXT NOT NULL, -- JSON
    UNIQUE (host_id, facts_hash)
) STRICT;

-- One evaluation: a configuration as it was run, by one or several executables.
CREATE TABLE campaign (
    id                   INTEGER PRIMARY KEY,
    uuid                 TEXT NOT NULL UNIQUE,
    name                 TEXT NOT NULL,
    configuration        TEXT,             -- the text of the plan
    seed                 INTEGER NOT NULL, -- 64 bits, shown signed
    loss_margin_fraction REAL NOT NULL CHECK (loss_margin_fraction BETWEEN 0 AND 1),
    planned_pairs        INTEGER NOT NULL CHECK (planned_pairs >= 0),
    created_at_us        INTEGER NOT NULL,
    strata_version       TEXT NOT NULL,
    control_verdict      TEXT CHECK (control_verdict IN ('pass', 'fail', 'inconclusive')), -- A/A cell
    control_reason       TEXT
) STRICT;

-- A place that is measured, as the campaign found it.
CREATE TABLE backend (
    id          INTEGER PRIMARY KEY,
    campaign_id INTEGER NOT NULL REFERENCES campaign (id),
    name        TEXT NOT NULL,
    layer       TEXT NOT NULL CHECK (layer IN ('device', 'filesystem', 'service', 'user')), -- lowest
    location    TEXT,             -- path or URL; never a secret
    encrypted   INTEGER NOT NULL CHECK (encrypted IN (0, 1)),
    encryption  TEXT,             -- 'none', 'aes-xts-256', 'fscrypt', 'server', …
    proof       TEXT CHECK (proof IN ('none', 'asserted', 'structure', 'functional')),
    evidence    TEXT,             -- why it is believed to be encrypted
    twin_id     INTEGER REFERENCES backend (id), -- the plain one, of an encrypted one
    storage     TEXT,             -- JSON: file system, device, stack below
    UNIQUE (campaign_id, name)
) STRICT;
CREATE INDEX backend_by_twin ON backend (twin_id);

-- What is asked of a back end; the same row in every campaign that asks the same.
CREATE TABLE workload (
    id           INTEGER PRIMARY KEY,
    layer        TEXT NOT NULL CHECK (layer IN ('device', 'filesystem', 'service', 'user')),
    name         TEXT NOT NULL,
    element      TEXT,             -- of the configuration: 'iops', 'file-types', …
    operation    TEXT NOT NULL,    -- names of its phases: 'read', 'create stat unlink', …
    object_bytes INTEGER NOT NULL CHECK (object_bytes >= 0),
    block_bytes  INTEGER NOT NULL CHECK (block_bytes >= 0), -- 0 above the device layer
    concurrency  INTEGER NOT NULL CHECK (concurrency >= 0), -- operations in flight asked for
    category     TEXT,             -- file type, time slot
    arrival      TEXT NOT NULL CHECK (arrival IN ('closed', 'open')),
    rate_per_s   REAL NOT NULL CHECK (rate_per_s >= 0),     -- 0 in closed loop
    match_key    TEXT,             -- the same at every layer of a ladder
    parameters   TEXT              -- JSON
) STRICT;
CREATE UNIQUE INDEX workload_identity ON workload (
    name, layer, operation, object_bytes, block_bytes, concurrency, arrival, rate_per_s,
    coalesce(element, ''), coalesce(category, ''), coalesce(match_key, ''), coalesce(parameters, ''));
CREATE INDEX workload_by_match_key ON workload (match_key) WHERE match_key IS NOT NULL;

-- One workload on one back end, once: the replicate of every comparison.
CREATE TABLE run (
    id                  INTEGER PRIMARY KEY,
    uuid                TEXT NOT NULL UNIQUE,
    campaign_id         INTEGER NOT NULL REFERENCES campaign (id),
    environment_id      INTEGER REFERENCES environment (id),
    backend_id          INTEGER NOT NULL REFERENCES backend (id),
    workload_id         INTEGER NOT NULL REFERENCES workload (id),
    cell                TEXT NOT NULL CHECK (cell IN ('pair', 'single', 'control')),
    twin_backend_id     INTEGER REFERENCES backend (id), -- whom this run is paired with
    pair_no             INTEGER NOT NULL CHECK (pair_no >= 1),
    slot                INTEGER NOT NULL CHECK (slot >= 1), -- order inside the cell
    seed                INTEGER NOT NULL, -- 64 bits, shown signed
    status              TEXT NOT NULL CHECK (status IN ('running', 'ok', 'invalid', 'failed', 'aborted')),
    reason              TEXT NOT NULL DEFAULT '',
    began_at_us         INTEGER NOT NULL,
    ended_at_us         INTEGER,
    process_id          INTEGER NOT NULL, -- who measured it: while status is 'running', the sign of
    process_start_ticks INTEGER NOT NULL, -- life by which a run that was killed is told from one
    process_namespace   INTEGER NOT NULL, -- that is going on
    boot_id             TEXT NOT NULL,
    CHECK ((status = 'running') = (ended_at_us IS NULL)),
    CHECK (status <> 'ok' OR reason = '')
) STRICT;
CREATE INDEX run_by_cell ON run (campaign_id, workload_id, cell, pair_no, backend_id);
CREATE INDEX run_by_workload ON run (workload_id, backend_id);
CREATE INDEX run_by_backend ON run (backend_id);
CREATE INDEX run_by_twin ON run (twin_backend_id);
CREATE INDEX run_by_environment ON run (environment_id);
CREATE INDEX run_by_status ON run (status) WHERE status <> 'ok';

-- A phase of a run: 'read', or 'create', 'stat', 'unlink', … in order.
CREATE TABLE phase (
    id                      INTEGER PRIMARY KEY,
    run_id                  INTEGER NOT NULL REFERENCES run (id),
    phase_no                INTEGER NOT NULL CHECK (phase_no >= 1),
    name                    TEXT NOT NULL,
    open_loop               INTEGER NOT NULL CHECK (open_loop IN (0, 1)),
    bytes_per_operation     INTEGER NOT NULL CHECK (bytes_per_operation >= 0),
    started_at_us           INTEGER NOT NULL, -- measuring began
    elapsed_ns              INTEGER NOT NULL CHECK (elapsed_ns >= 0), -- … to the last operation's end
    window_ns               INTEGER NOT NULL CHECK (window_ns >= 0),  -- … to the first job out of work
    mean_in_flight          REAL, -- operations, over the window
    generator_busy_fraction REAL, -- of the jobs' threads, in user mode
    interrupted             INTEGER NOT NULL CHECK (interrupted IN (0, 1)),
    UNIQUE (run_id, phase_no),
    UNIQUE (run_id, name)
) STRICT;

-- What became of one kind of operation in a phase. The identities of the accounting are checked.
CREATE TABLE operation_result (
    id            INTEGER PRIMARY KEY,
    phase_id      INTEGER NOT NULL REFERENCES phase (id),
    operation     TEXT NOT NULL,
    due           INTEGER NOT NULL,
    skipped       INTEGER NOT NULL CHECK (skipped >= 0), -- due, never started
    started       INTEGER NOT NULL,
    ok            INTEGER NOT NULL CHECK (ok >= 0),
    failed        INTEGER NOT NULL CHECK (failed >= 0),
    timed_out     INTEGER NOT NULL CHECK (timed_out >= 0),
    abandoned     INTEGER NOT NULL CHECK (abandoned >= 0), -- in flight when the drain gave up
    bytes         INTEGER NOT NULL CHECK (bytes >= 0), -- payload of the successes
    window_ok     INTEGER NOT NULL CHECK (window_ok BETWEEN 0 AND ok),
    window_bytes  INTEGER NOT NULL CHECK (window_bytes BETWEEN 0 AND bytes),
    warmup_ok     INTEGER NOT NULL CHECK (warmup_ok >= 0), -- before measuring; in none of the above
    warmup_failed INTEGER NOT NULL CHECK (warmup_failed >= 0),
    warmup_bytes  INTEGER NOT NULL CHECK (warmup_bytes >= 0),
    UNIQUE (phase_id, operation),
    CHECK (due = skipped + started),
    CHECK (started = ok + failed + timed_out + abandoned)
) STRICT;

-- Parts of the operations that the target timed by itself: 'open', 'cipher', … Operations that
-- failed are among them.
CREATE TABLE stage (
    operation_result_id INTEGER NOT NULL REFERENCES operation_result (id),
    stage               TEXT NOT NULL,
    operations          INTEGER NOT NULL CHECK (operations > 0),
    total_ns            INTEGER NOT NULL CHECK (total_ns >= 0),
    PRIMARY KEY (operation_result_id, stage)
) STRICT, WITHOUT ROWID;

-- Latencies of the successes. 'response' is end - due, 'service' end - start; in closed loop both
-- are the same and only the response is stored.
CREATE TABLE histogram (
    id                  INTEGER PRIMARY KEY,
    operation_result_id INTEGER NOT NULL REFERENCES operation_result (id),
    kind                TEXT NOT NULL CHECK (kind IN ('response', 'service')),
    count               INTEGER NOT NULL CHECK (count > 0),
    sum_ns              INTEGER NOT NULL CHECK (sum_ns >= 0),
    min_ns              INTEGER NOT NULL CHECK (min_ns >= 0),
    max_ns              INTEGER NOT NULL CHECK (max_ns >= min_ns),
    UNIQUE (operation_result_id, kind)
) STRICT;

-- The bins that hold anything; both edges belong to the bin.
CREATE TABLE histogram_bin (
    histogram_id INTEGER NOT NULL REFERENCES histogram (id),
    lower_ns     INTEGER NOT NULL CHECK (lower_ns >= 0),
    upper_ns     INTEGER NOT NULL CHECK (upper_ns >= lower_ns),
    count        INTEGER NOT NULL CHECK (count > 0),
    PRIMARY KEY (histogram_id, lower_ns)
) STRICT, WITHOUT ROWID;

-- Each second of a phase, also those in which nothing ended. The sum over the seconds that are not
-- warm-up is the operation_result's.
CREATE TABLE sample (
    operation_result_id INTEGER NOT NULL REFERENCES operation_result (id),
    warmup              INTEGER NOT NULL CHECK (warmup IN (0, 1)),
    second              INTEGER NOT NULL CHECK (second >= 0), -- from the begin of warm-up or measuring
    ok                  INTEGER NOT NULL CHECK (ok >= 0),
    failed              INTEGER NOT NULL CHECK (failed >= 0), -- and timed out
    bytes               INTEGER NOT NULL CHECK (bytes >= 0),
    sum_ns              INTEGER NOT NULL CHECK (sum_ns >= 0), -- response times of the successes
    max_ns              INTEGER NOT NULL CHECK (max_ns >= 0),
    PRIMARY KEY (operation_result_id, warmup, second)
) STRICT, WITHOUT ROWID;

-- The kernel's counters at each look, cumulative as the kernel has them.
CREATE TABLE counter (
    run_id   INTEGER NOT NULL REFERENCES run (id),
    phase    TEXT NOT NULL,
    metric   TEXT NOT NULL,    -- 'cpu_user_ns', 'disk_read_bytes', …
    instance TEXT NOT NULL,    -- a disk's name; '' for the whole machine or process
    look     INTEGER NOT NULL, -- order in the run, from 0
    at_ns    INTEGER NOT NULL, -- monotonic
    value    INTEGER NOT NULL,
    PRIMARY KEY (run_id, phase, metric, instance, look)
) STRICT, WITHOUT ROWID;

-- Failed operations by cause.
CREATE TABLE error (
    operation_result_id INTEGER NOT NULL REFERENCES operation_result (id),
    code                INTEGER NOT NULL, -- errno, HTTP status, …; 0: further codes
    count               INTEGER NOT NULL CHECK (count > 0),
    message             TEXT NOT NULL,
    PRIMARY KEY (operation_result_id, code)
) STRICT, WITHOUT ROWID;

-- Encrypted against plain, over the pairs of one cell. Filled by the analysis from v_pair.
CREATE TABLE comparison (
    id                        INTEGER PRIMARY KEY,
    campaign_id               INTEGER NOT NULL REFERENCES campaign (id),
    workload_id               INTEGER NOT NULL REFERENCES workload (id),
    phase                     TEXT NOT NULL,
    operation                 TEXT NOT NULL,
    plain_backend_id          INTEGER NOT NULL REFERENCES backend (id),
    encrypted_backend_id      INTEGER NOT NULL REFERENCES backend (id), -- the same in the A/A cell
    cell                      TEXT NOT NULL CHECK (cell IN ('pair', 'control')),
    metric                    TEXT NOT NULL,    -- 'throughput', 'latency_p99', 'cpu_ns_per_byte', …
    method                    TEXT NOT NULL,    -- 'hodges-lehmann'
    pairs                     INTEGER NOT NULL CHECK (pairs >= 0),
    estimate                  REAL,             -- of ln(encrypted) - ln(plain); NULL without pairs
    lower_bound               REAL,             -- one-sided 5 %; NULL below 5 pairs
    upper_bound               REAL,
    loss_fraction             REAL,             -- 1 - e^estimate; negative is a gain
    loss_optimistic_fraction  REAL,
    loss_pessimistic_fraction REAL,
    margin_fraction           REAL,             -- NULL where there is no criterion
    verdict                   TEXT NOT NULL CHECK (verdict IN ('pass', 'fail', 'inconclusive')),
    computed_at_us            INTEGER NOT NULL,
    UNIQUE (campaign_id, workload_id, phase, operation, plain_backend_id, encrypted_backend_id,
            cell, metric)
) STRICT;
CREATE INDEX comparison_by_workload ON comparison (workload_id);
