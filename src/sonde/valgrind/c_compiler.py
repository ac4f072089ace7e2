"""The machine's C compiler, by the name that builds the Valgrind tool."""

import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass

from sonde.base.errors import MissingCapability

_VARIABLE = "CC"
_NAMES = ("cc", "gcc", "clang")


@dataclass(frozen=True, slots=True)
class CCompiler:
    """A C compiler with its linker."""

    command: tuple[str, ...]
    """What its options are appended to."""
    about: str
    """First line of what it says of its version."""


def find_c_compiler() -> CCompiler:
    """The compiler that `CC` names, else `cc`, `gcc` or `clang`.

    Raises:
        MissingCapability: `no-c-compiler`.
    """
    named = shlex.split(os.environ.get(_VARIABLE, ""))
    if named:
        if shutil.which(named[0]) is None:
            raise MissingCapability(
                f"cannot compile with '{named[0]}', which {_VARIABLE} names: there is no such command",
                slug="no-c-compiler",
                hint=f"unset {_VARIABLE}, or set it to a C compiler",
            )
        return CCompiler(tuple(named), _about(named))
    for name in _NAMES:
        path = shutil.which(name)
        if path is not None:
            return CCompiler((path,), _about([path]))
    raise MissingCapability(
        "cannot build the Valgrind tool: there is no C compiler on PATH",
        slug="no-c-compiler",
        hint="install one: apt-get install gcc",
    )


def _about(command: list[str]) -> str:
    try:
        done = subprocess.run(
            [*command, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MissingCapability(
            f"cannot compile with '{command[0]}': {error}", slug="no-c-compiler", hint="install another: gcc"
        ) from error
    return (done.stdout.strip() or done.stderr.strip() or command[0]).splitlines()[0]
