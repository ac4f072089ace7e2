"""Decisions on a terminal: what is said of every compiler, that it fits, and what is left out."""

import io
from collections.abc import Iterator
from dataclasses import replace

import pytest

from made_decisions import (
    COLD,
    GET,
    HASH,
    WORK,
    called,
    callers_of_get,
    cold_trees,
    decided,
    deep_trees,
    every_kind,
    graal_run,
    hotspot_run,
    inlined,
    made_experiment,
    made_run,
    made_sides,
    made_unit,
    root,
    wide_trees,
    work_trees,
)
from sonde.base.errors import InputError
from sonde.base.fitted_text import display_width
from sonde.evidence import Doubt
from sonde.instruments.decisions.analysis import compare_runs
from sonde.instruments.decisions.experiments import CompareOptions, HeatPolicy
from sonde.instruments.decisions.model import DecisionRun, Phase, Trees, Unit
from sonde.instruments.decisions.options import TREES, DiffOptions, ShowOptions
from sonde.instruments.decisions.report import comparison_report, run_report
from sonde.render.terminal.report_text import print_report, report_text

ALL_HOT = HeatPolicy(percentile=1.0)


def shown(
    run: DecisionRun,
    options: ShowOptions | None = None,
    *,
    width: int = 80,
    encoding: str = "utf-8",
    colour: bool | None = None,
    is_verbose: bool = False,
) -> str:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    print_report(run_report(made_experiment(run), options), stream, width=width, colour=colour, is_verbose=is_verbose)
    stream.flush()
    return raw.getvalue().decode(encoding)


def compared(
    first: DecisionRun,
    second: DecisionRun,
    options: DiffOptions | None = None,
    *,
    width: int = 80,
    encoding: str = "utf-8",
    colour: bool | None = None,
    policy: HeatPolicy | None = None,
    is_verbose: bool = False,
) -> str:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    comparison = compare_runs(*made_sides(first, second, policy), options)
    print_report(comparison_report(comparison), stream, width=width, colour=colour, is_verbose=is_verbose)
    stream.flush()
    return raw.getvalue().decode(encoding)


@pytest.mark.parametrize("width", [20, 80, 132])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_no_line_is_wider_than_the_page(width: int, encoding: str) -> None:
    for line in every_line(width, encoding):
        assert display_width(line) <= width, line


def every_line(width: int, encoding: str) -> Iterator[str]:
    for first, second in zip(every_kind(), every_kind(is_fast=False), strict=True):
        yield from shown(first, ShowOptions(trees=TREES), width=width, encoding=encoding).splitlines()
        yield from compared(first, second, width=width, encoding=encoding).splitlines()
    yield from compared(only(deep_trees(60)), only(deep_trees(50)), width=width, encoding=encoding).splitlines()
    yield from shown(only(deep_trees(200)), ShowOptions(rows=500), width=width, encoding=encoding).splitlines()
    yield from compared(only(long_names("a")), only(long_names("b")), width=width, encoding=encoding).splitlines()


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_plain_encodings_get_stand_ins_instead_of_question_marks(encoding: str) -> None:
    assert "?" not in shown(graal_run(), encoding=encoding)
    assert "?" not in compared(graal_run(), graal_run(is_fast=False), encoding=encoding)


def test_nothing_is_coloured_when_nobody_wants_colours() -> None:
    assert "\x1b" not in shown(graal_run())
    assert "\x1b[31m" in shown(graal_run(), colour=True)
    assert "\x1b[33m" in compared(graal_run(), graal_run(is_fast=False), colour=True, is_verbose=True)


def test_names_that_steer_terminals_are_made_harmless() -> None:
    hostile = "a\x1b[2Jb"
    trees = Trees(
        root(hostile, called(hostile, 1, reasons=[hostile])),
        Phase(hostile, [decided(hostile, hostile, (hostile, 1), key=hostile)]),
    )
    run = made_run([made_unit(0, trees, period=9)], name=hostile, doubts=[Doubt("odd", hostile)])
    assert "\x1b" not in shown(run, ShowOptions(trees=TREES, wide=True))
    assert "\x1b" not in compared(run, graal_run())


