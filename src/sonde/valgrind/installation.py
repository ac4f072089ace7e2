"""The Valgrind of this machine: its command, and what is needed to build a tool against it."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from sonde.base.errors import MissingCapability

PLATFORM = "amd64-linux"
"""As Valgrind calls x86-64 Linux; in the names of its files."""
_OLDEST = (3, 19)
"""The oldest that the tool was tried with."""
_VERSION = re.compile(r"valgrind-(\d+)\.(\d+)(?:\.(\d+))?")
_HEADER = "pub_tool_tooliface.h"
_LIBRARIES = tuple(f"lib{name}-{PLATFORM}.a" for name in ("coregrind", "vex"))
COMPILER_SUPPORT = f"libgcc-sup-{PLATFORM}.a"
"""Not every distribution's Valgrind has it or needs it."""
PRELOADED = f"vgpreload_core-{PLATFORM}.so"
SUPPRESSIONS = "default.supp"


@dataclass(frozen=True, slots=True)
class ValgrindInstallation:
    """An installed Valgrind with headers and static libraries."""

    command: Path
    version: tuple[int, int, int]
    headers: Path
    """Folder of `pub_tool_*.h`."""
    libraries: Path
    """Folder of the static libraries."""
    support: Path
    """Folder of what its tools load when they run."""

    @property
    def about(self) -> str:
        """`valgrind 3.19.0`."""
        return "valgrind " + ".".join(map(str, self.version))

    @property
    def archives(self) -> tuple[Path, ...]:
        """The static libraries, in the order in which they are linked."""
        support = self.libraries / COMPILER_SUPPORT
        return (*(self.libraries / name for name in _LIBRARIES), *((support,) if support.exists() else ()))


def find_valgrind() -> ValgrindInstallation:
    """The Valgrind whose command is on PATH.

    Raises:
        MissingCapability: `unsupported-machine`, `no-valgrind`, `broken-valgrind`, `valgrind-too-old`,
            `valgrind-incomplete`.
    """
    machine = os.uname()
    if (machine.sysname, machine.machine) != ("Linux", "x86_64"):
        raise MissingCapability(
            f"cannot watch memory accesses on {machine.sysname} {machine.machine}: sonde's tool is for Linux on x86-64",
            slug="unsupported-machine",
        )
    found = shutil.which("valgrind")
    if found is None:
        raise MissingCapability(
            "cannot watch memory accesses: there is no 'valgrind' on PATH",
            slug="no-valgrind",
            hint="install it: apt-get install valgrind",
        )
    command = Path(found)
    version = _version_of(command)
    words = "valgrind " + ".".join(map(str, version))
    if version < _OLDEST:
        raise MissingCapability(
            f"cannot use '{command}': it is {words}, and sonde's tool needs {_OLDEST[0]}.{_OLDEST[1]}",
            slug="valgrind-too-old",
            hint="install a newer one, and put it first on PATH",
        )
    prefixes = list(dict.fromkeys((command.parent.parent, command.resolve().parent.parent)))
    headers = _folder_with(_HEADER, prefixes, ("include/valgrind",), words)
    libraries = ("lib/x86_64-linux-gnu/valgrind", "lib64/valgrind", "lib/valgrind", "libexec/valgrind")
    installation = ValgrindInstallation(
        command,
        version,
        headers,
        _folder_with(_LIBRARIES[0], prefixes, libraries, words),
        _folder_with(PRELOADED, prefixes, ("libexec/valgrind", *libraries[:-1]), words),
    )
    for needed in (installation.libraries / _LIBRARIES[1], installation.support / SUPPRESSIONS):
        if not needed.exists():
            raise _incomplete(words, str(needed))
    return installation


def _version_of(command: Path) -> tuple[int, int, int]:
    try:
        done = subprocess.run(
            [command, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=60,
            check=False,
        )
        said = (done.stdout.strip() or done.stderr.strip() or f"it exited with {done.returncode}").splitlines()[0]
    except (OSError, subprocess.TimeoutExpired) as error:
        said = str(error)
    found = _VERSION.match(said)
    if found is None:
        raise MissingCapability(
            f"cannot use '{command}': asked for its version, it says '{said}'",
            slug="broken-valgrind",
            hint="reinstall it: apt-get install --reinstall valgrind",
        )
    return int(found[1]), int(found[2]), int(found[3] or 0)


def _folder_with(name: str, prefixes: list[Path], folders: tuple[str, ...], words: str) -> Path:
    candidates = [prefix / folder for prefix in prefixes for folder in folders]
    for candidate in candidates:
        if (candidate / name).exists():
            return candidate
    raise _incomplete(words, str(candidates[0] / name))


def _incomplete(words: str, file: str) -> MissingCapability:
    return MissingCapability(
        f"cannot build a tool for {words}: it was installed without '{file}'",
        slug="valgrind-incomplete",
        hint="install its development files: valgrind on Debian and Ubuntu, valgrind-tools-devel on Fedora",
    )
