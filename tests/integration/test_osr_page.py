"""docs/osr.md is one program, and does what it says."""

import re
import shutil
from pathlib import Path

import pytest

from sonde import osr

_ROOT = Path(__file__).parents[2]
_PAGE = (_ROOT / "docs" / "osr.md").read_text(encoding="utf-8")


def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy(_ROOT / "examples" / "vm" / "isord.c", tmp_path)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", _PAGE, re.DOTALL):
        exec(block, names)
    ordered, rest = capsys.readouterr().out.split("\n", 1)
    assert ordered == "1"
    assert rest.startswith("1 ['define ")
    assert "@isord-osr.to(" in rest
    assert "call" not in rest


def test_the_page_has_every_reason() -> None:
    assert not [reason for reason in osr.REASONS if f"`{reason}`" not in _PAGE]
