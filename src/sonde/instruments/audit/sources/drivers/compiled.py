"""sonde's ways to profile compiled programs: probes before the optimiser and after it, cycles, and samples."""

import sys
from functools import partial
from pathlib import Path

from sonde.instruments.audit.profile import ClockKind
from sonde.instruments.audit.sources.audited_compiled import AuditedCompiled
from sonde.instruments.audit.sources.audited_python import AuditedPython
from sonde.instruments.audit.sources.drivers.driver import Driver, Told, UnreadableAnswer
from sonde.instruments.audit.sources.drivers.sonde_contexts import read_contexts

_DENSE_EVERY = "250us"


def _command(*options: str, program: AuditedPython | AuditedCompiled, output: Path) -> list[str]:
    return [
        *(sys.executable, "-P", "-m", "sonde", "contexts", *options, "--quiet", "--force"),
        *("-o", str(output), *program.words),
    ]


def _driver(name: str, *options: str, clock: ClockKind = "wall") -> Driver:
    words = partial(_command, *options)
    return Driver(
        name, lambda program, output: words(program=program, output=output), read_contexts, clock, keeps_time=True
    )


def _read_alone(path: Path) -> Told:
    """What `alone` writes."""
    words = path.read_text(encoding="utf-8").split()
    if len(words) != 2 or not all(word.isdecimal() for word in words):
        raise UnreadableAnswer(f"'{path.name}' has no times")
    return Told(program_ns=(int(words[0]), int(words[1])))


EARLY = _driver("early", "--probes", "early")
LATE = _driver("late", "--probes", "late")
CYCLES = _driver("cycles", "--cycles")
ALL_CYCLES = _driver("all-cycles", "--cycles", "--stamps", "all")
BOTH = _driver("cycles-and-samples", "--cycles", "--time", "both")
SAMPLED = _driver("sampled", "--cycles", "--time", "sampled", clock="processor")
DENSE_SAMPLED = _driver("dense sample", "--cycles", "--time", "sampled", "--every", _DENSE_EVERY, clock="processor")
COUNTED = _driver("calls", "--probes", "early", "--no-time")
ALONE = Driver(
    "alone",
    lambda program, output: [
        *(sys.executable, "-P", "-m", "sonde.instruments.audit.sources.alone", str(output)),
        *program.words,
    ],
    _read_alone,
    keeps_time=True,
)
OF_COMPILED = (EARLY, LATE, CYCLES, ALL_CYCLES, BOTH, SAMPLED)
