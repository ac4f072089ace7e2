"""The folder of a run of `sonde memory`: what is left in it is recovered, or thrown away when that is asked for."""

import fcntl
import json
from pathlib import Path

import pytest

from made_memory_profiles import D1, I1, Accesses, made_profile
from memory_records import record_lines
from sonde.base.errors import InputError, UsageError
from sonde.cli.kinds import resolve_profile
from sonde.code import plain_function
from sonde.instruments.memory.profile import read_memory_profile
from sonde.instruments.memory.profile.latencies import Latencies
from sonde.instruments.memory.profile.memory_profile import MemoryProfile, MemoryType
from sonde.instruments.memory.verb.folder import memory_folder
from sonde.store.recovery import kind_of_run
from sonde.store.run_folder import live_folder

WALK = plain_function("native", "walk", "/src/walk.c", 1, "")
ROW = Accesses(None, ((WALK, 2),), MemoryType("global", "cells"), None, 20, 10, (4,))


def record_of(profile: MemoryProfile) -> str:
    return "\n".join([*record_lines(profile), ""])


SMALL = record_of(made_profile([ROW], caches=(I1, D1)))
EMPTY = record_of(made_profile([], caches=(I1, D1)))
ABOUT = {"command": ["./walk", "-v"], "tool": "valgrind 3.19.0, sonde's tool", "spare": "", "started_at": 0.0}


def left_behind(folder: Path, about: object = ABOUT, record: str = SMALL) -> Path:
    """What is there when sonde was killed; the output that was asked for."""
    output = folder / "run.sonde"
    live_folder(output).mkdir()
    (live_folder(output) / "memory-run.json").write_text(json.dumps(about), encoding="utf-8")
    if record:
        (live_folder(output) / "record").write_text(record, encoding="utf-8")
    return output


def test_a_run_is_recovered_with_what_is_known_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = left_behind(tmp_path)
    assert resolve_profile(output) == output
    run = read_memory_profile(output).run
    assert (run.command, run.tool, run.ended, run.complete) == (("./walk", "-v"), ABOUT["tool"], "cut off", False)
    assert run.started_at == "1970-01-01T00:00:00.000+00:00"
    assert not live_folder(output).exists()
    assert "recovered what it had counted" in capsys.readouterr().err


@pytest.mark.parametrize(("cycles", "known"), [([5, 90], Latencies((5, 90), "measured")), ([5, 20, 90], None)])
def test_a_recovered_run_has_the_latencies_of_its_machine(
    tmp_path: Path, cycles: list[int], known: Latencies | None
) -> None:
    output = left_behind(tmp_path, {**ABOUT, "latencies": {"cycles": cycles, "source": "measured"}})
    resolve_profile(output)
    assert read_memory_profile(output).measured_latencies == known


@pytest.mark.parametrize("about", [None, [], {}, {**ABOUT, "command": 5}, {**ABOUT, "started_at": 1e300}, "x"])
def test_damage_to_what_is_known_of_a_run_does_not_keep_its_record_from_being_read(
    tmp_path: Path, about: object
) -> None:
    output = left_behind(tmp_path, about)
    resolve_profile(output)
    assert read_memory_profile(output).run.command == ()


def test_the_record_in_the_spare_folder_is_the_newer_one_and_nothing_else_in_it_is_touched(tmp_path: Path) -> None:
    spare = tmp_path / "spare"
    spare.mkdir()
    (spare / "record").write_text(SMALL, encoding="utf-8")
    (spare / "mine").touch()
    output = left_behind(tmp_path, {**ABOUT, "spare": str(spare)}, record="")
    resolve_profile(output)
    assert [path.name for path in spare.iterdir()] == ["mine"]


def test_a_run_that_somebody_holds_goes_on(tmp_path: Path) -> None:
    output = left_behind(tmp_path)
    folder = live_folder(output)
    with (folder / "lock").open("wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        snapshot = resolve_profile(output)
        assert read_memory_profile(snapshot).run.ended == "still running"
        with pytest.raises(UsageError, match="goes on"), memory_folder(output, (), "", force=True):
            pass
    assert not output.exists() and kind_of_run(folder) == "memory"


@pytest.mark.parametrize("record", ["", EMPTY], ids=["no record", "no accesses"])
def test_nothing_to_recover(tmp_path: Path, record: str) -> None:
    output = left_behind(tmp_path, record=record)
    with pytest.raises(InputError) as caught:
        resolve_profile(output)
    assert caught.value.slug == "nothing-to-recover"
    assert live_folder(output).exists()


def test_an_older_profile_is_replaced_by_what_is_recovered(tmp_path: Path) -> None:
    output = left_behind(tmp_path)
    output.write_text("older", encoding="utf-8")
    assert resolve_profile(output) == output
    assert read_memory_profile(output).run.ended == "cut off"


def test_an_older_profile_is_shown_while_there_is_nothing_newer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = left_behind(tmp_path, record="")
    output.write_text("older", encoding="utf-8")
    folder = live_folder(output)
    assert resolve_profile(output) == output
    with (folder / "lock").open("wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert resolve_profile(output) == output
    assert output.read_text(encoding="utf-8") == "older"
    nothing, goes_on = (line for line in capsys.readouterr().err.splitlines() if "of an earlier run" in line)
    assert "has written no record" in nothing and "still goes on" in goes_on


def test_what_is_left_is_thrown_away_when_that_is_asked_for(tmp_path: Path) -> None:
    output = left_behind(tmp_path)
    with pytest.raises(UsageError, match="cut off"), memory_folder(output, (), "", force=False):
        pass
    with memory_folder(output, ("new",), "tool", force=True) as folder:
        assert folder.path == live_folder(output) and not (folder.path / "record").exists()
        assert folder.spare is not None and folder.spare.is_dir()
    assert not folder.path.exists() and not folder.spare.exists()


def test_without_an_output_the_folder_is_a_temporary_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with memory_folder(None, (), "", force=False) as folder:
        assert folder.path.parent == tmp_path and folder.spare is None
    assert list(tmp_path.iterdir()) == []
