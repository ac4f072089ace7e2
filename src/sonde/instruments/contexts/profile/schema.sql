-- The sonde profile file, schema version 2. Documented in docs/profile-file.md.
-- application_id is 0x536F6E64 ("Sond"); user_version is the schema version.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- What ran: names as people know them, no addresses.
CREATE TABLE function (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    module     TEXT NOT NULL,
    file       TEXT NOT NULL,
    first_line INTEGER NOT NULL,
    kind       TEXT NOT NULL
);

-- One row per calling context; parents have smaller ids than their children.
CREATE TABLE context (
    id          INTEGER PRIMARY KEY,
    parent      INTEGER,            -- NULL for roots
    function    INTEGER NOT NULL,
    call_line   INTEGER NOT NULL,   -- line in the caller, 0 when there is none
    calls       INTEGER NOT NULL,   -- activations in this context
    total_calls INTEGER NOT NULL,   -- activations in this context and below
    self_ns     INTEGER NOT NULL,   -- nanoseconds outside callees
    total_ns    INTEGER NOT NULL,   -- nanoseconds including callees
    error       INTEGER,            -- the true value is at most this much more; NULL: it is exact
    calls_deviation INTEGER,        -- standard error of calls; NULL: nothing was sampled
    ns_deviation    INTEGER         -- standard error of self_ns; NULL: nothing was sampled
);

CREATE TABLE process (
    id         INTEGER PRIMARY KEY,
    pid        INTEGER NOT NULL,
    parent_pid INTEGER NOT NULL,
    command    TEXT NOT NULL,
    python     TEXT NOT NULL,
    mechanism  TEXT NOT NULL,
    threads    INTEGER NOT NULL,
    calls      INTEGER NOT NULL,
    ended      TEXT NOT NULL
);

-- What the profile does not hold.
CREATE TABLE loss (
    id     INTEGER PRIMARY KEY,
    kind   TEXT NOT NULL,
    amount INTEGER NOT NULL,
    detail TEXT NOT NULL
);

-- Source files of the hottest functions, as they were when the run ended.
CREATE TABLE source (
    file TEXT PRIMARY KEY,
    text BLOB NOT NULL              -- zlib-compressed UTF-8
);

-- For SQL clients: SELECT * FROM hot_context LIMIT 20;
CREATE VIEW hot_context AS
    SELECT context.id, function.name, function.file, function.first_line, context.call_line,
           context.calls, context.self_ns, context.total_ns
    FROM context JOIN function ON function.id = context.function
    ORDER BY context.self_ns DESC, context.calls DESC;
