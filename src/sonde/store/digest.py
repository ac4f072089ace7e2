"""The digest of a file, by which damage is noticed.

SQLite looks at the structure of a file, not at its values: a flipped bit in a count is another count. So the table
`digest`, which is made last, has one row with one value, and lies on the last page, where the file ends: the last 16
bytes are the BLAKE2b digest of all bytes before them. Files without that table are not checked: they are older, or a
run still adds to them, or somebody changed them on purpose.
"""

import sqlite3
from hashlib import blake2b
from pathlib import Path

from sonde.base.errors import InternalError

_SIZE_BYTES = 16
_PLACE = b"of all before it"
"""Stands where the digest will."""
_CHUNK_BYTES = 1 << 20


def make_room(db: sqlite3.Connection) -> None:
    """Add the table on the last page, when nothing else will be added any more."""
    assert len(_PLACE) == _SIZE_BYTES
    spare: list[str] = []
    while True:
        db.execute("CREATE TABLE digest (value BLOB NOT NULL)")
        (root,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'digest'").fetchone()
        if (root,) == db.execute("PRAGMA page_count").fetchone():
            break
        # It got a page that was free, or the table of tables grew by a page after it did: the next one may do.
        spare.append(f"digest_{len(spare)}")
        db.execute(f"ALTER TABLE digest RENAME TO {spare[-1]}")
    for each in spare:
        db.execute(f"DROP TABLE {each}")
    db.execute("INSERT INTO digest VALUES (?)", (_PLACE,))


def seal(path: Path) -> None:
    """Write the digest of a file that is whole into the room that was made for it.

    Raises:
        InternalError: the room is not at the end of the file.
        OSError: the file cannot be written.
    """
    digest, end = _digest_and_end(path)
    if end != _PLACE:
        raise InternalError(f"cannot seal '{path}': it does not end with its digest", slug="bug")
    with path.open("r+b") as file:
        file.seek(-_SIZE_BYTES, 2)
        file.write(digest)


def is_intact(path: Path, db: sqlite3.Connection) -> bool:
    """Whether a file is as it was written, as far as it says how it was.

    Cost: reading the file once, some 40 ms for the 50 MB of a million contexts.
    """
    if not db.execute("SELECT 1 FROM sqlite_schema WHERE 'digest' IN (name, tbl_name)").fetchone():
        return True
    values = db.execute("SELECT value FROM digest").fetchall()
    if values == [(_PLACE,)]:  # whoever was to write it was killed
        return True
    digest, end = _digest_and_end(path)
    return values == [(digest,)] and digest == end


def _digest_and_end(path: Path) -> tuple[bytes, bytes]:
    """The digest of all but the last bytes of a file, and these."""
    digest = blake2b(digest_size=_SIZE_BYTES)
    left = path.stat().st_size - _SIZE_BYTES
    with path.open("rb") as file:
        while left > 0 and (chunk := file.read(min(left, _CHUNK_BYTES))):
            digest.update(chunk)
            left -= len(chunk)
        return digest.digest(), file.read()
