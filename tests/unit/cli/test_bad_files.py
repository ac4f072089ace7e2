"""Whatever lies where a profile should: every verb says what is wrong with it, at once, and has its exit code."""

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from changed_profiles import change_profile
from sonde.cli.main import main
from sonde.code import Function
from sonde.instruments.contexts.profile import ContextProfile, contexts_from_self, write_profile

VERBS = {
    "view X": 1,
    "view X --html out.html": 1,
    "view good.sonde X": 1,
    "diff X good.sonde": 2,
    "diff good.sonde X": 2,
    "diff good.sonde --against X": 2,
    "diff --accuracy X good.sonde": 2,
    "merge good.sonde X -o out.sonde": 1,
    "export X --to collapsed -o -": 1,
    "replay X": 1,
    "web X --no-open": 1,
    "bench show X": 1,
    "bench compare X X2": 2,
    "bench history X": 2,
    "bench import X": 1,
    "bench lint X": 1,
    "paths advise X": 1,
    "phases plan X": 1,
    "phases --times X app.py": 1,
    "decisions show X": 1,
    "decisions diff X X": 2,
}
"""Commands that read a file X, and the exit code when they cannot."""
PATIENCE_S = 300
"""After which something waits for a pipe that nobody writes into."""


@pytest.fixture(scope="module")
def bad(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a good profile and what is none."""
    folder = tmp_path_factory.mktemp("bad")
    tree = contexts_from_self(parent=[-1, 0], function=[0] * 2, call_line=[0] * 2, calls=[1] * 2, self_ns=[5] * 2)
    write_profile(folder / "good.sonde", ContextProfile((Function("f", "m", "m.py", 1),), tree))
    content = (folder / "good.sonde").read_bytes()
    (folder / "app.py").write_text("print('ran')\n")
    (folder / "empty").write_bytes(b"")
    (folder / "cut").write_bytes(content[: len(content) // 2])
    (folder / "text").write_text("no profile\n" * 50)
    (folder / "folder").mkdir()
    os.mkfifo(folder / "pipe")
    (folder / "circle").symlink_to("circle")
    for name, change in (
        ("newer", "UPDATE kind SET version = 99"),
        ("newer file", "PRAGMA user_version = 99"),
        ("unknown", "UPDATE kind SET name = 'auras', words = 'auras'"),
    ):
        shutil.copy(folder / "good.sonde", folder / name)
        change_profile(folder / name, change)
    flipped = bytearray(content)
    flipped[len(content) * 2 // 3] ^= 0xFF
    (folder / "flipped").write_bytes(flipped)
    return folder


@pytest.fixture
def bounded() -> Iterator[None]:
    before = signal.signal(signal.SIGALRM, lambda *_: pytest.fail("it waits"))
    signal.alarm(PATIENCE_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


SAID = {
    "empty": "empty",
    "cut": "",
    "flipped": "",
    "text": "",
    "folder": "",
    "pipe": "",
    "circle": "",
    "missing": "no such",
    "n" * 300: "File name too long",
    "newer": "newer-profile",
    "newer file": "newer-profile",
    "unknown": "'auras'",
}
PATIENT = "bench"
"""Verbs that wait two seconds for somebody to write into a pipe."""


@pytest.mark.usefixtures("bounded")
@pytest.mark.parametrize("name", SAID, ids=lambda name: name[:12])
def test_every_verb_says_what_is_wrong(
    name: str, bad: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(bad)
    found = {}
    for command, code in VERBS.items():
        if (name, command) == ("folder", "web X --no-open") or (name == "pipe" and command.startswith(PATIENT)):
            continue
        words = [name if word in ("X", "X2") else word for word in command.split()]
        if "X2" in command:
            words[-1] = "good.sonde"
        exited = main(words)
        said = capsys.readouterr()
        lines = said.err.splitlines()
        is_told = lines and lines[0].startswith("sonde: ") and name[:12] in said.err and "this is a bug" not in said.err
        if not is_told or exited not in (code, 2) or said.out:
            found[command] = (exited, said)
    assert found == {}
    assert not list(bad.glob("out.*"))


@pytest.mark.parametrize("name", ["newer", "newer file"])
def test_a_profile_of_a_newer_sonde_says_to_upgrade(
    name: str, bad: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(bad)
    for command in (
        "view X",
        "diff X good.sonde",
        "diff good.sonde --against X",
        "merge good.sonde X -o out.sonde",
        "export X --to pprof",
    ):
        assert main([name if word == "X" else word for word in command.split()]) in (1, 2)
        assert "newest known is" in (said := capsys.readouterr().err) and "hint: upgrade sonde" in said, command
