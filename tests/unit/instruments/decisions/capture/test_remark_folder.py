from pathlib import Path

import pytest

from sonde.instruments.decisions.capture.remark_folder import remark_file
from sonde.instruments.decisions.readers import RunPlace


@pytest.mark.parametrize(
    "source", ["a.c", "src/a.c", "../a.c", "/somewhere/.cache/a.c", ".hidden.c", "./.build/../.x/a.c", "...c", "...."]
)
def test_remarks_lie_where_a_run_is_read(source: str, tmp_path: Path) -> None:
    path = remark_file(tmp_path, source, set())
    path.write_text("--- !Passed\n")
    assert path in RunPlace(tmp_path).files


def test_two_sources_have_two_files_of_remarks(tmp_path: Path) -> None:
    taken: set[Path] = set()
    made = [remark_file(tmp_path, source, taken) for source in ("x/a.c", ".x/a.c", "x/a.cc", "x/a.c")]
    assert len(set(made)) == len(made)
