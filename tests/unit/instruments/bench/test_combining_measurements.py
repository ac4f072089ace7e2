"""Several files as the alternatives of one experiment."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from sonde.instruments.bench.measurements import Invocation, Measurements, Provenance, Series
from sonde.instruments.bench.readers import as_alternatives, as_invocations, names_of_files


def measured(*names: tuple[str, str], cpu: str = "a processor", tool: str = "pyperf 2.10.0") -> Measurements:
    runs = (Invocation(np.array([0.5]), round=0, position=0),)
    series = tuple(Series(benchmark, alternative, "startup", runs) for benchmark, alternative in names)
    environment = {"cpu": cpu, "python": tool}
    return Measurements(series, Provenance(tool, "a file", environment=environment), skipped=("a run",))


def test_files_with_one_alternative_each_lend_it_their_names() -> None:
    together = as_alternatives([("old", measured(("sort", "x"))), ("new", measured(("sort", "y"), ("sum", "y")))])

    assert [(each.benchmark, each.alternative) for each in together.series] == [
        ("sort", "old"),
        ("sort", "new"),
        ("sum", "new"),
    ]


def test_alternatives_in_a_file_become_part_of_the_benchmark() -> None:
    files = [(name, measured(("commands", "a"), ("commands", "b"))) for name in ("old", "new")]

    assert [(each.benchmark, each.alternative) for each in as_alternatives(files).series] == [
        ("commands · a", "old"),
        ("commands · b", "old"),
        ("commands · a", "new"),
        ("commands · b", "new"),
    ]


def test_rounds_of_different_files_are_not_taken_for_the_same() -> None:
    together = as_alternatives([("old", measured(("sort", "x"))), ("new", measured(("sort", "x")))])

    assert {(run.round, run.position) for each in together.series for run in each.invocations} == {(None, None)}


def test_what_is_the_same_is_kept_and_machines_that_differ_are_doubted() -> None:
    one, other = measured(("sort", "x")), measured(("sort", "x"), cpu="another", tool="hyperfine")

    together = as_alternatives([("old", one), ("new", other), ("again", one)])

    assert together.provenance.tool == "pyperf 2.10.0, hyperfine"
    assert together.provenance.environment == {}
    (doubt,) = together.doubts
    assert doubt.kind == "other-machine"
    assert "cpu is 'a processor' (old), 'another' (new), 'a processor' (again)" in doubt.detail
    assert together.skipped == ("old: a run", "new: a run", "again: a run")


def test_the_same_machine_is_not_doubted() -> None:
    one = measured(("sort", "x"))
    without = replace(one, provenance=replace(one.provenance, environment={}))

    assert as_alternatives([("old", one), ("new", one)]).doubts == ()
    assert as_alternatives([("old", one), ("new", without)]).doubts == ()


def test_files_are_named_by_as_much_of_their_path_as_tells_them_apart() -> None:
    assert names_of_files([Path("a/x.json"), Path("b/y.json.gz")]) == ("x", "y")
    assert names_of_files([Path("r/a/x.json"), Path("r/b/x.json")]) == ("a/x", "b/x")
    assert names_of_files([Path("x.1.json"), Path("x.2.json")]) == ("x.1", "x.2")
    assert names_of_files([Path("x.json"), Path("x.csv")]) == ("x.json (1)", "x.csv (2)")
    assert names_of_files([Path("x.json"), Path("x.json")]) == ("x.json (1)", "x.json (2)")


def part(name: str, alternative: str, *values: list[float], separate: bool = True) -> tuple[Path, Measurements]:
    runs = tuple(Invocation(np.array(run), round=place, position=place) for place, run in enumerate(values))
    series = Series("sort", alternative, "steady", runs, separate=separate)
    return Path(name), Measurements((series,), Provenance("a tool", name), looked_between={"sort": (15, 100)})


def test_files_of_one_side_are_one_sample_called_by_the_first() -> None:
    together = as_invocations([part("a.json", "a", [1.0], [2.0]), part("b.json", "b", [3.0])])

    (series,) = together.series
    assert (series.benchmark, series.alternative, series.separate) == ("sort", "a", True)
    assert [run.values.tolist() for run in series.invocations] == [[1.0], [2.0], [3.0]]
    assert {(run.round, run.position) for run in series.invocations} == {(None, None)}
    assert together.looked_between == {"sort": (15, 100)}
    assert together.provenance.file == "a.json, b.json"


def test_a_file_that_does_not_tell_processes_apart_is_one_invocation_beside_others() -> None:
    files = [part(f"{name}.json", name, [1.0, 2.0], separate=False) for name in "abc"]

    (together,), (alone,) = as_invocations(files).series, as_invocations(files[:1]).series

    assert together.separate and len(together.invocations) == 3
    assert not alone.separate


def test_alternatives_that_are_not_called_by_their_file_stay_apart() -> None:
    together = as_invocations([part("a.json", "quick", [1.0]), part("b.json", "merge", [2.0])])

    assert [(each.alternative, len(each.invocations)) for each in together.series] == [("quick", 1), ("merge", 1)]
