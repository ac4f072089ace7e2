"""One run of a command from start to end: its time, its output, and what its Pythons told of theirs."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import perf_counter_ns
from typing import NamedTuple

from sonde.instruments.audit.sources.toggle import TurnedOff
from sonde.launch import START_UP, StartHook, with_start_hook

_INJECT = Path(__file__).with_name("inject")
OWN_CODE = (str(_INJECT), str(START_UP))
"""Parts of the paths of code that runs in audited processes and is ours."""
_LAST_WORDS = 200
"""Characters of standard error that a failure is told with."""


class Clocks(NamedTuple):
    """Of the program's process, as it told them at its end."""

    wall_ns: int = 0
    processor_ns: int = 0
    off: tuple[str, ...] = ()
    """What was to be turned off in it."""
    still_on: tuple[str, ...] = ()
    """What of that was not off."""
    has_raised: bool = False
    """Whether it ended by an exception that nobody caught."""
    processes: int = 0
    """Those that told their times and whose words end with the program's: a profiler's may be among them."""


class MeasuredRun(NamedTuple):
    """How a run went."""

    wall_ns: int
    processor_ns: int
    """Of the command's process and what it waited for."""
    exit_code: int
    """As `subprocess` has it: below 0 for a signal."""
    output: bytes
    """What it wrote to standard output."""
    last_words: str
    """The last line of its standard error."""
    clocks: Clocks
    is_too_long: bool = False
    """It was ended, as it took longer than it may."""


def run_measured(
    argv: Sequence[str],
    program: Sequence[str],
    folder: Path,
    *,
    without: TurnedOff | None = None,
    environment: Mapping[str, str] | None = None,
    most_s: float,
) -> MeasuredRun:
    """Run a command to its end, with nothing to read.

    Args:
        program: words that the program's own process ends with, by which its clocks are found.
        folder: an empty one, for this run.
        without: what is turned off; None: nothing.
        environment: variables that it has besides.
        most_s: seconds that it may take.
    Raises:
        OSError: it cannot be executed.
    """
    clocks, output, errors = folder / "clocks", folder / "stdout", folder / "stderr"
    clocks.mkdir()
    variables = {**_environment(clocks, without), **(environment or {})}
    is_too_long = False
    with output.open("wb") as out, errors.open("wb") as err:
        began = perf_counter_ns()
        process = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=variables, process_group=0
        )
        try:
            ran_before = _children_ran_ns()
            try:
                process.wait(most_s)
            except subprocess.TimeoutExpired:
                is_too_long = True
                _end(process)
        except BaseException:  # Ctrl-C, too: what was started ends first
            _end(process)
            raise
        wall_ns = perf_counter_ns() - began
    processor_ns = _children_ran_ns() - ran_before
    _end(process)  # what it left running
    said = errors.read_bytes()[-_LAST_WORDS * 4 :].decode("utf-8", "replace").strip().splitlines()
    last_words = said[-1].replace(f"{folder}/", "")[-_LAST_WORDS:] if said else ""
    told = _clocks_of(clocks, tuple(program))
    return MeasuredRun(wall_ns, processor_ns, process.returncode, output.read_bytes(), last_words, told, is_too_long)


def _environment(folder: Path, without: TurnedOff | None) -> Mapping[str, str]:
    off = TurnedOff(()) if without is None else without
    fields = (str(off.library or ""), " ".join(off.toggles))
    return with_start_hook(os.environ, StartHook(_INJECT / "start_hook.py", folder, fields, follow=True))


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End all of its group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _children_ran_ns() -> int:
    times = os.times()
    return round((times.children_user + times.children_system) * 1e9)


def _clocks_of(folder: Path, program: tuple[str, ...]) -> Clocks:
    """Of the process that began last among those whose words end with the program's."""
    found = Clocks()
    for note in sorted(folder.glob("*.clock")):
        times, _, words = note.read_text(encoding="utf-8", errors="replace").partition("\n")
        # Scalene has a word of its own between the program and its arguments.
        if tuple(word for word in words.split("\0") if word != "---")[-len(program) :] == program:
            wall_ns, processor_ns, off, still_on, ended = times.split()
            has_raised = ended == "raised"
            times_of = int(wall_ns), int(processor_ns)
            found = Clocks(*times_of, _names(off), _names(still_on), has_raised, found.processes + 1)
    return found


def _names(words: str) -> tuple[str, ...]:
    return () if words == "-" else tuple(words.split(","))
