"""cProfile, and what else writes files for `pstats`: profile, yappi."""

import marshal
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from sonde.instruments.audit.sources.audited_python import AuditedPython
from sonde.instruments.audit.sources.drivers.driver import Driver, Told, UnreadableAnswer
from sonde.instruments.audit.sources.program_code import CodeName

_Key: TypeAlias = tuple[str, int, str]
_OfCaller: TypeAlias = tuple[int, int, float, float] | int
"""Calls that one caller made: without recursive ones, all, own time, time with callees; or all alone."""
_DICTIONARY = (b"{", b"\xfb")
"""How `marshal` begins one; the latter if it may be referred to."""
_MOST_BUILTINS = 16
"""C functions that call one another, at most; what is left then is nobody's."""


def read_pstats(path: Path) -> Told:
    """Read what `pstats` reads; time in C functions is that of the Python functions that call them, as for samplers.

    Raises:
        UnreadableAnswer: it is none.
    """
    content = path.read_bytes()
    if content[:1] not in _DICTIONARY:  # of other kinds, nonsense may say that it has a thousand million parts
        raise UnreadableAnswer(f"'{path.name}' is no file for pstats: it does not begin with a dictionary")
    try:
        return _told(marshal.loads(content))
    except (EOFError, ValueError, TypeError, AttributeError, LookupError) as error:
        raise UnreadableAnswer(f"'{path.name}' is no file for pstats: {error}") from error


def _told(stats: Mapping[_Key, tuple[int, int, float, float, Mapping[_Key, _OfCaller]]]) -> Told:
    told = Told()
    pending: dict[_Key, float] = {}
    total = 0.0
    for key, (_, _, own, _, callers) in stats.items():
        total += own
        if not _is_builtin(key):
            told.add(CodeName(key[0], key[1], key[2]), own)
            continue
        calls = sum(map(_calls, callers.values()))
        for caller, each in callers.items():
            # `profile` knows of callers how often they called, and no times.
            of_caller = own * each / calls if isinstance(each, int) else each[2]
            if _is_builtin(caller):
                pending[caller] = pending.get(caller, 0.0) + of_caller
            else:
                told.add(CodeName(caller[0], caller[1], caller[2]), of_caller)
    for _ in range(_MOST_BUILTINS):
        further: dict[_Key, float] = {}
        for key, amount in pending.items():
            callers = stats[key][4]
            calls = sum(map(_calls, callers.values()))
            for caller, each in callers.items():
                part = amount * _calls(each) / calls
                if _is_builtin(caller):
                    further[caller] = further.get(caller, 0.0) + part
                else:
                    told.add(CodeName(caller[0], caller[1], caller[2]), part)
        pending = further
    told.total_ns = round(total * 1e9)
    return told


def _calls(of_caller: _OfCaller) -> int:
    return of_caller if isinstance(of_caller, int) else of_caller[1]


def _is_builtin(key: _Key) -> bool:
    return key[0] in ("~", "", "__builtin__") or key[1] == 0


def _command(module: str, program: AuditedPython, output: Path) -> list[str]:
    return [program.python, "-m", module, "-o", str(output), *program.words]


CPROFILE = Driver(
    name="cProfile",
    command=lambda program, output: _command("cProfile", program, output),
    read=read_pstats,
    module="cProfile",
    own_code=("/cProfile.py", "/profile.py"),
)
PROFILE = Driver(
    name="profile",
    command=lambda program, output: _command("profile", program, output),
    read=read_pstats,
    module="profile",
    own_code=("/profile.py",),
)
YAPPI = Driver(
    name="yappi",
    command=lambda program, output: [
        *(program.python, "-m", "yappi", "-f", "pstat", "-o", str(output)),
        *program.words,
    ],
    read=read_pstats,
    clock="processor",
    module="yappi",
    distribution="yappi",
    own_code=("/yappi.py", "/yappi/"),
)
