"""Profile files that somebody changed, as sonde finds them when nothing tells it so: without their digest."""

import contextlib
import sqlite3
from pathlib import Path


def change_profile(path: Path, *statements: str, values: tuple[str, ...] = ()) -> None:
    """Run SQL on a profile; what sonde finds wrong with the result is not that it was changed.

    Args:
        values: of the placeholders of each statement.
    """
    with contextlib.closing(sqlite3.connect(path)) as db:
        for statement in statements:
            db.execute(statement, values)
        db.execute("DROP TABLE digest")
        db.commit()
