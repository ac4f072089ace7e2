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

-- Lines of the function's file that a path comes by, in order, where they are known.
CREATE TABLE path (
    routine INTEGER NOT NULL,       -- routine.id
    path    INTEGER NOT NULL,       -- as in `sequence`
    lines   TEXT NOT NULL,          -- with blanks between them
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
