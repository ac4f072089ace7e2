-- Tables of profiles of memory accesses, version 2. Documented in docs/memory-profile.md.
-- misses1 .. misses3 are of the data levels (D1, L2, L3); NULL where there is no such level.

-- The simulated caches: I1 first, then the data levels, nearest first.
CREATE TABLE cache (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    ways       INTEGER NOT NULL,
    line_bytes INTEGER NOT NULL
);

-- Sums over the whole window, by name.
CREATE TABLE total (
    id    INTEGER PRIMARY KEY,
    key   TEXT NOT NULL,
    value INTEGER NOT NULL
);

CREATE TABLE function (
    id         INTEGER PRIMARY KEY,
    language   TEXT NOT NULL,       -- python, native, jit
    name       TEXT NOT NULL,
    file       TEXT NOT NULL,       -- empty when unknown
    first_line INTEGER NOT NULL,    -- 0 when unknown
    library    TEXT NOT NULL        -- executable or shared library of native code
);

-- Places of code: a place is all frames with its number, depth 0 is the innermost, others it was inlined into.
CREATE TABLE frame (
    place    INTEGER NOT NULL,
    depth    INTEGER NOT NULL,
    function INTEGER NOT NULL,
    line     INTEGER NOT NULL,      -- 0 when unknown
    PRIMARY KEY (place, depth)
) WITHOUT ROWID;

-- What each Python line did while it ran, in whatever code.
CREATE TABLE python_line (
    id      INTEGER PRIMARY KEY,
    place   INTEGER NOT NULL,
    loads   INTEGER NOT NULL,       -- data accesses, including those that load and store
    stores  INTEGER NOT NULL,
    misses1 INTEGER, misses2 INTEGER, misses3 INTEGER
);

-- What each place of machine code did: all accesses of the window.
CREATE TABLE native_line (
    id            INTEGER PRIMARY KEY,
    place         INTEGER NOT NULL,
    loads         INTEGER NOT NULL,
    stores        INTEGER NOT NULL,
    misses1 INTEGER, misses2 INTEGER, misses3 INTEGER,
    instructions  INTEGER NOT NULL, -- executed
    fetch_misses1 INTEGER, fetch_misses2 INTEGER, fetch_misses3 INTEGER -- of I1 and the levels behind it
);

-- Classes of objects, blocks without a type, and regions.
CREATE TABLE type (
    id   INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,             -- object, block, stack, frames, global, heap, mapping, code, unknown
    name TEXT NOT NULL
);

-- All objects of one type that one place made; or one region. All accesses of the window.
CREATE TABLE class (
    id             INTEGER PRIMARY KEY,
    type           INTEGER NOT NULL,
    site           INTEGER,         -- place that made them; NULL: it is a region, or they were there before
    born           INTEGER NOT NULL, -- in a window, likewise the next two
    freed          INTEGER NOT NULL,
    size_bytes     INTEGER NOT NULL,
    accesses       INTEGER NOT NULL,
    misses1 INTEGER, misses2 INTEGER, misses3 INTEGER,
    lifetime_total INTEGER NOT NULL -- sum over the objects, in data accesses
);

-- How many objects of a class were in use for how long: bin 0 never, bin b at least 2^(b-1), less than 2^b accesses.
CREATE TABLE lifetime (
    class   INTEGER NOT NULL,
    bin     INTEGER NOT NULL,
    objects INTEGER NOT NULL,
    PRIMARY KEY (class, bin)
) WITHOUT ROWID;

-- Misses of a place (of Python where a Python line ran, else of machine code) on a type, and how many of a sample of
-- accesses, whose size is the total 'sampled', it has.
CREATE TABLE line_type (
    id      INTEGER PRIMARY KEY,
    place   INTEGER NOT NULL,
    type    INTEGER NOT NULL,
    misses1 INTEGER, misses2 INTEGER, misses3 INTEGER,
    sampled_loads  INTEGER NOT NULL,
    sampled_stores INTEGER NOT NULL
);

-- Likewise of the words of objects: which part of those of a type misses. What is counted of a type is at most what all
-- places have of it.
CREATE TABLE field (
    id         INTEGER PRIMARY KEY,
    type       INTEGER NOT NULL,
    site       INTEGER,             -- of blocks of malloc and new, the place that made them; NULL: all of the type
    offset     INTEGER NOT NULL,    -- from the reference count on, or from the beginning of a block
    size_bytes INTEGER,             -- NULL: all that is behind
    name       TEXT NOT NULL,       -- empty when unknown
    misses1 INTEGER, misses2 INTEGER, misses3 INTEGER,
    sampled_loads  INTEGER NOT NULL,
    sampled_stores INTEGER NOT NULL
);

-- The objects with the most misses, at most 1,000.
CREATE TABLE object (
    id         INTEGER PRIMARY KEY,
    type       INTEGER NOT NULL,
    site       INTEGER,
    number     INTEGER NOT NULL,    -- how many were born before it, and itself
    birth      INTEGER NOT NULL,    -- data accesses that had been made
    last_use   INTEGER NOT NULL,
    size_bytes INTEGER NOT NULL,
    accesses   INTEGER NOT NULL,
    misses1 INTEGER, misses2 INTEGER, misses3 INTEGER,
    alive      INTEGER NOT NULL     -- 1: it was not freed
);