def test_wide_prints_whole_names() -> None:
    name = "com.example.very.deep.packages.of.a.Program$Inner.method(int, int, int, int, int, int, int, int)"
    run = only(Trees(root(WORK, inlined(name, 3)), Phase("RootPhase")))
    assert name in shown(run, ShowOptions(wide=True), width=1000)
    assert name not in shown(run)


@pytest.mark.parametrize(
    ("methods", "told"),
    [
        ([WORK], "bci 3"),
        ([WORK, GET], "bci 3; bci 3 in HashMap.get(Object)"),
        ([WORK, GET, HASH], "bci 3; bci 3 in HashMap.get(Object); and in 1 more method"),
        ([WORK, GET, HASH, COLD], "bci 3; bci 3 in HashMap.get(Object); and in 2 more methods"),
    ],
)
def test_of_decisions_in_many_methods_two_are_named(methods: list[str], told: str) -> None:
    decisions = [decided("Reading", "Floated", (method, 3)) for method in methods]
    trees = Trees(root(WORK), Phase("RootPhase", [Phase("ReadPhase", [*decisions])]))
    text = shown(only(trees), width=100)
    [line] = [line for line in text.splitlines() if "Reading Floated" in line]
    assert line.endswith(f"  {told}")


def test_rows_limit_lists_and_trees_and_say_what_they_leave_out() -> None:
    run = only(wide_trees(100))
    text = shown(run, ShowOptions(trees=("inlining",), rows=10))
    assert "\N{HORIZONTAL ELLIPSIS} 91 more below" in text
    assert len(text.splitlines()) < 30
    many = made_run([made_unit(number, cold_trees(), period=1) for number in range(50)])
    text = shown(many, ShowOptions(only_hot=False, rows=20), is_verbose=True)
    assert "\N{HORIZONTAL ELLIPSIS} 30 more units" in text
    assert "trees of 48 more units" in text


def test_a_tree_that_would_lose_one_line_loses_none() -> None:
    text = shown(only(wide_trees(10)), ShowOptions(trees=("inlining",), rows=10))
    assert "more below" not in text


def test_without_a_profile_every_unit_is_shown_and_no_share() -> None:
    run = made_run([made_unit(0, work_trees()), made_unit(1, cold_trees())], total=None)
    text = shown(run, is_verbose=True)
    assert "no time profile" in text
    assert "2 of 2" in text
    assert "%" not in text.partition("inlining")[0]


def test_a_run_without_units_says_so() -> None:
    assert "no units to show" in shown(made_run([]))


def test_doubts_are_counted_by_kind() -> None:
    doubts = [Doubt("bad-line", f"line {number}") for number in range(40)] + [Doubt("no-profile", "none", 3)]
    text = shown(graal_run(doubts=doubts), is_verbose=True)
    assert "! line 0 (bad-line: 40)" in text
    assert "! none (no-profile: 3)" in text


def test_a_damaged_unit_is_told_and_the_others_are_shown() -> None:
    run = made_run([damaged(0), made_unit(1, work_trees(), period=400)])
    text = shown(run, ShowOptions(only_hot=False))
    assert f"! a {COLD}: cannot read unit 'a': it is cut off" in text
    assert "HashMap.get(Object)" in text
    other = made_run([damaged(0), made_unit(1, work_trees(), period=400)])
    comparison = compare_runs(made_experiment(run, 1), made_experiment(other, 2))
    text = report_text(comparison_report(comparison), columns=200)
    assert "not compared: cannot read unit 'a': it is cut off" in text


@pytest.mark.parametrize(("callers", "told"), [(4, ""), (5, "1 more place"), (7, "3 more places")])
def test_a_difference_in_several_places_tells_the_first_of_them(callers: int, told: str) -> None:
    fast, slow = (callers_of_get(is_fast=is_fast, callers=callers) for is_fast in (True, False))
    text = " ".join(compared(fast, slow).split())
    assert [number for number in range(callers) if f"bci 5 in C{number}.f()" in text] == [0, 1, 2, 3]
    assert (told in text) and ("more place" in text) == bool(told)


def test_equal_runs_have_no_differences_and_say_what_was_compared() -> None:
    text = compared(graal_run(), graal_run(), width=200)
    assert "no differences in what was compared: 1 unit against 1 for 1 method, 60.0% of the time of A" in text
    assert "- only in A" not in text
    sides = made_sides(hotspot_run(), hotspot_run(), ALL_HOT)
    assert not compare_runs(*sides).has_differences


