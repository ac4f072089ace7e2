"""Reading a run of Graal: the folder of the log is found and indexed, and times are linked to its units."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from sonde.base.errors import InputError
from sonde.evidence import Doubt
from sonde.instruments.decisions.model import DecisionRun, Spread, Unit
from sonde.instruments.decisions.readers.graal.log_index import LogIndex, LogLine, index_file
from sonde.instruments.decisions.readers.graal.method_names import split_variant
from sonde.instruments.decisions.readers.graal.times import link_times
from sonde.instruments.decisions.readers.graal.unit_trees import read_unit
from sonde.instruments.decisions.readers.manifest import MANIFEST
from sonde.instruments.decisions.readers.place import RunPlace
from sonde.instruments.decisions.readers.reader import DecisionReader
from sonde.instruments.decisions.time_profiles import is_proftool

LOG_FOLDER = "optimization_log"
"""As Graal calls it."""
_BEGINNING = re.compile(rb'\s*\{\s*"(?:methodName|compilationMethodName|compilationId)"\s*:')
_NAMED = 3
"""As many examples are named in a doubt."""


def _recognises(place: RunPlace) -> bool:
    if place.is_folder and (place.path / LOG_FOLDER).is_dir():
        return True
    return any(_is_log(place.head(file)) for file in place.files)


def _is_log(head: bytes) -> bool:
    """Whether any line that begins in the head begins as a unit does; a file may be damaged before that."""
    return any(_BEGINNING.match(line) and (b'"compilationId"' in line) for line in head.split(b"\n"))


def _read(place: RunPlace, profile: Path | None) -> DecisionRun:
    folder, files = _log(place)
    indexes = [index_file(file) for file in files]
    if not any(index.lines for index in indexes):
        raise _nothing(place, indexes)
    run = indexed_run(place.title, indexes, profile if profile is not None else _profile_beside(place, folder))
    run.doubts = [*_skipped(indexes), *_ambiguous(run.units), *run.doubts]
    return run


GRAAL = DecisionReader("graal", "Graal's optimization log, and a profile of proftool", _recognises, _read)


def indexed_run(name: str, indexes: Sequence[LogIndex], profile: Path | None) -> DecisionRun:
    """All units of the files of a log with their times; what is doubted is only about times.

    Raises:
        InputError: as reading the profile does.
    """
    lines = [(index.path, line) for index in indexes for line in index.lines]
    times = link_times(profile, [line for _, line in lines])
    return DecisionRun(
        name=name,
        kind="graal",
        offsets="bytecode index",
        units=[
            _unit(number, path, line, period, times.spreads.get(number, ()), in_loop=line.id in times.loop_ids)
            for number, ((path, line), period) in enumerate(zip(lines, times.periods, strict=True))
        ],
        profile=times.profile,
        compilation=times.compilation,
        execution_id=times.execution_id,
        doubts=times.doubts,
    )


def _in_log_order(files: Iterable[Path]) -> tuple[Path, ...]:
    """Files of a log are called after the isolate and thread: `0_9` comes before `0_14`."""
    return tuple(sorted(files, key=_numbers))


def _numbers(file: Path) -> list[tuple[int, str]]:
    return [(int(digits or 0), rest) for digits, rest in re.findall(r"(\d*)(\D*)", file.name)]


def _unit(number: int, path: Path, line: LogLine, period: int, spread: Spread, *, in_loop: bool) -> Unit:
    method, variant = split_variant(line.method)
    load = partial(read_unit, path, line.offset, line.length)
    return Unit(number, method, line.id, load, variant, "OSR" if in_loop else None, period, spread)


def _log(place: RunPlace) -> tuple[Path, tuple[Path, ...]]:
    """The folder of the log, and its files in the order of their numbers."""
    if not place.is_folder:
        return place.path.parent, (place.path,)
    folders = sorted({file.parent for file in place.files if _is_log(place.head(file))})
    named = place.path / LOG_FOLDER
    if len(folders) > 1:
        shown = ", ".join(f"'{folder.relative_to(place.path)}'" for folder in folders[:_NAMED])
        more = f" and {len(folders) - _NAMED} more" if len(folders) > _NAMED else ""
        raise InputError(
            f"cannot read '{place.path}' as one run: there are logs in {shown}{more}",
            slug="several-runs",
            hint="name one of these folders",
        )
    folder = named if named.is_dir() and folders in ([], [named]) else folders[0] if folders else place.path
    files = [file for file in place.folder_files(folder) if not _is_companion(place, file)]
    return folder, _in_log_order(files)


def _is_companion(place: RunPlace, file: Path) -> bool:
    """Whether a file beside the log is none of it."""
    return file.name == MANIFEST or is_proftool(place.head(file))


def _profile_beside(place: RunPlace, log: Path) -> Path | None:
    """The profile in the folder that was named, or in the one that holds the log; never one from outside."""
    if not place.is_folder:
        return None
    folders = {place.path, log} | ({log.parent} if log != place.path else set())
    found = [file for file in place.files if file.parent in folders and is_proftool(place.head(file))]
    if len(found) > 1:
        raise InputError(
            f"cannot choose a profile for '{place.path}': there are {', '.join(repr(file.name) for file in found)}",
            slug="several-profiles",
            hint=f"--profile {found[0]}",
        )
    return found[0] if found else None


def _skipped(indexes: Sequence[LogIndex]) -> list[Doubt]:
    skipped = [(index.path, line) for index in indexes for line in index.skipped]
    if not skipped:
        return []
    shown = "; ".join(f"'{path.name}' at byte {line.offset}: {line.fact}" for path, line in skipped[:_NAMED])
    more = "; ..." if len(skipped) > _NAMED else ""
    return [Doubt("skipped-lines", f"a line that is no unit was left out: {shown}{more}", len(skipped))]


def _ambiguous(units: Sequence[Unit]) -> list[Doubt]:
    repeated = [name for name, count in Counter(unit.id for unit in units).items() if count > 1]
    if not repeated:
        return []
    shown = ", ".join(f"'{name}'" for name in repeated[:_NAMED])
    more = ", ..." if len(repeated) > _NAMED else ""
    text = f"a compilation id stands for several units, time goes to the last of them: {shown}{more}"
    return [Doubt("repeated-compilation-ids", text, len(repeated))]


def _nothing(place: RunPlace, indexes: Sequence[LogIndex]) -> InputError:
    skipped = [(index.path, line) for index in indexes for line in index.skipped]
    if not skipped:
        fact = "no compilation unit is in the log"
    else:
        path, line = skipped[0]
        fact = f"none of its {len(skipped)} lines is a unit; '{path.name}' at byte {line.offset}: {line.fact}"
    return InputError(
        f"cannot use the run '{place.path}': {fact}",
        slug="empty-run",
        hint="was the program run with -Djdk.graal.OptimizationLog=Directory, and long enough to be compiled?",
    )