-- Which Python functions called which: all accesses of the window, each in one of them.
CREATE TABLE context (
    id       INTEGER PRIMARY KEY,
    parent   INTEGER,               -- context of the caller, with a smaller id; NULL: the outermost
    function INTEGER,               -- NULL: while no Python function ran
    accesses INTEGER NOT NULL,      -- its own, likewise the misses: without the contexts below it
    misses1 INTEGER, misses2 INTEGER, misses3 INTEGER
);

-- Garbage collections.
CREATE TABLE collection (
    generation INTEGER PRIMARY KEY,
    count      INTEGER NOT NULL,
    accesses   INTEGER NOT NULL     -- made by them
);

-- Lines of 64 bytes that threads share, at most 200; those first that may be passed on most often.
CREATE TABLE shared_line (
    id             INTEGER PRIMARY KEY,
    transfers      INTEGER NOT NULL, -- accesses behind another thread's store, in the order in which threads ran
    most_transfers INTEGER NOT NULL, -- the same in any order
    most_same      INTEGER NOT NULL  -- of these, behind stores into bytes that the other thread accesses
);

-- What a thread did to such a line from one place, on objects of one class.
CREATE TABLE shared_use (
    id     INTEGER PRIMARY KEY,
    line   INTEGER NOT NULL,
    thread INTEGER NOT NULL,        -- the program's first is 1
    place  INTEGER NOT NULL,
    type   INTEGER NOT NULL,
    site   INTEGER,
    offset INTEGER,                 -- of the line in the object; below 0: the object begins in it; NULL: a region
    loads  INTEGER NOT NULL,
    stores INTEGER NOT NULL,
    loaded TEXT NOT NULL,           -- bytes of the line, in hexadecimal, the lowest bit for the first
    stored TEXT NOT NULL
);

-- For SQL clients: SELECT * FROM hot_line LIMIT 20;
CREATE VIEW hot_line AS
    SELECT function.language, function.file, frame.line, function.name, counted.loads + counted.stores AS accesses,
           counted.misses1, counted.misses2, counted.misses3
    FROM (SELECT place, loads, stores, misses1, misses2, misses3 FROM python_line
          UNION ALL SELECT place, loads, stores, misses1, misses2, misses3 FROM native_line) AS counted
    JOIN frame ON frame.place = counted.place AND frame.depth = 0
    JOIN function ON function.id = frame.function
    ORDER BY counted.misses1 DESC, accesses DESC;

CREATE VIEW hot_type AS
    SELECT type.kind, type.name, sum(class.accesses) AS accesses, sum(class.misses1) AS misses1,
           sum(class.misses2) AS misses2, sum(class.misses3) AS misses3, sum(class.born) AS born,
           sum(class.size_bytes) AS size_bytes
    FROM class JOIN type ON type.id = class.type
    GROUP BY type.id
    ORDER BY 4 DESC, 3 DESC;

CREATE VIEW hot_site AS
    SELECT type.name AS type, function.file, frame.line, function.name, class.born, class.freed, class.size_bytes,
           class.accesses, class.misses1, class.misses2, class.misses3
    FROM class
    JOIN type ON type.id = class.type
    JOIN frame ON frame.place = class.site AND frame.depth = 0
    JOIN function ON function.id = frame.function
    ORDER BY class.misses1 DESC, class.accesses DESC;

CREATE VIEW hot_field AS
    SELECT type.kind, type.name AS type, field.offset, field.size_bytes, field.name, function.file, frame.line,
           field.misses1, field.misses2, field.misses3
    FROM field
    JOIN type ON type.id = field.type
    LEFT JOIN frame ON frame.place = field.site AND frame.depth = 0
    LEFT JOIN function ON function.id = frame.function
    ORDER BY field.misses1 DESC, field.sampled_loads + field.sampled_stores DESC;

-- Each context with all below it. Costs contexts times depth.
CREATE VIEW hot_context AS
    WITH RECURSIVE
    below(id, ancestor) AS (
        SELECT id, id FROM context
        UNION ALL SELECT below.id, context.parent FROM below JOIN context ON context.id = below.ancestor
        WHERE context.parent IS NOT NULL
    )
    SELECT ancestor AS context, function.name, function.file, caller.name AS caller, own.accesses AS own_accesses,
           sum(context.accesses) AS accesses, sum(context.misses1) AS misses1, sum(context.misses2) AS misses2,
           sum(context.misses3) AS misses3
    FROM below
    JOIN context ON context.id = below.id
    JOIN context AS own ON own.id = ancestor
    LEFT JOIN function ON function.id = own.function
    LEFT JOIN context AS above ON above.id = own.parent
    LEFT JOIN function AS caller ON caller.id = above.function
    GROUP BY ancestor
    ORDER BY misses1 DESC, accesses DESC;

-- `accesses` is estimated, from the sample.
CREATE VIEW hot_line_type AS
    SELECT function.language, function.file, frame.line, function.name, type.kind, type.name AS type,
           line_type.misses1, line_type.misses2, line_type.misses3,
           (line_type.sampled_loads + line_type.sampled_stores)
               * (SELECT sum(value) FROM total WHERE key IN ('loads', 'stores'))
               / (SELECT value FROM total WHERE key = 'sampled' AND value) AS accesses
    FROM line_type
    JOIN type ON type.id = line_type.type
    JOIN frame ON frame.place = line_type.place AND frame.depth = 0
    JOIN function ON function.id = frame.function
    ORDER BY line_type.misses1 DESC, accesses DESC;
