-- Tables of results of sonde bench, version 1. Documented in docs/results-file.md.

-- One alternative of one benchmark, by one metric.
CREATE TABLE series (
    id          INTEGER PRIMARY KEY,
    benchmark   TEXT NOT NULL,
    alternative TEXT NOT NULL,
    mode        TEXT NOT NULL,      -- startup: one value a process; steady: many
    metric      TEXT NOT NULL,
    unit        TEXT NOT NULL,
    better      TEXT NOT NULL,      -- lower or higher
    separate    INTEGER NOT NULL,   -- 0: which values come from which process is not known
    levels      TEXT NOT NULL,      -- JSON object, factor -> level
    UNIQUE (benchmark, alternative, metric)
);

-- One process, in the order in which they ran. Committed as it ends.
CREATE TABLE invocation (
    id          INTEGER PRIMARY KEY,
    series      INTEGER NOT NULL REFERENCES series (id),
    round       INTEGER,            -- below 0: ran to warm the machine up; NULL: alternatives did not alternate
    position    INTEGER,            -- place in the order of the whole run
    started     REAL,               -- seconds since the epoch
    outcome     TEXT NOT NULL,      -- ok, failed, timeout, interrupted
    detail      TEXT NOT NULL,      -- what is known of a failure
    warmups     INTEGER,            -- how many of the first values the tool took for warm-up; NULL: it does not say
    loops       INTEGER NOT NULL,   -- calls that each value is the mean of
    value_count INTEGER NOT NULL,
    mean        REAL,               -- of all values; NULL without any
    least       REAL,
    data        BLOB NOT NULL,      -- the values: float64, little-endian, in the unit of the series
    process     TEXT NOT NULL       -- JSON object: metrics of the whole process, by name
);

-- What makes the results less trustworthy.
CREATE TABLE doubt (
    id    INTEGER PRIMARY KEY,
    slug  TEXT NOT NULL,
    text  TEXT NOT NULL,
    hint  TEXT NOT NULL,
    round INTEGER                   -- NULL: of the whole experiment, or summing up those of rounds
);

-- What befell the run: began, resumed, interrupted, given up, ended.
CREATE TABLE event (
    id   INTEGER PRIMARY KEY,
    at   REAL NOT NULL,             -- seconds since the epoch
    kind TEXT NOT NULL,
    text TEXT NOT NULL
);

-- For SQL clients: SELECT * FROM result LIMIT 20;
CREATE VIEW result AS
    SELECT benchmark, alternative, metric, unit, round, outcome, value_count, mean, least, detail
    FROM invocation JOIN series ON series.id = invocation.series
    ORDER BY invocation.id;
