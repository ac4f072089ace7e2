"""sonde's own profilers, and the dense sample, by their files."""

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sonde.base.errors import EXIT_FAILED, EXIT_MISSING_CAPABILITY, SondeError
from sonde.code import IMPLICIT, Function
from sonde.instruments.audit.profile import ClockKind
from sonde.instruments.audit.sources.audited_python import AuditedPython
from sonde.instruments.audit.sources.drivers.driver import Driver, Told, UnreadableAnswer
from sonde.instruments.audit.sources.program_code import CodeName

if TYPE_CHECKING:
    from sonde.instruments.contexts.profile import ContextProfile

OWN_FAILURES = EXIT_FAILED, EXIT_MISSING_CAPABILITY
"""What sonde's verbs return where a program ended with 0, and nothing was measured of it."""
_DENSE_RATE = "2kHz"
_NO_TIME = ("cycles", "estimate")


def read_contexts(path: Path) -> Told:
    """The own times of a tree of contexts, and for each function those of what it called.

    Raises:
        UnreadableAnswer: it cannot be read.
    """
    from sonde.instruments.contexts.profile import read_profile  # knows all of contexts

    if not path.exists():
        raise FileNotFoundError(path)
    try:
        profile = read_profile(path)
    except SondeError as error:
        raise UnreadableAnswer(error.message) from error
    names = [_name(function) for function in profile.functions]
    told, tree = Told(), profile.contexts
    of_python = _rows_of_python(profile)
    for row, (function, own_ns) in enumerate(zip(tree.function, tree.self_ns, strict=True)):
        if not own_ns or profile.functions[function].kind == "thread":
            continue
        own = of_python[row]
        parent = tree.parent[own]
        told.add(names[tree.function[own]], own_ns)
        charged = names[tree.function[of_python[parent] if parent >= 0 else own]]
        told.charged[charged] = told.charged.get(charged, 0.0) + own_ns
    # Cycles of functions of the program alone, or estimates of them, are no time that could be compared.
    told.total_ns = None if profile.run.clock.startswith(_NO_TIME) else sum(tree.self_ns)
    told.program_ns = profile.run.duration_ns, profile.run.processor_ns
    return told


def _rows_of_python(profile: "ContextProfile") -> list[int]:
    """Of each context, the row of the Python function that it is in.

    To others, what Numba compiled is code in C, and a garbage collection is its caller's.
    """
    from sonde.instruments.contexts.profile import COLLECTING  # knows all of contexts

    is_inside = [each == COLLECTING or each.language in ("jit", "native") for each in profile.functions]
    is_python = [each.language == "python" for each in profile.functions]
    found, functions = list[int](), profile.contexts.function
    for row, (parent, function) in enumerate(zip(profile.contexts.parent, functions, strict=True)):
        has_caller = parent >= 0 and is_inside[function] and is_python[functions[found[parent]]]
        found.append(found[parent] if has_caller else row)
    return found


class Calls(NamedTuple):
    """How often functions were called."""

    of: dict[CodeName, int]
    """Those of Python; of a program that is compiled, all."""
    of_compiled: dict[CodeName, dict[CodeName, int]]
    """In Python programs, those that were compiled: by the Python functions that they ran for."""


def read_calls(path: Path) -> Calls:
    """How often each function was called.

    Raises:
        SondeError: it cannot be read.
    """
    from sonde.instruments.contexts.profile import read_profile  # as above

    profile, calls = read_profile(path), Calls({}, {})
    names = [_name(function) for function in profile.functions]
    functions = profile.contexts.function
    for row, (caller, count) in enumerate(zip(_rows_of_python(profile), profile.contexts.calls, strict=True)):
        counts = calls.of if caller == row else calls.of_compiled.setdefault(names[functions[row]], {})
        name = names[functions[caller]]
        counts[name] = counts.get(name, 0) + count
    return calls


def _name(function: Function) -> CodeName:
    words = function.name.partition(" in ")[0]
    made = next((name for name, called in IMPLICIT.items() if called == words), function.name)
    name = "<module>" if function.kind == "module" else made
    return CodeName(function.file, function.first_line, name)


def _command(verb: str, *options: str, program: AuditedPython, output: Path) -> list[str]:
    # -P: a module of the program's folder is not to take the place of one of sonde's
    return [
        *(sys.executable, "-P", "-m", "sonde", verb, *options, "--quiet", "--force", "-o", str(output)),
        *("--", *program.argv),
    ]


def _driver(name: str, clock: ClockKind, verb: str, *options: str) -> Driver:
    words = partial(_command, verb, *options)
    return Driver(
        name,
        lambda program, output: words(program=program, output=output),
        read_contexts,
        clock,
        own_failures=OWN_FAILURES,
    )


COUNTING = _driver("calls", "wall", "contexts", "--no-time", "--exact")
"""Counts calls."""
SONDE = _driver("sonde", "wall", "contexts")
SONDE_SAMPLE = _driver("sonde-sample", "processor", "sample")
DENSE_SAMPLE = _driver("dense sample", "processor", "sample", "--rate", _DENSE_RATE)
