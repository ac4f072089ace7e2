"""Running a Python program so that what CPython's specialising interpreter decides is left in a folder.

The program runs in its own interpreter, with a recorder that `python_child` brings in through the interpreter's
start-up; it takes itself out of the environment, so that only the first Python of each branch of processes is recorded,
not those that this one starts.
"""

import os
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from sonde.base.errors import MissingCapability
from sonde.instruments.decisions.capture.captured import Captured, CaptureOptions
from sonde.instruments.decisions.model import CompilerKind
from sonde.launch import REFUSED, StartHook, read_refusal, run_to_end, with_start_hook

KINDS: tuple[CompilerKind, ...] = ("cpython",)
_HOOK = Path(__file__).with_name("python_child") / "start_hook.py"
_RECORDS = "interpreter"
"""Folder of the records, in that of the run."""
_INTERPRETER = re.compile(r"python(\d+(\.\d+)*)?[a-z]?(-dbg)?")
_SHEBANG = re.compile(rb"#![^\n]*\bpython[\d.]*\b")


def recognises(command: Sequence[str]) -> bool:
    """Whether a command is Python's: an interpreter, `script.py`, `-m module`, `-c code`, or a script of Python."""
    first = command[0]
    if first in ("-m", "-c"):
        return len(command) > 1
    if _INTERPRETER.fullmatch(Path(first).name) or first.endswith((".py", ".pyz")):
        return True
    return _is_python_script(first)


def run(command: Sequence[str], folder: Path, options: CaptureOptions) -> Captured:
    """Run it, as it would be without sonde.

    Raises:
        MissingCapability: `no-python-record`: no interpreter left one.
        SondeError: `cannot-execute`.
    """
    records = folder / _RECORDS
    records.mkdir(exist_ok=True)
    before = set(records.iterdir())
    outcome = run_to_end(command_line(command), _environment(records, options))
    made = sorted(set(records.iterdir()) - before)
    # The interpreter that we started ourselves goes before those that it started.
    found = sorted(
        (file for file in made if file.suffix == ".jsonl"),
        key=lambda file: (file.name != f"cpython-{outcome.pid}.jsonl", -file.stat().st_size),
    )
    if not found:
        raise _no_record(command, made)
    remarks = []
    if len(found) > 1:
        others = ", ".join(f"'{file}'" for file in found[1:4])
        remarks.append(f"{len(found)} Python processes were recorded; '{found[0]}' is the run, others are {others}")
    return Captured("cpython", outcome.shell_code, found[0], remarks=tuple(remarks))


def command_line(command: Sequence[str]) -> list[str]:
    """What is run: an interpreter is put before a script, a module, or a line of code."""
    first = command[0]
    is_script = first.endswith((".py", ".pyz")) and not (os.access(first, os.X_OK) and "/" in first)
    return [sys.executable, *command] if first in ("-m", "-c") or is_script else list(command)


def _environment(records: Path, options: CaptureOptions) -> dict[str, str]:
    fields = (str(options.interval_s), str(options.tick_ms / 1000))
    return with_start_hook(os.environ, StartHook(_HOOK, records, fields))


def _is_python_script(word: str) -> bool:
    place = shutil.which(word)
    if place is None:
        return False
    try:
        with Path(place).open("rb") as file:
            return _SHEBANG.match(file.readline(256)) is not None
    except OSError:
        return False


def _no_record(command: Sequence[str], made: Sequence[Path]) -> MissingCapability:
    refused = next((read_refusal(file) for file in made if file.suffix == REFUSED), None)
    hint = "use CPython 3.11 or newer, without its options -I, -E and -S"
    if refused is not None:
        reason = refused.reason.splitlines()[0]
        fact = f"the recorder cannot run in '{refused.executable}' ({refused.version}): {reason}"
        hint = refused.cure(hint)
    else:
        fact = "it ran, but no Python in it started the recorder"
    return MissingCapability(
        f"cannot record what '{' '.join(command)}' decides: {fact}",
        slug="no-python-record",
        hint=hint,
    )
