"""The report of a tool that has none of its own: everything it holds, as tables."""

from collections.abc import Iterator

from sonde.instruments.memory.toolkit.histogram import Bins
from sonde.instruments.memory.toolkit.result_names import ResultNames
from sonde.instruments.memory.toolkit.results import CountsResult, HistogramResult, SetResult, ToolResults
from sonde.instruments.memory.toolkit.value_types import Kind

ROWS = 20
"""Rows of each table that are printed, those with the highest numbers first."""


def default_report(results: ToolResults, names: ResultNames) -> str:
    """Fields, tables, histograms, caches and outputs, as text of complete lines."""
    return "".join(f"{line}\n" for line in _lines(results, names))


def _lines(results: ToolResults, names: ResultNames) -> Iterator[str]:
    yield f"{results.name}"
    for name, (kind, value) in results.fields.items():
        shown = names.named(kind, value)
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
        yield ""
        yield from _counts(name, counts, names)
    for name, histogram in results.histograms.items():
        yield ""
        yield from _histogram(name, histogram, names)
    for name, held in results.sets.items():
        yield ""
        yield from _set(name, held, names)


def _counts(name: str, counts: CountsResult, names: ResultNames) -> Iterator[str]:
    yield f"  {name}{_key_title(counts.kinds)}: {len(counts.rows):,} rows"
    yield "  " + " ".join(f"{column:>14}" for column in counts.columns)
    keys = names.keys(counts.kinds, counts.rows)
    ordered = sorted(counts.rows.items(), key=lambda each: (tuple(-cell for cell in each[1]), str(keys[each[0]])))
    for key, cells in ordered[:ROWS]:
        yield f"  {' '.join(f'{cell:14,}' for cell in cells)}  {_key_text(keys[key])}".rstrip()
    yield from _more(len(ordered))


def _histogram(name: str, histogram: HistogramResult, names: ResultNames) -> Iterator[str]:
    every = Bins()
    for bins in histogram.rows.values():
        every.include(bins)
    yield f"  {name}: {every.count:,} values, mean {every.mean:,.1f}, {every.min:,} to {every.max:,}"
    yield f"  {'from':>20} {'to':>20} {'values':>14} {'up to here':>10}"
    for lowest, highest, count in every.ranges():
        yield f"  {lowest:20,} {highest:20,} {count:14,} {every.share_below(highest + 1):10.1%}"
    if not histogram.kinds:
        return
    yield ""
    yield f"  {name}{_key_title(histogram.kinds)}: {len(histogram.rows):,} rows"
    yield f"  {'values':>14} {'mean':>18} {'least':>14} {'greatest':>14}"
    keys = names.keys(histogram.kinds, histogram.rows)
    ordered = sorted(histogram.rows.items(), key=lambda each: (-each[1].count, str(keys[each[0]])))
    for key, bins in ordered[:ROWS]:
        yield f"  {bins.count:14,} {bins.mean:18,.1f} {bins.min:14,} {bins.max:14,}  {_key_text(keys[key])}"
    yield from _more(len(ordered))


def _set(name: str, held: SetResult, names: ResultNames) -> Iterator[str]:
    yield f"  {name}{_key_title(held.kinds)}: {len(held.rows):,} keys"
    ordered = sorted(_key_text(key) for key in names.keys(held.kinds, held.rows).values())
    yield from (f"  {key}" for key in ordered[:ROWS])
    yield from _more(len(ordered))


def _key_title(kinds: tuple[Kind, ...]) -> str:
    return f" by {' and '.join(kind.value for kind in kinds)}" if kinds else ""


def _key_text(key: tuple[object, ...]) -> str:
    return ", ".join(map(str, key))


def _more(rows: int) -> Iterator[str]:
    if rows > ROWS:
        yield f"  and {rows - ROWS:,} more"
