"""Reading what HotSpot's compilers leave behind: `-XX:+LogCompilation`, with a time profile beside it."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from sonde.base.errors import InputError
from sonde.evidence import Doubt
from sonde.instruments.decisions.model import DecisionRun, Spread, Trees, Unit
from sonde.instruments.decisions.readers.hotspot.dangling_ids import dangling_ids
from sonde.instruments.decisions.readers.hotspot.log_index import LogIndex, Task, Trap, index_log
from sonde.instruments.decisions.readers.hotspot.method_names import whole_name
from sonde.instruments.decisions.readers.hotspot.task_trees import task_trees
from sonde.instruments.decisions.readers.hotspot.times import level_of, read_times, unit_times
from sonde.instruments.decisions.readers.place import RunPlace
from sonde.instruments.decisions.time_profiles import is_jfr


def is_compilation_log(head: bytes) -> bool:
    """Whether a file is one, by its first bytes."""
    return b"<hotspot_log " in head or head.lstrip().startswith((b"<task ", b"<compilation_log"))


def read_hotspot(place: RunPlace, profile: Path | None) -> DecisionRun:
    """Read a log, or the one log in a folder.

    Raises:
        InputError: `bad-compilation-log`, `unreadable-decision-record`, `several-runs`, and those of the profile.
    """
    index = index_log(_log_of(place))
    run = DecisionRun(
        place.title,
        "hotspot",
        "bytecode index",
        [],
        compilation="JIT",
        execution_id=index.process,
        doubts=_doubts(index),
    )
    path = profile or _profile_of(place)
    if path is not None:
        run.profile = read_times(index, path, run.doubts)
    periods, spreads = unit_times(index, run.profile, run.doubts)
    for task in index.tasks:
        if task.succeeded:
            run.units.append(_unit(index, task, len(run.units), periods, spreads))
    run.doubts += _dangling(index, [unit.id for unit in run.units if unit.period or run.profile is None])
    return run


def _version(task: Mapping[str, str], code: Mapping[str, str]) -> str:
    """In words: `C2`, `C1 level 3`, `C2 OSR @ 4`."""
    level = level_of(task, code)
    compiler = code.get("compiler") or ("c2" if level == 4 else "c1")
    words = {"c1": f"C1 level {level}", "c2": "C2", "jvmci": "JVMCI"}.get(compiler, compiler)
    return f"{words} OSR @ {task['osr_bci']}" if "osr_bci" in task else words


def _unit(index: LogIndex, task: Task, number: int, periods: Mapping[str, int], spreads: Mapping[str, Spread]) -> Unit:
    id_ = task.attributes["compile_id"]
    traps, end = index.traps.get(id_, []), index.ends.get(id_)
    return Unit(
        number=number,
        method=whole_name(task.attributes["method"]),
        id=id_,
        load=_loader(index, task, traps, end),
        version=_version(task.attributes, index.nmethods.get(id_, {})),
        period=periods.get(id_, 0),
        spread=spreads.get(id_, ()),
    )


def _loader(index: LogIndex, task: Task, traps: list[Trap], end: Mapping[str, str] | None) -> Callable[[], Trees]:
    path, start, length, size = index.path, task.start, task.end - task.start, index.size

    def load() -> Trees:
        try:
            with path.open("rb") as file:
                file.seek(start)
                text = file.read(length)
        except OSError as error:
            raise _changed(path, error.strerror or str(error)) from error
        if not text.startswith(b"<task ") or len(text) != length:
            raise _changed(path, f"it has changed since it was opened, when it had {size} bytes")
        return task_trees(text, traps, end)

    return load


def _changed(path: Path, fact: str) -> InputError:
    return InputError(
        f"cannot read compilation log '{path}': {fact}",
        slug="bad-decision-record",
        hint="read a log after the program has ended",
    )


def _log_of(place: RunPlace) -> Path:
    if not place.is_folder:
        return place.path  # the beginning may be lost
    logs = [file for file in place.files if is_compilation_log(place.head(file))]
    if len(logs) > 1:
        raise InputError(
            f"cannot read '{place.title}': it holds {len(logs)} compilation logs, '{logs[0].name}', '{logs[1].name}'"
            + (", ..." if len(logs) > 2 else ""),
            slug="several-runs",
            hint="name one of them",
        )
    if not logs:
        raise InputError(
            f"cannot read '{place.title}': there is no compilation log in it",
            slug="bad-compilation-log",
            hint="it is what 'java -XX:+UnlockDiagnosticVMOptions -XX:+LogCompilation -XX:LogFile=FILE' writes",
        )
    return logs[0]


def _profile_of(place: RunPlace) -> Path | None:
    if not place.is_folder:
        return None
    recordings = [file for file in place.files if is_jfr(place.head(file))]
    return recordings[0] if len(recordings) == 1 else None


def _dangling(index: LogIndex, wanted: Collection[str]) -> list[Doubt]:
    """What is damaged in some compilations: all of those of a large log would take as long as opening it again."""
    found: dict[str, set[bytes]] = {}
    some = frozenset(wanted)
    try:
        with index.path.open("rb") as file:
            for task in index.tasks:
                if task.succeeded and (number := task.attributes["compile_id"]) in some:
                    file.seek(task.start)
                    if ids := dangling_ids(file.read(task.end - task.start)):
                        found[number] = ids
    except OSError as error:
        raise _changed(index.path, error.strerror or str(error)) from error
    if not found:
        return []
    number, ids = next(iter(found.items()))
    text = (
        f"numbers of classes and methods that the log does not tell, in {len(found)} of {len(some)} compilations,"
        f" first {min(ids).decode()} in {number}: the log is damaged, and what they stand for is 'unknown' or '?'"
    )
    return [Doubt("dangling-ids", text, sum(map(len, found.values())))]


def _doubts(index: LogIndex) -> list[Doubt]:
    doubts: list[Doubt] = []
    failures = Counter(task.failure or "no reason given" for task in index.tasks if not task.succeeded)
    for reason, count in failures.most_common():
        doubts.append(Doubt("failed-compilation", f"compilations that failed: {reason}", count))
    if index.unfinished:
        doubts.append(
            Doubt("unfinished-compilation", "compilations that the log does not follow to their end", index.unfinished)
        )
    if index.is_cut:
        doubts.append(Doubt("cut-compilation-log", "the log lacks its end: the program was killed, or runs still", 1))
    return doubts
