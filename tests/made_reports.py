"""Reports made by hand: one with every block, every unit and every tone; empty, hostile and large ones."""

from sonde.code import Function, Place
from sonde.evidence import Bound, Doubt, Interval, Loss, Remark
from sonde.report import (
    Bins,
    Block,
    Change,
    Column,
    Estimated,
    Fact,
    Facts,
    Findings,
    Listing,
    Margin,
    Named,
    Note,
    Notices,
    Part,
    Plot,
    Quantity,
    Record,
    Report,
    Row,
    Sample,
    Table,
    Values,
)

SORT_PY = '''"""Sorts records."""

import random


class Entry:
    def __init__(self, number, items):
        self.number = number  # its place
        self.items = items


def read(count):
    """Makes records.

    They are random.
    """
    random.seed(7)
    return [Entry(number, [str(random.random())]) for number in range(count)]


def shell_sort(index, i):
    gap = len(index) // 2
    while gap > 0:
        for j in range(gap, len(index)):
            k = j - gap
            while k >= 0 and index[k].items[i] > index[k + gap].items[i]:
                index[k], index[k + gap] = index[k + gap], index[k]
                k -= gap
        gap //= 2
'''
MAIN_PY = "from app.sorting import read, shell_sort\n\nshell_sort(read(20_000), 0)\n"

SORT_FILE, MAIN_FILE = "/home/u/app/sorting.py", "/home/u/app/main.py"

SHELL_SORT = Function("shell_sort", "app.sorting", SORT_FILE, 21)
READ = Function("read", "app.sorting", SORT_FILE, 12)
INIT = Function("Entry.__init__", "app.sorting", SORT_FILE, 7)
MODULE = Function("<module>", "__main__", MAIN_FILE, 1, kind="module")
LEN = Function("len", "builtins", "", 0, kind="builtin")
COMPARE = Function(
    "unicode_compare", "", "./Objects/unicodeobject.c", 10512, language="native", library="/usr/bin/python3"
)

HOSTILE = "</script><img src=x onerror=window.broken=1> \x1b[31m \u202egnitros \u0301\u0301 \ud800"
"""Markup, a terminal's escape, letters from right to left, combining marks, half a character."""


def full_report() -> Report:
    """Something of everything: what a program spent and missed, by function, line, type and context; what changed."""
    blocks: tuple[Block, ...] = (
        Facts(
            (
                Fact("elapsed", 4_210_000_000, "duration", "{} elapsed"),
                Fact("calls", 945_775_974, "count", "{} calls", "{} call"),
                Fact("process", 1, "count", "{} processes", "{} process"),
                Fact("known", 0.929, "share", "{} of known lines"),
                Fact("misses", Part(9_530_000, 52_000_000), "count", "{} misses"),
                Fact("held", 73_400_320, "bytes", "{} held at most"),
                Fact("ended", "exited 0"),
            )
        ),
        Facts(
            (Fact("tool", "lackey 3.25"), Fact("objects", None, words="objects were not asked for")),
            "environment",
            is_secondary=True,
        ),
        Findings(("80 % of the misses are in 2 lines.", "sorting.py:26 in shell_sort has half of the misses.")),
        Notices(
            (
                Loss(
                    "objects-not-tracked",
                    312,
                    "312 blocks were allocated before the window",
                    examples="list, dict",
                    hint="begin the window earlier",
                ),
                Doubt("short-run", "the run was shorter than a second"),
                Remark("", "simulated caches, least recently used"),
                Remark("cold", "first accesses are counted"),
                Loss("threads", 2, "2 threads ended early"),
            )
        ),
        *_code_tables(),
        types_table(),
        pairs_table(),
        contexts_tree(),
        Note("Times of a function are without those of what it calls."),
        measurements_table(),
        changes_table(),
        empty_table(),
        Listing(
            "listing",
            "sorting.py by line",
            SORT_FILE,
            SORT_PY,
            (Column("decision", "decision"), Column("time", "time", "duration", whole=4_210_000_000, is_hot=True)),
            {23: ("not vectorized: loop exits early", 210_000_000), 26: ("inlined", 2_400_000_000)},
            ("what the compiler decided",),
        ),
        estimates_table(),
        verdicts_table(),
        *plots(),
        Findings(("Nothing else stands out.",), "last", "In short"),
    )
    return Report("toy", "python3 main.py --records 20000", blocks, {SORT_FILE: SORT_PY, MAIN_FILE: MAIN_PY}, True)


