"""Results that are packed: unpacked by what this Python has, and said where it has not."""

import lzma
import sys
from pathlib import Path

import pytest

from sonde.base.errors import InputError
from sonde.instruments.bench.readers.reader import InputFile


def test_results_that_are_packed_by_xz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.xz").write_bytes(lzma.compress(b"text"))
    assert InputFile(tmp_path / "a.xz").content == b"text"
    monkeypatch.setitem(sys.modules, "lzma", None)
    with pytest.raises(InputError, match="built without lzma"):
        _ = InputFile(tmp_path / "a.xz").content
