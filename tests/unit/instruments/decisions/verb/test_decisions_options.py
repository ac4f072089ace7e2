"""Options that are fields of a dataclass, and the line that says how far a comparison is."""

import argparse
import io
from dataclasses import dataclass
from itertools import count

import pytest

from sonde.base.errors import UsageError
from sonde.instruments.decisions.experiments import HeatPolicy, TreeOptions
from sonde.instruments.decisions.verb.field_options import HEAT_HELP, TREE_HELP, add_field_options, fields_of
from sonde.instruments.decisions.verb.progress import Progress


@dataclass(frozen=True)
class Colours:
    many: int = 3
    strong: float = 0.5
    warm: bool = True
    name: str = "blue"
    hidden: int = 7


ABOUT = {"many": "how many", "strong": "how strong", "warm": "whether warm", "name": "which"}


def parsed(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_field_options(parser, Colours, ABOUT, prefix="colour-")
    return parser.parse_args(words)


def test_fields_become_options_with_their_defaults() -> None:
    assert fields_of(Colours, parsed(), prefix="colour-") == Colours()


def test_what_is_given_is_read_as_the_field_is() -> None:
    words = ("--colour-many", "4", "--colour-strong=0.25", "--no-colour-warm", "--colour-name", "red")
    assert fields_of(Colours, parsed(*words), prefix="colour-") == Colours(4, 0.25, False, "red")


def test_fields_that_are_not_described_are_no_options() -> None:
    with pytest.raises(SystemExit):
        parsed("--colour-hidden", "8")


def test_all_fields_of_heat_and_of_trees_are_described() -> None:
    assert list(HEAT_HELP) == list(HeatPolicy.__slots__)
    assert list(TREE_HELP) == list(TreeOptions.__slots__)


def test_what_the_dataclass_refuses_is_refused() -> None:
    parser = argparse.ArgumentParser()
    add_field_options(parser, HeatPolicy, HEAT_HELP, prefix="hot-")
    with pytest.raises(UsageError) as refused:
        fields_of(HeatPolicy, parser.parse_args(["--hot-min-limit", "11"]), prefix="hot-")
    assert refused.value.slug == "heat-limits"


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