def test_runs_with_nothing_in_common_say_where_the_code_is() -> None:
    first = made_run([made_unit(0, Trees(root("only.First.run()"), Phase("R")), period=900)])
    second = made_run([made_unit(0, Trees(root("only.Second.run()"), Phase("R")), period=900)])
    text = compared(first, second)
    assert "hot in one run only" in text
    assert "in B: not compiled, and not inlined into a hot unit" in text
    assert compare_runs(*made_sides(first, second)).has_differences


def test_a_method_that_was_inlined_on_the_other_side_is_found_there() -> None:
    """`get` is hot by itself in the slow run; the fast one inlined it into `work`."""
    get = Trees(root(GET, inlined("java.util.HashMap.hash(Object)", 2)), Phase("RootPhase"))
    slow = made_run([made_unit(0, work_trees(is_fast=False), period=500), made_unit(1, get, period=300)], name="slow")
    text = compared(graal_run(), slow, width=200, policy=ALL_HOT, is_verbose=True)
    assert "in A: inlined into app.Hot.work(int) (60.0%)" in text
    assert "A 2504#1 in app.Hot.work(int) (60.0%) against B 101 (30.0%)" in text


def test_methods_without_differences_are_counted() -> None:
    other = Trees(root("a.Same.run()"), Phase("R"))
    first = made_run([made_unit(0, work_trees(), period=300), made_unit(1, other, period=300)])
    second = made_run([made_unit(0, work_trees(is_fast=False), period=300), made_unit(1, other, period=300)])
    assert "1 method without differences: a.Same.run()" in compared(first, second, policy=ALL_HOT, is_verbose=True)


def test_compilations_with_next_to_nothing_in_common_are_called_that() -> None:
    first = only(Trees(root("m()", *(inlined(f"a.X.x{i}()", i) for i in range(30))), Phase("R")))
    second = only(Trees(root("m()", *(inlined(f"a.Y.y{i}()", i) for i in range(30))), Phase("R")))
    text = compared(first, second, is_verbose=True)
    assert "different compilations: only" in text


def test_the_context_tree_is_compared_when_asked_for() -> None:
    options = DiffOptions(compare=CompareOptions(context=True))
    text = compared(graal_run(), graal_run(is_fast=False), options, is_verbose=True)
    assert "optimizations in context" in text
    assert "A, inlined: " in text and "B, direct: " in text


def test_phases_that_ran_but_decided_nothing_are_counted_by_side() -> None:
    first, second = graal_run(), graal_run()
    trees = work_trees()
    top = trees.optimizations.children[0]
    assert isinstance(top, Phase)
    top.children.append(Phase("ExtraPhase"))
    second = replace_unit(second, trees)
    text = compared(first, second)
    assert "other phases ran, but they decided the same" in text
    assert "only in B" in text


def test_many_units_of_one_method_are_told_by_their_closest_partners() -> None:
    text = compared(hotspot_run(), hotspot_run(is_fast=False), policy=ALL_HOT, is_verbose=True)
    assert "A 33 C2 (50.0%) against B 33 C2 (50.0%)" in text
    assert "against B 34%" not in text
    assert "2 more pairs of the compilations of" in text


def only(trees: Trees) -> DecisionRun:
    return made_run([made_unit(0, trees, period=900)])


def long_names(letter: str) -> Trees:
    name = f"com.example.{letter * 300}.Class.method(int)"
    return Trees(
        root(WORK, called(name, 3, reasons=["r" * 500]), inlined(name + "2", 4)),
        Phase("P" * 300, [decided("D" * 200, "E" * 200, (name, 3), key="v" * 200)]),
    )


def damaged(number: int) -> Unit:
    def load() -> Trees:
        raise InputError("cannot read unit 'a': it is cut off", slug="bad-decision-record", hint="record again")

    return Unit(number, COLD, "a", load, period=500)


def replace_unit(run: DecisionRun, trees: Trees) -> DecisionRun:
    units = [replace(run.units[0], load=lambda: trees), *run.units[1:]]
    return replace(run, units=units)
