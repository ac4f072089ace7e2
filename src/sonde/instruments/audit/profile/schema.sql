-- Audits of profilers. Documented in docs/audit.md. Facts are in `meta`: command, python, turned_off,
-- is_compiled.

CREATE TABLE profiler (
    id                 INTEGER PRIMARY KEY,
    name               TEXT NOT NULL,
    version            TEXT NOT NULL,
    clock              TEXT NOT NULL,       -- wall, processor
    tells_program_only INTEGER NOT NULL,    -- 0, 1
    missing            TEXT NOT NULL        -- why it took no part
);

CREATE TABLE function (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    file       TEXT NOT NULL,
    first_line INTEGER NOT NULL,
    language   TEXT NOT NULL,
    library    TEXT NOT NULL,
    calls      INTEGER                      -- NULL: not known
);

-- Machine code of a compiled program, with the probes of each profiler; 'plain' has none.
CREATE TABLE code (
    profiler      TEXT PRIMARY KEY,
    size_bytes    INTEGER NOT NULL,
    inlined_calls INTEGER NOT NULL
) WITHOUT ROWID;

-- One run of the program, with the profiler of that name; 'plain', 'plain again' and 'dense sample' are none.
CREATE TABLE run (
    id                   INTEGER PRIMARY KEY,
    profiler             TEXT NOT NULL,
    round                INTEGER NOT NULL,
    is_without           INTEGER NOT NULL,  -- 1: the optimisation was turned off
    wall_ns              INTEGER NOT NULL,
    processor_ns         INTEGER NOT NULL,
    program_wall_ns      INTEGER NOT NULL,  -- 0: not known
    program_processor_ns INTEGER NOT NULL,
    told_ns              INTEGER,           -- NULL: not told
    failure              TEXT NOT NULL,
    changed              TEXT NOT NULL,
    is_of_nothing        INTEGER NOT NULL   -- 1: an empty program in its place
);

-- What was said in a run of a function, in a unit of the profiler's own.
CREATE TABLE answer (
    run      INTEGER NOT NULL,              -- run.id
    function INTEGER NOT NULL,              -- function.id
    own      REAL,                          -- of the function itself
    charged  REAL,                          -- dense sample: of what it called directly
    PRIMARY KEY (run, function)
) WITHOUT ROWID;
