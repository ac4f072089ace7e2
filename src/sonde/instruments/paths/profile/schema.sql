-- Paths of routines. Documented in docs/paths.md. Facts are in `meta`: command, k, floor.

CREATE TABLE routine (
    id          INTEGER PRIMARY KEY,
    name        TEXT NOT NULL,
    file        TEXT NOT NULL,
    first_line  INTEGER NOT NULL,
    language    TEXT NOT NULL,
    library     TEXT NOT NULL,
    activations INTEGER NOT NULL
);

-- The control-flow graph of a routine, where it is known. Lists of numbers have blanks between them.
CREATE TABLE block (
    routine    INTEGER NOT NULL,    -- routine.id
    block      INTEGER NOT NULL,    -- 0: the entry
    lines      TEXT NOT NULL,       -- of the routine's file, in order
    successors TEXT NOT NULL,       -- blocks that may follow
    handlers   TEXT NOT NULL,       -- those of them that only exceptions lead to
    inlined    TEXT NOT NULL,       -- functions whose code is in the block, a line each
    PRIMARY KEY (routine, block)
) WITHOUT ROWID;

-- The way of each path that was taken.
CREATE TABLE path (
    routine  INTEGER NOT NULL,      -- routine.id
    path     INTEGER NOT NULL,      -- as in `sequence`
    blocks   TEXT NOT NULL,         -- that it goes through
    leads_to INTEGER,               -- block that its last edge leads to, if that ends it: there the next path begins
    PRIMARY KEY (routine, path)
) WITHOUT ROWID;

-- A row for each sequence of up to k paths: that of its parent, and one more path. Depth first, siblings by path
-- (as an unsigned number).
CREATE TABLE sequence (
    id      INTEGER PRIMARY KEY,
    routine INTEGER NOT NULL,       -- routine.id
    parent  INTEGER,                -- sequence.id; NULL: it is one path
    path    INTEGER NOT NULL,       -- id of its last path, 64 bits in two's complement
    count   INTEGER NOT NULL        -- times taken
);