def _code_tables() -> tuple[Table, Table, Table]:
    """Functions and lines, with the same columns: they go together."""
    columns = (
        Column("accesses", "accesses", "count", 945_775_974, "share", meaning="Loads and stores."),
        Column("misses1", "D1 misses", "count", 52_000_000, is_hot=True),
        Column("misses2", "L2 misses", "count", 9_530_000, is_hot=True),
    )
    extra = Column("loads", "loads", "count", shown="data", meaning="Loads alone.")

    def row(name: Function | Place, accesses: int, first: int, second: int) -> Row:
        return Row((name, accesses, Part(first, accesses), Part(second, first), accesses * 3 // 4))

    functions = Table(
        "functions",
        "functions",
        (Column("function", "function", "name"), *columns, extra),
        (
            row(SHELL_SORT, 796_000_000, 50_800_000, 9_120_000),
            row(READ, 50_100_000, 363_000, 131_000),
            row(MODULE, 22_600_000, 310_000, 61_200),
            row(COMPARE, 2_000_000, 51_100, 20_100),
            row(LEN, 12_000, 0, 0),
        ),
        notes=("by L2 misses",),
        noun="function",
        most=3,
    )
    lines = Table(
        "lines",
        "lines",
        (Column("line", "line", "place"), *columns, extra),
        (
            row(Place(SORT_FILE, 26, SHELL_SORT), 301_000_000, 18_800_000, 4_760_000),
            row(Place(SORT_FILE, 27, SHELL_SORT), 321_000_000, 24_600_000, 2_840_000),
            row(Place(SORT_FILE, 18, READ), 49_400_000, 322_000, 112_000),
            row(Place("./Objects/unicodeobject.c", 10520, COMPARE), 1_900_000, 50_000, 20_000),
            row(Place(SORT_FILE, 8, INIT, (Place(SORT_FILE, 18, READ),)), 690_000, 40_100, 18_200),
            row(Place(MAIN_FILE, 3, MODULE), 160, 1, 1),
        ),
        noun="line",
        left_out=12,
    )
    with_code = Table(
        "code",
        "hottest code",
        (
            Column("line", "line", "place"),
            Column("samples", "samples", "count", 4_210, "both", is_hot=True),
            Column("text", "text", "code", priority=1),
        ),
        (
            Row(
                (
                    Place(SORT_FILE, 26, SHELL_SORT),
                    2_105,
                    "while k >= 0 and index[k].items[i] > index[k + gap].items[i]:",
                )
            ),
            Row((Place(SORT_FILE, 25, SHELL_SORT), 3, "k = j - gap")),
        ),
    )
    return functions, lines, with_code


def types_table() -> Table:
    """Names that are no functions, distributions, bytes."""
    return Table(
        "types",
        "types",
        (
            Column("type", "type", "name"),
            Column("born", "born", "count"),
            Column("bytes", "memory", "bytes", 4_000_000, "both", is_hot=True),
            Column("lives", "lifetimes", "bins", scale=("1 access", "2^29 accesses"), meaning="How long objects live."),
        ),
        (
            Row(("Entry", 20_000, 1_120_000, Bins((0, 0, 12, 400, 3_000, 14_500, 2_088, 0)))),
            Row(("list", 20_004, 2_400_000, Bins((4, 0, 0, 0, 0, 20_000, 0, 0)))),
            Row(("str", 80_000, 480_000, Bins((60_000, 10_000, 0, 0, 9_000, 1_000, 0, 0)))),
            Row(("global: libpython3.11.so.1.0", None, None, None)),
        ),
        noun="type",
    )


def pairs_table() -> Table:
    """Which line missed on which type: what connects the two."""
    return Table(
        "line_types",
        "lines and types",
        (
            Column("type", "type", "name"),
            Column("line", "line", "place"),
            Column("misses2", "L2 misses", "count", 9_530_000, "both", is_hot=True),
        ),
        (
            Row(("Entry", Place(SORT_FILE, 26, SHELL_SORT), 2_810_000)),
            Row(("list", Place(SORT_FILE, 26, SHELL_SORT), 1_940_000)),
            Row(("Entry", Place(SORT_FILE, 27, SHELL_SORT), 1_300_000)),
            Row(("str", Place(SORT_FILE, 18, READ), 99_000)),
        ),
    )


def contexts_tree() -> Table:
    """A tree with every tone, marks, and what led to a row."""
    columns = (
        Column("context", "context", "name"),
        Column("time", "time", "duration", 4_210_000_000, "both", is_hot=True),
        Column("self", "self", "duration", 4_210_000_000, priority=1),
        Column("calls", "calls", "count", priority=2),
    )
    comparing = Row((COMPARE, 900_000_000, 900_000_000, 3_000_000), tone="faint", mark="-")
    sorting = Row(
        (SHELL_SORT, 3_900_000_000, 2_990_000_000, 1),
        (comparing, Row((LEN, 10_000_000, 10_000_000, 20_000), led_to_by="<genexpr>, sorted")),
        tone="bad",
        mark="+",
    )
    reading = Row(
        (READ, 300_000_000, 210_000_000, 1),
        (Row((Named("Entry.__init__ x20,000", INIT), 90_000_000, 90_000_000, 20_000), tone="new"),),
        tone="good",
    )
    return Table(
        "contexts",
        "hot contexts",
        columns,
        (
            Row((MODULE, 4_210_000_000, 10_000_000, 1), (sorting, reading), tone="strong"),
            Row(("unknown", 1_000, 1_000, None), tone="gone"),
        ),
        notes=("inclusive times", "sorted by time"),
        noun="context",
        legend="x20,000: so many levels of recursion are one row.",
    )


def measurements_table() -> Table:
    """Intervals, ratios, plain numbers, places that are texts."""
    return Table(
        "measurements",
        "benchmarks",
        (
            Column("name", "benchmark", "text"),
            Column("mean", "mean", "duration"),
            Column("ratio", "ratio", "ratio"),
            Column("score", "score", "number"),
            Column("share", "overhead", "share"),
            Column("source", "source", "place", priority=3),
        ),
        (
            Row(
                (
                    "sort",
                    Estimated(12_300_000, Interval(11_900_000, 12_800_000, 0.95)),
                    Estimated(1.12, Interval(1.05, 1.2, 0.95)),
                    0.00012,
                    0.034,
                    "bench.toml",
                ),
                tone="bad",
            ),
            Row(
                (
                    "read",
                    Estimated(8_000_000, Interval(7_000_000, 9_500_000, 0.99)),
                    0.87,
                    float("inf"),
                    -0.02,
                    Place("bench.py", 3),
                ),
                tone="good",
            ),
        ),
        noun="benchmark",
    )


def changes_table() -> Table:
    """Changes of amounts and of parts, and signed amounts."""
    return Table(
        "changes",
        "what changed",
        (
            Column("function", "function", "name"),
            Column("misses", "misses", "count", 1_000_000),
            Column("time", "time", "duration"),
            Column("change", "change", "duration", is_signed=True, is_hot=True, whole=100_000_000),
        ),
        (
            Row(
                (SHELL_SORT, Change(Part(120, 1_000), Part(180, 900)), Change(12_000, 19_000), 7_000),
                tone="bad",
                mark="+",
            ),
            Row((READ, Change(Part(9, 10), None), Change(90_000_000, None), -90_000_000), tone="gone", mark="-"),
            Row((INIT, Change(None, Part(5, 0)), Change(None, 1_000_000), 1_000_000), tone="new"),
        ),
    )


def estimates_table() -> Table:
    """Margins, differences of shares, p-values, quantities in several units, several values, records."""
    columns = (
        Column("self", "self", "duration", 4_210_000_000, "both", is_hot=True),
        Column("margin", "up to", "margin"),
        Column("function", "function", "name"),
        Column("place", "", "place"),
        Column("points", "change", "points", is_signed=True),
        Column("p", "p", "p-value"),
        Column("speed", "speed", "measured"),
        Column("gain", "gain", "ratio", axis="log"),
        Column("sizes", "sizes", "count", shown="data"),
        Column("raw", "raw", shown="data"),
        Column("nothing", "nothing", "count"),
    )
    sort = Place(SORT_FILE, 21, SHELL_SORT)
    rows = (
        Row(
            (
                *(2_990_000_000, Margin(2_990_000_000, 110_000_000, Bound(81_000_000, True)), SHELL_SORT, sort),
                *(0.0123, 1e-9, Quantity(Estimated(0.0422, Interval(0.0409, 0.0449, 0.95)), "s")),
                Estimated(1.0231, Interval(1.0112, 1.0349, 0.95)),
                *(Values((1, 2, None)), Record({"why": ["too", "large"], "cost": 7}), None),
            )
        ),
        Row(
            (
                *(210_000_000, Margin(210_000_000, None, Bound(5_000_000_000)), READ, Place(SORT_FILE, 18, READ)),
                *(-0.5, 0.0412, Quantity(2.5e6, "ops/s"), Estimated(0.5, Interval(0.0, 0.9, 0.95))),
                *(Values(range(100)), None, None),
            )
        ),
    )
    return Table(
        "estimates", "estimates", columns, rows, left_out=7, rest="0.1% together", legend="up to: margins\nmore"
    )


def verdicts_table() -> Table:
    """Groups with members, sentences that belong to rows, amounts before names, rows that are left out."""
    columns = (
        Column("share", "time", "share"),
        Column("verdict", "verdict"),
        Column("where", "", shown="below", priority=1),
        Column("why", "because", shown="below"),
    )
    member = Row((0.25, "call of len", "sorting.py:24", None), tone="notable", mark="- not inlined", left_out=1_234)
    group = Row((0.5, "not inlined", None, Values(("too large", "not hot"))), (member,), tone="strong")
    return Table("verdicts", "verdicts", columns, (group, Row((0.1, "inlined", None, None))), is_grouped=True)


def plots() -> tuple[Plot, ...]:
    """Each kind of plot; the last one belongs to that before it."""
    fast = Sample(
        "fast",
        [0.0102 + 0.0001 * (i * 7 % 11) for i in range(40)] + [0.0312],
        "s",
        mean=Estimated(0.0107, Interval(0.0104, 0.011, 0.95)),
        median=0.0106,
        outliers=(40,),
        counted=(5, 41),
        group="sort",
    )
    slow = Sample("slow", [0.0121 + 0.0002 * (i * 5 % 9) for i in range(30)], "s", mean=0.0129, group="sort")
    alone = Sample(
        "throughput", [2.5e6, 2.6e6, 2.4e6], "ops/s", mean=Estimated(2.5e6, Interval(float("-inf"), 2.9e6, 0.95))
    )
    empty = Sample("failed", (), "s")
    return (
        Plot("spread", "strips", "how runs are spread", (fast, slow, alone, empty), ("wall time",)),
        Plot("means", "intervals", "means", (fast, slow)),
        Plot("fast", "distribution", "fast", (fast,), legend="41 runs"),
        Plot("fast-runs", "sequence", "", (fast,)),
    )


def empty_table() -> Table:
    """A table that was asked for, and has nothing."""
    return Table("objects", "objects not needed", (Column("object", "object"), Column("count", "count", "count")), ())


def bare_report() -> Report:
    """No block at all."""
    return Report("toy", "nothing", ())


def hostile_report() -> Report:
    """Names that break what is careless: in every place that a text can have."""
    name = Function(HOSTILE, HOSTILE, f"/tmp/{HOSTILE}.py", 1, library=HOSTILE)
    long_name = Function("x" * 10_000, "", "/" + "y" * 10_000 + ".py", 2)
    column = Column("n", HOSTILE, "name", meaning=HOSTILE)
    rows = tuple(Row((each, each, "z" * 10_000), led_to_by=HOSTILE, mark="+") for each in (name, long_name))
    columns = (column, Column("f", "f", "place"), Column("c", "c", "code"))
    return Report(
        "toy",
        HOSTILE * 20,
        (
            Facts((Fact("a", HOSTILE), Fact("b", 2, "count", "{} " + HOSTILE))),
            Findings((HOSTILE, "w" * 10_000), title=HOSTILE),
            Notices((Loss("kind", 0, HOSTILE, examples=HOSTILE),)),
            Note(HOSTILE),
            Table(HOSTILE, HOSTILE, columns, rows, (HOSTILE,), legend=HOSTILE),
            Plot(
                HOSTILE, "strips", HOSTILE, (Sample(HOSTILE, (1.0, float("nan"), 1e300), HOSTILE),), (HOSTILE,), HOSTILE
            ),
            Plot("p", "intervals", "", (Sample(HOSTILE * 20, (1.0,), "s", mean=Estimated(1, Interval(0, 2, 0.95))),)),
            Table(
                "cells",
                HOSTILE,
                (Column("q", "q", "measured"), Column("v", "v", shown="below"), Column("r", "r", shown="data")),
                (Row((Quantity(1.0, HOSTILE), Values((HOSTILE, HOSTILE)), Record({HOSTILE: HOSTILE * 90}))),),
                rest=HOSTILE,
                left_out=1,
            ),
            Listing("l", HOSTILE, name.file, f"{HOSTILE!r}\n{HOSTILE}\n", (Column("c", HOSTILE),), {1: (HOSTILE,)}),
        ),
    )


def large_report(rows: int) -> Report:
    """Many rows: as a table, the heaviest first, and as a deep tree."""
    functions = [Function(f"function_{i}", "m", f"/src/m{i % 50}.py", i + 1) for i in range(1_000)]
    columns = (Column("name", "name", "name"), Column("time", "time", "duration", rows * rows, "both", is_hot=True))
    flat = [Row((functions[i % 1_000], (rows - i) * 1_000)) for i in range(rows)]
    chain = Row((functions[0], 1))
    for i in range(1, min(rows, 2_000)):
        chain = Row((functions[i % 1_000], i), (chain,))
    return Report(
        "toy",
        "large",
        (Table("flat", "many functions", columns, flat), Table("deep", "deep tree", columns, (chain,), noun="context")),
    )
