"""Profile files leave nothing behind that is half written."""

from pathlib import Path

import pytest

from sonde.errors import SondeError
from sonde.profiles.database import DatabaseWriter


def test_a_file_that_cannot_be_begun_leaves_nothing(tmp_path: Path) -> None:
    schema = tmp_path / "schema.sql"
    schema.write_text("CREATE TABLE meta (key TEXT);\nCREATE TABLE meta (key TEXT);", encoding="utf-8")
    with pytest.raises(SondeError) as caught:
        DatabaseWriter(tmp_path / "run.sonde", "memory", schema)
    assert caught.value.slug == "cannot-write"
    assert list(tmp_path.iterdir()) == [schema]
