"""The code map against its slow twin: a dictionary with an entry for every address."""

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from sonde.base.errors import InternalError
from sonde.events import CodeFrame, CodeLocation, CodeMap, CodeRange, LineRow, LineTable

_MEMORY = 48
"""Small, so that ranges meet, overlap and follow one another all the time."""


@st.composite
def line_tables(draw: st.DrawFn) -> LineTable:
    offsets = sorted(draw(st.sets(st.integers(0, 12), max_size=5)))
    frames = st.lists(st.builds(CodeFrame, st.sampled_from("fgh"), st.just("a.c"), st.integers(0, 9)), max_size=3)
    rows = [LineRow(offset, tuple(draw(frames))) for offset in offsets]
    return draw(st.sampled_from([LineTable(rows), LineTable.later(lambda: rows)]))


ranges = st.builds(
    CodeRange,
    st.integers(0, _MEMORY - 1),
    st.integers(1, 12),
    st.sampled_from(["fib", "main", "work"]),
    st.sampled_from(["", "O0", "O2"]),
    line_tables(),
)
changes = st.lists(st.lists(ranges, min_size=1, max_size=3) | st.integers(0, _MEMORY - 1), max_size=25)
"""Either code to be added, or a number of what is to be removed."""


@dataclass
class AddressBook:
    """The twin: each address by itself."""

    entries: dict[int, CodeLocation] = field(default_factory=dict)
    starts: dict[int, CodeRange] = field(default_factory=dict)

    def add(self, new: list[CodeRange]) -> bool:
        entries = {}
        for each in new:
            for address in range(each.start, each.start + each.size):
                if address in self.entries or address in entries:
                    return False
                frames: tuple[CodeFrame, ...] = ()
                for row in each.lines.rows:
                    if row.offset <= address - each.start:
                        frames = row.frames
                frames = frames or (CodeFrame(each.function),)
                entries[address] = CodeLocation(each.function, each.version, address - each.start, frames)
        self.entries |= entries
        self.starts |= {each.start: each for each in new}
        return True

    def remove(self, start: int) -> bool:
        gone = self.starts.pop(start, None)
        for address in range(start, start + gone.size) if gone else ():
            del self.entries[address]
        return gone is not None


@given(changes)
def test_lookup_answers_as_a_dictionary_of_every_address(steps: list[list[CodeRange] | int]) -> None:
    code, twin = CodeMap(keep_history=True), AddressBook()
    everywhere = list(range(-1, _MEMORY + 13))
    moments: dict[int, dict[int, CodeLocation]] = {0: {}}

    for step in steps:
        try:
            if isinstance(step, list):
                code.add(*step)
            else:
                code.remove(step)
            accepted = True
        except InternalError:
            accepted = False
        assert accepted == (twin.add(step) if isinstance(step, list) else twin.remove(step))
        assert [code.lookup(address) for address in everywhere] == [twin.entries.get(each) for each in everywhere]
        assert code.lookup_all(everywhere * 2) == [twin.entries.get(each) for each in everywhere] * 2
        assert list(code) == [twin.starts[start] for start in sorted(twin.starts)]
        moments[code.changes] = dict(twin.entries)

    for moment, entries in moments.items():
        earlier = code.as_of(moment)
        assert [earlier.lookup(address) for address in everywhere] == [entries.get(each) for each in everywhere]
