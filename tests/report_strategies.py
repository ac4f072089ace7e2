"""Hypothesis strategies for reports: small, valid, and as odd as the types allow."""

from dataclasses import replace
from typing import get_args

from hypothesis import strategies as st

from sonde.code import Function, Place
from sonde.evidence import Bound, Doubt, Interval, Loss, Remark
from sonde.report import (
    Bins,
    Cell,
    Change,
    Column,
    Estimated,
    Fact,
    Facts,
    Findings,
    FlowBlock,
    FlowChart,
    FlowEdge,
    FlowWay,
    Listing,
    Margin,
    Named,
    Note,
    Notices,
    Part,
    Plot,
    PlotKind,
    Quantity,
    Record,
    Report,
    Row,
    Sample,
    SideBySide,
    Table,
    Timeline,
    TimelineLane,
    Tone,
    Unit,
    Values,
)

_TEXTS = st.one_of(
    st.text(max_size=12),
    st.sampled_from(["", "a" * 400, "名前" * 40, "e\u0301" * 30, "שלום", "a|b`c", "\ud800", "two\nlines", "</script>"]),
)
_COUNTS = st.integers(0, 10**12)
_NUMBERS = st.one_of(_COUNTS, st.floats(-1e9, 1e9))
_FUNCTIONS = st.builds(
    Function, _TEXTS, _TEXTS, _TEXTS, st.integers(0, 10**6), language=st.sampled_from(["python", "java", "native"])
)
_CALLER = Place("/src/\u540d\u524d/a_caller.c", 12)
_PLACES = st.builds(Place, _TEXTS, st.integers(0, 10**6), st.none() | _FUNCTIONS, st.sampled_from([(), (_CALLER,)]))

_UNITS = st.sampled_from(["s", "B", "1", "ops/s", "\u8a18\u61b6/s"])
_INTERVALS = st.one_of(
    st.builds(
        Estimated, _NUMBERS, st.tuples(_NUMBERS, _NUMBERS).map(lambda ends: Interval(min(ends), max(ends), 0.95))
    ),
    st.tuples(_NUMBERS, st.floats(0, 1e6)).map(
        lambda at: Estimated(at[0], Interval(at[0] - at[1], at[0] + at[1], 0.95))
    ),
    st.floats(0, 10).map(lambda at: Estimated(at, Interval(float("-inf"), float("inf"), 0.95))),
)

_CELLS: dict[Unit, st.SearchStrategy[Cell]] = {
    "count": st.one_of(_COUNTS, st.builds(Part, _COUNTS, _COUNTS), st.builds(Change, _COUNTS, st.none() | _COUNTS)),
    "duration": _COUNTS,
    "bytes": _COUNTS,
    "share": st.floats(0, 1),
    "points": st.floats(-1, 1),
    "margin": st.builds(Margin, _NUMBERS, st.none() | _COUNTS, st.none() | st.builds(Bound, _COUNTS, st.booleans())),
    "ratio": st.one_of(st.floats(0, 1e6), _INTERVALS),
    "number": st.one_of(_NUMBERS, st.booleans(), st.builds(Values, st.lists(st.none() | _NUMBERS, max_size=5))),
    "p-value": st.floats(0, 1),
    "measured": st.builds(Quantity, st.one_of(_NUMBERS, _INTERVALS), _UNITS, st.none() | _NUMBERS),
    "text": st.one_of(
        _TEXTS, st.lists(_TEXTS, max_size=3).map(Values), st.builds(Record, st.lists(st.integers(0, 9), max_size=2))
    ),
    "code": _TEXTS,
    "name": st.one_of(_TEXTS, _FUNCTIONS, st.builds(Named, _TEXTS, st.none() | _FUNCTIONS)),
    "place": st.one_of(_PLACES, st.builds(Change, st.none() | st.just(_CALLER), st.none() | _PLACES)),
    "bins": st.builds(Bins, st.lists(st.integers(0, 1000), min_size=1, max_size=64).map(tuple)),
}

