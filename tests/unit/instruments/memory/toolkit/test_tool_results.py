"""Result lines are read strictly, named, and reported."""

from pathlib import Path

import pytest

from sonde.base.errors import InputError
from sonde.instruments.memory.toolkit import ResultNames, ToolResults, compile_tool, read_results, tool_report
from sonde.instruments.memory.toolkit.default_report import default_report
from sonde.instruments.memory.toolkit.histogram import Bins, Histogram
from sonde.instruments.memory.toolkit.results import CountsResult, HistogramResult, SetResult, ToolFault
from sonde.instruments.memory.toolkit.value_types import Kind

LINES = [
    "tool\tMine",
    "fault\tendless-loop\t12",
    "field\tclock\tint\t-9223372036854775808",
    "field\tshare\tfloat\t4611686018427387904",
    "field\tis_on\tbool\t1",
    "field\tlast\ttype\t-",
    "counts\tby_line\tmethod,int\tn,m\t7",
    "row\tby_line\t-,4\t1,2",
    "row\tby_line\t3,4\t5,6",
    "histogram\tlives\t-\t-\t0",
    "bins\tlives\t-\t3,5,0,4\t0:1,1:1,3:1",
    "set\tseen\ttype,int,int\t4",
    "member\tseen\t-,4,-1",
    "object\t17\t2\t-",
    "cache\tcache\t10\t3,1",
    "output\tout\ta%09b%25.txt\t4\t1",
    "print\t100%25%0Asure",
    "unprinted\t2",
]
SOURCE = """from sonde.instruments.memory.toolkit import Counts, Tool, before


class Mine(Tool):
    seen = Counts("n")
    clock = 0

    @before("object:access")
    def used(self, loc, type):
        self.seen[type].n += 1
"""


def test_every_line_is_read() -> None:
    results = read_results(LINES)

    assert results.name == "Mine"
    assert results.fault == ToolFault("endless-loop", 12)
    assert results.fields == {
        "clock": (Kind.INT, -(1 << 63)),
        "share": (Kind.FLOAT, 2.0),
        "is_on": (Kind.BOOL, True),
        "last": (Kind.TYPE, None),
    }
    assert results.counts["by_line"] == CountsResult(
        (Kind.METHOD, Kind.INT), ("n", "m"), {(None, 4): (1, 2), (3, 4): (5, 6)}, 7
    )
    assert list(results.histograms["lives"].rows[()].ranges()) == [(0, 0, 1), (1, 1, 1), (4, 7, 1)]
    assert results.caches["cache"].misses == (3, 1)
    assert results.outputs["out"].file == "a\tb%.txt"
    assert results.printed == ["100%\nsure"]
    assert results.objects == {17: (2, None)}
    assert results.sets["seen"] == SetResult((Kind.TYPE, Kind.INT, Kind.INT), {(None, 4, -1)}, 4)
    assert len(results.notices("mine.py")) == 5


@pytest.mark.parametrize(
    "line",
    [
        "",
        "tool",
        "row\tabsent\t1\t1",
        "row\tby_line\t1\t1,2",
        "row\tby_line\t1,2\t1",
        "row\tby_line\t1,x\t1,2",
        "row\tby_line\t1,2\t1,9223372036854775808",
        "bins\tlives\t-\t3,5,0,4\t0:1",
        "bins\tlives\t-\t1,5,0,4\t64:1",
        "field\tx\tlocation\t1",
        "field\tx\tint\t\u0661",
        "fault\tbad-luck\t1",
        "fault\tendless-loop\t-1",
        "cache\tc\t1",
        "novelty\t1",
        "member\tabsent\t1,2,3",
        "member\tseen\t1,2",
        "unprinted\t1\t2",
    ],
)
def test_what_no_tool_writes_is_refused(line: str) -> None:
    with pytest.raises(InputError, match="this is not what a tool writes") as caught:
        read_results([*LINES, line])

    assert caught.value.slug == "damaged-tool-results"


def test_no_results_are_no_results() -> None:
    with pytest.raises(InputError, match="there are none"):
        read_results([])


def test_things_of_one_name_stay_apart() -> None:
    names = ResultNames(types={1: "Node", 2: "Node", 3: "Leaf"})

    keys = names.keys((Kind.TYPE, Kind.INT), {(1, 7): None, (2, 7): None, (3, 7): None, (None, 7): None})

    assert list(keys.values()) == [("Node #1", 7), ("Node #2", 7), ("Leaf", 7), ("(none)", 7)]


