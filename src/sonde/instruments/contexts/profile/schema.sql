-- Tables of profiles of calling contexts, version 5. Documented in docs/profile-file.md.

-- What ran: names as people know them, no addresses.
CREATE TABLE function (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    module     TEXT NOT NULL,
    file       TEXT NOT NULL,
    first_line INTEGER NOT NULL,
    kind       TEXT NOT NULL,
    language   TEXT NOT NULL,       -- python, native, jit
    library    TEXT NOT NULL        -- of native code: executable or shared library
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

-- Threads that were kept apart; no rows when they were not.
CREATE TABLE thread (
    id      INTEGER PRIMARY KEY,
    process INTEGER NOT NULL,
    number  INTEGER NOT NULL,       -- from 1 on in each process
    name    TEXT NOT NULL,          -- empty when Python has none
    elapsed_ns   INTEGER,           -- from its first counted call to its end; NULL: not known
    processor_ns INTEGER            -- that it ran meanwhile; NULL: not known
);

-- The contexts by thread, as in the table context; each thread is a root, without a function, and without values of
-- its own.
CREATE TABLE thread_context (
    id          INTEGER PRIMARY KEY,
    thread      INTEGER NOT NULL,
    parent      INTEGER,
    function    INTEGER,
    call_line   INTEGER NOT NULL,
    calls       INTEGER NOT NULL,
    total_calls INTEGER NOT NULL,
    self_ns     INTEGER NOT NULL,
    total_ns    INTEGER NOT NULL,
    error       INTEGER,
    calls_deviation INTEGER,
    ns_deviation    INTEGER
);

-- Tasks of asyncio that have one coroutine, one place where they were made, and one name; no rows when there were none.
CREATE TABLE task (
    id          INTEGER PRIMARY KEY,
    name        TEXT NOT NULL,      -- empty when asyncio numbered them
    coroutine   INTEGER NOT NULL,   -- function; -1: tasks beyond those that were told apart
    made_in     INTEGER NOT NULL,   -- function; -1: not known
    made_at_line INTEGER NOT NULL,
    tasks       INTEGER NOT NULL,
    ended       INTEGER NOT NULL,
    cancelled   INTEGER NOT NULL,   -- of those that ended
    failed      INTEGER NOT NULL,   -- of those that ended: with another exception
    steps       INTEGER NOT NULL,   -- what a task runs between two suspensions
    life_ns     INTEGER NOT NULL,
    run_ns      INTEGER NOT NULL,
    awaited_ns  INTEGER NOT NULL,
    ready_ns    INTEGER NOT NULL,   -- what was awaited was there, and the loop was busy
    longest_step_ns INTEGER NOT NULL,
    longest_in  INTEGER NOT NULL,   -- function in which the longest step began; -1: none
    longest_at_line INTEGER NOT NULL
);

-- What tasks awaited at one place.
CREATE TABLE task_await (
    id          INTEGER PRIMARY KEY,
    task        INTEGER NOT NULL,   -- task.id
    function    INTEGER NOT NULL,   -- whose await it is
    line        INTEGER NOT NULL,
    awaited     INTEGER NOT NULL,   -- function; -1: a future itself
    thing       TEXT NOT NULL,      -- of a future itself: its type, or `task`
    times       INTEGER NOT NULL,
    awaited_ns  INTEGER NOT NULL,
    ready_ns    INTEGER NOT NULL,
    longest_ns  INTEGER NOT NULL
);

-- How often functions were seen in each of their lines while the time was their own; no rows when lines were not sampled.
CREATE TABLE line_sample (
    function INTEGER NOT NULL,
    line     INTEGER NOT NULL,      -- 0: not known
    samples  INTEGER NOT NULL
);

-- For SQL clients: SELECT * FROM hot_context LIMIT 20;
CREATE VIEW hot_context AS
    SELECT context.id, function.name, function.file, function.first_line, context.call_line,
           context.calls, context.self_ns, context.total_ns
    FROM context JOIN function ON function.id = context.function
    ORDER BY context.self_ns DESC, context.calls DESC;
