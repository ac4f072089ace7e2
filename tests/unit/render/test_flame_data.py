"""Flame graphs as pages get them: which frames are kept, what belongs to them, and that no other rendering has them."""

import json
import random
import re
from array import array
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from made_reports import HOSTILE, SHELL_SORT
from sonde.base.errors import InternalError
from sonde.code import Function
from sonde.render.html import MAX_PAGE_BYTES, report_html
from sonde.render.html.flame_data import MOST_FRAMES, flame_data, heaviest_frames
from sonde.render.report_json import report_data
from sonde.render.report_markdown import report_markdown
from sonde.render.terminal.report_text import report_text
from sonde.report import FlameGraph, FrameWeights, Note, Report, Unit

FUNCTIONS = tuple(Function(f"f{number}", "app", "app.py", number + 1) for number in range(30))


def random_graph(frames: int, *, seed: int = 1, functions: tuple[Function, ...] = FUNCTIONS) -> FlameGraph:
    choose = random.Random(seed)
    parent = [-1, *(choose.randrange(-1 if row < 3 else 0, row) for row in range(1, frames))]
    calls, own = ([choose.randrange(below) for _ in range(frames)] for below in (9, 1000))
    weights = []
    units: tuple[Unit, Unit] = ("duration", "count")
    for key, title, unit, column in zip(("time", "calls"), ("Time", "Calls"), units, (own, calls), strict=True):
        total = array("q", column)
        for row in range(frames - 1, 0, -1):
            if parent[row] >= 0:
                total[parent[row]] += total[row]
        weights.append(FrameWeights(key, title, unit, column, total, sum(column)))
    return FlameGraph(
        "graph",
        "graph",
        functions,
        parent,
        [choose.randrange(len(functions)) for _ in range(frames)],
        [choose.randrange(50) for _ in range(frames)],
        tuple(weights),
    )


def data_of(graph: FlameGraph, most: int = MOST_FRAMES) -> dict[str, Any]:
    return flame_data(graph, most, graph.functions.index)


def totals(data: dict[str, Any], number: int) -> list[int]:
    """Added up as the page's script does it."""
    weights = data["weights"][number]
    total = [own + rest for own, rest in zip(weights["own"], weights["rest"] or [0] * data["frames"], strict=True)]
    for row in range(len(total) - 1, -1, -1):
        if data["up"][row]:
            total[row - data["up"][row]] += total[row]
    return total


def test_frames_come_back_as_they_were() -> None:
    graph = random_graph(500)
    data = data_of(graph)
    assert [row - up if up else -1 for row, up in enumerate(data["up"])] == graph.parent
    assert (data["function"], data["line"], data["cut"]) == (graph.function, graph.call_line, 0)
    assert [weights["rest"] for weights in data["weights"]] == [[], []]
    for number, weights in enumerate(graph.weights):
        assert totals(data, number) == list(weights.total)


@given(st.integers(0, 2**32), st.integers(1, 120))
def test_the_heaviest_frames_are_a_tree_with_the_same_totals(seed: int, most: int) -> None:
    graph = random_graph(100, seed=seed)
    kept, weights = heaviest_frames(graph, most), graph.weights[0].total
    assert len(kept) == min(most, 100)
    assert all(first < second for first, second in pairwise(kept))
    assert {graph.parent[row] for row in kept} <= {-1, *kept}
    assert sum(weight > min(weights[row] for row in kept) for weight in weights) <= len(kept)
    data = data_of(graph, most)
    assert data["cut"] == 100 - len(kept)
    for number, each in enumerate(graph.weights):
        assert totals(data, number) == [each.total[row] for row in kept]


def test_frames_of_either_side_of_a_comparison_are_kept() -> None:
    sides = (
        FrameWeights("after", "After", "duration", (1, 0, 4), (5, 0, 4), 5),
        FrameWeights("before", "Before", "duration", (1, 9, 0), (10, 9, 0), 10),
    )
    graph = FlameGraph("graph", "graph", FUNCTIONS, (-1, 0, 0), (0, 1, 2), (0, 1, 2), sides, (-5, -9.123456789, 4))
    assert heaviest_frames(graph, 2) == [0, 1]
    assert data_of(graph, 2)["change"] == [-5, -9.12346]


