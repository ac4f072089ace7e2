"""The line on the terminal while a program runs under the tool."""

import io
from pathlib import Path

import pytest

from fake_terminal import TerminalText
from sonde.instruments.memory.verb.progress import MemoryProgress


def test_only_a_terminal_sees_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert MemoryProgress(tmp_path / "record", io.StringIO()).chore() is None
    assert MemoryProgress(tmp_path / "record", TerminalText()).chore() is not None


def test_nothing_is_shown_before_there_is_a_record(tmp_path: Path) -> None:
    terminal = TerminalText()
    progress = MemoryProgress(tmp_path / "record", terminal)
    chore = progress.chore()
    assert chore is not None
    chore.do()
    (tmp_path / "record").write_text("sonde-memory\t1\n", encoding="utf-8")
    chore.do()
    progress.close()
    assert terminal.getvalue() == ""


def test_accesses_so_far_are_shown_and_wiped_away(tmp_path: Path) -> None:
    terminal = TerminalText()
    progress = MemoryProgress(tmp_path / "record", terminal)
    chore = progress.chore()
    assert chore is not None
    (tmp_path / "record").write_text("sonde-memory\t1\ntotal\tclock\t2700000000\nend\n", encoding="utf-8")
    chore.do()
    assert "sonde: 2.7 billion accesses so far" in terminal.getvalue()
    shown = len(terminal.getvalue())
    chore.do()  # the same record: nothing new to say
    assert len(terminal.getvalue()) == shown
    progress.close()
    assert terminal.getvalue()[shown:] == "\r\x1b[K"
