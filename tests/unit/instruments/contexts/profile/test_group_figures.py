"""What runs took by function, read from files: as the sums over whole profiles have it."""

from dataclasses import replace
from pathlib import Path

import pytest

from made_approximations import bounded
from sonde.base.errors import InputError, UsageError
from sonde.code import CodeSelection, Function
from sonde.groups import GroupFigures
from sonde.instruments.contexts.profile import write_profile
from sonde.instruments.contexts.profile.comparison.group_figures import read_figures
from tree_builder import profile_of

BASE = "main 10\n  parse @101 20\n    token @201 500 x1000\n    parse @9 7\n  token @102 470 x3"


def files(folder: Path, *outlines: str, clock: str = "tsc") -> list[Path]:
    paths = [folder / f"{number}.sonde" for number in range(len(outlines))]
    for path, outline in zip(paths, outlines, strict=True):
        write_profile(path, profile_of(outline, clock=clock))
    return paths


def by_name(figures: GroupFigures) -> dict[str, float]:
    run = figures.runs[0]
    return {function.name: value for function, value in zip(run.functions, run.own, strict=True)}


def test_values_are_summed_over_all_contexts_of_a_function(tmp_path: Path) -> None:
    paths = files(tmp_path, BASE)

    times, calls, shares = (
        read_figures(paths),
        read_figures(paths, metric="calls"),
        read_figures(paths, normalise="total"),
    )

    assert by_name(times) == {"main": 10, "parse": 27, "token": 970}
    assert by_name(calls) == {"main": 1, "parse": 2, "token": 1003}
    assert (times.runs[0].total, calls.runs[0].total, times.runs[0].above) == (1007, 1006, 0)
    assert sum(by_name(shares).values()) == pytest.approx(1.0) and shares.runs[0].total == 1.0


IMPORTING = "main 10\n  find @1 5\n    <mod> @2 20\n      token @3 40\n  token @2 100\n  find @3 7\n    load @4 3"


def importing(folder: Path) -> Path:
    """A program that imports twice; the body of a module calls `token`, as the program does."""
    machinery = {name: Function(name, "importlib._bootstrap", "<frozen>", 1) for name in ("find", "load")}
    write_profile(folder / "importing.sonde", profile_of(IMPORTING, functions=machinery))
    return folder / "importing.sonde"


def test_what_ran_while_modules_were_imported_is_one(tmp_path: Path) -> None:
    path = importing(tmp_path)

    folded = {"main": 10, "token": 100, "importing modules": 75}
    assert by_name(read_figures([path])) == folded
    assert by_name(read_figures([path], from_="main")) == folded
    apart = {"main": 10, "token": 140, "find": 12, "<mod>": 20, "load": 3}
    assert by_name(read_figures([path], imports=True)) == apart
    with pytest.raises(UsageError) as caught:
        read_figures([path], selection=CodeSelection(include=("load",)))
    assert caught.value.hint == "add --imports if it ran while modules were imported"


def test_calls_are_compared_where_a_run_has_no_times(tmp_path: Path) -> None:
    timed, counted = files(tmp_path, BASE)[0], tmp_path / "counted.sonde"
    write_profile(counted, profile_of(BASE, clock="none"))

    assert read_figures([timed, counted]).measure.what == "calls"
    with pytest.raises(InputError, match=r"counted\.sonde' has none"):
        read_figures([timed, counted], metric="time")


def test_times_of_different_clocks_are_not_compared(tmp_path: Path) -> None:
    (one,) = files(tmp_path, BASE)
    profile = profile_of(BASE)
    write_profile(tmp_path / "cpu.sonde", replace(profile, run=replace(profile.run, time_kind="processor")))

    with pytest.raises(InputError, match="wall-clock time"):
        read_figures([one, tmp_path / "cpu.sonde"])


def test_what_is_in_no_context_may_be_any_functions(tmp_path: Path) -> None:
    profile = bounded(BASE, not_kept={1: 40})
    write_profile(tmp_path / "hot.sonde", profile)

    figures = read_figures([tmp_path / "hot.sonde"])

    assert figures.runs[0].above == profile.total_ns - sum(profile.contexts.self_ns) == 40


def test_only_what_was_asked_for_is_read(tmp_path: Path) -> None:
    paths = files(tmp_path, BASE)

    assert set(by_name(read_figures(paths, selection=CodeSelection(include=("token",))))) == {"token"}
    assert by_name(read_figures(paths, from_="parse")) == {"parse": 27, "token": 500}
    with pytest.raises(UsageError, match="no function that ran is left"):
        read_figures(paths, selection=CodeSelection(include=("nothing",)))
