"""`--lines`: what each line of source costs, on paper."""

from dataclasses import replace

import pytest

from report_json import table
from sonde.base.fitted_text import display_width
from sonde.instruments.contexts.profile import ContextProfile, Function, FunctionKind, MeasuredProcess
from sonde.instruments.contexts.report import contexts_report
from sonde.instruments.contexts.shown_code import ShownCode
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


def line_rows(profile: ContextProfile, code: ShownCode | None = None) -> list[list[str]]:
    text = report_text(contexts_report(profile, code=code, by_lines=True, with_data=False), columns=100)
    return [line.split() for line in text.split("\nlines  ")[1].split("\n\n")[0].splitlines()[2:]]


def test_lines_have_their_text_and_the_time_of_calls_from_there() -> None:
    # 100 ns in all: line 3 makes four calls that take 50; what begins in line 1 has 10 and 35 of its own.
    rows = line_rows(priced(), ShownCode(imports=True))

    assert rows[:3] == [
        ["4", "50", "ns", "50.0%", "app.py:3", "price(order)"],
        ["4", "50", "ns", "app.py:6", "def", "price(order):"],
        ["2", "45", "ns", "app.py:1", "def", "main():"],
    ]


def test_the_import_machinery_comes_last() -> None:
    rows = line_rows(priced(), ShownCode(imports=True))
    places = [[word for word in row if ":" in word and word[0] in "a<"] for row in rows]

    assert [place for place in places if place][:3] == [["app.py:3"], ["app.py:6"], ["app.py:1"]]
    assert "35 ns" in " ".join(rows[3])  # line 701 calls main


def test_lines_that_ran_while_modules_were_imported_are_not_listed() -> None:
    # `main` ran twice: once in an import, 35 ns.
    rows = line_rows(priced())

    assert rows[2] == ["1", "10", "ns", "app.py:1", "def", "main():"]
    assert rows[3][:2] == ["time", "in"]  # the legend


def test_only_lines_of_the_code_that_is_shown_with_all_that_they_call() -> None:
    functions = {**FUNCTIONS, "dumps": Function("dumps", "json", "/usr/lib/python3.12/json/__init__.py", 183)}
    profile = profile_of("main 10\n  dumps @3 50 x4\n    price @231 20", functions=functions)

    rows = line_rows(replace(profile, sources={"app.py": SOURCE}), ShownCode(mine=True))

    assert rows[:3] == [
        ["4", "70", "ns", "87.5%", "app.py:3", "price(order)"],
        ["1", "20", "ns", "app.py:6", "def", "price(order):"],
        ["1", "10", "ns", "app.py:1", "def", "main():"],
    ]


def test_what_is_not_known_by_line_is_said() -> None:
    text = report_text(contexts_report(priced(), by_lines=True, with_data=False), columns=120)

    assert "self time by function: it stands where the function begins" in text


def test_without_a_clock_lines_have_calls() -> None:
    assert line_rows(priced("none"))[0] == ["4", "4", "57.1%", "app.py:3", "price(order)"]


def test_lines_stand_in_place_of_the_tree() -> None:
    report = contexts_report(priced(), by_lines=True)

    text = report_text(report)
    assert "\nlines  " in text
    assert "calling contexts" not in text
    assert len(table(report_data(report), "contexts")) == 2
    assert len(table(report_data(report), "lines")) == 3


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_lines_fit(columns: int) -> None:
    text = report_text(contexts_report(priced(), by_lines=True, with_data=False), columns=columns)

    assert max(map(display_width, text.splitlines())) <= columns


def test_a_text_that_was_not_kept_is_left_out() -> None:
    assert line_rows(replace(priced(), sources={}))[0] == ["4", "50", "ns", "50.0%", "app.py:3"]


def sampled(
    outline: str = "main 10\n  price @3 50 x4\n_load 5\n  main @701 35", **samples: dict[int, int]
) -> ContextProfile:
    profile = profile_of(outline, functions=FUNCTIONS)
    return replace(
        profile,
        sources={"app.py": SOURCE},
        line_samples={FUNCTIONS[name]: lines for name, lines in samples.items()},
    )


def test_own_time_stands_at_the_lines_where_a_function_was_seen() -> None:
    # `main` has 45 ns of its own: it was seen twice as often in line 3 as in line 2. `price` was hardly seen.
    rows = line_rows(sampled(main={2: 20, 3: 40}, price={7: 9}), ShownCode(imports=True))

    assert rows[:4] == [
        ["4", "50", "ns", "50.0%", "app.py:6", "def", "price(order):"],
        ["4", "30", "ns", "30.0%", "±20%", "50", "ns", "50.0%", "app.py:3", "price(order)"],
        ["15", "ns", "15.0%", "±40%", "app.py:2", "for", "order", "in", "orders:"],
        ["2", "app.py:1", "def", "main():"],
    ]
    legend = " ".join(word for row in rows for word in row)
    assert "seen fewer than 10 times it stands where they begin" in legend


