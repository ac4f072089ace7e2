"""The table of lines of memory that threads share: which bytes of one each thread accesses, from where."""

from collections import Counter
from itertools import groupby

from sonde.base.fitted_text import keep_start
from sonde.base.units import counted, format_count
from sonde.code import Place
from sonde.instruments.memory.profile import MemoryProfile
from sonde.instruments.memory.profile.sharing import LINE_BYTES, LineUse, SharedLine
from sonde.instruments.memory.report.code_names import place_of_frame, type_name
from sonde.report import Block, Column, Note, Row, Table

SHARED_LINES = "shared_lines"
"""The total that is there when somebody looked."""
_MOST_LINES = 5
_MOST_RANGES = 3
_WIDEST_TYPE = 30
_MOST_USES = 3
"""Places of a thread that are told of below a line."""
_LEAST_SHARE = 0.01
"""Of the line's accesses; places with less are not told of there."""
_LEGEND = (
    "at most: how often the line could go from one processor's cache to another's, in whatever order the accesses come;"
    " as run: in the order in which Valgrind ran the threads, one at a time in long turns: threads that really run at"
    " once are between 0 and at most; bytes: of the object, where there is one, else of the line"
)


def sharing_blocks(profile: MemoryProfile, most: int) -> tuple[Block, ...]:
    """What is known of lines that threads share; nothing when nobody looked."""
    if SHARED_LINES not in profile.totals:
        return ()
    if not profile.shared_lines:
        return (Note("no line of memory was found that two threads access and one of them stores to"),)
    columns = (
        Column("accesses", "accesses", "count"),
        Column(
            "most_transfers", "at most", "count", meaning="times the line goes from one cache to another, in any order"
        ),
        Column("transfers", "as run", "count", priority=1, meaning="the same, in the order in which threads ran"),
        Column("name", "line and who accesses it", "name"),
        Column("place", "", "place"),
        Column("sharing", "sharing", shown="data", meaning="whether threads access the same bytes or other bytes"),
        Column("thread", "thread", "number", shown="data"),
        Column("loads", "loads", "count", shown="data"),
        Column("stores", "stores", "count", shown="data"),
    )
    rows = [_row(profile, line) for line in profile.shared_lines]
    found = profile.totals[SHARED_LINES]
    table = Table(
        "shared_lines",
        "lines of memory that threads share",
        columns,
        rows,
        ("by how often they could be passed on", f"{counted(found, 'line')} of {LINE_BYTES} bytes in all"),
        "line",
        min(most, _MOST_LINES),
        left_out=max(found - len(rows), 0),
        legend=_LEGEND,
        is_grouped=True,
    )
    return (table,)


def sharing_sentence(profile: MemoryProfile) -> str:
    """The line that could be passed on most often; empty when nobody looked, or there is none."""
    if not profile.shared_lines:
        return ""
    line = profile.shared_lines[0]
    threads = len({use.thread for use in line.uses})
    name = keep_start(_owner(profile, line), _WIDEST_TYPE)
    times = format_count(line.most_transfers)
    which = "the same" if line.sharing == "same bytes" else "different"
    return f"{counted(threads, 'thread')} access {which} bytes of a line of {name}: passed on up to {times} times."


def _row(profile: MemoryProfile, line: SharedLine) -> Row:
    uses = sorted(line.uses, key=lambda use: (use.thread, -use.loads - use.stores, use.place))
    loads, stores = sum(use.loads for use in uses), sum(use.stores for use in uses)
    told = [use for _, of in groupby(uses, lambda use: use.thread) for use in list(of)[:_MOST_USES]]
    below = tuple(_use_row(profile, use) for use in told if use.loads + use.stores >= _LEAST_SHARE * (loads + stores))
    site = _main_use(line).site
    made = None if site < 0 else _place(profile, site)
    name = f"{_owner(profile, line)}: {line.sharing}"
    cells = (loads + stores, line.most_transfers, line.transfers, name, made, line.sharing, None, loads, stores)
    return Row(cells, below, tone="strong", left_out=len(uses) - len(below))


def _use_row(profile: MemoryProfile, use: LineUse) -> Row:
    did = [
        f"{verb} {byte_ranges(mask, use.offset or 0)}"
        for verb, mask in (("loads", use.loaded), ("stores", use.stored))
        if mask
    ]
    if len(did) == 2 and use.loaded == use.stored:
        did = [f"loads and {did[1]}"]
    name = f"thread {use.thread} {', '.join(did)}"
    where = _place(profile, use.place)
    return Row((use.loads + use.stores, None, None, name, where, None, use.thread, use.loads, use.stores))


def byte_ranges(mask: int, offset: int) -> str:
    """Which bytes, as numbers in an object.

    Args:
        mask: bytes of the line, the lowest bit for the first.
        offset: of the line in the object.

    >>> byte_ranges(0b1111_0000_0011, 16), byte_ranges(1, 0)
    ('16-17, 24-27', '0')
    """
    bits = [number for number in range(LINE_BYTES) if mask >> number & 1]
    ranges = []
    for _, run in groupby(enumerate(bits), key=lambda pair: pair[1] - pair[0]):
        first, *others = (offset + bit for _, bit in run)
        ranges.append(f"{first}-{others[-1]}" if others else str(first))
    more = ", ..." if len(ranges) > _MOST_RANGES else ""
    return ", ".join(ranges[:_MOST_RANGES]) + more


def _main_use(line: SharedLine) -> LineUse:
    return max(line.uses, key=lambda use: use.loads + use.stores)


def _owner(profile: MemoryProfile, line: SharedLine) -> str:
    """What the line is of: the type that it is accessed for most, and how many others there are in it."""
    types = Counter[int]()
    for use in line.uses:
        types[use.type] += use.loads + use.stores
    (kind, _), *others = types.most_common()
    name = type_name(profile.types[kind])
    return f"{name} and {counted(len(others), 'other')}" if others else name


def _place(profile: MemoryProfile, place: int) -> Place:
    return place_of_frame(profile, profile.places[place].frames[0])
