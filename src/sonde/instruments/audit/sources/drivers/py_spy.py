"""py-spy, by its raw stacks."""

import re
from pathlib import Path
from shutil import which

from sonde.instruments.audit.sources.audited_python import AuditedPython
from sonde.instruments.audit.sources.drivers.driver import Driver, Told, UnreadableAnswer
from sonde.instruments.audit.sources.program_code import CodeName

_RATE = 100
"""Samples a second: what it does by itself."""
_FRAME = re.compile(r"(.*) \((.*):(\d+)\)")


def _read(path: Path) -> Told:
    """A line for each stack: `a (file:first line);b (file:first line) samples`.

    Raises:
        UnreadableAnswer: it is none.
    """
    told, total = Told(), 0
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        stack, _, samples = line.rpartition(" ")
        frames = (_FRAME.fullmatch(frame) for frame in reversed(stack.split(";")))
        leaf = next((frame for frame in frames if frame), None)
        if not samples.isdecimal() or (stack and leaf is None):
            raise UnreadableAnswer(f"'{path.name}' is no file of raw stacks: {line[:60]}")
        total += int(samples)
        if leaf is not None:  # samples taken before the program has any frame have an empty stack
            told.add(CodeName(leaf[2], int(leaf[3]), leaf[1]), int(samples))
    told.total_ns = total * 1_000_000_000 // _RATE
    return told


def _command(program: AuditedPython, output: Path) -> list[str]:
    return [
        *(which("py-spy", path=str(program.folder)) or "py-spy", "record", "--function", "--full-filenames"),
        *("--rate", str(_RATE), "--format", "raw", "--output", str(output), "--", *program.argv),
    ]


PY_SPY = Driver(
    name="py-spy",
    command=_command,
    read=_read,
    executable="py-spy",
    distribution="py-spy",
)
