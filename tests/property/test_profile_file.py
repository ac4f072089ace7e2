"""A profile file gives back what was put in, and says so when it cannot."""

import contextlib
import random
import sqlite3
import tempfile
from pathlib import Path

import pytest
from hypothesis import given

from changed_profiles import change_profile
from example_counts import examples
from sonde.base.errors import InputError, SondeError
from sonde.instruments.contexts.profile import (
    ContextProfile,
    Function,
    Run,
    contexts_from_self,
    read_profile,
    write_profile,
)
from strategies import profiles

TRUNCATIONS = 60


@examples(0.6)
@given(profiles(approximate=True))
def test_what_is_written_is_read_back(profile: ContextProfile) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.sonde"
        write_profile(path, profile)

        assert read_profile(path) == profile


@examples(0.6)
@given(profiles(pruned=False, approximate=True))
def test_reading_the_heaviest_contexts_gives_a_tree_with_the_same_totals(profile: ContextProfile) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.sonde"
        write_profile(path, profile)

        for heaviest in (0, 1, 3):
            part = read_profile(path, heaviest=heaviest)

            part.check_valid()
            assert len(part.contexts) == min(heaviest, len(profile.contexts))
            assert (part.total_calls, part.total_ns) == (profile.total_calls, profile.total_ns)


@pytest.mark.parametrize(
    "bounds",
    [
        '{"metric": "bytes", "phi": 0.1, "epsilon": 0.02, "floor": 1, "counters": 50}',
        '{"metric": "calls", "phi": 0, "epsilon": 0.02, "floor": 1, "counters": 50}',
        '{"metric": "calls", "phi": 0.1, "epsilon": 0.02, "floor": -1, "counters": 50}',
        '{"metric": "calls", "phi": 0.1, "epsilon": 0.02, "floor": 1, "counters": "many"}',
        '{"metric": "calls"}',
        "7",
    ],
)
def test_bounds_that_make_no_sense_are_refused(bounds: str, written: Path) -> None:
    change_profile(written, "UPDATE meta SET value = ? WHERE key = 'approximation'", values=(bounds,))

    with pytest.raises(InputError, match="cannot read '"):
        read_profile(written)


@pytest.fixture
def written(tmp_path: Path) -> Path:
    rows = 3000
    tree = contexts_from_self(
        parent=[-1, *((row - 1) // 2 for row in range(1, rows))],
        function=[row % 40 for row in range(rows)],
        call_line=[1] * rows,
        calls=[2] * rows,
        self_ns=range(rows),
    )
    functions = tuple(Function(f"f{i}", "m", "m.py", i) for i in range(40))
    path = tmp_path / "run.sonde"
    write_profile(path, ContextProfile(functions, tree, run=Run(clock="tsc")))
    return path


def test_a_truncated_file_is_refused(written: Path) -> None:
    whole = written.read_bytes()
    draw = random.Random(0)
    for size in [0, 1, 15, 16, 99, 100, *(draw.randrange(len(whole)) for _ in range(TRUNCATIONS))]:
        written.write_bytes(whole[:size])

        with pytest.raises(InputError, match="cannot read '"):
            read_profile(written)


def test_a_damaged_file_is_refused(written: Path) -> None:
    whole = written.read_bytes()
    draw = random.Random(1)
    for _ in range(TRUNCATIONS):
        damaged = bytearray(whole)
        for at in draw.sample(range(len(damaged)), draw.choice((1, 20, 400))):
            damaged[at] ^= draw.randrange(1, 256)
        written.write_bytes(damaged)

        for heaviest in (None, 100):
            with pytest.raises(InputError, match="cannot read '"):
                read_profile(written, heaviest=heaviest)


def test_a_damaged_file_without_a_digest_is_refused_or_gives_a_profile_but_nothing_else(written: Path) -> None:
    change_profile(written)
    whole = written.read_bytes()
    draw = random.Random(1)
    for _ in range(TRUNCATIONS):
        damaged = bytearray(whole)
        for _ in range(draw.choice((1, 20, 400))):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        written.write_bytes(damaged)

        for heaviest in (None, 100):
            with contextlib.suppress(InputError):
                read_profile(written, heaviest=heaviest)


def test_a_file_from_before_there_were_digests_is_read(written: Path) -> None:
    before = read_profile(written)
    change_profile(written)

    assert read_profile(written) == before


def test_a_file_that_was_changed_with_right_structure_is_refused(written: Path) -> None:
    with contextlib.closing(sqlite3.connect(written)) as db:
        db.execute("UPDATE context SET calls = calls + 1, total_calls = total_calls + 1 WHERE parent IS NULL")
        db.commit()

    with pytest.raises(InputError, match="do not match its digest") as caught:
        read_profile(written)
    assert caught.value.slug == "corrupt-profile"


@pytest.mark.parametrize("change", ["parent = 3 WHERE id = 2", "parent = 2 WHERE id = 2", "parent = 99 WHERE id = 2"])
def test_contexts_that_do_not_stand_behind_their_callers_are_refused(change: str, tmp_path: Path) -> None:
    path = tmp_path / "run.sonde"
    tree = contexts_from_self(parent=[-1, 0, 0], function=[0] * 3, call_line=[0] * 3, calls=[1] * 3, self_ns=[1] * 3)
    write_profile(path, ContextProfile((Function("f", "m", "m.py", 1),), tree))
    change_profile(path, f"UPDATE context SET {change}")
    with pytest.raises(SondeError) as caught:
        read_profile(path)
    assert caught.value.slug == "corrupt-profile"


def test_a_newer_file_says_to_upgrade(written: Path) -> None:
    with contextlib.closing(sqlite3.connect(written)) as db:
        db.execute("PRAGMA user_version = 99")
        db.commit()

    with pytest.raises(InputError, match="it is a file of version 99, newest known is 4") as caught:
        read_profile(written)
    assert "upgrade" in str(caught.value.hint)


@pytest.mark.parametrize("what", ["folder", "text", "another database", "missing"])
def test_what_is_no_profile_is_called_so(what: str, tmp_path: Path) -> None:
    path = tmp_path / "thing.sonde"
    if what == "folder":
        path.mkdir()
    elif what == "text":
        path.write_text("not a database, but longer than a header of one " * 10)
    elif what == "another database":
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.execute("CREATE TABLE t (x)")

    with pytest.raises(InputError, match="cannot read '"):
        read_profile(path)


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    folder.chmod(0o500)
    profile = ContextProfile((), contexts_from_self(parent=[], function=[], call_line=[], calls=[], self_ns=[]))
    path = folder / "no" / "run.sonde"

    with pytest.raises(SondeError, match="cannot write '"):
        write_profile(path, profile)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("change", ["function = 1", "function = -1", "line = -1", "samples = 0"])
def test_samples_of_lines_that_make_no_sense_are_refused(change: str, tmp_path: Path) -> None:
    path, function = tmp_path / "run.sonde", Function("f", "m", "m.py", 1)
    tree = contexts_from_self(parent=[-1], function=[0], call_line=[0], calls=[1], self_ns=[1])
    write_profile(path, ContextProfile((function,), tree, line_samples={function: {2: 3}}))
    change_profile(path, f"UPDATE line_sample SET {change}")
    with pytest.raises(SondeError) as caught:
        read_profile(path)
    assert caught.value.slug == "corrupt-profile"