def test_lines_that_were_sampled_come_in_the_order_of_what_is_theirs_alone() -> None:
    # Line 3 has 2 ns of its own; what it calls is not of this project, has no lines here, and takes 70.
    functions = {**FUNCTIONS, "dumps": Function("dumps", "json", "/usr/lib/python3.12/json/__init__.py", 183)}
    made = profile_of("main 12\n  dumps @3 50 x4\n    price @231 20", functions=functions)
    profile = replace(made, line_samples={FUNCTIONS["main"]: {2: 50, 3: 10}, FUNCTIONS["price"]: {7: 30}})

    report = contexts_report(profile, code=ShownCode(mine=True), by_lines=True)

    rows = table(report_data(report), "lines")
    assert [(row["line"]["line"], row.get("self"), row.get("callees")) for row in rows] == [
        (3, 2, 70),
        (7, 20, None),
        (2, 10, None),
        (1, None, None),
        (6, None, None),
    ]


def headline_of(profile: ContextProfile, code: ShownCode | None = None) -> str:
    return contexts_report(profile, code=code, by_lines=True).headline[0]


def test_the_headline_names_the_hottest_line_with_the_interval_of_its_share() -> None:
    said = headline_of(sampled("main 900\n  price @3 100 x4", main={2: 100, 3: 900}, price={7: 100}))

    assert said == "app.py:3 in main is the hottest line: 79.2% to 82.8% of the time."


def test_no_line_has_more_than_the_whole_time() -> None:
    said = headline_of(sampled("main 1000", main={2: 1, 3: 99}))
    assert said == "app.py:3 in main is the hottest line: 94.6% to 100.0% of the time."


def test_lines_whose_order_is_chance_are_both_named() -> None:
    said = headline_of(sampled("main 900\n  price @3 100 x4", main={2: 50, 3: 52}, price={7: 100}))
    assert said == "app.py:3 or app.py:2 is the hottest line: about 45.9% and 44.1% of the time."

    said = headline_of(sampled("main 900", main={2: 50, 3: 52, 4: 51}))
    assert said == "app.py:3, app.py:4 or another is the hottest line: about 34.0% and 33.3% of the time."


@pytest.mark.parametrize("samples", [{}, {3: 9}])
def test_without_enough_samples_no_line_is_hottest(samples: dict[int, int]) -> None:
    assert headline_of(sampled("main 900\n  price @3 100", main=samples)).startswith("main (app.py:1) is hottest")


def test_calls_alone_have_no_own_time_by_line() -> None:
    profile = replace(priced("none"), line_samples={FUNCTIONS["main"]: {3: 100}})

    assert line_rows(profile)[0] == ["4", "4", "57.1%", "app.py:3", "price(order)"]


def test_of_a_part_of_the_run_it_is_said_that_shares_are_of_the_whole() -> None:
    profile = sampled("main 10\n  price @3 50 x4", price={7: 30})
    text = report_text(contexts_report(profile, code=ShownCode(from_="price"), by_lines=True), columns=100)

    assert "time is divided among its lines as in the whole run" in text


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_sampled_lines_fit(columns: int) -> None:
    profile = sampled(main={2: 20, 3: 40}, price={7: 90})
    text = report_text(contexts_report(profile, by_lines=True, with_data=False), columns=columns)

    assert max(map(display_width, text.splitlines())) <= columns


@pytest.mark.parametrize(
    ("mechanism", "kind", "expected"),
    [
        ("cpython-eval-hook", "function", {2: 600, 3: 300}),
        ("cpython-monitoring", "function", {2: 450, 3: 450}),
        ("cpython-monitoring", "builtin", {2: 600, 3: 300}),
    ],
)
def test_what_watching_cost_is_no_lines_time(mechanism: str, kind: FunctionKind, expected: dict[int, int]) -> None:
    # Line 3 makes four calls; watching one begin cost 75 ns, of each kind, where the line is seen meanwhile.
    functions = {**FUNCTIONS, "price": replace(FUNCTIONS["price"], kind=kind)}
    made = profile_of("main 900\n  price @3 100 x4", functions=functions)
    process = MeasuredProcess(1, 0, "", "", mechanism, 1, 5, "exited 0", 600, (75.0, 10.0, 75.0, 10.0))
    samples = {FUNCTIONS["main"]: {2: 50, 3: 50}}

    report = contexts_report(replace(made, processes=(process,), line_samples=samples), by_lines=True)

    rows = {row["line"]["line"]: row.get("self") for row in table(report_data(report), "lines")}
    assert {line: rows[line] for line in expected} == expected
