-- What every .sonde file has, whatever its kind. Documented in docs/profile-file.md.
-- application_id is 0x536F6E64 ("Sond"); user_version is 4. The table `digest` is made last, see digest.py.

-- One row: what the file holds, and which version of the tables of that kind.
CREATE TABLE kind (
    name    TEXT NOT NULL,
    words   TEXT NOT NULL,
    version INTEGER NOT NULL,
    sonde   TEXT NOT NULL           -- version of the program that wrote it
);

-- Facts, as JSON.
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- What the file does not hold.
CREATE TABLE loss (
    id     INTEGER PRIMARY KEY,
    kind   TEXT NOT NULL,
    amount INTEGER NOT NULL,
    detail TEXT NOT NULL
);

-- Source files, as they were when the run ended.
CREATE TABLE source (
    file TEXT PRIMARY KEY,
    text BLOB NOT NULL              -- zlib-compressed UTF-8
);