def test_only_what_differs_between_keys_of_one_name_is_numbered() -> None:
    names = ResultNames(types={1: "dict"}, methods={4: "<module>", 5: "<module>", 6: "f"})

    keys = names.keys((Kind.TYPE, Kind.METHOD), [(1, 4), (1, 5), (1, 6)])

    assert list(keys.values()) == [("dict", "<module> #4"), ("dict", "<module> #5"), ("dict", "f")]


def test_objects_are_called_what_they_were_and_where_they_were_born() -> None:
    names = ResultNames(
        types={3: "Node"}, places={5: "app.py:12"}, objects={17: (3, 5), 18: (3, None), 19: (None, None)}
    )

    assert [names.name(Kind.OBJECT, number) for number in (17, 18, 19, 20, None)] == [
        "Node 17 born at app.py:12",
        "Node 18",
        "object 19",
        "object 20",
        "(none)",
    ]


def mine(tmp_path: Path, more: str = "") -> Path:
    path = tmp_path / "mine.py"
    path.write_text(SOURCE + more)
    return path


def results() -> ToolResults:
    counts = CountsResult((Kind.TYPE,), ("n",), {(number,): (100 - number,) for number in range(30)}, 0)
    return ToolResults("Mine", {"clock": (Kind.INT, 1234567)}, {"seen": counts})


def test_a_tool_without_a_report_has_tables(tmp_path: Path) -> None:
    report = tool_report(compile_tool(mine(tmp_path)), results(), ResultNames(types={0: "Node"}))

    lines = report.text.splitlines()
    assert lines[:3] == ["Mine", "  clock = 1,234,567", ""]
    assert lines[3] == "  seen by type: 30 keys"
    assert lines[5].split() == ["100", "Node"]
    assert lines[-1] == "  and 10 more"


def test_tables_of_a_tool_fit_the_screen() -> None:
    place = "/home/somebody/with/a/long/path/to/the/sources/of/a/program/app.py:1234"
    names = ResultNames(types={1: "Node"}, places={2: place}, objects={9: (1, 2)})
    bins = Bins()
    for value in (-(1 << 63), *range(1000), (1 << 62) + 1):
        bins.add(value)
    kinds = (Kind.OBJECT, Kind.PLACE, Kind.INT)
    held = ToolResults(
        "Mine",
        counts={
            "used": CountsResult(kinds, ("reads", "writes"), {(9, 2, 1 << 40): (10**14, 3)}, 0),
            "all": CountsResult((), ("n", "m"), {(): (1234, 5)}, 0),
        },
        histograms={"spread": HistogramResult(kinds, {(9, 2, 64): bins}, 0)},
        sets={"seen": SetResult((Kind.INT, Kind.PLACE), {(10, 2), (9, 2)}, 0)},
    )

    text = default_report(held, names, {"used": ("obj", "loc.place", "loc.address // 64")})

    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    assert "  used by obj, loc.place, loc.address // 64: 1 key" in lines
    assert "  all: 1,234 n, 5 m" in lines
    assert [line.split(",")[0] for line in lines[-2:]] == ["  9", "  10"]
    assert lines[-1].endswith("/app.py:1234")
    shown = [line.split() for line in lines[lines.index("") :] if line.endswith("%")]
    assert [row[2] for row in shown] == ["17", "16", "32", "64", "128", "256", "488", "1"]  # 0 to 15 are few


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("self.seen[0].m", "line 13: AttributeError: there is no column 'm' but n"),
        ("raise SystemExit(3)", "line 13: SystemExit: 3"),
    ],
)
def test_a_report_that_fails_is_the_authors_fault(tmp_path: Path, body: str, said: str) -> None:
    path = mine(tmp_path, f"\n    def report(self):\n        {body}\n")

    with pytest.raises(InputError) as caught:
        tool_report(compile_tool(path), results(), ResultNames())

    assert caught.value.slug == "tool-report-failed"
    assert said in caught.value.message


def test_a_report_may_import_what_lies_beside_it(tmp_path: Path) -> None:
    (tmp_path / "beside_the_tool.py").write_text("WORD = 'beside'\n")
    more = "\n    def report(self):\n        import beside_the_tool\n\n        print(beside_the_tool.WORD)\n"
    path = mine(tmp_path, more)
    path.write_text("import beside_the_tool\n" + path.read_text())

    assert tool_report(compile_tool(path), results(), ResultNames()).text == "beside\n"


def test_bins_of_several_keys_add_up() -> None:
    histogram = Histogram()
    for key, value in (("a", 5), ("b", -3), ("b", 9)):
        histogram[key].add(value)

    assert histogram.all() == Bins(3, 11, -3, 9, [1, 0, 0, 1, 1, *[0] * 59])
