"""A run of LLVM: what its remarks say, with times."""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sonde.base.errors import InputError
from sonde.code.symbols import source_name
from sonde.evidence import Doubt
from sonde.instruments.decisions.model import DecisionRun, ProfileEntry, SourceRange, Spread, TimeProfile, Trees, Unit
from sonde.instruments.decisions.readers.llvm.linking import UnitKey, link_times
from sonde.instruments.decisions.readers.llvm.object_record import ObjectRecord
from sonde.instruments.decisions.readers.llvm.record_columns import RecordColumns
from sonde.instruments.decisions.readers.llvm.remark_files import ObjectFiles, holds_remarks, object_files
from sonde.instruments.decisions.readers.llvm.sampled_code import SampledCode
from sonde.instruments.decisions.readers.llvm.trees import Unplaced, trees_of
from sonde.instruments.decisions.readers.place import RunPlace
from sonde.instruments.decisions.readers.reader import DecisionReader
from sonde.instruments.decisions.remarks import Remarks, read_remarks
from sonde.instruments.decisions.time_profiles import is_time_profile, read_time_profile


def recognises(place: RunPlace) -> bool:
    """Whether there are remarks."""
    return holds_remarks([(path, place.head(path)) for path in place.files])


def read_llvm(place: RunPlace, profile: Path | None) -> DecisionRun:
    """Read remarks of one program: a file, or all files of a folder.

    Lines count from the line on which their function begins, where that is known and the same for all functions of the
    name (`DecisionRun.sources`), so that it makes no difference that a function was moved as a whole.

    Args:
        profile: where the time went; None: what the manifest names, or the only profile that lies in the folder; else
            how often code ran, if the remarks say so (they do if LLVM was given a profile).
    Raises:
        InputError: `unknown-decision-record`, and as `read_remarks` and `read_time_profile`.
    """
    objects = object_files(place)
    if not objects:
        raise InputError(
            f"cannot use the run '{place.title}': no file of remarks is there",
            slug="unknown-decision-record",
            hint="clang writes them with -fsave-optimization-record, or: sonde decisions capture -- COMMAND",
        )
    paths = [path for each in objects for path in each.paths]
    remarks = read_remarks(paths, cache=place.path if place.is_folder else None)
    records = _records(objects, remarks)
    run = DecisionRun(place.title, "llvm", "line", [], compilation="AOT", lines_from="method")
    run.sources, first_line = _sources(records)
    run.doubts += _reading_doubts(remarks)
    begins = {(record.name, symbol): begin for record in records for symbol, begin in record.source.begins.items()}
    keys = [(record.name, symbol) for record in records for symbol in record.rows]
    profile = profile or (place.manifest.profile if place.manifest else None) or _only_profile(place)
    run.profile, periods = _times(profile, remarks, records)
    spreads: Mapping[UnitKey, Spread] = {}
    if run.profile is not None and not periods:
        sampled = None if profile is None else SampledCode(profile.stat().st_mtime, first_line)
        linked = link_times(run.profile, keys, begins, sampled)
        periods, spreads = linked.periods, linked.spreads
        run.doubts += linked.doubts
    tally = _Tally(run)
    for record in records:
        for symbol in record.rows:
            run.units.append(
                Unit(
                    number=len(run.units),
                    method=source_name(symbol),
                    id=symbol,
                    load=_Loader(record, symbol, first_line, tally),
                    version=record.name if len(records) > 1 else None,
                    period=periods.get((record.name, symbol), 0),
                    spread=spreads.get((record.name, symbol), ()),
                )
            )
    return run


LLVM = DecisionReader("llvm", "LLVM's optimization remarks (clang, rustc, zig, Numba)", recognises, read_llvm)


@dataclass(slots=True)
class _Tally:
    """Counts what could not be placed in the units that were read; in the run's doubts it is told once."""

    run: DecisionRun
    _units: set[UnitKey] = field(default_factory=set)
    _ambiguous: int = 0
    _elsewhere: int = 0

    def note(self, unit: UnitKey, unplaced: Unplaced) -> None:
        if unit in self._units:
            return
        self._units.add(unit)
        self._ambiguous += unplaced.ambiguous
        self._elsewhere += unplaced.elsewhere
        self._tell(
            "ambiguous-remark",
            self._ambiguous,
            "remarks are about code that was inlined more than once, and do not say which copy they mean",
        )
        self._tell(
            "remark-elsewhere",
            self._elsewhere,
            "remarks are about lines of which it is not known how they came into the function",
        )

    def _tell(self, slug: str, count: int, text: str) -> None:
        self.run.doubts[:] = [doubt for doubt in self.run.doubts if doubt.kind != slug]
        if count:
            self.run.doubts.append(Doubt(slug, text, count))


