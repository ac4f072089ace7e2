"""The hint for a name that is not known."""

from sonde.base.near_names import near_hint, near_names, near_or_all


def test_the_nearest_names_are_offered_three_at_the_most() -> None:
    known = ["loads", "lads", "load", "lods", "aods", "dump"]
    assert near_names("laods", known) == ["lods", "lads", "aods"]
    assert near_hint("laods", known, "help") == "did you mean 'lods', 'lads' or 'aods'?"


def test_what_is_merely_near_is_left_out_where_one_name_differs_in_a_letter() -> None:
    assert near_names("hyperfin", ["pyperf", "hyperfine"]) == ["hyperfine"]


def test_what_all_options_begin_with_brings_none_of_them_near() -> None:
    assert near_names("--gil", ["--at", "--for", "-k"]) == []
    assert near_names("--roes", ["--rows", "--rate"]) == ["--rows"]


def test_case_does_not_count_and_spellings_that_differ_in_it_are_all_offered() -> None:
    assert near_names("PARSER", ["Parser", "parser"]) == ["Parser", "parser"]


def test_what_comes_near_to_nothing_has_the_other_hint() -> None:
    assert near_hint("xyzzy", ["loads"], None) is None
    assert near_or_all("xyzzy", ["loads", "dumps"]) == "known are loads, dumps"
    assert near_or_all("xyzzy", []) == "none is known"
