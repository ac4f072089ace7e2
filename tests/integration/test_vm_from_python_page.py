"""docs/vm-from-python.md is one program, and does what it says."""

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "vm-from-python.md").read_text()
PROGRAM = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
(SUMS_C,) = re.findall(r"```c\n(.*?)```", PAGE, re.DOTALL)


def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "sums.c").write_text(SUMS_C)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    printed = []
    for block in PROGRAM:
        exec(block, names)
        printed.append(capsys.readouterr().out.splitlines())
    called, pointed, optimised, changed, counted, twice, end = printed
    assert called == ["4 i64"]
    assert pointed == ["12"]
    assert optimised[-1] == "12"
    assert [line.split()[0] for line in optimised[1:-1]] == ["base", "tidy"]
    assert changed == end == []
    assert counted[0] == "12"
    # The loop's head runs once more than its body, and two of four values are positive.
    counts = sorted(int(line.split()[1]) for line in counted[1:])
    assert counts[-1] == 5
    assert counts.count(4) >= 1
    assert 2 in counts
    assert twice == ["42"]
