"""What sampled profiles have in common with a dense one: the source's example as profiles, and what is refused."""

from dataclasses import replace

import pytest

from made_approximations import looked_at
from sonde.base.errors import InputError
from sonde.instruments.contexts.profile import Run
from sonde.instruments.contexts.profile.comparison import likeness
from sonde.instruments.contexts.report.comparison import likeness_report
from sonde.render.terminal.report_text import report_text
from tree_builder import profile_of

DENSE = looked_at({"a": (30, 1), "b": (4, 1)})
SPARSE = looked_at({"a": (5, 1), "c": (2, 1)})
RUNS = [
    looked_at(dict(zip("abc", ((ms, 1) for ms in each), strict=True))) for each in ((5, 1, 4), (6, 0, 3), (5, 2, 3))
]


def test_the_source_s_examples_as_profiles() -> None:
    found = likeness(DENSE, [SPARSE])
    for one in (found.functions, found.contexts):
        assert one.each[0].unweighted == pytest.approx(1 / 3)
        assert round(one.each[0].weighted, 2) == 0.71
        assert (one.dense, one.each[0].known, one.stability) == (2, 2, None)
    assert round(likeness(DENSE, RUNS).functions.stability or 0, 2) == 0.84


def test_a_profile_has_all_in_common_with_itself_wherever_its_lines_moved() -> None:
    profile = profile_of("main 10\n  parse @101 20\n    token @201 500 x1000\n  write @102 470 x3")
    moved = replace(
        profile, functions=tuple(replace(each, first_line=each.first_line + 7) for each in profile.functions)
    )
    lines = [line + 7 if line else 0 for line in profile.contexts.call_line]
    moved = replace(moved, contexts=replace(profile.contexts, call_line=lines))
    for one in likeness(profile, [profile, moved])[1:]:
        assert [each.weighted for each in one.each] == pytest.approx([1, 1])
        assert {share for each in one.each for _, share in each.top} == {1.0}
        assert one.stability == pytest.approx(1)


def test_the_hottest_are_found_before_the_others() -> None:
    dense = looked_at({f"f{number}": (100 - number, 1) for number in range(100)})
    sparse = looked_at({f"f{number}": (1, 1) for number in range(50)})
    found = dict(likeness(dense, [sparse]).functions.each[0].top)
    assert found[0.5] == 1.0
    assert found[1.0] == 0.5


def test_the_report_says_it_in_its_first_lines() -> None:
    text = report_text(likeness_report(likeness(DENSE, RUNS), [DENSE, *RUNS], ["d", "x", "y", "z"]), columns=80)
    assert "the 3 profiles have " in text.splitlines()[1]
    assert "Each two of them have 84.4% in common, by function" in text
    assert max(map(len, text.splitlines())) <= 80


def test_what_cannot_be_compared_is_refused() -> None:
    wall = replace(SPARSE, run=replace(SPARSE.run, time_kind="wall"))
    for other, slug in (
        (wall, "different-clocks"),
        (replace(SPARSE, pruned_contexts=3), "partial-profile"),
        (replace(SPARSE, run=Run(command=("other.py",), clock="sampled", time_kind="processor")), "different-programs"),
    ):
        with pytest.raises(InputError) as caught:
            likeness(DENSE, [other])
        assert caught.value.slug == slug
    with pytest.raises(InputError, match="cannot compare calls: 'sparse' has none"):
        likeness(profile_of("main 1", clock="none"), [SPARSE], ["dense", "sparse"])
