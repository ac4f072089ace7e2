"""Options that compilers' records have, and the line that says how far a comparison is."""

import argparse

import pytest

from sonde.base.errors import UsageError
from sonde.instruments.decisions.capture import CaptureOptions
from sonde.instruments.decisions.experiments import HeatPolicy, TreeOptions
from sonde.options.declared import add_options, options_from


def parsed(declared: type, *words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_options(parser, declared)
    return parser.parse_args(words)


def test_which_units_are_hot_is_said_by_options_of_that_name() -> None:
    words = ("--hot-min-limit", "2", "--hot-max-limit=4", "--hot-percentile", "0.5")
    assert options_from(HeatPolicy, parsed(HeatPolicy, *words)) == HeatPolicy(2, 4, 0.5)


def test_trees_are_left_as_they_are_if_so_wanted() -> None:
    given = parsed(TreeOptions, "--no-sort-inlining-tree", "--remove-detailed-phases")
    assert options_from(TreeOptions, given) == TreeOptions(sort_inlining_tree=False)


def test_what_the_value_refuses_is_refused() -> None:
    with pytest.raises(UsageError) as refused:
        options_from(HeatPolicy, parsed(HeatPolicy, "--hot-min-limit", "11"))
    assert refused.value.slug == "heat-limits"


def test_times_of_a_capture_are_in_the_units_of_their_fields() -> None:
    given = parsed(CaptureOptions, "--interval", "250ms", "--tick", "2ms", "--kind", "cpython")
    assert options_from(CaptureOptions, given) == CaptureOptions("cpython", interval_s=0.25, tick_ms=2)
