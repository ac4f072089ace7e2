"""What compares tells by its exit code whether it found a difference or could not look."""

from pathlib import Path

import pytest

from sonde.cli.main import main

COMPARING = (["diff"], ["bench", "compare"], ["bench", "history"], ["decisions", "diff"])


@pytest.mark.parametrize("words", COMPARING, ids=" ".join)
@pytest.mark.parametrize("content", [None, b"", b"SQLite format 3\0 and then nothing", b'{"benchmarks": 3'])
def test_files_that_cannot_be_read_are_no_difference(words: list[str], content: bytes | None, tmp_path: Path) -> None:
    paths = [tmp_path / "old.sonde", tmp_path / "new.sonde"]
    for path in paths:
        if content is not None:
            path.write_bytes(content)

    assert main([*words, *map(str, paths)]) == 2


def test_measurements_with_nothing_in_common_are_no_regression(tmp_path: Path) -> None:
    paths = [tmp_path / "old.csv", tmp_path / "new.csv"]
    for path, name in zip(paths, ("sort", "parse"), strict=True):
        path.write_text(f"benchmark,value\n{name},1\n")

    assert main(["bench", "compare", *map(str, paths)]) == 2


def test_a_regression_is_a_difference(tmp_path: Path) -> None:
    paths = [tmp_path / "old.csv", tmp_path / "new.csv"]
    for path, shift in zip(paths, (0.0, 5.0), strict=True):
        path.write_text("invocation,value\n" + "".join(f"{i},{10.0 + shift + i % 3 / 10}\n" for i in range(20)))

    assert main(["bench", "compare", *map(str, paths)]) == 1
    assert main(["bench", "compare", str(paths[0]), str(paths[0])]) == 0
