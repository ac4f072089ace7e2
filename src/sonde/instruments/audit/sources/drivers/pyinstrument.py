"""pyinstrument, by the session that it saves."""

import json
from pathlib import Path

from sonde.instruments.audit.sources.drivers.driver import Driver, Told, UnreadableAnswer
from sonde.instruments.audit.sources.program_code import CodeName


def _read(path: Path) -> Told:
    """Each record is a stack, whose frames are `name NUL file NUL first line SOH attributes`, and the time since the
    last one; frames of C functions are nobody's own.

    Raises:
        UnreadableAnswer: it is none.
    """
    try:
        told, total = Told(), 0.0
        for stack, seconds in json.loads(path.read_bytes())["frame_records"]:
            total += seconds
            frames = (frame.partition("\x01")[0].split("\0") for frame in reversed(stack))
            leaf = next((CodeName(file, int(line), name) for name, file, line in frames if _is_python(file)), None)
            if leaf is not None:
                told.add(leaf, seconds)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UnreadableAnswer(f"'{path.name}' is no session of pyinstrument: {error}") from error
    told.total_ns = round(total * 1e9)
    return told


def _is_python(file: str) -> bool:
    return bool(file) and file not in ("<built-in>", "<thread>")


PYINSTRUMENT = Driver(
    name="pyinstrument",
    command=lambda program, output: [
        *(program.python, "-m", "pyinstrument", "-r", "session", "-o", str(output)),
        *program.words,
    ],
    read=_read,
    module="pyinstrument",
    distribution="pyinstrument",
    own_code=("/pyinstrument/",),
)
