"""Runs of Graal: where the log and the profile are found, how times are linked, what is doubted."""

import shutil
from pathlib import Path

import pytest

from graal_logs import Json, entry, line, unit, write_log, write_profile, write_run
from sonde.base.errors import InputError
from sonde.evidence import Doubt
from sonde.instruments.decisions.model import DecisionRun, Place
from sonde.instruments.decisions.readers import RunPlace, read_run
from sonde.instruments.decisions.readers.graal import GRAAL


def periods(run: DecisionRun) -> dict[str, int]:
    return {f"{each.method} {each.id}": each.period for each in run.units}


def doubts(run: DecisionRun) -> dict[str, Doubt]:
    return {each.kind: each for each in run.doubts}


UNITS = [unit("a()", "1"), unit("b()", "2"), unit("a()", "3")]


def test_a_folder_with_log_and_profile(tmp_path: Path) -> None:
    run = read_run(write_run(tmp_path, UNITS, {"1": 5, "3": 7}, total=20))

    assert (run.kind, run.offsets, run.compilation, run.execution_id) == ("graal", "bytecode index", "JIT", "4711")
    assert periods(run) == {"a() 1": 5, "b() 2": 0, "a() 3": 7}
    assert [each.number for each in run.units] == [0, 1, 2]
    assert run.profile is not None
    assert (run.profile.total, run.compiled_period) == (20, 12)
    assert run.doubts == []
    assert run.units[1].load().inlining.method == "b()"


@pytest.mark.parametrize("name", ["optimization_log", "any name"])
def test_the_log_folder_itself_has_no_profile(tmp_path: Path, name: str) -> None:
    write_log(tmp_path / name, *UNITS)
    write_profile(tmp_path / "profile.json", None, entry(5, "a()", "1"))

    run = read_run(tmp_path / name)

    assert (len(run.units), run.profile, run.compilation) == (3, None, None)
    assert set(doubts(run)) == {"no-time-profile"}


def test_a_single_file_of_the_log(tmp_path: Path) -> None:
    write_log(tmp_path, *UNITS)
    write_log(tmp_path, unit("c()", "4"), file="0_8")

    assert len(read_run(tmp_path / "0_7").units) == 3


def test_a_profile_that_is_named_goes_before_the_one_beside(tmp_path: Path) -> None:
    write_run(tmp_path / "run", UNITS, {"1": 5})
    named = write_profile(tmp_path / "other.json", None, entry(9, "b()", "2"))

    assert periods(read_run(tmp_path / "run", profile=named)) == {"a() 1": 0, "b() 2": 9, "a() 3": 0}


def test_a_log_in_a_folder_of_another_name_is_found(tmp_path: Path) -> None:
    write_log(tmp_path / "logs of it", *UNITS)
    write_profile(tmp_path / "prof.json", None, entry(5, "a()", "1"))

    assert periods(read_run(tmp_path))["a() 1"] == 5


def test_files_are_read_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for file in ("0_10", "0_9", "1_2"):
        write_log(tmp_path, unit(f"{file}()", "1"), file=file)

    assert [each.method for each in read_run(tmp_path).units] == ["0_9()", "0_10()", "1_2()"]


def test_one_unit_in_each_file_as_before_october_2022(tmp_path: Path) -> None:
    old: Json = {"compilationMethodName": "a()", "compilationId": "12", "inliningTreeRoot": None, "rootPhase": {}}
    (tmp_path / "optimization_log").mkdir()
    (tmp_path / "optimization_log" / "12.json").write_bytes(line(old))
    write_profile(tmp_path / "profile.json", None, entry(5, "a()", "12"))

    assert periods(read_run(tmp_path)) == {"a() 12": 5}


def test_logs_with_spaces_as_graal_23_writes_them(tmp_path: Path) -> None:
    write_log(tmp_path, *UNITS, spaced=True)
    run = read_run(tmp_path)
    assert [each.id for each in run.units] == ["1", "2", "3"]
    assert run.units[2].load().inlining.method == "a()"


