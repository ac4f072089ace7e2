"""The optimisations that half of the runs of an audited Python program are without."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import sonde
from sonde.base.errors import MissingCapability
from sonde.instruments.audit.sources.audited_python import Interpreter

Toggle = Literal["calls", "numba", "jit"]

INLINED_CALLS = "inlined calls"
"""Since 3.11 CPython runs Python functions that Python calls in the loop of the interpreter that runs the caller;
before, and where a frame evaluator (PEP 523) is set, each call goes through C."""
_CALLED: dict[Toggle, str] = {
    "calls": INLINED_CALLS,
    "numba": "Numba's inlining",
    "jit": "the interpreter's JIT",
}
_LIBRARY = "_plain_frames.so"
_WHY_NEVER = {
    "comprehensions": "CPython has no switch for it; a program that is rewritten to have none inlined is another one,"
    " with other frames, in which super() and := do not work",
    "specialisation": "CPython has no switch for it; what keeps it out, a trace function or events for each"
    " instruction, costs more than it saves",
}
"""What CPython does to a program and cannot be told to leave: `docs/limitations.md`."""

TOGGLES = (*_CALLED, *_WHY_NEVER)
"""All that can be asked for."""


class TurnedOff(NamedTuple):
    """What half of the runs are without, all of it at once."""

    toggles: tuple[Toggle, ...]
    library: Path | None = None
    """Which turns inlined calls off."""
    kept: Path | None = None
    """A folder for what Numba keeps from run to run; None: it keeps nothing."""

    @property
    def words(self) -> str:
        """What is turned off: `inlined calls and Numba's inlining`."""
        return " and ".join(_CALLED[each] for each in self.toggles)

    def environment(self, *, is_without: bool) -> dict[str, str]:
        """What a run needs in its environment besides."""
        found = dict[str, str]()
        if "jit" in self.toggles:
            found["PYTHON_JIT"] = "0" if is_without else "1"
        if "numba" in self.toggles and is_without and self.kept is not None:  # the program's own cache has other code
            found["NUMBA_CACHE_DIR"] = str(self.kept / "numba-without")
        return found


def why_still_on(toggle: str) -> str:
    """Why runs that were to be without something had it."""
    if toggle == "numba":
        return "Numba compiles nothing in this program, or is another one than sonde knows"
    return f"{_CALLED[toggle]} stayed on: this interpreter does not let sonde do it"  # type: ignore[index]


def turned_off(asked: Sequence[str], interpreter: Interpreter, kept: Path) -> TurnedOff:
    """What is asked for, if it can be turned off in programs of an interpreter.

    Args:
        kept: a folder that outlives the runs.
    Raises:
        MissingCapability: `cannot-toggle`; `no-agent`, the package was built without the library.
    """
    toggles = list[Toggle]()
    for name in dict.fromkeys(asked):
        why = _WHY_NEVER.get(name) or _why_not(name, interpreter)
        if why:
            raise MissingCapability(
                f"cannot turn '{name}' off: {why}",
                slug="cannot-toggle",
                hint="leave --toggle out for inlined calls, which each interpreter from 3.11 on has",
            )
        toggles.append(name)  # type: ignore[arg-type]
    return TurnedOff(tuple(toggles), plain_frames() if "calls" in toggles else None, kept)


def _why_not(name: str, interpreter: Interpreter) -> str:
    if name == "numba" and interpreter.modules.get("numba") is None:
        return "the program's interpreter has no Numba"
    if name == "jit" and not interpreter.has_jit:
        return f"this build of Python {interpreter.version} has no JIT"
    return ""


def plain_frames() -> Path:
    """The library that turns inlined calls off.

    Raises:
        MissingCapability: `no-agent`, the package was built without it.
    """
    path = Path(sonde.__file__).with_name(_LIBRARY)
    if not path.is_file():
        raise MissingCapability(
            "cannot turn inlined calls off: this installation of sonde has no library for it",
            slug="no-agent",
            hint="python -m pip install --force-reinstall sonde",
        )
    return path