def test_what_was_given_up_and_doubts_go_with_their_frames() -> None:
    weights = FrameWeights(
        "time", "Time", "duration", (5, 5, 1), (50, 30, 1), 60, (1, 2, 3), (0, 7, 0), 6, (20, 24, 0), 10
    )
    graph = FlameGraph("graph", "graph", FUNCTIONS, (-1, 0, 1), (0, 1, 2), (0, 1, 2), (weights,), left_out=4)
    data = data_of(graph, 2)
    told = data["weights"][0]
    assert (told["gap"], told["gap_at_top"], told["all_gaps"]) == ([20, 24], 10, 54)
    assert (told["rest"], told["around"], told["above"]) == ([15, 25], [1, 2], [0, 7])
    assert (told["hot_from"], data["cut"]) == (6, 5)


def test_functions_are_told_by_whose_code_they_are_the_heaviest_first() -> None:
    functions = (
        Function("main", "__main__", "app.py", 1),
        Function("loads", "json", "/usr/lib/json/__init__.py", 9),
        Function("len", "builtins", "", 0, "builtin"),
        Function("run", "__main__", "app.py", 5),
    )
    own = (1, 7, 2, 3)
    weights = FrameWeights("time", "Time", "duration", own, (13, 7, 2, 3), 13)
    graph = FlameGraph("graph", "graph", functions, (-1, 0, 0, 0), (0, 1, 2, 3), (0,) * 4, (weights,))
    assert data_of(graph)["groups"] == [["standard library", [1]], ["__main__", [3, 0]], ["built-in", [2]]]


@pytest.mark.parametrize("wrong", ["function", "own", "change", "around", "weights"])
def test_columns_of_another_length_are_refused(wrong: str) -> None:
    weights = FrameWeights("time", "Time", "duration", (1,) * (wrong == "own"), (1, 1), 1, (1,) * (wrong == "around"))
    with pytest.raises(InternalError, match="cannot make flame graph 'graph'"):
        FlameGraph(
            "graph", "graph", FUNCTIONS, (-1, 0), (0,) * (1 if wrong == "function" else 2), (0, 0),
            () if wrong == "weights" else (weights,), (1,) * (wrong == "change"),
        )  # fmt: skip


def test_only_pages_have_it() -> None:
    alone, with_graph = (Report("toy", "made", blocks) for blocks in ((Note("n"),), (Note("n"), random_graph(9))))
    assert report_data(alone) == report_data(with_graph)
    assert report_markdown(alone) == report_markdown(with_graph)
    assert report_text(alone) == report_text(with_graph)
    assert '"block":"flame"' in report_html(with_graph)


def test_names_are_data_and_never_markup() -> None:
    hostile = Function(HOSTILE, HOSTILE, HOSTILE, 3)
    page = report_html(Report("toy", "made", (random_graph(9, functions=(hostile, SHELL_SORT)),)))
    page.encode("ascii")
    assert page.count("</script>") == 2
    assert "<img" not in page


def test_a_page_has_its_bounds_however_many_frames() -> None:
    functions = tuple(
        Function("\U0001f600" * 299 + chr(65 + number), f"m.{number}", f"/{number}" * 500, 1) for number in range(3_000)
    )
    graph = random_graph(6_000, functions=functions)
    page = report_html(Report("toy", "made", (graph,)))
    assert len(page) <= MAX_PAGE_BYTES
    found = re.search(r'<script type="application/json" id="report">(.*?)</script>', page, re.S)
    assert found is not None
    (block,) = json.loads(found[1])["blocks"]
    assert 0 < block["frames"] < 6_000
    assert block["frames"] + block["cut"] == len(graph.parent)