def test_of_several_units_with_one_id_the_last_gets_the_time(tmp_path: Path) -> None:
    run = read_run(write_run(tmp_path, [unit("a()", "1"), unit("b()", "1"), unit("c()", "2")], {"1": 5}))

    assert periods(run) == {"a() 1": 0, "b() 1": 5, "c() 2": 0}
    assert doubts(run)["repeated-compilation-ids"].amount == 1


def test_of_several_entries_with_one_id_the_last_counts(tmp_path: Path) -> None:
    write_log(tmp_path / "optimization_log", *UNITS)
    write_profile(tmp_path / "profile.json", None, entry(5, "a()", "1"), entry(7, "a()", "1%"))

    run = read_run(tmp_path)

    assert periods(run)["a() 1"] == 7
    assert run.units[0].version == "OSR"
    assert run.units[1].version is None


def test_only_entries_of_graals_tier_count(tmp_path: Path) -> None:
    write_log(tmp_path / "optimization_log", *UNITS)
    write_profile(
        tmp_path / "profile.json", None, entry(5, "a()", "1", 3), entry(6, "b()", "2", None), entry(7, "a()", "3", 4)
    )

    run = read_run(tmp_path)

    assert periods(run) == {"a() 1": 0, "b() 2": 0, "a() 3": 7}
    assert run.doubts == []


def test_profiled_compilations_that_are_not_in_the_log_are_doubted(tmp_path: Path) -> None:
    run = read_run(write_run(tmp_path, UNITS, {"1": 60, **{str(each): each for each in range(10, 15)}}, total=240))

    doubt = doubts(run)["compilations-not-in-log"]
    assert doubt.amount == 5
    assert "(25.0 % of the time) are not in the log: 14 (x.y()), 13 (x.y()), 12 (x.y()), ..." in doubt.detail


def test_a_profile_of_another_run_is_doubted(tmp_path: Path) -> None:
    run = read_run(write_run(tmp_path, UNITS, {"77": 5}))
    assert set(doubts(run)) == {"profile-of-another-run"}


def test_time_that_is_all_in_c1_is_not_of_another_run(tmp_path: Path) -> None:
    folder = write_run(tmp_path, UNITS, {})
    write_profile(folder / "profile.json", None, entry(7, "a()", "1", level=3), entry(3, "Interpreter"))
    assert set(doubts(read_run(folder))) == {"no-time-in-units"}


def test_code_compiled_ahead_is_linked_by_name_and_all_units_of_a_name_get_the_time(tmp_path: Path) -> None:
    write_log(tmp_path / "optimization_log", unit("a()", "1"), unit("a()", "2"), unit("b%%rt()", "3"), unit("b()", "4"))
    code = [{"name": name, "period": at} for name, at in (("a()", 5), ("memcpy", 9), ("b%%rt()", 7), ("a()", 6))]
    write_profile(tmp_path / "profile.json", 27, compilationKind="AOT", executionId=None, code=code)

    run = read_run(tmp_path)

    assert periods(run) == {"a() 1": 6, "a() 2": 6, "b() 3": 7, "b() 4": 0}
    assert [each.variant for each in run.units] == [None, None, "rt", None]
    assert (run.compilation, run.execution_id) == ("AOT", None)
    assert run.doubts == []


def test_a_profile_of_another_tool_gives_the_time_to_the_last_unit_of_a_method(tmp_path: Path) -> None:
    write_log(tmp_path / "log", unit("p.A.f(int)", "1"), unit("p.A.f(int)", "2"), unit("p.A.g()", "3"))
    perf = tmp_path / "perf.txt"
    sample = "java 11/12 100.000001: 250000 cpu-clock:\n\t    7f00 {} (/tmp/perf-11.map)\n\n"
    perf.write_text("".join(sample.format(name) for name in ("p.A.f(int)", "p.A.f(int)", "p.A.g", "main")))

    run = read_run(tmp_path / "log", profile=perf)

    assert [each.period > 0 for each in run.units] == [False, True, True]
    assert run.units[1].period == 2 * run.units[2].period
    assert "times-by-method" in doubts(run)


