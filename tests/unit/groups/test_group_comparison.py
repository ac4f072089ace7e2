"""What is said of two groups of runs: what changed, what noise could explain, and when nothing can be said."""

from dataclasses import replace

import pytest
from scipy import stats

from made_groups import CALLS, TIME, group, in_turns
from sonde.base.errors import InputError
from sonde.groups import GroupComparison, RunFigures, compare_groups, group_report
from sonde.groups.figures import GroupFigures, table_of
from sonde.render.terminal.report_text import report_text
from sonde.report import Report

A = {"parse": (100.0, 104.0, 98.0, 101.0, 97.0), "load": (50.0, 52.0, 49.0, 51.0, 50.5)}
B = {"parse": (142.0, 139.0, 144.0, 141.0, 146.0), "load": (51.0, 49.5, 50.0, 52.0, 50.0)}
FIRST, SECOND = in_turns(5)


def names(comparison: GroupComparison) -> list[str]:
    return [each.function.name for each in comparison.established if each.function is not None]


def report_of(before: GroupFigures, after: GroupFigures) -> Report:
    sides = tuple(
        [(f"{name}{i}", run) for i, run in enumerate(side.runs)] for name, side in (("a", before), ("b", after))
    )
    return group_report(compare_groups(before, after), "toy", (sides[0], sides[1]))


def text_of(before: GroupFigures, after: GroupFigures, *, is_verbose: bool = False) -> str:
    return report_text(report_of(before, after), columns=80, is_verbose=is_verbose)


def test_p_values_are_those_of_a_paired_t_test_of_the_ratio_adjusted_together() -> None:
    found = compare_groups(group(TIME, A, started=FIRST), group(TIME, B, started=SECOND))

    alone = [stats.ttest_rel(B[name], A[name]).pvalue for name in ("parse", "load")]
    expected = dict(zip(("parse", "load"), stats.false_discovery_control(alone), strict=True))
    assert found.is_paired and names(found) == ["parse"]
    assert {each.function.name: each.p_value for each in found.functions if each.function} == pytest.approx(expected)


def test_without_turns_they_are_those_of_welch() -> None:
    found = compare_groups(group(TIME, A), group(TIME, B), is_independent=True)

    alone = [stats.ttest_ind(B[name], A[name], equal_var=False).pvalue for name in ("parse", "load")]
    expected = dict(zip(("parse", "load"), stats.false_discovery_control(alone), strict=True))
    assert not found.is_paired
    assert {each.function.name: each.p_value for each in found.functions if each.function} == pytest.approx(
        expected,
        rel=0.02,  # degrees of freedom are those at a ratio of 1
    )


def test_the_headline_has_how_many_changed_by_how_much_and_the_total() -> None:
    text = text_of(group(TIME, A, started=FIRST), group(TIME, B, started=SECOND))

    said = " ".join(" ".join(text.splitlines()[1:3]).split())
    assert said.startswith("1 of 2 functions changed: parse is 1.42 times [1.3")
    assert "slower; a whole run is 1.28 times [" in said and said.endswith("] slower.")


def test_what_noise_explains_is_no_change() -> None:
    report = report_of(group(TIME, A, started=FIRST), group(TIME, A, started=SECOND))

    assert (report.changed, report.is_undecided) == (False, False)
    assert (
        report.headline[0] == "nothing changed that noise of 5 and 5 runs could not explain; a whole run is as before."
    )


@pytest.mark.parametrize("runs", [1, 2, 4])
def test_too_few_runs_say_nothing_for_sure(runs: int) -> None:
    few = {name: values[:runs] for name, values in A.items()}
    report = report_of(group(CALLS, few), group(CALLS, B))

    assert (report.changed, report.is_undecided) == (None, True)
    assert report.headline[0].startswith(f"cannot say what changed: {runs} and 5 runs are too few")
    assert "parse has 1." in report.headline[1]  # what they show all the same


def test_times_of_runs_that_took_no_turns_need_twenty_or_somebody_who_vouches_for_them() -> None:
    few = compare_groups(group(TIME, A), group(TIME, B))
    vouched = compare_groups(group(TIME, A), group(TIME, B), is_independent=True)
    many = compare_groups(*(group(TIME, {name: values * 4 for name, values in side.items()}) for side in (A, B)))

    assert "took no turns" in few.why_undecided and not few.established
    assert names(vouched) == names(many) == ["parse"]


def test_counts_do_not_follow_the_machine_and_need_no_turns() -> None:
    assert names(compare_groups(group(CALLS, A), group(CALLS, B))) == ["parse"]


def test_counts_that_never_vary_are_established_by_how_many_agree() -> None:
    same = {f"f{i}": (100.0,) * 5 for i in range(60)}
    other = {**dict.fromkeys(same, (100.1,) * 5), "f7": (130.0,) * 5}

    calls = replace(CALLS, min_change=0.001)  # of 6,000
    found = compare_groups(group(calls, same), group(calls, other))

    assert names(found) == ["f7"]
    (changed,) = found.established
    # All runs of one side above all of the other, by chance: twice one of the ways to choose 5 of 10.
    assert changed.p_value == pytest.approx(2 / 252)


