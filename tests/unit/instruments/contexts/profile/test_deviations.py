"""Standard errors of what is taken together: merged, folded, selected, aligned."""

from dataclasses import replace

from made_approximations import looked_at, sampled
from sonde.code import CodeSelection, Function
from sonde.instruments.contexts.analysis.uncertainty import deviations_of_functions
from sonde.instruments.contexts.profile import (
    IMPORTS,
    ContextProfile,
    OwnEstimate,
    focus_on,
    fold_imports,
    merge_profiles,
    select_code,
)
from sonde.instruments.contexts.profile.comparison import diff_contexts


def deviation_of(profile: ContextProfile, name: str) -> int:
    """Of a function's own time, in milliseconds."""
    found = deviations_of_functions(profile, profile.contexts.ns_deviation)
    return next(found[at] for at, each in enumerate(profile.functions) if each.name == name) // 10**6


def test_merged_samples_are_independent_so_that_their_squares_add_up() -> None:
    one, two = looked_at({"parse": (300, 3), "token": (200, 8)}), looked_at({"parse": (310, 4), "token": (190, 6)})
    merged = merge_profiles([one, two])
    merged.check_valid()
    assert (deviation_of(merged, "parse"), deviation_of(merged, "token")) == (5, 10)
    assert merged.sampling is not None
    assert merged.sampling.bursts == 1000


def test_own_estimates_of_functions_are_merged_as_the_contexts_are() -> None:
    parts = []
    for ms, deviation in ((300, 3), (310, 4)):
        profile = looked_at({"parse": (ms, 9)})
        parse = profile.functions[1]
        parts.append(replace(profile, own_estimates={parse: OwnEstimate(ms * 10**6, deviation * 10**6)}))
    assert deviation_of(merge_profiles(parts), "parse") == 5


def test_what_code_that_is_left_out_took_is_less_sure_by_the_squares() -> None:
    profile = looked_at({"parse": (300, 3), "token": (200, 4)})
    mine = select_code(profile, CodeSelection(include=("main",)))
    assert deviation_of(mine, "main") == 5
    bursts = select_code(sampled(parse=3, token=4), CodeSelection(include=("main",)))
    assert max(bursts.contexts.ns_deviation) == 7, "what runs in the same bursts may be off together"


def test_a_function_that_took_other_code_s_time_is_not_as_sure_as_its_own_estimate() -> None:
    profile = looked_at({"parse": (300, 3), "token": (200, 4)})
    main = profile.functions[0]
    known = replace(profile, own_estimates={main: OwnEstimate(0, 0)})
    assert deviation_of(select_code(known, CodeSelection(include=("main",))), "main") == 5


def test_imports_in_one_line_are_as_sure_as_all_that_ran_in_them() -> None:
    profile = looked_at({"find": (30, 3), "load": (40, 4), "work": (500, 9)})
    machinery = [
        replace(each, module="importlib._bootstrap", file="<frozen importlib._bootstrap>")
        if each.name in ("find", "load")
        else each
        for each in profile.functions
    ]
    assert isinstance(machinery[1], Function)
    assert deviation_of(fold_imports(replace(profile, functions=tuple(machinery))), IMPORTS.name) == 5


def test_what_one_function_called_is_as_sure_as_in_the_whole() -> None:
    profile = looked_at({"parse": (300, 3), "token": (200, 4)})
    assert deviation_of(focus_on(profile, "token"), "token") == 4


def test_aligned_contexts_keep_their_standard_errors() -> None:
    one, two = looked_at({"parse": (300, 3)}), looked_at({"parse": (320, 4), "token": (10, 2)})
    aligned = diff_contexts(one, two).contexts
    for side, expected in ((aligned.before, [0, 3, 0]), (aligned.after, [0, 4, 2])):
        assert [each // 10**6 for each in side.ns_deviation] == expected