@dataclass(frozen=True, slots=True)
class _Loader:
    record: ObjectRecord
    symbol: str
    first_line: Callable[[str], int | None]
    tally: _Tally

    def __call__(self) -> Trees:
        trees, unplaced = trees_of(self.record, self.symbol, self.first_line)
        self.tally.note((self.record.name, self.symbol), unplaced)
        return trees


def _records(objects: Sequence[ObjectFiles], remarks: Remarks) -> list[ObjectRecord]:
    """The remarks of each object file; they are numbered in the order in which the files were read."""
    ends: list[int] = []
    files = iter(remarks.files)  # more than were named: one may lead to another that has its remarks
    for each in objects[1:]:
        ends.append(next(file.first for file in files if file.path == each.paths[0]))
    ends.append(len(remarks))
    rows: list[dict[str, Sequence[int]]] = [{} for _ in objects]
    firsts: list[dict[str, int]] = [{} for _ in objects]
    for symbol, own in remarks.functions.items():
        begin = 0
        while begin < len(own):
            which = bisect_right(ends, own[begin])
            end = bisect_right(own, ends[which] - 1, begin)
            rows[which][symbol] = own[begin:end]
            firsts[which][symbol] = own[begin]
            begin = end
    columns = RecordColumns(remarks)
    return [
        ObjectRecord(each.name, columns, {symbol: found[symbol] for symbol in sorted(found, key=first.__getitem__)})
        for each, found, first in zip(objects, rows, firsts, strict=True)
    ]


def _sources(records: Sequence[ObjectRecord]) -> tuple[dict[str, SourceRange], Callable[[str], int | None]]:
    """Where methods begin, unless several functions of that name begin at different places."""
    begins: dict[str, set[tuple[str, int]]] = {}
    for record in records:
        for symbol, begin in record.source.begins.items():
            begins.setdefault(source_name(symbol), set()).add(begin)
    sources = {name: SourceRange(*next(iter(found))) for name, found in begins.items() if len(found) == 1}
    return sources, lambda name: sources[name].first_line if name in sources else None


def _reading_doubts(remarks: Remarks) -> list[Doubt]:
    doubts = []
    if remarks.skipped_count:
        shown = "; ".join(f"{each.path.name}:{each.line}: {each.reason}" for each in remarks.skipped[:3])
        doubts.append(
            Doubt("skipped-remark", f"remarks were skipped, as they are damaged: {shown}", remarks.skipped_count)
        )
    damaged = [file for file in remarks.files if file.damage]
    if damaged:
        shown = "; ".join(f"'{file.path}': {file.damage}" for file in damaged[:3])
        doubts.append(
            Doubt("lost-remarks", f"files of remarks are damaged, the rest of them is lost: {shown}", len(damaged))
        )
    unended = [file for file in remarks.files if file.unended]
    if unended:
        doubts.append(Doubt("unended-remarks", f"the file ends in the middle: '{unended[0].path}'", len(unended)))
    if len(remarks) and not len(remarks.place_lines):
        doubts.append(
            Doubt("remarks-without-lines", "no remark has a place in the source: compile with -g", len(remarks))
        )
    return doubts


def _times(
    path: Path | None, remarks: Remarks, records: Sequence[ObjectRecord]
) -> tuple[TimeProfile | None, dict[UnitKey, int]]:
    """The profile; and the time of each unit, if it needs no linking."""
    if path is not None:
        return read_time_profile(path), {}
    periods = {
        (record.name, symbol): hottest
        for record in records
        for symbol, rows in record.rows.items()
        if (hottest := max((remarks.hotness[row] for row in rows if remarks.has_hotness[row]), default=0))
    }
    if not periods:
        return None, {}
    entries = tuple(ProfileEntry(source_name(symbol), period, file=name) for (name, symbol), period in periods.items())
    return TimeProfile(
        sum(periods.values()), "calls", entries, "hotness in the remarks: runs of the hottest block"
    ), periods


def _only_profile(place: RunPlace) -> Path | None:
    """The profile that lies in the folder itself. Raises: InputError `several-time-profiles`."""
    if not place.is_folder:
        return None
    found = [path for path in place.folder_files(place.path) if is_time_profile(place.head(path))]
    if len(found) > 1:
        names = ", ".join(f"'{path.name}'" for path in found[:4])
        raise InputError(
            f"cannot tell which profile is of the run '{place.title}': {names} are there",
            slug="several-time-profiles",
            hint="name one with --profile",
        )
    return found[0] if found else None
