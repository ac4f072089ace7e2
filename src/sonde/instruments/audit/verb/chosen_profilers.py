"""Which profilers are audited: those that are asked for, or all that are there."""

from collections.abc import Mapping, Sequence
from shutil import which
from subprocess import SubprocessError, run
from typing import NamedTuple

from sonde.base.errors import UsageError
from sonde.base.near_names import near_or_all
from sonde.instruments.audit.profile import Profiler
from sonde.instruments.audit.sources import AuditedPython, Driver, Interpreter, ask_interpreter
from sonde.registry import entries

_TOLD_WITHIN_S = 30


class ChosenProfilers(NamedTuple):
    """Profilers that take part, and those that would if they were there."""

    interpreter: Interpreter
    drivers: tuple[Driver, ...]
    profilers: tuple[Profiler, ...]


def chosen_profilers(program: AuditedPython, asked: Sequence[str]) -> ChosenProfilers:
    """Find the profilers that are asked for, in the program's interpreter and beside it.

    Args:
        asked: names, in any case; none: all that are there.
    Raises:
        UsageError: `unknown-profiler`; `no-program`, the interpreter cannot be asked.
    """
    wanted = chosen_drivers({name: entry.load() for name, entry in entries("profiler-driver").items()}, asked)
    modules = {each.module: each.distribution for each in wanted if each.module}
    interpreter = ask_interpreter(program.python, {**modules, "numba": "numba"})
    drivers, profilers = [], []
    for driver in wanted:
        version, missing = _looked_up(driver, program, interpreter)
        if missing and not asked:
            continue
        profilers.append(Profiler(driver.name, version, driver.clock, driver.tells_program_only, missing))
        if not missing:
            drivers.append(driver)
    return ChosenProfilers(interpreter, tuple(drivers), tuple(profilers))


def chosen_drivers(known: Mapping[str, Driver], asked: Sequence[str]) -> list[Driver]:
    """Those that are asked for, in any case; all if none is.

    Raises:
        UsageError: `unknown-profiler`.
    """
    by_name = {name.lower(): driver for name, driver in known.items()}
    return [_known(by_name, name) for name in dict.fromkeys(asked)] if asked else list(by_name.values())


def _known(known: dict[str, Driver], name: str) -> Driver:
    found = known.get(name.lower())
    if found is not None:
        return found
    raise UsageError(
        f"cannot audit '{name}': no such profiler is known",
        slug="unknown-profiler",
        hint=near_or_all(name, [driver.name for driver in known.values()]),
    )


def _looked_up(driver: Driver, program: AuditedPython, interpreter: Interpreter) -> tuple[str, str]:
    """Its version, and why it cannot take part."""
    if driver.module:
        version = interpreter.modules[driver.module]
        if version is None:
            return "", f"not installed: {program.python} -m pip install {driver.distribution or driver.module}"
        return version or interpreter.version, ""
    if driver.executable:
        path = which(driver.executable, path=str(program.folder)) or which(driver.executable)
        if path is None:
            return "", f"not installed: {program.python} -m pip install {driver.distribution}"
        return _version_of(path)
    return "", ""


def _version_of(path: str) -> tuple[str, str]:
    try:
        told = run([path, "--version"], capture_output=True, text=True, timeout=_TOLD_WITHIN_S, check=True).stdout
    except (OSError, SubprocessError) as error:
        return "", f"cannot be run: {error}"
    return told.split()[-1] if told.split() else "", ""
