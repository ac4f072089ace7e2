"""What a compilation log holds, and where: found without reading the compilations themselves.

<hotspot_log ...>
  <tty> ... <nmethod compile_id=.../> <make_not_entrant .../> <uncommon_trap thread=...> ... </tty>
  <compilation_log thread=...>         one for each thread that compiled
    <task compile_id=...> ... </task>
    <fragment><![CDATA[ <task> ... ]]></fragment>       what was being compiled when the machine stopped
"""

import mmap
import re
from dataclasses import dataclass, field
from pathlib import Path

from sonde.base.errors import InputError
from sonde.instruments.decisions.readers.hotspot.elements import attributes, elements, integer


@dataclass(frozen=True, slots=True)
class Task:
    """One compilation that was finished, well or not."""

    attributes: dict[str, str]
    start: int
    """Byte in the log."""
    end: int
    succeeded: bool
    failure: str | None = None
    """Why it did not succeed, if the log says it."""


@dataclass(frozen=True, slots=True)
class Trap:
    """Compiled code that met what it was not compiled for, and was left."""

    reason: str
    action: str
    places: tuple[tuple[str, int], ...]
    """Method and bytecode index, innermost first."""


@dataclass(slots=True)
class LogIndex:
    """What was found."""

    path: Path
    size: int
    process: str | None = None
    time_ms: int | None = None
    """When the virtual machine started, since the epoch."""
    machine: str = ""
    """What it calls itself."""
    tasks: list[Task] = field(default_factory=list)
    nmethods: dict[str, dict[str, str]] = field(default_factory=dict)
    """Id of compilation -> its installed code."""
    ends: dict[str, dict[str, str]] = field(default_factory=dict)
    """Id of compilation -> when and why its code was given up."""
    traps: dict[str, list[Trap]] = field(default_factory=dict)
    """Id of compilation -> where its code was left, each time."""
    unfinished: int = 0
    """Compilations that the log does not follow to their end."""
    is_cut: bool = False
    """It lacks its end: the machine was killed, or runs still."""


def index_log(path: Path) -> LogIndex:
    """Find what is in a log.

    Raises:
        InputError: `unreadable-decision-record`, `bad-compilation-log`.
    Cost: O(bytes) time; O(compilations) space.
    """
    try:
        with path.open("rb") as file:
            if not path.stat().st_size:
                raise _bad(path, "it is empty")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
                return _indexed(path, text)
    except OSError as error:
        raise InputError(
            f"cannot read compilation log '{path}': {error.strerror}",
            slug="unreadable-decision-record",
            hint="check its permissions, and that the disk is there",
        ) from error


def _indexed(path: Path, text: mmap.mmap) -> LogIndex:
    head = _HEAD.search(text[:4096])
    if head is None and text.find(b"<task ") < 0:
        raise _bad(path, "it has neither a <hotspot_log> nor a <task>")
    index = LogIndex(path, len(text))
    if head is not None:
        about = attributes(head[1])
        index.process = about.get("process")
        index.time_ms = integer(about.get("time_ms", ""))
        machine = _MACHINE.search(text[:65536])
        index.machine = machine[1].decode("utf-8", "replace").strip() if machine else ""
    index.is_cut = b"<hotspot_log_done" not in text[-4096:]
    task = 0 if text[:6] == b"<task " else None  # a piece of a log
    for match in _EVENT.finditer(text):
        kind, start = match[1], match.start() + 1
        if kind == b"task ":
            index.unfinished += task is not None
            task = start
        elif kind == b"/task>":
            if task is not None:
                _add_task(index, text, task, match.end())
            task = None
        else:
            _add_event(index, text, start, kind)
    index.unfinished += task is not None
    return index


def _add_task(index: LogIndex, text: mmap.mmap, start: int, end: int) -> None:
    about = attributes(text[start : text.find(b">", start, end)])
    done_at = text.rfind(b"\n<task_done ", start, end)
    succeeded = done_at >= 0 and text.find(b" success='1'", done_at, text.find(b"/>", done_at)) >= 0
    failure = None
    if not succeeded:
        failures = _FAILURE.findall(text, start, end)
        failure = attributes(failures[-1]).get("reason") if failures else None
    if "compile_id" in about and "method" in about:
        index.tasks.append(Task(about, start, end, succeeded, failure))
    else:
        index.unfinished += 1


def _add_event(index: LogIndex, text: mmap.mmap, start: int, kind: bytes) -> None:
    end = text.find(b">", start, start + _LONGEST_TAG)
    if end < 0:  # the last line of a machine that was killed
        return
    about = attributes(b"".join(_USED.findall(text, start, end)) if kind == b"nmethod " else text[start:end])
    number = about.get("compile_id")
    if number is None:
        return
    if kind == b"nmethod ":
        index.nmethods[number] = about
    elif kind == b"make_not_entrant ":
        index.ends.setdefault(number, about)
    else:
        stop = text.find(b"</uncommon_trap>", end, end + _LONGEST_STACK)
        inside = text[end : stop if stop >= 0 else end]
        places = tuple(
            (tag.attributes["method"], bci)
            for tag in elements(inside)
            if tag.name == "jvms"
            and "method" in tag.attributes
            and (bci := integer(tag.attributes.get("bci", ""))) is not None
        )
        index.traps.setdefault(number, []).append(Trap(about.get("reason", "?"), about.get("action", "?"), places))


def _bad(path: Path, fact: str) -> InputError:
    return InputError(
        f"cannot read compilation log '{path}': {fact}",
        slug="bad-compilation-log",
        hint="it is what 'java -XX:+UnlockDiagnosticVMOptions -XX:+LogCompilation -XX:LogFile=FILE' writes",
    )


_HEAD = re.compile(rb"<hotspot_log((?:\s+\w+='[^']*')*)")
_MACHINE = re.compile(rb"<info>\s*([^<]*?)\s*</info>")
_EVENT = re.compile(rb"\n<(task |/task>|nmethod |make_not_entrant |uncommon_trap thread)")
_USED = re.compile(rb" (?:compile_id|compile_kind|compiler|level|method|stamp)='[^']*'")
"""Of the thirty attributes of installed code; the others say where in memory its parts are."""
_FAILURE = re.compile(rb"\n<failure (.*?)/>")
_LONGEST_TAG = 1 << 16
_LONGEST_STACK = 1 << 16
"""Bytes within which the stack of a trap ends; a log that was damaged may never end it."""
