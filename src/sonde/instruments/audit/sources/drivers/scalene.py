"""Scalene, by the JSON that it writes; it tells of lines of the program's own files."""

import json
from pathlib import Path

from sonde.instruments.audit.sources.audited_python import AuditedPython
from sonde.instruments.audit.sources.drivers.driver import Driver, Told, UnreadableAnswer
from sonde.instruments.audit.sources.program_code import CodeName

_SHARES = ("n_cpu_percent_python", "n_cpu_percent_c", "n_sys_percent")


def _read(path: Path) -> Told:
    """The shares of lines, in Python, in C and in the system.

    Raises:
        UnreadableAnswer: it is none.
    """
    told = Told()
    try:
        profile = json.loads(path.read_bytes())
        if profile.keys() <= {"error"}:  # the program ran for too short a time
            return told
        for file, lines in profile["files"].items():
            for line in lines["lines"]:
                amount = sum(float(line[each]) for each in _SHARES)
                if amount > 0:
                    told.add(CodeName(file, int(line["lineno"])), amount)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UnreadableAnswer(f"'{path.name}' is no profile of Scalene: {error}") from error
    return told


def _command(program: AuditedPython, output: Path) -> list[str]:
    first, *rest = program.words
    ran = [first, rest[0]] if first == "-m" else [first]
    arguments = rest[1:] if first == "-m" else rest
    return [
        *(program.python, "-m", "scalene", "run", "--cpu-only", "-o", f"{output}.json", *ran),
        *(["---", *arguments] if arguments else []),
    ]


SCALENE = Driver(
    name="scalene",
    command=_command,
    read=lambda path: _read(path.with_name(f"{path.name}.json")),
    module="scalene",
    distribution="scalene",
    tells_program_only=True,
    own_code=("/scalene/",),
)
