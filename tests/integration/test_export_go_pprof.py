"""The pprof export, opened by pprof itself."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from sonde.formats import write_pprof
from sonde.instruments.contexts.profile import ContextProfile, Function, Loss, Run, contexts_from_self

pytestmark = [
    pytest.mark.skipif(shutil.which("go") is None, reason="needs Go, whose 'go tool pprof' is the oracle"),
    pytest.mark.sweep,  # Go compiles its tool first; `pprof_reader.py` reads what is written in every run
]

_PROFILE = ContextProfile(
    functions=(
        Function("main", "app", "app.py", 1),
        Function("work", "app", "app.py", 50),
        Function("naïve 名前", "other", "other.py", 7),
    ),
    contexts=contexts_from_self(
        parent=[-1, 0, 1, 0],
        function=[0, 1, 2, 2],
        call_line=[0, 3, 55, 4],
        calls=[1, 10, 100, 1000],
        self_ns=[1_000_000, 2_000_000, 3_000_000, 4_000_000],
    ),
    run=Run(clock="tsc", command=("app.py",), started_at="2026-01-02T03:04:05+00:00", duration_ns=20_000_000),
    losses=(Loss("contexts-not-stored", 3, "three were too many"),),
)


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    """A small profile as pprof reads it."""
    path = tmp_path / "run.pb.gz"
    with path.open("wb") as stream:
        write_pprof(_PROFILE, stream)
    return path


def _pprof(path: Path, *options: str) -> str:
    # pprof keeps a folder of its own under HOME.
    environment = {**os.environ, "PPROF_TMPDIR": str(path.parent)}
    done = subprocess.run(
        ["go", "tool", "pprof", *options, str(path)],
        capture_output=True,
        encoding="utf-8",
        env=environment,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _table(text: str) -> dict[str, list[str]]:
    """Rows of `-top`: name -> flat, flat%, sum%, cum, cum%."""
    rows = [line.split(None, 5) for line in text.split("cum%\n", 1)[1].splitlines()]
    return {row[5]: row[:5] for row in rows}


def test_top_shows_our_exclusive_and_inclusive_times(exported: Path) -> None:
    text = _pprof(exported, "-top", "-unit=ms")

    table = _table(text)
    assert "Type: time" in text
    assert "File: app.py" in text
    assert {name: (row[0], row[3]) for name, row in table.items()} == {
        "app.main": ("1ms", "10ms"),
        "app.work": ("2ms", "5ms"),
        "other.naïve 名前": ("7ms", "7ms"),
    }


def test_top_by_calls_counts_activations(exported: Path) -> None:
    table = _table(_pprof(exported, "-top", "-sample_index=calls"))

    assert {name: row[0] for name, row in table.items()} == {
        "app.main": "1",
        "app.work": "10",
        "other.naïve 名前": "1100",
    }


def test_raw_shows_call_lines_of_callers_and_definitions_of_leaves(exported: Path) -> None:
    text = _pprof(exported, "-raw")

    assert "calls/count time/nanoseconds[dflt]" in text
    assert all(place in text for place in ("app.main app.py:3", "app.work app.py:55", "other.py:7:0 s=7"))
    assert "Time: 2026-01-02 03:04:05 +0000 UTC" in text


def test_comments_carry_the_losses(exported: Path) -> None:
    assert "missing: contexts-not-stored: 3: three were too many" in _pprof(exported, "-comments")


def test_a_profile_compared_with_itself_differs_in_nothing(exported: Path) -> None:
    text = _pprof(exported, "-top", "-unit=ms", "-diff_base", str(exported))

    assert all(row[0] == "0" for row in _table(text).values())