# What can be made once is: Hypothesis looks anew at every strategy that is made while it draws.
_COLUMN = st.builds(
    Column,
    st.just(""),
    st.sampled_from(["", "self", "a longer title", "\x1b[2J"]),
    st.sampled_from(sorted(_CELLS)),
    whole=st.none() | st.integers(0, 10**12),
    shown=st.sampled_from(["amount", "share", "both", "below", "data"]),
    is_hot=st.booleans(),
    is_signed=st.booleans(),
    priority=st.integers(0, 3),
    axis=st.sampled_from(["", "linear", "log"]),
)
_COLUMNS = st.lists(_COLUMN, min_size=1, max_size=6).map(
    lambda made: tuple(replace(column, key=f"column{number}") for number, column in enumerate(made))
)
_CELLS_OR_NONE = {unit: st.none() | cells for unit, cells in _CELLS.items()}
_TONES = st.sampled_from(["", "strong", "faint", "notable", "bad", "good", "new", "gone", "first", "second"])
_LED_TO_BY = st.sampled_from(["", "⋮ 3 frames: a → b"])
_MARKS = st.sampled_from(["", "+", "+ inlined"])
_LEFT_OUT = st.sampled_from([0, 0, 0, 1234])


@st.composite
def tables(draw: st.DrawFn, key: str = "table") -> Table:
    """A table or tree of a few rows."""
    made = draw(_COLUMNS)
    cells = st.tuples(*(_CELLS_OR_NONE[column.unit] for column in made))
    leaves = st.builds(Row, cells, tone=_TONES, led_to_by=_LED_TO_BY, mark=_MARKS, left_out=_LEFT_OUT)
    rows = st.recursive(
        leaves, lambda below: st.builds(Row, cells, st.lists(below, max_size=3).map(tuple)), max_leaves=8
    )
    return Table(
        key,
        draw(st.sampled_from(["", "functions", "\x1b[2J"])),
        made,
        draw(st.lists(rows, max_size=5)),
        draw(st.sampled_from([(), ("by self time",), ("\x1b[2J",)])),
        "function",
        draw(st.integers(0, 3)),
        draw(st.integers(0, 9)),
        draw(st.sampled_from(["", "1.2%"])),
        draw(st.sampled_from(["", "how to read it", "how to read it\nand that"])),
        is_grouped=draw(st.booleans()),
    )


@st.composite
def sides(draw: st.DrawFn) -> SideBySide:
    """Two trees of which each row is on both sides, or on one with all that is below it."""
    made = draw(_COLUMNS)
    cells = st.tuples(*(_CELLS_OR_NONE[column.unit] for column in made))
    pairs: list[tuple[int, int]] = []
    counts = [0, 0]

    def rows(sides: str, depth: int) -> tuple[list[Row], list[Row]]:
        both: tuple[list[Row], list[Row]] = ([], [])
        for _ in range(draw(st.integers(0, 2 if depth else 3)) if depth < 3 else 0):
            there = draw(st.sampled_from(["lr", "l", "r"])) if sides == "lr" else sides
            pairs.append((counts[0] if "l" in there else -1, counts[1] if "r" in there else -1))
            counts[0] += "l" in there
            counts[1] += "r" in there
            below = rows(there, depth + 1)
            tone: Tone = draw(st.sampled_from(["", "notable"]))
            for side, letter in enumerate("lr"):
                if letter in there:
                    both[side].append(Row(draw(cells), tuple(below[side]), tone, mark=draw(st.sampled_from(["", "x"]))))
        return both

    left, right = rows("lr", 0)
    return SideBySide(
        "sides", draw(_TEXTS), Table("left", draw(_TEXTS), made, left), Table("right", draw(_TEXTS), made, right), pairs
    )


@st.composite
def listings(draw: st.DrawFn) -> Listing:
    """A listing of a short file."""
    text = draw(st.sampled_from(["", "one\ntwo\nthree\nfour\nfive\n"]))
    cells: st.SearchStrategy[tuple[Cell, ...]] = st.tuples(_COUNTS)
    lines = draw(st.dictionaries(st.integers(1, 9), cells, max_size=3))
    return Listing("source", "source", "a.py", text, (Column("calls", "calls", "count"),), lines)


