"""Reading what compiled advice has said at the end of a run: the `A` lines of a record.

Fields are separated by tabs; docs/tool-language.md lists them. `native/core/advice/advice_runtime.c` writes them.
"""

import struct
from collections.abc import Callable, Iterable

from sonde.base.errors import InputError
from sonde.instruments.memory.toolkit.histogram import BINS, Bins
from sonde.instruments.memory.toolkit.int64 import HIGHEST, LOWEST
from sonde.instruments.memory.toolkit.results import (
    FAULTS,
    CacheResult,
    CountsResult,
    HistogramResult,
    KeyNumbers,
    OutputResult,
    SetResult,
    ToolFault,
    ToolResults,
)
from sonde.instruments.memory.toolkit.value_types import HANDLES, NUMBERS, Kind

_KINDS = {kind.value: kind for kind in NUMBERS | HANDLES}
_ESCAPES = (("%09", "\t"), ("%0A", "\n"), ("%0D", "\r"), ("%25", "%"))


def read_results(lines: Iterable[str]) -> ToolResults:
    """Read result lines.

    Args:
        lines: without the `A` and the tab behind it, and without their ends.
    Raises:
        InputError: `damaged-tool-results`: they are not as a tool writes them; the line is quoted.
    """
    reader = _Reader()
    for line in lines:
        try:
            reader.take(line.split("\t"))
        except (ValueError, KeyError, IndexError, struct.error):
            shown = line if len(line) <= 200 else line[:200] + "..."
            raise InputError(
                f"cannot read the results of a tool at {shown!r}: this is not what a tool writes",
                slug="damaged-tool-results",
                hint="run the program again",
            ) from None
    return reader.finished()


class _Reader:
    def __init__(self) -> None:
        self._results = ToolResults("")
        self._takers: dict[str, tuple[int, Callable[[list[str]], None]]] = {
            "tool": (1, self._tool),
            "fault": (2, self._fault),
            "field": (3, self._field),
            "counts": (4, self._counts),
            "row": (3, self._row),
            "histogram": (4, self._histogram),
            "bins": (4, self._bins),
            "set": (3, self._set),
            "member": (2, self._member),
            "object": (3, self._object),
            "cache": (3, self._cache),
            "output": (4, self._output),
            "print": (1, self._print),
            "unprinted": (1, self._unprinted),
        }

    def take(self, fields: list[str]) -> None:
        count, taker = self._takers[fields[0]]
        if len(fields) != count + 1:
            raise ValueError(fields)
        taker(fields[1:])

    def finished(self) -> ToolResults:
        """A table without keys has its one row always."""
        results = self._results
        if not results.name:
            raise InputError(
                "cannot read the results of a tool: there are none", slug="damaged-tool-results", hint="run it again"
            )
        for counts in results.counts.values():
            if not counts.kinds:
                counts.rows.setdefault((), (0,) * len(counts.columns))
        for histogram in results.histograms.values():
            if not histogram.kinds:
                histogram.rows.setdefault((), Bins())
        return results

    def _tool(self, fields: list[str]) -> None:
        self._results.name = fields[0]

    def _fault(self, fields: list[str]) -> None:
        what = fields[0]
        if what not in FAULTS:
            raise ValueError(what)
        self._results.fault = ToolFault(what, _count(fields[1]))

    def _field(self, fields: list[str]) -> None:
        name, kind = fields[0], _KINDS[fields[1]]
        value: int | float | bool | None = _key_part(kind, fields[2])
        if kind is Kind.FLOAT:
            value = struct.unpack("<d", struct.pack("<q", _integer(fields[2])))[0]
        elif kind is Kind.BOOL:
            value = bool(value)
        self._results.fields[name] = (kind, value)

    def _counts(self, fields: list[str]) -> None:
        columns = tuple(fields[2].split(","))
        self._results.counts[fields[0]] = CountsResult(_kinds(fields[1]), columns, {}, _count(fields[3]))

    def _row(self, fields: list[str]) -> None:
        table = self._results.counts[fields[0]]
        cells = tuple(map(_integer, fields[2].split(",")))
        if len(cells) != len(table.columns):
            raise ValueError(cells)
        table.rows[_keys(table.kinds, fields[1])] = cells

    def _histogram(self, fields: list[str]) -> None:
        self._results.histograms[fields[0]] = HistogramResult(_kinds(fields[1]), {}, _count(fields[3]))

    def _bins(self, fields: list[str]) -> None:
        table = self._results.histograms[fields[0]]
        count, total, least, greatest = map(_integer, fields[2].split(","))
        bins = [0] * BINS
        for pair in fields[3].split(",") if fields[3] != "-" else ():
            number, _, values = pair.partition(":")
            bins[_count(number)] = _count(values)
        if sum(bins) != count:
            raise ValueError(bins)
        table.rows[_keys(table.kinds, fields[1])] = Bins(count, total, least, greatest, bins)

    def _set(self, fields: list[str]) -> None:
        self._results.sets[fields[0]] = SetResult(_kinds(fields[1]), set(), _count(fields[2]))

    def _member(self, fields: list[str]) -> None:
        held = self._results.sets[fields[0]]
        held.rows.add(_keys(held.kinds, fields[1]))

    def _object(self, fields: list[str]) -> None:
        of, place = _key_part(Kind.TYPE, fields[1]), _key_part(Kind.PLACE, fields[2])
        self._results.objects[_count(fields[0])] = of, place

    def _cache(self, fields: list[str]) -> None:
        misses = tuple(map(_count, fields[2].split(",")))
        self._results.caches[fields[0]] = CacheResult(_count(fields[1]), misses)

    def _output(self, fields: list[str]) -> None:
        result = OutputResult(_text(fields[1]), _count(fields[2]), _count(fields[3]))
        self._results.outputs[fields[0]] = result

    def _print(self, fields: list[str]) -> None:
        self._results.printed.append(_text(fields[0]))

    def _unprinted(self, fields: list[str]) -> None:
        self._results.unprinted = _count(fields[0])


def _integer(text: str) -> int:
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 20 and LOWEST <= int(text) <= HIGHEST):
        raise ValueError(text)
    return int(text)


def _count(text: str) -> int:
    if (number := _integer(text)) < 0:
        raise ValueError(text)
    return number


def _kinds(text: str) -> tuple[Kind, ...]:
    return () if text == "-" else tuple(_KINDS[word] for word in text.split(","))


def _keys(kinds: tuple[Kind, ...], text: str) -> KeyNumbers:
    words = [] if not kinds and text == "-" else text.split(",")
    return tuple(_key_part(kind, word) for kind, word in zip(kinds, words, strict=True))


def _key_part(kind: Kind, text: str) -> int | None:
    return None if kind in HANDLES and text == "-" else _integer(text)


def _text(field: str) -> str:
    for code, character in _ESCAPES:
        field = field.replace(code, character)
    return field
