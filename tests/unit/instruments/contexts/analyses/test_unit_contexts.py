"""Compiled functions as contexts: what they took, divided among what was inlined into them."""

import pytest

from sonde.instruments.contexts.analyses import UnitTimes, unit_contexts
from sonde.instruments.contexts.profile import CYCLES, ESTIMATE, NO_PARENT, ContextProfile, Run, merge_profiles
from sonde.instruments.contexts.report.exactness import doubt_text, exactness
from sonde.instruments.contexts.report.unit_headline import unit_headline
from sonde.ir import SourceFunction
from sonde.ir.analyses import InlinedPart, UnitCosts

F, G, H = SourceFunction("f", "/a.c", 1), SourceFunction("g", "/a.c", 5), SourceFunction("h", "/a.c", 9)
COSTS = UnitCosts(
    {
        InlinedPart((F,), (2,)): 1.0,
        InlinedPart((G, F), (6, 3)): 3.0,
        InlinedPart((H, G, F), (10, 7, 3)): 4.0,
        InlinedPart((G, F), (6, 4)): 2.0,
    },
    unplaced=2.0,
)
"""Of one call of f: g was inlined at two places of it, and h into g."""
UNITS = [(F, COSTS), (H, UnitCosts({InlinedPart((H,), (10,)): 5.0}, 0.0))]


def _rows(profile: ContextProfile) -> dict[tuple[tuple[str, int], ...], tuple[int, int]]:
    """(function, line of its call) from the outermost -> calls and own nanoseconds."""
    tree, paths = profile.contexts, list[tuple[tuple[str, int], ...]]()
    for row, parent in enumerate(tree.parent):
        above = () if parent == NO_PARENT else paths[parent]
        paths.append((*above, (profile.functions[tree.function[row]].name, tree.call_line[row])))
    return {path: (tree.calls[row], tree.self_ns[row]) for row, path in enumerate(paths)}


def test_what_was_inlined_stands_below_its_unit() -> None:
    profile = unit_contexts(UNITS, {0: UnitTimes(7, 9, 9, 1200.2)}, Run(), [])
    profile.check_valid()
    assert _rows(profile) == {
        (("f", 0),): (7, 300),
        (("f", 0), ("g", 3)): (0, 300),
        (("f", 0), ("g", 3), ("h", 7)): (0, 400),
        (("f", 0), ("g", 4)): (0, 200),
    }
    assert {function.name: dict(lines) for function, lines in profile.line_samples.items()} == {
        "f": {2: 100}, "g": {6: 500}, "h": {10: 400},
    }  # fmt: skip
    assert profile.run.clock == CYCLES
    assert profile.sampling is None
    [loss] = profile.losses
    assert (loss.kind, loss.detail[:5]) == ("cycles-without-line", "16.7%")


def test_times_of_a_unit_and_what_was_inlined_add_up_to_what_was_measured() -> None:
    for ns in (0.4, 1.0, 17.5, 1e9 + 0.3):
        profile = unit_contexts(UNITS, {0: UnitTimes(1, 2, 1, ns, 4.0), 1: UnitTimes(3, 3, 3, 8.0)}, Run(), [])
        profile.check_valid()
        assert [total for parent, total in zip(profile.contexts.parent, profile.contexts.total_ns, strict=True)
                if parent == NO_PARENT] == [round(ns), 8]  # fmt: skip
        assert profile.total_calls == 4


def test_what_was_measured_in_part_says_how_sure_it_is() -> None:
    profile = unit_contexts(UNITS, {1: UnitTimes(100, 100, 20, 5000.0, 900.0)}, Run(), [])
    assert profile.sampling is not None
    assert (profile.sampling.bursts, profile.sampling.fraction) == (20, 0.2)
    assert list(profile.contexts.ns_deviation) == [30]


def test_where_nothing_was_measured_times_are_estimates() -> None:
    profile = unit_contexts(UNITS, {1: UnitTimes(100, 0, 0, 500.0)}, Run(), [])
    assert profile.run.clock == ESTIMATE
    assert unit_headline(profile)[0].startswith(
        "h (/a.c:9) has most cycles of the compiled functions: by estimate, 100.0%,"
    )


def test_code_that_was_taken_out_of_a_function_stands_below_what_it_became() -> None:
    cold = SourceFunction("f.cold", "", 0)
    profile = unit_contexts([(cold, COSTS)], {0: UnitTimes(1, 1, 1, 12.0)}, Run(), [])
    profile.check_valid()
    assert _rows(profile)[(("f.cold", 0), ("f", 0))] == (0, 1)


def test_the_headline_tells_the_unit_and_whose_code_it_is() -> None:
    profile = unit_contexts(UNITS, {0: UnitTimes(7, 9, 9, 1200.0), 1: UnitTimes(1, 1, 1, 800.0)}, Run(), [])
    assert unit_headline(profile) == (
        "f (/a.c:1) has most cycles of the compiled functions: 60.0%, in 7 calls.",
        "Of these, most are of g (/a.c:5), inlined there: about 41.7%.",
        "Over all of them, h (/a.c:9) has most: about 60.0%.",
    )
    assert unit_headline(unit_contexts(UNITS, {}, Run(), [])) == ()


def test_profiles_of_units_merge_as_others() -> None:
    one = unit_contexts(UNITS, {0: UnitTimes(7, 9, 9, 1200.0)}, Run(), [])
    two = unit_contexts(UNITS, {0: UnitTimes(1, 1, 1, 120.0), 1: UnitTimes(1, 1, 1, 800.0)}, Run(), [])
    merged = merge_profiles([one, two])
    merged.check_valid()
    assert merged.has_units
    assert merged.total_ns == one.total_ns + two.total_ns
    assert _rows(merged)[(("f", 0), ("g", 3), ("h", 7))] == (0, 440)


@pytest.mark.parametrize("number", [0, 1])
def test_a_unit_that_took_no_time_is_there_with_its_calls(number: int) -> None:
    profile = unit_contexts(UNITS, {number: UnitTimes(5, 0, 0, 0.0)}, Run(), [])
    assert list(profile.contexts.calls) == [5]
    assert profile.total_ns == 0


def test_reports_say_what_was_measured_and_what_is_estimated() -> None:
    always = unit_contexts(UNITS, {1: UnitTimes(1, 1, 1, 8.0)}, Run(), [])
    often = unit_contexts(UNITS, {1: UnitTimes(100, 100, 20, 5000.0, 900.0)}, Run(), [])
    never = unit_contexts(UNITS, {1: UnitTimes(100, 0, 0, 500.0)}, Run(), [])
    assert exactness(always)[1] == "times measured always"
    assert exactness(often)[1] == "times measured 20 times, 20% of those that functions ran by themselves"
    assert exactness(never)[1].startswith("times not measured: estimated")
    assert doubt_text(always, always) == "times of compiled functions measured, what is inlined estimated"
    assert doubt_text(often, often).startswith("times of compiled functions measured (± is a 95% interval)")
    assert doubt_text(never, never) == "calls all counted; times estimated, not measured"
    both = merge_profiles([always, never])
    assert both.run.clock == "cycles, estimate"
    assert both.has_units