@st.composite
def samples(draw: st.DrawFn) -> Sample:
    """A sample, of which some values count, and some are far from the others."""
    values = draw(st.lists(_NUMBERS, max_size=20))
    gaps = draw(st.sampled_from([(), (0,), (1, 2)]))
    members = tuple(Sample("m", (value, value), "s", counted=(0, 1)) for value in values) if draw(st.booleans()) else ()
    places = st.integers(0, max(len(values) - 1, 0))
    return Sample(
        draw(_TEXTS),
        values,
        draw(_UNITS),
        draw(st.none() | _NUMBERS),
        draw(st.none() | _NUMBERS | _INTERVALS),
        draw(st.none() | _NUMBERS),
        tuple(draw(st.lists(places, max_size=3))) if values else (),
        draw(st.none() | st.tuples(places, places).map(lambda ends: (min(ends), max(ends)))),
        draw(st.sampled_from(["", "a", "b"])),
        {place: draw(_TEXTS) for place in gaps if len(gaps) + len(values) > place},
        members,
    )


@st.composite
def flow_charts(draw: st.DrawFn) -> FlowChart:
    """Control flow of a few blocks, with ways that need not follow the edges."""
    blocks = draw(
        st.lists(
            st.builds(FlowBlock, st.integers(0, 10**9), st.integers(0, 5), _TEXTS, st.just(()) | st.tuples(_TEXTS))
        )
    )
    numbers = st.integers(0, max(len(blocks) - 1, 0))
    amounts = st.none() | st.integers(0, 10**9)
    edges = draw(st.lists(st.builds(FlowEdge, numbers, numbers, amounts, st.booleans()))) if blocks else []
    ways = st.builds(FlowWay, _TEXTS, st.integers(0, 9), st.lists(numbers, max_size=4).map(tuple))
    return FlowChart(
        "flow",
        draw(_TEXTS),
        "f.c",
        tuple(blocks),
        tuple(edges),
        tuple(draw(st.lists(ways, max_size=3))) if blocks else (),
        most=draw(st.integers(0, 3)),
    )


@st.composite
def timelines(draw: st.DrawFn) -> Timeline:
    """What ran, in a few lanes."""
    names = tuple(draw(st.lists(_TEXTS, min_size=1, max_size=3)))
    lanes = []
    for depth in range(draw(st.integers(0, 3))):
        edges = sorted(draw(st.lists(st.integers(0, 10**9), max_size=8)))
        starts, ends = edges[: len(edges) // 2 * 2 : 2], edges[1::2]
        lanes.append(TimelineLane("main", depth, starts, ends, [each % len(names) for each in starts]))
    return Timeline("when", draw(_TEXTS), 10**9, names, tuple(lanes), (5,), most=draw(st.integers(0, 2)))


@st.composite
def plots(draw: st.DrawFn) -> Plot:
    """A drawing of a few samples."""
    kind = draw(st.sampled_from(get_args(PlotKind)))
    drawn = tuple(draw(st.lists(samples(), max_size=3)))
    return Plot(
        "plot", kind, draw(_TEXTS), drawn, draw(st.sampled_from([(), ("wall",)])), draw(_TEXTS), draw(st.booleans())
    )


_FACTS = st.builds(Fact, st.just("fact"), st.none() | _NUMBERS | _TEXTS, st.just("number"), st.just("{} of them"))
_KINDS = st.sampled_from(["", "lost"])
_NOTICES = st.one_of(
    st.builds(Loss, _KINDS, st.integers(0, 9), _TEXTS, hint=_TEXTS),
    st.builds(Doubt, _KINDS, _TEXTS, hint=_TEXTS),
    st.builds(Remark, _KINDS, _TEXTS, hint=_TEXTS),
)
_BLOCKS = st.one_of(
    st.builds(Facts, st.lists(_FACTS, max_size=3).map(tuple), is_secondary=st.booleans()),
    st.lists(_NOTICES, max_size=3).map(lambda notices: Notices(tuple(notices))),
    st.lists(_TEXTS, max_size=3).map(lambda sentences: Findings(tuple(sentences))),
    st.builds(Note, _TEXTS, title=st.sampled_from(["", "method"])),
    tables(),
    sides(),
    listings(),
    plots(),
    flow_charts(),
    timelines(),
)
_REPORTS = st.builds(Report, st.just("toy"), _TEXTS, st.lists(_BLOCKS, max_size=4).map(tuple))


def reports() -> st.SearchStrategy[Report]:
    """Reports of a few blocks."""
    return _REPORTS
