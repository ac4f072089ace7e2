"""How profilers are run on a program: their drivers, rounds of runs, and functions by one name for all of them."""

from sonde.instruments.audit.sources.audited_compiled import INLINING, AuditedCompiled, audited_compiled
from sonde.instruments.audit.sources.audited_python import (
    AuditedPython,
    Interpreter,
    ask_interpreter,
    audited_python,
)
from sonde.instruments.audit.sources.compiled_code import compiled_code
from sonde.instruments.audit.sources.drivers import OF_COMPILED, Driver, Told, UnreadableAnswer
from sonde.instruments.audit.sources.measured_run import MeasuredRun, run_measured
from sonde.instruments.audit.sources.program_code import CodeName, ProgramCode
from sonde.instruments.audit.sources.rounds import Rounds
from sonde.instruments.audit.sources.toggle import INLINED_CALLS, TOGGLES, TurnedOff, plain_frames, turned_off

__all__ = [
    "INLINED_CALLS",
    "INLINING",
    "OF_COMPILED",
    "TOGGLES",
    "AuditedCompiled",
    "AuditedPython",
    "CodeName",
    "Driver",
    "Interpreter",
    "MeasuredRun",
    "ProgramCode",
    "Rounds",
    "Told",
    "TurnedOff",
    "UnreadableAnswer",
    "ask_interpreter",
    "audited_compiled",
    "audited_python",
    "compiled_code",
    "plain_frames",
    "run_measured",
    "turned_off",
]
