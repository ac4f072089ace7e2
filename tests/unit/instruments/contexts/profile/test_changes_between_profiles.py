"""What changed between two profiles."""

from dataclasses import replace

import pytest

from sonde.base.errors import InputError
from sonde.instruments.contexts.profile import ContextProfile, Function, MeasuredProcess
from sonde.instruments.contexts.profile.comparison.context_diff import ContextDiff, diff_contexts
from tree_builder import profile_of

BASE = """
main 10
  parse @101 20
    token @201 500 x1000
  write @102 470 x3
"""


def statuses(diff: ContextDiff) -> dict[str, str]:
    """By path of names: the status, where something changed."""
    tree, pairs = diff.contexts.before, diff.contexts.functions.pairs
    paths: list[str] = []
    for parent, number in zip(tree.parent, tree.function, strict=True):
        name = pairs[number].either.name
        paths.append(name if parent < 0 else f"{paths[parent]}/{name}")
    return {p: s for p, s in zip(paths, diff.changes.status, strict=True) if s != "unchanged"}


def notes(diff: ContextDiff) -> dict[str, int]:
    return {note.kind: note.amount for note in diff.unaligned}


def with_python(profile: ContextProfile, version: str) -> ContextProfile:
    return replace(profile, processes=(MeasuredProcess(1, 0, "app.py", version, "test", 1, 1, "exited 0"),))


def test_hotter_and_colder_contexts_and_the_way_to_them() -> None:
    after = BASE.replace("500 x1000", "900 x1000").replace("470 x3", "70 x3")
    diff = diff_contexts(profile_of(BASE), profile_of(after))
    assert statuses(diff) == {
        "main/parse": "hotter",
        "main/parse/token": "hotter",
        "main/write": "colder",
    }
    assert diff.has_changes


def test_appeared_and_vanished_contexts() -> None:
    known = {name: Function(name, "app", "app.py", 100 * i) for i, name in enumerate(("main", "parse", "token"), 1)}
    one = profile_of("main 10\n  parse @101 500", functions=known)
    two = profile_of("main 10\n  token @102 500", functions=known)
    two = replace(two, functions=(*two.functions, known["parse"]))
    one = replace(one, functions=(*one.functions, known["token"]))
    assert statuses(diff_contexts(one, two)) == {"main/parse": "vanished", "main/token": "appeared"}


def test_a_change_below_the_threshold_is_none() -> None:
    after = BASE.replace("470 x3", "474 x3")
    assert not diff_contexts(profile_of(BASE), profile_of(after)).has_changes
    assert diff_contexts(profile_of(BASE), profile_of(after), min_change=0.001).has_changes


def test_shares_do_not_change_when_everything_takes_twice_as_long() -> None:
    after = "main 20\n  parse @101 40\n    token @201 1000 x1000\n  write @102 940 x3"
    assert diff_contexts(profile_of(BASE), profile_of(after)).has_changes
    assert not diff_contexts(profile_of(BASE), profile_of(after), normalise="total").has_changes


def test_time_per_call_does_not_change_when_more_is_done() -> None:
    after = "main 20 x2\n  parse @101 40 x2\n    token @201 1000 x2000\n  write @102 940 x6"
    assert not diff_contexts(profile_of(BASE), profile_of(after), normalise="calls").has_changes


def test_calls_are_compared_when_times_are_missing_or_unwanted() -> None:
    after = BASE.replace("x1000", "x2000")
    assert diff_contexts(profile_of(BASE), profile_of(after, clock="none")).yardstick.metric == "calls"
    assert statuses(diff_contexts(profile_of(BASE), profile_of(after), metric="calls"))["main/parse/token"] == "hotter"


def test_times_that_are_not_there_cannot_be_compared() -> None:
    with pytest.raises(InputError, match="one profile has none"):
        diff_contexts(profile_of(BASE), profile_of(BASE, clock="none"), metric="time")


def test_a_profile_read_in_part_cannot_be_compared() -> None:
    with pytest.raises(InputError, match="1 of its contexts were left out"):
        diff_contexts(replace(profile_of(BASE), pruned_contexts=1), profile_of(BASE))


def test_lines_added_inside_a_function_do_not_split_its_call_sites() -> None:
    one = profile_of("main 10\n  work @110 100\n  work @120 300")
    two = profile_of("main 10\n  work @113 100\n  work @123 300")
    assert not diff_contexts(one, two).has_changes


def test_a_renamed_function_is_compared_and_called_a_guess() -> None:
    one = profile_of("main 10\n  parse @101 20\n    token @201 500\n    skip @202 30")
    known = {"parse_all": Function("parse_all", "app", "app.py", 200)}
    known |= {function.name: function for function in one.functions}
    two = profile_of("main 10\n  parse_all @101 20\n    token @201 900\n    skip @202 30", functions=known)
    diff = diff_contexts(one, two)
    assert statuses(diff) == {"main": "hotter", "main/parse_all": "hotter", "main/parse_all/token": "hotter"}
    assert notes(diff) == {"functions-maybe-renamed": 1}


def test_a_replaced_function_with_other_callees_is_not_called_renamed() -> None:
    one = profile_of("main 10\n  parse @101 20\n    token @201 500")
    known = {"fetch": Function("fetch", "app", "app.py", 900), "open": Function("open", "io", "", 0, "builtin")}
    two = profile_of("main 10\n  fetch @101 20\n    open @901 500", functions=known)
    assert "functions-maybe-renamed" not in notes(diff_contexts(one, two))


def test_functions_without_namesake_are_said_aloud() -> None:
    diff = diff_contexts(profile_of("main 10\n  a @1 5\n  b @2 5"), profile_of("main 10\n  c @1 5\n  d @2 5"))
    assert notes(diff) == {"functions-only-before": 2, "functions-only-after": 2}


def test_comprehension_frames_that_newer_pythons_lack_are_dissolved() -> None:
    comprehension = {"list": Function("main.<locals>.<listcomp>", "app", "app.py", 105, "comprehension")}
    leaf = {"leaf": Function("leaf", "app", "app.py", 300), "main": Function("main", "app", "app.py", 100)}
    old = profile_of("main 10\n  list @105 40\n    leaf @105 50 x9", functions=comprehension | leaf)
    new = profile_of("main 50\n  leaf @105 50 x9", functions=leaf)
    diff = diff_contexts(with_python(old, "3.11.7"), with_python(new, "3.12.1"))
    assert not statuses(diff)
    assert notes(diff)["comprehension-frames-dissolved"] == 1
    assert "comprehension-frames-dissolved" not in notes(
        diff_contexts(with_python(old, "3.11.7"), with_python(old, "3.11.9"))
    )


def test_the_function_table_follows_work_that_moved_to_another_caller() -> None:
    one = profile_of("main 10\n  a @1 5\n    work @2 500\n  b @3 5")
    two = profile_of("main 10\n  a @1 5\n  b @3 5\n    work @4 500", functions={f.name: f for f in one.functions})
    diff = diff_contexts(one, two)
    assert set(statuses(diff).values()) == {"appeared", "vanished", "hotter", "colder"}
    assert set(diff.function_changes.status) == {"unchanged"}
