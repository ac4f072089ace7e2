-- Phases by method. Documented in docs/phases.md. Facts are in `meta`: command, theta_weight, theta_grain,
-- planned_whole_ns, complete; runs: of each run that was counted, its time and those of all phases; summed: pairs of a
-- phase and a counter whose sum alone is known; languages: of each phase (python, jit: compiled by sonde).

CREATE TABLE phase (
    id            INTEGER PRIMARY KEY,
    name          TEXT NOT NULL,
    module        TEXT NOT NULL,
    file          TEXT NOT NULL,
    first_line    INTEGER NOT NULL,
    kind          TEXT NOT NULL,
    component     TEXT NOT NULL,    -- application, garbage collection, ...
    planned_calls INTEGER NOT NULL, -- in the first step
    planned_ns    INTEGER NOT NULL
);

CREATE TABLE counter (
    id          INTEGER PRIMARY KEY,
    name        TEXT NOT NULL,
    source      TEXT NOT NULL,
    multiplexed INTEGER NOT NULL
);

CREATE TABLE thread (
    id       INTEGER PRIMARY KEY,   -- 0: the main thread
    name     TEXT NOT NULL,
    start_ns INTEGER NOT NULL,      -- since the run began
    end_ns   INTEGER NOT NULL,
    taken_ns INTEGER NOT NULL,      -- by watching
    ended    INTEGER NOT NULL,
    totals   TEXT NOT NULL,         -- a number for each counter, with blanks between them
    calls    INTEGER NOT NULL       -- rows of its columns
);

-- Calls are columns, for there may be millions: 64-bit integers in two's complement, the lowest byte first, compressed
-- by zlib. start_ns holds differences to the row before.
CREATE TABLE call_column (
    thread INTEGER NOT NULL,        -- thread.id
    name   TEXT NOT NULL,           -- phase, parent, start_ns, end_ns, taken_ns, ending, is_resumed, counter N
    data   BLOB NOT NULL,
    PRIMARY KEY (thread, name)
) WITHOUT ROWID;

-- What pairs of thresholds would select: estimates. Shares are of the program's time, but for share_of_calls.
CREATE TABLE plan (
    id             INTEGER PRIMARY KEY,
    weight         REAL NOT NULL,
    grain          REAL NOT NULL,
    phases         INTEGER NOT NULL,
    calls          INTEGER NOT NULL,
    share_of_calls REAL NOT NULL,
    cost           REAL NOT NULL,
    coverage       REAL NOT NULL,
    resolved       REAL NOT NULL
);