def test_pairs_that_all_have_the_same_ratio_or_difference_are_compared_without_pairs() -> None:
    values = (100.0, 101.0, 99.0, 100.0, 102.0)
    for other in (tuple(2 * value for value in values), tuple(value + 90 for value in values)):
        before, after = {"f": values, "main": A["load"]}, {"f": other, "main": A["load"]}
        found = compare_groups(group(CALLS, before, started=FIRST), group(CALLS, after, started=SECOND))

        assert names(found) == ["f"]


def test_functions_missing_in_runs_count_as_nothing_there() -> None:
    before = group(TIME, {"old": (30.0, 31.0, 29.0, 30.0, 32.0), "main": (70.0, 71.0, 69.0, 72.0, 70.0)}, started=FIRST)
    after = group(TIME, {"new": (20.0, -1, 21.0, 19.0, 20.0), "main": (70.5, 71.0, 69.5, 71.0, 70.0)}, started=SECOND)

    found = compare_groups(before, after)

    by_name = {each.function.name: each for each in found.functions if each.function}
    assert by_name["new"].after == pytest.approx(16.0)
    assert names(found) == ["old", "new"] and found.missing == 2
    assert "old is gone" in text_of(before, after)


@pytest.mark.parametrize(("above", "expected"), [(0.0, ["parse"]), (30.0, ["parse"]), (45.0, [])])
def test_nothing_is_claimed_that_bounded_memory_may_have_dropped(above: float, expected: list[str]) -> None:
    before, after = group(TIME, A, started=FIRST, above=above), group(TIME, B, started=SECOND, above=above)

    assert names(compare_groups(before, after)) == expected
    assert ("recorded in bounded memory" in text_of(before, after)) == bool(above)


def test_small_changes_do_not_count_however_sure() -> None:
    measure = replace(CALLS, min_change=0.01)
    before = {"main": (1000.0,) * 5, "leaf": (9.0,) * 5}
    after = {"main": (1000.0,) * 5, "leaf": (18.0,) * 5}

    found = compare_groups(group(measure, before), group(measure, after))

    assert not found.established and not found.total.is_established


def test_a_change_of_the_whole_alone_is_a_change() -> None:
    measure = replace(CALLS, min_change=0.01)
    before = {f"f{i}": (10.0,) * 5 for i in range(200)}
    after = {f"f{i}": (11.0,) * 5 for i in range(200)}
    report = report_of(group(measure, before), group(measure, after))

    assert report.changed is True
    assert report.headline[0].startswith("no single function changed that noise of 5 and 5 runs could not explain")
    assert report.headline[0].endswith(", but a whole run has 1.1 times more calls.")


def test_functions_are_matched_by_name_module_and_file_name_wherever_they_lie() -> None:
    runs = []
    for folder, line in (("/old", 3), ("/new", 30)):
        found = group(CALLS, {"f": (1.0,), "g": (2.0,)}).runs[0]
        functions = [replace(each, file=f"{folder}/app.py", first_line=line) for each in found.functions]
        runs.append(replace(found, functions=functions))

    table = table_of(runs)

    assert [(each.name, each.file) for each in table.functions] == [("f", "/new/app.py"), ("g", "/new/app.py")]
    assert table.own.tolist() == [[1.0, 1.0], [2.0, 2.0]]


def test_runs_of_different_programs_are_refused() -> None:
    with pytest.raises(InputError, match="no function ran on both sides"):
        compare_groups(group(CALLS, {"f": (1.0, 2.0)}), group(CALLS, {"g": (1.0, 2.0)}))


def test_losses_of_any_run_are_told_once() -> None:
    from sonde.evidence import Loss

    def lossy(side: GroupFigures) -> GroupFigures:
        runs = tuple(replace(run, losses=(Loss("lost", 2, "the spool was full"),)) for run in side.runs)
        return GroupFigures(side.measure, runs)

    text = text_of(lossy(group(CALLS, A)), group(CALLS, B))

    assert text.count("the spool was full") == 1 and "of 5 runs" in text


def test_a_run_without_anything_is_a_run() -> None:
    empty = GroupFigures(CALLS, (RunFigures((), (), 0.0), *group(CALLS, A).runs[1:]))

    assert compare_groups(empty, group(CALLS, B)).missing == 2


@pytest.mark.parametrize("length", [4, 30, 200])
def test_the_headline_takes_two_lines_and_tells_as_many_functions_as_fit(length: int) -> None:
    names_of = [f"{i}{'n' * length}" for i in range(4)]
    before = dict.fromkeys(names_of, (100.0, 101.0, 99.0, 100.0, 102.0))
    after = {name: tuple(2 * value for value in values) for name, values in before.items()}
    report = report_of(group(TIME, before, started=FIRST), group(TIME, after, started=SECOND))

    assert report.headline[0].startswith("4 of 4 functions changed: 0n")
    assert len(report.headline[0]) <= 156 and ", …; a whole run is 2 times" in report.headline[0]
    assert report.headline[0].count("slower,") == {4: 2, 30: 1, 200: 1}[length]  # one more would take a third line
