"""What `sonde doctor` says of memory profiles."""

from pathlib import Path

import pytest

from fake_valgrind import fake_machine
from sonde.cli.doctor import _memory


def test_all_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_machine(tmp_path, monkeypatch)
    finding = _memory()
    assert (finding.verdict, finding.cure) == ("ok", "")
    assert finding.fact == "valgrind 3.19.0 and cc 1.0 for sonde memory"


def test_no_valgrind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_machine(tmp_path, monkeypatch)
    monkeypatch.setenv("PATH", str(tmp_path))
    finding = _memory()
    assert finding.verdict == "limited"
    assert "no 'valgrind' on PATH" in finding.fact and finding.fact.endswith("only sonde memory needs it")
    assert finding.cure == "install it: apt-get install valgrind"


def test_a_valgrind_without_libraries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = fake_machine(tmp_path, monkeypatch)
    (machine.prefix / "lib/valgrind/libvex-amd64-linux.a").unlink()
    finding = _memory()
    assert finding.verdict == "limited" and "libvex-amd64-linux.a" in finding.fact and finding.cure
