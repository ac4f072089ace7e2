"""The report of a tool that has none of its own: everything it holds, as tables."""

from collections.abc import Iterable, Iterator, Mapping

from sonde.base.fitted_text import display_width, keep_both_ends, keep_end
from sonde.instruments.memory.toolkit.histogram import Bins
from sonde.instruments.memory.toolkit.result_names import ResultNames
from sonde.instruments.memory.toolkit.results import CountsResult, HistogramResult, SetResult, ToolResults
from sonde.instruments.memory.toolkit.value_types import Kind

ROWS = 20
"""Rows of each table that are printed, those with the highest numbers first."""
_NARROWEST = 80
_SHORTEST = 8
"""Characters of a name in a key, however many there are."""
_SMALL = 0.01
"""Bins beside one another with smaller shares of the values are one line."""


def default_report(
    results: ToolResults, names: ResultNames, key_texts: Mapping[str, tuple[str, ...]], width: int = _NARROWEST
) -> str:
    """Fields, tables, histograms, sets, caches and outputs, as text of complete lines.

    Args:
        key_texts: of each table, how the tool writes the parts of its key.
        width: of a line, 80 at least.
    """
    lines = _Lines(results, names, key_texts, max(width, _NARROWEST))
    return "".join(f"{line}\n" for line in lines.all())


class _Lines:
    def __init__(
        self, results: ToolResults, names: ResultNames, key_texts: Mapping[str, tuple[str, ...]], width: int
    ) -> None:
        self._results = results
        self._names = names
        self._key_texts = key_texts
        self._width = width

    def all(self) -> Iterator[str]:
        results = self._results
        yield f"{results.name}"
        for name, (kind, value) in results.fields.items():
            shown = self._names.named(kind, value)
            yield f"  {name} = {shown:,}" if kind is Kind.INT else f"  {name} = {shown}"
        for name, cache in results.caches.items():
            misses = ", ".join(
                f"{missed:,} ({missed / max(cache.accesses, 1):.1%}) miss level {level}"
                for level, missed in enumerate(cache.misses, 1)
            )
            yield f"  {name}: {cache.accesses:,} accesses, {misses}"
        for name, output in results.outputs.items():
            yield f"  {name}: {output.lines:,} lines written to {output.file!r}"
        for name, counts in results.counts.items():
            yield from () if counts.kinds else self._counters(name, counts)
        for name, counts in results.counts.items():
            yield from self._counts(name, counts) if counts.kinds else ()
        for name, histogram in results.histograms.items():
            yield ""
            yield from self._histogram(name, histogram)
        for name, held in results.sets.items():
            yield ""
            yield from self._set(name, held)

    def _counters(self, name: str, counts: CountsResult) -> Iterator[str]:
        cells = zip(counts.columns, counts.rows[()], strict=True)
        yield f"  {name}: {', '.join(f'{cell:,} {column}' for column, cell in cells)}"

    def _counts(self, name: str, counts: CountsResult) -> Iterator[str]:
        yield ""
        yield self._title(name, counts.kinds, len(counts.rows))
        yield "  " + " ".join(f"{column:>14}" for column in counts.columns)
        keys = self._names.keys(counts.kinds, counts.rows)
        ordered = sorted(counts.rows.items(), key=lambda each: (tuple(-cell for cell in each[1]), str(keys[each[0]])))
        for key, cells in ordered[:ROWS]:
            yield self._row(f"  {' '.join(f'{cell:14,}' for cell in cells)}", keys[key])
        yield from _more(len(ordered))

    def _histogram(self, name: str, histogram: HistogramResult) -> Iterator[str]:
        every = Bins()
        for bins in histogram.rows.values():
            every.include(bins)
        least, greatest = (_short(each, 20).strip() for each in (every.min, every.max))
        yield f"  {name}: {every.count:,} values, mean {_short(every.mean, 20, ',.1f').strip()}, {least} to {greatest}"
        yield f"  {'from':>26} {'to':>25} {'values':>14} {'up to here':>10}"
        for lowest, highest, count in _large_ranges(every):
            yield f"  {lowest:26,} {highest:25,} {count:14,} {every.share_below(highest + 1):10.1%}"
        if not histogram.kinds:
            return
        yield ""
        yield self._title(name, histogram.kinds, len(histogram.rows))
        yield f"  {'values':>12} {'mean':>15} {'least':>12} {'greatest':>12}"
        keys = self._names.keys(histogram.kinds, histogram.rows)
        ordered = sorted(histogram.rows.items(), key=lambda each: (-each[1].count, str(keys[each[0]])))
        for key, bins in ordered[:ROWS]:
            start = f"  {bins.count:12,} {_short(bins.mean, 15, ',.1f')} {_short(bins.min, 12)} {_short(bins.max, 12)}"
            yield self._row(start, keys[key])
        yield from _more(len(ordered))

    def _set(self, name: str, held: SetResult) -> Iterator[str]:
        yield self._title(name, held.kinds, len(held.rows))
        keys = sorted(self._names.keys(held.kinds, held.rows).values(), key=_in_order)
        yield from (self._row("", key) for key in keys[:ROWS])
        yield from _more(len(keys))

    def _title(self, name: str, kinds: tuple[Kind, ...], rows: int) -> str:
        parts = self._key_texts.get(name) or tuple(kind.value for kind in kinds)
        return keep_both_ends(f"  {name} by {', '.join(parts)}: {rows:,} {'key' if rows == 1 else 'keys'}", self._width)

    def _row(self, start: str, key: tuple[object, ...]) -> str:
        """What stands before a key, and the key: of its names, the longest are cut."""
        room = self._width - len(start) - 2 * len(key) - sum(len(str(part)) for part in key if isinstance(part, int))
        widths = [display_width(part) for part in key if isinstance(part, str)]
        longest = max(widths, default=0)
        while longest > _SHORTEST and sum(min(each, longest) for each in widths) > room:
            longest -= 1
        return f"{start}  {', '.join(_cut(part, longest) if isinstance(part, str) else str(part) for part in key)}"


def _cut(name: str, width: int) -> str:
    """A name that fits; of a place its end stays, of an object what it is, too."""
    what, born, place = name.partition(" born at ")
    if born and width > len(what + born) + _SHORTEST:
        return what + born + keep_end(place, width - len(what + born))
    return keep_end(name, width) if "/" in name and not born else keep_both_ends(name, width)


def _large_ranges(bins: Bins) -> Iterator[tuple[int, int, int]]:
    """Lowest value, highest value, how many: small bins go together with those beside them that are small."""
    held: tuple[int, int, int] | None = None
    for lowest, highest, count in bins.ranges():
        if count >= _SMALL * bins.count:
            yield from [held] if held else []
            yield lowest, highest, count
            held = None
        else:
            held = (held[0], highest, held[2] + count) if held else (lowest, highest, count)
    yield from [held] if held else []


def _short(number: float, width: int, form: str = ",") -> str:
    """A number, in powers of ten if it is too long."""
    text = f"{number:{form}}"
    return f"{text if len(text) <= width else f'{number:.3e}':>{width}}"


def _in_order(key: Iterable[object]) -> list[tuple[bool, object]]:
    """Numbers by size, before names."""
    return [(isinstance(part, str), part) for part in key]


def _more(rows: int) -> Iterator[str]:
    if rows > ROWS:
        yield f"  and {rows - ROWS:,} more"
