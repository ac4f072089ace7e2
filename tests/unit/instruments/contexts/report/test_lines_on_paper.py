"""`--lines`: what each line of source costs, on paper."""

from dataclasses import replace

import pytest

from report_json import table
from sonde.base.fitted_text import display_width
from sonde.instruments.contexts.profile import ContextProfile, Function
from sonde.instruments.contexts.report import contexts_report
from sonde.render.report_json import report_data
from sonde.render.terminal.report_text import report_text
from tree_builder import profile_of

SOURCE = "def main():\n    for order in orders:\n        price(order)\n\n\ndef price(order):\n    return order\n"
FUNCTIONS = {
    "main": Function("main", "app", "app.py", 1),
    "price": Function("price", "app", "app.py", 6),
    "_load": Function("_load", "importlib._bootstrap", "<frozen importlib._bootstrap>", 700),
}


def priced(clock: str = "tsc") -> ContextProfile:
    made = profile_of("main 10\n  price @3 50 x4\n_load 5\n  main @701 35", functions=FUNCTIONS, clock=clock)
    return replace(made, sources={"app.py": SOURCE})


def line_rows(profile: ContextProfile, columns: int = 100) -> list[list[str]]:
    text = report_text(contexts_report(profile, by_lines=True, with_data=False), columns=columns)
    return [line.split() for line in text.split("\nlines  ")[1].split("\n\n")[0].splitlines()[2:]]


def test_lines_have_their_text_and_the_time_of_calls_from_there() -> None:
    # 100 ns in all: line 3 makes four calls that take 50; what begins in line 1 has 10 and 35 of its own.
    rows = line_rows(priced())

    assert rows[:3] == [
        ["4", "50", "ns", "50.0%", "app.py:3", "price(order)"],
        ["4", "50", "ns", "app.py:6", "def", "price(order):"],
        ["2", "45", "ns", "app.py:1", "def", "main():"],
    ]


def test_the_import_machinery_comes_last() -> None:
    places = [[word for word in row if ":" in word and word[0] in "a<"] for row in line_rows(priced())]

    assert [place for place in places if place][:3] == [["app.py:3"], ["app.py:6"], ["app.py:1"]]
    assert "35 ns" in " ".join(line_rows(priced())[3])  # line 701 calls main


def test_what_is_not_known_by_line_is_said() -> None:
    text = report_text(contexts_report(priced(), by_lines=True, with_data=False), columns=120)

    assert "own time by function: it stands where the function begins" in text


def test_without_a_clock_lines_have_calls() -> None:
    assert line_rows(priced("none"))[0] == ["4", "4", "57.1%", "app.py:3", "price(order)"]


def test_lines_stand_in_place_of_the_tree() -> None:
    report = contexts_report(priced(), by_lines=True)

    text = report_text(report)
    assert "\nlines  " in text
    assert "calling contexts" not in text
    assert len(table(report_data(report), "contexts")) == 2
    assert len(table(report_data(report), "lines")) == 5


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_lines_fit(columns: int) -> None:
    text = report_text(contexts_report(priced(), by_lines=True, with_data=False), columns=columns)

    assert max(map(display_width, text.splitlines())) <= columns


def test_a_text_that_was_not_kept_is_left_out() -> None:
    assert line_rows(replace(priced(), sources={}))[0] == ["4", "50", "ns", "50.0%", "app.py:3"]
