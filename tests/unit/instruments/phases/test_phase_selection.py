"""Methods are phases by their times: the example of the document, and odd cases."""

import pytest

from made_phases import function, timed_tree
from sonde.code import Function
from sonde.instruments.phases.analysis import select_phases
from sonde.instruments.phases.profile import FunctionTime, Thetas

# Buytaert, Figure 3.3: total time, calls. (What main calls adds up to 1830, not to its 1800: units are made up.)
FIGURE = {
    "main": (1800, 1),
    "init": (30, 1),
    "readData": (300, 1),
    "readElement": (200, 50),
    "print": (30, 1),
    "sortData": (1300, 1),
    "compare": (600, 300),
    "swap": (500, 250),
    "printData": (170, 1),
    "printElement": (150, 50),
}


def figure_times() -> list[FunctionTime]:
    return [FunctionTime(function(name), calls, total, 0) for name, (total, calls) in FIGURE.items()]


def test_the_example_of_figure_3_3_selects_main_read_data_and_sort_data() -> None:
    phases = select_phases(figure_times(), 1800, Thetas(0.10, 0.05))
    assert [each.function.name for each in phases] == ["main", "sortData", "readData"]
    assert {each.function.name: each.per_call_ns for each in figure_times()}["printElement"] == 3


def test_the_example_as_a_tree_of_calls_selects_the_same() -> None:
    tree = timed_tree(
        list(FIGURE),
        [
            (-1, "main", 1, 0),
            (0, "init", 1, 30),
            (0, "readData", 1, 100),
            (2, "readElement", 50, 200),
            (0, "sortData", 1, 170),
            (4, "print", 1, 30),
            (4, "compare", 300, 600),
            (4, "swap", 250, 500),
            (0, "printData", 1, 20),
            (8, "printElement", 50, 150),
        ],
    )
    times = {each.function.name: (each.total_ns, each.calls) for each in tree.function_times()}
    assert times == FIGURE
    assert tree.whole_ns == 1800
    phases = select_phases(tree.function_times(), tree.whole_ns, Thetas(0.10, 0.05))
    assert [each.function.name for each in phases] == ["main", "sortData", "readData"]


@pytest.mark.parametrize(
    ("thetas", "names"),
    [
        (Thetas(0.10, 0.0), ["main", "sortData", "compare", "swap", "readData", "readElement"]),
        (Thetas(0.0, 0.05), ["main", "sortData", "readData", "printData"]),
        (Thetas(1.0, 1.0), ["main"]),
    ],
)
def test_each_threshold_is_a_share_of_the_whole(thetas: Thetas, names: list[str]) -> None:
    assert [each.function.name for each in select_phases(figure_times(), 1800, thetas)] == names


def test_time_of_a_recursive_method_counts_once_and_its_calls_share_it() -> None:
    tree = timed_tree(["main", "fib"], [(-1, "main", 1, 10), (0, "fib", 1, 20), (1, "fib", 2, 30), (2, "fib", 4, 40)])
    fib = tree.function_times()[1]
    assert (fib.total_ns, fib.calls, fib.own_ns) == (90, 7, 90)
    assert fib.per_call_ns == 90 / 7


def test_what_has_no_frame_of_its_own_is_no_phase() -> None:
    kinds = [
        Function("sum", "", "", 0, "builtin"),
        Function("list comprehension in f", "", "a.py", 2, "comprehension"),
        Function("f", "", "a.c", 1, "function", "native"),
        Function("lambda", "", "a.py", 1, "lambda"),
    ]
    times = [FunctionTime(each, 1, 50, 50) for each in kinds]
    assert [each.function.kind for each in select_phases(times, 100, Thetas())] == ["lambda"]


def test_a_method_that_was_never_called_is_no_phase_at_any_threshold() -> None:
    assert select_phases([FunctionTime(function("f"), 0, 0, 0)], 0, Thetas(0.0, 0.0)) == ()
    assert select_phases([FunctionTime(function("f"), 9, 0, 0)], 0, Thetas()) == ()