def test_lines_that_are_no_units_are_counted_and_named(tmp_path: Path) -> None:
    write_log(tmp_path, *UNITS)
    with (tmp_path / "0_7").open("ab") as log:
        log.write(b"garbage\n" * 4 + line(unit("z()", "9"))[:50])

    run = read_run(tmp_path)

    doubt = doubts(run)["skipped-lines"]
    assert (len(run.units), doubt.amount) == (3, 5)
    start = sum(len(line(each)) for each in UNITS)
    assert f"'0_7' at byte {start}: it is not JSON" in doubt.detail
    assert doubt.detail.endswith("; ...")


def test_files_of_other_kinds_in_the_log_folder_are_doubted_not_refused(tmp_path: Path) -> None:
    write_log(tmp_path / "optimization_log", *UNITS)
    (tmp_path / "optimization_log" / "notes.txt").write_text("mine\n")

    run = read_run(tmp_path)

    assert (len(run.units), doubts(run)["skipped-lines"].amount) == (3, 1)


def test_an_unknown_kind_of_profile_is_refused(tmp_path: Path) -> None:
    write_run(tmp_path, UNITS, {"1": 5})
    write_profile(tmp_path / "profile.json", None, compilationKind="PGO")
    with pytest.raises(InputError) as caught:
        read_run(tmp_path)
    assert caught.value.slug == "bad-proftool-profile"


def test_of_two_profiles_none_is_chosen(tmp_path: Path) -> None:
    write_run(tmp_path, UNITS, {"1": 5})
    shutil.copy(tmp_path / "profile.json", tmp_path / "again.json")
    with pytest.raises(InputError, match=r"'again\.json', 'profile\.json'") as caught:
        read_run(tmp_path)
    assert caught.value.slug == "several-profiles"
    assert periods(read_run(tmp_path, profile=tmp_path / "profile.json"))["a() 1"] == 5


def test_two_runs_in_one_folder_are_refused(tmp_path: Path) -> None:
    for name in ("first", "second"):
        write_run(tmp_path / name, UNITS, {"1": 5})
    with pytest.raises(InputError, match="'first/optimization_log', 'second/optimization_log'") as caught:
        read_run(tmp_path)
    assert caught.value.slug == "several-runs"


@pytest.mark.parametrize("content", [None, b"", b"\n", b'{"methodName":"a()","compilationId":"1","inl'])
def test_a_log_without_units_is_refused(tmp_path: Path, content: bytes | None) -> None:
    folder = write_log(tmp_path / "optimization_log")
    write_profile(tmp_path / "profile.json", None, entry(5, "a()", "1"))
    if content is not None:
        (folder / "0_1").write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_run(tmp_path)
    assert caught.value.slug == "empty-run"
    assert caught.value.hint is not None


def test_trees_are_read_each_time_anew(tmp_path: Path) -> None:
    (first, *_) = read_run(write_run(tmp_path, UNITS, {"1": 5})).units
    first.load().inlining.children.clear()
    first.load().inlining.method = "changed"
    assert first.load().inlining.method == "a()"


def test_a_profile_that_is_gone_is_refused_as_a_profile(tmp_path: Path) -> None:
    place = RunPlace(write_run(tmp_path, UNITS, {}))
    with pytest.raises(InputError, match="cannot read the profile") as caught:
        GRAAL.read(place, tmp_path / "gone")
    assert caught.value.slug == "unreadable-time-profile"


def test_samples_tell_where_in_a_unit_its_time_was(tmp_path: Path) -> None:
    stacks = [[3, "b()", 1, "a()", 11], [2, "a()", 4]]
    times = [entry(5, "a()", "1") | {"stacks": stacks}, entry(4, "b()", "2")]
    run = write_run(tmp_path, [unit("a()", "1"), unit("b()", "2")], {})
    write_profile(tmp_path / "profile.json", None, *times)
    spreads = [each.spread for each in read_run(run).units]
    assert spreads == [(((Place("b()", 1), Place("a()", 11)), 3), ((Place("a()", 4),), 2)), ()]
