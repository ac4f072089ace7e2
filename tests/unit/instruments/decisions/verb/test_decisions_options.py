"""Options that compilers' records have, and the line that says how far a comparison is."""

import argparse
import io
from itertools import count

import pytest

from sonde.base.errors import UsageError
from sonde.instruments.decisions.capture import CaptureOptions
from sonde.instruments.decisions.experiments import HeatPolicy, TreeOptions
from sonde.instruments.decisions.verb.progress import Progress
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


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_one_line_that_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = count()
    monkeypatch.setattr("sonde.instruments.decisions.verb.progress.time.monotonic", lambda: float(next(seconds)))
    progress = Progress("compared", terminal := Terminal())

    for done in (999, 1000, 7):
        progress(done, 2000)
    progress.close()

    assert terminal.getvalue() == (
        "\rcompared 999 of 2,000\rcompared 1,000 of 2,000\rcompared 7 of 2,000    \r                   \r"
    )


def test_progress_does_not_write_more_often_than_one_can_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sonde.instruments.decisions.verb.progress.time.monotonic", lambda: 1.0)
    progress = Progress("compared", terminal := Terminal())

    progress(1, 2)
    progress.close()

    assert terminal.getvalue() == ""


def test_progress_is_not_for_files() -> None:
    progress = Progress("compared", stream := io.StringIO())
    for done in range(10):
        progress(done, 10)
    progress.close()
    assert stream.getvalue() == ""
