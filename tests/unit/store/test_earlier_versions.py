"""Files of all earlier versions are read as they were meant. How they were made: tests/data/old_profiles/README.md."""

import gzip
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from made_approximations import bounded
from made_memory_profiles import inventory_profile
from measurement_samples import write_sample_results
from sonde.base.errors import InputError
from sonde.cli.main import main
from sonde.instruments.bench.measurements import Invocation, Measurements
from sonde.instruments.bench.results_file import ResultsWriter, is_results_file, read_results
from sonde.instruments.contexts.profile import ContextProfile, Loss, MeasuredProcess, read_profile
from sonde.instruments.memory.profile import read_memory_profile
from sonde.store.kind import KindOfFile
from sonde.store.reading import kind_of_file
from tree_builder import profile_of

DATA = Path(__file__).parents[2] / "data" / "old_profiles"
CONTEXTS = "a profile of calling contexts"
DAMAGES = 60


def old(name: str, folder: Path) -> Path:
    path = folder / name
    path.write_bytes(gzip.decompress((DATA / f"{name}.gz").read_bytes()))
    return path


def small_contexts() -> ContextProfile:
    """What is in `contexts-1` and `contexts-2`."""
    made = profile_of(
        "main 10\n  work @3 20 x4\n    helper @7 5 x8\n  other @9 1",
        losses=(Loss("process-not-measured", 1, "4711: no memory left"),),
    )
    process = MeasuredProcess(4712, 1, "python app.py", "3.11.7", "cpython-eval-hook", 1, 14, "exited 0")
    return replace(made, processes=(process,), sources={"app.py": "def main():\n    work()\n"})


@pytest.mark.parametrize(
    ("name", "header", "kind"),
    [
        ("contexts-1.sonde", 1, KindOfFile("contexts", CONTEXTS, 1)),
        ("contexts-2.sonde", 2, KindOfFile("contexts", CONTEXTS, 2)),
        ("contexts-2-of-kind.sonde", 4, KindOfFile("contexts", CONTEXTS, 2, "0.1.0")),
        ("contexts-3.sonde", 4, KindOfFile("contexts", CONTEXTS, 3, "0.1.0")),
        ("contexts-4.sonde", 4, KindOfFile("contexts", CONTEXTS, 4, "0.1.0")),
        ("contexts-5.sonde", 4, KindOfFile("contexts", CONTEXTS, 5, "0.1.0")),
        ("contexts-2-bounded.sonde", 2, KindOfFile("contexts", CONTEXTS, 2)),
        ("memory-3.sonde", 3, KindOfFile("memory", "a profile of memory accesses", 1)),
        ("results-1.sonde", 1, KindOfFile("results", "results of sonde bench", 1)),
    ],
)
def test_their_headers_mean_these_kinds(name: str, header: int, kind: KindOfFile, tmp_path: Path) -> None:
    path = old(name, tmp_path)
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (header,)

    assert kind_of_file(path) == kind


@pytest.mark.parametrize(
    "name",
    [
        "contexts-1.sonde",
        "contexts-2.sonde",
        "contexts-2-of-kind.sonde",
        "contexts-3.sonde",
        "contexts-4.sonde",
        "contexts-5.sonde",
    ],
)
def test_calling_contexts_are_what_they_were(name: str, tmp_path: Path) -> None:
    profile = read_profile(old(name, tmp_path))

    assert profile == small_contexts()
    assert profile.run.time_kind == "wall"


def test_bounds_of_calling_contexts_are_what_they_were(tmp_path: Path) -> None:
    assert read_profile(old("contexts-2-bounded.sonde", tmp_path)) == bounded()


def test_memory_accesses_are_what_they_were(tmp_path: Path) -> None:
    assert read_memory_profile(old("memory-3.sonde", tmp_path)) == inventory_profile()


def values(measurements: Measurements) -> object:
    return [
        (series.alternative, [(one.round, one.outcome, one.detail, list(one.values)) for one in series.invocations])
        for series in measurements.series
    ]


def test_results_are_what_they_were(tmp_path: Path) -> None:
    path = old("results-1.sonde", tmp_path)

    assert is_results_file(path)
    assert values(read_results(path)) == values(read_results(write_sample_results(tmp_path)))


def test_a_run_of_results_is_resumed_in_its_old_file(tmp_path: Path) -> None:
    path = old("results-1.sonde", tmp_path)
    before = read_results(path)
    with ResultsWriter(path, resume=True) as writer:
        writer.record(writer.add_series(before.series[0]), Invocation(np.array([7.0]), round=9))

    after = read_results(path)
    assert len(after.series[0].invocations) == len(before.series[0].invocations) + 1
    assert kind_of_file(path).name == "results"


@pytest.mark.parametrize("verb", [["view"], ["view", "--json"]])
@pytest.mark.parametrize("name", ["contexts-1.sonde", "contexts-2.sonde", "memory-3.sonde"])
def test_they_are_shown(name: str, verb: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*verb, str(old(name, tmp_path))]) == 0
    assert capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "read"), [("contexts-2.sonde", read_profile), ("memory-3.sonde", read_memory_profile)]
)
def test_their_damage_is_noticed(name: str, read: Callable[[Path], object], tmp_path: Path) -> None:
    path = old(name, tmp_path)
    whole = path.read_bytes()
    for at in range(0, len(whole), len(whole) // DAMAGES):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x40]) + whole[at + 1 :])
        with pytest.raises(InputError, match="cannot read '"):
            read(path)
