"""The Python program that is audited, and the interpreter that runs it."""

import json
import subprocess
from pathlib import Path
from typing import NamedTuple

from sonde.base.errors import MissingCapability, UsageError
from sonde.base.free_threading import INSTEAD, is_free_threaded
from sonde.launch import Program, find_command

_ASK = """
import importlib.metadata, importlib.util, json, sys, sysconfig
names = json.loads(sys.argv[1])
def version(module, distribution):
    if importlib.util.find_spec(module) is None:
        return None
    try:
        return importlib.metadata.version(distribution) if distribution else ""
    except importlib.metadata.PackageNotFoundError:
        return ""
def has_jit():
    if hasattr(sys, "_jit"):
        return sys._jit.is_available()
    built = sysconfig.get_config_var("CONFIG_ARGS") or ""
    return sys.version_info >= (3, 13) and "--enable-experimental-jit" in built
print(json.dumps({
    "implementation": sys.implementation.name,
    "version": sys.version.split()[0],
    "has_jit": has_jit(),
    "flags": getattr(sys, "abiflags", ""),
    "modules": {module: version(module, distribution) for module, distribution in names},
}))
"""
_ASKED_WITHIN_S = 30


class AuditedPython(NamedTuple):
    """A Python program in the words that run it."""

    python: str
    """The interpreter's command."""
    words: tuple[str, ...]
    """What follows it: a script or `-m module`, and arguments."""

    @property
    def argv(self) -> tuple[str, ...]:
        """As it is run without a profiler."""
        return (self.python, *self.words)

    @property
    def folder(self) -> Path:
        """Where the interpreter's commands lie, those of profilers among them."""
        return Path(find_command(self.python)).parent


class Interpreter(NamedTuple):
    """What is known of an interpreter."""

    version: str
    modules: dict[str, str | None]
    """Version of each that was asked for; None: there is no such module, empty: it has none."""
    has_jit: bool = False
    """Whether it can compile what it runs (3.13 and later, where the build has it)."""


def audited_python(program: Program) -> AuditedPython:
    """The program of an audit.

    Raises:
        UsageError: `no-program`, it is not a script or module with an interpreter before it.
    """
    python, *words = program.argv
    if words and (not words[0].startswith("-") or words[0] == "-m"):
        return AuditedPython(python, tuple(words))
    raise UsageError(
        f"cannot audit '{' '.join(program.argv)}': profilers need a script or a module to run",
        slug="no-program",
        hint="sonde audit app.py, sonde audit -m module, or sonde audit -- /path/to/python app.py",
    )


def ask_interpreter(python: str, modules: dict[str, str]) -> Interpreter:
    """Ask an interpreter who it is, and for the versions of modules.

    Args:
        modules: the distribution that each is of; empty for those of the standard library.
    Raises:
        UsageError: `no-program`, it is no CPython from 3.11 on.
        MissingCapability: `free-threaded`.
    """
    asked = json.dumps(list(modules.items()))
    try:
        answer = subprocess.run(
            [python, "-c", _ASK, asked], capture_output=True, text=True, timeout=_ASKED_WITHIN_S, check=True
        )
        told = json.loads(answer.stdout)
        known = told["implementation"] == "cpython" and _at_least_3_11(told["version"])
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, TypeError) as error:
        raise _no_python(python) from error
    if not known:
        raise _no_python(f"{python}' ({told['implementation']} {told['version']}) '".rstrip(" '"))
    if is_free_threaded(told["flags"]):
        raise MissingCapability(
            f"cannot audit profilers under '{python}': Python {told['version']}t is built without a GIL"
            " (free-threaded), and what sonde loads relies on one",
            slug="free-threaded",
            hint=INSTEAD,
        )
    return Interpreter(told["version"], told["modules"], bool(told["has_jit"]))


def _at_least_3_11(version: str) -> bool:
    return tuple(map(int, version.split(".")[:2])) >= (3, 11)


def _no_python(named: str) -> UsageError:
    return UsageError(
        f"cannot audit profilers under '{named}': that is no CPython from 3.11 on",
        slug="no-program",
        hint="sonde audit -- /path/to/python app.py",
    )
