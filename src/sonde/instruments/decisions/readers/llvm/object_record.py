"""What the remarks about one object file say, by function."""

import re
from collections.abc import Iterator, Mapping, Sequence

from sonde.instruments.decisions.readers.llvm.call_chain import INLINERS, PROMOTION, inliner_remark
from sonde.instruments.decisions.readers.llvm.growing_tree import GrowingTree
from sonde.instruments.decisions.readers.llvm.inlining import Event, Inlinings, Promotion
from sonde.instruments.decisions.readers.llvm.record_columns import RecordColumns
from sonde.instruments.decisions.remarks import NONE, Remark

_COUNT = re.compile(r"[0-9]{1,19}")


class ObjectRecord:
    """Remarks of one object file. Those about calls are understood when trees of their functions are asked for.

    Args:
        name: of the object file.
        columns: of all object files.
        rows: the remarks about each function, by its symbol.
    """

    def __init__(self, name: str, columns: RecordColumns, rows: Mapping[str, Sequence[int]]) -> None:
        self.name = name
        self.rows = rows
        self._columns = columns
        self._remarks = columns.remarks
        self.source = columns.functions_in(rows)
        self.decisions = columns.decisions
        self._events: dict[str, list[Event]] = {}
        self._inlinings = Inlinings(self.events, self.source)

    def tree(self, symbol: str) -> GrowingTree:
        """What was inlined into a function, and what was not."""
        return self._inlinings.tree(symbol)

    def events(self, symbol: str) -> Sequence[Event]:
        """What was said about calls in a function, in order."""
        found = self._events.get(symbol)
        if found is None:
            about_calls = self._columns.is_about_calls
            read = (_event(self._remarks.remark(row), row) for row in self.rows.get(symbol, ()) if about_calls(row))
            found = self._events[symbol] = [event for event in read if event is not None]
        return found

    def other(self, symbol: str) -> Iterator[int]:
        """Numbers of all other remarks about a function, in order."""
        events = {event.order for event in self.events(symbol)}
        return (row for row in self.rows.get(symbol, ()) if row not in events)

    def pass_name(self, row: int) -> str:
        """The pass that made a remark."""
        return self._remarks.text(self._remarks.passes[row])

    def remark_name(self, row: int) -> str:
        """What the pass calls it."""
        return self._remarks.text(self._remarks.names[row])

    def line_of(self, row: int) -> tuple[int, int, int] | None:
        """Where a remark is: file (for `text`), line, column; None: not told."""
        remarks = self._remarks
        place = remarks.places[row]
        if place == NONE or not (line := remarks.place_lines[place]):
            return None
        return remarks.place_files[place], line, remarks.place_columns[place]

    def text(self, string: int) -> str:
        """A string by its number."""
        return self._remarks.text(string)


def _event(remark: Remark, order: int) -> Event | None:
    if remark.pass_name in INLINERS:
        return inliner_remark(remark, order)
    if remark.pass_name == PROMOTION and remark.kind == "Passed":
        return _promotion(remark, order)
    return None


def _promotion(remark: Remark, order: int) -> Promotion | None:
    said = {each.key: each.value for each in remark.arguments}
    target, place = said.get("DirectCallee"), remark.place
    if target is None or place is None:
        return None
    counts = (_COUNT.fullmatch(said.get(key, "")) for key in ("Count", "TotalCount"))
    count, total = (int(found[0]) if found else 0 for found in counts)
    share = min(1.0, count / total) if total else 0.0
    return Promotion(target, place.file, place.line, place.column, share, total > 0 and count >= total, order)
